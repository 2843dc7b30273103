"""What was typed and not sent yet, kept over the end of the program."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from secretary_tui.sessions import drafts

if TYPE_CHECKING:
    from secretary_tui.flow.tab_controller import TabController
    from secretary_tui.screens.controller_host import ControllerHost
    from secretary_tui.screens.main.composer import Composer
    from secretary_tui.widgets.request.request_box import RequestBox

PAUSE_S = 0.4
"""Seconds without a key after which the draft is written."""


@dataclass(eq=False)
class DraftKeeper:
    """Writes the draft of a project while it is typed, and brings it back."""

    _screen: ControllerHost
    _project: Path
    _request: RequestBox
    _composer: Composer
    _tabs: TabController[Any]
    _undelivered: tuple[str, ...] = field(default=(), init=False)
    _writer: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(1, "draft"), init=False
    )
    """Writes one draft after the other, so that an older one never ends up on a newer one."""

    def restore(self) -> None:
        """Bring the draft and the history of the last session back; reads two small files."""
        draft = drafts.load_draft(self._project)
        if draft and self._request.is_blank:
            self._request.replace_text(draft)
        self._request.sent.load(drafts.load_history(self._project))

    @property
    def draft(self) -> str:
        """What must not be lost: messages that wait, and the text of the box.

        Not the text of the box while that is a copy of a task.
        """
        text = "" if self._composer.editing else self._request.text
        return "\n\n".join(filter(None, (*self._tabs.undelivered, text)))

    def keep(self) -> None:
        """Write the draft once the typing pauses."""
        self._screen.run_worker(self._write_later, exclusive=True, group="draft")

    def follow_flow(self) -> None:
        """Keep the messages that wait for an agent when there are others."""
        if self._undelivered != self._tabs.undelivered:
            self._undelivered = self._tabs.undelivered
            self.keep()

    async def aclose(self) -> None:
        """Write the draft as it is at the end, after all that is still being written."""
        await self._write()

    async def _write_later(self) -> None:
        await asyncio.sleep(PAUSE_S)
        await self._write()

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._writer, drafts.save_draft, self._project, self.draft)
