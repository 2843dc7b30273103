"""Where agents are looked for, highest priority first (seed 002, "File Locations")."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path

from secretary_tui import paths
from secretary_tui.registry.definition.findings import noted, quoted, refused
from secretary_tui.registry.definition.spec import (
    PRIORITY,
    Finding,
    RemotePlugin,
    Source,
    SourceKind,
)
from secretary_tui.registry.sources.installed_plugins import add_installed_plugins
from secretary_tui.registry.sources.library_options import DEFAULT_AGENTS_DIR, LibraryOptions
from secretary_tui.registry.sources.other_products import add_project_folders, add_user_folders
from secretary_tui.registry.sources.places import JsonFiles, PageFolder, Places, inside
from secretary_tui.registry.sources.plugins import add_project_plugins

PROJECT_AGENTS = Path(DEFAULT_AGENTS_DIR)
_CLAUDE_SETTINGS = Path(".claude") / "settings.json"
_SETTLED_NS = 2_000_000_000
"""A path this young may change again and keep its time stamps: file systems' clocks are coarse,
those of network drives most of all."""
_Stamp = tuple[int, int, int, int]
_stamp = attrgetter("st_ctime_ns", "st_mtime_ns", "st_ino", "st_dev")


@dataclass(frozen=True, slots=True)
class SourceList:
    """The places to look, in order of priority, and what is wrong with how they are named."""

    sources: tuple[Source, ...]
    findings: tuple[Finding, ...] = ()
    only: Mapping[Source, tuple[Path, ...]] = field(default_factory=dict)
    """The files of a plugin that names them one by one; other sources are read recursively."""
    awaited: tuple[Path, ...] = ()
    """Files and folders, there or not, whose change means looking again."""
    skills: tuple[PageFolder, ...] = ()
    commands: tuple[PageFolder, ...] = ()
    not_installed: tuple[RemotePlugin, ...] = ()
    disabled: Mapping[Source, str] = field(default_factory=dict)
    """Sources that are switched off, and by which setting."""


def find_sources(
    project: Path,
    *,
    agents_dirs: Sequence[Path] = (),
    bundled: bool = True,
    options: LibraryOptions | None = None,
    files: JsonFiles | None = None,
) -> SourceList:
    """Find every place with agents, skills and commands for work in `project`. Never raises.

    Folders that don't exist yet are sources too (they may come to be), except a missing one that
    somebody named, which is a finding. `files` remembers JSON files from call to call.
    """
    options = options or LibraryOptions(agents_dirs=tuple(agents_dirs), bundled=bundled)
    project = project.absolute()
    places = Places(files=files or JsonFiles())
    places.awaited += [paths.user_config(), project / paths.PROJECT_CONFIG]
    places.enabled = _read_enabled_plugins(project, places)
    _add_named(options.agents_dirs, SourceKind.AGENTS_DIR, "--agents-dir", places)
    _add_project(project, options.agents_dir, places)
    add_project_folders(project, places)
    _add_named(options.agents_folders, SourceKind.PACKAGE, "the setting agents_folders", places)
    if options.bundled:
        places.sources.append(Source(SourceKind.BUNDLED, paths.bundled("agents")))
    _add_user(places)
    add_user_folders(places)
    market = add_project_plugins(project, places)
    add_installed_plugins(project, market, places)
    _switch_off(options, places)
    ordered = sorted(places.sources, key=lambda source: (PRIORITY[source.kind], source.depth))
    return SourceList(
        tuple(dict.fromkeys(ordered)),
        tuple(dict.fromkeys(places.findings)),
        places.only,
        tuple(dict.fromkeys(places.awaited)),
        tuple(dict.fromkeys(places.skills)),
        tuple(dict.fromkeys(places.commands)),
        tuple(places.remote),
        places.disabled,
    )


def _read_enabled_plugins(project: Path, places: Places) -> dict[str, tuple[bool, Path]]:
    """`enabledPlugins` of user, project and local settings; of one plugin the last one counts."""
    found: dict[str, tuple[bool, Path]] = {}
    root = paths.repository_root(project)
    files = [Path.home() / _CLAUDE_SETTINGS]
    for folder in dict.fromkeys((root, project)):
        files += [folder / _CLAUDE_SETTINGS, folder / paths.PROJECT_LOCAL_SETTINGS]
    for path in dict.fromkeys(files):
        places.awaited += [path.parent, path]
        data = places.load_json(path)
        plugins = data.get("enabledPlugins") if isinstance(data, Mapping) else None
        if plugins is None:
            continue
        if not isinstance(plugins, Mapping):
            message = "enabledPlugins is not a table of plugins and true or false; it is ignored"
            places.findings.append(noted(path, message))
            continue
        for key, value in plugins.items():
            if isinstance(value, bool):
                found[str(key)] = (value, path)
            else:
                message = f"enabledPlugins: {quoted(key)} is neither true nor false; it is ignored"
                places.findings.append(noted(path, message))
    return found


def _add_named(named: Sequence[Path], kind: SourceKind, by: str, places: Places) -> None:
    for name in named:
        folder = paths.with_home(name).absolute()
        places.awaited.append(folder)
        if folder.is_dir():
            places.sources.append(Source(kind, folder))
        else:
            what = "is not a folder" if folder.exists() else "does not exist"
            message = f"this folder {what}; check what {by} names"
            places.findings.append(refused(folder, message))


def _add_project(project: Path, agents_dir: str, places: Places) -> None:
    root = paths.repository_root(project)
    user = paths.user_agents_dir()
    _add_agents_dir(project, agents_dir, places)
    for depth, folder in enumerate((project, *project.parents)):
        agents = folder / PROJECT_AGENTS
        if agents != user:  # A home folder under version control: they stay the user's.
            places.sources.append(Source(SourceKind.PROJECT, agents, depth=depth))
            places.awaited += [agents.parent, agents]
            _add_pages(SourceKind.PROJECT, agents.parent, depth, places)
        if folder == root:
            break


def _add_agents_dir(project: Path, agents_dir: str, places: Places) -> None:
    """Add the project's own folder (seed 003), which may be named by a file of the project."""
    if Path(agents_dir) == PROJECT_AGENTS or not agents_dir:
        return
    folder = inside(project, agents_dir)
    if isinstance(folder, Path):
        places.sources.append(Source(SourceKind.PROJECT, folder, depth=-1))
        places.awaited.append(folder)
    else:
        message = f"the setting agents_dir {folder}"
        places.findings.append(refused(project / agents_dir.replace("\0", ""), message))


def _add_user(places: Places) -> None:
    user = paths.user_agents_dir()
    places.sources.append(Source(SourceKind.USER, user))
    places.awaited.append(user)
    _add_pages(SourceKind.USER, user.parent, 0, places)


def _add_pages(kind: SourceKind, folder: Path, depth: int, places: Places) -> None:
    for name, found in (("skills", places.skills), ("commands", places.commands)):
        path = folder / name
        found.append(PageFolder(Source(kind, path, depth=depth), path))
        places.awaited.append(path)


def _switch_off(options: LibraryOptions, places: Places) -> None:
    """Mark the sources that settings of our own switch off, and forget their pages."""
    if not options.disabled_sources:
        return
    wanted = {_named(name) for name in options.disabled_sources}

    def off(source: Source) -> bool:
        return any(name in wanted for name in source.names)

    why = "the setting disabled_sources"
    places.disabled |= {source: why for source in places.sources if off(source)}
    places.skills = [page for page in places.skills if not off(page.source)]
    places.commands = [page for page in places.commands if not off(page.source)]


def _named(name: str) -> str:
    """A source as settings name it; a folder with `~` made whole."""
    return str(paths.with_home(name)) if name.startswith("~") else name


class SourceMemory:
    """Finds the sources of one project.

    What `find_sources` waits for is all that it looks at: as long as each of these paths is what
    it was, or still missing, the sources are too. Checking that takes a fraction of finding them.
    """

    def __init__(self, project: Path) -> None:
        self._project = project
        self._json = JsonFiles()
        self._found: SourceList | None = None
        self._asked: object = None
        self._there: list[tuple[Path, _Stamp]] = []
        self._missing: list[str] = []

    def find(self, options: LibraryOptions) -> SourceList:
        """The sources as they are now. Never raises."""
        asked = (options, Path.home(), paths.repository_root(self._project))
        if self._found is None or self._asked != asked or self._has_changed():
            found = find_sources(self._project, options=options, files=self._json)
            self._asked = asked if self._remember(found.awaited) else None
            self._found = found
        return self._found

    def _has_changed(self) -> bool:
        try:
            return any(_stamp(path.stat()) != stamp for path, stamp in self._there) or any(
                os.access(name, os.F_OK) for name in self._missing
            )
        except (OSError, ValueError):
            return True

    def _remember(self, awaited: Iterable[Path]) -> bool:
        """Note what the paths are; False when one is so young that it may yet change unseen."""
        self._there.clear()
        self._missing.clear()
        for path in awaited:
            try:
                self._there.append((path, _stamp(path.stat())))
            except (OSError, ValueError):
                self._missing.append(str(path))
        newest = max((stamp[0] for _, stamp in self._there), default=0)
        return time.time_ns() - newest > _SETTLED_NS
