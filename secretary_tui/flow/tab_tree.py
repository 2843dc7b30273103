"""The working tree of a tab: the run in it has one of its own, until its changes are decided on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from secretary_tui.events import Notice
from secretary_tui.people import People

if TYPE_CHECKING:
    from secretary_tui.delegation.delegation import Delegation
    from secretary_tui.delegation.worktree.tree_run import TreeRun


class TabTree:
    """At most one tree; a reply goes on in it while nothing was decided about its changes.

    Args:
        people: Who is asked what shall become of the changes.
        show: Shows a notice in the tab.
        show_diff: Shows a diff in the tab.
    """

    def __init__(
        self, people: People, show: Callable[[Notice], None], show_diff: Callable[[str], None]
    ) -> None:
        self._people = people
        self._show = show
        self._show_diff = show_diff
        self._tree: TreeRun | None = None

    async def is_wanted(
        self, delegation: Delegation, wanted: bool | None, warn: Callable[[str], None]
    ) -> bool:
        """Whether a run gets one: what the user `wanted`, else what the agent's file asks for."""
        from secretary_tui.delegation.worktree.tree_run import gets_own_tree

        said: list[str] = []
        gets = await asyncio.to_thread(gets_own_tree, delegation, wanted, said.append)
        for sentence in said:
            warn(sentence)
        return gets

    async def open(self, delegation: Delegation, warn: Callable[[str], None]) -> Delegation | None:
        """Make one for a run; None, and a warning, where that fails."""
        from secretary_tui.delegation.worktree.tree_run import TreeRun
        from secretary_tui.delegation.worktree.worktree import WorktreeError

        try:
            self._tree = await TreeRun.open(delegation, self._say)
        except (WorktreeError, OSError) as error:
            warn(f"No worktree could be created, so nothing was run: {error}.")
            return None
        return self._tree.inside(delegation)

    def again(self, delegation: Delegation) -> Delegation:
        """Another try of the run, in the same tree if it has one."""
        return delegation if self._tree is None else self._tree.inside(delegation)

    async def going_on(self, delegation: Delegation) -> Delegation:
        """The run that goes on, in its tree; that of another run is kept as a branch."""
        if self._tree is not None and delegation.run_id in self._tree.run_ids:
            return self._tree.inside(delegation)
        await self.keep()
        return delegation

    async def settle(self) -> None:
        """Ask what shall become of its changes; a reply meanwhile leaves that open."""
        if self._tree is not None:
            await self._tree.settle(self._people, self._show_diff)
            self._tree = None

    async def keep(self) -> None:
        """Keep what nothing was decided about as a branch."""
        if self._tree is not None:
            tree, self._tree = self._tree, None
            await tree.keep()

    def _say(self, sentence: str) -> None:
        self._show(Notice(sentence))
