"""Earlier runs: find one, read it again, go on with the same agent."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from secretary_tui.delegation.budget import dollars
from secretary_tui.screens.filtered_list import FilteredListScreen
from secretary_tui.screens.undo_door import open_undo
from secretary_tui.sessions.spent import with_whole_costs
from secretary_tui.sessions.store import RunOutcome, RunSummary, list_runs

GLYPHS = {
    RunOutcome.DONE: ("✓", "$text-success"),
    RunOutcome.PARTIAL: ("◐", "$text-warning"),
    RunOutcome.INTERRUPTED: ("■", "$text-warning"),
    RunOutcome.FAILED: ("✗", "$text-error"),
    RunOutcome.CUT_OFF: ("…", "$text-warning"),
    RunOutcome.RUNNING: ("●", "$text-accent"),
}


@dataclass(frozen=True, slots=True)
class Reopen:
    """A run to show again."""

    run_id: str
    hand_on: bool = False
    """Whether its answer is for another agent."""


class HistoryScreen(FilteredListScreen[Reopen | None]):
    """Gives the run to reopen, or None."""

    HEADING = "History"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "scope", "All projects", show=False),
        Binding("u", "undo", "Undo", show=False),
        Binding("h", "hand_on", "Hand on", show=False),
    ]

    def __init__(self, project: Path) -> None:
        super().__init__()
        self._project = project
        self._everywhere = False
        self._runs: tuple[RunSummary, ...] = ()

    def on_mount(self) -> None:
        """Read the logs in a thread."""
        self.query_one(OptionList).focus()
        self._load()

    @work(exclusive=True)
    async def _load(self) -> None:
        project = None if self._everywhere else self._project
        self._runs = await asyncio.to_thread(lambda: with_whole_costs(list_runs(project)))
        self.show_rows()

    def show_rows(self) -> None:
        """Show the runs that fit the filter."""
        words = self.words
        shown = [run for run in self._runs if _fits(run, words)]
        where = "all projects" if self._everywhere else self._project.name
        hint = "" if self._runs else "No runs yet: what an agent does is kept here.  "
        self.fill(
            [Option(describe_run(run), id=run.id) for run in shown],
            Content.assemble(
                (hint, "$foreground 60%"),
                ("Enter", "bold $accent"),
                (" open  ", "$foreground 60%"),
                ("/", "bold $accent"),
                (" filter  ", "$foreground 60%"),
                ("p", "bold $accent"),
                (" projects  ", "$foreground 60%"),
                ("u", "bold $accent"),
                (" undo  ", "$foreground 60%"),
                ("h", "bold $accent"),
                (" hand on  ", "$foreground 60%"),
                (
                    f" {len(shown)} of {len(self._runs)} · {where}{_total(shown)}",
                    "$foreground 60%",
                ),
            ),
        )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Reopen the run."""
        self.dismiss(Reopen(event.option_id) if event.option_id else None)

    @work(exclusive=True, group="undo")
    async def action_undo(self) -> None:
        """Show what the run under the cursor changed, and let it be undone."""
        run = self._highlighted
        if run is None:
            return
        if run.outcome is RunOutcome.RUNNING:
            self.notify("The run goes on. Undo it when it has ended.", timeout=3)
        else:
            await open_undo(self, run.id, run.agent, run.request)

    def action_hand_on(self) -> None:
        """Reopen the run under the cursor and hand its answer on to another agent."""
        run = self._highlighted
        if run is not None:
            self.dismiss(Reopen(run.id, hand_on=True))

    @property
    def _highlighted(self) -> RunSummary | None:
        at = self.query_one(OptionList).highlighted
        option = self.query_one(OptionList).get_option_at_index(at) if at is not None else None
        return next((r for r in self._runs if option is not None and r.id == option.id), None)

    def action_scope(self) -> None:
        """This project, or all."""
        self._everywhere = not self._everywhere
        self._load()


def describe_run(run: RunSummary) -> Content:
    """Two lines: when, who, how it ended; and what was asked."""
    glyph, style = GLYPHS[run.outcome]
    cost = "" if not run.cost_usd else f" · {dollars(run.cost_usd)}"
    request = " ".join(run.request.split()) or "(its beginning can't be read)"
    return Content.assemble(
        (f"{glyph} ", style),
        (f"{_when(run.started_at)}  ", "$foreground 60%"),
        (run.agent or run.id, "bold"),
        (f"  {run.outcome} · {run.model}{cost}\n", "$foreground 60%"),
        f"  {request[:200]}",
    )


def _total(runs: Sequence[RunSummary]) -> str:
    """What the shown runs cost: of an agent, when its name is the filter."""
    cost = sum(run.cost_usd or 0.0 for run in runs)
    return f" · {dollars(cost)}" if cost else ""


def _when(started_at: str) -> str:
    try:
        return datetime.fromisoformat(started_at).astimezone().strftime("%d %b %H:%M")
    except ValueError:
        return "?"


def _fits(run: RunSummary, words: list[str]) -> bool:
    text = f"{run.agent} {run.request} {run.outcome} {run.model} {run.project}".lower()
    return all(word in text for word in words)
