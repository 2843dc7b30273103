"""Who shall do it: the recommended agent, up to three alternatives, another one, or nobody."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Static

from secretary_tui.people import Match, Recommendation, RouteAction, RouteChoice
from secretary_tui.widgets.key_bar import KeyHint
from secretary_tui.widgets.panel import Panel

BAR_CELLS = 10
_KEYS = frozenset({"enter", "a", "1", "2", "3", "4", "o", "e", "escape", "up", "down"})


@dataclass(frozen=True, slots=True)
class AgentBrief:
    """What the panel says about an agent beside the match."""

    powers: str
    """Tools it will get and which of them ask, such as `Read Grep · asks: Bash`."""
    model: str
    source: str


@dataclass(frozen=True, slots=True)
class PanelAdvice:
    """What is said when nothing fits: one sentence and what to try."""

    message: str
    suggestions: tuple[str, ...] = ()


class MatchPanel(Panel[RouteChoice]):
    """Waits for the user's choice; shows the local ranking at once and the model's in its place."""

    MAX_COMPLETIONS: ClassVar[int] = 5

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._recommendation: Recommendation | None = None
        self._rows: tuple[Match, ...] = ()
        self._cursor: int | None = None
        self._text = ""
        self._moved = False
        """Whether the user moved the cursor."""
        self._edited = False
        """Whether the user wrote the task anew."""
        self._briefs: Mapping[str, AgentBrief] = {}
        self._advice: PanelAdvice | None = None
        self._refining = False
        self._complete: Callable[[str], Sequence[str]] = lambda prefix: ()
        self._resolve: Callable[[str], str] = lambda reference: reference
        self._error = ""
        self.last_letter = ""
        """The letter that answered, for somebody who was only typing (`MainScreen`)."""
        self._choosing_other = False
        self._found: tuple[str, ...] = ()
        """What completes the text of *Other*."""
        self._found_at = 0
        self.on_edit: Callable[[str], None] = lambda task: None
        """Called with the task when the user wants to edit it."""

    def compose(self) -> ComposeResult:
        """The input of *Other*, and the text."""
        other = Input(placeholder="agent id, Tab completes", id="match-other", compact=True)
        other.display = False
        yield other
        yield Static(id="match-text", markup=False)

    # ------------------------------------------------------------------- data

    def present(
        self,
        recommendation: Recommendation,
        *,
        briefs: Mapping[str, AgentBrief],
        advice: PanelAdvice | None,
        complete: Callable[[str], Sequence[str]],
        resolve: Callable[[str], str],
        refining: bool = False,
    ) -> None:
        """Show a fresh recommendation; `resolve` raises LookupError naming the nearest agents."""
        self._recommendation = recommendation
        self._rows = recommendation.matches
        self._cursor = self._recommended_row()
        self._text = recommendation.intent
        self._moved = self._edited = False
        self._briefs, self._advice = briefs, advice
        self._complete, self._resolve = complete, resolve
        self._refining = refining
        self._error = ""
        self._close_other()
        self._paint()

    def refine(
        self,
        recommendation: Recommendation,
        *,
        briefs: Mapping[str, AgentBrief],
        advice: PanelAdvice | None,
    ) -> None:
        """Take the model's view in place; the row the user moved to stays the one for Enter.

        When it is not among the matches any more, Enter takes none until the user moves again.
        Keys do not count for the grace period, so none is aimed at a row that just moved.
        """
        keep = self._moved and self._cursor is not None
        chosen = self._rows[self._cursor or 0].agent if keep else None
        self._recommendation = recommendation
        self._rows = recommendation.matches
        self._briefs, self._advice = {**self._briefs, **briefs}, advice
        self._refining = False
        kept = next((i for i, row in enumerate(self._rows) if row.agent == chosen), None)
        self._cursor = kept if keep else self._recommended_row()
        if not self._edited:
            self._text = recommendation.intent
        self.restart_grace()
        self._paint()

    def set_task(self, task: str) -> None:
        """Replace the task that will be sent."""
        self._text, self._edited = task, True
        self._paint()

    @property
    def hints(self) -> tuple[KeyHint, ...]:
        """The keys that answer now."""
        if self._choosing_other:
            return (
                KeyHint("Enter", "take it", "enter"),
                KeyHint("↑↓", "move", "down"),
                KeyHint("Tab", "complete", "tab"),
                KeyHint("Esc", "back", "escape"),
            )
        hints = []
        if self._cursor is not None and self._rows:
            hints.append(KeyHint("Enter", "accept", "enter"))
        numbers = self._numbers()
        if numbers:
            last = max(numbers.values())
            hints.append(KeyHint("1" if last == 1 else f"1-{last}", "alternative", "1"))
        return (
            *hints,
            KeyHint("o", "other", "o"),
            KeyHint("e", "edit task", "e"),
            KeyHint("Esc", "cancel", "escape"),
        )

    # -------------------------------------------------------------------- keys

    def take_key(self, key: str) -> bool:
        """Enter/a accept, 1-3 alternatives, o other, e edit, Esc cancel; arrows move."""
        if key in ("enter", "a"):
            return self._accept(key)
        if key.isdigit():
            row = next((r for r, number in self._numbers().items() if number == int(key)), None)
            if row is not None:
                self._choose(row)
            return row is not None
        if key in ("up", "down") and self._rows:
            step = -1 if key == "up" else 1
            start = (-1 if step > 0 else 0) if self._cursor is None else self._cursor
            self._cursor = (start + step) % len(self._rows)
            self._moved = True
            self._paint()
            return True
        if key == "o":
            self._open_other()
        elif key == "e":
            self.on_edit(self._text)
        elif key == "escape":
            self.answer(RouteChoice(RouteAction.CANCEL))
        else:
            return False
        return True

    def offer_key(self, key: str) -> bool:
        """In the grace period the panel's own keys are ignored; the others are typed."""
        if not self.is_open or self.armed:
            taken = super().offer_key(key)
            self.last_letter = key if taken and len(key) == 1 else ""
            return taken
        if key in _KEYS:
            self.restart_grace()  # A key that is held down never answers.
            return True
        return False

    def _accept(self, key: str) -> bool:
        if not self._rows:
            return False
        row = self._recommended_row() if key == "a" else self._cursor
        if row is None:
            return False
        self._choose(row)
        return True

    def _choose(self, row: int) -> None:
        first = row == self._recommended_row()
        action = RouteAction.ACCEPT if first else RouteAction.ALTERNATIVE
        self.answer(RouteChoice(action, self._rows[row].agent, self._text))

    def _recommended_row(self) -> int | None:
        wanted = self._recommendation.recommended if self._recommendation else None
        return next((i for i, row in enumerate(self._rows) if row.agent == wanted), None)

    def _numbers(self) -> dict[int, int]:
        """The number key of each row that is no longer, or never was, the recommended one."""
        recommended = self._recommended_row()
        others = [i for i in range(len(self._rows)) if i != recommended]
        return {row: number for number, row in enumerate(others, start=1)}

    # ------------------------------------------------------------------- other

    def _open_other(self) -> None:
        self._choosing_other = True
        other = self.query_one("#match-other", Input)
        other.display = True
        other.value = ""
        other.focus()
        self._look_up("")

    def _close_other(self) -> None:
        self._choosing_other = False
        self._error = ""
        self.query_one("#match-other", Input).display = False

    def _look_up(self, text: str) -> None:
        """Complete over all agents; with nothing typed, the closest of the ranking."""
        ranking = self._recommendation.ranking if self._recommendation else ()
        found = self._complete(text) if text else [match.agent for match in ranking]
        self._found, self._found_at = tuple(found[: self.MAX_COMPLETIONS]), 0
        self._error = ""
        self._paint()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Complete while typing."""
        event.stop()
        self._look_up(event.value.strip())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the marked agent; where nothing completes the text, name the nearest."""
        event.stop()
        reference = self._found[self._found_at] if self._found else event.value.strip()
        if not reference:
            return
        try:
            agent = self._resolve(reference)
        except LookupError as error:
            self._error = str(error)
            self._paint()
            return
        self.answer(RouteChoice(RouteAction.OTHER, agent, self._text))

    @property
    def typing(self) -> bool:
        """Whether *Other* is open."""
        return self._choosing_other

    def take_typing_key(self, key: str) -> bool:
        """Inside *Other* arrows move, Tab completes, Esc goes back."""
        if key not in ("tab", "escape", "up", "down"):
            return False
        if key == "escape":
            self._close_other()
            self.post_message(self.Opened())
        elif self._found and key == "tab":
            other = self.query_one("#match-other", Input)
            other.value = self._found[self._found_at]
            other.cursor_position = len(other.value)
        elif self._found:
            step = -1 if key == "up" else 1
            self._found_at = (self._found_at + step) % len(self._found)
        self._paint()
        return True

    def answer(self, reply: RouteChoice) -> None:
        """Give the answer and fold *Other* away."""
        self._close_other()
        super().answer(reply)

    # ---------------------------------------------------------------- painting

    def on_resize(self) -> None:
        """Bars and reasons are cut to the new width."""
        self._paint()

    def _paint(self) -> None:
        if self._recommendation is None:
            return
        width = max(20, self.content_size.width)
        parts: list[Content | str | tuple[str, str]] = []
        if not self._choosing_other:
            parts += [("task  ", "$foreground 60%"), _fit(self._text, width - 6), "\n"]
        parts += self._body(width)
        parts += self._foot(width)
        self.query_one("#match-text", Static).update(Content.assemble(*parts))
        self.post_message(self.Changed())

    def _body(self, width: int) -> list[Content | str | tuple[str, str]]:
        if self._choosing_other:
            parts: list[Content | str | tuple[str, str]] = []
            for position, name in enumerate(self._found):
                here = position == self._found_at
                parts.append(("Enter   " if here else f"{'':8}", "bold $accent"))
                parts.append((_fit(name, width - 8), "bold" if here else "$foreground 60%"))
                parts.append("\n")
            missing = self.MAX_COMPLETIONS - len(self._found)
            return [
                *(parts if missing else parts[:-1]),
                (self._error, "$text-error"),
                "\n" * (missing - 1),
            ]
        if not self._rows:
            advice = self._advice or PanelAdvice("No agent fits this request.")
            hints = "".join(f"  · {suggestion}\n" for suggestion in advice.suggestions)
            return [(f"{advice.message}\n", "$text-warning"), (hints, "$foreground 60%")]
        parts = []
        numbers, recommended = self._numbers(), self._recommended_row()
        for position, match in enumerate(self._rows):
            key = "Enter" if position == self._cursor else str(numbers.get(position, "a"))
            if position == self._cursor and position in numbers:
                key = f"{numbers[position]} Enter"
            parts += self._row(key, match, position == recommended, width)
            if position in (self._cursor, recommended):
                parts += self._because(match, width)
        return parts

    def _row(
        self, key: str, match: Match, recommended: bool, width: int
    ) -> list[Content | str | tuple[str, str]]:
        filled = round(match.confidence / 100 * BAR_CELLS)
        bar = "━" * filled
        rest = "━" * (BAR_CELLS - filled)
        wide = width >= 56
        tail = 5 + (BAR_CELLS + 1 if wide else 0)
        longest = max(cell_len(row.agent) for row in self._rows)
        room = min(longest + 2, width - 8 - tail)
        name = _fit(match.agent, room)
        style = "$text-success" if recommended else "$text-accent"
        parts: list[Content | str | tuple[str, str]] = [
            (f"{key:<7} ", "bold $accent"),
            (name, "bold" if recommended else ""),
            f"{'':{max(0, room - cell_len(name))}} {match.confidence:>3} ",
        ]
        if wide:
            parts += [(bar, style), (rest, "$foreground 20%"), " "]
        return [*parts, "\n"]

    def _because(self, match: Match, width: int) -> list[Content | str | tuple[str, str]]:
        lines = [match.reason]
        brief = self._briefs.get(match.agent)
        if brief is not None:
            lines.append(f"{brief.powers} · {brief.model} · {brief.source}")
        if match.copies:
            copies = "copy" if len(match.copies) == 1 else "copies"
            lines.append(f"{len(match.copies)} more {copies} of it in the library")
        return [(f"{'':8}{_fit(line, width - 8)}\n", "$foreground 60%") for line in lines if line]

    def _foot(self, width: int) -> list[Content | str | tuple[str, str]]:
        recommendation = self._recommendation
        assert recommendation is not None
        if self._choosing_other:
            return []
        if self._refining:
            text = f"ranked here in {recommendation.elapsed_ms:.0f} ms · the model is looking too…"
        elif recommendation.notice:
            text = recommendation.notice
        elif recommendation.engine == "local":
            text = f"ranked on this machine in {recommendation.elapsed_ms:.0f} ms"
        else:
            model = recommendation.engine.rpartition(" · ")[2]
            text = f"ranked by {model} in {recommendation.elapsed_ms:.0f} ms"
        if self._rows and self._recommended_row() is None:
            text = f"No strong match: choose by number. {text}"
        if recommendation.workflow:
            text = f"Looks like the {recommendation.workflow} workflow. {text}"
        return [(_fit(text, width), "italic $foreground 60%")]


def named_agent(agent: str, path: str, request: str) -> Recommendation:
    """The recommendation for an agent that the user named with `@`."""
    match = Match(agent, path, 100, "you named it")
    return Recommendation(request, request, (match,), agent, (match,), notice="Chosen by you.")


def _fit(text: str, width: int) -> str:
    line = " ".join(text.split()) if "\n" in text else text
    return line if cell_len(line) <= width else set_cell_size(line, width - 1).rstrip() + "…"
