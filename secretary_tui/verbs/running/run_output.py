"""A run's events as the command line shows them, one class for each `--output-format`."""

from __future__ import annotations

import shutil
import sys
from typing import Protocol

from secretary_tui.delegation.carrier.endings import MAX_COST
from secretary_tui.events import (
    ModelStarting,
    Outcome,
    PromptRead,
    RunEvent,
    RunFailed,
    RunFinished,
    RunStarted,
    TextDelta,
    to_json,
)
from secretary_tui.lines.output import note, say_json, shorten
from secretary_tui.lines.run_lines import loading, sentence_about
from secretary_tui.sanitize import clean
from secretary_tui.verbs.exit_codes import ExitCode


class PassingLine:
    """Shows a passing state on the error output: a line that renews itself.

    Where that is no terminal only the first is told, that the model is loaded.
    """

    def __init__(self) -> None:
        self._on_terminal = sys.stderr.isatty()
        self._length = 0

    def show(self, event: ModelStarting | PromptRead) -> None:
        """Take the next state."""
        if not self._on_terminal:
            if isinstance(event, ModelStarting):
                note(loading(event))
            return
        line = shorten(_passing(event), shutil.get_terminal_size().columns - 1)
        sys.stdout.flush()
        sys.stderr.write(f"\r{line.ljust(self._length)}")
        sys.stderr.flush()
        self._length = len(line)

    def wipe(self) -> None:
        """Leave no trace of it, before something else is written."""
        if self._length:
            sys.stderr.write(f"\r{' ' * self._length}\r")
            sys.stderr.flush()
            self._length = 0


def _passing(event: ModelStarting | PromptRead) -> str:
    if isinstance(event, ModelStarting):
        return loading(event)
    left = f", about {event.left_s:.0f} s left" if event.left_s is not None else ""
    return f"Reading the prompt: {event.percent} % after {event.elapsed_s:.0f} s{left}"


class RunOutput(Protocol):
    """Shows the events of one run as they come."""

    def show(self, event: RunEvent) -> None:
        """Take the next event."""
        ...


class TextOutput:
    """The answer on the standard output; tools, notices and the end on the error output."""

    def __init__(self) -> None:
        self._line_is_open = False
        self._passing = PassingLine()

    def show(self, event: RunEvent) -> None:
        """Take the next event."""
        if isinstance(event, ModelStarting | PromptRead):
            self._close_line()
            self._passing.show(event)
            return
        if isinstance(event, TextDelta):
            text = clean(event.text)
            if text:
                self._passing.wipe()
                sys.stdout.write(text)
                sys.stdout.flush()
                self._line_is_open = not text.endswith("\n")
            return
        sentence = sentence_about(event)
        if sentence:
            self._passing.wipe()
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
