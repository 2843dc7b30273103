"""What the main screen gets right after its first paint: transcript, panels, controllers.

Importing this module takes about as long as everything before the first paint, so it is imported
in a thread while the screen already takes keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal
from textual.widgets._toast import ToastRack

from secretary_tui.flow.tab_controller import TabController
from secretary_tui.screens.host import host_of
from secretary_tui.screens.main.box_labels import BoxLabels
from secretary_tui.screens.main.completion_controller import CompletionController
from secretary_tui.screens.main.composer import Composer
from secretary_tui.screens.main.details_controller import DetailsController
from secretary_tui.screens.main.draft_keeper import DraftKeeper
from secretary_tui.screens.main.key_hints import KeyHints
from secretary_tui.screens.main.library_controller import LibraryController
from secretary_tui.screens.main.library_keys import LibraryKeys
from secretary_tui.screens.main.other_screens import OtherScreens
from secretary_tui.screens.main.panels import PanelController, Panels
from secretary_tui.screens.main.quit_keys import StepBack
from secretary_tui.screens.main.request_search import RequestSearch
from secretary_tui.screens.main.run_actions import RunActions
from secretary_tui.screens.main.run_status import RunStatus
from secretary_tui.screens.main.screen_frontend import ScreenFrontend
from secretary_tui.screens.main.shell_line import ShellLine
from secretary_tui.screens.main.transcript_keys import TranscriptKeys
from secretary_tui.widgets.request.completion_menu import CompletionMenu
from secretary_tui.widgets.transcript.transcript import Transcript

if TYPE_CHECKING:
    from secretary_tui.screens.main.main_screen import MainScreen


async def complete(screen: MainScreen) -> None:
    """Mount the late widgets, set the controllers, and let their actions be used."""
    others = OtherScreens(screen.app, screen.secretary, screen.library, screen.request)
    _set_run_controllers(screen, others)
    _set_library_controllers(screen, others)
    await _mount(screen)
    _give_keys(screen, others)
    screen.completed.set()


def begin(screen: MainScreen) -> None:
    """Bring the draft back, then read settings and agents and follow what changes."""

    def tick() -> None:
        if screen.is_whole:
            screen.run_status.tick()
            screen.details_controller.show()

    screen.drafts.restore()
    screen.follow_flow()
    screen.set_interval(1, tick)
    screen.library_controller.load()


def _set_run_controllers(screen: MainScreen, others: OtherScreens) -> None:
    """Make what takes a request to its run, from the inside out."""
    host, secretary, request = host_of(screen), screen.secretary, screen.request
    body = screen.query_one("#body", Horizontal)

    def transcript_in_sight() -> Transcript:
        screen.panes.show_library(False)
        return tabs.shown.view.transcript

    panels = screen.panels = Panels()
    tabs = screen.tabs = TabController(
        ScreenFrontend(screen.app, screen, panels, body, host.signals, others.open_setup)
    )
    menu = CompletionMenu(id="completions")
    searching = screen.searching = RequestSearch(screen, request, menu, secretary.project)
    screen.completer = CompletionController(screen, request, secretary, searching)
    screen.shell = ShellLine(secretary.project, transcript_in_sight, screen.follow_flow)
    composer = screen.composer = Composer(
        *(screen, request, secretary, tabs),
        *(panels.match, screen.shell, host.settings, screen.perform),
    )
    screen.drafts = DraftKeeper(screen, secretary.project, request, composer, tabs)
    screen.labels = BoxLabels(screen, request, secretary, tabs, composer, searching)
    screen.panel_controller = PanelController(
        screen, panels, request, tabs, composer, searching, screen.actions["help"]
    )
    screen.hints = KeyHints(
        *(screen, request, screen.library, screen.panes),
        *(panels, tabs, composer, searching),
    )


def _set_library_controllers(screen: MainScreen, others: OtherScreens) -> None:
    """Make what shows the library, and how the runs stand."""
    app, host, secretary, library = screen.app, host_of(screen), screen.secretary, screen.library

    async def greet() -> None:
        others.offer_setup()
        await screen.panel_controller.restore(secretary)

    status = screen.run_status = RunStatus(
        screen, screen.status, secretary, screen.tabs, host.signals
    )
    details = screen.details_controller = DetailsController(
        screen.details, library, screen.panes, secretary, screen.tabs
    )
    agents = screen.library_controller = LibraryController(
        *(screen, host.settings, screen.take_config, secretary),
        *(library, status, details, greet),
    )
    screen.library_keys = LibraryKeys(
        app, screen, secretary, library, screen.panes, screen.request, agents.read_again
    )
    host.settings.on_change.append(agents.take_change)
    host.settings.on_engine.append(status.show_engine)


async def _mount(screen: MainScreen) -> None:
    """Put the late widgets in their places."""
    await screen.library.complete()
    body = screen.query_one("#body", Horizontal)
    await screen.mount(screen.run_status.tab_bar, before=body)
    queued, menu = screen.run_status.queued, screen.searching.menu
    await screen.mount(*screen.panels.all, queued, menu, before="#request")
    for rack in screen.query(ToastRack):  # None where notices are switched off.
        screen.move_child(rack, after=body)


def _give_keys(screen: MainScreen, others: OtherScreens) -> None:
    """Let the controllers have the keys of the request box, and those of the actions."""
    app, secretary, request, panes = screen.app, screen.secretary, screen.request, screen.panes
    tabs, composer, searching = screen.tabs, screen.composer, screen.searching
    screen.panels.match.on_edit = composer.edit
    request.offer_key = screen.panel_controller.offer_key
    request.offer_menu_key = screen.completer.take_key
    request.after_key = screen.completer.look
    request.offer_first = searching.take_key
    request.offer_paste = searching.take_paste
    ends = (searching.close, screen.shell.stop)
    back = StepBack(request, screen.library, panes, screen.panels, tabs, composer, ends)
    screen.quit_keys.stop_first = back.stop_first
    screen.quit_keys.holds_keys = lambda: searching.is_open
    runs = RunActions(app, screen, secretary, request, tabs, composer, panes)
    keys = TranscriptKeys(screen, tabs)
    screen.actions |= {
        # Esc, Tab and the request box.
        "step_back": back.step_back,
        "next_pane": screen.panel_controller.next_pane,
        "cycle_mode": composer.cycle_mode,
        "search_requests": searching.open,
        "editor": others.open_editor,
        # The library.
        "filter": screen.library_keys.open_filter,
        "library": screen.library_keys.go_to_list,
        "reload": screen.library_controller.reload,
        "problems": others.open_problems,
        "new_agent": others.open_new_agent,
        # The runs.
        "history": runs.open_history,
        "resume": runs.resume,
        "stats": others.open_stats,
        "undo": runs.undo,
        "export": runs.export,
        "toggle_reply": runs.toggle_reply,
        "hand_on": runs.hand_on,
        "new": runs.begin_new,
        "next_run": runs.show_next,
        "previous_run": runs.show_previous,
        # The transcript.
        "toggle_tools": keys.fold,
        "page_up": keys.page_up,
        "page_down": keys.page_down,
        "copy_answer": keys.copy_answer,
        "copy_block": keys.copy,
        "copy_code": keys.copy_code,
        "page_block": keys.page,
        "edit_block": keys.edit,
        "open_link": keys.open_link,
        "zoom": panes.zoom,
        # The settings.
        "settings": others.open_settings,
        "setup": others.open_setup,
        "change_theme": others.open_themes,
    }
