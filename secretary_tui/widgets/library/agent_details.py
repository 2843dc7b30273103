"""Everything about the highlighted row: what the agent is for, what it may do, what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

if TYPE_CHECKING:
    from secretary_tui.widgets.library.index_rows import IndexRow
    from secretary_tui.widgets.transcript.run_page import RunFacts


class AgentDetails(VerticalScroll, can_focus=True):
    """A scrollable page about one agent or one problem."""

    _shown: object = ()
    """What the page is about."""

    def compose(self) -> ComposeResult:
        """One static page."""
        yield Static(id="details-page", markup=False)

    @property
    def shows_run(self) -> bool:
        """Whether the page is about a run."""
        from secretary_tui.widgets.transcript.run_page import RunFacts

        return isinstance(self._shown, RunFacts)

    def show_row(self, row: IndexRow | None) -> None:
        """Show what the index has under the cursor, from its top."""
        # Its words need the whole registry, which the first paint doesn't wait for.
        from secretary_tui.widgets.library.agent_page import describe_row

        if row != self._shown:
            self._shown = row
            self.query_one("#details-page", Static).update(describe_row(row))
            self.scroll_home(animate=False)

    def show_run(self, facts: RunFacts) -> None:
        """Show how far a run is; the place where somebody reads stays."""
        from secretary_tui.widgets.transcript.run_page import describe_run

        if facts == self._shown:
            return
        if not self.shows_run:
            self.scroll_home(animate=False)
        self._shown = facts
        self.query_one("#details-page", Static).update(describe_run(facts))

    def show_text(self, content: Content) -> None:
        """Show a page of our own, such as the greeting."""
        self._shown = content
        self.query_one("#details-page", Static).update(content)
