"""`run REQUEST`: route, let the user choose, run the agent and show what it does."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from secretary_tui import config
from secretary_tui.delegation.permissions.folder_trust import UntrustedError, untrusted
from secretary_tui.delegation.worktree.tree_run import TreeRun, gets_own_tree
from secretary_tui.lines.description_reading import learn_sentences
from secretary_tui.lines.output import note
from secretary_tui.lines.terminal_lines import somebody_is_there
from secretary_tui.people import People, RouteChoice
from secretary_tui.secretary import Secretary
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options
from secretary_tui.verbs.request import read_request
from secretary_tui.verbs.running.deciding import decide
from secretary_tui.verbs.running.running import (
    carry_out,
    people_for,
    permission_mode,
    require_engine,
    with_engine,
)

if TYPE_CHECKING:
    from secretary_tui.delegation.delegation import Delegation

_NOBODY_TO_ASK = (
    "Nothing was run: there is no terminal to choose an agent. Give --yes to accept the "
    "recommended agent, or --agent ID to name one."
)
_MAX_LINES = 400
"""Lines of the diff of a working tree that are shown before the question about it."""


def run(args: argparse.Namespace, options: Options) -> int:
    """Route the request, ask, delegate.

    Raises:
        UsageError: the request is empty.
        NoEngineError: there is no model to run an agent.
    """
    request = read_request(args.request)
    if args.agent is None and not args.yes and not somebody_is_there():
        note(_NOBODY_TO_ASK)
        return ExitCode.CANCELLED
    secretary = options.secretary(with_engine(config.load(options.project), args.engine))
    secretary.runs.trusts_this_session = args.trust
    if not somebody_is_there() and not secretary.is_trusted:
        # Before a model is asked about anything.
        note(str(untrusted(options.project)))
        return ExitCode.UNTRUSTED
    secretary.load()
    return asyncio.run(_run(request, args, secretary))


async def _run(request: str, args: argparse.Namespace, secretary: Secretary) -> int:
    try:
        require_engine(secretary)
        people = people_for(secretary, args.permission_mode)
        choice: RouteChoice | None = None
        if args.agent is not None:
            delegation = secretary.delegation(
                args.agent,
                request,
                request,
                permission_mode=permission_mode(args.permission_mode),
                model=args.model,
            )
        else:
            await asyncio.to_thread(learn_sentences, secretary.library)
            decided = await decide(request, args, secretary, people)
            if isinstance(decided, ExitCode):
                return decided
            delegation, choice = decided.delegation, decided.choice

        async def carry(delegation: Delegation) -> int:
            return await carry_out(
                secretary,
                delegation,
                people,
                args.output_format,
                max_cost=args.max_cost,
                choice=choice,
            )

        wanted = args.worktree if choice is None or choice.own_tree is None else choice.own_tree
        if gets_own_tree(delegation, wanted, note):
            return await _in_own_tree(secretary, delegation, people, carry)
        return await carry(delegation)
    finally:
        await secretary.aclose()


async def _in_own_tree(
    secretary: Secretary,
    delegation: Delegation,
    people: People,
    carry_out: Callable[[Delegation], Awaitable[int]],
) -> int:
    """Run in a tree, then ask what shall become of the changes; unanswered they are a branch.

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
        await tree.settle(people, _show_diff)
    finally:
        await tree.keep()
    return status


def _show_diff(diff: str) -> None:
    lines = diff.splitlines()
    for line in lines[:_MAX_LINES]:
        note(f"  {line}")
    if len(lines) > _MAX_LINES:
        note(f"  … {len(lines) - _MAX_LINES} more lines; keep the branch to see them all.")
