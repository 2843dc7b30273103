"""What the match panel offers: the rows, the one that Enter takes, and what taking a row means.

A `Recommendation` goes in and a `RouteAction` with its agent comes out; nothing is drawn here.
"""

from __future__ import annotations

from secretary_tui.people import AgentMatch, Recommendation, RouteAction


class MatchChoices:
    """The agents of a recommendation, and behind them its command or skill."""

    def __init__(self, recommendation: Recommendation | None = None) -> None:
        self.recommendation = recommendation
        self.rows = _rows_of(recommendation)
        self.cursor = self.recommended
        """The row that Enter takes; None where nothing is recommended, until the user moves."""
        self._moved = False
        """Whether the user moved the cursor."""

    def refine(self, recommendation: Recommendation) -> None:
        """Take the model's view in place; the row the user moved to stays the one for Enter.

        When it is not among the matches any more, Enter takes none until the user moves again.
        """
        keep = self._moved and self.cursor is not None
        chosen = self.at_cursor if keep else ""
        self.recommendation = recommendation
        self.rows = _rows_of(recommendation)
        kept = next((i for i, row in enumerate(self.rows) if row.agent == chosen), None)
        self.cursor = kept if keep else self.recommended

    def move(self, step: int) -> None:
        """Go to the next or the previous row, from the last one to the first."""
        start = (-1 if step > 0 else 0) if self.cursor is None else self.cursor
        self.cursor, self._moved = (start + step) % len(self.rows), True

    def look_at(self, row: int) -> None:
        """Go to a row."""
        self.cursor, self._moved = row, True

    def look_at_first(self) -> None:
        """Go to the first row, where nothing is recommended."""
        self.look_at(0)

    @property
    def at_cursor(self) -> str:
        """The agent of the row for Enter, else of the first one; there must be a row."""
        return self.rows[self.cursor or 0].agent

    @property
    def recommended(self) -> int | None:
        """The row that is recommended: an agent, or the command that was named."""
        if self.recommendation is None:
            return None
        workflow = self.recommendation.workflow
        if workflow is not None and workflow.named:
            return self.workflow
        wanted = self.recommendation.recommended
        return next((i for i, row in enumerate(self.rows) if row.agent == wanted), None)

    @property
    def workflow(self) -> int | None:
        """The row of the command or skill, always the last one."""
        workflow = self.recommendation.workflow if self.recommendation else None
        return len(self.rows) - 1 if workflow is not None and workflow.runnable else None

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
        if row == self.workflow:
            return RouteAction.WORKFLOW
        return RouteAction.ACCEPT if row == self.recommended else RouteAction.ALTERNATIVE

    @property
    def ranked(self) -> list[str]:
        """The agents of the whole ranking, best first, whatever their confidence."""
        ranking = self.recommendation.ranking if self.recommendation else ()
        return [match.agent for match in ranking]


def _rows_of(recommendation: Recommendation | None) -> tuple[AgentMatch, ...]:
    """The agents, and behind them the command or skill when there is one to run."""
    if recommendation is None:
        return ()
    workflow = recommendation.workflow
    if workflow is None or not workflow.runnable:
        return recommendation.matches
    row = AgentMatch(workflow.reference, workflow.path, workflow.confidence, workflow.reason)
    return (*recommendation.matches, row)
