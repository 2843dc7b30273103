"""Writes to the terminal only the cells that changed, in as few bytes as they take.

Textual (8.2.8, pinned) writes every row that was drawn anew from its first cell to its last, each
piece of text between a full style and a reset: 400 bytes for each streamed character, two thirds of
them styles. Over ssh that is felt. `LeanDisplay` remembers what stands on the terminal; the private
names of Textual that this needs stand here alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from rich.color import Color, ColorSystem
from rich.console import Console
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.app import App
from textual.geometry import Size
from textual.strip import Strip

from secretary_tui.terminal.row_diff import DEFAULT, Ink, Run, changed, cut
from secretary_tui.terminal.terminal_input import frames_waiting

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.screen import Screen

_NARROW = re.compile(
    "[ -~\xa0-\xac\xae-\u02ff\u0370-\u0377\u0391-\u03c9\u0410-\u044f"
    "\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2200-\u22ff\u2500-\u25fc\u25ff\u2713\u2717]*"
)
"""Text of which every terminal makes one cell a character; about the rest they disagree."""
_RESET = "\x1b[0m"
_MOST_WAITING = 10
"""Writes that may wait for a slow terminal; what comes then is not painted: it would be late."""
_CATCH_UP_S = 0.1
_ERASED = 12
"""More blanks than this are erased rather than written."""
_OFF = {
    **{"1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "6": "25", "7": "27", "8": "28"},
    **{"9": "29", "21": "24", "51": "54", "52": "54", "53": "55"},
}
"""What ends each attribute."""


class _Span(NamedTuple):
    """What stands on a row from some column on."""

    cells: int
    runs: list[Run]
    narrow: bool


class Painter:
    """Turns what Textual draws into the bytes that change the terminal accordingly.

    Args:
        erases: Whether the terminal erases in the current background (terminfo's `bce`), so that
            blanks need not be written.
    """

    def __init__(self, *, erases: bool = False) -> None:
        self.erases = erases
        self._rows: dict[int, dict[int, _Span]] = {}
        """By row and first column."""
        self._inks: dict[tuple[int, Color | None, Color | None], tuple[Ink, Ink]] = {}
        self._system: ColorSystem | None = None
        self._pen = DEFAULT
        self._out: list[str] = []

    def forget(self) -> None:
        """Take nothing for granted: what comes is written whole."""
        self._rows.clear()

    def paint(self, update: CompositorUpdate, system: ColorSystem | None) -> str | None:
        """Give the bytes for an update; None for one that has to be written as it is."""
        if system is not self._system:
            self.forget()
            self._inks.clear()
            self._system = system
        self._out, self._pen = [], DEFAULT
        if isinstance(update, LayoutUpdate):
            self.forget()
            for y, strips in enumerate(update.strips, update.region.y):
                x = update.region.x
                for strip in strips:
                    self._put(x, y, strip)
                    x += strip.cell_length
        elif isinstance(update, ChopsUpdate):
            for x, y, strip in _pieces(update):
                self._put(x, y, strip)
        else:
            self.forget()
            return None
        if self._pen != DEFAULT:
            self._out.append(_RESET)
        return "".join(self._out)

    def _put(self, x: int, y: int, strip: Strip) -> None:
        new = self._span(strip)
        row = self._rows.setdefault(y, {})
        old = row.get(x)
        if old is not None and old.cells > new.cells and old.narrow and new.narrow:
            new = _Span(old.cells, [*new.runs, *cut(old.runs, new.cells, old.cells)], True)
        if old is None or old.cells != new.cells:
            end = x + new.cells
            for at in [at for at, span in row.items() if at < end and x < at + span.cells]:
                del row[at]
            self._write(x, y, new.runs)
        elif old.runs != new.runs:
            if old.narrow and new.narrow:
                start, stop = changed(old.runs, new.runs, new.cells)
                self._write(x + start, y, cut(new.runs, start, stop))
            else:
                self._write(x, y, new.runs)
        row[x] = new

    def _write(self, x: int, y: int, runs: Iterable[Run]) -> None:
        out = self._out
        out.append(f"\x1b[{y + 1};{x + 1}H")
        for text, ink in runs:
            if ink.link is not None:
                out.append(_RESET + ink.link.render(text, color_system=self._system))
                self._pen = DEFAULT
                continue
            self._switch(ink)
            if ink.color is None and self.erases and len(text) > _ERASED:
                out.append(f"\x1b[{len(text)}X\x1b[{len(text)}C")
            else:
                out.append(text)
        if out[-1].startswith("\x1b[") and out[-1].endswith("C"):
            out[-1] = out[-1].partition("X")[0] + "X"  # Nothing follows on this row.

    def _switch(self, ink: Ink) -> None:
        """Write the parameters that differ from the pen's."""
        pen = self._pen
        color = pen.color if ink.color is None else ink.color
        codes = _attribute_codes(pen.attributes, ink.attributes)
        if color != pen.color:
            codes.append(color or "39")
        if ink.background != pen.background:
            codes.append(ink.background or "49")
        if codes:
            self._out.append(f"\x1b[{';'.join(codes)}m")
            self._pen = Ink(ink.attributes, color, ink.background)

    def _span(self, strip: Strip) -> _Span:
        runs: list[Run] = []
        last: Ink | None = None
        narrow = True
        for text, style, _ in strip:
            if not text:
                continue
            ink = self._ink(style, blank=text.isspace())
            narrow = narrow and _NARROW.fullmatch(text) is not None
            if ink == last:
                runs[-1] = (runs[-1][0] + text, ink)
            else:
                runs.append((text, ink))
                last = ink
        return _Span(strip.cell_length, runs, narrow)

    def _ink(self, style: Style | None, *, blank: bool) -> Ink:
        if style is None or self._system is None:
            return DEFAULT
        if style.link:
            return Ink("", "", "", style)
        key = (style._attributes & style._set_attributes, style.color, style.bgcolor)
        inks = self._inks.get(key)
        if inks is None:
            attributes, color, background = (
                part._make_ansi_codes(self._system)
                for part in (
                    style.without_color,
                    Style(color=style.color),
                    Style(bgcolor=style.bgcolor),
                )
            )
            ink = Ink(attributes, color, background)
            inks = self._inks[key] = (ink, ink if ink.attributes else ink._replace(color=None))
        return inks[blank]


class LeanDisplay(App[None]):
    """Mixed into an app, writes through a `Painter`."""

    _painter: Painter | None = None
    _painted_size = Size(0, 0)
    _is_behind = False
    """Whether the terminal doesn't take what it is sent: nothing is painted until it has."""

    def forget_terminal(self) -> None:
        """Write all of the next picture: something else may have written to the terminal."""
        if self._painter is not None:
            self._painter.forget()

    def refresh(
        self, *, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        """Paint the whole screen again, whatever stands on the terminal."""
        self.forget_terminal()
        return super().refresh(repaint=repaint, layout=layout, recompose=recompose)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if self._painter is None:
            self._painter = Painter()
            self.call_later(self._look_up_terminal)  # Which the first paint doesn't wait for.
            self.app_resume_signal.subscribe(self, lambda _: self.forget_terminal())
        if self._is_behind or frames_waiting(self) > _MOST_WAITING:
            if not self._is_behind:
                self._is_behind = True
                self.set_timer(_CATCH_UP_S, self._catch_up)
            return
        if self.size != self._painted_size:
            self._painted_size = self.size
            self.forget_terminal()
        if isinstance(renderable, CompositorUpdate) and not self.is_inline:
            renderable = _Lean(renderable, self._painter)
        super()._display(screen, renderable)

    def _catch_up(self) -> None:
        """Paint what the screen is by now, once the terminal has taken what it was sent."""
        if frames_waiting(self):
            self.set_timer(_CATCH_UP_S, self._catch_up)
            return
        self._is_behind = False
        self.refresh()

    def _look_up_terminal(self) -> None:
        if self._painter is not None:
            self._painter.erases = erases_in_colour()


class _Lean(CompositorUpdate):
    """An update that writes itself through the painter."""

    def __init__(self, update: CompositorUpdate, painter: Painter) -> None:
        self._update, self._painter = update, painter

    def render_segments(self, console: Console) -> str:
        lean = self._painter.paint(self._update, console._color_system)
        return self._update.render_segments(console) if lean is None else lean


def erases_in_colour() -> bool:
    """Whether terminfo says so of this terminal; no for one that it does not know."""
    try:
        import curses
    except ImportError:  # A Python that was built without it.
        return False
    try:
        curses.setupterm(fd=2)  # Textual's stdout is none of the system's.
    except curses.error:
        return False
    return curses.tigetflag("bce") > 0


@lru_cache(maxsize=256)
def _switched(before: str, after: str) -> tuple[str, ...]:
    old, new = (frozenset(filter(None, codes.split(";"))) for codes in (before, after))
    off = sorted({_OFF[code] for code in old - new})
    kept = {code for code in old & new if _OFF[code] in off}  # Bold and dim end together.
    return (*off, *sorted(kept | (new - old)))


def _attribute_codes(before: str, after: str) -> list[str]:
    """What turns some attributes into others."""
    return [] if before == after else list(_switched(before, after))


def _pieces(update: ChopsUpdate) -> Iterable[tuple[int, int, Strip]]:
    """The strips that an update writes, with their places."""
    for y, x1, x2 in update.spans:
        for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            if strip is None or x > x2 or end <= x1:
                continue
            whole = x2 > x >= x1 and end <= x2
            yield x, y, strip if whole else strip.crop(0, min(end, x2) - x)
