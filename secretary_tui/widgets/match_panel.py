"""Who shall do it: the recommended agent, alternatives, a command, another one, or nobody."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from secretary_tui.people import Match, Recommendation, RouteAction, RouteChoice
from secretary_tui.widgets.cells import fit
from secretary_tui.widgets.engine_line import EngineLine, EngineRow
from secretary_tui.widgets.key_bar import KeyHint
from secretary_tui.widgets.match_foot import MatchFoot
from secretary_tui.widgets.match_rows import (
    AgentBrief,
    PanelAdvice,
    Piece,
    RowLayout,
    because,
    match_row,
)
from secretary_tui.widgets.other_agent import OtherAgent
from secretary_tui.widgets.panel import Panel

__all__ = ["AgentBrief", "MatchPanel", "PanelAdvice"]

_KEYS = frozenset({"enter", "escape", "up", "down"})
_SCROLLS = {"up": -1, "down": 1, "pageup": -8, "pagedown": 8, "home": -100_000, "end": 100_000}


class MatchPanel(Panel[RouteChoice]):
    """Waits for the user's choice; shows the local ranking at once and the model's in its place."""

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
        self._explain: Callable[[Recommendation, int], Sequence[str]] = lambda route, width: ()
        self._explaining = False
        """Whether it is shown where the ranking comes from."""
        self._other = OtherAgent()
        self.last_letter = ""
        """The letter that answered, for somebody who was only typing (`MainScreen`)."""
        self._engines = EngineLine()
        self._tree_offered = False
        self._own_tree: bool | None = None
        """What the user said about a working tree of its own; None for what each agent asks for."""
        self.on_engine: Callable[[str], None] = lambda name: None
        """Called with the engine's name, empty for the session's, when the user takes another."""
        self.on_edit: Callable[[str], None] = lambda task: None
        """Called with the task when the user wants to edit it."""

    def compose(self) -> ComposeResult:
        """The input of *Other*, and the text."""
        other = Input(placeholder="agent id, Tab completes", id="match-other", compact=True)
        other.display = False
        yield other
        yield Static(id="match-text", markup=False)
        why = VerticalScroll(Static(id="match-why-text", markup=False), id="match-why")
        why.display = False
        why.can_focus = False
        yield why

    # ------------------------------------------------------------------- data

    def present(
        self,
        recommendation: Recommendation,
        *,
        briefs: Mapping[str, AgentBrief],
        advice: PanelAdvice | None,
        complete: Callable[[str], Sequence[str]],
        resolve: Callable[[str], str],
        explain: Callable[[Recommendation, int], Sequence[str]] = lambda route, width: (),
        refining: bool = False,
    ) -> None:
        """Show a fresh recommendation; `resolve` raises LookupError naming the nearest agents.

        `explain` gives the lines, of a width, that say where a ranking comes from.
        """
        self._recommendation = recommendation
        self._rows = _rows_of(recommendation)
        self._cursor = self._recommended_row()
        self._text = recommendation.intent
        self._moved = self._edited = False
        self._engines = EngineLine()
        self._tree_offered, self._own_tree = False, None
        self._briefs, self._advice = briefs, advice
        self._refining = refining
        self._explain = explain
        self._show_why(False)
        self._close_other()
        self._other = OtherAgent(complete, resolve)
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
        self._rows = _rows_of(recommendation)
        self._briefs, self._advice = {**self._briefs, **briefs}, advice
        self._refining = False
        kept = next((i for i, row in enumerate(self._rows) if row.agent == chosen), None)
        self._cursor = kept if keep else self._recommended_row()
        if not self._edited:
            self._text = recommendation.intent
        self._show_why(self._explaining)
        self.restart_grace()
        self._paint()

    def offer_engines(self, rows: Sequence[EngineRow], session: str) -> None:
        """Take the engines that the run could have, as soon as they are known."""
        self._engines.offer(rows, session)
        self._paint()

    def offer_own_tree(self) -> None:
        """Let the run have a working tree of its own: the project is a repository."""
        self._tree_offered = True
        self._paint()

    def set_briefs(self, briefs: Mapping[str, AgentBrief]) -> None:
        """Say anew what a run will be able to do: it gets another engine."""
        self._briefs = {**self._briefs, **briefs}
        self._paint()

    def add_starts(self, starts: Mapping[str, str]) -> None:
        """Say, as soon as it is known, what a run of each agent costs to begin."""
        self._briefs = {
            agent: replace(brief, start=starts.get(agent, brief.start))
            for agent, brief in self._briefs.items()
        }
        self._paint()

    def set_task(self, task: str) -> None:
        """Replace the task that will be sent."""
        self._text, self._edited = task, True
        self._paint()

    @property
    def hints(self) -> tuple[KeyHint, ...]:
        """The keys that answer now."""
        if self._other.is_open:
            return (
                KeyHint("Enter", "take it", "enter"),
                KeyHint("↑↓", "move", "down"),
                KeyHint("Tab", "complete", "tab"),
                KeyHint("Esc", "back", "escape"),
            )
        if self._explaining:
            return (
                KeyHint("↑↓ PgUp PgDn", "scroll", "down"),
                KeyHint("?", "back to the matches", "question_mark"),
            )
        hints = []
        if self._rows:
            does = "accept" if self._cursor is not None else "look at the first"
            hints.append(KeyHint("Enter", does, "enter"))
        numbers = self._numbers()
        if numbers:
            last = max(numbers.values())
            hints.append(KeyHint("1" if last == 1 else f"1-{last}", "alternative", "1"))
        if self._workflow_row() is not None:
            hints.append(KeyHint("w", "command", "w"))
        return (
            *hints,
            KeyHint("o", "other", "o"),
            KeyHint("e", "edit task", "e"),
            *([KeyHint("m", "engine", "m")] if self._engines.can_change else []),
            *([KeyHint("t", "own tree", "t")] if self._tree_offered and self._rows else []),
            KeyHint("Esc", "cancel", "escape"),
            KeyHint("?", "why", "question_mark"),
        )

    # -------------------------------------------------------------------- keys

    def take_key(self, key: str) -> bool:
        """Enter/a accept, 1-3 alternatives, w, o, e, m, t, ? why, Esc; see `hints`."""
        if self._explaining:
            return self._take_why_key(key)
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
        if key == "escape":
            self.answer(RouteChoice(RouteAction.CANCEL))
            return True
        return self._take_letter(key)

    def _take_letter(self, key: str) -> bool:
        if key == "w" and (workflow := self._workflow_row()) is not None:
            self._choose(workflow)
        elif key == "o":
            self._open_other()
        elif key == "question_mark":
            self._show_why(True)
        elif key == "e":
            self.on_edit(self._text)
        elif key == "m" and self._engines.can_change:
            self.on_engine(self._engines.change())
            self._paint()
        elif key == "t" and self._tree_offered and self._rows:
            self._own_tree = not self._gets_own_tree()
            self._paint()
        else:
            return False
        return True

    def offer_key(self, key: str) -> bool:
        """In the grace period what can be typed is; the panel's other keys are ignored."""
        if not self.is_open or self.armed:
            taken = super().offer_key(key)
            self.last_letter = key if taken and len(key) == 1 else ""
            return taken
        if key in _KEYS:
            self.restart_grace()  # A key that is held down never answers.
            return True
        return False

    def acts_on(self, letter: str) -> bool:
        """The letters of the hints, and the numbers of the rows."""
        if self._explaining:
            return False
        if letter.isdigit():
            return int(letter) in self._numbers().values()
        own = {"a": self._recommended_row() is not None, "o": True, "e": True}
        own["w"], own["m"] = self._workflow_row() is not None, self._engines.can_change
        own["t"] = self._tree_offered and bool(self._rows)
        return own.get(letter, False)

    def _accept(self, key: str) -> bool:
        if not self._rows:
            return False
        row = self._recommended_row() if key == "a" else self._cursor
        if row is not None:
            self._choose(row)
        elif key == "enter":  # None is recommended: the first is looked at first.
            self._cursor, self._moved = 0, True
            self.restart_grace()
            self._paint()
        return row is not None or key == "enter"

    def _choose(self, row: int) -> None:
        first = row == self._recommended_row()
        action = RouteAction.ACCEPT if first else RouteAction.ALTERNATIVE
        if row == self._workflow_row():
            action = RouteAction.WORKFLOW
        self._answer(action, self._rows[row].agent)

    def _answer(self, action: RouteAction, agent: str) -> None:
        engine = self._engines.chosen
        self.answer(RouteChoice(action, agent, self._text, engine, self._own_tree))

    def _gets_own_tree(self) -> bool:
        """Whether the run of the row for Enter would get a working tree of its own."""
        if not self._tree_offered or not self._rows:
            return False
        if self._own_tree is not None:
            return self._own_tree
        brief = self._briefs.get(self._rows[self._cursor or 0].agent)
        return brief is not None and brief.own_tree

    def _workflow_row(self) -> int | None:
        """The row of the command or skill, always the last one."""
        workflow = self._recommendation.workflow if self._recommendation else None
        return len(self._rows) - 1 if workflow is not None and workflow.runnable else None

    def _recommended_row(self) -> int | None:
        workflow = self._recommendation.workflow if self._recommendation else None
        if workflow is not None and workflow.named:
            return self._workflow_row()
        wanted = self._recommendation.recommended if self._recommendation else None
        return next((i for i, row in enumerate(self._rows) if row.agent == wanted), None)

    def _numbers(self) -> dict[int, int]:
        """The number key of each row that is no longer, or never was, the recommended one."""
        recommended = self._recommended_row()
        without = (recommended, self._workflow_row())
        others = [i for i in range(len(self._rows)) if i not in without]
        return {row: number for number, row in enumerate(others, start=1)}

    # --------------------------------------------------------------------- why

    def _show_why(self, shown: bool) -> None:
        """Show where the ranking comes from in the place of the matches, or those again."""
        self._explaining = shown
        if shown and self._recommendation is not None:
            lines = self._explain(self._recommendation, max(40, self.content_size.width - 2))
            said = "\n".join(lines) or "There is nothing to explain: nothing was ranked."
            self.query_one("#match-why-text", Static).update(Content(said))
            self.query_one("#match-why").scroll_home(animate=False)
        self.query_one("#match-why").display = shown
        self.query_one("#match-text").display = not shown
        self.post_message(self.Changed())

    def _take_why_key(self, key: str) -> bool:
        """Scroll or go back; nothing is chosen while the matches are out of sight."""
        if key in ("question_mark", "escape"):
            self._show_why(False)
            self.restart_grace()
        elif key in _SCROLLS:
            self.query_one("#match-why").scroll_relative(y=_SCROLLS[key], animate=False)
        else:
            return key == "enter"
        return True

    # ------------------------------------------------------------------- other

    def _open_other(self) -> None:
        self._other.is_open = True
        other = self.query_one("#match-other", Input)
        other.display = True
        other.value = ""
        other.focus()
        self._look_up("")

    def _close_other(self) -> None:
        self._other.close()
        self.query_one("#match-other", Input).display = False

    def _look_up(self, text: str) -> None:
        ranking = self._recommendation.ranking if self._recommendation else ()
        self._other.look_up(text, [match.agent for match in ranking])
        self._paint()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Complete while typing."""
        event.stop()
        self._look_up(event.value.strip())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the marked agent; where nothing completes the text, name the nearest."""
        event.stop()
        agent = self._other.take(event.value.strip())
        if agent:
            self._answer(RouteAction.OTHER, agent)
        else:
            self._paint()

    @property
    def typing(self) -> bool:
        """Whether *Other* is open."""
        return self._other.is_open

    def take_typing_key(self, key: str) -> bool:
        """Inside *Other* arrows move, Tab completes, Esc goes back."""
        if key not in ("tab", "escape", "up", "down"):
            return False
        if key == "escape":
            self._close_other()
            self.post_message(self.Opened())
        elif key != "tab":
            self._other.move(-1 if key == "up" else 1)
        elif self._other.marked:
            other = self.query_one("#match-other", Input)
            other.value = self._other.marked
            other.cursor_position = len(other.value)
        self._paint()
        return True

    def answer(self, reply: RouteChoice) -> None:
        """Give the answer and fold away what was opened."""
        self._close_other()
        self._show_why(False)
        super().answer(reply)

    # ---------------------------------------------------------------- painting

    def on_resize(self) -> None:
        """Bars and reasons are cut to the new width."""
        self._paint()
        if self._explaining:
            self._show_why(True)

    def _paint(self) -> None:
        if self._recommendation is None:
            return
        width = max(20, self.content_size.width)
        parts: list[Piece] = []
        if not self._other.is_open:
            task = " · ".join(filter(None, map(str.strip, self._text.splitlines())))
            parts += [("task  ", "$foreground 60%"), fit(task, width - 6), "\n"]
        parts += self._body(width)
        parts += self._foot(width)
        self.query_one("#match-text", Static).update(Content.assemble(*parts))
        self.post_message(self.Changed())

    def _body(self, width: int) -> list[Piece]:
        if self._other.is_open:
            return self._other.lines(width)
        if not self._rows:
            advice = self._advice or PanelAdvice("No agent fits this request.")
            hints = "".join(f"  · {suggestion}\n" for suggestion in advice.suggestions)
            return [(f"{advice.message}\n", "$text-warning"), (hints, "$foreground 60%")]
        parts: list[Piece] = []
        numbers, recommended = self._numbers(), self._recommended_row()
        layout = RowLayout(width, max(cell_len(row.agent) for row in self._rows))
        workflow = self._workflow_row()
        for position, match in enumerate(self._rows):
            key = "Enter" if position == self._cursor else str(numbers.get(position, "a"))
            if position == self._cursor and position in numbers:
                key = f"{numbers[position]} Enter"
            if position == workflow:
                key = "w Enter" if position == self._cursor else "w"
            brief = self._briefs.get(match.agent)
            color = brief.color if brief is not None else ""
            parts += match_row(key, match, position == recommended, layout, color)
            lone = len(self._rows) == 1
            if lone or position in (self._cursor, recommended, workflow):
                parts += because(match, brief, width)
            elif self._cursor is None and recommended is None:
                parts += because(match, None, width)
        return parts

    def _foot(self, width: int) -> list[Piece]:
        assert self._recommendation is not None
        if self._other.is_open:
            return []
        foot = MatchFoot(
            self._recommendation,
            self._refining,
            len(self._rows),
            self._recommended_row() is not None,
            self._engines.text,
            self._gets_own_tree(),
        )
        return foot.lines(width)


def _rows_of(recommendation: Recommendation) -> tuple[Match, ...]:
    """The agents, and behind them the command or skill when there is one to run."""
    workflow = recommendation.workflow
    if workflow is None or not workflow.runnable:
        return recommendation.matches
    row = Match(workflow.reference, workflow.path, workflow.confidence, workflow.reason)
    return (*recommendation.matches, row)
