"""The panels between the transcript and the request box, and who gets the keys beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from textual import events

from secretary_tui.widgets.panels.choice_panel import ChoicePanel
from secretary_tui.widgets.panels.match_panel import MatchPanel
from secretary_tui.widgets.panels.permission_panel import PermissionPanel
from secretary_tui.widgets.panels.question_panel import QuestionPanel

if TYPE_CHECKING:
    from secretary_tui.flow.tab_controller import TabController
    from secretary_tui.screens.controller_host import FlowHost
    from secretary_tui.screens.main.composer import Composer
    from secretary_tui.screens.main.request_search import RequestSearch
    from secretary_tui.secretary import Secretary
    from secretary_tui.widgets.panels.panel import Panel
    from secretary_tui.widgets.request.request_box import RequestBox


class Panels:
    """The four of them; at most one is open."""

    def __init__(self) -> None:
        self.match = MatchPanel(id="match-panel")
        self.question = QuestionPanel(id="question-panel")
        self.permission = PermissionPanel(id="permission-panel")
        self.choice = ChoicePanel(id="choice-panel")
        self.all: Sequence[Panel[Any]] = (self.match, self.question, self.permission, self.choice)

    @property
    def open(self) -> Panel[Any] | None:
        """The panel that waits for an answer, if any."""
        return next((panel for panel in self.all if panel.is_open), None)


@dataclass(eq=False)
class PanelController:
    """Shares keys and focus between an open panel and the request box."""

    _screen: FlowHost
    _panels: Panels
    _request: RequestBox
    _tabs: TabController[Any]
    _composer: Composer
    _searching: RequestSearch
    _open_help: Callable[[], object]
    _restoring: bool = field(default=False, init=False)
    """Whether the next panel is the one of the last session, which nobody is surprised by."""

    async def restore(self, secretary: Secretary) -> None:
        """Open the panel again that was open when the last session was killed."""
        step = await secretary.restore()
        if step is None or self._tabs.busy:
            return
        request = secretary.coordinator.request
        if self._request.text == request:
            self._request.clear()  # It was kept as the draft, too.
        self._restoring = True
        self._tabs.restore(request, step)

    def offer_key(self, key: str) -> bool:
        """Whether a key was used that would begin a text in the empty box."""
        match = self._panels.match
        if match.is_open:
            taken = match.guard.offer(key)
            if not taken:
                self._request.insert(match.guard.release())  # The beginning of a word.
            return taken
        letter = match.guard.last_letter
        if letter and self._tabs.route.holding and (len(key) == 1 or key == "space"):
            # Somebody was typing a sentence, and its first letter chose: that was no choice.
            self._tabs.step_back()
            self._request.insert(letter)
            return False
        if key == "question_mark":
            self._open_help()
            return True
        return False

    def key_typed(self) -> None:
        """Somebody is typing: what is open accepts no key yet."""
        if self._panels.open is not None:
            self._panels.open.guard.restart()

    def next_pane(self) -> None:
        """Tab: to the panel that waits for an answer, else to the next pane."""
        panel = self._panels.open
        if panel is None or panel is self._panels.match or panel.has_focus_within:
            self._request.screen.focus_next()
        else:
            panel.focus()

    def opened(self) -> None:
        """Give the focus to a panel, unless somebody is typing: then Tab leads to it."""
        panel = self._panels.open
        if panel is None:
            return
        restored, self._restoring = self._restoring, False
        if restored and not self._request.text:
            panel.guard.end()
        if panel is self._panels.match:
            if not self._composer.editing:
                self._request.focus()
        elif not self._request.text and not self._searching.is_open:
            panel.focus()
        self._screen.follow_flow()

    def closed(self) -> None:
        """Back to the request box."""
        if self._panels.open is None:
            self._request.focus()
        self._screen.follow_flow()

    def text_changed(self) -> None:
        """Focus the panel once the box is empty: what was typed too early is gone again."""
        panel = self._panels.open
        if panel not in (None, self._panels.match) and not self._request.text:
            panel.focus()

    def take_text(self, typed: str) -> None:
        """Put into the box what was typed when a panel opened; Tab leads to the panel."""
        self._request.insert(typed)
        self._request.focus()

    def take_paste(self, text: str) -> None:
        """Give a paste to the box, which folds a long one."""
        self._request.focus()
        self._request.post_message(events.Paste(text))
