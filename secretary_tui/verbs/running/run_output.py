"""A run's events as the command line shows them, one class for each `--output-format`."""

from __future__ import annotations

import sys
from typing import Protocol

from secretary_tui.delegation.carrier.endings import MAX_COST
from secretary_tui.events import (
    Notice,
    Outcome,
    PermissionAnswered,
    PromptRead,
    Retrying,
    RunEvent,
    RunFailed,
    RunFinished,
    RunStarted,
    SubagentEvent,
    TextDelta,
    TodosChanged,
    ToolFinished,
    ToolStarted,
    TurnDiscarded,
    from_json,
    to_json,
)
from secretary_tui.sanitize import clean, clean_line
from secretary_tui.tool_table import shows_calls
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.output import amount, money, note, say_json, shorten
from secretary_tui.verbs.running.reading_line import ReadingLine

_WIDTH = 160
_MODES = {
    "plan": "plan mode: it only reads",
    "deny": "deny mode: what would ask is refused",
}


class RunOutput(Protocol):
    """Shows the events of one run as they come."""

    def show(self, event: RunEvent) -> None:
        """Take the next event."""
        ...


class TextOutput:
    """The answer on the standard output; tools, notices and the end on the error output."""

    def __init__(self) -> None:
        self._line_is_open = False
        self._reading = ReadingLine()

    def show(self, event: RunEvent) -> None:
        """Take the next event."""
        if isinstance(event, PromptRead):
            self._close_line()
            self._reading.show(event)
            return
        self._reading.wipe()
        if isinstance(event, TextDelta):
            text = clean(event.text)
            if text:
                sys.stdout.write(text)
                sys.stdout.flush()
                self._line_is_open = not text.endswith("\n")
            return
        sentence = sentence_about(event)
        if sentence:
            self._close_line()
            note(sentence)

    def _close_line(self) -> None:
        if self._line_is_open:
            sys.stdout.write("\n")
            sys.stdout.flush()
            self._line_is_open = False


class JsonOutput:
    """One object when the run has ended."""

    def __init__(self) -> None:
        self._started: RunStarted | None = None

    def show(self, event: RunEvent) -> None:
        """Take the next event."""
        if isinstance(event, RunStarted):
            self._started = event
        if not isinstance(event, RunFinished | RunFailed):
            return
        started = self._started
        body = to_json(event)
        body.pop("type")
        failed = isinstance(event, RunFailed)
        say_json(
            {
                "run_id": started.run_id if started else None,
                "agent": started.agent if started else None,
                "model": started.model if started else None,
                "outcome": str(Outcome.FAILED) if failed else body.pop("outcome"),
                "text": "" if failed else body.pop("text"),
                **body,
            },
            indent=2,
        )


class StreamJsonOutput:
    """One event object a line, the last one `run_finished` or `run_failed`."""

    def show(self, event: RunEvent) -> None:
        """Take the next event."""
        say_json(to_json(event))


def make_output(name: str) -> RunOutput:
    """Give the output for an `--output-format`."""
    outputs: dict[str, type[TextOutput] | type[JsonOutput] | type[StreamJsonOutput]] = {
        "text": TextOutput,
        "json": JsonOutput,
        "stream-json": StreamJsonOutput,
    }
    return outputs[name]()


def exit_code(last: RunEvent | None) -> ExitCode:
    """What the end of a run means for the exit status; only `done` is 0."""
    if isinstance(last, RunFinished):
        if last.outcome is Outcome.DONE:
            return ExitCode.DONE
        if last.outcome is Outcome.INTERRUPTED:
            return ExitCode.INTERRUPTED
        if last.stop_reason == MAX_COST:
            return ExitCode.COST_CAP
    return ExitCode.FAILED


def sentence_about(event: RunEvent) -> str:
    """One line about an event, empty for those that need none."""
    sentence = ""
    match event:
        case RunStarted():
            tools = ", ".join(event.tools) or "none"
            verb = "goes on" if event.resumed else "starts"
            mode = f"; {_MODES[event.permission_mode]}" if event.permission_mode in _MODES else ""
            sentence = f"{event.agent} {verb} with {event.model}; tools: {tools}{mode}"
        case SubagentEvent():
            sentence = _said_by(event)
        case TodosChanged():
            sentence = _steps(event)
        case ToolStarted() if shows_calls(event.name):  # Its list is said instead.
            sentence = f"{event.name} {event.summary}"
        case ToolFinished() if event.is_error:
            sentence = f"{event.name} failed: {event.output}"
        case PermissionAnswered() if event.decision == "deny" and event.by in ("rule", "mode"):
            sentence = f"Denied by {event.by}. {event.reason}"
        case Retrying():
            when = f"in {event.delay_s:.0f} s" if event.delay_s >= 0.5 else "at once"
            sentence = (
                f"{event.reason.rstrip('.')}. Trying again {when} "
                f"({event.attempt} of {event.max_attempts})."
            )
        case TurnDiscarded():
            sentence = f"The last part of the answer does not count: {event.reason}"
        case Notice():
            sentence = event.text
        case RunFinished():
            sentence = _ending(event)
        case RunFailed():
            sentence = f"Failed: {event.error} {event.suggestion}"
    sentence = clean_line(sentence)
    short = isinstance(event, ToolStarted | ToolFinished | SubagentEvent)
    return shorten(sentence, _WIDTH) if short else sentence


def _said_by(event: SubagentEvent) -> str:
    inner = from_json(event.event)
    if inner is None or isinstance(inner, RunStarted | RunFinished):
        return ""
    said = sentence_about(inner)
    return f"{event.agent} › {said}" if said else ""


def _steps(event: TodosChanged) -> str:
    marks = {"completed": "x", "in_progress": ">"}
    steps = (f"[{marks.get(todo.status, ' ')}] {todo.content}" for todo in event.todos)
    return "Steps: " + " · ".join(steps) if event.todos else ""


def _ending(event: RunFinished) -> str:
    parts = [
        str(event.outcome),
        amount(event.turns, "turn"),
        amount(event.usage.total, "token"),
        money(event.cost_usd),
        f"{event.elapsed_s:.1f} s",
    ]
    if event.outcome is Outcome.PARTIAL:
        parts[0] = f"partial ({event.stop_reason})"
    return " · ".join(filter(None, parts))
