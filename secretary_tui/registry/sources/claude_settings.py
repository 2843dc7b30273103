"""Which plugins Claude Code's settings switch on and off."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from secretary_tui import paths
from secretary_tui.registry.definition.findings import noted, quoted
from secretary_tui.registry.sources.places import Places

_SHARED = Path(".claude") / "settings.json"


def read_enabled_plugins(project: Path, places: Places) -> dict[str, tuple[bool, Path]]:
    """`enabledPlugins` of user, project and local settings; of one plugin the last one counts."""
    found: dict[str, tuple[bool, Path]] = {}
    root = paths.repository_root(project)
    files = [Path.home() / _SHARED]
    for folder in dict.fromkeys((root, project)):
        files += [folder / _SHARED, folder / paths.PROJECT_LOCAL_SETTINGS]
    for path in dict.fromkeys(files):
        places.awaited += [path.parent, path]
        data = places.load_json(path)
        plugins = data.get("enabledPlugins") if isinstance(data, Mapping) else None
        if plugins is None:
            continue
        if not isinstance(plugins, Mapping):
            message = "enabledPlugins is no table of plugins and true or false; it is ignored"
            places.findings.append(noted(path, message))
            continue
        for key, value in plugins.items():
            if isinstance(value, bool):
                found[str(key)] = (value, path)
            else:
                message = f"enabledPlugins: {quoted(key)} is neither true nor false; it is ignored"
                places.findings.append(noted(path, message))
    return found
