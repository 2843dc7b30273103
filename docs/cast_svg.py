"""Draw a recording of a terminal as an animated SVG: no script, no font and nothing else to load.

Each row that was ever on the screen is drawn once and used where it stands; a frame is what changed
the screen at one moment, and a style sheet shows one frame after the other, for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from xml.sax.saxutils import escape

import pyte
from pyte.screens import Char

CELL_W, CELL_H, FONT = 8.4, 17, 14
PADDING, BAR = 12, 30
"""Around the screen, and the height of the window's title bar, in pixels."""
INK, PAPER, FRAME = "d6d9de", "14171c", "23262d"
FONTS = "ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace"
NAMED = {
    **{"black": "1d2027", "red": "e06c75", "green": "98c379", "brown": "e5c07b"},
    **{"blue": "61afef", "magenta": "c678dd", "cyan": "56b6c2", "white": "abb2bf"},
}
"""The sixteen colours of a terminal, where a program asks for one of them."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What stood on the screen from a moment on."""

    at_s: float
    rows: tuple[str, ...]
    """Each as SVG."""


def frame_of(screen: pyte.Screen, at_s: float) -> Frame:
    """Draw what is on a screen."""
    rows = (_row([screen.buffer[y][x] for x in range(screen.columns)]) for y in range(screen.lines))
    return Frame(at_s, tuple(rows))


def animated(frames: Sequence[Frame], columns: int, lines: int, length_s: float, title: str) -> str:
    """Put frames one after the other into an SVG that begins again after `length_s` seconds."""
    kept = [next(same) for _, same in groupby(frames, key=lambda frame: frame.rows)]
    names: dict[str, str] = {}
    for frame in kept:
        for row in frame.rows:
            names.setdefault(row, f"r{len(names)}")
    width, height = columns * CELL_W, lines * CELL_H
    whole_w, whole_h = width + 2 * PADDING, height + 2 * PADDING + BAR
    stops = "".join(
        f"{100 * frame.at_s / length_s:.3f}%{{transform:translateY({-number * height}px)}}"
        for number, frame in enumerate(kept)
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole_w:g} {whole_h:g}" '
        f'width="{whole_w:g}" height="{whole_h:g}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>text{{font:{FONT}px {FONTS};white-space:pre;fill:#{INK}}}"
        ".b{font-weight:700}.i{font-style:italic}.u{text-decoration:underline}"
        f"@keyframes play{{{stops}}}"
        f"#film{{animation:play {length_s:g}s steps(1,end) infinite}}"
        "@media(prefers-reduced-motion){#film{animation:none;"
        f"transform:translateY({-(len(kept) - 1) * height}px)}}}}</style>",
        f'<rect width="100%" height="100%" rx="8" fill="#{PAPER}"/>',
        f'<path d="M0 {BAR}V8a8 8 0 0 1 8-8H{whole_w - 8:g}a8 8 0 0 1 8 8V{BAR}z" '
        f'fill="#{FRAME}"/>',
        *(
            f'<circle cx="{18 + 20 * number}" cy="{BAR / 2:g}" r="6" fill="#{colour}"/>'
            for number, colour in enumerate(("e06c75", "e5c07b", "98c379"))
        ),
        f'<text x="50%" y="{BAR / 2 + 5:g}" text-anchor="middle" opacity=".7">'
        f"{escape(title)}</text><defs>",
        *(f'<g id="{name}">{row}</g>' for row, name in names.items() if row),
        f'</defs><svg x="{PADDING}" y="{BAR + PADDING}" width="{width:g}" height="{height}">'
        '<g id="film">',
    ]
    for number, frame in enumerate(kept):
        parts += [
            f'<use href="#{names[row]}" y="{number * height + y * CELL_H}"/>'
            for y, row in enumerate(frame.rows)
            if row
        ]
    return "".join([*parts, "</g></svg></svg>\n"])


def _row(cells: Iterable[Char]) -> str:
    parts = []
    column = 0
    papers, inks = [], []
    for look, same in groupby(cells, key=_look):
        run = list(same)
        paper, ink, style = look
        text = "".join(cell.data for cell in run)
        x, width = column * CELL_W, len(run) * CELL_W
        column += len(run)
        if paper != PAPER:
            # Half a pixel more: neighbours must not show a seam.
            papers.append(
                f'<rect x="{x:g}" width="{width + 0.5:g}" height="{CELL_H + 0.5:g}" '
                f'fill="#{paper}"/>'
            )
        inks += _texts(text, x, ink, style)
    parts += [*papers, *inks]
    return "".join(parts)


def _texts(text: str, x: float, ink: str, style: str) -> list[str]:
    """Each stretch of a run between wide gaps, pinned to its columns whatever font there is."""
    if not text.strip():
        return []
    start = len(text) - len(text.lstrip())
    word = text.strip()
    fill = "" if ink == INK else f' style="fill:#{ink}"'
    named = f' class="{style}"' if style else ""
    return [
        f'<text x="{x + start * CELL_W:g}" y="13"{named}{fill} '
        f'textLength="{len(word) * CELL_W:g}">{escape(word)}</text>'
    ]


def _look(cell: Char) -> tuple[str, str, str]:
    ink, paper = _colour(cell.fg, INK), _colour(cell.bg, PAPER)
    if cell.reverse:
        ink, paper = paper, ink
    style = " ".join(
        name for name, on in (("b", cell.bold), ("i", cell.italics), ("u", cell.underscore)) if on
    )
    return paper, ink, style


def _colour(given: str, default: str) -> str:
    if given == "default":
        return default
    return NAMED.get(given.removeprefix("bright"), given)
