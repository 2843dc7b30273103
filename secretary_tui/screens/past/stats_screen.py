"""What the choices add up to: an overview, the agents, and every decision, which can be forgotten.

Three views over one list of the past, read in a thread. What is forgotten is out of the log at
once; until the screen is closed it can be taken back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from pathlib import Path, PurePath
from typing import ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from secretary_tui import paths
from secretary_tui.screens.filtered_list import FilteredListScreen
from secretary_tui.screens.past.forgetting import Forgetting
from secretary_tui.screens.past.stats_pages import (
    MOST_ROWS,
    ORDERS,
    OVERVIEW_KEYS,
    agents_foot,
    decision_page,
    decisions_foot,
    describe_decision,
    fits,
    nothing_counted,
    overview_page,
    views_line,
)
from secretary_tui.screens.viewer import ViewerScreen
from secretary_tui.sessions.decisions import Decision
from secretary_tui.sessions.past import Past, read_past
from secretary_tui.sessions.statistics.report import agent_header, agent_line
from secretary_tui.sessions.statistics.statistics import Statistics, day_of, summarize
from secretary_tui.widgets.lists.choice_list import ChoiceList

OVERVIEW, AGENTS, DECISIONS = range(3)
VIEWS = ("Overview", "Agents", "Decisions")
TIMES: tuple[tuple[int | None, str], ...] = (
    (None, "all time"),
    (90, "90 days"),
    (30, "30 days"),
    (7, "7 days"),
)


class StatsScreen(FilteredListScreen[None]):
    """1, 2, 3 or Tab change the view."""

    CSS_PATH: ClassVar[list[str | PurePath]] = [
        paths.bundled("styles") / "screens.tcss",
        paths.bundled("styles") / "stats.tcss",
    ]
    HEADING = "Statistics"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "view(0)", "Overview", show=False),
        Binding("2", "view(1)", "Agents", show=False),
        Binding("3", "view(2)", "Decisions", show=False),
        Binding("tab", "next_view(1)", "Next view", show=False, priority=True),
        Binding("shift+tab", "next_view(-1)", "Previous view", show=False, priority=True),
        Binding("t", "time", "Time", show=False),
        Binding("p", "scope", "All projects", show=False),
        Binding("s", "sort", "Sort", show=False),
        Binding("j", "scroll_page(1)", "Down", show=False),
        Binding("k", "scroll_page(-1)", "Up", show=False),
        Binding("d", "forget", "Forget", show=False),
        Binding("u", "undo", "Undo", show=False),
    ]

    def __init__(self, project: Path) -> None:
        super().__init__()
        self._project = project
        self._everywhere = False
        self._time = 0
        self._view = OVERVIEW
        self._order = 0
        self._past = Past()
        self._found: Statistics | None = None
        self._decisions: list[Decision] = []
        """Those on the list, newest first."""
        self._nothing = ""
        """What is said where there is nothing to count."""

    def compose(self) -> ComposeResult:
        """Title, views, filter, the page or the list, and a line at the foot."""
        yield Static(self.HEADING, classes="title", markup=False)
        yield Static(id="stats-views", markup=False)
        box = Input(placeholder="filter", classes="filter", compact=True)
        box.display = False
        yield box
        with VerticalScroll(id="stats-scroll"):
            yield Static(id="stats-page", markup=False)
        yield Static(id="stats-header", markup=False)
        yield ChoiceList(classes="list", markup=False)
        yield Static(classes="foot", markup=False)

    def on_mount(self) -> None:
        """Read decisions and runs in a thread."""
        self._forgetting = Forgetting(self.app, lambda: self._is_open and self._load())
        self.action_view(OVERVIEW)
        self._load()

    def on_resize(self, event: events.Resize) -> None:
        """Lay plots and columns out for the new width."""
        self.show_rows()

    @work(exclusive=True)
    async def _load(self) -> None:
        project = None if self._everywhere else self._project
        past, found, decisions = await asyncio.to_thread(_read, project, TIMES[self._time][0])
        if self._is_open and not self._forgetting.busy:  # Else it is read again at once.
            self._past, self._found, self._decisions = past, found, decisions
            self._nothing = nothing_counted(past, TIMES[self._time][1])
            options = self.query_one(ChoiceList)
            row = options.highlighted
            self.show_rows()
            _move_to(options, row or 0)

    @property
    def _is_open(self) -> bool:
        """Whether there is still something to show it on: not while the screen closes."""
        return self in self.app.screen_stack

    # ------------------------------------------------------------------ showing

    def show_rows(self) -> None:
        """Show the view: the page, the agents, or the decisions that fit the filter."""
        self._show_views()
        if self._found is None:
            self.say(Content("Loading…"))
        elif self._view == OVERVIEW:
            page = overview_page(self._found, self._columns, self._nothing)
            self.query_one("#stats-page", Static).update(page)
            self.say(OVERVIEW_KEYS)
        elif self._view == AGENTS:
            self._show_agents(self._found)
        else:
            self._show_decisions()

    @property
    def _columns(self) -> int:
        """What the list and the page leave for text: not the edges, not the scroll bar."""
        return max(20, self.size.width - 3)

    def _show_views(self) -> None:
        where = "all projects" if self._everywhere else self._project.name
        line = views_line(VIEWS, self._view, (("t", TIMES[self._time][1]), ("p", where)))
        self.query_one("#stats-views", Static).update(line)

    def _show_agents(self, found: Statistics) -> None:
        (order, sort_key), words = ORDERS[self._order], self.words
        shown = [u for u in found.agents if all(word in u.agent.lower() for word in words)]
        shown.sort(key=sort_key)
        self.query_one("#stats-header", Static).update(agent_header(self._columns))
        rows = [Option(agent_line(use, self._columns), id=use.agent) for use in shown]
        self.fill(rows, agents_foot(len(shown), len(found.agents), order, self._nothing))

    def _show_decisions(self, *, forgot: bool = False) -> None:
        """Fill the list, or after one was forgotten, only count again."""
        words, all_of = self.words, len(self._decisions)
        shown = [d for d in self._decisions if fits(d, words)]
        can_take_back = self._forgetting.can_take_back
        foot = decisions_foot(len(shown), all_of, self._nothing, can_take_back=can_take_back)
        if forgot:
            self.say(foot)
        else:
            rows = [Option(describe_decision(d), id=d.id) for d in shown[:MOST_ROWS]]
            self.fill(rows, foot)

    # ------------------------------------------------------------------ actions

    def action_view(self, view: int) -> None:
        """Show another view."""
        self._view = view
        box = self.query_one(Input)
        box.value = ""
        box.display = False
        page, options = self.query_one("#stats-scroll"), self.query_one(ChoiceList)
        page.display = view == OVERVIEW
        options.display = view != OVERVIEW
        self.query_one("#stats-header").display = view == AGENTS
        (page if view == OVERVIEW else options).focus()
        self.show_rows()

    def action_next_view(self, step: int) -> None:
        """The next view, or the one before."""
        self.action_view((self._view + step) % len(VIEWS))

    def action_time(self) -> None:
        """All time, or the last days."""
        self._time = (self._time + 1) % len(TIMES)
        self._show_views()
        self._load()

    def action_scope(self) -> None:
        """This project, or all."""
        self._everywhere = not self._everywhere
        self._load()

    def action_sort(self) -> None:
        """Sort the agents another way."""
        if self._view == AGENTS:
            self._order = (self._order + 1) % len(ORDERS)
            self.show_rows()

    def action_filter(self) -> None:
        """Open the filter, where there is a list."""
        if self._view != OVERVIEW:
            super().action_filter()

    def action_scroll_page(self, step: int) -> None:
        """Scroll the overview; in the other views the list has the keys."""
        self.query_one("#stats-scroll").scroll_relative(y=step, animate=False)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter on an agent shows its decisions, on a decision all of it."""
        if self._view == AGENTS and event.option_id:
            self.action_view(DECISIONS)
            self.action_filter()
            self.query_one(Input).value = event.option_id
            self.query_one(ChoiceList).focus()
        elif self._view == DECISIONS:
            page = decision_page(_find(self._decisions, event.option_id))
            self.app.push_screen(ViewerScreen("Decision", page))

    def action_forget(self) -> None:
        """Forget the decision under the cursor; `u` takes that back."""
        options = self.query_one(ChoiceList)
        row = options.highlighted
        if self._view != DECISIONS or row is None:
            return
        decision = _find(self._decisions, options.get_option_at_index(row).id)
        self._decisions.remove(decision)
        options.remove_option_at_index(row)
        _move_to(options, row)
        self._forgetting.forget(decision, self._past.logs[decision.id])
        self._show_decisions(forgot=True)

    def action_undo(self) -> None:
        """Take back what was forgotten last."""
        if self._view == DECISIONS and self._forgetting.can_take_back:
            self._forgetting.take_back()


def _move_to(options: ChoiceList, row: int) -> None:
    if options.option_count:
        options.highlighted = min(row, options.option_count - 1)


def _find(decisions: Sequence[Decision], decision_id: str | None) -> Decision:
    return next(decision for decision in decisions if decision.id == decision_id)


def _read(project: Path | None, days: int | None) -> tuple[Past, Statistics, list[Decision]]:
    """What happened in the last days (or ever), what it adds up to, its decisions newest first."""
    now = None if days is None else today()
    since = now - timedelta(days=days - 1) if now and days else None
    past = read_past(project)
    kept = (d for d in past.decisions if since is None or (day_of(d.at) or date.min) >= since)
    found = summarize(past.decisions, past.runs, since=since, today=now)
    return past, found, sorted(kept, key=lambda d: -d.at)


def today() -> date:
    """The day where the user is."""
    return datetime.now().date()
