"""Find the plugins of a marketplace, and where each keeps its agents.

A marketplace is text somebody else wrote: every path in it must stay inside the folder it belongs
to, also after links are followed. Entries that live elsewhere (GitHub, npm, …) are no error; their
agents are found where they are installed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from secretary_tui.registry.fields import safe_name
from secretary_tui.registry.findings import noted, quoted, refused
from secretary_tui.registry.spec import Finding, Source, SourceKind

MARKETPLACE = Path(".claude-plugin") / "marketplace.json"
MANIFEST = Path(".claude-plugin") / "plugin.json"
_MAX_BYTES = 8 << 20


@dataclass(slots=True)
class Places:
    """Where agents are looked for, gathered step by step."""

    sources: list[Source] = field(default_factory=list)
    only: dict[Source, tuple[Path, ...]] = field(default_factory=dict)
    """For a source that names its files one by one: those files."""
    awaited: list[Path] = field(default_factory=list)
    """Files and folders whose coming, change or going changes the sources."""
    findings: list[Finding] = field(default_factory=list)


def add_project_plugins(project: Path, places: Places) -> None:
    """Add the plugins of the project's marketplace, else those in `plugins/*` (seed 000 §2.1)."""
    manifest = project / MARKETPLACE
    places.awaited += [manifest.parent, manifest]
    entries, root = _read_entries(project, manifest, places)
    resolved = [_add_entry(project, root, manifest, entry, places) for entry in entries]
    if any(resolved):
        return
    folder = project / "plugins"
    places.awaited.append(folder)
    try:
        plugins = sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError:
        return
    for plugin in plugins:
        if (name := safe_name(plugin.name)) and plugin.name[0] != ".":
            _add_plugin(name, plugin, None, places)


def _read_entries(
    project: Path, manifest: Path, places: Places
) -> tuple[list[Mapping[str, Any]], Path]:
    """The entries of `marketplace.json`, and the folder that bare source names start from."""
    data = _read_json(manifest, places)
    if not isinstance(data, Mapping):
        return [], project
    plugins = data.get("plugins")
    if not isinstance(plugins, list):
        message = "the marketplace has no list of plugins; add `plugins`, or remove the file"
        places.findings.append(refused(manifest, message))
        return [], project
    metadata = data.get("metadata")
    wanted = metadata.get("pluginRoot") if isinstance(metadata, Mapping) else None
    root = project
    if wanted is not None:
        inside = _inside(project, wanted)
        if isinstance(inside, Path):
            root = inside
        else:
            message = f"pluginRoot {quoted(wanted)} {inside}; it is ignored"
            places.findings.append(noted(manifest, message))
    return [entry for entry in plugins if isinstance(entry, Mapping)], root


def _add_entry(
    project: Path, root: Path, manifest: Path, entry: Mapping[str, Any], places: Places
) -> bool:
    """Add one plugin of a marketplace; whether it is one that lies here."""
    source = entry.get("source")
    name = safe_name(str(entry.get("name") or ""))
    if isinstance(source, Mapping):
        return False  # Lives elsewhere.
    base = project if str(source).startswith(".") else root
    folder = _inside(base, source)
    if isinstance(folder, Path) and not folder.is_dir():
        places.awaited.append(folder)
        message = f"plugin {quoted(name)}: its folder {quoted(source)} is not there"
        places.findings.append(noted(manifest, message))
        return False
    if not name:
        folder = "has no usable name; give it one"
    if not isinstance(folder, Path):
        message = f"plugin {quoted(name or '?')}: its source {quoted(source)} {folder}"
        places.findings.append(refused(manifest, message))
        return False
    _add_plugin(name, folder, entry.get("agents"), places)
    return True


def _add_plugin(name: str, folder: Path, declared: object, places: Places) -> None:
    """Add a plugin's agents: where the entry or `plugin.json` says, else in `agents/`."""
    manifest = folder / MANIFEST
    places.awaited += [folder, manifest.parent, manifest]
    where = folder / MARKETPLACE if declared is not None else manifest
    if declared is None:
        data = _read_json(manifest, places)
        declared = data.get("agents") if isinstance(data, Mapping) else None
    if declared is None:
        places.sources.append(Source(SourceKind.PLUGIN, folder / "agents", name))
        places.awaited.append(folder / "agents")
        return
    files: list[Path] = []
    for item in declared if isinstance(declared, list) else [declared]:
        path = _inside(folder, item)
        if isinstance(path, Path) and not path.exists():
            places.awaited.append(path)
            path = "is not there; check the path"
        if not isinstance(path, Path):
            message = f"plugin {quoted(name)}: its agents path {quoted(item)} {path}"
            places.findings.append(refused(where, message))
        elif path.is_dir():
            places.sources.append(Source(SourceKind.PLUGIN, path, name))
            places.awaited.append(path)
        else:
            files.append(path)
    if files:
        source = Source(SourceKind.PLUGIN, folder, name)
        places.sources.append(source)
        places.only[source] = tuple(dict.fromkeys(files))


def _inside(base: Path, relative: object) -> Path | str:
    """`base / relative` when that stays inside `base`, else why it is refused."""
    if not isinstance(relative, str) or not relative.strip() or "\0" in relative:
        return "is no path; write one that starts with ./"
    path = Path(relative)
    if path.is_absolute() or relative.startswith("~") or ".." in path.parts or "\\" in relative:
        return "leads out of its folder and is refused; write one that starts with ./"
    try:
        target = (base / path).resolve()
        if not target.is_relative_to(base.resolve()):
            return "is a link that leads out of its folder and is refused"
    except (OSError, RuntimeError, ValueError):
        return "can't be followed; check the path"
    return base / path


def _read_json(path: Path, places: Places) -> object:
    """The content of a JSON file; None when it is missing or, after a finding, unusable."""
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise ValueError("larger than 8 MB")
        return json.loads(data.decode("utf-8-sig"))
    except FileNotFoundError:
        return None
    except json.JSONDecodeError as error:
        message = f"not valid JSON ({error.msg}), so it is ignored; repair it"
        places.findings.append(refused(path, message, error.lineno))
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        places.findings.append(refused(path, f"can't be read ({reason}), so it is ignored"))
    return None
