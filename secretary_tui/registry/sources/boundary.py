"""How far links are followed from a folder of agents.

A repository or a plugin can bring a link to `/`, and reading that would take the whole disk for a
library. What comes with it stays within it; the user's own links stay within the user's home.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from secretary_tui import paths
from secretary_tui.registry.definition.spec import Source, SourceKind

_MANIFEST = Path(".claude-plugin") / "plugin.json"
_PARTS = frozenset({"agents", "skills", "commands"})


def boundaries(source: Source) -> tuple[Path, ...]:
    """The folders that links of a source may lead into, the source's own folder included."""
    root = source.root
    match source.kind:
        case SourceKind.PROJECT:
            project = root.parents[1] if root.parent.name == ".claude" else root
            return (paths.repository_root(project),)
        case SourceKind.PROJECT_OTHER:
            return (paths.repository_root(root.parents[1]),)
        case SourceKind.PLUGIN:
            return (_plugin_root(root),)
        case SourceKind.USER | SourceKind.USER_OTHER:
            return (Path.home(), _real(root))
        case _:  # Named by the user, or our own.
            return named_boundaries(root)


def keeper(source: Source) -> Callable[[Path], bool]:
    """Whether a path lies within the boundaries of a source, its links followed."""
    return lambda path: paths.stays_inside(path, *boundaries(source))


def named_boundaries(folder: Path) -> tuple[Path, ...]:
    """The folders that links of a folder may lead into that the user named, wherever it lies."""
    real = _real(folder)
    if real.is_relative_to(_real(Path.home() / ".claude")):
        return (Path.home(), real)
    return (paths.repository_root(real),)


def _real(folder: Path) -> Path:
    try:
        return folder.resolve()
    except (OSError, RuntimeError, ValueError):  # Links in a circle: reading it says so.
        return folder


def _plugin_root(folder: Path) -> Path:
    """The nearest folder at or above that is a plugin; without a manifest, what holds `agents`."""
    for above in (folder, *folder.parents):
        if (above / _MANIFEST).is_file():
            return above
    return folder.parent if folder.name in _PARTS else folder
