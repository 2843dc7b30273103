"""What the pieces of the status line say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from secretary_tui.figures import cents

if TYPE_CHECKING:
    from secretary_tui.flow.tab_controller import TabController
    from secretary_tui.registry.agent_index import AgentIndex
    from secretary_tui.registry.unlisted import Unlisted

_LONGEST_NAME = 28
NOT_TRUSTED = " · folder not trusted yet"


def said_library(index: AgentIndex, unlisted: Unlisted | None, *, is_trusted: bool) -> str:
    """How many agents there are, and what is odd about the library."""
    count, wrong = len(index.active), len(index.problems)
    problems = f" · {wrong} problem{'s' * (wrong != 1)}" if wrong else ""
    more = f" · {unlisted.count:,} not listed" if unlisted else ""
    return f"{count} agent{'s' * (count != 1)}{more}{problems}{'' if is_trusted else NOT_TRUSTED}"


def said_activity(dispatch: TabController[Any]) -> str:
    """Which agent is at work in the tab that is shown, or about to be."""
    agent = (dispatch.agent or dispatch.route.chosen).rpartition(":")[2][:_LONGEST_NAME]
    if dispatch.running:
        return f"● {agent} {dispatch.elapsed_s:.0f} s"
    return f"→ {agent}" if dispatch.holding else ""


def said_today() -> str:
    """What all projects have cost today; empty for less than half a cent. Blocking."""
    from secretary_tui.sessions.statistics.spent import spent_today

    total = spent_today()
    more = "" if total.is_exact else "+"
    return f"today {cents(total.cost_usd)}{more}" if total.cost_usd >= 0.005 else ""
