"""A run in a working tree of its own: made before it, and what becomes of its changes after it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.undo.undo_store import UndoStore
from secretary_tui.delegation.worktree.worktree import (
    OwnTree,
    WorktreeError,
    can_have_own_tree,
    recover_worktrees,
)
from secretary_tui.people import SAFE, Choice, People

MAX_NAMED = 8
"""Files that a sentence names."""


def gets_own_tree(delegation: Delegation, wanted: bool | None, say: Callable[[str], None]) -> bool:
    """Whether a run gets a tree: what its user `wanted`, else what the agent's file asks for.

    What only the file asks for is passed over, with a sentence, where there is no repository.
    """
    if wanted is not None or not delegation.agent.wants_own_tree:
        return bool(wanted)
    if can_have_own_tree(delegation.workspace):
        return True
    say(
        f"{delegation.agent.id} asks for a git worktree of its own, but this folder is in no git "
        "repository: it works in the folder itself."
    )
    return False


class TreeRun:
    """The worktree of one run, and the notices about it. It ends with `settle` or `keep`."""

    def __init__(self, tree: OwnTree, delegation: Delegation, say: Callable[[str], None]) -> None:
        self._tree = tree
        self.run_ids = [delegation.run_id]
        """The run it was made for, and those that were tried again in it."""
        self._project = delegation.workspace
        self._say = say
        self.is_open = True
        """Whether nothing was decided about its changes yet."""

    @classmethod
    async def open(cls, delegation: Delegation, say: Callable[[str], None]) -> TreeRun:
        """Make the tree; `say` gets a sentence about what it leaves out or what was left behind.

        Raises:
            WorktreeError: the project is no repository with a commit, or git fails.
        """
        for sentence in await asyncio.to_thread(recover_worktrees):
            say(sentence)
        tree = await asyncio.to_thread(
            OwnTree, delegation.workspace, delegation.agent.name, delegation.run_id
        )
        if left_out := await asyncio.to_thread(tree.uncommitted):
            say(
                f"The agent works on the last commit; {left_out} uncommitted changes are not in it."
            )
        return cls(tree, delegation, say)

    def inside(self, delegation: Delegation) -> Delegation:
        """The same delegation, at work in the tree."""
        if delegation.run_id not in self.run_ids:
            self.run_ids.append(delegation.run_id)
        return replace(delegation, workspace=self._tree.workspace, project=self._project)

    async def settle(self, people: People, show: Callable[[str], None]) -> None:
        """Show the diff, and ask what shall become of it; silence keeps it as a branch."""
        diff = await asyncio.to_thread(self._tree.diff)
        if not diff:
            await asyncio.to_thread(self._tree.drop)
            self.is_open = False
            self._say("The run changed no files.")
            return
        show(diff)
        files = sum(line.startswith("diff --git ") for line in diff.splitlines())
        key = await people.choose(
            f"The run changed {files} file{'s' * (files != 1)} in a working tree of its own.",
            " ".join(await asyncio.to_thread(self._warnings)),
            (
                Choice("a", "Apply to the project"),
                Choice(SAFE, "Keep as a branch"),
                Choice("d", "Drop"),
            ),
        )
        if key == "d":
            await asyncio.to_thread(self._tree.drop)
            self.is_open = False
            self._say("Dropped.")
        elif key != "a" or not await self._apply():
            await self.keep()

    async def keep(self) -> None:
        """Keep the changes as a branch, even when the one who waits for it is cancelled."""
        if self.is_open:
            self.is_open = False
            branch = await asyncio.shield(asyncio.to_thread(self._tree.keep))
            self._say(f"Kept as branch {branch}; to take it over: git merge {branch}")

    async def _apply(self) -> bool:
        try:
            applied = await asyncio.to_thread(self._tree.apply)
        except WorktreeError as error:
            self._say(f"Nothing of it was applied: {error}.")
            return False
        self.is_open = False
        # From here on undoing means the project's files; of those that git ignores none came.
        root = {"root": str(self._project), "only": applied}
        for store in map(UndoStore, self.run_ids):
            if store.journal.exists():
                await asyncio.to_thread(store.append, root)
        self._say("Applied.")
        return True

    def _warnings(self) -> list[str]:
        said = []
        if protected := self._tree.protected():
            said.append(f"Other programs or later runs obey what stands in {_named(protected)}.")
        if filtered := self._tree.filtered():
            names = _named(filtered)
            said.append(f"A filter was not run, so these are as git stores them: {names}.")
        return said


def _named(files: Sequence[str]) -> str:
    more = len(files) - MAX_NAMED
    return ", ".join(files[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
