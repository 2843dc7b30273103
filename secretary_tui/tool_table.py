"""The table of tools: a row for each tool that an agent can get here.

A row says what a tool is called, how much it may do, what a rule and an answer of the user cover,
and how a call of it is shown. Two things stand elsewhere, under the same names, because they import
pydantic and the SDK: what the model sends (`delegation.tools.tool_inputs`) and what a call does
(`delegation.tools.toolset`, and `delegation.tools.toolbox` for files and commands).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import NamedTuple

READ, WRITE, EDIT, GLOB, GREP, BASH = "Read", "Write", "Edit", "Glob", "Grep", "Bash"
GIT_COMMIT, TODO_WRITE, ASK_USER, SKILL = "GitCommit", "TodoWrite", "AskUserQuestion", "Skill"
WEB_FETCH, WEB_SEARCH, AGENT, MEMORY = "WebFetch", "WebSearch", "Agent", "Memory"
ACP_ACTION, MCP_SERVER, MCP_TOOLS = "ACP", "MCP server", "MCP tools"
"""What else the user is asked about, as if it were a tool."""


class Risk(Enum):
    """How much a call may do, from least to most."""

    NONE = 0
    """It only reads, or asks the user; the call can be repeated at any time."""
    DELEGATES = 1
    """It lets another agent work, whose own calls ask."""
    NETWORK = 2
    """It reaches the network, and asks before."""
    CHANGES = 3
    """It changes something, asks before, and is refused in plan mode."""

    @property
    def asks(self) -> bool:
        """Whether the user is asked before a call."""
        return self in (Risk.NETWORK, Risk.CHANGES)


class RuleSubject(StrEnum):
    """What the parentheses of a permission rule hold."""

    NONE = "none"
    """A rule names the tool alone."""
    COMMAND = "command"
    FILE = "file"
    TOPIC = "topic"
    """A domain, or the name of an agent, a skill or a note."""


class AnswerScope(NamedTuple):
    """What an answer of the user covers, as the prompt offers it; empty where it isn't offered."""

    run: str = ""
    always: str = ""


NOT_OFFERED = AnswerScope()
"""Where a call is never asked about, or each one anew."""


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """A row of the table."""

    name: str
    """The canonical name: Claude Code's, where it has the tool."""
    risk: Risk
    subject: RuleSubject
    subject_field: str = ""
    """The field of the input that says what a call is about; empty where none does."""
    scope: AnswerScope = NOT_OFFERED
    aliases: frozenset[str] = frozenset()
    """Other products' spellings that mean this tool, in lower case, without `_`, `-` and blanks."""
    hints: frozenset[str] = frozenset()
    """Spellings that don't mean it, but for which validation proposes it."""
    part_of: str = ""
    """The wider tool, which could do the same: denying that one takes this one away, too."""
    is_inherited: bool = True
    """Whether no list of tools, and `*`, stand for it."""
    is_served: bool = False
    """Whether the model's service carries it out: then it has no schema and no code here."""
    is_in_claude_code: bool = True
    shows_calls: bool = True
    """Whether calls are shown; not where what they change is shown instead (a checklist)."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_EDITS = AnswerScope("all edits of this run", "this file, always")
_ROWS = (
    ToolEntry(
        READ,
        Risk.NONE,
        RuleSubject.FILE,
        "file_path",
        aliases=_words(
            "readfile readfiles view viewfile openfile fileread notebookread readmanyfiles"
        ),
        hints=_words("cat"),
    ),
    ToolEntry(
        WRITE,
        Risk.CHANGES,
        RuleSubject.FILE,
        "file_path",
        _EDITS,
        aliases=_words("writefile create createfile savefile filewrite writetofile"),
    ),
    ToolEntry(
        EDIT,
        Risk.CHANGES,
        RuleSubject.FILE,
        "file_path",
        _EDITS,
        aliases=_words(
            "editfile multiedit notebookedit strreplace replace replaceinfile applypatch "
            "patch fileedit searchreplace"
        ),
    ),
    ToolEntry(
        GLOB,
        Risk.NONE,
        RuleSubject.FILE,
        "pattern",
        aliases=_words("ls list listdir listdirectory listfiles findfiles filesearch"),
        hints=_words("find"),
    ),
    ToolEntry(
        GREP,
        Risk.NONE,
        RuleSubject.FILE,
        "pattern",
        aliases=_words(
            "ripgrep searchfiles greptool codesearch textsearch grepsearch searchfilecontent "
            "codebase"
        ),
        hints=_words("rg"),
    ),
    ToolEntry(
        BASH,
        Risk.CHANGES,
        RuleSubject.COMMAND,
        "command",
        AnswerScope("this command, this run", "this command, always"),
        aliases=_words(
            "shell terminal execute runcommand runcommands runinterminal executecommand "
            "runshellcommand executebash runterminalcommand runterminalcmd"
        ),
        hints=_words("terminalcommand"),
    ),
    ToolEntry(
        GIT_COMMIT,
        Risk.CHANGES,
        RuleSubject.NONE,
        "message",
        AnswerScope("all commits of this run"),
        part_of=BASH,
        is_inherited=False,  # It comes with Bash.
        is_in_claude_code=False,
    ),
    ToolEntry(
        TODO_WRITE,
        Risk.NONE,
        RuleSubject.NONE,
        aliases=_words("todoread todo todos writetodos updatetodos managetodolist"),
        shows_calls=False,
    ),
    ToolEntry(
        ASK_USER,
        Risk.NONE,
        RuleSubject.NONE,
        aliases=_words("askuserquestions askuser askquestion askquestions"),
    ),
    ToolEntry(
        SKILL,
        Risk.NONE,
        RuleSubject.TOPIC,
        "skill",
        AnswerScope("this skill, this run", "this skill, always"),
        aliases=_words("useskill loadskill"),
    ),
    ToolEntry(
        WEB_FETCH,
        Risk.NETWORK,
        RuleSubject.TOPIC,
        "url",
        AnswerScope("this domain, this run", "this domain, always"),
        aliases=_words("fetch fetchurl urlfetch fetchwebpage"),
        hints=_words("browse"),
    ),
    ToolEntry(
        WEB_SEARCH,
        Risk.NETWORK,
        RuleSubject.NONE,
        "",
        AnswerScope("searching in this run", "searching, always"),
        aliases=_words("searchweb googlewebsearch"),
        hints=_words("web"),
        is_inherited=False,  # A search costs money by itself.
        is_served=True,
    ),
    ToolEntry(
        AGENT,
        Risk.DELEGATES,
        RuleSubject.TOPIC,
        "subagent_type",
        AnswerScope("this agent, this run", "this agent, always"),
        aliases=_words("task spawnsubagent subagent runsubagent"),
    ),
    ToolEntry(
        MEMORY,
        Risk.CHANGES,
        RuleSubject.TOPIC,
        "name",
        is_inherited=False,  # It comes with `memory:` in the definition.
        is_in_claude_code=False,
    ),
)
TOOLS: Mapping[str, ToolEntry] = {row.name: row for row in _ROWS}
"""Every tool by its canonical name, in the order in which tools are offered."""
SHARED_ALIASES: Mapping[str, tuple[str, ...]] = {
    "search": (GREP, GLOB),
    "editfiles": (EDIT, WRITE),
    "strreplacebasededittool": (EDIT, WRITE),
}
"""Spellings that mean several tools; the first of them most."""
ALL_TOOLS = tuple(TOOLS)
INHERITED_TOOLS = tuple(row.name for row in _ROWS if row.is_inherited)
"""What no list of tools, and `*`, stand for."""
CHANGING_TOOLS = frozenset(row.name for row in _ROWS if row.risk is Risk.CHANGES)
ASKING_TOOLS = frozenset(row.name for row in _ROWS if row.risk.asks)
"""The tools that ask before they act."""

_BY_SPELLING: Mapping[str, tuple[str, ...]] = {
    **{word: (row.name,) for row in _ROWS for word in (row.name.lower(), *row.aliases)},
    **SHARED_ALIASES,
}
_OTHER_SCOPES: Mapping[str, AnswerScope] = {
    ACP_ACTION: AnswerScope("this action, this run"),
    MCP_SERVER: AnswerScope("this server, this run", "this server, always"),
    MCP_TOOLS: AnswerScope("these tools, this run", "these tools, always"),
}
_TOOL_OF_SERVER = AnswerScope("this tool, this run", "this tool, always")


def canonical_names(spelling: str) -> tuple[str, ...]:
    """Give the tools a name in a definition stands for; empty when it means none of ours."""
    # VS Code groups its tools: `edit/editFiles`, `execute/runInTerminal`.
    bare = re.sub(r"(?:edit|execute|read|search|agent|web)/", "", spelling.strip(), count=1)
    if bare.startswith("-"):
        return ()  # That takes a tool away elsewhere.
    return _BY_SPELLING.get(re.sub(r"[\s_.-]+", "", bare).lower(), ())


def is_mcp(tool: str) -> bool:
    """Whether a name is that of a tool of an MCP server, or of all its tools."""
    return tool.startswith("mcp__")


def runs_commands(tool: str) -> bool:
    """Whether a call is a command, which rules read as one."""
    return tool in TOOLS and TOOLS[tool].subject is RuleSubject.COMMAND


def edits_files(tool: str) -> bool:
    """Whether a call changes one file of the project: the mode `accept-edits` lets it pass."""
    row = TOOLS.get(tool)
    return row is not None and row.risk is Risk.CHANGES and row.subject is RuleSubject.FILE


def shows_calls(tool: str) -> bool:
    """Whether calls of a tool are shown; not where what they change is shown instead."""
    return tool not in TOOLS or TOOLS[tool].shows_calls


def answer_scope(tool: str) -> AnswerScope:
    """Say what an answer covers about a tool, or whatever else is asked about like one."""
    if is_mcp(tool):
        return _TOOL_OF_SERVER
    return TOOLS[tool].scope if tool in TOOLS else _OTHER_SCOPES.get(tool, _EDITS)
