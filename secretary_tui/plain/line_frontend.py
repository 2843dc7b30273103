"""How the flow plays in lines: what it shows is said, what it asks is asked (`flow.Frontend`)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from secretary_tui.coordinator.dispatch_values import Replied
from secretary_tui.events import Notice
from secretary_tui.lines.line_people import LinePeople
from secretary_tui.lines.route_question import FinalRanking
from secretary_tui.people import (
    Answer,
    Choice,
    Question,
    Recommendation,
    RouteChoice,
    ToolAnswer,
    ToolRequest,
)
from secretary_tui.plain.line_sink import LineSink
from secretary_tui.plain.writer import Channel
from secretary_tui.sanitize import clean_line
from secretary_tui.secretary import Secretary

if TYPE_CHECKING:
    from secretary_tui.delegation.delegation import Delegation

LONG_S = 10.0
"""Seconds of a run from which on its end rings the bell."""


class LineFrontend:
    """Says what the flow shows, and asks what it asks.

    Args:
        secretary: The service.
        channel: Where it is said and asked.
        give_up: Cancels the request that a question is about.
    """

    def __init__(self, secretary: Secretary, channel: Channel, give_up: Callable[[], None]) -> None:
        self._secretary = secretary
        self._channel = channel
        self._writer = channel.writer
        self._people = LinePeople(channel.face, secretary, give_up=give_up)
        self._ranking = FinalRanking()
        self.changed = asyncio.Event()
        """Set whenever the state of the flow may have changed."""
        self.returned: list[str] = []
        """Texts that were not sent after all."""
        self.replied = False
        """Whether the secretary answered the last request itself."""

    @property
    def secretary(self) -> Secretary:
        """The service."""
        return self._secretary

    # ----------------------------------------------------------------- questions

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Ask one after the other."""
        return await self._people.ask_questions(questions)

    def present(self, recommendation: Recommendation, *, refining: bool) -> None:
        """Take the ranking; it is said once, when it is the last."""
        self._ranking.present(recommendation, refining=refining)
        if refining:
            self._writer.line("Asking the model which agent fits.")

    def refine(self, recommendation: Recommendation) -> None:
        """Take the model's ranking."""
        self._ranking.refine(recommendation)

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        """Say who fits and wait for the choice."""
        return await self._people.confirm_route(await self._ranking.wait(recommendation))

    async def allow_tool(self, request: ToolRequest) -> ToolAnswer:
        """Say the whole of what would happen, and ask."""
        return await self._people.allow_tool(request)

    async def choose(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        """Say the choices, and ask."""
        return await self._people.choose(title, text, choices)

    # ------------------------------------------------------------------- the run

    def reply(self, request: str, replied: Replied) -> None:
        """Say what the secretary answers itself."""
        del request
        self.replied = True
        self._writer.quote(replied.text)
        for option in replied.suggestions:
            self._writer.line(f"For example: {clean_line(option.label)}")

    def show_event(self, event: Notice) -> None:
        """Say something that belongs to no run."""
        self._writer.line(clean_line(event.text))

    def paid(self, tokens: int, cost_usd: float | None) -> None:
        """Pass over what routing cost: `/stats` has it."""

    def new_view(self) -> LineSink:
        """Make the one view there is."""
        return LineSink(self._writer, self._channel.new_run_text())

    def show_view(self, view: LineSink) -> None:
        """Leave it: there is one."""

    def drop_view(self, view: LineSink) -> None:
        """Leave it: there is one."""

    def begin_run(self) -> None:
        """Say nothing: the run says itself that it starts."""

    def ring(self, text: str, elapsed_s: float) -> None:
        """Ring the terminal's bell after a long run; what happened stands in the lines."""
        del text
        wanted = self._secretary.config.notify in ("bell", "both")
        if wanted and elapsed_s > LONG_S and self._channel.keyboard.is_interactive:
            self._writer.ring()

    def flow_changed(self) -> None:
        """Let whoever waits look again."""
        self.changed.set()

    def give_back(self, text: str) -> None:
        """Keep a text that was not sent, for the next prompt."""
        if text not in self.returned:
            self.returned.append(text)

    def return_messages(self, texts: tuple[str, ...]) -> None:
        """Keep messages that nobody was told."""
        self.returned[:0] = texts

    def copy_task(self, delegation: Delegation) -> None:
        """Say the delegation prompt, for use elsewhere: there is no clipboard to count on."""
        from secretary_tui.delegation.brief.prompt import delegation_prompt

        self._writer.line(f"The task for {delegation.agent.id}:")
        self._writer.line(delegation_prompt(delegation))

    def open_setup(self) -> None:
        """Say how to get a model."""
        self._writer.line(self._secretary.engines.no_engine)
        self._writer.line("Type /model for local models.")

    def report(self, error: Exception) -> None:
        """Say calmly that something unforeseen happened, and log it."""
        from secretary_tui.fault_log import explain

        self._writer.line(f"{explain(error, 'plain')}.")

    def take_returned(self) -> str:
        """Give what was not sent, as one text."""
        texts, self.returned = self.returned, []
        return "\n\n".join(texts)
