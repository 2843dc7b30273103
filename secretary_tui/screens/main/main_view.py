"""What the main screen shows, brought in line with settings, library, flow and its own size.

Everything comes in by a method that is told, or looks up, how things are, and sets the widgets.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work
from textual.content import Content

from secretary_tui import paths
from secretary_tui.screens.host import host_of
from secretary_tui.screens.keymap import read_keys
from secretary_tui.screens.main.agent_colors import color_of
from secretary_tui.screens.main.key_hints import hints_for
from secretary_tui.screens.main.main_parts import MainParts
from secretary_tui.screens.main.status_texts import (
    NOT_TRUSTED,
    said_activity,
    said_library,
    said_today,
)
from secretary_tui.secretary import Secretary
from secretary_tui.widgets.key_bar import KeyBar
from secretary_tui.widgets.library.agent_details import AgentDetails

if TYPE_CHECKING:
    from textual.geometry import Size
    from textual.worker import WorkType

    from secretary_tui.config import Config
    from secretary_tui.registry.agent_index import AgentIndex

NARROW, WIDE = 100, 140
"""Below NARROW columns one pane is shown at a time; from WIDE on, three."""
SLIM = 56
"""Below this the list is shown without the details, which would be a few columns wide."""


class MainView(MainParts):
    """Sets status line, tabs, details, key hints and panes."""

    def __init__(self, secretary: Secretary) -> None:
        super().__init__(secretary)
        self._has_index = False
        """Whether the agents were read; until then nothing may ask for them, and wait."""
        self._undelivered: tuple[str, ...] = ()
        # Before anything is mounted: a class that comes later styles every widget again.
        self.add_class("library-view", update=False)
        self.fit(self.app.size)

    # ------------------------------------------------------ settings, library

    async def read_settings(self) -> None:
        """Let changed settings take effect, in the library too."""
        self.take_config(await asyncio.to_thread(host_of(self).read_config))
        change = await asyncio.to_thread(self.secretary.reload)
        self.show_index(change.index)
        self.look_for_unlisted()

    @work(exclusive=True, group="unlisted")
    async def look_for_unlisted(self) -> None:
        """Say in the list how many agent files lie where no source leads."""
        await self.library_keys.look_for_unlisted()

    def take_config(self, config: Config) -> None:
        """Let new settings take effect."""
        self.secretary.take_config(config)
        self.status.mode = str(config.activation_mode)
        self.request.keys.use(config.editing)
        self.keys = read_keys(config.keys)
        self.app.set_keymap(self.keys.for_textual)
        self.follow_flow()
        host_of(self).follow_looks(config)
        for problem in config.problems:
            self.notify(f"{problem.path}: {problem.message}", severity="warning", markup=False)

    def show_index(self, index: AgentIndex) -> None:
        """Show a new state of the library."""
        self._has_index = True
        self.index.show_index(index)
        is_trusted, unlisted = self.secretary.is_trusted, self.index.shown.unlisted
        self.status.library = said_library(index, unlisted, is_trusted=is_trusted)
        self.show_details()

    def show_engine(self) -> None:
        """Say in the status bar who answers."""
        engine = self.secretary.engine
        self.status.engine = "routing only" if engine is None else engine.label

    @work(exclusive=True, group="today")
    async def show_today(self) -> None:
        """Say in the status bar what all projects have cost today."""
        self.status.today = await asyncio.to_thread(said_today)

    # --------------------------------------------------------------- the flow

    def show_transcript(self) -> None:
        """Make room for a run."""
        self.set_class(False, "library-view")
        self.composer.replying = False
        self.composer.handed = None

    def show_tab(self) -> None:
        """Another tab is shown: its transcript, or the library when nothing was run in it."""
        self.set_class(self.dispatch.shown.is_empty, "library-view")
        self.composer.replying = False

    def follow_flow(self) -> None:
        """Bring status line, box and keys in line with the flow."""
        if not self.is_whole:
            return
        if self.status.tokens != self.dispatch.spent.tokens:
            self.show_today()
        self.status.tokens = self.dispatch.spent.tokens
        self.status.cost = self.dispatch.spent.cost_usd
        if self.dispatch.running:  # Which says that the folder is trusted by now.
            self.status.library = self.status.library.removesuffix(NOT_TRUSTED)
        self.queued.messages = self.dispatch.waiting
        if self._undelivered != self.dispatch.undelivered:
            self._undelivered = self.dispatch.undelivered
            self.keep_draft()
        self.tick()
        self.composer.label()
        self.show_keys()

    def keep_draft(self) -> None:
        """Write what stands in the box, and what was not told, to the draft."""
        save_draft: WorkType[None] = self.composer.save_draft
        self.run_worker(save_draft, exclusive=True, group="draft")

    def color_of(self, agent_id: str) -> str:
        """The colour that an agent's file names, empty for none."""
        return color_of(self.secretary.index, agent_id)

    def show_details(self) -> None:
        """The run on the screen; while somebody goes through the list, the agent there."""
        details = self.query_one("#details", AgentDetails)
        browsing = self.library.has_focus_within or (details.has_focus and not details.shows_run)
        if self.is_whole and not browsing:
            from secretary_tui.screens.main.run_facts import facts_of

            shown = not self.has_class("library-view")
            facts = facts_of(self.dispatch.shown, self.secretary.index) if shown else None
            if facts is not None:
                details.show_run(facts)
                return
        row = self.index.highlighted
        if row is None and not self._has_index:
            return
        empty = row is None and not self.secretary.index.entries
        self.set_class(empty, "nothing-listed")
        if empty:
            details.show_text(_greeting(self.secretary.project))
        else:
            details.show_row(row)

    def tick(self) -> None:
        """Bring what a run changes by itself, time among it, up to date."""
        if not self.is_whole:
            return
        from secretary_tui.screens.main.tab_line import tabs_of, title_of, waits

        unread = self.secretary.unread_descriptions
        reads = f"reading what {unread} agents mean" if unread else ""
        self.status.activity = said_activity(self.dispatch)
        self.status.progress = self.dispatch.waits_for or reads
        tabs = self.run_tabs
        tabs.tabs = tabs_of(self.dispatch, self.color_of)
        tabs.shown = self.dispatch.shown.number
        self.show_details()
        title = title_of(self.dispatch, self.secretary.project.name)
        host_of(self).signals.show(title, self.secretary.config, waits=waits(self.dispatch))

    # ------------------------------------------------------------ keys, sizes

    def fit(self, size: Size) -> None:
        """Show as many panes as there is room for."""
        update = self.is_mounted
        self.set_class(size.width < NARROW, "narrow", update=update)
        self.set_class(size.width < SLIM, "slim", update=update)
        self.set_class(size.width >= WIDE, "wide", update=update)
        self.set_class(size.height < 20, "low", update=update)

    def show_keys(self) -> None:
        """Show the keys that work now."""
        if self.is_whole:
            self.query_one("#keys", KeyBar).hints = hints_for(self)


def _greeting(project: Path) -> Content:
    return Content.assemble(
        ("No agents here yet.\n\n", "bold"),
        f"They are looked for in {paths.shown(project)}/.claude/agents, in the plugins of a "
        "marketplace, in ~/.claude/agents, and in folders given with --agents-dir.\n\n",
        ("A file that appears there shows up here at once.", "$foreground 60%"),
    )
