"""Earlier runs: find one, read it again, go on with the same agent."""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from secretary_tui import paths
from secretary_tui.sessions.store import RunOutcome, RunSummary, list_runs

GLYPHS = {
    RunOutcome.DONE: ("✓", "$text-success"),
    RunOutcome.PARTIAL: ("◐", "$text-warning"),
    RunOutcome.INTERRUPTED: ("■", "$text-warning"),
    RunOutcome.FAILED: ("✗", "$text-error"),
    RunOutcome.CUT_OFF: ("…", "$text-warning"),
    RunOutcome.RUNNING: ("●", "$text-accent"),
}


class HistoryScreen(ModalScreen[str | None]):
    """Gives the id of the run to reopen, or None."""

    CSS_PATH = paths.bundled("styles") / "screens.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Close"),
        Binding("slash", "filter", "Filter", show=False),
        Binding("p", "scope", "All projects", show=False),
        Binding("j", "move(1)", "Down", show=False),
        Binding("k", "move(-1)", "Up", show=False),
        Binding("q", "dismiss(None)", "Close", show=False),
    ]

    def __init__(self, project: Path) -> None:
        super().__init__()
        self._project = project
        self._everywhere = False
        self._runs: tuple[RunSummary, ...] = ()

    def compose(self) -> ComposeResult:
        """Title, filter, the list."""
        yield Static("History", id="history-title", markup=False)
        box = Input(placeholder="filter", id="history-filter", compact=True)
        box.display = False
        yield box
        yield OptionList(id="history-list", markup=False)
        yield Static(id="history-foot", markup=False)

    def on_mount(self) -> None:
        """Read the logs in a thread."""
        self.query_one(OptionList).focus()
        self._load()

    @work(exclusive=True)
    async def _load(self) -> None:
        project = None if self._everywhere else self._project
        self._runs = await asyncio.to_thread(list_runs, project)
        self._show()

    def _show(self) -> None:
        options = self.query_one(OptionList)
        words = self.query_one("#history-filter", Input).value.lower().split()
        shown = [run for run in self._runs if _fits(run, words)]
        options.clear_options()
        options.add_options([Option(describe_run(run), id=run.id) for run in shown])
        if shown:
            options.highlighted = 0
        where = "all projects" if self._everywhere else self._project.name
        hint = "" if self._runs else "No runs yet: what an agent does is kept here.  "
        self.query_one("#history-foot", Static).update(
            Content.assemble(
                (hint, "$foreground 60%"),
                ("Enter", "bold $accent"),
                (" read and go on  ", "$foreground 60%"),
                ("/", "bold $accent"),
                (" filter  ", "$foreground 60%"),
                ("p", "bold $accent"),
                (" projects  ", "$foreground 60%"),
                ("Esc", "bold $accent"),
                (f" close   {len(shown)} of {len(self._runs)} · {where}", "$foreground 60%"),
            )
        )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Reopen the run."""
        self.dismiss(event.option_id)

    def on_input_changed(self) -> None:
        """Filter as it is typed."""
        self._show()

    def on_input_submitted(self) -> None:
        """Back to the list."""
        self.query_one(OptionList).focus()

    def action_filter(self) -> None:
        """Open the filter."""
        box = self.query_one("#history-filter", Input)
        box.display = True
        box.focus()

    def action_scope(self) -> None:
        """This project, or all."""
        self._everywhere = not self._everywhere
        self._load()

    def action_move(self, step: int) -> None:
        """Move the cursor."""
        options = self.query_one(OptionList)
        if step > 0:
            options.action_cursor_down()
        else:
            options.action_cursor_up()

    def action_back(self) -> None:
        """Clear the filter, then close."""
        box = self.query_one("#history-filter", Input)
        if box.display:
            box.value = ""
            box.display = False
            self.query_one(OptionList).focus()
        else:
            self.dismiss(None)


def describe_run(run: RunSummary) -> Content:
    """Two lines: when, who, how it ended; and what was asked."""
    glyph, style = GLYPHS[run.outcome]
    cost = "" if not run.cost_usd else f" · ${run.cost_usd:.2f}"
    request = " ".join(run.request.split()) or "(its beginning can't be read)"
    return Content.assemble(
        (f"{glyph} ", style),
        (f"{_when(run.started_at)}  ", "$foreground 60%"),
        (run.agent or run.id, "bold"),
        (f"  {run.outcome} · {run.model}{cost}\n", "$foreground 60%"),
        f"  {request[:200]}",
    )


def _when(started_at: str) -> str:
    try:
        return datetime.fromisoformat(started_at).astimezone().strftime("%d %b %H:%M")
    except ValueError:
        return "?"


def _fits(run: RunSummary, words: list[str]) -> bool:
    text = f"{run.agent} {run.request} {run.outcome} {run.model} {run.project}".lower()
    return all(word in text for word in words)
