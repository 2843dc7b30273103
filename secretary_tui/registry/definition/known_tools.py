"""The names of tools that agent files may list, and what was meant by other spellings."""

from __future__ import annotations

import re

KNOWN_TOOLS = (
    "Read", "Write", "Edit", "MultiEdit", "Glob", "Grep", "LS", "Bash", "BashOutput", "KillShell",
    "NotebookEdit", "NotebookRead", "TodoWrite", "Task", "Agent", "WebFetch", "WebSearch",
    "Skill", "SlashCommand", "AskUserQuestion", "ExitPlanMode", "EnterPlanMode",
    "ListMcpResourcesTool", "ReadMcpResourceTool", "TaskCreate", "TaskGet", "TaskList",
    "TaskOutput", "TaskStop", "TaskUpdate", "KillBash", "LSP", "ToolSearch", "SendMessage",
    "TeamCreate", "TeamDelete", "EnterWorktree", "ExitWorktree",
)  # fmt: skip
"""Claude Code's built-in tools; `mcp__…` names belong to servers and are not checked."""

_BY_WORD = {name.lower(): name for name in KNOWN_TOOLS}
_MEANT = _BY_WORD | {
    "readfile": "Read", "view": "Read", "cat": "Read", "openfile": "Read",
    "writefile": "Write", "createfile": "Write", "create": "Write",
    "editfile": "Edit", "editfiles": "Edit", "strreplace": "Edit", "replace": "Edit",
    "search": "Grep", "searchfiles": "Grep", "ripgrep": "Grep", "rg": "Grep", "codebase": "Grep",
    "find": "Glob", "findfiles": "Glob", "listfiles": "Glob", "listdir": "LS", "ls": "LS",
    "shell": "Bash", "terminal": "Bash", "execute": "Bash", "runcommand": "Bash",
    "runcommands": "Bash", "runinterminal": "Bash", "terminalcommand": "Bash",
    "fetch": "WebFetch", "browse": "WebFetch", "web": "WebSearch", "todo": "TodoWrite",
    "todos": "TodoWrite", "todoread": "TodoWrite", "list": "LS",
    "subagent": "Agent", "runsubagent": "Agent",
}  # fmt: skip

_GROUPS = frozenset({"execute", "edit", "search", "runcommands", "agent"})
"""First parts, as in `execute/runTask`, that say what the tool does whatever follows."""


def tool_name(entry: str) -> str:
    """The tool of an entry, without its pattern: `Bash` for `Bash(git diff:*)`."""
    return entry.partition("(")[0].strip()


def entry_covers(entry: str, name: str) -> bool:
    """Whether an entry of `tools` grants the tool `name`, wholly or for some calls.

    A server's entry, `mcp__github` or `mcp__github__*`, grants every tool of that server.
    """
    listed = tool_name(entry)
    if listed in ("*", name):
        return True
    return listed.startswith("mcp__") and name.startswith(f"{listed.removesuffix('__*')}__")


def entry_removes(entry: str, name: str) -> bool:
    """Whether an entry of `disallowedTools` takes the whole tool `name` away."""
    pattern = entry.strip()[len(tool_name(entry)) :].strip()
    return pattern in ("", "()", "(*)") and entry_covers(entry, name)


def is_known_tool(entry: str) -> bool:
    """Whether an entry of `tools` names a tool exactly as it is spelled."""
    name = tool_name(entry)
    pattern = entry.strip()[len(name) :].strip()
    if pattern and not pattern.endswith(")"):
        return False  # As `Bash(git log`.
    return name in KNOWN_TOOLS or name.startswith("mcp__") or name == "*"


def suggest_tool(entry: str) -> str | None:
    """The tool that was probably meant by an unknown entry; None when nothing is near."""
    name = tool_name(entry)
    group, slash, _ = name.partition("/")
    # Of `Bash[rm]` and `Bash:rm` the tool is meant, too.
    for part in (name, name.rpartition("/")[2], group, re.split(r"[\[{: ]", name, maxsplit=1)[0]):
        word = "".join(char for char in part.lower() if char.isalnum())
        if word in _MEANT and (part is not group or not slash or word in _GROUPS):
            return _MEANT[word]
    from rapidfuzz import fuzz, process

    near = process.extractOne(name.lower(), list(_BY_WORD), scorer=fuzz.ratio, score_cutoff=75)
    return _BY_WORD[near[0]] if near else None
