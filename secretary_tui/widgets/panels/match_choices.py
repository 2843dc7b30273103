"""What the match panel offers: the rows, the one that Enter takes, and what taking a row means.

A `Recommendation` goes in and a `RouteAction` with its agent comes out; nothing is drawn here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from secretary_tui.people import AgentMatch, Recommendation, RouteAction

CONTINUED_FROM = 50
"""Confidence from which going on with a run is offered."""
_UNFOLDED = 3


class OfferKind(Enum):
    """What a row offers; the rows stand in this order."""

    GO_ON = auto()
    """The run before."""
    AGENT = auto()
    GENERALIST = auto()
    """An agent for anything, where no specialist fits."""
    LESS_LIKELY = auto()
    """An agent below the threshold, unfolded by the user."""
    WORKFLOW = auto()
    """A command or skill."""


@dataclass(frozen=True, slots=True)
class MatchRow:
    """One thing that can be chosen."""

    kind: OfferKind
    match: AgentMatch

    @property
    def label(self) -> str:
        """What it is called."""
        going_on = self.kind is OfferKind.GO_ON
        return f"go on with {self.match.agent}" if going_on else self.match.agent

    @property
    def is_confident(self) -> bool:
        """Whether its number says how well it fits."""
        return self.kind is not OfferKind.GENERALIST


class MatchChoices:
    """The run to go on with, the agents of a recommendation, and its command or skill."""

    def __init__(self, recommendation: Recommendation | None = None) -> None:
        self.recommendation = recommendation
        self.is_unfolded = False
        """Whether the agents below the threshold are rows too."""
        self.rows = self._rows()
        self.cursor = self.preferred
        """The row that Enter takes; None where nothing is recommended, until the user moves."""
        self._moved = False
        """Whether the user moved the cursor."""

    def refine(self, recommendation: Recommendation) -> None:
        """Take the model's view in place; the row the user moved to stays the one for Enter.

        When it is not among the matches any more, Enter takes none until the user moves again.
        """
        self.recommendation = recommendation
        self._renew()

    def unfold(self) -> None:
        """Show the next agents of the ranking, or hide them again."""
        self.is_unfolded = not self.is_unfolded
        self._renew()

    @property
    def can_unfold(self) -> bool:
        """Whether there are agents below the threshold that have something to do with it."""
        return self.recommendation is not None and bool(less_likely(self.recommendation))

    def move(self, step: int) -> None:
        """Go to the next or the previous row, from the last one to the first."""
        start = (-1 if step > 0 else 0) if self.cursor is None else self.cursor
        self.look_at((start + step) % len(self.rows))

    def look_at(self, row: int) -> None:
        """Go to a row."""
        self.cursor, self._moved = row, True

    def look_at_first(self) -> None:
        """Go to the first row, where nothing is recommended."""
        self.look_at(0)

    @property
    def at_cursor(self) -> MatchRow:
        """The row for Enter, else the first one; there must be a row."""
        return self.rows[self.cursor or 0]

    @property
    def preferred(self) -> int | None:
        """The row that Enter takes at first: going on, else what is recommended."""
        going_on = bool(self.rows) and self.rows[0].kind is OfferKind.GO_ON
        return 0 if going_on else self.recommended

    @property
    def recommended(self) -> int | None:
        """The row that is recommended: an agent, or the command that was named."""
        if self.recommendation is None:
            return None
        workflow = self.recommendation.workflow
        if workflow is not None and workflow.named:
            return self.workflow
        wanted = (OfferKind.AGENT, self.recommendation.recommended)
        return next((i for i, row in enumerate(self.rows) if _identity(row) == wanted), None)

    @property
    def workflow(self) -> int | None:
        """The row of the command or skill, always the last one."""
        last = len(self.rows) - 1
        return last if self.rows and self.rows[last].kind is OfferKind.WORKFLOW else None

    @property
    def numbers(self) -> dict[int, int]:
        """The number key of each row that is no longer, or never was, the recommended one."""
        without = (self.recommended, self.workflow)
        others = [i for i in range(len(self.rows)) if i not in without]
        return {row: number for number, row in enumerate(others, start=1)}

    def numbered(self, number: int) -> int | None:
        """The row of a number key, if it has one."""
        return next((row for row, own in self.numbers.items() if own == number), None)

    def action(self, row: int) -> RouteAction:
        """What it means to take a row."""
        own = {OfferKind.WORKFLOW: RouteAction.WORKFLOW, OfferKind.GO_ON: RouteAction.CONTINUE}
        usual = RouteAction.ACCEPT if row == self.recommended else RouteAction.ALTERNATIVE
        return own.get(self.rows[row].kind, usual)

    @property
    def ranked(self) -> list[str]:
        """The agents of the whole ranking, best first, whatever their confidence."""
        ranking = self.recommendation.ranking if self.recommendation else ()
        return [match.agent for match in ranking]

    def _renew(self) -> None:
        """Make the rows anew; one that the user moved to stays the one for Enter."""
        keep = self._moved and self.cursor is not None
        chosen = _identity(self.at_cursor) if keep else None
        self.rows = self._rows()
        kept = next((i for i, row in enumerate(self.rows) if _identity(row) == chosen), None)
        self.cursor = kept if keep else self.preferred

    def _rows(self) -> tuple[MatchRow, ...]:
        if self.recommendation is None:
            return ()
        rows = list(_shown(self.recommendation))
        if self.is_unfolded:
            rows += (MatchRow(OfferKind.LESS_LIKELY, m) for m in less_likely(self.recommendation))
        return tuple(sorted(rows, key=lambda row: row.kind.value))


def less_likely(recommendation: Recommendation) -> tuple[AgentMatch, ...]:
    """The next of the ranking behind the matches: those that have something to do with it.

    Generalists are offered or not; their numbers say nothing.
    """
    shown = {match.path for match in recommendation.matches}
    others = (match for match in recommendation.ranking if match.path not in shown)
    return tuple(match for match in others if match.confidence > 0 and not match.fallback)[
        :_UNFOLDED
    ]


def _shown(recommendation: Recommendation) -> Iterator[MatchRow]:
    going_on, workflow = recommendation.continuation, recommendation.workflow
    if going_on is not None and going_on.confidence >= CONTINUED_FROM:
        match = AgentMatch(going_on.agent, "", going_on.confidence, going_on.reason)
        yield MatchRow(OfferKind.GO_ON, match)
    for match in recommendation.matches:
        yield MatchRow(OfferKind.GENERALIST if match.fallback else OfferKind.AGENT, match)
    if workflow is not None and workflow.runnable:
        match = AgentMatch(workflow.reference, workflow.path, workflow.confidence, workflow.reason)
        yield MatchRow(OfferKind.WORKFLOW, match)


def _identity(row: MatchRow) -> tuple[OfferKind, str]:
    return row.kind, row.match.agent
