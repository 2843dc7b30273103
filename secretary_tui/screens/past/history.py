"""Earlier runs: find one in all they said, read it again, go on, fork, export or delete it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from secretary_tui import paths
from secretary_tui.number_format import dollars
from secretary_tui.sanitize import clean_line
from secretary_tui.screens.past.export_screen import ExportScreen
from secretary_tui.screens.past.history_rows import describe_excerpt, describe_run
from secretary_tui.screens.past.run_dialogs import ConfirmScreen, ForkScreen
from secretary_tui.screens.past.run_finder import RunFinder
from secretary_tui.sessions.errors import SessionError
from secretary_tui.sessions.fork import fork_run, user_turns
from secretary_tui.sessions.query import RunQuery, parse_leniently, set_term, term
from secretary_tui.sessions.run_search import RunHit
from secretary_tui.sessions.store import RunOutcome, RunSummary, load_run
from secretary_tui.sessions.trash import KEPT_DAYS, delete_run, restore_run
from secretary_tui.widgets.key_bar import key_hints
from secretary_tui.widgets.lists.row_list import RowList

_CYCLES = {
    "outcome": ("", ":done", ":failed", ":stopped", ":capped", ":denied", ":cut-off"),
    "since": ("", ":today", ":7d", ":30d"),
    "cost": ("", ">0.01", ">0.10", ">1"),
}
"""What each key offers in turn; the line takes anything else, too."""
_TERMS = "words   agent:x   outcome:failed   cost>0.1   since:7d   project:all"
_DIM = "$foreground 60%"


@dataclass(frozen=True, slots=True)
class Reopen:
    """A run to show again."""

    run_id: str
    hand_on: bool = False
    """Whether its answer is for another agent."""


class HistoryScreen(ModalScreen[Reopen | None]):
    """Gives the run to reopen, or None. One line filters; keys write the usual terms into it."""

    CSS_PATH: ClassVar[list[str | PurePath]] = [paths.bundled("styles") / "history.tcss"]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Close"),
        Binding("q", "dismiss(None)", "Close", show=False),
        Binding("slash", "filter", "Filter", show=False),
        Binding("p", "scope", "All projects", show=False),
        Binding("o", "cycle('outcome')", "Outcome", show=False),
        Binding("t", "cycle('since')", "Time", show=False),
        Binding("c", "cycle('cost')", "Cost", show=False),
        Binding("a", "agent", "This agent", show=False),
        Binding("u", "undo", "Undo", show=False),
        Binding("h", "hand_on", "Hand on", show=False),
        Binding("f", "fork", "Fork", show=False),
        Binding("e", "export", "Export", show=False),
        Binding("d", "delete", "Delete", show=False),
        Binding("z", "restore", "Restore", show=False),
    ]

    def __init__(self, project: Path) -> None:
        super().__init__()
        self._project = project
        self._finders: dict[bool, RunFinder] = {}
        self._query = RunQuery()
        self._fault = ""
        self._hits: list[RunHit] = []
        self._looking = True
        self._deleted: list[str] = []

    def compose(self) -> ComposeResult:
        """Title, filter, list, what to say instead of an empty one, and two lines at the foot."""
        yield Static("History", classes="title", markup=False)
        yield Input(
            placeholder=f"/ {_TERMS}",
            classes="filter",
            compact=True,
        )
        yield RowList(self._describe, classes="list")
        yield Static(id="history-empty", markup=False)
        yield Static(classes="foot", markup=False)

    def on_mount(self) -> None:
        """Find the newest runs at once, the rest in a thread."""
        self.query_one("#history-empty", Static).display = False
        self.query_one(RowList).focus()
        self._show_foot()
        self._show()
        self._find(to_top=True)

    # ------------------------------------------------------------------ finding

    @property
    def _finder(self) -> RunFinder:
        everywhere = self._query.everywhere
        if everywhere not in self._finders:
            self._finders[everywhere] = RunFinder(None if everywhere else self._project)
        return self._finders[everywhere]

    @work(exclusive=True, group="find")
    async def _find(self, *, to_top: bool = False) -> None:
        finder, query = self._finder, self._query
        found: list[RunHit] = []
        async for hits in finder.find(query):
            found += hits
            self._hits = found
            self._show(to_top=to_top)
            to_top = False
        self._looking = False
        self._show()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as it is typed; a term that isn't finished yet counts for nothing."""
        query, self._fault = parse_leniently(event.value)
        self._show_foot()
        if query == self._query:
            return
        self._query = query
        self._looking = True
        self._find(to_top=True)

    def on_input_submitted(self) -> None:
        """Back to the list."""
        self.query_one(RowList).focus()

    # ------------------------------------------------------------------ showing

    def _show(self, *, to_top: bool = False) -> None:
        if self not in self.app.screen_stack:
            return
        rows, empty = self.query_one(RowList), self.query_one("#history-empty", Static)
        height = 3 if self._query.words else 2
        rows.set_rows(len(self._hits), height, cursor=0 if to_top else None)
        nothing = not self._hits and not self._looking
        empty.display = nothing
        if nothing:
            empty.update(self._nothing())
        self._show_counts()

    def _nothing(self) -> str:
        if self._finder.total:
            return "No matches. Esc clears the filter."
        if self._query.everywhere:
            return "No runs yet."
        return "No runs in this project yet. p shows all projects."

    def _describe(self, row: int) -> Content:
        if row >= len(self._hits):
            return Content("")
        hit = self._hits[row]
        text = describe_run(self._finder.priced(hit.run), project=self._query.everywhere)
        if not self._query.words:
            return text
        return Content("\n").join((text, describe_excerpt(hit.excerpt)))

    def _show_counts(self) -> None:
        finder = self._finder
        where = "all projects" if self._query.everywhere else clean_line(self._project.name)
        counted = f"{len(self._hits):,} of {finder.total:,} · {where}"
        if self._looking:
            counted += " · searching…"
        elif cost := sum(finder.priced(hit.run).cost_usd or 0.0 for hit in self._hits):
            counted += f" · {dollars(cost)}"
        title = Content.assemble("History", (f"   {counted}", _DIM))
        self.query_one(".title", Static).update(title, layout=False)

    def on_descendant_focus(self) -> None:
        """Other keys work now."""
        self._show_foot()

    def on_key(self, event: events.Key) -> None:
        """The arrow goes from the filter to the list."""
        if event.key == "down" and self.query_one(Input).has_focus:
            event.stop()
            self.query_one(RowList).focus()

    def _show_foot(self) -> None:
        # Not its `has_focus`, which a box that lost the focus has until it hears of that.
        typing = self.focused is self.query_one(Input)
        keys = (
            (key_hints(("Enter", "to the list"), close="clear"), "\n", (_TERMS, _DIM))
            if typing
            else _keys(can_restore=bool(self._deleted))
        )
        fault = (f"{self._fault}\n" if self._fault else "", "$text-warning")
        self.query_one(".foot", Static).update(Content.assemble(fault, *keys))

    # ------------------------------------------------------------------ filters

    def action_filter(self) -> None:
        """Go to the filter."""
        self.query_one(Input).focus()

    def action_back(self) -> None:
        """Clear the filter, then close."""
        box = self.query_one(Input)
        if box.value or box.has_focus:
            box.value = ""
            self.query_one(RowList).focus()
        else:
            self.dismiss(None)

    def action_scope(self) -> None:
        """This project, or all."""
        self._set("project", "" if self._query.everywhere else ":all")

    def action_cycle(self, key: str) -> None:
        """The next of the usual values of a term."""
        values = _CYCLES[key]
        now = term(self.query_one(Input).value, key)
        at = values.index(now) if now in values else -1
        self._set(key, values[(at + 1) % len(values)])

    def action_agent(self) -> None:
        """Only the runs of the agent under the cursor, or of all again."""
        run = self._highlighted
        if self._query.agent:
            self._set("agent", "")
        elif run is not None and run.agent:
            self._set("agent", f":{clean_line(run.agent)}")

    def _set(self, key: str, value: str) -> None:
        box = self.query_one(Input)
        box.value = set_term(box.value, key, value)

    # ------------------------------------------------------------------ actions

    @property
    def _highlighted(self) -> RunSummary | None:
        at = self.query_one(RowList).highlighted
        return self._hits[at].run if at is not None and at < len(self._hits) else None

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Reopen the run."""
        if event.row < len(self._hits):
            self.dismiss(Reopen(self._hits[event.row].run.id))

    def action_hand_on(self) -> None:
        """Reopen the run under the cursor and hand its answer on to another agent."""
        run = self._highlighted
        if run is not None:
            self.dismiss(Reopen(run.id, hand_on=True))

    @work(exclusive=True, group="undo")
    async def action_undo(self) -> None:
        """Show what the run under the cursor changed, and let it be undone."""
        run = self._highlighted
        if run is None:
            return
        if run.outcome is RunOutcome.RUNNING:
            self.notify("The run is still in progress. Undo it when it has ended.", timeout=3)
        else:
            from secretary_tui.screens.past.undo_screen import open_undo

            await open_undo(self.app, run.id, run.agent, run.request)

    def action_export(self) -> None:
        """Write the run under the cursor to a file."""
        run = self._highlighted
        if run is not None:
            title = clean_line(f"{run.agent}: {run.request}")[:200]
            self.app.push_screen(ExportScreen(run.id, title, self._project))

    @work(exclusive=True, group="act")
    async def action_fork(self) -> None:
        """Begin a new run with the conversation of the one under the cursor, or a part of it."""
        run = self._highlighted
        if run is None:
            return
        try:
            record = await asyncio.to_thread(load_run, run.id)
            turns = user_turns(record.events)
            turn = await self.app.push_screen_wait(ForkScreen(turns)) if len(turns) > 1 else None
            if turn is None and len(turns) > 1:
                return
            forked = await asyncio.to_thread(fork_run, record, turn)
        except SessionError as error:
            self._complain(error)
            return
        self.notify("Forked. Your next message continues the new run.")
        self.dismiss(Reopen(forked))

    @work(exclusive=True, group="act")
    async def action_delete(self) -> None:
        """Ask, then move the run under the cursor to the trash."""
        run = self._highlighted
        if run is None:
            return
        if run.outcome is RunOutcome.RUNNING:
            self.notify("The run is still in progress. Delete it when it has ended.", timeout=3)
            return
        request = clean_line(run.request)[:120]
        sure = await self.app.push_screen_wait(
            ConfirmScreen(
                f"Delete this run of {clean_line(run.agent) or run.id}?",
                f"{request}\n\nIts log, its pictures and the originals of the files it changed go "
                f"to the trash, so what it changed can't be undone. z restores the run; after "
                f"{KEPT_DAYS} days it is deleted for good.",
                "delete",
            )
        )
        if sure and await self._carry_out(lambda: delete_run(run.id)):
            self._deleted.append(run.id)
            self._show_foot()
            self._hits = [hit for hit in self._hits if hit.run.id != run.id]
            for finder in self._finders.values():
                finder.forget(run.id)
            self._find()

    @work(exclusive=True, group="act")
    async def action_restore(self) -> None:
        """Bring back what was deleted last."""
        if self._deleted and await self._carry_out(lambda: restore_run(self._deleted[-1])):
            self._deleted.pop()
            self._show_foot()
            self._finders.clear()
            self._looking = True
            self._find()

    async def _carry_out(self, act: Callable[[], str]) -> bool:
        try:
            await asyncio.to_thread(act)
        except SessionError as error:
            self._complain(error)
            return False
        return True

    def _complain(self, error: SessionError) -> None:
        said = str(error)
        self.notify(said[:1].upper() + said[1:], severity="error", markup=False)


def _keys(*, can_restore: bool) -> tuple[Content | str, ...]:
    back = (("z", "restore"),) if can_restore else ()
    return (
        key_hints(
            *(("Enter", "open"), ("f", "fork"), ("e", "export"), ("d", "delete")),
            *(*back, ("u", "undo"), ("h", "hand on")),
            close="",
        ),
        "\n",
        key_hints(
            *(("/", "filter"), ("a", "agent"), ("o", "outcome"), ("t", "time")),
            *(("c", "cost"), ("p", "projects")),
        ),
    )
