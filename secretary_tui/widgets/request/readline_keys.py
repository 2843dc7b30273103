"""What the keys of readline (emacs) do in a text area, and the kill ring.

Textual's text area has most of them; here is what it lacks. The keys that the app itself has
(Ctrl+N, Ctrl+P, Ctrl+O, Ctrl+S, Ctrl+T, Ctrl+G) stay the app's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from textual.document._document import Location

from secretary_tui.widgets.request.folding_area import FoldingArea

MOST_KILLED = 60
"""Texts that are kept, as readline itself keeps them."""
_WORD_KEYS = ("alt+t", "alt+u", "alt+l", "alt+c")


class KillRing:
    """The killed texts, and which of them is put back next."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._at = -1

    def kill(self, text: str, *, forward: bool, joins: bool) -> None:
        """Keep a text; one that was killed right after another joins it on its side.

        Args:
            text: What was taken away; nothing is not kept.
            forward: Whether it stood behind the cursor.
            joins: Whether the key before was a kill, too.
        """
        if not text:
            return
        if joins and self._texts:
            last = self._texts.pop()
            text = last + text if forward else text + last
        self._texts = [*self._texts, text][-MOST_KILLED:]
        self._at = -1

    @property
    def current(self) -> str:
        """What is put back; empty before the first kill."""
        return self._texts[self._at] if self._texts else ""

    def turn(self) -> str:
        """Go on to the text killed before, after the oldest to the newest again."""
        if self._texts:
            self._at = -1 - (-self._at % len(self._texts))
        return self.current


class ReadlineKeys:
    """Edits an area as readline does; remembers what was killed, and put back, by the last key."""

    def __init__(self, area: FoldingArea) -> None:
        self._area = area
        self._ring = KillRing()
        self._after_kill: tuple[str, Location] | None = None
        """How the last key, a kill, left text and cursor."""
        self._yanked: tuple[Location, Location] | None = None
        """Where the text stands that the last key put back."""
        self._moves: dict[str, Callable[[], None]] = {
            "ctrl+b": area.action_cursor_left,
            "ctrl+f": area.action_cursor_right,
            "alt+b": area.action_cursor_word_left,
            "alt+f": self._to_word_end,
            "ctrl+y": self._yank,
            "alt+y": self._yank_older,
            "ctrl+underscore": area.action_undo,
            "alt+z": area.action_redo,
            **{key: partial(self._change_words, key) for key in _WORD_KEYS},
        }
        self._kills: dict[str, tuple[Callable[[], None], bool]] = {
            "ctrl+k": (self._kill_to_line_end, True),
            "ctrl+u": (area.action_delete_to_start_of_line, False),
            "ctrl+w": (area.action_delete_word_left, False),
            "alt+backspace": (area.action_delete_word_left, False),
            "alt+d": (area.action_delete_word_right, True),
        }
        """What they do, and whether that takes what is behind the cursor."""

    def take(self, key: str) -> bool:
        """Do what a key means; False leaves it to the text area."""
        after_kill, self._after_kill = self._after_kill, None
        if key in self._kills:
            here = (self._area.shown, self._area.cursor_location)
            self._kill(*self._kills[key], joins=after_kill == here)
        elif key in self._moves:
            self._moves[key]()
        if key not in ("ctrl+y", "alt+y"):
            self._yanked = None
        return key in self._kills or key in self._moves

    def _kill(self, delete: Callable[[], None], forward: bool, *, joins: bool) -> None:
        self._area.taken = ""
        delete()
        self._ring.kill(self._area.taken, forward=forward, joins=joins)
        self._after_kill = (self._area.shown, self._area.cursor_location)

    def _yank(self) -> None:
        if self._ring.current:
            self._put_back(*self._area.selection)

    def _yank_older(self) -> None:
        """Put what was killed before in the place of what was just put back."""
        yanked = self._yanked
        if yanked is not None and self._area.get_text_range(*yanked) == self._ring.current:
            self._ring.turn()
            self._put_back(*yanked)

    def _put_back(self, start: Location, end: Location) -> None:
        area = self._area
        area.history.checkpoint()
        start, end = sorted((start, end))
        result = area.replace(self._ring.current, start, end, maintain_selection_offset=False)
        area.move_cursor(result.end_location)
        self._yanked = (start, result.end_location)

    def _change_words(self, key: str) -> None:
        """Carry out what readline does to words, if there are any."""
        from secretary_tui.widgets.vi.word_changes import WORD_CHANGES

        area = self._area
        changed = WORD_CHANGES[key](area.shown, area.offset_of(area.cursor_location))
        if changed is not None:
            area.exchange(changed.start, changed.end, changed.insert)
            area.move_cursor(area.location_of(changed.cursor))

    def _kill_to_line_end(self) -> None:
        if self._area.cursor_at_end_of_line:
            self._area.action_delete_right()
        else:
            self._area.action_delete_to_end_of_line()

    def _to_word_end(self) -> None:
        """To the end of the word, as readline does; the text area goes to the next one."""
        text, at = self._area.shown, self._area.offset_of(self._area.cursor_location)
        while at < len(text) and not text[at].isalnum():
            at += 1
        while at < len(text) and text[at].isalnum():
            at += 1
        self._area.move_cursor(self._area.location_of(at))
