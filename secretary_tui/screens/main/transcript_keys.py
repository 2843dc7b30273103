"""What the keys of the transcript do outside of it: clipboard, pager, editor, browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textual.screen import Screen

from secretary_tui.flow.tab_controller import TabController
from secretary_tui.screens.editor import page_text, view_text
from secretary_tui.widgets.transcript.run_view import RunView
from secretary_tui.widgets.transcript.transcript import Transcript


@dataclass(eq=False)
class TranscriptKeys:
    """Acts on the transcript that is shown."""

    _screen: Screen[Any]
    _tabs: TabController[RunView]

    @property
    def _transcript(self) -> Transcript:
        return self._tabs.shown.view.transcript

    def copy(self) -> None:
        """Copy what is selected with the mouse, else the block under the cursor."""
        screen = self._screen
        if screen.focused is not self._transcript:
            return
        text = screen.get_selected_text() or ""
        screen.clear_selection()
        text = text or self._transcript.excerpts.block()
        if text:
            self._copy(text, "Copied")

    def copy_code(self) -> None:
        """Copy a code block; pressed again, the one before it."""
        code, number, count = self._transcript.excerpts.code()
        if not count:
            self._screen.notify("No code to copy.", timeout=2)
            return
        more = f" {number} of {count}" if count > 1 else ""
        self._copy(code, f"Code{more} copied")

    def page(self) -> None:
        """Show the block, or the whole conversation, in the pager."""
        page_text(self._screen.app, self._transcript.excerpts.markdown())

    def edit(self) -> None:
        """Open a copy of the same in the editor."""
        view_text(self._screen.app, self._transcript.excerpts.markdown())

    def open_link(self) -> None:
        """Let one of the links on the screen be chosen; its host is shown before it is opened."""
        from secretary_tui.screens.main.links import LinksScreen

        links = self._transcript.excerpts.links_on_screen()
        if links:
            self._screen.app.push_screen(LinksScreen(links))
        else:
            self._screen.notify("No link on the screen.", timeout=2)

    def fold(self) -> None:
        """Fold or unfold tool calls and thinking."""
        self._transcript.toggle_all()

    def page_up(self) -> None:
        """Scroll up while the focus is elsewhere."""
        self._transcript.action_scroll_screens(-1)

    def page_down(self) -> None:
        """Scroll down while the focus is elsewhere."""
        self._transcript.action_scroll_screens(1)

    def copy_answer(self) -> None:
        """Copy the last answer."""
        text = self._tabs.last_answer
        if text:
            self._screen.app.copy_to_clipboard(text)
            self._screen.notify("Copied.", timeout=2)
        else:
            self._screen.notify("No answer to copy yet.", timeout=2)

    def _copy(self, text: str, done: str) -> None:
        self._screen.app.copy_to_clipboard(text)
        lines = text.strip("\n").count("\n") + 1
        size = f"{lines} lines" if lines > 1 else f"{len(text.strip())} characters"
        self._screen.notify(f"{done}: {size}.", timeout=2)
