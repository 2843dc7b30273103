"""What was said and answered in one conversation: what a message can refer to, or go on with.

Gathered from the events of its runs, so that a run on the screen, one of the history and one that
only its log tells of are the same to whoever reads it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from secretary_tui.events import (
    RunEvent,
    RunFailed,
    RunFinished,
    RunStarted,
    ToolStarted,
    UserMessage,
)

_LONGEST = 4_000
"""Characters of an answer that are kept: its end may hold what is asked back."""
_MOST_TURNS = 30
_MOST_FILES = 20
_FILE_KEYS = ("file_path", "notebook_path", "path")


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the user said, and what was answered."""

    said: str
    agent: str = ""
    """Id of the agent that it went to; empty where none ran."""
    answer: str = ""
    """Its final answer, in markdown."""
    files: tuple[str, ...] = ()
    """The files that its tools were called for, in order."""
    is_reply: bool = False
    """Whether it was said to the agent that had answered before."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Everything since the last new conversation, and the run that can go on."""

    exchanges: tuple[Exchange, ...] = ()
    """The oldest first."""
    run: str = ""
    """Id of the last run; empty before the first."""
    agent: str = ""
    """Id of its agent."""
    project: str = ""
    """The folder that it ran in."""
    ended_at: float | None = None
    """When its agent ended, in seconds since the epoch; None where that is not known."""


class ConversationLog:
    """Records a conversation as it goes on."""

    def __init__(self, events: Iterable[RunEvent] = ()) -> None:
        self.value = Conversation()
        """The conversation so far."""
        self._began_at: float | None = None
        for event in events:
            self.take(event)

    def say(self, request: str) -> None:
        """The user asked for something; whether it leads to a run will be seen."""
        self._add(Exchange(request))

    def take(self, event: RunEvent) -> None:
        """Take what happened in a run."""
        if isinstance(event, RunStarted):
            self._begin(event)
        elif isinstance(event, UserMessage):
            self._add(Exchange(event.text, self.value.agent, is_reply=True))
        elif isinstance(event, ToolStarted):
            self._touch(event)
        elif isinstance(event, RunFinished):
            if (last := self._last) is not None:
                self._put(replace(last, answer=_shortened(event.text)))
            self._end(event.elapsed_s)
        elif isinstance(event, RunFailed):
            self._end(event.elapsed_s)

    @property
    def _last(self) -> Exchange | None:
        return self.value.exchanges[-1] if self.value.exchanges else None

    def _begin(self, started: RunStarted) -> None:
        self._began_at = _moment(started.started_at)
        self.value = replace(
            self.value,
            run=started.run_id,
            agent=started.agent,
            project=started.project,
            ended_at=None,
        )
        if started.resumed:
            return
        begun = Exchange(started.request, started.agent)
        if self._last is not None and not self._last.agent:
            self._put(begun)  # What was said when the agent was looked for.
        else:
            self._add(begun)

    def _touch(self, call: ToolStarted) -> None:
        named = (call.input.get(key) for key in _FILE_KEYS)
        file = next((path for path in named if isinstance(path, str) and path), "")
        if file and (last := self._last) is not None:
            others = (path for path in last.files if path != file)
            self._put(replace(last, files=(*others, file)[-_MOST_FILES:]))

    def _end(self, elapsed_s: float) -> None:
        began = self._began_at
        self.value = replace(
            self.value, ended_at=time.time() if began is None else began + elapsed_s
        )

    def _add(self, exchange: Exchange) -> None:
        exchanges = (*self.value.exchanges, exchange)[-_MOST_TURNS:]
        self.value = replace(self.value, exchanges=exchanges)

    def _put(self, exchange: Exchange) -> None:
        """Let an exchange take the place of the last one."""
        self.value = replace(self.value, exchanges=(*self.value.exchanges[:-1], exchange))


def _shortened(answer: str) -> str:
    half = _LONGEST // 2
    if len(answer) <= _LONGEST:
        return answer
    return f"{answer[:half]}\n…\n{answer[-half:]}"


def _moment(written: str) -> float | None:
    try:
        return datetime.fromisoformat(written).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
