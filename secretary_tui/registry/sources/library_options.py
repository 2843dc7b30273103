"""What settings and the command line say about where agents come from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

DEFAULT_AGENTS_DIR = ".claude/agents"


@dataclass(frozen=True, slots=True)
class LibraryOptions:
    """How a library is put together; the defaults need no settings file."""

    agents_dirs: tuple[Path, ...] = ()
    """Folders named on the command line, before all others."""
    given: str = ""
    """Agents as JSON, `{"name": {"description": …, "prompt": …}}`, or the path of such a file."""
    bundled: bool = True
    """Whether the agents that come with the product are listed."""
    agents_dir: str = DEFAULT_AGENTS_DIR
    """The project's own folder, relative to it (seed 003); `.claude/agents` counts too."""
    agents_folders: tuple[Path, ...] = ()
    """Package-level folders: below the project's, above the user's (seed 002)."""
    disabled_agents: frozenset[str] = frozenset()
    """Ids that are switched off."""
    disabled_sources: frozenset[str] = frozenset()
    """Sources that are switched off, by any of `Source.names`."""
    watch: str = "auto"
    """`auto`, `poll` or `off`."""
    cache: Path | None = None
    """The folder where definitions are kept as read; None reads the files at every start."""
