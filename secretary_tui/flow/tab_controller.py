"""From a sent text to a run: choose, start it in a tab, and keep the tabs.

The controller of a face. It owns no widget: it shows and asks through the `Frontend`, and reaches
everything below through the `Secretary`; each tab is a `RunController` of its own.
"""

from __future__ import annotations

import asyncio
import time
from typing import Generic

from secretary_tui.coordinator.dispatch_values import Step
from secretary_tui.events import Notice, UsageAdded
from secretary_tui.flow.choice_hold import ChoiceHold
from secretary_tui.flow.frontend import Frontend, ViewT
from secretary_tui.flow.request_routing import RequestRouting
from secretary_tui.flow.routing_controller import RoutingController
from secretary_tui.flow.run_controller import Neighbours, RunController
from secretary_tui.flow.tabs import Tabs
from secretary_tui.spend import Spend

TWICE_S = 1.0
"""Seconds in which a second Esc stops everything."""


class TabController(Generic[ViewT]):
    """One choice at a time, several runs; what is typed goes to the tab that is shown."""

    def __init__(self, frontend: Frontend[ViewT]) -> None:
        self._frontend = frontend
        self._stopped_at = float("-inf")
        self._hung_up = asyncio.Event()
        """Set once nobody can be asked any more."""
        self.spent = Spend()
        """What this session has cost."""
        self.route = RoutingController(frontend, ChoiceHold(frontend.flow_changed))

        def show(tab: RunController[ViewT]) -> None:
            self._tabs.show(tab)

        self._routing: RequestRouting[ViewT] = RequestRouting(frontend, self.route, show)
        self._tabs: Tabs[ViewT] = Tabs(frontend, self._new_tab, self._routing.is_for)

    def _new_tab(self, number: int) -> RunController[ViewT]:
        def paid(event: UsageAdded) -> None:
            self.spent += Spend.of(event.cost_usd, event.usage)

        neighbours: Neighbours[ViewT] = Neighbours(
            hung_up=self._hung_up,
            are_several=lambda: self.shares_the_screen,
            is_shown=lambda tab: tab is self.shown,
            paid=paid,
            choose_again=lambda tab, text, context: self._routing.begin(
                tab, text, context=context, anew=True
            ),
        )
        return RunController(number, self._frontend, self._frontend.new_view(), neighbours)

    # ------------------------------------------------------------------- state

    @property
    def flows(self) -> tuple[RunController[ViewT], ...]:
        """All tabs, in the order they are shown."""
        return self._tabs.all

    @property
    def shown(self) -> RunController[ViewT]:
        """The tab on the screen."""
        return self._tabs.shown

    @property
    def shares_the_screen(self) -> bool:
        """Whether there is more than one tab, so that each must be named."""
        return self._tabs.are_several

    @property
    def routing(self) -> bool:
        """Whether an agent is being found and chosen."""
        return self._routing.busy

    @property
    def busy(self) -> bool:
        """Whether a request is on its way: being routed, or in the tab that is shown."""
        return self.routing or self.shown.busy

    @property
    def running(self) -> bool:
        """Whether the agent of the shown tab is at work."""
        return self.shown.running

    @property
    def holding(self) -> bool:
        """Whether the choice can still be taken back."""
        return self.route.holding

    @property
    def agent(self) -> str:
        """The agent at work in the shown tab, empty between runs."""
        return self.shown.progress.agent

    @property
    def run_id(self) -> str:
        """The run on the screen, which a reply continues."""
        return self.shown.progress.run_id

    @property
    def run_agent(self) -> str:
        """The agent of that run."""
        return self.shown.progress.run_agent

    @property
    def last_answer(self) -> str:
        """The final answer of the last run in the shown tab, in markdown."""
        return self.shown.progress.last_answer

    @property
    def elapsed_s(self) -> float:
        """Seconds since the agent of the shown tab began."""
        return self.shown.progress.elapsed_s

    @property
    def waits_for(self) -> str:
        """What the agent of the shown tab waits for; empty when nothing is known."""
        return self.shown.progress.waits_for if self.shown.running else ""

    @property
    def waiting(self) -> tuple[str, ...]:
        """Messages that the agent of the shown tab was not told yet."""
        return self.shown.waiting

    @property
    def undelivered(self) -> tuple[str, ...]:
        """The same, of all tabs."""
        return tuple(message for tab in self.flows for message in tab.waiting)

    @property
    def is_full(self) -> bool:
        """Whether no more runs may go on at once."""
        limit = self._frontend.secretary.config.max_parallel_runs
        return sum(tab.running for tab in self.flows) >= limit

    @property
    def full_sentence(self) -> str:
        """Says that no more runs may go on at once, and what to do."""
        limit = self._frontend.secretary.config.max_parallel_runs
        runs = "1 run is" if limit == 1 else f"{limit} runs are"
        return f"{runs} already in progress (max_parallel_runs). Wait, or stop one with Esc."

    # ------------------------------------------------------------------- verbs

    def submit(self, text: str, *, reply: bool = False, context: tuple[str, ...] = ()) -> None:
        """Take what the user sent: a new request, a reply, or a message to the agent at work.

        `context` goes along with a new request, as lines of the delegation's context.
        """
        tab = self.shown
        if tab.running:
            tab.say(text)
            return
        self._routing.drop(said=True)
        tab.cancel(replaced=True)
        if self.is_full:
            self._frontend.show_event(Notice(self.full_sentence, "warning"))
            self._frontend.give_back(text)
        elif reply and tab.progress.run_id:
            tab.reply(text)
        else:
            self._routing.begin(tab, text, context=context)

    def restore(self, request: str, step: Step) -> None:
        """Show the panel again that was open when the last session ended."""
        self._routing.begin(self.shown, request, step=step)

    def step_back(self) -> bool:
        """Esc: take the choice back, or stop the run, or at once again all of them.

        Gives whether there was something to do.
        """
        if self.route.take_back():
            return True
        now = time.monotonic()
        if now - self._stopped_at <= TWICE_S and self._stop_all():
            return True
        if self.shown.stop():
            self._stopped_at = now
            return True
        return False

    def _stop_all(self) -> bool:
        """Stop all runs, and the search for an agent; whether there was something to stop."""
        stopped = [tab.stop() for tab in self.flows if not tab.stopping]
        if self.routing:
            self.cancel()
            return True
        return any(stopped)

    def cancel(self) -> None:
        """Drop what waits for an answer; nothing that runs is stopped."""
        self._routing.drop()
        if not self.shown.running:
            self.shown.cancel()

    async def finish_alone(self) -> None:
        """Let the runs go on to their ends with nobody there: what they ask is denied."""
        self._hung_up.set()
        self._routing.drop()
        await asyncio.gather(*(tab.finished() for tab in self.flows))

    async def aclose(self) -> None:
        """End what goes on and wait until it is logged."""
        await self._routing.aclose()
        await asyncio.gather(*(tab.aclose() for tab in self.flows))

    # -------------------------------------------------------------------- tabs

    def open_tab(self) -> RunController[ViewT]:
        """Show an empty tab beside the others: one that is there, or a new one."""
        tab = self._tabs.open()
        tab.forget_run()  # What was said there without a run is another conversation.
        return tab

    def switch(self, step: int) -> bool:
        """Show the next tab, or the one before; whether there is another."""
        return self._tabs.switch(step)

    def show_number(self, number: int) -> None:
        """Show the tab of that number, if there is one."""
        self._tabs.show_number(number)

    def show_id(self, run_id: str) -> bool:
        """Show the tab that has a run at work, by the run's id; whether there is one."""
        return self._tabs.show_id(run_id)
