"""How the flow of `TabController` plays on the main screen: its questions become panels."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from textual.app import App
from textual.containers import Horizontal

from secretary_tui.coordinator.dispatch_values import Replied
from secretary_tui.events import Notice
from secretary_tui.flow.tab_controller import TabController
from secretary_tui.people import (
    Answer,
    Choice,
    Question,
    Recommendation,
    RouteChoice,
    ToolAnswer,
    ToolRequest,
)
from secretary_tui.screens.controller_host import FlowHost
from secretary_tui.screens.main.composer import Composer
from secretary_tui.screens.main.details_controller import color_of
from secretary_tui.screens.main.match_presenter import MatchPresenter
from secretary_tui.screens.main.panels import Panels
from secretary_tui.screens.main.panes import Panes
from secretary_tui.secretary import Secretary
from secretary_tui.spend import Spend
from secretary_tui.terminal.signals import TerminalSignals
from secretary_tui.widgets.request.request_box import RequestBox
from secretary_tui.widgets.transcript.run_view import RunView
from secretary_tui.widgets.transcript.transcript import Transcript

if TYPE_CHECKING:
    from secretary_tui.delegation.delegation import Delegation


class FrontendScreen(FlowHost, Protocol):
    """A screen with a request box and the transcripts of several runs."""

    secretary: Secretary
    panes: Panes
    tabs: TabController[RunView]
    """Set once the frontend is there, like the composer."""
    composer: Composer

    @property
    def request(self) -> RequestBox:
        """The request box."""
        ...


class ScreenFrontend:
    """Implements `flow.Frontend` (and so `people.People`) with the panels of a screen."""

    def __init__(
        self,
        app: App[Any],
        screen: FrontendScreen,
        panels: Panels,
        body: Horizontal,
        signals: TerminalSignals,
        open_setup: Callable[[], None],
    ) -> None:
        self._app = app
        self._screen = screen
        self._panels = panels
        self._body = body
        """What holds the transcripts, before `#details`."""
        self._signals = signals
        self._open_setup = open_setup
        self._presenter = MatchPresenter(screen, screen.secretary, panels.match)
        self._one_at_a_time = asyncio.Lock()
        """Questions of several runs come one after the other, in the order they were asked."""
        self._views = 0

    @property
    def secretary(self) -> Secretary:
        """The service."""
        return self._screen.secretary

    # ----------------------------------------------------------------- questions

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Ask through the question panel."""
        async with self._one_at_a_time:
            return await self._panels.question.ask(questions)

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        """Wait for the match panel, which `present` filled."""
        if self._one_at_a_time.locked():
            self._screen.notify("Answer this question first; your request waits.")
        async with self._one_at_a_time:
            return await self._panels.match.wait()

    async def allow_tool(self, request: ToolRequest) -> ToolAnswer:
        """Ask through the permission panel."""
        async with self._one_at_a_time:
            return await self._panels.permission.ask(request)

    async def choose(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        """Ask through the choice panel."""
        async with self._one_at_a_time:
            return await self._panels.choice.ask(title, text, choices)

    def present(self, recommendation: Recommendation, *, refining: bool) -> None:
        """Fill the match panel."""
        self._presenter.present(recommendation, refining=refining)

    def refine(self, recommendation: Recommendation) -> None:
        """Refine the match panel in place."""
        self._presenter.refine(recommendation)

    # ------------------------------------------------------------------- the run

    def reply(self, request: str, replied: Replied) -> None:
        """Show what the secretary answers itself, in the transcript."""
        tries = "\n".join(f"- {option.label}" for option in replied.suggestions)
        self.begin_run()
        text = f"{replied.text}\n\nFor example:\n\n{tries}" if tries else replied.text
        self._screen.tabs.shown.view.show_reply(request, text)

    def paid(self, tokens: int, cost_usd: float | None) -> None:
        """Count what routing cost in the status line."""
        tabs = self._screen.tabs
        tabs.spent += Spend.of(cost_usd, other_tokens=tokens)
        self._screen.follow_flow()

    def new_view(self) -> RunView:
        """Make a transcript for another tab."""
        self._views += 1
        name = "transcript" if self._views == 1 else f"transcript-{self._views}"
        transcript = Transcript(id=name)
        self._body.mount(transcript, before="#details")
        return RunView(transcript, color_of=lambda agent: color_of(self.secretary.index, agent))

    def show_view(self, view: RunView) -> None:
        """Put a tab's transcript on the screen, in the place of the one before."""
        transcripts = list(self._body.query(Transcript))
        had_focus = any(transcript.has_focus for transcript in transcripts)
        for transcript in transcripts:
            transcript.set_class(transcript is not view.transcript, "aside")
        # Nothing was run in an empty tab: the library is shown in its place.
        self._screen.panes.show_library(self._screen.tabs.shown.is_empty)
        self._screen.composer.replying = False
        if had_focus:
            self._screen.request.focus()

    def drop_view(self, view: RunView) -> None:
        """Remove a tab's transcript."""
        view.transcript.remove()

    def begin_run(self) -> None:
        """Make the transcript visible for a new run."""
        self._screen.panes.show_library(False)
        self._screen.composer.begin_request()

    def show_event(self, event: Notice) -> None:
        """Let something that belongs to no run pass by in a corner."""
        self._screen.notify(event.text, severity="warning", markup=False)

    def ring(self, text: str, elapsed_s: float) -> None:
        """Call the user back: a run of that many seconds ended or asks."""
        self._signals.ring(text, self.secretary.config, elapsed_s)

    def flow_changed(self) -> None:
        """Bring status line, box and keys in line with the flow."""
        self._screen.follow_flow()

    def give_back(self, text: str) -> None:
        """Put a text back into the request box if nothing else was typed there."""
        if self._screen.is_whole and self._screen.request.is_blank:
            self._screen.request.replace_text(text)

    def return_messages(self, texts: tuple[str, ...]) -> None:
        """Put messages that nobody was told before what stands in the request box."""
        if texts and self._screen.is_whole:
            typed = self._screen.request.text
            self._screen.request.replace_text("\n\n".join((*texts, *filter(None, (typed,)))))

    def copy_task(self, delegation: Delegation) -> None:
        """Copy the delegation prompt, for use elsewhere."""
        from secretary_tui.delegation.brief.prompt import delegation_prompt

        self._app.copy_to_clipboard(delegation_prompt(delegation))
        message = f"The task for {delegation.agent.id} is on the clipboard."
        self._screen.notify(message, markup=False)

    def open_setup(self) -> None:
        """Let the user choose where models answer."""
        self._open_setup()

    def report(self, error: Exception) -> None:
        """Say calmly that something unforeseen happened, and log it."""
        from secretary_tui.fault_log import explain

        said = explain(error, "screen")
        sentence = f"{said[:1].upper()}{said[1:]}"
        self._screen.notify(sentence, severity="error", timeout=15, markup=False)
