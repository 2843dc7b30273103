"""The values of the registry: what an agent is, where it was found, what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol, TypeVar

from secretary_tui.registry.definition.describe import shorten_description
from secretary_tui.registry.definition.known_tools import entry_covers, entry_removes
from secretary_tui.sanitize import clean_line


class NamedTool(Protocol):
    """Anything with a tool's name."""

    @property
    def name(self) -> str:
        """The name that the model calls the tool by."""
        ...


AnyTool = TypeVar("AnyTool", bound="str | NamedTool")


class SourceKind(StrEnum):
    """The kinds of places where agents are found."""

    GIVEN = "given"
    """Written as JSON on the command line (`--agents`)."""
    AGENTS_DIR = "agents-dir"
    """Named on the command line."""
    PROJECT = "project"
    PROJECT_OTHER = "project-other"
    """A folder of the project that belongs to another product, such as `.github/agents`."""
    PACKAGE = "package"
    """A folder from the setting `agents_folders`."""
    BUNDLED = "bundled"
    USER = "user"
    USER_OTHER = "user-other"
    """The user's folder of another product, such as `~/.config/opencode/agents`."""
    PLUGIN = "plugin"


PRIORITY: Mapping[SourceKind, int] = {
    SourceKind.GIVEN: 0,
    SourceKind.AGENTS_DIR: 1,
    SourceKind.PROJECT: 2,
    SourceKind.PROJECT_OTHER: 3,
    SourceKind.PACKAGE: 4,
    SourceKind.PLUGIN: 5,
    SourceKind.USER: 6,
    SourceKind.USER_OTHER: 7,
    SourceKind.BUNDLED: 8,
}
"""Which of two agents with one id is active: the lower number (seed 002, "File Locations"; its
package level are plugins). Bundled agents come last."""


MOST_TURNS = 200
"""More than these no definition gets, whatever its `maxTurns` says: each turn is paid."""


BY_FOLDER = frozenset({SourceKind.AGENTS_DIR, SourceKind.PACKAGE})
"""There may be several of these, which only their folders tell apart."""


class Severity(StrEnum):
    """How bad a finding is. `ERROR`: the file gives no agent. `WARNING`: it does, repaired.

    `NOTE`: a convention that is not kept; everything works.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class AgentStatus(StrEnum):
    """Whether an agent can be chosen."""

    ACTIVE = "active"
    SHADOWED = "shadowed"
    """Another one with the same id and a higher priority is active instead."""
    DISABLED = "disabled"
    """Switched off in a settings file; `IndexEntry.disabled_by` says where."""


class Dialect(StrEnum):
    """Whose format a definition is written in; all are read alike."""

    CLAUDE = "claude"
    COPILOT = "copilot"
    """GitHub Copilot: `*.agent.md`."""
    OPENCODE = "opencode"
    """`tools:` as a table of names and true or false, or a `mode:`."""
    DEEPAGENTS = "deepagents"
    """`<name>/AGENTS.md` with frontmatter."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about a file that its owner wants to know."""

    path: Path
    line: int | None
    """From 1; None when it concerns the whole file."""
    message: str
    """What is wrong and what to do, in a sentence."""
    severity: Severity
    action: str
    """What we did: `skip` (no agent), `repair` (read differently), `keep` (nothing)."""
    kind: str = "definition"
    """Which check found it, such as `unknown-tool`; `definition` for what reading itself says."""
    silent: bool = False
    """Whether Claude Code skips the whole file for this, without a word to anybody."""

    def __str__(self) -> str:
        """`path:line: severity: message`, the form editors and CI understand."""
        path = clean_line(str(self.path))
        where = f"{path}:{self.line}" if self.line else path
        return f"{where}: {self.severity}: {self.message}"


@dataclass(frozen=True, slots=True)
class Source:
    """A place where agents were looked for."""

    kind: SourceKind
    root: Path
    """The folder that holds the definitions."""
    plugin: str | None = None
    """The plugin that owns it, for `SourceKind.PLUGIN`."""
    depth: int = 0
    """Among sources of one kind the lower wins. Project folders: 0 is nearest to the working
    directory, -1 the setting `agents_dir`. Plugins: 0 of the project, 1 installed ones."""
    marketplace: str | None = None
    """The marketplace that the plugin comes from, where that is known."""
    dialect: Dialect | None = None
    """The product that the folder belongs to, for `PROJECT_OTHER` and `USER_OTHER`."""

    @property
    def label(self) -> str:
        """What it is called everywhere: `project`, `user`, `bundled`, the plugin's name, that of a
        folder somebody named, or the other product's: `copilot`, and `copilot-user` for the user's
        own.
        """
        if self.kind in BY_FOLDER:
            return self.root.name or str(self.root)
        if self.dialect is not None:
            return (
                f"{self.dialect}-user" if self.kind is SourceKind.USER_OTHER else str(self.dialect)
            )
        return self.plugin if self.plugin else str(self.kind)

    @property
    def names(self) -> tuple[str, ...]:
        """What `disabled_sources` may call it: its label, `plugin@marketplace`, kind or folder."""
        key = f"{self.plugin}@{self.marketplace}" if self.plugin and self.marketplace else ""
        is_taken = self.kind in BY_FOLDER and self.label in set(SourceKind)
        label = "" if is_taken else self.label
        return tuple(filter(None, (label, key, str(self.kind), str(self.root))))


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """One agent definition as read from a file (the Claude Code subagent format)."""

    name: str
    description: str
    """All of it, cleaned of control characters; `<example>` blocks included."""
    prompt: str
    """The markdown body: the system prompt."""
    source: Source
    path: Path
    """Absolute; `--agents` for an agent given on the command line."""
    namespace: str = ""
    """`plugin` or `plugin:sub` for plugin agents, empty for all others."""
    tools: tuple[str, ...] | None = None
    """As written; None inherits all."""
    disallowed_tools: tuple[str, ...] = ()
    model: str | None = None
    """An alias (`sonnet`), a full id, or None to inherit."""
    skills: tuple[str, ...] = ()
    color: str | None = None
    max_turns: int | None = None
    permission_mode: str | None = None
    effort: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    """Every other field of the frontmatter, untouched."""
    findings: tuple[Finding, ...] = ()
    content_hash: str = ""
    """sha256 of the file as read, hexadecimal."""
    dialect: Dialect = Dialect.CLAUDE

    @property
    def id(self) -> str:
        """The qualified id: `plugin:name`, or the bare name."""
        return f"{self.namespace}:{self.name}" if self.namespace else self.name

    @property
    def wants_own_tree(self) -> bool:
        """Whether it asks for a working tree of its own: `isolation: worktree`."""
        return self.metadata.get("isolation") == "worktree"

    @property
    def summary(self) -> str:
        """The description's first sentence, on one line of at most 160 characters."""
        return shorten_description(self.description)

    def inherits_all_tools(self) -> bool:
        """Whether the file names no tools, so that the agent gets whatever there is."""
        return self.tools is None

    def is_tool_allowed(self, tool_name: str) -> bool:
        """Whether the agent may have a tool of exactly this name.

        `disallowedTools` counts before `tools`. A pattern such as `Bash(git diff:*)` allows the
        tool (which calls it then limits is the runner's matter) and, disallowed, removes none.
        """
        if any(entry_removes(entry, tool_name) for entry in self.disallowed_tools):
            return False
        return self.tools is None or any(entry_covers(entry, tool_name) for entry in self.tools)

    def filter_tools(self, tools: Iterable[AnyTool]) -> tuple[AnyTool, ...]:
        """Those of `tools` (names, or objects with a `name`) that the agent may have, in order."""
        return tuple(
            tool
            for tool in tools
            if self.is_tool_allowed(tool if isinstance(tool, str) else tool.name)
        )

    def has_skills(self) -> bool:
        """Whether the agent preloads skills."""
        return bool(self.skills)

    def should_inherit_model(self) -> bool:
        """Whether the agent runs with the session's model."""
        return self.model is None


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """An agent in its place: whether it is active, and what hides it."""

    spec: AgentSpec
    status: AgentStatus = AgentStatus.ACTIVE
    shadowed_by: Path | None = None
    stale: Finding | None = None
    """Why the file can't be read now; the spec is the last one it gave."""
    disabled_by: str = ""
    """For `AgentStatus.DISABLED`: the setting that does it, as the user finds it."""

    @property
    def id(self) -> str:
        """The qualified id of the agent."""
        return self.spec.id


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill that agents can preload: a folder with a `SKILL.md`."""

    id: str
    """`plugin:name`, or the bare name; the name is the folder's."""
    description: str
    source: Source
    path: Path
    """Its `SKILL.md`, absolute."""
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Command:
    """A prompt with a name: a markdown file below `commands/`."""

    id: str
    """`sub:name`, `plugin:sub:name`: sub-folders are part of the name."""
    description: str
    source: Source
    path: Path
    argument_hint: str = ""
    """What it expects behind its name, as its author writes it."""
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class RemotePlugin:
    """A plugin that a marketplace offers and that isn't on this machine."""

    name: str
    marketplace: str
    origin: str
    """Where it lies: `github owner/name`, `npm package`, an address, or a folder."""
    path: Path
    """The `marketplace.json` that offers it."""
    description: str = ""

    @property
    def id(self) -> str:
        """`name@marketplace`."""
        return f"{self.name}@{self.marketplace}"

    @property
    def install(self) -> str:
        """What to type in Claude Code to get it."""
        return f"/plugin install {self.id}"
