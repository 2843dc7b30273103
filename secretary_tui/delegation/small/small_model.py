"""The embedded model as one run asks it: each question is a turn, shown, counted and retried."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx2

from secretary_tui.delegation.carrier.carrier import RunContext
from secretary_tui.delegation.carrier.endings import RunFault
from secretary_tui.delegation.carrier.run_course import RunCourse
from secretary_tui.delegation.loop.retry_policy import RetryPolicy
from secretary_tui.delegation.spend.ledger import Ledger
from secretary_tui.engines.base import EngineError
from secretary_tui.engines.faults import explain_fault
from secretary_tui.engines.local.completions import Completion, CompletionEnd
from secretary_tui.engines.prompt_reading import ReadingProgress
from secretary_tui.events import PromptRead, Retrying, TextDelta, TurnDiscarded, Usage
from secretary_tui.sanitize import clean

if TYPE_CHECKING:
    from secretary_tui.engines.local.local_engine import LocalEngine

_SAME_LINES = 6
"""So many lines in a row that differ in their numbers alone are a loop."""
_TAIL, _SEEN, _TIMES = 48, 480, 4
"""The last characters of an answer, and how often they may stand in what came before."""
_NUMBER = re.compile(r"\d+")
_FAULTS = (EngineError, httpx2.HTTPError, OSError, ValueError, LookupError, TypeError)
"""What asking can raise."""


def _all_of(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True)
class SmallReply:
    """One answer of the model."""

    text: str
    """Safe to show."""
    is_whole: bool
    """False where it was cut off: too long, or going in circles."""


class SmallModel:
    """Asks the embedded model for one run, with one system prompt."""

    def __init__(
        self,
        run: RunContext,
        engine: LocalEngine,
        system: str,
        course: RunCourse,
        ledger: Ledger,
        retry: RetryPolicy,
    ) -> None:
        self._emit = run.emit
        self._engine = engine
        self._system = system
        self._course = course
        self._ledger = ledger
        self._retry = retry
        self.said = ""
        """All that was shown to the user."""
        self._shown = 0
        """Characters shown of the answer that is coming."""

    def say(self, text: str) -> None:
        """Show a text of our own as a part of the answer."""
        if text:
            self.said += text
            self._emit(TextDelta(text))

    def take_back(self, reason: str) -> None:
        """Take back what was shown of the last answer."""
        if self._shown:
            self.said, self._shown = self.said[: -self._shown], 0
            self._emit(TurnDiscarded(reason))

    async def ask(
        self,
        messages: Sequence[Mapping[str, str]],
        max_tokens: int,
        grammar: str = "",
        *,
        visible: Callable[[str], str] = _all_of,
        system: str = "",
    ) -> SmallReply:
        """Ask, show the answer as it comes, and give it.

        Args:
            messages: `role` and `content`, the user's last.
            max_tokens: How long the answer may be.
            grammar: What binds it; empty for free text.
            visible: Gives what the user sees of an answer, of which only the beginning came.
            system: Another system prompt than the run's.

        Raises:
            RunFault: the model can't answer.
            BudgetSpentError, BudgetStoreError: see `Ledger.reserve`.
        """
        asked = Completion(system or self._system, messages, max_tokens, grammar)
        self._course.begin_turn()
        attempt = 1
        while True:
            self._ledger.reserve(lambda: [self._system, *messages], max_tokens)
            before, self._shown = self.said, 0
            try:
                return await self._stream(asked, visible)
            except _FAULTS as error:
                # The SDK, which has the words for it, is imported for that.
                fault = await asyncio.to_thread(explain_fault, error)
                delay = self._retry.delay(fault, attempt)
                if delay is None:
                    raise RunFault(fault) from error
            attempt += 1
            if self._shown:
                self.said = before
                self._emit(TurnDiscarded(fault.sentence))
            most = self._retry.attempts(fault, reached=False)
            self._emit(Retrying(attempt, most, fault.sentence, delay))
            await self._retry.sleep(delay)

    async def _stream(self, asked: Completion, visible: Callable[[str], str]) -> SmallReply:
        text, end = "", None
        async with aclosing(self._engine.complete(asked, self._tell)) as pieces:
            async for piece in pieces:
                if isinstance(piece, CompletionEnd):
                    end = piece
                    break
                text += clean(piece)
                shown = visible(text)
                self.say(shown[self._shown :])
                self._shown = max(self._shown, len(shown))
                if is_looping(text):
                    break
        self._ledger.add(end.usage if end else Usage(), whole=end is not None)
        return SmallReply(text, end is not None and end.is_whole)

    def _tell(self, reading: ReadingProgress) -> None:
        self._emit(PromptRead(reading.tokens, reading.total, reading.elapsed_s, reading.left_s))


def is_looping(text: str) -> bool:
    """Whether an answer says the same again and again, as small models may until they are cut."""
    lines = [_NUMBER.sub("0", line.strip()) for line in text[-2000:].splitlines() if line.strip()]
    if len(lines) > _SAME_LINES and len(set(lines[-_SAME_LINES - 1 : -1])) == 1:
        return True
    tail = text[-_TAIL:]
    return len(tail) == _TAIL and bool(tail.strip()) and text[-_SEEN:].count(tail) >= _TIMES
