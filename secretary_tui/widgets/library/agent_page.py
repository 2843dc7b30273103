"""What the page about a row of the index says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from textual.content import Content

from secretary_tui.paths import shown, user_config
from secretary_tui.registry.definition.describe import clean_description
from secretary_tui.registry.definition.known_tools import KNOWN_TOOLS
from secretary_tui.registry.definition.spec import (
    MOST_TURNS,
    AgentSpec,
    AgentStatus,
    Command,
    Dialect,
    Finding,
    IndexEntry,
    RemotePlugin,
    Severity,
    SourceKind,
)
from secretary_tui.sanitize import clean
from secretary_tui.tool_table import CHANGING_TOOLS, canonical_names
from secretary_tui.widgets.library.index_rows import (
    COMMANDS,
    LOOSE,
    NOT_INSTALLED,
    PROBLEMS,
    SKILLS,
    Extra,
    IndexRow,
    RowKind,
)

if TYPE_CHECKING:
    from secretary_tui.registry.unlisted import Unlisted

_BLANK_LINES = re.compile(r"\s*\n\s*\n")
RISKY = frozenset(
    name for name in KNOWN_TOOLS if not CHANGING_TOOLS.isdisjoint(canonical_names(name))
)
"""Tools that change something, as files name them; they ask before they act."""
_TIGHTER = frozenset({"plan", "deny", "dontask"})
"""Modes of a file that can change what a run may do."""

_MARKS = {
    Severity.ERROR: ("!", "$text-error"),
    Severity.WARNING: ("!", "$text-warning"),
    Severity.NOTE: ("·", "$foreground 60%"),
}
_SOURCES = {
    SourceKind.GIVEN: "Given on the command line with --agents.",
    SourceKind.AGENTS_DIR: "A folder named on the command line with --agents-dir.",
    SourceKind.PROJECT: "This project's own agents.",
    SourceKind.PROJECT_OTHER: "This project's agents for another product; they run here as well.",
    SourceKind.PACKAGE: "A folder from the setting agents_folders.",
    SourceKind.BUNDLED: "Bundled with secretary-tui.",
    SourceKind.USER: "Your own agents, in every project.",
    SourceKind.USER_OTHER: "Your own agents for another product; they run here as well.",
    SourceKind.PLUGIN: "The agents of a plugin.",
}
_GROUPS = {
    PROBLEMS: "Files that can't be loaded. /problems says what is wrong with each, e opens one.",
    LOOSE: "Fuzzy matches of the filter.",
    SKILLS: "Instructions that an agent can preload by naming them in its `skills:`.",
    COMMANDS: "Custom slash commands.",
    NOT_INSTALLED: "Plugins that your marketplaces offer. c copies the command that installs one.",
}


def describe_row(row: IndexRow | None) -> Content:
    """The page for a row of the index."""
    if row is None:
        return Content.assemble(("No agent matches this filter. Esc clears it.", "$foreground 60%"))
    if row.unlisted is not None:
        return _unlisted_page(row.unlisted)
    if row.problem is not None:
        return _problem_page(row.problem)
    if row.extra is not None:
        return _extra_page(row.extra)
    if row.kind is RowKind.GROUP or row.entry is None:
        return _group_page(row)
    return _agent_page(row.entry)


def _group_page(row: IndexRow) -> Content:
    """What stands under a heading, and what the keys do there."""
    parts: list[Content | str | tuple[str, str]] = [(f"{row.label}\n", "bold")]
    what = _SOURCES[row.source.kind] if row.source else _GROUPS.get(row.group, "")
    if what:
        parts.append(f"{what}\n")
    parts.append("\n")
    parts += _field("count", f"{row.count:,}")
    if row.source is not None:
        if row.source.marketplace:
            parts += _field("from", row.source.marketplace)
        parts += _field("folder", shown(row.source.root))
    keys = [("Enter", " unfolds  " if row.folded else " folds  ")] if row.group != LOOSE else []
    if row.source is not None:
        keys.append(("x", " switches all of it off or on here"))
    parts.append("\n")
    for key, does in keys:
        parts += [(key, "bold $accent"), (does, "$foreground 60%")]
    return Content.assemble(*parts)


def _unlisted_page(unlisted: Unlisted) -> Content:
    return Content.assemble(
        (f"{unlisted.count:,} agent files are not listed\n\n", "bold"),
        f"They are in {shown(unlisted.folder)}, which is not a source: agents are loaded from "
        ".claude/agents, in plugins and in the folders that you name.\n\n",
        ("Enter", "bold $accent"),
        (" or ", "$foreground 60%"),
        ("a", "bold $accent"),
        (
            f" adds them: the folder is written to agents_folders in "
            f"{shown(user_config())}, your own settings. Nothing is written to the project.",
            "$foreground 60%",
        ),
    )


def _agent_page(entry: IndexEntry) -> Content:
    spec = entry.spec
    parts: list[Content | str | tuple[str, str]] = [(f"{entry.id}\n", "bold $accent")]
    if entry.status is AgentStatus.SHADOWED and entry.shadowed_by is not None:
        hidden = f"shadowed by {shown(entry.shadowed_by)}\n"
        parts.append((hidden, "$text-warning"))
    elif entry.status is not AgentStatus.ACTIVE:
        by = f" by {entry.disabled_by}" if entry.disabled_by else ""
        parts.append((f"{entry.status}{by}; x switches it on\n", "$text-warning"))
    parts.append(f"\n{clean_description(spec.description)}\n\n")
    parts += _field("tools", _tools(spec.tools, spec.disallowed_tools))
    parts += _field("model", spec.model or "inherited")
    if spec.skills:
        parts += _field("skills", ", ".join(spec.skills))
    if spec.max_turns:
        parts += _field("turns", f"max {min(spec.max_turns, MOST_TURNS)}")
    if spec.permission_mode:
        parts += _field("mode", _mode(spec))
    parts += _field("source", spec.source.label)
    parts += _field("file", shown(spec.path))
    if spec.dialect is not Dialect.CLAUDE:
        parts += _field("dialect", spec.dialect)
    if entry.stale is not None:
        parts.append(("\nThis is the last valid version: ", "$text-error"))
        parts.append(f"{entry.stale.message}\n")
    if spec.findings:
        parts.append("\n")
        for finding in spec.findings:
            parts += _finding(finding)
    body = _BLANK_LINES.sub("\n\n", clean(spec.prompt).strip())
    if body:
        parts.append(("\nprompt  ", "$foreground 60%"))
        letters = len(spec.prompt)
        count = f"{letters:,} character" + "s" * (letters != 1)
        parts.append((f"{count}\n", "$foreground 60%"))
        parts.append((body[:600] + ("…" if len(body) > 600 else ""), "$foreground 60%"))
    return Content.assemble(*parts)


def _tools(tools: tuple[str, ...] | None, without: tuple[str, ...]) -> Content:
    if tools is None or "*" in tools:
        content = Content.assemble(
            ("all", "$text-warning"), (" (asks before risky ones)", "$foreground 60%")
        )
    elif not tools:
        content = Content("none")
    else:
        pieces: list[str | tuple[str, str]] = []
        for position, tool in enumerate(tools):
            risky = tool.split("(")[0] in RISKY
            pieces.append(", " if position else "")
            pieces.append((f"{tool}!", "$text-warning") if risky else tool)
        content = Content.assemble(*pieces)
    if without:
        content = Content.assemble(content, (f"  not {', '.join(without)}", "$foreground 60%"))
    return content


def _extra_page(extra: Extra) -> Content:
    """A skill, a command, or a plugin that could be installed."""
    parts: list[Content | str | tuple[str, str]] = [(f"{extra.id}\n\n", "bold $accent")]
    if extra.description:
        parts.append(f"{clean_description(extra.description)}\n\n")
    if isinstance(extra, RemotePlugin):
        parts += _field("from", extra.origin)
        parts += _field("install", extra.install)
        parts.append(("\nRun that in Claude Code; the agents then appear here.", "$foreground 60%"))
        return Content.assemble(*parts)
    if isinstance(extra, Command) and extra.argument_hint:
        parts += _field("takes", extra.argument_hint)
    parts += _field("source", extra.source.label)
    parts += _field("file", shown(extra.path))
    for finding in extra.findings:
        parts += _finding(finding)
    return Content.assemble(*parts)


def _problem_page(problem: Finding) -> Content:
    where = shown(problem.path) + (f":{problem.line}" if problem.line else "")
    return Content.assemble(
        (f"{problem.path.name}\n", "bold $text-error"),
        (f"{where}\n\n", "$foreground 60%"),
        f"{problem.message}\n",
    )


def _finding(finding: Finding) -> list[Content | str | tuple[str, str]]:
    mark, style = _MARKS[finding.severity]
    line = f"line {finding.line}: " if finding.line else ""
    return [(f"{mark} ", style), f"{line}{finding.message}\n"]


def _mode(spec: AgentSpec) -> str:
    """Say the mode of its file, and whether it means anything: a file can only tighten."""
    mode = spec.permission_mode or ""
    plain = mode.replace("-", "").lower()
    if plain not in _TIGHTER or spec.source.kind is SourceKind.PLUGIN:
        return f"{mode} (changes nothing: a file can only tighten yours)"
    return mode


def _field(name: str, value: Content | str) -> list[Content | str | tuple[str, str]]:
    return [(f"{name:<8}", "$foreground 60%"), value, "\n"]
