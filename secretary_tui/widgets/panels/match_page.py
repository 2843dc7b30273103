"""What the match panel says, and what its keys mean while the matches are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum, auto

from secretary_tui.people import Recommendation, RouteAction, RouteChoice
from secretary_tui.widgets.key_bar import KeyHint
from secretary_tui.widgets.panels.engine_line import EngineLine, EngineRow
from secretary_tui.widgets.panels.match_choices import MatchChoices, MatchRow, OfferKind
from secretary_tui.widgets.panels.match_rows import AgentBrief, PanelAdvice


class MatchStep(Enum):
    """What a key leads to that is no answer yet."""

    DRAW = auto()
    """Something else is said now."""
    LOOK = auto()
    """The same, and no key counts for a moment."""
    OTHER = auto()
    WHY = auto()
    EDIT = auto()
    ENGINE = auto()


class MatchPage:
    """A recommendation with all that is said about it, and what the user made of it.

    Args:
        recommendation: The first one; None before there is any.
        briefs: What is known of the agents.
        advice: What to say where there are no matches.
        refining: Whether the model still looks.
        beyond: Gives what is to be said of an agent and a task that its engine should not try.
        changed: Called when something else is to be said.
    """

    def __init__(
        self,
        recommendation: Recommendation | None = None,
        briefs: Mapping[str, AgentBrief] | None = None,
        advice: PanelAdvice | None = None,
        *,
        refining: bool = False,
        beyond: Callable[[str, str], str] = lambda agent, task: "",
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.choices = MatchChoices(recommendation)
        self.task = recommendation.task if recommendation is not None else ""
        """What will be sent."""
        self._edited = False
        """Whether the user wrote the task anew."""
        self.briefs: Mapping[str, AgentBrief] = briefs or {}
        self.advice = advice
        self.refining = refining
        self.engines = EngineLine()
        self._tree_offered = False
        self._own_tree: bool | None = None
        """What the user said about a working tree of its own; None for what each agent asks for."""
        self._looked_up: Mapping[str, str] = {}
        self._looks_up = True
        self._beyond = beyond
        self._changed = changed

    def refine(
        self,
        recommendation: Recommendation,
        briefs: Mapping[str, AgentBrief],
        advice: PanelAdvice | None,
    ) -> None:
        """Take the model's view in place of the local one (see `MatchChoices.refine`)."""
        self.choices.refine(recommendation)
        self.briefs, self.advice = {**self.briefs, **briefs}, advice
        self.refining = False
        if not self._edited:
            self.task = recommendation.task
        self._changed()

    def offer_engines(self, rows: Sequence[EngineRow], session: str) -> None:
        """Take the engines that the run could have, as soon as they are known."""
        self.engines.offer(rows, session)
        self._changed()

    def offer_own_tree(self) -> None:
        """Let the run have a working tree of its own: the project is a repository."""
        self._tree_offered = True
        self._changed()

    def set_briefs(self, briefs: Mapping[str, AgentBrief]) -> None:
        """Say anew what a run will be able to do: it gets another engine."""
        self.briefs = {**self.briefs, **briefs}
        self._changed()

    def add_starts(self, starts: Mapping[str, str]) -> None:
        """Say, as soon as it is known, what a run of each agent costs to begin."""
        self.briefs = {
            agent: replace(brief, start=starts.get(agent, brief.start))
            for agent, brief in self.briefs.items()
        }
        self._changed()

    def add_looked_up(self, found: Mapping[str, str]) -> None:
        """Say what was looked up for the task, a line for each agent that may see it."""
        self._looked_up = {**self._looked_up, **found}
        self._changed()

    def set_task(self, task: str) -> None:
        """Replace the task that will be sent."""
        self.task, self._edited = task, True
        self._changed()

    @property
    def can_leave_out(self) -> bool:
        """Whether something was looked up for the row for Enter."""
        return bool(self._found)

    @property
    def context(self) -> tuple[str, str]:
        """What goes along with the task of the row for Enter, or is left out, and its key."""
        if not self._found:
            return "", ""
        if self._looks_up:
            return f"with: {self._found}", "c leaves it out"
        return f"without: {self._found}", "c puts it back"

    @property
    def beyond(self) -> str:
        """Why the task is too much for what would run it; mostly nothing."""
        row = self._new_row
        return self._beyond(row.match.agent, self.task) if row is not None else ""

    @property
    def _found(self) -> str:
        row = self._new_row
        return self._looked_up.get(row.match.agent, "") if row is not None else ""

    @property
    def _new_row(self) -> MatchRow | None:
        """The row for Enter, where it begins a run."""
        row = self.choices.at_cursor if self.choices.rows else None
        return row if row is not None and row.kind is not OfferKind.GO_ON else None

    @property
    def can_have_own_tree(self) -> bool:
        """Whether there is a run that could have a working tree of its own."""
        return self._tree_offered and bool(self.choices.rows)

    @property
    def gets_own_tree(self) -> bool:
        """Whether the run of the row for Enter would get a working tree of its own."""
        if not self.can_have_own_tree or self.choices.at_cursor.kind is OfferKind.GO_ON:
            return False
        if self._own_tree is not None:
            return self._own_tree
        brief = self.briefs.get(self.choices.at_cursor.match.agent)
        return brief is not None and brief.own_tree

    # -------------------------------------------------------------------- keys

    @property
    def hints(self) -> tuple[KeyHint, ...]:
        """The keys that mean something now."""
        choices = self.choices
        fold = "fewer" if choices.is_unfolded else "more"
        return (
            *self._choosing_hints(),
            *([KeyHint("Space", fold, "space")] if choices.can_unfold else []),
            KeyHint("o", "other", "o"),
            KeyHint("e", "edit", "e"),
            KeyHint("Esc", "cancel", "escape"),
            KeyHint("?", "why", "question_mark"),
            *([KeyHint("m", "engine", "m")] if self.engines.can_change else []),
            *([KeyHint("t", "own tree", "t")] if self.can_have_own_tree else []),
            # Last: the line of what was looked up names its key.
            *([KeyHint("c", "context", "c")] if self.can_leave_out else []),
        )

    def _choosing_hints(self) -> Iterator[KeyHint]:
        """The keys that take a row."""
        choices = self.choices
        if choices.rows:
            goes_on = choices.at_cursor.kind is OfferKind.GO_ON
            does = "go on" if goes_on else "accept"
            yield KeyHint("Enter", "select the first" if choices.cursor is None else does, "enter")
        if choices.numbers:
            last = max(choices.numbers.values())
            yield KeyHint("1" if last == 1 else f"1-{last}", "choose", "1")
        if choices.workflow is not None:
            yield KeyHint("w", "command", "w")

    def acts_on(self, letter: str) -> bool:
        """The letters of the hints, and the numbers of the rows."""
        if letter.isdigit():
            return self.choices.numbered(int(letter)) is not None
        own = {"a": self.choices.recommended is not None, "o": True, "e": True}
        own["w"], own["m"] = self.choices.workflow is not None, self.engines.can_change
        own["t"], own["c"] = self.can_have_own_tree, self.can_leave_out
        return own.get(letter, False)

    def press(self, key: str) -> RouteChoice | MatchStep | None:
        """What a key means: an answer, a step towards one, or None for nothing."""
        if key in ("enter", "a"):
            return self._accept(key)
        if key.isdigit():
            row = self.choices.numbered(int(key))
            return self.choice(row) if row is not None else None
        if key in ("up", "down", "space"):
            return self._look(key)
        if key == "escape":
            return RouteChoice(RouteAction.CANCEL)
        if key == "w" and (workflow := self.choices.workflow) is not None:
            return self.choice(workflow)
        steps = {"o": MatchStep.OTHER, "question_mark": MatchStep.WHY, "e": MatchStep.EDIT}
        return steps.get(key) or self._switch(key)

    def _switch(self, key: str) -> MatchStep | None:
        """Change how the run will be."""
        if key == "m" and self.engines.can_change:
            self.engines.change()
            return MatchStep.ENGINE
        if key == "t" and self.can_have_own_tree:
            self._own_tree = not self.gets_own_tree
        elif key == "c" and self.can_leave_out:
            self._looks_up = not self._looks_up
        else:
            return None
        return MatchStep.DRAW

    def click(self, row: int) -> RouteChoice | MatchStep | None:
        """The first click goes to a row, one on the row for Enter takes it."""
        if row == self.choices.cursor:
            return self.choice(row)
        if row >= len(self.choices.rows):
            return None
        self.choices.look_at(row)
        return MatchStep.LOOK

    def choice(self, row: int) -> RouteChoice:
        """The answer that takes a row."""
        return self.choice_of(self.choices.action(row), self.choices.rows[row].match.agent)

    def choice_of(self, action: RouteAction, agent: str) -> RouteChoice:
        """The answer that takes an agent, with the task, engine and working tree of its run."""
        if action is RouteAction.CONTINUE:  # It has its engine and working tree.
            return RouteChoice(action, agent, self.task)
        return RouteChoice(
            action, agent, self.task, self.engines.chosen, self._own_tree, self._looks_up
        )

    def _look(self, key: str) -> MatchStep | None:
        """Go to another row, or unfold more of them."""
        choices = self.choices
        if key == "space" and choices.can_unfold:
            choices.unfold()
            return MatchStep.LOOK
        if key == "space" or not choices.rows:
            return None
        choices.move(-1 if key == "up" else 1)
        return MatchStep.DRAW

    def _accept(self, key: str) -> RouteChoice | MatchStep | None:
        choices = self.choices
        row = choices.recommended if key == "a" else choices.cursor
        if row is not None and choices.rows:
            return self.choice(row)
        if key == "a" or not choices.rows:
            return None
        choices.look_at_first()  # None is recommended: the first is looked at first.
        return MatchStep.LOOK
