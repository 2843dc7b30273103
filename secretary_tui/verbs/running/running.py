"""Carry out one delegation at the command line, until it ends or is interrupted."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from secretary_tui.config import Config
from secretary_tui.engine_service import NoEngineError
from secretary_tui.events import RunEvent, RunStarted
from secretary_tui.lines.line_face import TextFace
from secretary_tui.lines.line_people import LinePeople, NobodyThere
from secretary_tui.lines.output import note
from secretary_tui.lines.route_rows import offered_names
from secretary_tui.lines.terminal_lines import TerminalLines, somebody_is_there
from secretary_tui.people import People, RouteChoice
from secretary_tui.secretary import Secretary
from secretary_tui.setting_values import parse_value
from secretary_tui.settings import BY_KEY
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import UsageError
from secretary_tui.verbs.running.run_output import exit_code, make_output

if TYPE_CHECKING:
    from secretary_tui.delegation.delegation import Delegation
    from secretary_tui.delegation.permissions.permission_mode import PermissionMode
    from secretary_tui.registry.definition.spec import AgentSpec


def permission_mode(option: str | None) -> PermissionMode | None:
    """Read `--permission-mode`; None leaves it to the setting."""
    from secretary_tui.delegation.permissions.permission_mode import PermissionMode

    return None if option is None else PermissionMode(option)


def with_engine(config: Config, name: str | None) -> Config:
    """Give the settings with the engine of `--engine`; None leaves it to the setting.

    Raises:
        UsageError: the name can't be one.
    """
    if name is None:
        return config
    try:
        return config.override(engine=parse_value(BY_KEY["engine"], name))
    except ValueError as error:
        raise UsageError(f"--engine: {error}") from None


def require_engine(secretary: Secretary) -> None:
    """Check that a run can be answered, before anything is asked.

    Raises:
        UsageError: `--offline` rules out the model there is.
        NoEngineError: there is no model; says how to get one.
    """
    if secretary.engine is not None:
        return
    how = secretary.engines.no_engine
    raise UsageError(how) if secretary.engines.offline else NoEngineError(how)


def people_for(secretary: Secretary, permission_mode: str | None) -> People:
    """Give the user at the terminal, or nobody. `permission_mode` is the option, if given."""
    if not somebody_is_there():
        return NobodyThere()
    mode = permission_mode or ""
    face = TextFace(note, TerminalLines(), spoken=False)
    return LinePeople(face, secretary, permission_mode=mode)


async def carry_out(
    secretary: Secretary,
    delegation: Delegation,
    people: People,
    output_format: str,
    *,
    max_cost: float | None = None,
    choice: RouteChoice | None = None,
) -> int:
    """Run an agent and show its events; Ctrl-C ends the run in order, a second one at once.

    `max_cost`, in US dollars, goes before the setting. `choice` is what the user decided, which
    is learnt from once the run begins. Whether the folder is trusted is asked
    first. A run that was done without something because nobody could be asked counts as denied.

    Raises:
        SessionError: the log can't be written, so nothing was started.
    """
    from secretary_tui.delegation.permissions.folder_trust import UntrustedError
    from secretary_tui.delegation.run_delegation import RunControl

    try:
        delegation = await secretary.admit(delegation, people)
    except UntrustedError as error:
        note(str(error))
        return ExitCode.UNTRUSTED
    if choice is not None:
        secretary.coordinator.ran(choice, delegation.run_id)
    if max_cost is not None:
        delegation = replace(delegation, budget=secretary.engines.budget(max_cost))
    engine = secretary.engines.named(delegation.engine).engine
    if engine is not None and engine.limits and not engine.runs_agents:
        note(f"Runs on {engine.label}: {', '.join(engine.limits)}.")
    if choice is None:  # Else it stood beside the choice.
        task = delegation.follow_up or delegation.task
        tell_too_much(secretary, delegation.agent, task, delegation.engine)
    control = RunControl()
    output = make_output(output_format)
    last: RunEvent | None = None
    run_id = delegation.run_id
    with _interrupting(control.interrupt):
        async with aclosing(secretary.run(delegation, people, control)) as events:
            async for event in events:
                if isinstance(event, RunStarted):
                    run_id = event.run_id
                output.show(event)
                last = event
    note(f'Stored as {run_id}; to continue: secretary-tui sessions resume {run_id} "…"')
    status = exit_code(last)
    unasked = isinstance(people, NobodyThere) and people.denied
    return ExitCode.CANCELLED if unasked and status is ExitCode.DONE else status


def tell_too_much(secretary: Secretary, agent: AgentSpec, task: str, engine: str = "") -> None:
    """Tell that a task is too much for the engine, where it is."""
    if sentence := secretary.engines.too_much(task, offered_names(agent), engine):
        note(sentence)


@contextlib.contextmanager
def _interrupting(interrupt: Callable[[], object]) -> Iterator[None]:
    """Let the first SIGINT or SIGTERM end the run in order, the next one cancel it."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    before = signal.getsignal(signal.SIGINT)
    asked = False

    def on_signal() -> None:
        nonlocal asked
        if asked and task is not None:
            task.cancel()
        asked = True
        interrupt()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, on_signal)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
        signal.signal(signal.SIGINT, before)
