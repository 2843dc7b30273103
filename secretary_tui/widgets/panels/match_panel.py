"""Who shall do it: the recommended agent, alternatives, a command, another one, or nobody."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Static

from secretary_tui.people import Recommendation, RouteAction, RouteChoice
from secretary_tui.widgets.cells import fit
from secretary_tui.widgets.key_bar import KeyHint
from secretary_tui.widgets.panels.engine_line import EngineLine, EngineRow
from secretary_tui.widgets.panels.match_body import match_body
from secretary_tui.widgets.panels.match_choices import MatchChoices
from secretary_tui.widgets.panels.match_foot import MatchFoot
from secretary_tui.widgets.panels.match_rows import AgentBrief, PanelAdvice, Piece
from secretary_tui.widgets.panels.match_why import SCROLLS, MatchWhy
from secretary_tui.widgets.panels.other_agent import OtherAgent
from secretary_tui.widgets.panels.panel import Panel

__all__ = ["AgentBrief", "MatchPanel", "PanelAdvice"]

_KEYS = frozenset({"enter", "escape", "up", "down"})


class MatchPanel(Panel[RouteChoice]):
    """Waits for the user's choice; shows the local ranking at once and the model's in its place."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._choices = MatchChoices()
        self._text = ""
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
        yield MatchWhy()

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
        self._choices = MatchChoices(recommendation)
        self._text, self._edited = recommendation.intent, False
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
        """Take the model's view in place of the local one (see `MatchChoices.refine`).

        Keys do not count for the grace period, so none is aimed at a row that just moved.
        """
        self._choices.refine(recommendation)
        self._briefs, self._advice = {**self._briefs, **briefs}, advice
        self._refining = False
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
        choices, hints = self._choices, []
        if choices.rows:
            does = "accept" if choices.cursor is not None else "look at the first"
            hints.append(KeyHint("Enter", does, "enter"))
        if choices.numbers:
            last = max(choices.numbers.values())
            hints.append(KeyHint("1" if last == 1 else f"1-{last}", "alternative", "1"))
        if choices.workflow is not None:
            hints.append(KeyHint("w", "command", "w"))
        return (
            *hints,
            KeyHint("o", "other", "o"),
            KeyHint("e", "edit task", "e"),
            *([KeyHint("m", "engine", "m")] if self._engines.can_change else []),
            *([KeyHint("t", "own tree", "t")] if self._can_have_own_tree else []),
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
            row = self._choices.numbered(int(key))
            if row is not None:
                self._choose(row)
            return row is not None
        if key in ("up", "down") and self._choices.rows:
            self._choices.move(-1 if key == "up" else 1)
            self._paint()
            return True
        if key == "escape":
            self.answer(RouteChoice(RouteAction.CANCEL))
            return True
        return self._take_letter(key)

    def _take_letter(self, key: str) -> bool:
        if key == "w" and (workflow := self._choices.workflow) is not None:
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
        elif key == "t" and self._can_have_own_tree:
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
            return self._choices.numbered(int(letter)) is not None
        own = {"a": self._choices.recommended is not None, "o": True, "e": True}
        own["w"], own["m"] = self._choices.workflow is not None, self._engines.can_change
        own["t"] = self._can_have_own_tree
        return own.get(letter, False)

    def take_click(self, key: str) -> None:
        """The first click goes to a row, one on the row for Enter takes it."""
        row = int(key)
        if row == self._choices.cursor:
            self._choose(row)
        elif row < len(self._choices.rows):
            self._choices.look_at(row)
            self.restart_grace()  # A double click never answers.
            self._paint()

    def _accept(self, key: str) -> bool:
        choices = self._choices
        if not choices.rows:
            return False
        row = choices.recommended if key == "a" else choices.cursor
        if row is not None:
            self._choose(row)
        elif key == "enter":  # None is recommended: the first is looked at first.
            choices.look_at_first()
            self.restart_grace()
            self._paint()
        return row is not None or key == "enter"

    def _choose(self, row: int) -> None:
        self._answer(self._choices.action(row), self._choices.rows[row].agent)

    def _answer(self, action: RouteAction, agent: str) -> None:
        engine = self._engines.chosen
        self.answer(RouteChoice(action, agent, self._text, engine, self._own_tree))

    @property
    def _can_have_own_tree(self) -> bool:
        return self._tree_offered and bool(self._choices.rows)

    def _gets_own_tree(self) -> bool:
        """Whether the run of the row for Enter would get a working tree of its own."""
        if not self._can_have_own_tree:
            return False
        if self._own_tree is not None:
            return self._own_tree
        brief = self._briefs.get(self._choices.at_cursor)
        return brief is not None and brief.own_tree

    # --------------------------------------------------------------------- why

    def _show_why(self, shown: bool) -> None:
        """Show where the ranking comes from in the place of the matches, or those again."""
        self._explaining = shown
        why, recommendation = self.query_one(MatchWhy), self._choices.recommendation
        if shown and recommendation is not None:
            why.say(self._explain(recommendation, max(40, self.content_size.width - 2)))
        why.display = shown
        self.query_one("#match-text").display = not shown
        self.post_message(self.Changed())

    def _take_why_key(self, key: str) -> bool:
        """Scroll or go back; nothing is chosen while the matches are out of sight."""
        if key in ("question_mark", "escape"):
            self._show_why(False)
            self.restart_grace()
        elif key in SCROLLS:
            self.query_one(MatchWhy).scroll_by(key)
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
        self._other.look_up(text, self._choices.ranked)
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
        if self._choices.recommendation is None:
            return
        width = max(20, self.content_size.width)
        parts: list[Piece] = []
        if self._other.is_open:
            parts += self._other.lines(width)
        else:
            task = " · ".join(filter(None, map(str.strip, self._text.splitlines())))
            parts += [("task  ", "$foreground 60%"), fit(task, width - 6), "\n"]
            parts += match_body(self._choices, self._briefs, self._advice, width)
            parts += self._foot(self._choices.recommendation, width)
        self.query_one("#match-text", Static).update(Content.assemble(*parts))
        self.post_message(self.Changed())

    def _foot(self, recommendation: Recommendation, width: int) -> list[Piece]:
        foot = MatchFoot(
            recommendation,
            self._refining,
            len(self._choices.rows),
            self._choices.recommended is not None,
            self._engines.text,
            self._gets_own_tree(),
        )
        return foot.lines(width)
