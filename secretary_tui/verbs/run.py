"""`run REQUEST`: route, let the user choose, run the agent and show what it does."""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING

from secretary_tui import config
from secretary_tui.delegation.permissions.folder_trust import untrusted
from secretary_tui.delegation.worktree.tree_run import gets_own_tree
from secretary_tui.people import RouteChoice
from secretary_tui.secretary import Secretary
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options
from secretary_tui.verbs.output import note
from secretary_tui.verbs.request import read_request
from secretary_tui.verbs.running.deciding import decide
from secretary_tui.verbs.running.people_at_hand import people_for
from secretary_tui.verbs.running.running import (
    carry_out,
    permission_mode,
    require_engine,
    with_engine,
)
from secretary_tui.verbs.terminal import somebody_is_there

if TYPE_CHECKING:
    from secretary_tui.delegation.delegation import Delegation

_NOBODY_TO_ASK = (
    "Nothing was run: there is no terminal to ask who shall do it. Give --yes to accept the "
    "recommended agent, or --agent ID to name one."
)


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
    secretary = Secretary(
        options.project,
        with_engine(config.load(options.project), args.engine),
        agents_dirs=options.agents_dirs,
        agents=options.agents,
        offline=options.offline,
    )
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

        if gets_own_tree(delegation, args.worktree, note):
            from secretary_tui.verbs.running.own_tree import run_in_own_tree

            return await run_in_own_tree(secretary, delegation, people, carry)
        return await carry(delegation)
    finally:
        await secretary.aclose()
