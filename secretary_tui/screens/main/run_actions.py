"""What can be done with runs: reply, hand on, undo, put aside; show an earlier one again."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from secretary_tui.events import Notice
from secretary_tui.flow.handing_on import HandedAnswer
from secretary_tui.flow.tab_controller import TabController
from secretary_tui.screens.controller_host import FlowHost
from secretary_tui.screens.main.composer import Composer
from secretary_tui.screens.main.details_controller import color_of
from secretary_tui.screens.main.panes import Panes
from secretary_tui.secretary import Secretary
from secretary_tui.widgets.request.request_box import RequestBox
from secretary_tui.widgets.transcript.run_view import RunView

if TYPE_CHECKING:
    from textual.app import App

    from secretary_tui.screens.past.history import Reopen
    from secretary_tui.sessions.store import RunRecord


@dataclass(eq=False)
class RunActions:
    """Acts on the tab that is shown, or puts a run of the history into one."""

    _app: App[Any]
    _screen: FlowHost
    _secretary: Secretary
    _request: RequestBox
    _tabs: TabController[RunView]
    _composer: Composer
    _panes: Panes

    def toggle_reply(self) -> None:
        """Send the next message to the agent of the run, or route it anew."""
        if not self._tabs.run_id:
            self._screen.notify("No run to reply to yet.", timeout=3)
            return
        self._composer.replying = not self._composer.replying
        self._screen.follow_flow()

    def hand_on(self) -> None:
        """Let another agent go on with the last answer."""
        agent, text = self._tabs.run_agent, self._tabs.last_answer
        there_is = self._tabs.run_id and text
        if self._is_ready(there_is, "Hand its answer on", "no answer to hand on", "runs"):
            self._composer.hand_on(HandedAnswer(agent, text))

    def undo(self) -> None:
        """Show what the run changed, and let it be undone."""
        run_id, agent = self._tabs.run_id, self._tabs.run_agent
        if self._is_ready(run_id, "Undo it", "no run to undo"):
            from secretary_tui.screens.past.undo_screen import open_undo

            opening = open_undo(self._app, run_id, agent)
            self._screen.run_worker(opening, exclusive=True, group="undo")

    def export(self) -> None:
        """Write the run to a file."""
        run_id, agent = self._tabs.run_id, self._tabs.run_agent
        if self._is_ready(run_id, "Export it", "no run to export"):
            from secretary_tui.screens.past.export_screen import ExportScreen

            title, project = f"{agent}: this run", self._secretary.project
            self._app.push_screen(ExportScreen(run_id, title, project))

    def _is_ready(self, there_is: str, do_it: str, nothing: str, earlier: str = "ones") -> bool:
        """Whether there is something to do it with, of a run that has ended; else say so."""
        if self._tabs.running:
            self._screen.notify(
                f"The run is still in progress. {do_it} when it has ended.", timeout=3
            )
            return False
        if not there_is:
            history = self._screen.keys.way("history")
            message = f"There is {nothing} yet. {history} shows earlier {earlier}."
            self._screen.notify(message, timeout=3)
        return bool(there_is)

    def begin_new(self) -> bool:
        """Put the run aside; beside one that goes on, open a tab. False when that is too many."""
        tabs = self._tabs
        if tabs.running and tabs.is_full:
            self._screen.notify(tabs.full_sentence, timeout=5)
            return False
        if tabs.running:
            tabs.open_tab()
        else:
            tabs.shown.forget_run()
        self._composer.replying = False
        self._composer.stop_handing_on()
        self._panes.show_library()
        self._request.focus()
        self._screen.follow_flow()
        return True

    def show_next(self) -> None:
        """Show the next of several runs."""
        self._switch(1)

    def show_previous(self) -> None:
        """Show the run before of several."""
        self._switch(-1)

    def _switch(self, step: int) -> None:
        if not self._tabs.switch(step):
            new = self._screen.keys.way("new")
            message = f"Only one run is open. {new} during a run opens another."
            self._screen.notify(message, timeout=3)

    # ------------------------------------------------------------ earlier runs

    def open_history(self) -> None:
        """Open the history; a chosen run is shown and can be continued."""
        from secretary_tui.screens.past.history import HistoryScreen

        self._app.push_screen(HistoryScreen(self._secretary.project), self._reopen)

    def resume(self) -> None:
        """Show the last run of this project again; the next message goes on with it."""
        self._screen.run_worker(self._resume, exclusive=True, group="resume")

    async def _resume(self) -> None:
        from secretary_tui.screens.past.history import Reopen
        from secretary_tui.sessions.store import iter_runs

        project = self._secretary.project
        last = await asyncio.to_thread(lambda: next(iter_runs(project), None))
        if last is None:
            message = "No earlier run of this project to continue."
            self._screen.notify(message, timeout=3)
        else:
            await self._reopen(Reopen(last.id))

    async def _reopen(self, reopened: Reopen | None) -> None:
        """Show a stored run again; a reply continues it, and its answer can be handed on."""
        from secretary_tui.sessions.errors import SessionError
        from secretary_tui.sessions.store import load_run

        if reopened is None:
            return
        try:
            record = await asyncio.to_thread(load_run, reopened.run_id)
        except SessionError as error:
            self._screen.notify(str(error), severity="error", markup=False)
            return
        if not self._tabs.show_id(record.id):
            if not self.begin_new():
                return
            await self._show(record)
        self._composer.replying = True
        self._screen.follow_flow()
        if reopened.hand_on:
            self.hand_on()

    def _color_of(self, agent_id: str) -> str:
        return color_of(self._secretary.index, agent_id)

    async def _show(self, record: RunRecord) -> None:
        from secretary_tui.sessions.store import RunOutcome

        tab = self._tabs.shown
        tab.show_run(record.id, record.started.agent, record.events)
        self._panes.show_library(False)
        if record.outcome is RunOutcome.RUNNING:
            tab.watched.begin(record.id, record.started.agent)
        else:
            view = RunView(tab.view.transcript, live=False, color_of=self._color_of)
            await view.replay(record.events)
            tab.view.about = view.about
        if record.problem:
            tab.view.show(Notice(record.problem, "warning"))
