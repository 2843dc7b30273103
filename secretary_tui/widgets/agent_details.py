"""Everything about the highlighted row: what the agent is for, what it may do, what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

if TYPE_CHECKING:
    from secretary_tui.widgets.index_rows import IndexRow


class AgentDetails(VerticalScroll, can_focus=True):
    """A scrollable page about one agent or one problem."""

    def compose(self) -> ComposeResult:
        """One static page."""
        yield Static(id="details-page", markup=False)

    def show_row(self, row: IndexRow | None) -> None:
        """Show what the index has under the cursor."""
        # Its words need the whole registry, which the first paint doesn't wait for.
        from secretary_tui.widgets.agent_page import describe_row

        self.query_one("#details-page", Static).update(describe_row(row))
        self.scroll_home(animate=False)

    def show_text(self, content: Content) -> None:
        """Show a page of our own, such as the greeting."""
        self.query_one("#details-page", Static).update(content)
