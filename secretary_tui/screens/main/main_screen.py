"""The main screen: the library, the transcript, the request box, and the panels between them.

Here is what stands where, which key does what, and which controller gets a message. Only what the
first paint shows is imported; the controllers come with `after_first_paint`.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from functools import partial
from importlib import import_module
from inspect import isawaitable
from typing import TYPE_CHECKING, ClassVar

from textual import events, getters, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen

from secretary_tui import paths
from secretary_tui.config import Config
from secretary_tui.flow.actions import ACTIONS, Action
from secretary_tui.screens.host import host_of
from secretary_tui.screens.keymap import Keymap, read_keys
from secretary_tui.screens.main.key_hints import AT_START
from secretary_tui.screens.main.panes import Panes
from secretary_tui.screens.main.quit_keys import QuitKeys
from secretary_tui.secretary import Secretary
from secretary_tui.widgets.key_bar import KeyBar
from secretary_tui.widgets.library.agent_details import AgentDetails
from secretary_tui.widgets.library.library_pane import LibraryPane
from secretary_tui.widgets.request.request_box import RequestBox
from secretary_tui.widgets.status_bar import StatusBar

if TYPE_CHECKING:
    from secretary_tui.flow.tab_controller import TabController
    from secretary_tui.screens.main.box_labels import BoxLabels
    from secretary_tui.screens.main.completion_controller import CompletionController
    from secretary_tui.screens.main.composer import Composer
    from secretary_tui.screens.main.details_controller import DetailsController
    from secretary_tui.screens.main.draft_keeper import DraftKeeper
    from secretary_tui.screens.main.key_hints import KeyHints
    from secretary_tui.screens.main.library_controller import LibraryController
    from secretary_tui.screens.main.library_keys import LibraryKeys
    from secretary_tui.screens.main.panels import PanelController, Panels
    from secretary_tui.screens.main.request_search import RequestSearch
    from secretary_tui.screens.main.run_status import RunStatus
    from secretary_tui.screens.main.shell_line import ShellLine
    from secretary_tui.widgets.library.agent_list import AgentList
    from secretary_tui.widgets.panels.panel import Panel
    from secretary_tui.widgets.panels.permission_panel import PermissionPanel
    from secretary_tui.widgets.run_tabs import RunTabs
    from secretary_tui.widgets.transcript.run_view import RunView

FLUSH_S = 0.03
"""Seconds in which the first paint reaches the terminal before imports hold the interpreter."""
RESTS_AFTER_S = 5
"""Seconds without a key after which the cursor stops blinking until the next one."""


def textual_action(action: Action) -> str:
    """What Textual runs for an action of the table."""
    return action.name if action.name.startswith("app.") else f"do('{action.name}')"


def _key(key: str, action: str, title: str, *, priority: bool = False) -> Binding:
    """A key that is no setting."""
    return Binding(key, f"do('{action}')", title, show=False, priority=priority)


class MainScreen(Screen[None]):
    """Everything between a request and its answer; the flow itself is in `TabController`.

    Its actions are entries of `actions`, run by the one Textual action `do`: an action can be used
    from the moment in which the controller that carries it out is there.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # With priority: the text area has F6 and Ctrl+Z for itself.
        *(
            Binding(
                a.key or f"no-key-{a.id}",
                textual_action(a),
                a.title,
                show=False,
                priority=True,
                id=a.id,
            )
            for a in ACTIONS
        ),
        _key("escape", "step_back", "Back"),
        _key("tab", "next_pane", "Next pane"),
        _key("ctrl+c", "interrupt", "Interrupt", priority=True),
        _key("ctrl+d", "leave", "Leave", priority=True),
        _key("slash", "filter", "Filter"),
        _key("question_mark", "help", "Help"),
        _key("y", "copy_block", "Copy"),
        _key("u", "undo", "Undo"),
        _key("h", "hand_on", "Hand on"),
        _key("pageup", "page_up", "Page up"),
        _key("pagedown", "page_down", "Page down"),
    ]

    request = getters.query_one("#request", RequestBox)
    library = getters.query_one("#library", LibraryPane)
    details = getters.query_one("#details", AgentDetails)
    status = getters.query_one("#status", StatusBar)
    key_bar = getters.query_one("#keys", KeyBar)

    tabs: TabController[RunView]
    """Set after the first paint, like all that follow."""
    panels: Panels
    panel_controller: PanelController
    composer: Composer
    completer: CompletionController
    searching: RequestSearch
    shell: ShellLine
    drafts: DraftKeeper
    labels: BoxLabels
    hints: KeyHints
    run_status: RunStatus
    details_controller: DetailsController
    library_controller: LibraryController
    library_keys: LibraryKeys

    def __init__(self, secretary: Secretary) -> None:
        super().__init__()
        self.secretary = secretary
        self.keys = Keymap()
        """The keys of the actions, as they are set."""
        self.completed = asyncio.Event()
        """Set once the late parts are there."""
        self.actions: dict[str, Callable[[], object]] = {}
        """What each action does, by its name in the table."""
        self.panes = Panes(self)
        self._prepared = False
        # Before anything is mounted: a class that comes later styles every widget again.
        self.add_class("library-view", update=False)
        self.panes.fit(self.app.size)

    # ---------------------------------------------------------------- building

    def compose(self) -> ComposeResult:
        """The library, the request box, two lines of status."""
        with Horizontal(id="body"):
            yield LibraryPane(id="library")
            yield AgentDetails(id="details")
        yield RequestBox(id="request")
        yield StatusBar(id="status")
        keys = KeyBar(id="keys")
        keys.hints = AT_START
        yield keys

    @property
    def is_whole(self) -> bool:
        """Whether all parts are there: not before the late ones, nor while the app closes."""
        return self.is_mounted and self.completed.is_set() and bool(self.query("#keys"))

    def on_mount(self) -> None:
        """Paint first; everything that reads the disk comes after."""
        host, request = host_of(self), self.request
        self.quit_keys = QuitKeys(self, request, host.leave)
        self._cursor = RestingCursor(request)
        open_help = partial(_open_help, self)
        self.actions |= {
            "help": open_help,
            "interrupt": self.quit_keys.interrupt,
            "leave": self.quit_keys.leave,
            "quit": self.quit_keys.quit,
            "redraw": partial(self.app.refresh, repaint=True, layout=True),
        }
        request.offer_key = lambda key: key == "question_mark" and open_help()
        request.focus()
        self.app.call_later(host.take_keys)  # After the focus, which comes later, too.
        self.status.folder = paths.shown(self.secretary.project)
        request.border_title = "request"
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
        self.set_interval(1, self._cursor.tick)
        late.begin(self)

    async def shut_down(self) -> None:
        """Stop watching, end the run, keep the draft."""
        if not self.completed.is_set():
            return
        self.library_controller.close()
        await self.shell.aclose()
        await self.tabs.aclose()
        await self.drafts.aclose()

    # ----------------------------------------------------------------- actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Most actions need the late parts, which come a moment after the first paint."""
        return parameters[0] in self.actions if action == "do" else self.completed.is_set()

    async def action_do(self, name: str) -> None:
        """Carry out an entry of `actions`."""
        done = self.actions[name]()
        if isawaitable(done):
            await done

    def perform(self, action: Action) -> None:
        """Carry out an action of the table, as its key does."""
        self.run_worker(self.run_action(textual_action(action)), exclusive=False)

    # ------------------------------------------------- what shows how things are

    def take_config(self, config: Config) -> None:
        """Let new settings take effect."""
        self.secretary.take_config(config)
        self.status.mode = str(config.activation_mode)
        self.request.keys.use(config.editing)
        self.keys = read_keys(config.keys)
        self.app.set_keymap(self.keys.for_textual)
        self.follow_flow()
        host_of(self).appearance.follow(config)
        for problem in config.problems:
            self.notify(f"{problem.path}: {problem.message}", severity="warning", markup=False)

    def follow_flow(self) -> None:
        """Bring status line, details, box and keys in line with the flow."""
        if self.is_whole:
            self.run_status.follow_flow()
            self.drafts.follow_flow()
            self.details_controller.show()
            self.labels.show_title()
            self.show_keys()

    def show_keys(self) -> None:
        """Show the keys that work now."""
        if self.is_whole:
            self.key_bar.hints = self.hints.now()

    def on_resize(self, event: events.Resize) -> None:
        """One, two or three panes."""
        self.panes.fit(event.size)
        self.show_keys()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Show the keys of what has the focus; narrow screens show its pane."""
        if self.is_whole and event.widget is not self.request:
            self.searching.close()
            self.completer.close()
        self.panes.follow_focus(event.widget)
        if self.is_whole:
            self.details_controller.show()
        self.show_keys()

    async def on_key_bar_pressed(self, message: KeyBar.Pressed) -> None:
        """A hint was clicked."""
        # Sent as the app's own, as the terminal's keys are: one of the screen's would stop here.
        self.app.post_message(events.Key(message.key, None).set_sender(self.app))

    def on_run_tabs_chosen(self, message: RunTabs.Chosen) -> None:
        """A tab was clicked."""
        self.tabs.show_number(message.number)

    # ------------------------------------------------------------- request box

    def on_request_box_key_typed(self) -> None:
        """Somebody is typing: panels wait, and what a request needs is prepared."""
        self._cursor.wake()
        self.quit_keys.disarm()
        if not self._prepared:
            self._prepared = True
            self.run_worker(self.secretary.prepare(), group="prepare")
        if self.completed.is_set():
            self.panel_controller.key_typed()

    @work(group="send")
    async def on_request_box_submitted(self, message: RequestBox.Submitted) -> None:
        """A request, a command, an edited task, or a reply."""
        await self.completed.wait()
        self.composer.send(message.text, is_shell_line=message.is_shell_line)

    def on_request_box_doubted(self) -> None:
        """A pasted shell line: it stands in the box until an Enter is typed."""
        said = "Pasted with a line break: read it, then press Enter to run it in your shell."
        self.notify(said, severity="warning")

    def on_request_box_mode_changed(self) -> None:
        """The letters of vi mean something else now."""
        if self.is_whole:
            self.labels.show_title()

    def on_text_area_changed(self) -> None:
        """Keep the draft, and show the best match while typing in the aware modes."""
        if not self.is_whole:
            return
        self.panel_controller.text_changed()
        self.labels.show_title()
        self.show_keys()
        self.drafts.keep()
        self.completer.look(typed=self.request.was_typed)
        self.labels.show_best_match()

    # ------------------------------------------------------------------ panels

    def on_panel_opened(self) -> None:
        """Something is asked."""
        self.panel_controller.opened()

    def on_panel_closed(self) -> None:
        """It was answered."""
        self.panel_controller.closed()

    def on_panel_typed(self, message: Panel.Typed) -> None:
        """Somebody was typing when a panel opened: let them go on."""
        self.panel_controller.take_text(message.character)

    def on_panel_pasted(self, message: Panel.Pasted) -> None:
        """A paste is for the box."""
        self.panel_controller.take_paste(message.text)

    def on_panel_changed(self) -> None:
        """Other keys work now: in a panel, or where a search takes letters."""
        self.show_keys()

    on_transcript_search_asked = on_panel_changed

    def on_permission_panel_view_requested(self, message: PermissionPanel.ViewRequested) -> None:
        """Show the whole command or diff on the full screen."""
        from secretary_tui.screens.viewer import ViewerScreen

        self.app.push_screen(ViewerScreen(message.title, message.content))

    # ----------------------------------------------------------------- library

    def on_agent_list_highlighted(self) -> None:
        """Show the agent under the cursor."""
        self.details_controller.show()
        self.show_keys()

    def on_agent_list_chosen(self, message: AgentList.Chosen) -> None:
        """Ask this agent."""
        self.library_keys.ask(message.row)

    async def on_agent_list_wanted(self, message: AgentList.Wanted) -> None:
        """A letter was pressed on a row of the list."""
        if self.is_whole:
            await self.library_keys.do(message.what, message.row)


class RestingCursor:
    """Lets the cursor of the box rest when nobody types: its blinking costs most of all then."""

    def __init__(self, request: RequestBox) -> None:
        self._request = request
        self._still_for = 0
        """Seconds since the last key."""
        self._is_resting = False

    def tick(self) -> None:
        """A second went by."""
        self._still_for += 1
        if self._still_for == RESTS_AFTER_S and self._request.cursor_blink:
            self._is_resting, self._request.cursor_blink = True, False

    def wake(self) -> None:
        """A key was typed."""
        self._still_for = 0
        if self._is_resting:
            self._is_resting, self._request.cursor_blink = False, True


def _open_help(screen: MainScreen) -> bool:
    from secretary_tui.screens.viewer import help_screen

    screen.app.push_screen(help_screen(screen.keys))
    return True
