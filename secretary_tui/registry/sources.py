"""Where agents are looked for, highest priority first (seed 002, "File Locations")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from secretary_tui import paths
from secretary_tui.registry.findings import refused
from secretary_tui.registry.plugins import Places, add_project_plugins
from secretary_tui.registry.spec import PRIORITY, Finding, Source, SourceKind

PROJECT_AGENTS = Path(".claude") / "agents"


@dataclass(frozen=True, slots=True)
class SourceList:
    """The places to look, in order of priority, and what is wrong with how they are named."""

    sources: tuple[Source, ...]
    findings: tuple[Finding, ...] = ()
    only: Mapping[Source, tuple[Path, ...]] = field(default_factory=dict)
    """The files of a plugin that names them one by one; other sources are read recursively."""
    awaited: tuple[Path, ...] = ()
    """Files and folders, there or not, whose change means looking again."""


def find_sources(
    project: Path, *, agents_dirs: Sequence[Path] = (), bundled: bool = True
) -> SourceList:
    """Find every place with agents for work in `project`. Never raises.

    Folders that don't exist yet are sources too (they may come to be), except a missing
    `agents_dirs` entry, which is a finding: somebody named it.
    """
    project = project.absolute()
    places = Places()
    _add_agents_dirs(agents_dirs, places)
    _add_project(project, places)
    if bundled:
        places.sources.append(Source(SourceKind.BUNDLED, paths.bundled("agents")))
    user = paths.user_agents_dir()
    places.sources.append(Source(SourceKind.USER, user))
    places.awaited.append(user)
    add_project_plugins(project, places)
    ordered = sorted(places.sources, key=lambda source: (PRIORITY[source.kind], source.depth))
    return SourceList(
        tuple(dict.fromkeys(ordered)),
        tuple(places.findings),
        places.only,
        tuple(dict.fromkeys(places.awaited)),
    )


def _add_agents_dirs(agents_dirs: Sequence[Path], places: Places) -> None:
    for named in agents_dirs:
        folder = named.expanduser().absolute()
        places.awaited.append(folder)
        if folder.is_dir():
            places.sources.append(Source(SourceKind.AGENTS_DIR, folder))
        else:
            what = "is not a folder" if folder.exists() else "does not exist"
            message = f"this folder {what}; check what --agents-dir names"
            places.findings.append(refused(folder, message))


def _add_project(project: Path, places: Places) -> None:
    root = paths.repository_root(project)
    user = paths.user_agents_dir()
    for depth, folder in enumerate((project, *project.parents)):
        agents = folder / PROJECT_AGENTS
        if agents != user:  # A home folder under version control: they stay the user's.
            places.sources.append(Source(SourceKind.PROJECT, agents, depth=depth))
            places.awaited += [agents.parent, agents]
        if folder == root:
            break
