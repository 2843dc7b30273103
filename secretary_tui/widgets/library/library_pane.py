"""The left pane: the list of agents and the filter above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.containers import Vertical

if TYPE_CHECKING:
    from textual.widgets import Input

    from secretary_tui.widgets.library.agent_list import AgentList


class LibraryPane(Vertical):
    """Opens its filter on `/`; Esc clears and closes it, Enter and ↓ go to the list."""

    async def complete(self) -> None:
        """Add the filter (hidden until asked for) and the list, right after the first paint."""
        from textual.widgets import Input

        from secretary_tui.widgets.library.agent_list import AgentList

        box = Input(placeholder="filter", id="filter", compact=True)
        box.display = False
        await self.mount(box, AgentList(id="index"))

    @property
    def index(self) -> AgentList:
        """The list."""
        from secretary_tui.widgets.library.agent_list import AgentList

        return self.query_one("#index", AgentList)

    @property
    def _filter(self) -> Input:
        from textual.widgets import Input

        return self.query_one("#filter", Input)

    def open_filter(self) -> None:
        """Show the filter and put the cursor into it."""
        self._filter.display = True
        self._filter.focus()

    def close_filter(self) -> bool:
        """Clear and hide the filter when the focus is in this pane; whether there was one."""
        if not self._filter.display or not self.has_focus_within:
            return False
        self._filter.value = ""
        self._filter.display = False
        self.index.focus()
        return True

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as it is typed."""
        event.stop()
        self.index.set_filter(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the list; it keeps its filter."""
        event.stop()
        self.index.focus()

    def on_key(self, event: events.Key) -> None:
        """The arrow goes from the filter to the list."""
        if event.key == "down" and self._filter.has_focus:
            event.stop()
            self.index.focus()
