"""*Other* of the match panel: the agents that complete what is typed, one of them marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from secretary_tui.widgets.cells import fit
from secretary_tui.widgets.panels.match_rows import Piece

MAX_COMPLETIONS = 5


class OtherAgent:
    """What completes the text of *Other*, one of it marked.

    Args:
        complete: Gives the agents that a text may become.
        resolve: Gives the agent that a text names; raises LookupError naming the nearest.
    """

    def __init__(
        self,
        complete: Callable[[str], Sequence[str]] = lambda prefix: (),
        resolve: Callable[[str], str] = lambda reference: reference,
    ) -> None:
        self._complete = complete
        self._resolve = resolve
        self._found: tuple[str, ...] = ()
        self._at = 0
        self._error = ""
        self.is_open = False
        """Whether somebody is typing an agent's name."""

    @property
    def marked(self) -> str:
        """What Enter takes; empty when nothing completes the text."""
        return self._found[self._at] if self._found else ""

    def close(self) -> None:
        """Leave it."""
        self.is_open = False
        self._error = ""

    def look_up(self, text: str, ranking: Sequence[str]) -> None:
        """Complete over all agents; with nothing typed, the closest of the ranking."""
        found = self._complete(text) if text else ranking
        self._found, self._at = tuple(found[:MAX_COMPLETIONS]), 0
        self._error = ""

    def move(self, step: int) -> None:
        """Mark another one."""
        if self._found:
            self._at = (self._at + step) % len(self._found)

    def take(self, typed: str) -> str:
        """Give the marked agent, or the one that is typed; empty for none, and it says why."""
        reference = self.marked or typed
        try:
            return self._resolve(reference) if reference else ""
        except LookupError as error:
            self._error = str(error)
            return ""

    def lines(self, width: int) -> list[Piece]:
        """The completions, as many lines for any number of them."""
        parts: list[Piece] = []
        for position, name in enumerate(self._found):
            here = position == self._at
            parts.append(("Enter   " if here else f"{'':8}", "bold $accent"))
            parts.append((fit(name, width - 8), "bold" if here else "$foreground 60%"))
            parts.append("\n")
        missing = MAX_COMPLETIONS - len(self._found)
        return [
            *(parts if missing else parts[:-1]),
            (self._error, "$text-error"),
            "\n" * (missing - 1),
        ]
