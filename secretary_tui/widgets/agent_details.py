"""Everything about the highlighted row: what the agent is for, what it may do, what is wrong."""

from __future__ import annotations

from pathlib import Path

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from secretary_tui.registry.describe import clean_description
from secretary_tui.registry.spec import AgentStatus, Finding, IndexEntry, Severity
from secretary_tui.widgets.index_rows import IndexRow, RowKind

RISKY = frozenset({"Write", "Edit", "MultiEdit", "Bash", "NotebookEdit"})
"""Tools that ask before they act."""


class AgentDetails(VerticalScroll, can_focus=True):
    """A scrollable page about one agent or one problem."""

    def compose(self) -> ComposeResult:
        """One static page."""
        yield Static(id="details-page", markup=False)

    def show_row(self, row: IndexRow | None, *, home: Path) -> None:
        """Show what the index has under the cursor; `home` shortens paths."""
        self.query_one("#details-page", Static).update(describe_row(row, home))
        self.scroll_home(animate=False)

    def show_text(self, content: Content) -> None:
        """Show a page of our own, such as the greeting."""
        self.query_one("#details-page", Static).update(content)


def describe_row(row: IndexRow | None, home: Path) -> Content:
    """The page for a row of the index."""
    if row is None:
        return Content.assemble(("No agent fits this filter. Esc clears it.", "$foreground 60%"))
    if row.problem is not None:
        return _problem_page(row.problem, home)
    if row.kind is RowKind.GROUP or row.entry is None:
        return Content.assemble(
            (f"{row.label}\n", "bold"), (f"{row.count} here. Enter folds.", "$foreground 60%")
        )
    return _agent_page(row.entry, home)


def _agent_page(entry: IndexEntry, home: Path) -> Content:
    spec = entry.spec
    parts: list[Content | str | tuple[str, str]] = [(f"{entry.id}\n", "bold $accent")]
    if entry.status is AgentStatus.SHADOWED and entry.shadowed_by is not None:
        hidden = f"shadowed by {_short(entry.shadowed_by, home)}\n"
        parts.append((hidden, "$text-warning"))
    elif entry.status is not AgentStatus.ACTIVE:
        parts.append((f"{entry.status}\n", "$text-warning"))
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
    parts += _field("file", _short(spec.path, home))
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


def _problem_page(problem: Finding, home: Path) -> Content:
    where = _short(problem.path, home) + (f":{problem.line}" if problem.line else "")
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


def _short(path: Path, home: Path) -> str:
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
