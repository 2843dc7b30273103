"""Find the plugins of a marketplace, and where each keeps its agents, skills and commands.

A marketplace is text somebody else wrote: every path in it must stay inside the folder it belongs
to, also after links are followed. Entries that live elsewhere (GitHub, npm, …) are no error: they
are listed as not installed, and their agents are found where they are installed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from secretary_tui.registry.definition.fields import safe_name
from secretary_tui.registry.definition.findings import noted, quoted, refused
from secretary_tui.registry.definition.spec import RemotePlugin, Source, SourceKind
from secretary_tui.registry.sources.places import PageFolder, Places, inside
from secretary_tui.sanitize import clean_line

MARKETPLACE = Path(".claude-plugin") / "marketplace.json"
MANIFEST = Path(".claude-plugin") / "plugin.json"
MANIFEST_FIELDS = frozenset(
    {
        *("$schema", "name", "displayName", "version", "description", "author", "homepage"),
        *("repository", "license", "keywords", "category", "tags", "dependencies"),
        *("agents", "skills", "commands", "hooks", "mcpServers", "lspServers", "outputStyles"),
        *("themes", "monitors", "channels", "userConfig", "settings", "experimental"),
    }
)
"""What Claude Code reads in a `plugin.json`, and what a marketplace says of it besides."""
PROJECT_DEPTH = 0
INSTALLED_DEPTH = 1


@dataclass(frozen=True, slots=True)
class Marketplace:
    """A `marketplace.json` as read."""

    root: Path
    """The folder that holds `.claude-plugin/`."""
    name: str
    """Empty when it has none."""
    entries: tuple[Mapping[str, Any], ...] = ()
    plugin_root: Path | None = None
    """What bare source names start from."""

    @property
    def manifest(self) -> Path:
        """The file itself."""
        return self.root / MARKETPLACE


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin that lies on this machine."""

    name: str
    folder: Path
    marketplace: str = ""
    depth: int = PROJECT_DEPTH
    entry: Mapping[str, Any] | None = None
    """Its entry in the marketplace: what stands there counts before `plugin.json`."""
    declared_in: Path | None = None
    """The `marketplace.json` with the entry."""

    @property
    def key(self) -> str:
        """`name@marketplace`, as Claude Code's settings call it."""
        return f"{self.name}@{self.marketplace}"


def add_project_plugins(project: Path, places: Places) -> Marketplace:
    """Add the plugins of the project's marketplace, else those in `plugins/*` (seed 000 §2.1)."""
    market = read_marketplace(project, places)
    found = [find_local(market, entry, places) for entry in market.entries]
    local = [plugin for plugin in found if plugin is not None]
    for plugin in local:
        add_plugin(plugin, places)
    if local:
        return market
    folder = project / "plugins"
    places.awaited.append(folder)
    try:
        plugins = sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError:
        return market
    for path in plugins:
        if (name := safe_name(path.name)) and path.name[0] != ".":
            add_plugin(Plugin(name, path, market.name), places)
    return market


def read_marketplace(root: Path, places: Places) -> Marketplace:
    """Read the marketplace of a folder; one without entries when there is none."""
    manifest = root / MARKETPLACE
    places.awaited += [manifest.parent, manifest]
    data = places.load_json(manifest)
    if not isinstance(data, Mapping):
        return Marketplace(root, "")
    name = safe_name(str(data.get("name") or ""))
    plugins = data.get("plugins")
    if not isinstance(plugins, list):
        message = "the marketplace has no list of plugins; add `plugins`, or remove the file"
        places.findings.append(refused(manifest, message))
        return Marketplace(root, name)
    metadata = data.get("metadata")
    wanted = metadata.get("pluginRoot") if isinstance(metadata, Mapping) else None
    start = None
    if wanted is not None:
        place = inside(root, wanted)
        if isinstance(place, Path):
            start = place
        else:
            message = f"pluginRoot {quoted(wanted)} {place}; it is ignored"
            places.findings.append(noted(manifest, message))
    entries = tuple(entry for entry in plugins if isinstance(entry, Mapping))
    return Marketplace(root, name, entries, start)


def find_local(
    market: Marketplace, entry: Mapping[str, Any], places: Places, depth: int = PROJECT_DEPTH
) -> Plugin | None:
    """The plugin of an entry that lies in the marketplace's folder; None, with why, otherwise."""
    source = entry.get("source")
    name = entry_name(entry)
    if isinstance(source, Mapping):
        return None  # Lives elsewhere.
    folder = local_folder(market, source)
    if isinstance(folder, Path) and not folder.is_dir():
        places.awaited.append(folder)
        message = f"plugin {quoted(name)}: its folder {quoted(source)} is not there"
        places.findings.append(noted(market.manifest, message))
        return None
    if not name:
        folder = "has no usable name; give it one"
    if not isinstance(folder, Path):
        said = f"its source {quoted(source)}" if source else "its source"
        message = f"plugin {quoted(name or '?')}: {said} {folder}"
        places.findings.append(refused(market.manifest, message))
        return None
    return Plugin(name, folder, market.name, depth, entry, market.manifest)


def local_folder(market: Marketplace, source: object) -> Path | str:
    """Where a path in a marketplace leads; why it is refused when that is out of it."""
    base = market.root if str(source).startswith(".") else market.plugin_root or market.root
    return inside(base, source)


def entry_name(entry: Mapping[str, Any]) -> str:
    """The plugin's name as an id can hold it; empty when it has none."""
    return safe_name(str(entry.get("name") or ""))


def add_remote(market: Marketplace, entry: Mapping[str, Any], name: str, places: Places) -> None:
    """List an entry as a plugin that is not installed."""
    described = entry.get("description")
    places.remote.append(
        RemotePlugin(
            entry_name(entry),
            name,
            _origin(entry.get("source")),
            market.manifest,
            clean_line(described)[:500] if isinstance(described, str) else "",
        )
    )


def add_plugin(plugin: Plugin, places: Places) -> None:
    """Add a plugin's agents (where its entry or `plugin.json` says, else `agents/`) and pages."""
    manifest = plugin.folder / MANIFEST
    places.awaited += [plugin.folder, manifest.parent, manifest]
    read = places.load_json(manifest)
    fields = read if isinstance(read, Mapping) else {}
    _check_fields(fields, manifest, places)
    entry = plugin.entry or {}
    switched = places.enabled.get(plugin.key)
    before = len(places.sources)
    if entry.get("agents") is not None:
        _add_agents(plugin, entry["agents"], plugin.declared_in or manifest, places)
    else:
        _add_agents(plugin, fields.get("agents"), manifest, places)
    if switched is not None and not switched[0]:
        why = f"enabledPlugins in {switched[1]}"
        places.disabled.update(dict.fromkeys(places.sources[before:], why))
        return
    for key, found in (("skills", places.skills), ("commands", places.commands)):
        declared = entry.get(key) if entry.get(key) is not None else fields.get(key)
        for path in (plugin.folder / key, *_paths(plugin, declared)):
            source = Source(
                SourceKind.PLUGIN, path, plugin.name, plugin.depth, plugin.marketplace or None
            )
            found.append(PageFolder(source, path, plugin.name))
            places.awaited.append(path)


def _check_fields(fields: Mapping[str, Any], manifest: Path, places: Places) -> None:
    unknown = [key for key in fields if key not in MANIFEST_FIELDS]
    if not unknown:
        return
    named = unknown[:5]  # A megabyte of others would each be compared with all that there are.
    some = ", ".join(map(quoted, named))
    hints = {near[0] for key in named if (near := get_close_matches(key, MANIFEST_FIELDS, n=1))}
    meant = f"; did you mean {', '.join(sorted(hints))}?" if hints else ""
    message = f"nothing reads the field {some} of a plugin{meant}"
    places.findings.append(noted(manifest, message, kind="unknown-field"))


def _add_agents(plugin: Plugin, declared: object, where: Path, places: Places) -> None:
    name, folder = plugin.name, plugin.folder

    def source(root: Path) -> Source:
        market = plugin.marketplace or None
        return Source(SourceKind.PLUGIN, root, name, plugin.depth, market)

    if declared is None:
        places.sources.append(source(folder / "agents"))
        places.awaited.append(folder / "agents")
        return
    files: list[Path] = []
    for item in declared if isinstance(declared, list) else [declared]:
        path = inside(folder, item)
        if isinstance(path, Path) and not path.exists():
            places.awaited.append(path)
            path = "is not there; check the path"
        if not isinstance(path, Path):
            message = f"plugin {quoted(name)}: its agents path {quoted(item)} {path}"
            places.findings.append(refused(where, message))
        elif path.is_dir():
            places.sources.append(source(path))
            places.awaited.append(path)
        else:
            files.append(path)
    if files:
        listed = source(folder)
        places.sources.append(listed)
        places.only[listed] = tuple(dict.fromkeys(files))


def _paths(plugin: Plugin, declared: object) -> Iterator[Path]:
    """The paths of a `skills` or `commands` field that lead into the plugin."""
    for item in declared if isinstance(declared, list) else [declared]:
        path = inside(plugin.folder, item) if item is not None else None
        if isinstance(path, Path):
            yield path


def _origin(source: object) -> str:
    """Where a plugin lies, in words."""
    if not isinstance(source, Mapping):
        return clean_line(str(source))[:200]
    kind = str(source.get("source") or "")
    place = source.get("repo") or source.get("package") or source.get("url") or ""
    below = source.get("path")
    words = f"{kind} {place}" + (f" ({below})" if below else "")
    return clean_line(words)[:200]
