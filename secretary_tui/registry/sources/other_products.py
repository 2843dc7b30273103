"""Where other products keep their agents: GitHub Copilot, opencode and deepagents.

Their files load as they are (`dialects.py`). Of one id the project's `.claude/agents` count before
these, and the user's own `~/.claude/agents` before the user's folders of other products.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from secretary_tui import paths
from secretary_tui.registry.definition.spec import Dialect, Source, SourceKind
from secretary_tui.registry.sources.places import Places

_IN_A_PROJECT: tuple[tuple[Dialect, str, tuple[str, ...]], ...] = (
    (Dialect.COPILOT, ".github", ("agents",)),
    (Dialect.OPENCODE, ".opencode", ("agents", "agent")),
    (Dialect.DEEPAGENTS, ".deepagents", ("agents",)),
)


def add_project_folders(project: Path, places: Places) -> None:
    """Add the folders from the project up to the repository's root; the nearest counts first."""
    root = paths.repository_root(project)
    home = Path.home()
    for depth, folder in enumerate((project, *project.parents)):
        for dialect, name, subfolders in _IN_A_PROJECT:
            if folder == home and dialect is not Dialect.COPILOT:
                continue  # A home folder under version control: they stay the user's.
            _add(SourceKind.PROJECT_OTHER, dialect, folder / name, subfolders, depth, places)
        if folder == root:
            break


def add_user_folders(places: Places) -> None:
    """Add the folders in the home folder where other products keep the user's agents."""
    kind, home = SourceKind.USER_OTHER, Path.home()
    _add(kind, Dialect.COPILOT, home / ".copilot", ("agents",), 0, places)
    config = os.environ.get("XDG_CONFIG_HOME") or ""
    folder = Path(config) if Path(config).is_absolute() else home / ".config"
    for depth, own in enumerate((folder / "opencode", home / ".opencode")):
        _add(kind, Dialect.OPENCODE, own, ("agents", "agent"), depth, places)
    for depth, owner in enumerate(_folders(home / ".deepagents", places)):
        _add(kind, Dialect.DEEPAGENTS, owner, ("agents",), depth, places)


def product_of(folder: Path) -> Dialect | None:
    """The product whose agents lie in a folder, by its place; None for any other folder."""
    above, owner = folder.parent, folder.parent.parent
    for dialect, name, subfolders in _IN_A_PROJECT:
        if folder.name in subfolders and above.name == name:
            return dialect
    if folder.name == "agents" and owner.name == ".deepagents":
        return Dialect.DEEPAGENTS
    if folder.name == "agents" and above.name == ".copilot":
        return Dialect.COPILOT
    if folder.name in ("agents", "agent") and (owner.name, above.name) == (".config", "opencode"):
        return Dialect.OPENCODE
    return None


def _add(
    kind: SourceKind,
    dialect: Dialect,
    folder: Path,
    subfolders: tuple[str, ...],
    depth: int,
    places: Places,
) -> None:
    """Add those of the subfolders that are there, and wait for the others."""
    places.awaited.append(folder)
    if not folder.is_dir():
        return
    for name in subfolders:
        agents = folder / name
        places.awaited.append(agents)
        if agents.is_dir():
            places.sources.append(Source(kind, agents, depth=depth, dialect=dialect))


def _folders(folder: Path, places: Places) -> Iterator[Path]:
    """The folders of deepagents' agents: each has subagents of its own."""
    places.awaited.append(folder)
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
    except OSError:
        return
    for name in names:
        if name[0] != ".":
            yield folder / name
