"""*Other* of the match panel: an agent by its name, with the agents that complete what is typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.widgets import Input

from secretary_tui.widgets.cells import fit
from secretary_tui.widgets.panels.match_rows import Piece

MAX_COMPLETIONS = 5


class OtherAgent(Input):
    """An input with completions, one of them marked; hidden until it is opened.

    Args:
        ranked: Gives the agents to show while nothing is typed, best first.
        changed: Called when the completions are others.
        chosen: Called with the agent that Enter takes.
    """

    def __init__(
        self,
        ranked: Callable[[], Sequence[str]],
        changed: Callable[[], None],
        chosen: Callable[[str], None],
    ) -> None:
        super().__init__(placeholder="agent id, Tab completes", id="match-other", compact=True)
        self.display = False
        self._complete: Callable[[str], Sequence[str]] = lambda prefix: ()
        self._resolve: Callable[[str], str] = lambda reference: reference
        self._ranked, self._changed, self._chosen = ranked, changed, chosen
        self._found: tuple[str, ...] = ()
        self._at = 0
        self._error = ""

    def look_among(
        self, complete: Callable[[str], Sequence[str]], resolve: Callable[[str], str]
    ) -> None:
        """Take what knows the agents.

        Args:
            complete: Gives the agents that a text may become.
            resolve: Gives the agent that a text names; raises LookupError naming the nearest.
        """
        self._complete, self._resolve = complete, resolve

    @property
    def is_open(self) -> bool:
        """Whether somebody is typing an agent's name."""
        return bool(self.display)

    @property
    def marked(self) -> str:
        """What Enter takes; empty when nothing completes the text."""
        return self._found[self._at] if self._found else ""

    def open(self) -> None:
        """Let a name be typed."""
        self.display = True
        self.value = ""
        self.focus()
        self._look_up("")

    def close(self) -> None:
        """Leave it."""
        self.display = False
        self._error = ""

    def on_input_changed(self, event: Input.Changed) -> None:
        """Complete while typing."""
        event.stop()
        self._look_up(event.value.strip())
        self._changed()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the marked agent, or the one that is typed; where there is none, say why."""
        event.stop()
        reference = self.marked or event.value.strip()
        try:
            agent = self._resolve(reference) if reference else ""
        except LookupError as error:
            agent, self._error = "", str(error)
        if agent:
            self._chosen(agent)
        else:
            self._changed()

    def take_key(self, key: str) -> bool:
        """Arrows mark another one, Tab completes; whether a key meant something."""
        if key in ("up", "down") and self._found:
            self._at = (self._at + (-1 if key == "up" else 1)) % len(self._found)
        elif key == "tab" and self.marked:
            self.value = self.marked
            self.cursor_position = len(self.value)
        return key in ("tab", "up", "down")

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

    def _look_up(self, text: str) -> None:
        """Complete over all agents; with nothing typed, the closest of the ranking."""
        found = self._complete(text) if text else self._ranked()
        self._found, self._at = tuple(found[:MAX_COMPLETIONS]), 0
        self._error = ""
