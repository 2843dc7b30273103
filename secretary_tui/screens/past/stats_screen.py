"""What the choices add up to: an overview, the agents, and every decision, which can be forgotten.

Three views over one list of the past, read in a thread. What is forgotten is out of the log at
once; until the screen is closed it can be taken back.
"""

from __future__ import annotations

import asyncio
import re
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
from secretary_tui.figures import BLOCKS
from secretary_tui.screens.filtered_list import FilteredListScreen
from secretary_tui.screens.past.agent_orders import ORDERS
from secretary_tui.screens.past.decision_rows import decision_page, describe_decision, fits
from secretary_tui.screens.past.forgetting import Forgetting
from secretary_tui.screens.viewer import ViewerScreen
from secretary_tui.sessions.decisions import Decision
from secretary_tui.sessions.past import Past, read_past
from secretary_tui.sessions.statistics.report import (
    AGENT_LEGEND,
    agent_header,
    agent_line,
    headline,
    sections,
)
from secretary_tui.sessions.statistics.statistics import Statistics, day_of, summarize
from secretary_tui.widgets.key_bar import key_hints
from secretary_tui.widgets.lists.choice_list import ChoiceList

MOST_ROWS = 1_000
"""Decisions on the list at a time."""
OVERVIEW, AGENTS, DECISIONS = range(3)
VIEWS = ("Overview", "Agents", "Decisions")
TIMES: tuple[tuple[int | None, str], ...] = (
    (None, "all time"),
    (90, "90 days"),
    (30, "30 days"),
    (7, "7 days"),
)


_PLOT = re.compile(f"[{BLOCKS.full}{BLOCKS.empty}{BLOCKS.rising}{BLOCKS.gap}]{{2,}}")


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
        Binding("u", "undo", "Take back", show=False),
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
        self._forgetting = Forgetting(self.app, self._read_again)
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
            row = self.query_one(ChoiceList).highlighted
            self.show_rows()
            self._move_to(row or 0)

    @property
    def _is_open(self) -> bool:
        """Whether there is still something to show it on: not while the screen closes."""
        return self in self.app.screen_stack

    # ------------------------------------------------------------------ showing

    def show_rows(self) -> None:
        """Show the view: the page, the agents, or the decisions that fit the filter."""
        self._show_views()
        if self._found is None:
            self.say(Content("Counting…"))
        elif self._view == OVERVIEW:
            self._show_overview(self._found)
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
        parts: list[str | tuple[str, str]] = []
        for number, name in enumerate(VIEWS):
            here = number == self._view
            parts.append((f"{number + 1} ", "bold $accent"))
            parts.append((f"[{name}]" if here else f" {name} ", "bold" if here else ""))
            parts.append("  ")
        for key, value in (("t", TIMES[self._time][1]), ("p", where)):
            parts += [(f"{key} ", "bold $accent"), (f"{value}  ", "$foreground 60%")]
        self.query_one("#stats-views", Static).update(Content.assemble(*parts))

    def _show_overview(self, found: Statistics) -> None:
        page = self.query_one("#stats-page", Static)
        if found.requests or found.runs:
            parts: list[str | tuple[str, str]] = [headline(found), "\n"]
            for section in sections(found, self._columns):
                parts.append((f"\n{section.title}\n", "bold $primary"))
                parts.extend(f"{line}\n" for line in section.lines)
            page.update(Content.assemble(*parts).rstrip().highlight_regex(_PLOT, style="$primary"))
        else:
            page.update(self._nothing())
        self.say(key_hints(("Tab", "views"), ("↑↓", "scroll"), ("t", "time"), ("p", "projects")))

    def _nothing(self) -> str:
        if self._past.decisions or self._past.runs:
            return f"Nothing happened in the last {TIMES[self._time][1]}. t changes the time."
        return (
            "Nothing to count yet. From the first request on you see here how often the right "
            "agent was recommended, how the agents fared, and what all of it cost."
        )

    def _show_agents(self, found: Statistics) -> None:
        words = self.words
        order = ORDERS[self._order]
        shown = [u for u in found.agents if all(word in u.agent.lower() for word in words)]
        shown.sort(key=order.key)
        self.query_one("#stats-header", Static).update(agent_header(self._columns))
        self.fill(
            [Option(agent_line(use, self._columns), id=use.agent) for use in shown],
            Content.assemble(
                (f"{AGENT_LEGEND if found.agents else self._nothing()}\n", "$foreground 60%"),
                key_hints(
                    ("Enter", "its decisions"),
                    ("s", f"sorted by {order.title}"),
                    ("/", "filter"),
                ),
                (f"   {len(shown)} of {len(found.agents)}", "$foreground 60%"),
            ),
        )

    def _show_decisions(self) -> None:
        words = self.words
        shown = [d for d in self._decisions if fits(d, words)]
        rows = [Option(describe_decision(d), id=d.id) for d in shown[:MOST_ROWS]]
        self.fill(rows, self._decisions_foot(len(shown)))

    def _decisions_foot(self, shown: int) -> Content:
        hint = "" if self._decisions else f"{self._nothing()}\n"
        if shown > MOST_ROWS:
            hint = f"The newest {MOST_ROWS:,} are listed; the filter finds the others.\n"
        undo = (("u", "take back"),) if self._forgetting.can_take_back else ()
        return Content.assemble(
            (hint, "$foreground 60%"),
            key_hints(("Enter", "read"), ("d", "forget"), *undo, ("/", "filter")),
            (f"   {shown:,} of {len(self._decisions):,}", "$foreground 60%"),
        )

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
            page = decision_page(self._decision(event.option_id))
            self.app.push_screen(ViewerScreen("Decision", page))

    def action_forget(self) -> None:
        """Forget the decision under the cursor; `u` takes that back."""
        options = self.query_one(ChoiceList)
        row = options.highlighted
        if self._view != DECISIONS or row is None:
            return
        decision = self._decision(options.get_option_at_index(row).id)
        self._decisions.remove(decision)
        options.remove_option_at_index(row)
        self._move_to(row)
        self._forgetting.forget(decision, self._past.logs[decision.id])
        words = self.words
        self.say(self._decisions_foot(sum(fits(d, words) for d in self._decisions)))

    def _decision(self, decision_id: str | None) -> Decision:
        return next(d for d in self._decisions if d.id == decision_id)

    def action_undo(self) -> None:
        """Take back what was forgotten last."""
        if self._view == DECISIONS and self._forgetting.can_take_back:
            self._forgetting.take_back()

    def _read_again(self) -> None:
        if self._is_open:
            self._load()

    def _move_to(self, row: int) -> None:
        options = self.query_one(ChoiceList)
        if options.option_count:
            options.highlighted = min(row, options.option_count - 1)


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
