"""How a plain conversation is written and read: as text at a terminal or in a pipe, or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from secretary_tui.lines.line_face import TextFace
from secretary_tui.plain.json_face import JsonFace, JsonRunText
from secretary_tui.plain.json_writer import JsonWriter
from secretary_tui.plain.line_editor import LineEditor
from secretary_tui.plain.line_sink import later
from secretary_tui.plain.line_writer import LineWriter
from secretary_tui.plain.piped_keyboard import PipedKeyboard
from secretary_tui.plain.speech import Speech
from secretary_tui.plain.writer import Channel

if TYPE_CHECKING:
    from secretary_tui.plain.terminal_keyboard import TerminalKeyboard


def json_channel() -> Channel:
    """Speak JSON through the standard streams, whatever they are."""
    writer = JsonWriter()
    face = JsonFace(writer)
    return Channel(writer, face, face, lambda: JsonRunText(writer))


def text_channel(editor: LineEditor | None) -> Channel:
    """Speak text; the editor is that of a terminal, None where lines come from a pipe."""
    writer = LineWriter()
    keyboard: PipedKeyboard | TerminalKeyboard
    if editor is None:
        keyboard = PipedKeyboard(writer)
    else:
        from secretary_tui.plain.terminal_keyboard import TerminalKeyboard

        keyboard = TerminalKeyboard(writer, editor)
    face = TextFace(writer.line, keyboard, spoken=True)
    return Channel(writer, keyboard, face, lambda: Speech(writer, later))
