"""A run on the screen: every event of `events.py` as a change of the transcript.

The same code shows a run while it happens and one that is read from its log.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from secretary_tui import events
from secretary_tui.number_format import dollars
from secretary_tui.sanitize import clean_line
from secretary_tui.widgets.transcript.run_calls import RunCalls
from secretary_tui.widgets.transcript.run_page import RunAbout
from secretary_tui.widgets.transcript.transcript import Transcript
from secretary_tui.widgets.transcript.transcript_blocks import (
    AnswerBlock,
    Checklist,
    Countdown,
    Diff,
    NoticeBlock,
    NoticeLevel,
    RuleBlock,
    RunHeader,
    StepBlock,
    Thinking,
    ToolCallBlock,
    UserMessageBlock,
)
from secretary_tui.widgets.transcript.transcript_layout import elapsed

REPLAY_SLICE_S = 0.02
"""Longest stretch of a replay without letting keys through."""

_OUTCOMES = {
    events.Outcome.DONE: ("done", NoticeLevel.SUCCESS),
    events.Outcome.PARTIAL: ("ended early", NoticeLevel.WARNING),
    events.Outcome.INTERRUPTED: ("interrupted", NoticeLevel.WARNING),
    events.Outcome.FAILED: ("failed", NoticeLevel.ERROR),
}


class RunView:
    """Shows one conversation in a transcript: feed it the events in order.

    Args:
        transcript: Where it is shown, after what is there already.
        live: Whether the events happen now. Otherwise no time passes: neither elapsed times of
            calls that never ended nor the countdown of a retry.
        color_of: Gives the colour that an agent's file names, empty for none.
    """

    def __init__(
        self,
        transcript: Transcript,
        *,
        live: bool = True,
        color_of: Callable[[str], str] = lambda agent: "",
    ) -> None:
        self._transcript = transcript
        self._color_of = color_of
        self._live = live
        self._calls = RunCalls(transcript, live=live, added=self._remember)
        self._turn: list[int] = []
        """Ids of the blocks of the current turn."""
        self._waiting: int | None = None
        """The countdown that is shown."""
        self._checklist: int | None = None
        """The agent's list of steps, once it wrote one."""
        self._answered = False
        self._ended = True
        self.about = RunAbout()
        """What is known of the run that is shown."""
        self._show: dict[type[events.RunEvent], Callable[..., None]] = {
            events.RunStarted: self._run_started,
            events.UserMessage: self._user_message,
            events.TurnStarted: self._turn_started,
            events.TextDelta: self._text,
            events.ThinkingDelta: self._thinking,
            events.ToolStarted: self._calls.started,
            events.TodosChanged: self._todos_changed,
            events.SubagentEvent: self._calls.nested,
            events.PermissionAsked: self._calls.asked,
            events.PermissionAnswered: self._calls.answered,
            events.ToolFinished: self._calls.finished,
            events.Retrying: self._retrying,
            events.TurnDiscarded: self._turn_discarded,
            events.Notice: self._notice,
            events.RunFinished: self._run_finished,
            events.RunFailed: self._run_failed,
        }

    @property
    def transcript(self) -> Transcript:
        """Where it is shown."""
        return self._transcript

    @property
    def is_empty(self) -> bool:
        """Whether nothing was shown there yet."""
        return not len(self._transcript.content)

    def clear(self) -> None:
        """Begin afresh: nothing is shown, nothing goes on."""
        self._transcript.clear()
        self._calls.clear()
        self._turn.clear()
        self._waiting = self._checklist = None
        self._answered, self._ended = False, True
        self.about = RunAbout()

    def show(self, event: events.RunEvent) -> None:
        """Show one event; those that have no place here (`MessageAdded`, `UsageAdded`) pass."""
        self.about = self.about.after(event)
        handler = self._show.get(type(event))
        if handler is not None:
            handler(event)

    def show_reply(self, request: str, text: str) -> None:
        """Show what the secretary answered itself, in markdown: no run, so no bill."""
        self._user_message(events.UserMessage(request))
        self._text(events.TextDelta(text))
        self._end()

    def show_diff(self, diff: str) -> None:
        """Show a unified diff that no tool call stands for."""
        self._transcript.add(Diff(diff))

    async def replay(self, log: Iterable[events.RunEvent]) -> None:
        """Show the events of a finished run, letting keys through in between.

        A log that just stops (the program was killed) is closed with a sentence.
        """
        began = time.monotonic()
        for event in log:
            self.show(event)
            if time.monotonic() - began > REPLAY_SLICE_S:
                await asyncio.sleep(0)
                began = time.monotonic()
        self._transcript.close_text()
        if not self._ended:
            self._calls.close()
            text = "This run was cut off: its log ends without a result."
            self._transcript.add(NoticeBlock(text, NoticeLevel.WARNING, "Resume it to continue."))
            self._ended = True

    def _run_started(self, event: events.RunStarted) -> None:
        self._begin()
        self._transcript.action_follow()  # Somebody has just asked for it.
        if event.resumed:
            self._transcript.add(RuleBlock("resumed"))
        note = f"{event.confidence} % match" if event.confidence is not None else ""
        self._transcript.add(
            RunHeader(
                clean_line(event.agent),
                clean_line(event.engine),
                clean_line(event.model),
                note,
                self._color_of(event.agent),
            )
        )
        if event.request and not event.resumed:
            self._transcript.add(UserMessageBlock(event.request))

    def _user_message(self, event: events.UserMessage) -> None:
        self._begin()
        self._transcript.add(UserMessageBlock(event.text))

    def _begin(self) -> None:
        self._ended = self._answered = False
        self._checklist = None
        self._turn.clear()

    def _turn_started(self, event: events.TurnStarted) -> None:
        self._stop_countdown()
        self._transcript.close_text()
        self._turn.clear()

    def _text(self, event: events.TextDelta) -> None:
        self._answered = True
        self._remember(self._transcript.append_text(event.text))

    def _thinking(self, event: events.ThinkingDelta) -> None:
        self._remember(self._transcript.append_thinking(event.text))

    def _remember(self, block_id: int) -> None:
        self._stop_countdown()
        if not self._turn or self._turn[-1] != block_id:
            self._turn.append(block_id)

    def _todos_changed(self, event: events.TodosChanged) -> None:
        """Show the list, in the place where an earlier one of this run stands."""
        checklist = Checklist(
            tuple(
                StepBlock(
                    (todo.status == "in_progress" and todo.active_form) or todo.content, todo.status
                )
                for todo in event.todos
            )
        )
        if self._checklist is not None:
            self._transcript.replace(self._checklist, checklist)
        elif event.todos:
            self._checklist = self._transcript.add(checklist)

    def _retrying(self, event: events.Retrying) -> None:
        self._stop_countdown()
        until = time.monotonic() + event.delay_s if self._live else None
        self._waiting = self._transcript.add(
            Countdown(event.reason, event.attempt, event.max_attempts, until)
        )

    def _stop_countdown(self) -> None:
        if self._waiting is None:
            return
        block = self._transcript.content[self._waiting].block
        assert isinstance(block, Countdown)
        self._transcript.replace(self._waiting, replace(block, until=None))
        self._waiting = None

    def _turn_discarded(self, event: events.TurnDiscarded) -> None:
        self._transcript.close_text()
        for block_id in self._turn:
            block = self._transcript.content[block_id].block
            if isinstance(block, AnswerBlock | Thinking | ToolCallBlock):
                self._transcript.replace(block_id, replace(block, discarded=event.reason))
        self._calls.close()
        self._turn.clear()

    def _notice(self, event: events.Notice) -> None:
        warning = event.severity == "warning"
        self._transcript.add(
            NoticeBlock(event.text, NoticeLevel.WARNING if warning else NoticeLevel.INFO)
        )

    def _run_finished(self, event: events.RunFinished) -> None:
        self._end()
        if event.text and not self._answered:
            self._transcript.append_text(event.text)
        word, level = _OUTCOMES[event.outcome]
        if event.outcome is events.Outcome.PARTIAL and event.stop_reason:
            word = f"{word} ({clean_line(event.stop_reason)})"
        turns = f"{event.turns} turn" + ("s" if event.turns != 1 else "")
        facts = [word, turns, *_bill(event.usage, event.cost_usd, event.elapsed_s)]
        self._transcript.add(RuleBlock(" · ".join(facts), level))

    def _run_failed(self, event: events.RunFailed) -> None:
        self._end()
        self._transcript.add(NoticeBlock(event.error, NoticeLevel.ERROR, event.suggestion))
        facts = ["failed", *_bill(event.usage, event.cost_usd, event.elapsed_s)]
        self._transcript.add(RuleBlock(" · ".join(facts), NoticeLevel.ERROR))

    def _end(self) -> None:
        self._stop_countdown()
        self._transcript.close_text()
        self._calls.close()
        self._turn.clear()
        self._ended = True


def _bill(usage: events.Usage, cost_usd: float | None, elapsed_s: float) -> list[str]:
    facts = [f"{_count(usage.prompt_tokens)} in, {_count(usage.output_tokens)} out"]
    if cost_usd is None:
        facts.append("price unknown")
    elif cost_usd:
        facts.append(dollars(cost_usd))
    else:
        facts.append("free")
    facts.append(elapsed(elapsed_s))
    return facts


def _count(tokens: int) -> str:
    return str(tokens) if tokens < 1000 else f"{tokens / 1000:.1f}k"
