"""Whose a definition file is when somebody names its path: a plugin, a library, or nobody known.

Names must differ within one library only: two plugins may each have a `code-reviewer`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from secretary_tui.registry.definition.fields import safe_name
from secretary_tui.registry.definition.spec import Dialect, Source, SourceKind
from secretary_tui.registry.sources.other_products import product_of

_MANIFEST = Path(".claude-plugin") / "plugin.json"
_PLUGIN_FOLDERS = frozenset({"plugins", "external_plugins"})
_MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Owner:
    """The library that a definition file belongs to."""

    root: Path
    """The plugin's folder, the `.claude` folder, or the folder that was named."""
    plugin: str | None = None
    namespace: str = ""
    """`plugin` or `plugin:sub` in a plugin, otherwise empty."""
    dialect: Dialect | None = None
    """The other product whose folder it is."""

    @property
    def source(self) -> Source:
        """The source that a file of this owner is read from."""
        if self.dialect:
            return Source(SourceKind.PROJECT_OTHER, self.root, dialect=self.dialect)
        kind = SourceKind.PLUGIN if self.plugin else SourceKind.AGENTS_DIR
        return Source(kind, self.root, self.plugin)


def owner_of(folder: Path, named: Path) -> Owner:
    """The owner of the files in `folder`, which was found at or below the folder `named`."""
    for above in (folder, *folder.parents):
        if above.name == ".claude":
            return Owner(above)
        if dialect := product_of(above):
            return Owner(above, dialect=dialect)
        below = folder.relative_to(above).parts
        in_agents = below[:1] == ("agents",)
        if (above / _MANIFEST).is_file() or (in_agents and above.parent.name in _PLUGIN_FOLDERS):
            name = _manifest_name(above / _MANIFEST) or safe_name(above.name)
            parts = below[1:] if in_agents else ()
            return Owner(above, name, ":".join((name, *filter(None, map(safe_name, parts)))))
    return Owner(named)


def _manifest_name(manifest: Path) -> str:
    """The plugin's name in its manifest; what is wrong with that is told when plugins are read."""
    try:
        with manifest.open("rb") as file:
            data = json.loads(file.read(_MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return ""
    name = data.get("name") if isinstance(data, dict) else None
    return safe_name(name) if isinstance(name, str) else ""
