"""The last line: the keys that work right now. Each can be clicked, too."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget


@dataclass(frozen=True, slots=True)
class KeyHint:
    """A key as it is shown, what it does, and the key name that a click sends."""

    label: str
    does: str
    key: str


class KeyBar(Widget):
    """Shows hints from left to right and drops those that don't fit."""

    hints: reactive[tuple[KeyHint, ...]] = reactive(())

    @dataclass
    class Pressed(Message):
        """A hint was clicked: act as if its key had been pressed."""

        key: str

    def render(self) -> Content:
        """The hints that fit."""
        parts: list[str | tuple[str, str]] = []
        for hint in self._visible():
            parts.append((hint.label, "bold $accent"))
            parts.append((f" {hint.does}  ", "$foreground 60%"))
        return Content.assemble(*parts)

    def on_click(self, event: events.Click) -> None:
        """Find the hint under the pointer."""
        x = event.x - self.styles.padding.left
        for hint in self._visible():
            width = _width(hint)
            if 0 <= x < width:
                self.post_message(self.Pressed(hint.key))
                return
            x -= width

    def _visible(self) -> list[KeyHint]:
        room = self.size.width - self.styles.padding.width
        fitting = []
        for hint in self.hints:
            room -= _width(hint)
            if room < -2:
                break
            fitting.append(hint)
        return fitting


def _width(hint: KeyHint) -> int:
    return len(hint.label) + len(hint.does) + 3


def key_hints(*hints: tuple[str, str], close: str = "close") -> Content:
    """Keys and what they do, for the line at the foot; Esc is the last unless it says nothing."""
    parts: list[tuple[str, str]] = []
    for key, does in (*hints, *((("Esc", close),) if close else ())):
        parts += [(key, "bold $accent"), (f" {does}  ", "$foreground 60%")]
    return Content.assemble(*parts)
