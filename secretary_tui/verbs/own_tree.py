"""`run --worktree`: the run in a working tree of its own, and what becomes of its changes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from secretary_tui.delegation.trust import UntrustedError, is_trusted, untrusted
from secretary_tui.delegation.worktree import OwnTree, WorktreeError, recover_worktrees
from secretary_tui.people import SAFE, Choice, People
from secretary_tui.secretary import Secretary
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.output import note

if TYPE_CHECKING:
    from secretary_tui.delegation.values import Delegation

MAX_LINES = 400
"""Lines of the diff that are shown before the question."""
MAX_NAMED = 8
"""Files that a sentence names."""


async def run_in_own_tree(
    secretary: Secretary,
    delegation: Delegation,
    people: People,
    carry_out: Callable[[Delegation], Awaitable[int]],
) -> int:
    """Run there, then ask what shall become of the changes; without an answer they are a branch.

    Raises:
        WorktreeError: the tree can't be made; nothing was run.
    """
    try:
        delegation = await secretary.admit(delegation, people)
    except UntrustedError as error:
        note(str(error))
        return ExitCode.UNTRUSTED
    # An answer that lets a run only read is none for a tree, which git writes and the run changes.
    trusted = await asyncio.to_thread(is_trusted, delegation.workspace)
    if not (secretary.trusts_this_session or trusted):
        note(f"A working tree of its own needs a trusted folder. {untrusted(delegation.workspace)}")
        return ExitCode.UNTRUSTED
    # The tree is the trusted repository once more.
    secretary.trusts_this_session = True
    for sentence in await asyncio.to_thread(recover_worktrees):
        note(sentence)
    tree = await asyncio.to_thread(
        OwnTree, delegation.workspace, delegation.agent.name, delegation.run_id
    )
    if left_out := await asyncio.to_thread(tree.uncommitted):
        note(f"The agent works on the last commit; {left_out} uncommitted changes are not in it.")
    try:
        status = await carry_out(replace(delegation, workspace=tree.workspace))
        await _settle(tree, people)
    except BaseException:
        await asyncio.shield(asyncio.to_thread(_keep, tree))
        raise
    return status


async def _settle(tree: OwnTree, people: People) -> None:
    diff = await asyncio.to_thread(tree.diff)
    if not diff:
        await asyncio.to_thread(tree.drop)
        note("The run changed no files.")
        return
    lines = diff.splitlines()
    for line in lines[:MAX_LINES]:
        note(f"  {line}")
    if len(lines) > MAX_LINES:
        note(f"  … {len(lines) - MAX_LINES} more lines; keep the branch to see them all.")
    files = sum(line.startswith("diff --git ") for line in lines)
    said = []
    if protected := await asyncio.to_thread(tree.protected):
        said.append(f"Other programs run or obey what stands in {_named(protected)}.")
    if filtered := await asyncio.to_thread(tree.filtered):
        said.append(f"A filter was not run, so these are as git stores them: {_named(filtered)}.")
    key = await people.choose(
        f"The run changed {files} file{'s' * (files != 1)} in a working tree of its own.",
        " ".join(said),
        (
            Choice("a", "Apply to the project"),
            Choice(SAFE, f"Keep as branch {tree.tree.branch}"),
            Choice("d", "Drop"),
        ),
    )
    if key == "d":
        await asyncio.to_thread(tree.drop)
        note("Dropped.")
        return
    if key == "a":
        try:
            await asyncio.to_thread(tree.apply)
        except WorktreeError as error:
            note(f"The changes don't fit the project any more, so nothing was applied: {error}")
        else:
            note("Applied.")
            return
    await asyncio.to_thread(_keep, tree)


def _named(files: Sequence[str]) -> str:
    more = len(files) - MAX_NAMED
    return ", ".join(files[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")


def _keep(tree: OwnTree) -> None:
    branch = tree.keep()
    note(f"Kept as branch {branch}; to take it over: git merge {branch}")
