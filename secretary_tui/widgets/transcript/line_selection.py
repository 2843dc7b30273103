"""Text selection over lines of segments: what is selected, and how it is shown."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset
from textual.selection import Selection

from secretary_tui.widgets.transcript.code_lines import Line
from secretary_tui.widgets.transcript.line_index import LineIndex


def selected_text(index: LineIndex, selection: Selection) -> str:
    """The selected text, as it stands on the screen, without blanks at the ends of lines."""
    first = selection.start.y if selection.start else 0
    last = selection.end.y if selection.end else index.total - 1
    rows: list[str] = []
    for y in range(max(first, 0), min(last, index.total - 1) + 1):
        number, line = index.locate(y)
        lines = index.lines(number)
        rows.append("".join(s.text for s in lines[line]) if line < len(lines) else "")
    start = Offset(selection.start.x, 0) if selection.start else None
    end = Offset(selection.end.x, last - first) if selection.end else None
    text = Selection(start, end).extract("\n".join(rows)) if rows else ""
    return "\n".join(row.rstrip() for row in text.split("\n"))


def restyle(line: Line, start: int, end: int, style: Style) -> Line:
    """Put a style over the characters from `start` to before `end`; `end` -1 is the line's end."""
    if end < 0:
        end = sum(len(segment.text) for segment in line)
    result: Line = []
    at = 0
    for text, own, _ in line:
        low, high = max(start - at, 0), max(min(end - at, len(text)), 0)
        for part, over in (
            (text[:low], False),
            (text[low:high], True),
            (text[max(low, high) :], False),
        ):
            if part:
                result.append(Segment(part, (own + style if own else style) if over else own))
        at += len(text)
    return result


def overlay(line: Line, text: str, width: int, style: Style) -> Line:
    """Put a text over the right end of a line of `width` cells."""
    room = max(width - cell_len(text), 0)
    return [*Segment.adjust_line_length(line, room), Segment(text, style)]


def overlay_left(line: Line, text: str, width: int, style: Style) -> Line:
    """Put a text over the left end of a line of `width` cells."""
    if not text:
        return line
    room = min(cell_len(text), width)
    _, rest = Segment.divide(Segment.adjust_line_length(line, width), [room, width])
    return [Segment(text, style), *rest]
