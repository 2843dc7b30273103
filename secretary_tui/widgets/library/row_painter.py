"""How a row of the agent list is drawn."""

from __future__ import annotations

from itertools import groupby

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.widget import Widget

from secretary_tui.registry.definition.spec import AgentStatus, IndexEntry, Severity
from secretary_tui.widgets.cells import fit
from secretary_tui.widgets.library.index_filter import marked
from secretary_tui.widgets.library.index_rows import IndexRow, RowKind
from secretary_tui.widgets.themes import AGENT_COLORS, mark_style


class RowPainter:
    """Draws rows in the component styles of a widget, `agent-list--NAME`."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget

    def style(self, name: str, *, partial: bool = False) -> Style:
        """One of the styles; only what its rule sets, if `partial`."""
        return self._widget.get_component_rich_style(f"agent-list--{name}", partial=partial)

    def segments(self, row: IndexRow, width: int, query: str) -> list[Segment]:
        """A row of so many cells; letters that fit a filter stand out."""
        base, muted = self.style("row"), self.style("muted")
        if row.kind is RowKind.UNLISTED:
            style = self.style("warning")
            return [Segment("+ ", style), Segment(fit(row.label, width - 3), style)]
        if row.kind is RowKind.GROUP:
            count = f" {row.count} "
            label = fit(row.label, width - 2 - len(count))
            return [
                Segment("▸ " if row.folded else "▾ ", muted),
                Segment(label, self.style("group")),
                Segment(count, muted),
            ]
        if row.problem is not None:
            return [Segment("  ✗ ", self.style("error")), Segment(fit(row.label, width - 5), base)]
        if row.entry is None:
            return [Segment("  ◦ ", muted), Segment(fit(row.label, width - 5), muted)]
        return self._agent(row.label, row.entry, width, query)

    def _agent(self, label: str, entry: IndexEntry, width: int, query: str) -> list[Segment]:
        base, muted = self.style("row"), self.style("muted")
        is_active = entry.status is AgentStatus.ACTIVE
        mark, style = self._mark(entry)
        name = fit(label, width - 4 - len(mark))
        gap = " " * max(0, width - 4 - cell_len(name) - len(mark))
        return [
            Segment("  • " if is_active else "  ◦ ", self._dot(entry.spec.color, muted)),
            *self._named(name, base if is_active else muted, query),
            Segment(gap, base),
            Segment(mark, style),
        ]

    def _dot(self, color: str | None, muted: Style) -> Style:
        if color not in AGENT_COLORS:
            return muted
        return muted + mark_style(self._widget.app, color)

    def _named(self, name: str, style: Style, query: str) -> list[Segment]:
        """The name, with the letters that fit the filter in their own colour."""
        fitting = set(marked(name, query)) if query else ()
        if not fitting:
            return [Segment(name, style)]
        over = style + self.style("match", partial=True)
        runs = groupby(enumerate(name), key=lambda letter: letter[0] in fitting)
        return [
            Segment("".join(char for _, char in run), over if fits else style) for fits, run in runs
        ]

    def _mark(self, entry: IndexEntry) -> tuple[str, Style]:
        """What stands at the end of the row."""
        if entry.status is not AgentStatus.ACTIVE:
            return f" {entry.status} ", self.style("muted")
        if entry.stale is not None:
            return " stale ", self.style("error")
        found = [f for f in entry.spec.findings if f.severity is not Severity.NOTE]
        if found:
            worst = any(f.severity is Severity.ERROR for f in found)
            return f" !{len(found)} ", self.style("error" if worst else "warning")
        return " ", self.style("row")
