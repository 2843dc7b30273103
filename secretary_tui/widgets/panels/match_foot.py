"""The last lines of the match panel: who ranked, what is close, where the run works and answers."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from secretary_tui.people import Recommendation
from secretary_tui.widgets.cells import fit, fit_lines
from secretary_tui.widgets.panels.match_rows import Piece

_CLOSE_LINES = 2
_RANKED_LINES = 3


@dataclass(frozen=True, slots=True)
class MatchFoot:
    """What those lines are made from."""

    recommendation: Recommendation
    refining: bool
    """Whether the model still looks."""
    rows: int
    """The rows of the panel."""
    has_recommended: bool
    engine: str
    """What the engine line says."""
    own_tree: bool
    """Whether the run gets a working tree of its own."""

    def lines(self, width: int) -> list[Piece]:
        """Give them."""
        close = textwrap.wrap(self.recommendation.close, width, break_on_hyphens=False)
        if len(close) > _CLOSE_LINES:
            close[_CLOSE_LINES - 1 :] = [" ".join(close[_CLOSE_LINES - 1 :])]
        foot: list[Piece] = [(f"{fit(line, width)}\n", "$text-warning") for line in close]
        # What can't be done is said whole.
        engine = textwrap.wrap(self.engine, width, break_on_hyphens=False)
        foot += [(f"{fit(line, width)}\n", "$text-accent") for line in engine]
        if self.own_tree:
            where = "runs in a git worktree of its own; its changes are offered at the end"
            foot.append((f"{fit(where, width)}\n", "$text-accent"))
        ranked = "\n".join(fit_lines(self._ranked(), width, _RANKED_LINES))
        return [*foot, (ranked, "italic $foreground 60%")]

    def _ranked(self) -> str:
        """Who ranked, and what to do where that found nothing strong."""
        recommendation = self.recommendation
        if self.refining:
            text = f"ranked here in {recommendation.elapsed_ms:.0f} ms · the model is looking too…"
        elif recommendation.notice:
            text = recommendation.notice
        elif recommendation.engine == "local":
            text = f"ranked on this machine in {recommendation.elapsed_ms:.0f} ms"
        else:
            model = recommendation.engine.rpartition(" · ")[2]
            text = f"ranked by {model} in {recommendation.elapsed_ms:.0f} ms"
        if recommendation.matches and not self.has_recommended:
            numbers = "1 takes it" if self.rows == 1 else "choose by number"
            text = f"No strong match: {numbers}, o names another. {text}"
        workflow = recommendation.workflow
        if workflow is not None and not workflow.runnable:
            text = f"A command /{workflow.id} would fit; this library has none. {text}"
        return text
