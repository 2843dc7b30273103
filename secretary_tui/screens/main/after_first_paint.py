"""What the main screen gets right after its first paint: transcript, panels, controllers.

Importing this module takes about as long as everything before the first paint, so it is imported
in a thread while the screen already takes keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal
from textual.widgets._toast import ToastRack

from secretary_tui.flow.tab_controller import TabController
from secretary_tui.screens.main.completion_controller import Completer
from secretary_tui.screens.main.composer import Composer
from secretary_tui.screens.main.library_keys import LibraryKeys
from secretary_tui.screens.main.request_search import RequestSearch
from secretary_tui.screens.main.screen_frontend import PanelStage
from secretary_tui.screens.main.shell_line import ShellLine
from secretary_tui.screens.main.transcript_keys import TranscriptKeys
from secretary_tui.widgets.panels.choice_panel import ChoicePanel
from secretary_tui.widgets.panels.match_panel import MatchPanel
from secretary_tui.widgets.panels.permission_panel import PermissionPanel
from secretary_tui.widgets.panels.question_panel import QuestionPanel
from secretary_tui.widgets.request.completion_menu import CompletionMenu
from secretary_tui.widgets.request.queued_messages import QueuedMessages
from secretary_tui.widgets.run_tabs import RunTabs

if TYPE_CHECKING:
    from secretary_tui.screens.main.main_screen import MainScreen


async def complete(screen: MainScreen) -> None:
    """Mount the late widgets and set the controllers."""
    screen.dispatch = TabController(PanelStage(screen))
    screen.composer = Composer(screen)
    screen.completer = Completer(screen)
    screen.searching = RequestSearch(screen)
    screen.shell = ShellLine(screen)
    screen.library_keys = LibraryKeys(screen)
    screen.transcript_keys = TranscriptKeys(screen)
    await screen.library.complete()
    body = screen.query_one("#body", Horizontal)
    await screen.mount(RunTabs(id="runs"), before=body)
    await screen.mount(
        MatchPanel(id="match-panel"),
        QuestionPanel(id="question-panel"),
        PermissionPanel(id="permission-panel"),
        ChoicePanel(id="choice-panel"),
        QueuedMessages(id="queued"),
        CompletionMenu(id="completions"),
        before="#request",
    )
    for rack in screen.query(ToastRack):  # None where notices are switched off.
        screen.move_child(rack, after=body)
    screen.match_panel.on_edit = screen.composer.edit
    screen.request.offer_menu_key = screen.completer.take_key
    screen.request.after_key = screen.completer.look
    screen.request.offer_first = screen.searching.take_key
    screen.request.offer_paste = screen.searching.take_paste
    screen.completed.set()
