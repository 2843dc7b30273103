"""Takes a run from order to end: trust, engine, budget, log, stream, spend.

The one place where runs begin, whichever face or process wants one. It knows no face: questions go
to `People`, what happens comes back as events, each of them logged before it is handed on. What is
heavy is imported where it is used: whether a folder is trusted is asked on the screen's own thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from secretary_tui.delegation.permissions.folder_trust import (
    TrustAnswer,
    UntrustedError,
    ask_for_trust,
    is_trusted,
    untrusted,
)
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.events import RunEvent, UsageAdded
from secretary_tui.people import People
from secretary_tui.sessions.run_log import RunLog
from secretary_tui.sessions.statistics.spend_file import note_spent
from secretary_tui.sessions.store import find_run

if TYPE_CHECKING:
    from secretary_tui.delegation.delegation import Delegation
    from secretary_tui.delegation.lookup.looked_up import LookedUp
    from secretary_tui.delegation.run_delegation import RunControl
    from secretary_tui.engine_service import EngineService
    from secretary_tui.library_service import LibraryService
    from secretary_tui.registry.definition.spec import AgentSpec
    from secretary_tui.runs.run_order import RunOrder


def _ignore(_: str) -> None:
    pass


class RunService:
    """Runs agents of one library on the engines of one session."""

    def __init__(self, library: LibraryService, engines: EngineService) -> None:
        self._library = library
        self._engines = engines
        self.trusts_this_session = False
        """Whether the user vouched for every folder when this program was started."""

    def is_trusted(self, folder: Path) -> bool:
        """Whether agents may run in a folder without a question about it; reads a file."""
        return self.trusts_this_session or is_trusted(folder)

    def delegation(self, order: RunOrder) -> Delegation:
        """Look up what an order names; reads the agent's file, and the log of a run that goes on.

        Raises:
            AgentNotFoundError: no such agent or command, or it is switched off; names the nearest.
            SessionError: the run that shall go on isn't there, or its log can't be read.
        """
        from secretary_tui.runs.order_lookup import delegation_of

        return delegation_of(order, self._library, self._engines)

    def possible(
        self, agent: AgentSpec, task: str, *, request: str = "", engine: str = ""
    ) -> Delegation:
        """Give a run in the project that may come, as far as it is known before it is chosen."""
        from secretary_tui.delegation.delegation import Delegation

        return Delegation(
            run_id="",
            agent=agent,
            request=request or task,
            task=task,
            workspace=self._library.project,
            permission_mode=PermissionMode(self._library.config.permission_mode),
            engine=engine,
        )

    async def look_up(self, delegation: Delegation) -> LookedUp:
        """Look up what a run would be given with its task; nothing in a folder without trust."""
        from secretary_tui.delegation.carrier.looking_up import preview
        from secretary_tui.delegation.lookup.looked_up import LookedUp
        from secretary_tui.delegation.workspace.workspace import WorkspaceError

        engine = self._engines.named(delegation.engine).engine
        if engine is not None and await asyncio.to_thread(self.is_trusted, delegation.home):
            with suppress(WorkspaceError):  # The run says it.
                return await preview(delegation, engine)
        return LookedUp()

    def load_ahead(self, delegation: Delegation, looked_up: LookedUp) -> None:
        """Let a model on this machine be ready for a run that may come; goes on by itself.

        `looked_up` is what the run would be given with its task.
        """
        from secretary_tui.delegation.brief.small_prompt import of_use, small_task
        from secretary_tui.delegation.brief.way import way_for

        shown = of_use(looked_up, delegation.task, way_for(delegation))
        message = small_task(delegation, shown)
        self._engines.load_ahead(delegation.engine, _prompt_ahead(delegation), message)

    async def admit(
        self, delegation: Delegation, people: People, *, own_tree: bool = False
    ) -> Delegation:
        """Ask, once for each folder, whether a run may happen there at all.

        Gives the delegation that may run: the same, or one that only reads. With `own_tree` to
        read is not enough: git writes the tree, and the run changes it.

        Raises:
            UntrustedError: the user said no, or nobody could be asked.
        """
        folder = delegation.home
        if await asyncio.to_thread(self.is_trusted, folder):
            return delegation
        match await ask_for_trust(folder, people):
            case TrustAnswer.TRUST:
                return delegation
            case TrustAnswer.READ if not own_tree:
                return replace(delegation, permission_mode=PermissionMode.PLAN)
            case TrustAnswer.READ:
                said = "A working tree of its own needs a trusted folder."
                raise UntrustedError(f"{said} {untrusted(folder)}")
        raise untrusted(folder)

    async def run(
        self, delegation: Delegation, people: People, control: RunControl | None = None
    ) -> AsyncGenerator[RunEvent, None]:
        """Run the agent, log every event, and pass it on.

        In a folder that isn't trusted only a run that just reads passes; see `admit`.

        Raises:
            UntrustedError: the folder isn't trusted, and nothing was started.
            NoEngineError: there is no model.
            SessionError: the log can't be written, so nothing was started.
        """
        only_reads = delegation.permission_mode is PermissionMode.PLAN
        if not (only_reads or self.is_trusted(delegation.home)):
            raise untrusted(delegation.home)
        self._engines.stop_loading_ahead(but=_prompt_ahead(delegation), task=delegation.task)
        engine = await self._engines.ready(delegation.engine)
        from secretary_tui.delegation.run_delegation import run_delegation

        library = self._library.callable()
        events = run_delegation(delegation, engine, people, control=control, library=library)
        with _log_of(delegation) as log:
            async with aclosing(events):
                async for event in events:
                    log.append(event)
                    if isinstance(event, UsageAdded):
                        _note_spent(delegation, event)
                    yield event

    async def carry_out(
        self,
        order: RunOrder,
        people: People,
        control: RunControl | None = None,
        *,
        say: Callable[[str], None] = _ignore,
        show_diff: Callable[[str], None] = _ignore,
    ) -> AsyncGenerator[RunEvent, None]:
        """Carry out an order: look up, ask for trust, run, and settle what its own tree changed.

        Args:
            order: What is to be run.
            people: Who is asked.
            control: Interrupts the run, or tells its agent something.
            say: Gets sentences about the run's own working tree.
            show_diff: Gets the tree's unified diff before the question what becomes of it.

        Raises:
            AgentNotFoundError: there is no such agent.
            UntrustedError: the folder isn't trusted.
            NoEngineError: there is no model.
            SessionError: the log can't be read or written.
            WorktreeError: the tree can't be made.
        """
        from secretary_tui.delegation.worktree.tree_run import TreeRun, gets_own_tree

        delegation = await asyncio.to_thread(self.delegation, order)
        own_tree = await asyncio.to_thread(gets_own_tree, delegation, order.own_tree, say)
        delegation = await self.admit(delegation, people, own_tree=own_tree)
        tree = await TreeRun.open(delegation, say) if own_tree else None
        try:
            inside = tree.inside(delegation) if tree else delegation
            async with aclosing(self.run(inside, people, control)) as events:
                async for event in events:
                    yield event
            if tree:
                await tree.settle(people, show_diff)
        finally:
            if tree:
                await tree.keep()


def _prompt_ahead(delegation: Delegation) -> str:
    """What the prompt of a run begins with on the embedded model."""
    from secretary_tui.delegation.brief.small_prompt import small_system_prompt
    from secretary_tui.delegation.brief.way import way_for

    return small_system_prompt(delegation.agent, way_for(delegation))


def _log_of(delegation: Delegation) -> RunLog:
    if delegation.follow_up:
        return RunLog.open(find_run(delegation.run_id))
    return RunLog.create(delegation.home, delegation.run_id)


def _note_spent(delegation: Delegation, paid: UsageAdded) -> None:
    note_spent(
        "run",
        delegation.home,
        paid.usage.total,
        paid.cost_usd,
        run_id=delegation.run_id,
        agent=delegation.agent.id,
    )
