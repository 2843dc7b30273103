"""How the flow of `Dispatch` plays in lines (`flow.stage.Stage`)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from secretary_tui.coordinator.dispatch_values import Replied
from secretary_tui.events import Notice
from secretary_tui.people import Recommendation, RouteChoice
from secretary_tui.plain.keyboard import Keyboard
from secretary_tui.plain.line_people import PlainPeople
from secretary_tui.plain.line_writer import LineWriter
from secretary_tui.plain.route_question import RouteQuestion
from secretary_tui.plain.view import PlainView
from secretary_tui.sanitize import clean_line
from secretary_tui.secretary import Secretary

if TYPE_CHECKING:
    from secretary_tui.delegation.delegation import Delegation

LONG_S = 10.0
"""Seconds of a run from which on its end rings the bell."""


class PlainStage(PlainPeople):
    """Says what the flow shows, and asks what it asks."""

    def __init__(self, secretary: Secretary, paper: LineWriter, keyboard: Keyboard) -> None:
        super().__init__(paper, keyboard)
        self._secretary = secretary
        self._presented: asyncio.Future[Recommendation] | None = None
        """The ranking to ask about, once no model will change it any more."""
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

    def present(self, recommendation: Recommendation, *, refining: bool) -> None:
        """Take the ranking; it is said once, when it is the last."""
        self._presented = asyncio.get_running_loop().create_future()
        if refining:
            self._paper.line("The model is asked who fits.")
        else:
            self._presented.set_result(recommendation)

    def refine(self, recommendation: Recommendation) -> None:
        """Take the model's ranking."""
        if self._presented is not None and not self._presented.done():
            self._presented.set_result(recommendation)

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        """Say who fits and wait for the choice."""
        found = recommendation if self._presented is None else await self._presented
        async with self.asking:
            return await RouteQuestion(found, self._secretary, self._paper, self._keyboard).ask()

    # ------------------------------------------------------------------- the run

    def reply(self, request: str, replied: Replied) -> None:
        """Say what the secretary answers itself."""
        del request
        self.replied = True
        self._paper.quote(replied.text)
        for option in replied.suggestions:
            self._paper.line(f"For example: {clean_line(option.label)}")

    def show_event(self, event: Notice) -> None:
        """Say something that belongs to no run."""
        self._paper.line(clean_line(event.text))

    def paid(self, tokens: int, cost_usd: float | None) -> None:
        """Pass over what routing cost: `/stats` has it."""

    def new_view(self) -> PlainView:
        """Make the one view there is."""
        return PlainView(self._paper)

    def show_view(self, view: PlainView) -> None:
        """Leave it: there is one."""

    def drop_view(self, view: PlainView) -> None:
        """Leave it: there is one."""

    def begin_run(self) -> None:
        """Say nothing: the run says itself that it starts."""

    def ring(self, text: str, elapsed_s: float) -> None:
        """Ring the terminal's bell after a long run; what happened stands in the lines."""
        del text
        wanted = self._secretary.config.notify in ("bell", "both")
        if wanted and elapsed_s > LONG_S and self._keyboard.someone_types:
            self._paper.ring()

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

        self._paper.line(f"The task for {delegation.agent.id}:")
        self._paper.line(delegation_prompt(delegation))

    def open_setup(self) -> None:
        """Say how to get a model."""
        self._paper.line(self._secretary.engines.no_engine)
        self._paper.line("Type /model for the models of this machine.")

    def report(self, error: Exception) -> None:
        """Say calmly that something unforeseen happened, and log it."""
        from secretary_tui.fault_log import explain

        self._paper.line(f"{explain(error, 'plain')}.")

    def take_returned(self) -> str:
        """Give what was not sent, as one text."""
        texts, self.returned = self.returned, []
        return "\n\n".join(texts)
