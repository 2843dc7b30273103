"""What the third pane says: of the run on the screen, or of the agent under the cursor."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from textual.content import Content

from secretary_tui import paths
from secretary_tui.flow.run_controller import RunController
from secretary_tui.flow.tab_controller import TabController
from secretary_tui.number_format import cents
from secretary_tui.registry.agent_index import AgentIndex
from secretary_tui.registry.definition.describe import clean_description
from secretary_tui.screens.main.panes import Panes
from secretary_tui.secretary import Secretary
from secretary_tui.widgets.library.agent_details import AgentDetails
from secretary_tui.widgets.library.library_pane import LibraryPane
from secretary_tui.widgets.status_bar import format_tokens
from secretary_tui.widgets.transcript.run_page import RunFacts
from secretary_tui.widgets.transcript.run_view import RunView


@dataclass(eq=False)
class DetailsController:
    """Chooses the page of the pane; while somebody goes through the list, it is the agent there."""

    _details: AgentDetails
    _library: LibraryPane
    _panes: Panes
    _secretary: Secretary
    _tabs: TabController[RunView]
    is_library_read: bool = field(default=False, init=False)
    """Whether the agents were read; until then nothing may ask for them, and wait."""

    def show(self) -> None:
        """Show the page for what the user is about."""
        details = self._details
        browsing = self._library.has_focus_within or (details.has_focus and not details.shows_run)
        if not browsing and not self._panes.shows_library:
            facts = facts_of(self._tabs.shown, self._secretary.index)
            if facts is not None:
                details.show_run(facts)
                return
        row = self._library.index.highlighted
        if row is None and not self.is_library_read:
            return
        empty = row is None and not self._secretary.index.entries
        self._panes.show_nothing_listed(empty)
        if empty:
            details.show_text(_greeting(self._secretary.project))
        else:
            details.show_row(row)


def facts_of(tab: RunController[RunView], index: AgentIndex) -> RunFacts | None:
    """What is known of the run that a tab shows; None while there is none."""
    about = tab.view.about
    if not about.agent:
        return None
    entry = index.get(about.agent)
    progress = tab.progress
    spent = progress.spent if progress.spent.tokens else about.spent
    elapsed_s = progress.elapsed_s or about.elapsed_s
    return RunFacts(
        about,
        str(tab.state),
        shown_time(elapsed_s) if elapsed_s else "",
        f"{format_tokens(spent.tokens)} {cents(spent.cost_usd)}" if spent.tokens else "",
        progress.last_tool if tab.running else "",
        clean_description(entry.spec.description) if entry is not None else "",
        color_of(index, about.agent),
    )


def shown_time(seconds: float) -> str:
    """`12 s`, or `3:07` from a minute on."""
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds // 60:.0f}:{seconds % 60:02.0f}"


def color_of(index: AgentIndex, agent_id: str) -> str:
    """The colour that an agent's file names; empty for none, or for an agent that is gone."""
    entry = index.get(agent_id)
    return (entry.spec.color or "") if entry is not None else ""


def _greeting(project: Path) -> Content:
    return Content.assemble(
        ("No agents found.\n\n", "bold"),
        f"Agents are loaded from {paths.shown(project)}/.claude/agents, in the plugins of a "
        "marketplace, in ~/.claude/agents, and in folders given with --agents-dir.\n\n",
        ("A new file there shows up here at once.", "$foreground 60%"),
    )
