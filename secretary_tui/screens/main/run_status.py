"""How the runs stand: in the status line, the tab line, the queue and the terminal's title."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from secretary_tui.flow.run_controller import RunController
from secretary_tui.flow.run_progress import RunState
from secretary_tui.flow.tab_controller import TabController
from secretary_tui.number_format import cents
from secretary_tui.registry.agent_index import AgentIndex
from secretary_tui.registry.unlisted import Unlisted
from secretary_tui.screens.controller_host import ControllerHost
from secretary_tui.screens.main.details_controller import color_of, shown_time
from secretary_tui.secretary import Secretary
from secretary_tui.terminal.signals import TerminalSignals
from secretary_tui.widgets.request.queued_messages import QueuedMessages
from secretary_tui.widgets.run_tabs import RunTab, RunTabs
from secretary_tui.widgets.status_bar import StatusBar

_LONGEST_NAME = 28
_NOT_TRUSTED = " · folder not trusted yet"


@dataclass(eq=False)
class RunStatus:
    """Sets the lines that show at a glance what goes on."""

    _screen: ControllerHost
    _status: StatusBar
    _secretary: Secretary
    _tabs: TabController[Any]
    _signals: TerminalSignals
    tab_bar: RunTabs = field(default_factory=lambda: RunTabs(id="runs"), init=False)
    queued: QueuedMessages = field(default_factory=lambda: QueuedMessages(id="queued"), init=False)

    def follow_flow(self) -> None:
        """Bring all lines in line with the runs."""
        spent = self._tabs.spent
        if self._status.tokens != spent.tokens:
            self.show_today()
        self._status.tokens = spent.tokens
        self._status.cost = spent.cost_usd
        if self._tabs.running:  # Which says that the folder is trusted by now.
            self._status.library = self._status.library.removesuffix(_NOT_TRUSTED)
        self.queued.messages = self._tabs.waiting
        self.tick()

    def tick(self) -> None:
        """Bring what a run changes by itself, time among it, up to date."""
        library = self._secretary.library
        unread = library.unread_descriptions
        reads = f"indexing {unread} agents" if unread else library.fetching
        self._status.activity = _activity(self._tabs)
        self._status.progress = self._tabs.waits_for or reads
        self.tab_bar.tabs = tabs_of(self._tabs, self.color_of)
        self.tab_bar.shown = self._tabs.shown.number
        title = title_of(self._tabs, self._secretary.project.name)
        self._signals.show(title, self._secretary.config, waits=_waits(self._tabs))

    def color_of(self, agent_id: str) -> str:
        """The colour that an agent's file names, empty for none; reads the library if need be."""
        return color_of(self._secretary.index, agent_id)

    @property
    def library(self) -> str:
        """What is said of the library."""
        return self._status.library

    def show_library(self, index: AgentIndex, unlisted: Unlisted | None) -> None:
        """Say how many agents there are, and what is odd about the library."""
        count, wrong = len(index.active), len(index.problems)
        problems = f" · {wrong} problem{'s' * (wrong != 1)}" if wrong else ""
        more = f" · {unlisted.count:,} not listed" if unlisted else ""
        trust = "" if self._secretary.is_trusted else _NOT_TRUSTED
        self._status.library = f"{count} agent{'s' * (count != 1)}{more}{problems}{trust}"

    def show_engine(self) -> None:
        """Say who answers."""
        engine = self._secretary.engine
        self._status.engine = "routing only" if engine is None else engine.label

    def show_today(self) -> None:
        """Say what all projects have cost today."""
        self._screen.run_worker(self._add_up_today, exclusive=True, group="today")

    async def _add_up_today(self) -> None:
        self._status.today = await asyncio.to_thread(_said_today)


def tabs_of(tabs: TabController[Any], color_of: Callable[[str], str]) -> tuple[RunTab, ...]:
    """A tab for each run, in their order, in the colours of their agents."""
    return tuple(
        _tab(tab, color_of(agent) if (agent := tab.progress.run_agent) else "")
        for tab in tabs.flows
    )


def title_of(tabs: TabController[Any], folder: str) -> str:
    """The terminal's title while anything runs: the agent, or how many; else empty."""
    running = [tab for tab in tabs.flows if tab.running]
    if not running:
        return ""
    who = running[0].progress.agent if len(running) == 1 else f"{len(running)} runs"
    return f"{'?' if _waits(tabs) else '●'} {who} – {folder}"


def _waits(tabs: TabController[Any]) -> bool:
    """Whether a run waits for the user."""
    return any(tab.running and tab.state is RunState.ASKING for tab in tabs.flows)


def _tab(tab: RunController[Any], color: str) -> RunTab:
    progress = tab.progress
    cost, elapsed_s = progress.spent.cost_usd, progress.elapsed_s
    return RunTab(
        tab.number,
        str(tab.state),
        progress.run_agent,
        progress.last_tool if tab.running else "",
        shown_time(elapsed_s) if progress.run_agent and elapsed_s else "",
        cents(cost) if cost is None or cost >= 0.005 else "",
        color,
    )


def _activity(tabs: TabController[Any]) -> str:
    """Which agent is at work in the tab that is shown, or about to be."""
    agent = (tabs.agent or tabs.route.chosen).rpartition(":")[2][:_LONGEST_NAME]
    if tabs.running:
        return f"● {agent} {tabs.elapsed_s:.0f} s"
    return f"→ {agent}" if tabs.holding else ""


def _said_today() -> str:
    """What all projects have cost today; empty for less than half a cent. Blocking."""
    from secretary_tui.sessions.statistics.spend_file import spent_today

    total = spent_today()
    more = "" if total.is_exact else "+"
    return f"today {cents(total.usd)}{more}" if total.usd >= 0.005 else ""
