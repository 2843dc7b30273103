"""What the actions of the main screen do; `actions.ACTIONS` says by which key and name."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual import work

from secretary_tui.flow.handing_on import HandedAnswer
from secretary_tui.screens.host import host_of
from secretary_tui.screens.main.main_view import MainView
from secretary_tui.screens.past.undo_door import open_undo

if TYPE_CHECKING:
    from secretary_tui.screens.past.history import Reopen

EARLY = frozenset({"quit", "leave", "interrupt", "help", "redraw"})
"""Actions that work before the late parts of the screen are there."""


class MainActions(MainView):
    """The verbs of the main screen; what they act on is in `MainScreen`."""

    quit_armed = False
    """Whether the next Ctrl+C quits."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Most actions need the late parts, which come a moment after the first paint."""
        return self.completed.is_set() or action in EARLY

    def action_filter(self) -> None:
        """Open the filter of the index."""
        self.set_class(True, "library-view")
        self.library.open_filter()

    def action_step_back(self) -> None:
        """Esc: one step back, from the innermost; a run is interrupted from the request box."""
        if self.searching.close() or self.shell.stop():
            return
        if self.composer.stop_editing() or self.dispatch.route.take_back():
            return
        if self.open_panel is None and self.composer.stop_handing_on():
            return
        if self.library.close_filter():
            return
        if self.focused is not self.request and self.open_panel is None:
            self.request.focus()
            shown = bool(self.dispatch.run_id) or self.dispatch.running
            self.set_class(not shown, "library-view")
        elif self.match_panel.is_open:  # Before a run that goes on behind it.
            self.match_panel.take_key("escape")
        else:
            self.dispatch.step_back()

    def action_next_pane(self) -> None:
        """Tab: to the panel that waits for an answer, else to the next pane."""
        panel = self.open_panel
        if panel is None or panel is self.match_panel or panel.has_focus_within:
            self.focus_next()
        else:
            panel.focus()

    def action_interrupt(self) -> None:
        """Ctrl+C: interrupt, then clear, then quit on the second press."""
        selected = self.get_selected_text()
        if selected:
            self.app.copy_to_clipboard(selected)
            self.clear_selection()
        elif self.is_whole and (self.searching.close() or self.shell.stop()):
            return
        elif self.is_whole and self.dispatch.routing and not self.dispatch.holding:
            self.dispatch.cancel()
        elif self.is_whole and self.dispatch.step_back():
            return
        elif self.is_whole and self.dispatch.busy:
            self.dispatch.cancel()
        elif self.request.text:
            self.request.clear()
        elif self.quit_armed:
            self.action_quit()
        else:
            self.quit_armed = True
            self.notify("Ctrl+C again quits.", timeout=3)

    def action_leave(self) -> None:
        """Ctrl+D: quit from an empty box, else delete to the right."""
        if self.is_whole and self.searching.is_open:
            return
        if self.focused is self.request and self.request.text:
            self.request.action_delete_right()
        else:
            self.action_quit()

    def action_quit(self) -> None:
        """End the run in order, keep the draft, leave."""
        self.run_worker(host_of(self).leave(), exclusive=True, group="leave")

    def action_help(self) -> None:
        """Show all keys."""
        from secretary_tui.screens.help_screen import help_screen

        self.app.push_screen(help_screen(self.keys))

    def action_cycle_mode(self) -> None:
        """The next of manual, aware, proactive, written to the project's settings."""
        if self.focused is not self.request:
            self.focus_previous()
            return
        from secretary_tui.settings import ActivationMode

        modes = list(ActivationMode)
        current = self.secretary.config.activation_mode
        host_of(self).change_setting(
            "activation_mode", modes[(modes.index(current) + 1) % len(modes)], project=True
        )

    def action_settings(self) -> None:
        """Open the settings."""
        from secretary_tui.screens.setup.settings_screen import SettingsScreen

        self.app.push_screen(SettingsScreen())

    def action_setup(self) -> None:
        """Choose where models answer."""
        host_of(self).open_setup()

    def action_history(self) -> None:
        """Open the history; a chosen run is shown and can be continued."""
        from secretary_tui.screens.past.history import HistoryScreen

        self.app.push_screen(HistoryScreen(self.secretary.project), self.reopen)

    @work(exclusive=True, group="resume")
    async def action_resume(self) -> None:
        """Show the last run of this project again; the next message goes on with it."""
        from secretary_tui.screens.past.history import Reopen
        from secretary_tui.sessions.store import iter_runs

        last = await asyncio.to_thread(lambda: next(iter_runs(self.secretary.project), None))
        if last is None:
            self.notify("There is no earlier run of this project to go on with.", timeout=3)
        else:
            await self.reopen(Reopen(last.id))

    def action_stats(self) -> None:
        """Show what the choices add up to."""
        from secretary_tui.screens.past.stats_screen import StatsScreen

        self.app.push_screen(StatsScreen(self.secretary.project))

    @work(exclusive=True, group="undo")
    async def action_undo(self) -> None:
        """Show what the run on the screen changed, and let it be undone."""
        if self.dispatch.running:
            self.notify("The run goes on. Undo it when it has ended.", timeout=3)
        elif not self.dispatch.run_id:
            earlier = self.keys.way("history")
            self.notify(f"There is no run to undo yet. {earlier} shows earlier ones.", timeout=3)
        else:
            await open_undo(self, self.dispatch.run_id, self.dispatch.run_agent)

    def action_export(self) -> None:
        """Write the run on the screen to a file."""
        dispatch = self.dispatch
        if dispatch.running:
            self.notify("The run goes on. Export it when it has ended.", timeout=3)
        elif not dispatch.run_id:
            earlier = self.keys.way("history")
            self.notify(f"There is no run to export yet. {earlier} shows earlier ones.", timeout=3)
        else:
            from secretary_tui.screens.past.export_screen import ExportScreen

            title = f"{dispatch.run_agent}: the run on the screen"
            self.app.push_screen(ExportScreen(dispatch.run_id, title, self.secretary.project))

    def action_library(self) -> None:
        """Go to the list of agents."""
        self.set_class(True, "library-view")
        self.index.focus()

    def action_problems(self) -> None:
        """Check the whole library."""
        from secretary_tui.screens.problems import ProblemsScreen

        self.app.push_screen(ProblemsScreen(self.secretary))

    def action_new_agent(self) -> None:
        """Write a new agent."""
        from secretary_tui.screens.new_agent import NewAgentScreen

        self.app.push_screen(NewAgentScreen(self.secretary), self.index.highlight_when_there)

    @work(exclusive=True, group="reload")
    async def action_reload(self) -> None:
        """Read the settings and all agents again."""
        await self.read_settings()
        self.notify(f"{self.status.library} read.", timeout=2)

    def action_toggle_tools(self) -> None:
        """Fold or unfold tool calls and thinking."""
        self.transcript.toggle_all()

    def action_toggle_reply(self) -> None:
        """Send the next message to the agent of the run, or route it anew."""
        if not self.dispatch.run_id:
            self.notify("There is no run to reply to yet.", timeout=3)
            return
        self.composer.replying = not self.composer.replying
        self.follow_flow()

    def action_new(self) -> None:
        """Put the finished run aside; beside one that goes on, open another tab."""
        self._fresh_page()

    def _fresh_page(self) -> bool:
        """Make room for another run; False when no more may go on."""
        dispatch = self.dispatch
        if dispatch.running and dispatch.is_full:
            self.notify(dispatch.full_sentence, timeout=5)
            return False
        if dispatch.running:
            dispatch.open_tab()
        else:
            dispatch.shown.forget_run()
        self.composer.replying = False
        self.composer.stop_handing_on()
        self.set_class(True, "library-view")
        self.request.focus()
        self.follow_flow()
        return True

    def action_next_run(self) -> None:
        """Show the next of several runs."""
        self._switch(1)

    def action_previous_run(self) -> None:
        """Show the run before of several."""
        self._switch(-1)

    def _switch(self, step: int) -> None:
        if not self.dispatch.switch(step):
            new = self.keys.way("new")
            self.notify(f"There is one run here. {new} during a run opens another.", timeout=3)

    def action_hand_on(self) -> None:
        """Let another agent go on with the last answer."""
        if self.dispatch.running:
            self.notify("The run goes on. Hand its answer on when it has ended.", timeout=3)
        elif not self.dispatch.run_id or not self.dispatch.last_answer:
            earlier = self.keys.way("history")
            message = f"There is no answer to hand on yet. {earlier} shows earlier runs."
            self.notify(message, timeout=3)
        else:
            answer = HandedAnswer(self.dispatch.run_agent, self.dispatch.last_answer)
            self.composer.hand_on(answer)

    def action_copy_answer(self) -> None:
        """Copy the last answer."""
        text = self.dispatch.last_answer
        if text:
            self.app.copy_to_clipboard(text)
            self.notify("Copied.", timeout=2)
        else:
            self.notify("There is no answer to copy yet.", timeout=2)

    def action_copy_block(self) -> None:
        """Copy what is selected, else the block under the cursor of the transcript."""
        if self.focused is self.transcript:
            self.transcript_keys.copy()

    def action_copy_code(self) -> None:
        """Copy a code block; again, the one before it."""
        self.transcript_keys.copy_code()

    def action_page_block(self) -> None:
        """Show the block under the cursor, or the whole transcript, in $PAGER."""
        self.transcript_keys.page()

    def action_edit_block(self) -> None:
        """Open a copy of the same in $EDITOR."""
        self.transcript_keys.edit()

    def action_open_link(self) -> None:
        """Choose a link on the screen and open it."""
        self.transcript_keys.open_link()

    def action_zoom(self) -> None:
        """The transcript alone on the screen, or all panes again."""
        if self.has_class("narrow"):
            self.remove_class("zoomed")
            said = "The transcript is alone already: so narrow a screen shows one pane at a time."
        elif self.toggle_class("zoomed").has_class("zoomed"):
            said = "The transcript alone. z brings the other panes back."
        else:
            said = "All panes again."
        self.notify(said, timeout=3)

    def action_redraw(self) -> None:
        """Paint everything again."""
        self.app.refresh(repaint=True, layout=True)

    def action_scroll_transcript(self, direction: int) -> None:
        """Scroll the transcript while the focus is elsewhere."""
        self.transcript.action_scroll_screens(direction)

    def action_search_requests(self) -> None:
        """Search the requests sent before; again: an older one. In vi's normal mode, redo."""
        if self.searching.is_open or not self.request.keys.redo_in_normal_mode():
            self.searching.open()

    def action_editor(self) -> None:
        """Write the request in $VISUAL or $EDITOR."""
        from secretary_tui.screens.editor import edit_text

        text = edit_text(self.app, self.request.text)
        if text is not None:
            self.request.replace_text(text)

    async def reopen(self, reopened: Reopen | None) -> None:
        """Show a stored run again; a reply continues it, and its answer can be handed on."""
        if reopened is None:
            return
        from secretary_tui.events import Notice
        from secretary_tui.sessions.errors import SessionError
        from secretary_tui.sessions.store import load_run
        from secretary_tui.widgets.transcript.run_view import RunView

        try:
            record = await asyncio.to_thread(load_run, reopened.run_id)
        except SessionError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        if not self.dispatch.show_id(record.id):
            if not self._fresh_page():
                return
            flow = self.dispatch.shown
            flow.show_run(record.id, record.started.agent, record.events)
            self.set_class(False, "library-view")
            view = RunView(flow.view.transcript, live=False, color_of=self.color_of)
            await view.replay(record.events)
            flow.view.about = view.about
            if record.problem:
                flow.view.show(Notice(record.problem, "warning"))
        self.composer.replying = True
        self.follow_flow()
        if reopened.hand_on:
            self.action_hand_on()
