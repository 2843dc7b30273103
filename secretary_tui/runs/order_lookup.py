"""From an order to the delegation: what its ids stand for is looked up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from secretary_tui.delegation.brief.prompt import task_in
from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.permissions.permissions import tighter_mode
from secretary_tui.engine_service import EngineService
from secretary_tui.library_service import LibraryService
from secretary_tui.routing.recommend.requirements import implied_requirements
from secretary_tui.routing.words.languages import in_english
from secretary_tui.runs.run_order import RunOrder
from secretary_tui.sessions.store import load_run


def delegation_of(order: RunOrder, library: LibraryService, engines: EngineService) -> Delegation:
    """Look up what an order names; reads the agent's file, and the log of a run that goes on.

    Raises:
        AgentNotFoundError: no such agent or command, or it is switched off; names the nearest.
        SessionError: the run that shall go on isn't there, or its log can't be read.
    """
    config = library.config
    found = _resumed(order, library, engines) if order.follow_up else _new(order, library)
    return replace(
        found,
        model=order.model,
        looks_up=order.looks_up,
        mcp_servers=config.mcp_servers,
        claude_md=config.claude_md,
        budget=engines.budget(order.max_cost_usd),
    )


def _new(order: RunOrder, library: LibraryService) -> Delegation:
    mode = order.permission_mode or PermissionMode(library.config.permission_mode)
    of_a_command = order.agent.startswith("/")  # Its own text says what it requires.
    return Delegation(
        run_id=order.run_id,
        agent=library.definition(order.agent, order.task),
        request=order.request,
        task=order.task or _task_of(order.agent),
        english=in_english(order.task),
        workspace=Path(order.project),
        context=order.context,
        requirements=() if of_a_command else implied_requirements(order.task),
        permission_mode=mode,
        confidence=order.confidence,
        engine=order.engine,
    )


def _resumed(order: RunOrder, library: LibraryService, engines: EngineService) -> Delegation:
    record = load_run(order.run_id)
    started = record.started
    task = task_in(started.task)
    arguments = "" if task == _task_of(started.agent) else task
    mode = tighter_mode(started.permission_mode, library.config.permission_mode)
    # What can't be used any more is said by the run that goes on without it.
    usable = engines.named(started.engine).engine is not None
    return Delegation(
        run_id=started.run_id,
        agent=library.definition(started.agent, arguments),
        request=started.request,
        task=started.task,
        workspace=Path(started.project),
        permission_mode=order.permission_mode or mode,
        confidence=started.confidence,
        engine=order.engine or (started.engine if usable else ""),
        engine_before=started.engine,
        agent_hash_before=started.agent_hash,
        messages=tuple(record.messages),
        open_calls=record.open_calls,
        follow_up=order.follow_up,
    )


def _task_of(workflow: str) -> str:
    """The task of a command that was called without arguments."""
    return f"Carry out {workflow}."
