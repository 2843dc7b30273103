"""What the letters do on an agent of the list: switch it, open it, copy its path, find its twin."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App

from secretary_tui import paths
from secretary_tui.config_file import ConfigError
from secretary_tui.registry.definition.spec import AgentStatus, IndexEntry, RemotePlugin
from secretary_tui.registry.mentions import mention, split_named
from secretary_tui.registry.switches import (
    add_folder,
    disabled_in,
    disabled_sources_in,
    own_names,
    source_name,
    switch_agent,
    switch_source,
)
from secretary_tui.registry.unlisted import Unlisted
from secretary_tui.screens.editor import edit_file
from secretary_tui.widgets.library.index_rows import (
    NO_SOURCES,
    IndexRow,
    RowKind,
    group_of,
)

if TYPE_CHECKING:
    from secretary_tui.screens.controller_host import ControllerHost
    from secretary_tui.screens.main.panes import Panes
    from secretary_tui.secretary import Secretary
    from secretary_tui.widgets.library.library_pane import LibraryPane
    from secretary_tui.widgets.request.request_box import RequestBox


@dataclass(eq=False)
class LibraryKeys:
    """Carries out what `AgentList.Wanted` asks for."""

    _app: App[Any]
    _screen: ControllerHost
    _secretary: Secretary
    _library: LibraryPane
    _panes: Panes
    _request: RequestBox
    _read_again: Callable[[], Awaitable[None]]

    def open_filter(self) -> None:
        """Show the filter of the list."""
        self._panes.show_library()
        self._library.open_filter()

    def go_to_list(self) -> None:
        """Show the list and give it the keys."""
        self._panes.show_library()
        self._library.index.focus()

    def ask(self, row: IndexRow) -> None:
        """Put the agent of a row before the request."""
        if row.entry is not None:
            text = split_named(self._request.text)[1]
            self._request.replace_text(f"{mention(row.entry.id)} {text}")
            self._request.focus()

    async def do(self, what: str, row: IndexRow) -> None:
        """Do one of switch, edit, copy_path, twin, add with a row."""
        problem, extra = row.problem, row.extra
        if what == "add" and row.unlisted is not None:
            await self._add(row.unlisted)
            return
        if row.kind is RowKind.GROUP and what == "switch":
            await self._switch_source(row.group)
            return
        if isinstance(extra, RemotePlugin) and what == "copy_path":
            self._app.copy_to_clipboard(extra.install)
            self._screen.notify(f"Copied {extra.install}.", markup=False)
            return
        found = row.entry.spec if row.entry else problem or extra
        path = found.path if found else None
        if path is None:
            return
        if what == "edit":
            line = problem.line if problem else None
            edit_file(self._app, path, line)
        elif what == "copy_path":
            self._app.copy_to_clipboard(str(path))
            self._screen.notify(f"Copied {paths.shown(path)}.", markup=False)
        elif row.entry is not None:
            await (self._switch(row.entry) if what == "switch" else self._show_twin(row.entry))

    async def _add(self, unlisted: Unlisted) -> None:
        """List a collection in the project's folder, now and from now on."""
        screen, file = self._screen, paths.user_config()
        try:
            await asyncio.to_thread(add_folder, unlisted.folder, file)
        except ConfigError as error:
            screen.notify(str(error), severity="error", markup=False)
            return
        await self._read_again()
        if str(unlisted.folder) not in self._secretary.config.agents_folders:
            message = (
                f"It is in {paths.shown(file)}, but SECRETARY_TUI_AGENTS_FOLDERS overrides it."
            )
            screen.notify(message, severity="warning", markup=False)
            return
        where = f"{paths.shown(unlisted.folder)} was added as a source (agents_folders in"
        screen.notify(f"{where} {paths.shown(file)}).", markup=False)

    async def _switch(self, entry: IndexEntry) -> None:
        """Off in the project's settings; on in whichever of the two files switched it off."""
        secretary, screen = self._secretary, self._screen
        project = secretary.project / paths.PROJECT_CONFIG
        off = entry.status is not AgentStatus.DISABLED
        files = [project] if off else [project, paths.user_config()]
        try:
            changed = [f for f in files if off or entry.id in disabled_in(f)]
            for file in changed:
                switch_agent(entry.id, file, on=not off)
        except ConfigError as error:
            screen.notify(str(error), severity="error", markup=False)
            return
        if not changed:
            by = entry.disabled_by or "its source"
            message = f"{entry.id} was switched off by {by}; switch it on there."
            screen.notify(message, severity="warning", markup=False)
            return
        await self._read_again()
        verb = "off" if off else "on"
        where = ", ".join(paths.shown(file) for file in changed)
        screen.notify(f"{entry.id} is {verb} ({where}).", markup=False)

    async def _switch_source(self, group: str) -> None:
        """Switch a whole source or plugin off for the project, or on again."""
        screen = self._screen
        if group in NO_SOURCES:
            return
        entries = [e for e in self._secretary.index.entries if group_of(e) == group]
        if not entries:
            return
        names = frozenset(name for e in entries for name in own_names(e.spec.source))
        project = self._secretary.project / paths.PROJECT_CONFIG
        off_in = [f for f in (project, paths.user_config()) if names & set(disabled_sources_in(f))]
        other = {e.disabled_by for e in entries if e.status is AgentStatus.DISABLED}
        if not off_in and other and all(e.status is AgentStatus.DISABLED for e in entries):
            message = (
                f"{group} was switched off by {' and '.join(sorted(other))}; switch it on there."
            )
            screen.notify(message, severity="warning", markup=False)
            return
        try:
            for file in off_in or [project]:
                for source in dict.fromkeys(entry.spec.source for entry in entries):
                    name, same = source_name(source), own_names(source)
                    switch_source(name, same, file, on=bool(off_in))
        except ConfigError as error:
            screen.notify(str(error), severity="error", markup=False)
            return
        await self._read_again()
        verb = "on" if off_in else "off"
        where = ", ".join(paths.shown(file) for file in off_in or [project])
        screen.notify(f"{group} is {verb} ({where}).", markup=False)

    async def _show_twin(self, entry: IndexEntry) -> None:
        """Go to the agent that hides this one, or from the hider to what it hides."""
        entries = self._secretary.index.entries
        twins = [e.spec.path for e in entries if e.id == entry.id and e is not entry]
        target: Path | None = entry.shadowed_by or next(iter(twins), None)
        if target is None or not self._library.index.highlight_path(target):
            self._screen.notify(f"Nothing shadows {entry.id}.", timeout=3, markup=False)
