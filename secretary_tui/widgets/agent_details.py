"""Everything about the highlighted row: what the agent is for, what it may do, what is wrong."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from secretary_tui.paths import shown
from secretary_tui.registry.describe import clean_description
from secretary_tui.registry.spec import (
    AgentStatus,
    Command,
    Dialect,
    Finding,
    IndexEntry,
    RemotePlugin,
    Severity,
)
from secretary_tui.widgets.index_rows import Extra, IndexRow, RowKind

RISKY = frozenset({"Write", "Edit", "MultiEdit", "Bash", "NotebookEdit"})
"""Tools that ask before they act."""


class AgentDetails(VerticalScroll, can_focus=True):
    """A scrollable page about one agent or one problem."""

    def compose(self) -> ComposeResult:
        """One static page."""
        yield Static(id="details-page", markup=False)

    def show_row(self, row: IndexRow | None) -> None:
        """Show what the index has under the cursor."""
        self.query_one("#details-page", Static).update(describe_row(row))
        self.scroll_home(animate=False)

    def show_text(self, content: Content) -> None:
        """Show a page of our own, such as the greeting."""
        self.query_one("#details-page", Static).update(content)


def describe_row(row: IndexRow | None) -> Content:
    """The page for a row of the index."""
    if row is None:
        return Content.assemble(("No agent fits this filter. Esc clears it.", "$foreground 60%"))
    if row.problem is not None:
        return _problem_page(row.problem)
    if row.extra is not None:
        return _extra_page(row.extra)
    if row.kind is RowKind.GROUP or row.entry is None:
        return Content.assemble(
            (f"{row.label}\n", "bold"), (f"{row.count} here. Enter folds.", "$foreground 60%")
        )
    return _agent_page(row.entry)


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
        parts += _field("turns", f"at most {spec.max_turns}")
    if spec.permission_mode:
        parts += _field("mode", spec.permission_mode)
    parts += _field("source", spec.source.label)
    parts += _field("file", shown(spec.path))
    if spec.dialect is not Dialect.CLAUDE:
        parts += _field("dialect", spec.dialect)
    if entry.stale is not None:
        parts.append(("\nThis is its last good version: ", "$text-error"))
        parts.append(f"{entry.stale.message}\n")
    if spec.findings:
        parts.append("\n")
        for finding in spec.findings:
            parts += _finding(finding)
    body = " ".join(spec.prompt.split())
    if body:
        parts.append(("\nprompt  ", "$foreground 60%"))
        parts.append((f"{len(spec.prompt):,} characters\n", "$foreground 60%"))
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
    style = "$text-error" if finding.severity is Severity.ERROR else "$text-warning"
    line = f"line {finding.line}: " if finding.line else ""
    return [("! ", style), f"{line}{finding.message}\n"]


def _field(name: str, value: Content | str) -> list[Content | str | tuple[str, str]]:
    return [(f"{name:<8}", "$foreground 60%"), value, "\n"]
