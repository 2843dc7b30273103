"""`run --worktree`: the run in a working tree of its own, told on standard error."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from secretary_tui.delegation.permissions.folder_trust import UntrustedError
from secretary_tui.delegation.worktree.tree_run import TreeRun
from secretary_tui.people import People
from secretary_tui.secretary import Secretary
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.output import note

if TYPE_CHECKING:
    from secretary_tui.delegation.delegation import Delegation

MAX_LINES = 400
"""Lines of the diff that are shown before the question."""


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
        delegation = await secretary.admit(delegation, people, own_tree=True)
    except UntrustedError as error:
        note(str(error))
        return ExitCode.UNTRUSTED
    tree = await TreeRun.open(delegation, note)
    try:
        status = await carry_out(tree.inside(delegation))
        await tree.settle(people, _show)
    finally:
        await tree.keep()
    return status


def _show(diff: str) -> None:
    lines = diff.splitlines()
    for line in lines[:MAX_LINES]:
        note(f"  {line}")
    if len(lines) > MAX_LINES:
        note(f"  … {len(lines) - MAX_LINES} more lines; keep the branch to see them all.")
