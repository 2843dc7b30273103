"""Run one delegation: turns of an agent and its tools, as one stream of events.

A task of its own drives the run and puts events into a queue, so that they flow while a tool waits
for permission; closing the stream of events ends that task.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import cast

from secretary_tui.delegation.acp.acp_carrier import AcpCarrier
from secretary_tui.delegation.call_limits import CallableLibrary
from secretary_tui.delegation.carrier.carrier import Carrier, RunContext
from secretary_tui.delegation.carrier.run_control import RunControl
from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.loop.agent_loop import AgentLoop
from secretary_tui.delegation.loop.retry_policy import RetryPolicy
from secretary_tui.delegation.small.small_loop import SmallLoop
from secretary_tui.engines.acp.acp_engine import AcpEngine
from secretary_tui.engines.base import Engine, WireProtocol
from secretary_tui.engines.local.local_engine import LocalEngine
from secretary_tui.engines.uninterrupted import to_its_end
from secretary_tui.events import RunEvent
from secretary_tui.people import People

__all__ = ["RunControl", "run_delegation"]


async def run_delegation(
    delegation: Delegation,
    engine: Engine,
    people: People,
    *,
    control: RunControl | None = None,
    library: CallableLibrary | None = None,
    retry: RetryPolicy | None = None,
) -> AsyncGenerator[RunEvent, None]:
    """Run an agent on a task; `RunStarted` comes first, one of `RunFinished`, `RunFailed` last.

    Cancelling the task that consumes this, or closing the generator, ends the run at once and
    withdraws a pending question; `control.interrupt()` does so too and still gives a last event,
    and `control.say()` tells the agent something at its next turn. `library` holds the agents and
    skills that the agent may call upon.
    """
    if library is not None:
        lineage = replace(delegation.lineage, library=library)
        delegation = replace(delegation, lineage=lineage)
    control = control or RunControl()
    queue: asyncio.Queue[RunEvent | None] = asyncio.Queue()
    # Nothing has an effect before whoever reads the events has taken (and logged) what led to it.
    run = RunContext(delegation, engine, people, queue.put_nowait, queue.join, control)
    task = asyncio.create_task(_drive(carrier_of(run, retry or RetryPolicy()), control, queue))
    control.attach(task)
    try:
        while (event := await queue.get()) is not None:
            yield event
            queue.task_done()
        await task
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([task])


def carrier_of(run: RunContext, retry: RetryPolicy) -> Carrier:
    """Give who carries a run out on its engine; `retry` is for those who ask a model themselves."""
    match run.engine.wire_protocol:
        case WireProtocol.MESSAGES:
            return AgentLoop(run, retry)
        case WireProtocol.COMPLETIONS:
            return SmallLoop(run, retry, cast(LocalEngine, run.engine))
        case WireProtocol.ACP:
            return AcpCarrier(run, cast(AcpEngine, run.engine))


async def _drive(
    carrier: Carrier, control: RunControl, queue: asyncio.Queue[RunEvent | None]
) -> None:
    try:
        await carrier.run()
    except asyncio.CancelledError:
        if not control.interrupted:
            raise
        carrier.interrupt()
    finally:
        try:
            # Whoever is in a hurry must not leave a server or an agent behind.
            await to_its_end(carrier.close())
        finally:
            queue.put_nowait(None)
