"""What the edges of the request box say: where its text will go, and the best match for it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.content import Content

from secretary_tui.settings import ActivationMode
from secretary_tui.widgets.request.request_box import REQUEST

if TYPE_CHECKING:
    from secretary_tui.flow.tab_controller import TabController
    from secretary_tui.screens.controller_host import FlowHost
    from secretary_tui.screens.main.composer import Composer
    from secretary_tui.screens.main.request_search import RequestSearch
    from secretary_tui.secretary import Secretary
    from secretary_tui.widgets.request.request_box import RequestBox

PREVIEW_FROM = 4
"""Characters from which the best match is looked up while typing."""
_PREVIEWED = 2_000
"""Characters that it is looked up with, however long the text is."""
_PAUSE_S = 0.15


@dataclass(eq=False)
class BoxLabels:
    """Sets title, subtitle and placeholder of the box."""

    _screen: FlowHost
    _request: RequestBox
    _secretary: Secretary
    _tabs: TabController[Any]
    _composer: Composer
    _searching: RequestSearch

    def show_title(self) -> None:
        """Say above the box where its text will go."""
        box = self._request
        title = self._title()
        if box.keys.vi_mode is not None:
            title = f"{f'{box.keys.vi_mode.upper()} {box.keys.vi_pending}'.rstrip()} · {title}"
        told = self._tabs.running or self._composer.is_reply(box.text)
        box.placeholder = "Type a message" if told else REQUEST
        box.border_title = Content(title)

    def _title(self) -> str:
        composer, tabs = self._composer, self._tabs
        if self._searching.is_open:
            return self._searching.title
        if composer.editing:
            return "task · Enter saves, Esc cancels"
        if self._request.is_shell_line:
            return "shell command · runs here with all your rights · Esc stops it"
        if composer.handed is not None:
            return f"new task with the answer of {composer.handed.agent}"
        if tabs.running:
            return f"to {tabs.agent}, at its next turn"
        if composer.is_reply(self._request.text):
            anew = self._screen.keys.way("toggle_reply")
            return f"reply to {tabs.run_agent} · {anew}: new request"
        return "request"

    def show_best_match(self) -> None:
        """Say below the box which agent fits, once the typing pauses (not in mode manual)."""
        self._screen.run_worker(self._preview, exclusive=True, group="preview")

    async def _preview(self) -> None:
        subtitle = ""
        await asyncio.sleep(_PAUSE_S)
        text = self._request.text[:_PREVIEWED].strip()
        wanted = self._secretary.config.activation_mode is not ActivationMode.MANUAL
        is_request = len(text) >= PREVIEW_FROM and text[0] not in "@/!"
        if wanted and is_request and not self._composer.replying:
            found = await asyncio.to_thread(self._secretary.library.route_local, text)
            if found.matches:
                best = found.matches[0]
                subtitle = f"best match: {best.agent} {best.confidence}"
        self._request.border_subtitle = Content(subtitle)
