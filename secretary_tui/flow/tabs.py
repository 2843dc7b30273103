"""The tabs of a face: which there are, and which one is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic

from secretary_tui.flow.frontend import TabViews, ViewT
from secretary_tui.flow.run_controller import RunController


class Tabs(Generic[ViewT]):
    """At least one tab, each with a number that it keeps.

    Args:
        views: Where their views are.
        make: Makes a tab of a number.
        is_needed: Whether an empty tab must stay, since a request is on its way for it.
    """

    def __init__(
        self,
        views: TabViews[ViewT],
        make: Callable[[int], RunController[ViewT]],
        is_needed: Callable[[RunController[ViewT]], bool],
    ) -> None:
        self._views = views
        self._make = make
        self._is_needed = is_needed
        self.shown = make(1)
        """The tab on the screen."""
        self._tabs = [self.shown]

    @property
    def all(self) -> tuple[RunController[ViewT], ...]:
        """All tabs, in the order they are shown."""
        return tuple(self._tabs)

    @property
    def are_several(self) -> bool:
        """Whether there is more than one, so that each must be named."""
        return len(self._tabs) > 1

    def open(self) -> RunController[ViewT]:
        """Show an empty tab beside the others: one that is there, or a new one."""
        tab = next((tab for tab in self._tabs if tab.is_empty), None)
        if tab is None:
            number = next(n for n in range(1, len(self._tabs) + 2) if not self._numbered(n))
            tab = self._make(number)
            self._tabs.append(tab)
            self._tabs.sort(key=lambda each: each.number)
        self.show(tab)
        return tab

    def show(self, tab: RunController[ViewT]) -> None:
        """Show another tab; an empty one that is left goes away."""
        if tab is self.shown:
            return
        left, self.shown = self.shown, tab
        if left.is_empty and not self._is_needed(left):
            self._tabs.remove(left)
            self._views.drop_view(left.view)
        self._views.show_view(tab.view)
        self._views.flow_changed()

    def switch(self, step: int) -> bool:
        """Show the tab so many further; whether there is another."""
        if not self.are_several:
            return False
        at = self._tabs.index(self.shown)
        self.show(self._tabs[(at + step) % len(self._tabs)])
        return True

    def show_number(self, number: int) -> None:
        """Show the tab of that number, if there is one."""
        tab = self._numbered(number)
        if tab is not None:
            self.show(tab)

    def show_id(self, run_id: str) -> bool:
        """Show the tab that has a run at work, by the run's id; whether there is one."""
        tab = next((t for t in self._tabs if t.progress.run_id == run_id and t.running), None)
        if tab is not None:
            self.show(tab)
        return tab is not None

    def _numbered(self, number: int) -> RunController[ViewT] | None:
        return next((tab for tab in self._tabs if tab.number == number), None)
