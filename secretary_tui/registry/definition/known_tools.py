"""The names of tools that agent files may list, and what was meant by other spellings."""

from __future__ import annotations

import re

from secretary_tui.tool_table import SHARED_ALIASES, TOOLS, is_mcp

KNOWN_TOOLS = (
    *(row.name for row in TOOLS.values() if row.is_in_claude_code),
    *("MultiEdit", "LS", "BashOutput", "KillShell", "KillBash", "NotebookEdit", "NotebookRead"),
    *("Task", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate"),
    *("SlashCommand", "ExitPlanMode", "EnterPlanMode", "EnterWorktree", "ExitWorktree"),
    *("ListMcpResourcesTool", "ReadMcpResourceTool", "LSP", "ToolSearch", "SendMessage"),
    *("TeamCreate", "TeamDelete"),
)
"""Claude Code's built-in tools; `mcp__…` names belong to servers and are not checked."""

_BY_WORD = {name.lower(): name for name in KNOWN_TOOLS}
_MEANT = {
    **{
        word: row.name
        for row in TOOLS.values()
        if row.is_in_claude_code
        for word in (*row.aliases, *row.hints)
    },
    **{word: names[0] for word, names in SHARED_ALIASES.items()},
    # Claude Code has a tool of its own for what is Glob here.
    **dict.fromkeys(("list", "listdir"), "LS"),
    **_BY_WORD,
}
"""The tool that is proposed for a spelling."""

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
    return is_mcp(listed) and name.startswith(f"{listed.removesuffix('__*')}__")


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
    return name in KNOWN_TOOLS or is_mcp(name) or name == "*"


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
