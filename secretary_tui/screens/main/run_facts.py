"""What the third column says about the run of a tab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from secretary_tui.figures import cents
from secretary_tui.registry.definition.describe import clean_description
from secretary_tui.screens.main.agent_colors import color_of
from secretary_tui.screens.main.tab_line import shown_time
from secretary_tui.widgets.status_bar import format_tokens
from secretary_tui.widgets.transcript.run_page import RunFacts

if TYPE_CHECKING:
    from secretary_tui.flow.run_controller import RunController
    from secretary_tui.registry.agent_index import AgentIndex
    from secretary_tui.widgets.transcript.run_view import RunView


def facts_of(flow: RunController[RunView], index: AgentIndex) -> RunFacts | None:
    """What is known of the run that a tab shows; None while there is none."""
    about = flow.view.about
    if not about.agent:
        return None
    entry = index.get(about.agent)
    progress = flow.progress
    spent = progress.spent if progress.spent.tokens else about.spent
    elapsed_s = progress.elapsed_s or about.elapsed_s
    return RunFacts(
        about,
        str(flow.state),
        shown_time(elapsed_s) if elapsed_s else "",
        f"{format_tokens(spent.tokens)} {cents(spent.cost_usd)}" if spent.tokens else "",
        progress.last_tool if flow.running else "",
        clean_description(entry.spec.description) if entry is not None else "",
        color_of(index, about.agent),
    )
