"""A run in lines: its text in whole sentences, everything else as a line of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from secretary_tui.events import (
    PermissionAsked,
    RunEvent,
    RunFailed,
    RunFinished,
    RunStarted,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolStarted,
    TurnDiscarded,
    UserMessage,
)
from secretary_tui.lines.output import amount
from secretary_tui.lines.question_lines import diff_in_words, numbered
from secretary_tui.lines.run_lines import RunTeller
from secretary_tui.plain.speech import Timer
from secretary_tui.plain.writer import RunText, Writer
from secretary_tui.sanitize import reveal

PATIENCE_S = 3.0
"""Seconds after which a tool that still works is named; before, its result is the one line."""


class LineSink:
    """Says the events of a run as they come (`flow.frontend.RunSink`)."""

    def __init__(self, writer: Writer, text: RunText) -> None:
        self._writer = writer
        self._text = text
        self._teller = RunTeller()
        self._waits: dict[str, Timer] = {}
        self._is_reply = False
        """Whether the next message of the user is the one that the run goes on with."""
        self.is_empty = True
        """Whether nothing was said yet."""
        self.last: RunEvent | None = None
        """The event that ended the last run; None while one goes on and before the first."""

    def show(self, event: RunEvent) -> None:
        """Say an event."""
        self.is_empty = False
        match event:
            case TextDelta(text=text):
                self._text.say(text)
                return
            case ThinkingDelta():
                return
            case RunStarted(resumed=resumed):
                self._teller, self._is_reply, self.last = RunTeller(), resumed, None
            case UserMessage() if self._is_reply:
                self._is_reply = False
            case UserMessage():
                self._line("The agent reads your message now.")
            case TurnDiscarded():
                self._text.drop()
            case ToolStarted(tool_use_id=tool):
                self._text.end()
                self._waits[tool] = later(PATIENCE_S, lambda: self._still_works(tool))
            case ToolFinished(tool_use_id=tool) | PermissionAsked(tool_use_id=tool):
                self._stop_waiting((tool,))
            case RunFinished() | RunFailed():
                self._ended(event)
        for line in self._teller.lines(event):
            self._line(line)
        if isinstance(event, PermissionAsked):
            self._text.end()

    def show_diff(self, diff: str) -> None:
        """Say a unified diff, its signs in words."""
        lines = reveal(diff).rstrip("\n").split("\n")
        self._line(f"The change, {amount(len(lines), 'line')}:")
        for line in numbered(diff_in_words(lines)):
            self._line(line)

    def clear(self) -> None:
        """Put what was said aside: the next request is a new one."""
        self.is_empty, self.last = True, None

    def _line(self, text: str) -> None:
        self._text.make_way()
        self._writer.line(text)

    def _ended(self, event: RunFinished | RunFailed) -> None:
        self.last = event
        self._stop_waiting(tuple(self._waits))
        if isinstance(event, RunFinished):
            self._text.finish(event.text)
        else:
            self._text.end()

    def _still_works(self, tool: str) -> None:
        call = self._teller.call(tool)
        if call:
            self._line(f"{call}: still running.")

    def _stop_waiting(self, tools: Iterable[str]) -> None:
        for tool in tools:
            timer = self._waits.pop(tool, None)
            if timer is not None:
                timer.cancel()


def later(seconds: float, call: Callable[[], None]) -> Timer:
    """Call a function after some seconds of the running event loop."""
    return asyncio.get_running_loop().call_later(seconds, call)
