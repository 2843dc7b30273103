"""What the tab line and the terminal's title say of the runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from secretary_tui.figures import cents
from secretary_tui.flow.run_progress import RunState
from secretary_tui.widgets.run_tabs import RunTab

if TYPE_CHECKING:
    from secretary_tui.flow.run_controller import RunController
    from secretary_tui.flow.tab_controller import TabController


def tabs_of(dispatch: TabController[Any], color_of: Callable[[str], str]) -> tuple[RunTab, ...]:
    """A tab for each run, in their order, in the colours of their agents."""
    return tuple(
        _tab(flow, color_of(agent) if (agent := flow.progress.run_agent) else "")
        for flow in dispatch.flows
    )


def title_of(dispatch: TabController[Any], folder: str) -> str:
    """The terminal's title while anything runs: the agent, or how many; else empty."""
    running = [flow for flow in dispatch.flows if flow.running]
    if not running:
        return ""
    who = running[0].progress.agent if len(running) == 1 else f"{len(running)} runs"
    return f"{'?' if waits(dispatch) else '●'} {who} – {folder}"


def waits(dispatch: TabController[Any]) -> bool:
    """Whether a run waits for the user."""
    return any(flow.running and flow.state is RunState.ASKING for flow in dispatch.flows)


def _tab(flow: RunController[Any], color: str) -> RunTab:
    progress = flow.progress
    cost, elapsed_s = progress.spent.cost_usd, progress.elapsed_s
    return RunTab(
        flow.number,
        str(flow.state),
        progress.run_agent,
        progress.last_tool if flow.running else "",
        shown_time(elapsed_s) if progress.run_agent and elapsed_s else "",
        cents(cost) if cost is None or cost >= 0.005 else "",
        color,
    )


def shown_time(seconds: float) -> str:
    """`12 s`, or `3:07` from a minute on."""
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds // 60:.0f}:{seconds % 60:02.0f}"
