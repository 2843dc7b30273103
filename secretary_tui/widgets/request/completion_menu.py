"""What could be meant by the `/…` or `@…` that is being typed, between the panels and the box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

from secretary_tui.widgets.cells import fit, fit_reference

ROWS, FEW_ROWS, HIGH = 6, 4, 30
"""Suggestions that are on the screen at once, fewer below HIGH lines: a panel may be open, too."""
_WIDEST = 36
"""Cells that a name may take before its sentence."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One thing that could be meant."""

    text: str
    """What takes the place of what was typed, such as `/history` or `@"Cake Baker"`."""
    about: str
    """A sentence about it."""
    runs: bool = False
    """Whether it is whole as it is, so that Enter carries it out."""


class CompletionMenu(Widget):
    """Rows of which one is marked; it never has the focus: the request box passes its keys on."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.display = False
        self._suggestions: tuple[Suggestion, ...] = ()
        self._cursor = 0

    @property
    def is_open(self) -> bool:
        """Whether there is something to choose from."""
        return bool(self._suggestions)

    @property
    def marked(self) -> Suggestion | None:
        """The suggestion under the cursor."""
        return self._suggestions[self._cursor] if self._suggestions else None

    @property
    def count(self) -> int:
        """How many suggestions there are, seen or not."""
        return len(self._suggestions)

    @property
    def position(self) -> int:
        """Which suggestion is marked, from 0."""
        return self._cursor

    def show(self, suggestions: Sequence[Suggestion]) -> None:
        """Show these, the first marked; none closes the menu."""
        if tuple(suggestions) == self._suggestions:
            return
        self._suggestions, self._cursor = tuple(suggestions), 0
        self.display = self.is_open
        self.refresh(layout=True)

    def move(self, step: int) -> None:
        """Mark the next suggestion, or the one before; the last is followed by the first."""
        if self._suggestions:
            self._cursor = (self._cursor + step) % len(self._suggestions)
            self.refresh(layout=True)

    def render(self) -> Content:
        """The rows around the marked one."""
        width = max(20, self.content_size.width)
        most = ROWS if self.app.size.height >= HIGH else FEW_ROWS
        first = max(0, min(self._cursor - most // 2, len(self._suggestions) - most))
        rows = self._suggestions[first : first + most]
        names = max((cell_len(row.text) for row in rows), default=0)
        # Without sentences, as for earlier requests, the names have the whole line.
        names = min(names, _WIDEST, width // 2) if any(r.about for r in rows) else width - 4
        parts: list[str | tuple[str, str]] = []
        for position, row in enumerate(rows, start=first):
            here = position == self._cursor
            name = fit_reference(row.text, names)
            pad = " " * (names - cell_len(name) + 2)
            parts.append(("› " if here else "  ", "bold $accent"))
            parts.append((name + pad, "bold" if here else ""))
            parts.append((f"{fit(row.about, width - names - 4)}\n", "$foreground 60%"))
        return Content.assemble(*parts).rstrip("\n")
