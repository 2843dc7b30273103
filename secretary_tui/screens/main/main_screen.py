"""The main screen: the library, the transcript, the request box, and the panels between them."""

from __future__ import annotations

import asyncio
import gc
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar

from textual import events, work
from textual.binding import Binding, BindingType

from secretary_tui import paths
from secretary_tui.flow.actions import ACTIONS
from secretary_tui.registry.mentions import mention, split_named
from secretary_tui.screens.host import host_of
from secretary_tui.screens.main.main_actions import MainActions
from secretary_tui.screens.main.main_view import NARROW
from secretary_tui.secretary import Secretary
from secretary_tui.widgets.key_bar import KeyBar

if TYPE_CHECKING:
    from textual.worker import WorkType

    from secretary_tui.widgets.library.agent_list import AgentList
    from secretary_tui.widgets.panels.panel import Panel
    from secretary_tui.widgets.panels.permission_panel import PermissionPanel
    from secretary_tui.widgets.request.request_box import RequestBox
    from secretary_tui.widgets.run_tabs import RunTabs

FLUSH_S = 0.03
"""Seconds in which the first paint reaches the terminal before imports hold the interpreter."""
RESTS_AFTER_S = 5
"""Seconds without a key after which the cursor stops blinking until the next one."""


class MainScreen(MainActions):
    """Everything between a request and its answer; the flow itself is in `Dispatch`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # With priority: the text area has F6 and Ctrl+Z for itself.
        *(
            Binding(a.key or f"no-key-{a.id}", a.name, a.title, show=False, priority=True, id=a.id)
            for a in ACTIONS
        ),
        Binding("escape", "step_back", "Back", show=False),
        Binding("tab", "next_pane", "Next pane", show=False),
        Binding("ctrl+c", "interrupt", "Interrupt", show=False, priority=True),
        Binding("ctrl+d", "leave", "Leave", show=False, priority=True),
        Binding("slash", "filter", "Filter", show=False),
        Binding("question_mark", "help", "Help", show=False),
        Binding("y", "copy_block", "Copy", show=False),
        Binding("u", "undo", "Undo", show=False),
        Binding("h", "hand_on", "Hand on", show=False),
        Binding("pageup", "scroll_transcript(-1)", "Page up", show=False),
        Binding("pagedown", "scroll_transcript(1)", "Page down", show=False),
    ]

    def __init__(self, secretary: Secretary) -> None:
        super().__init__(secretary)
        self._stop_watching = asyncio.Event()
        self._prepared = False
        self._restoring = False
        """Whether the next panel is the one of the last session, which nobody is surprised by."""
        self._still_for = 0
        """Seconds since the last key in the request box."""
        self._is_resting = False

    # ---------------------------------------------------------------- building

    def on_mount(self) -> None:
        """Paint first; everything that reads the disk comes after."""
        project = self.secretary.project
        self.request.offer_key = self._offer_key
        self.request.focus()
        self.app.call_later(host_of(self).take_keys)  # After the focus, which comes later, too.
        self.status.folder = paths.shown(project)
        self.request.border_title = "request"
        self.call_after_refresh(self._after_first_paint)

    @work(exclusive=True, group="complete")
    async def _after_first_paint(self) -> None:
        await asyncio.sleep(FLUSH_S)
        gc.enable()
        late = await asyncio.to_thread(
            import_module, "secretary_tui.screens.main.after_first_paint"
        )
        await late.complete(self)
        gc.freeze()  # The app itself is no garbage: going through it holds keys up for 30 ms.
        self.composer.restore()
        self.follow_flow()
        self.set_interval(1, self._second)
        self.load()

    @work(exclusive=True, group="index")
    async def load(self) -> None:
        """Read settings and agents in a thread, show them, then watch for changes."""
        config = await asyncio.to_thread(host_of(self).read_config)
        self.take_config(config)
        index = await asyncio.to_thread(self.secretary.load)
        self.show_index(index)
        self.show_engine()
        self.show_today()
        host_of(self).first_index_shown()
        self.look_for_unlisted()
        await self._restore_panel()
        from secretary_tui.registry.watch import watch_index

        async for change in watch_index(self.secretary.live, self._stop_watching):
            self.show_index(change.index)

    async def _restore_panel(self) -> None:
        """Open the panel again that was open when the last session was killed."""
        step = await self.secretary.restore()
        if step is None or self.dispatch.busy:
            return
        request = self.secretary.coordinator.request
        if self.request.text == request:
            self.request.clear()  # It was kept as the draft, too.
        self._restoring = True
        self.dispatch.restore(request, step)

    # -------------------------------------------------------------------- keys

    def _offer_key(self, key: str) -> bool:
        """What an empty request box does with a key before typing it."""
        if self.is_whole and self.match_panel.is_open:
            taken = self.match_panel.guard.offer(key)
            if not taken:
                self.request.insert(self.match_panel.guard.release())  # The beginning of a word.
            return taken
        letter = self.match_panel.guard.last_letter if self.is_whole else ""
        if letter and self.dispatch.route.holding and (len(key) == 1 or key == "space"):
            # Somebody was typing a sentence, and its first letter chose: that was no choice.
            self.dispatch.step_back()
            self.request.insert(letter)
            return False
        if key == "question_mark":
            self.action_help()
            return True
        return False

    def on_request_box_key_typed(self) -> None:
        """Somebody is typing: panels wait, the draft is kept, the best match is shown."""
        self._still_for = 0
        if self._is_resting:
            self._is_resting, self.request.cursor_blink = False, True
        self.quit_armed = False
        if not self._prepared:
            self._prepared = True
            self.run_worker(self.secretary.prepare(), group="prepare")
        panel = self.open_panel
        if panel is not None:
            panel.guard.restart()

    def on_request_box_submitted(self, message: RequestBox.Submitted) -> None:
        """A request, a command, an edited task, or a reply."""
        self.run_worker(self._send(message.text, message.is_shell_line), group="send")

    def on_request_box_doubted(self) -> None:
        """A pasted shell line: it stands in the box until an Enter is typed."""
        said = "The line came with its Enter, as in a paste. Read it; Enter runs it in your shell."
        self.notify(said, severity="warning")

    async def _send(self, text: str, is_shell_line: bool) -> None:
        await self.completed.wait()
        self.composer.send(text, is_shell_line=is_shell_line)

    def on_request_box_mode_changed(self) -> None:
        """The letters of vi mean something else now."""
        if self.is_whole:
            self.composer.label()

    def on_run_tabs_chosen(self, message: RunTabs.Chosen) -> None:
        """A tab was clicked."""
        self.dispatch.show_number(message.number)

    def on_panel_opened(self) -> None:
        """Give the focus to a panel, unless somebody is typing: then Tab leads to it."""
        panel = self.open_panel
        if panel is None:
            return
        restored, self._restoring = self._restoring, False
        if restored and not self.request.text:
            panel.guard.end()
        if panel is self.match_panel:
            if not self.composer.editing:
                self.request.focus()
        elif not self.request.text and not self.searching.is_open:
            panel.focus()
        self.follow_flow()

    def on_panel_closed(self) -> None:
        """Back to the request box."""
        if self.open_panel is None:
            self.request.focus()
        self.follow_flow()

    def on_panel_typed(self, message: Panel.Typed) -> None:
        """Somebody was typing when a panel opened: let them go on; Tab leads to the panel."""
        self.request.insert(message.character)
        self.request.focus()

    def on_panel_pasted(self, message: Panel.Pasted) -> None:
        """Give a paste to the box, which folds a long one."""
        self.request.focus()
        self.request.post_message(events.Paste(message.text))

    def on_panel_changed(self) -> None:
        """Other keys work now."""
        self.show_keys()

    def on_permission_panel_view_requested(self, message: PermissionPanel.ViewRequested) -> None:
        """Show the whole command or diff on the full screen."""
        from secretary_tui.screens.viewer import ViewerScreen

        self.app.push_screen(ViewerScreen(message.title, message.content))

    def on_transcript_search_asked(self) -> None:
        """Letters are a search now, or keys again."""
        self.show_keys()

    async def on_key_bar_pressed(self, message: KeyBar.Pressed) -> None:
        """A hint was clicked."""
        # Sent as the app's own, as the terminal's keys are: one of the screen's would stop here.
        self.app.post_message(events.Key(message.key, None).set_sender(self.app))

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Show the keys of what has the focus; narrow screens show its pane."""
        if self.is_whole and event.widget is not self.request:
            self.searching.close()
            self.completer.close()
        if self.size.width < NARROW:
            if event.widget.id in ("index", "details", "filter"):
                self.set_class(True, "library-view")
            elif (event.widget.id or "").startswith("transcript"):
                self.set_class(False, "library-view")
        if self.is_whole:
            self.show_details()
        self.show_keys()

    def on_resize(self, event: events.Resize) -> None:
        """One, two or three panes."""
        self.fit(event.size)
        self.show_keys()

    # ------------------------------------------------------------------- index

    def on_agent_list_highlighted(self) -> None:
        """Show the agent under the cursor."""
        self.show_details()
        self.show_keys()

    def on_agent_list_chosen(self, message: AgentList.Chosen) -> None:
        """Ask this agent: its name goes before the request."""
        entry = message.row.entry
        if entry is None:
            return
        text = split_named(self.request.text)[1]
        self.request.replace_text(f"{mention(entry.id)} {text}")
        self.request.focus()

    async def on_agent_list_wanted(self, message: AgentList.Wanted) -> None:
        """A letter was pressed on a row of the list."""
        if self.is_whole:
            await self.library_keys.do(message.what, message.row)

    # ---------------------------------------------------------------- the rest

    def on_text_area_changed(self) -> None:
        """Keep the draft, and show the best match while typing in the aware modes."""
        if not self.is_whole:
            return
        panel = self.open_panel
        if panel not in (None, self.match_panel) and not self.request.text:
            panel.focus()  # What was typed too early is gone again: the panel can be answered.
        self.composer.label()
        self.show_keys()
        self.keep_draft()
        self.completer.look(typed=self.request.was_typed)
        preview: WorkType[None] = self.composer.preview
        self.run_worker(preview, exclusive=True, group="preview")

    def _second(self) -> None:
        """Let the cursor rest when nobody types: its blinking costs more than all else then."""
        self._still_for += 1
        if self._still_for == RESTS_AFTER_S and self.request.cursor_blink:
            self._is_resting, self.request.cursor_blink = True, False
        self.tick()

    async def shut_down(self) -> None:
        """Stop watching, end the run, keep the draft."""
        self._stop_watching.set()
        if not self.completed.is_set():
            return
        await self.shell.aclose()
        await self.dispatch.aclose()
        await self.composer.aclose()
