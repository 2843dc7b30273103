"""How the flow of `Dispatch` plays on the main screen: its questions become panels."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from textual.containers import Horizontal

from secretary_tui.coordinator.dispatch_values import Replied
from secretary_tui.events import Notice
from secretary_tui.people import (
    Answer,
    Choice,
    Question,
    Recommendation,
    RouteChoice,
    ToolAnswer,
    ToolRequest,
)
from secretary_tui.registry.agent_index import AgentNotFoundError
from secretary_tui.registry.mentions import complete_reference, resolve_reference
from secretary_tui.screens.host import host_of
from secretary_tui.secretary import Secretary
from secretary_tui.widgets.panels.choice_panel import ChoicePanel
from secretary_tui.widgets.panels.engine_line import EngineRow
from secretary_tui.widgets.panels.match_panel import AgentBrief, MatchPanel, PanelAdvice
from secretary_tui.widgets.panels.other_agent import MAX_COMPLETIONS
from secretary_tui.widgets.panels.permission_panel import PermissionPanel
from secretary_tui.widgets.panels.question_panel import QuestionPanel
from secretary_tui.widgets.transcript.run_view import RunView
from secretary_tui.widgets.transcript.transcript import Transcript

if TYPE_CHECKING:
    from secretary_tui.delegation.delegation import Delegation
    from secretary_tui.engines.base import Engine
    from secretary_tui.screens.main.main_screen import MainScreen


class PanelStage:
    """Implements `flow.Stage` (and so `people.People`) with the panels of a screen."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self._one_at_a_time = asyncio.Lock()
        """Questions of several runs come one after the other, in the order they were asked."""
        self._views = 0
        self._run_engine = ""
        """The engine that the user took for the run in the panel; empty for the session's."""
        self._shown: Recommendation | None = None

    @property
    def secretary(self) -> Secretary:
        """The service."""
        return self._screen.secretary

    @property
    def _match(self) -> MatchPanel:
        return self._screen.query_one(MatchPanel)

    # ----------------------------------------------------------------- questions

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Ask through the question panel."""
        async with self._one_at_a_time:
            return await self._screen.query_one(QuestionPanel).ask(questions)

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        """Wait for the match panel, which `present` filled."""
        if self._one_at_a_time.locked():
            self._screen.notify("Your request waits behind this question: answer it first.")
        async with self._one_at_a_time:
            return await self._match.wait()

    async def allow_tool(self, request: ToolRequest) -> ToolAnswer:
        """Ask through the permission panel."""
        async with self._one_at_a_time:
            return await self._screen.query_one(PermissionPanel).ask(request)

    async def choose(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        """Ask through the choice panel."""
        async with self._one_at_a_time:
            return await self._screen.query_one(ChoicePanel).ask(title, text, choices)

    def present(self, recommendation: Recommendation, *, refining: bool) -> None:
        """Fill the match panel."""
        index = self.secretary.index
        self._run_engine = ""
        self._match.on_engine = self._change_engine
        self._shown = recommendation
        self._match.present(
            recommendation,
            briefs=self._briefs(recommendation),
            advice=self._advice(recommendation),
            complete=lambda prefix: complete_reference(index, prefix, MAX_COMPLETIONS),
            resolve=lambda reference: resolve_reference(index, reference),
            explain=self._explain,
            refining=refining,
        )
        self._estimate(recommendation)
        self._screen.run_worker(self._offer_engines(), exclusive=True, group="engines")
        self._screen.run_worker(self._offer_own_tree(), exclusive=True, group="own tree")

    def refine(self, recommendation: Recommendation) -> None:
        """Refine the match panel in place."""
        self._shown = recommendation
        self._match.refine(
            recommendation,
            briefs=self._briefs(recommendation),
            advice=self._advice(recommendation),
        )
        self._estimate(recommendation)

    def _estimate(self, recommendation: Recommendation) -> None:
        """Add what each run costs to begin, which takes some reading: the panel doesn't wait."""
        engine = self._engine
        if engine is not None:
            self._screen.run_worker(
                self._add_starts(recommendation, engine), exclusive=True, group="estimate"
            )

    @property
    def _engine(self) -> Engine | None:
        return self.secretary.engine_named(self._run_engine).engine

    async def _offer_engines(self) -> None:
        """Tell the panel which engines the run could have: those that can be used now."""
        if self.secretary.offline:
            return
        offers = await asyncio.to_thread(self.secretary.engine_offers)
        rows = [EngineRow(o.name, o.label, o.limits) for o in offers if not o.problem]
        if self._screen.is_whole:
            self._match.page.offer_engines(rows, self.secretary.engine_choice.kind)

    async def _offer_own_tree(self) -> None:
        from secretary_tui.delegation.worktree.worktree import can_have_own_tree

        possible = await asyncio.to_thread(can_have_own_tree, self.secretary.project)
        if possible and self._screen.is_whole:
            self._match.page.offer_own_tree()

    def _change_engine(self, name: str) -> None:
        """Say in the panel what the run will be with another engine."""
        self._run_engine = name
        if self._shown is not None:
            self._match.page.set_briefs(self._briefs(self._shown))
            self._estimate(self._shown)

    async def _add_starts(self, recommendation: Recommendation, engine: Engine) -> None:
        from secretary_tui.screens.main.briefs import starts_for

        starts = await asyncio.to_thread(
            starts_for,
            recommendation.matches,
            recommendation.intent,
            self.secretary.index,
            self.secretary.project,
            engine,
        )
        if self._screen.is_whole:
            self._match.page.add_starts(starts)

    def _briefs(self, recommendation: Recommendation) -> dict[str, AgentBrief]:
        from secretary_tui.screens.main.briefs import brief_of, briefs_for

        config, engine = self.secretary.config, self._engine
        briefs = briefs_for(
            recommendation.matches, self.secretary.index, config.permission_mode, engine
        )
        workflow = recommendation.workflow
        if workflow is not None and workflow.runnable:
            with suppress(AgentNotFoundError):  # Said when it is chosen.
                spec = self.secretary.definition(workflow.reference)
                briefs[workflow.reference] = brief_of(spec, config.permission_mode, engine)
        return briefs

    def _explain(self, recommendation: Recommendation, width: int) -> list[str]:
        from secretary_tui.routing.match.explanation import explain_route
        from secretary_tui.routing.match.explanation_text import explanation_lines

        explained = explain_route(recommendation, self.secretary.matcher, self.secretary.config)
        return explanation_lines(explained, width) if explained is not None else []

    def _advice(self, recommendation: Recommendation) -> PanelAdvice | None:
        from secretary_tui.routing.recommend.advice import advice_for

        advice = advice_for(recommendation, len(self.secretary.index.active))
        return PanelAdvice(advice.message, advice.suggestions) if advice is not None else None

    # ------------------------------------------------------------------- the run

    def reply(self, request: str, replied: Replied) -> None:
        """Show what the secretary answers itself, in the transcript."""
        tries = "\n".join(f"- {option.label}" for option in replied.suggestions)
        self._screen.show_transcript()
        text = f"{replied.text}\n\nFor example:\n\n{tries}" if tries else replied.text
        self._screen.run_view.show_reply(request, text)

    def paid(self, tokens: int, cost_usd: float | None) -> None:
        """Count what routing cost in the status line."""
        dispatch = self._screen.dispatch
        dispatch.spent = dispatch.spent.plus_tokens(tokens, cost_usd)
        self._screen.follow_flow()

    def new_view(self) -> RunView:
        """Make a transcript for another tab."""
        self._views += 1
        name = "transcript" if self._views == 1 else f"transcript-{self._views}"
        transcript = Transcript(id=name)
        self._screen.query_one("#body", Horizontal).mount(transcript, before="#details")
        return RunView(transcript, color_of=self._screen.color_of)

    def show_view(self, view: RunView) -> None:
        """Put a tab's transcript on the screen, in the place of the one before."""
        had_focus = isinstance(self._screen.focused, Transcript)
        for transcript in self._screen.query(Transcript):
            transcript.set_class(transcript is not view.transcript, "aside")
        self._screen.show_tab()
        if had_focus:
            self._screen.request.focus()

    def drop_view(self, view: RunView) -> None:
        """Remove a tab's transcript."""
        view.transcript.remove()

    def begin_run(self) -> None:
        """Make the transcript visible for a new run."""
        self._screen.show_transcript()

    def show_event(self, event: Notice) -> None:
        """Let something that belongs to no run pass by in a corner."""
        self._screen.notify(event.text, severity="warning", markup=False)

    def ring(self, text: str, elapsed_s: float) -> None:
        """Call the user back: a run of that many seconds ended or asks."""
        host_of(self._screen).signals.ring(text, self.secretary.config, elapsed_s)

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

        self._screen.app.copy_to_clipboard(delegation_prompt(delegation))
        message = f"The task for {delegation.agent.id} is on the clipboard."
        self._screen.notify(message, markup=False)

    def open_setup(self) -> None:
        """Let the user choose where models answer."""
        host_of(self._screen).open_setup()

    def report(self, error: Exception) -> None:
        """Say calmly that something unforeseen happened, and log it."""
        from secretary_tui.fault_log import explain

        said = explain(error, "screen")
        sentence = f"{said[:1].upper()}{said[1:]}"
        self._screen.notify(sentence, severity="error", timeout=15, markup=False)
