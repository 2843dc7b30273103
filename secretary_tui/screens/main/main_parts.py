"""The parts of the main screen by name, and the controllers behind them.

Only what the first paint shows is imported and composed here; the rest comes with `late_parts`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.screen import Screen

from secretary_tui.screens.keymap import Keymap
from secretary_tui.screens.main.key_hints import AT_START
from secretary_tui.secretary import Secretary
from secretary_tui.widgets.key_bar import KeyBar
from secretary_tui.widgets.library.agent_details import AgentDetails
from secretary_tui.widgets.library.library_pane import LibraryPane
from secretary_tui.widgets.request.request_box import RequestBox
from secretary_tui.widgets.status_bar import StatusBar

if TYPE_CHECKING:
    from secretary_tui.flow.tab_controller import TabController
    from secretary_tui.screens.main.completion_controller import Completer
    from secretary_tui.screens.main.composer import Composer
    from secretary_tui.screens.main.library_keys import LibraryKeys
    from secretary_tui.screens.main.request_search import RequestSearch
    from secretary_tui.screens.main.shell_line import ShellLine
    from secretary_tui.screens.main.transcript_keys import TranscriptKeys
    from secretary_tui.widgets.library.agent_list import AgentList
    from secretary_tui.widgets.panels.match_panel import MatchPanel
    from secretary_tui.widgets.panels.panel import Panel
    from secretary_tui.widgets.request.queued_messages import QueuedMessages
    from secretary_tui.widgets.run_tabs import RunTabs
    from secretary_tui.widgets.transcript.run_view import RunView
    from secretary_tui.widgets.transcript.transcript import Transcript


class MainParts(Screen[None]):
    """What the main screen is made of."""

    dispatch: TabController[RunView]
    """Set by `late_parts`, like `composer`."""
    composer: Composer
    completer: Completer
    searching: RequestSearch
    shell: ShellLine
    library_keys: LibraryKeys
    transcript_keys: TranscriptKeys

    keys = Keymap()
    """The keys of the actions, as they are set."""

    def __init__(self, secretary: Secretary) -> None:
        super().__init__()
        self.secretary = secretary
        self.completed = asyncio.Event()
        """Set once the late parts are there."""

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
        """Whether all parts are there: not before `late_parts`, nor while the app closes."""
        return self.is_mounted and self.completed.is_set() and bool(self.query("#keys"))

    @property
    def request(self) -> RequestBox:
        """The request box."""
        return self.query_one("#request", RequestBox)

    @property
    def library(self) -> LibraryPane:
        """The list of agents with its filter."""
        return self.query_one("#library", LibraryPane)

    @property
    def index(self) -> AgentList:
        """The list of agents."""
        return self.library.index

    @property
    def status(self) -> StatusBar:
        """The status line."""
        return self.query_one("#status", StatusBar)

    @property
    def match_panel(self) -> MatchPanel:
        """The panel that waits for the choice."""
        from secretary_tui.widgets.panels.match_panel import MatchPanel

        return self.query_one("#match-panel", MatchPanel)

    @property
    def transcript(self) -> Transcript:
        """What was said and done."""
        return self.dispatch.shown.view.transcript

    @property
    def run_view(self) -> RunView:
        """Turns events into blocks of the transcript."""
        return self.dispatch.shown.view

    @property
    def open_panel(self) -> Panel[object] | None:
        """The panel that waits for an answer, if any."""
        from secretary_tui.widgets.panels.panel import Panel

        return next((panel for panel in self.query(Panel) if panel.is_open), None)

    @property
    def run_tabs(self) -> RunTabs:
        """The line of tabs."""
        from secretary_tui.widgets.run_tabs import RunTabs

        return self.query_one("#runs", RunTabs)

    @property
    def queued(self) -> QueuedMessages:
        """What the agent at work was not told yet."""
        from secretary_tui.widgets.request.queued_messages import QueuedMessages

        return self.query_one("#queued", QueuedMessages)
