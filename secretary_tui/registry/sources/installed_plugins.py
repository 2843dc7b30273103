"""Find the plugins that Claude Code has installed, and those its marketplaces only offer.

`installed_plugins.json` is undocumented and was seen malformed, so it is a hint: what it can't
say is taken from the folders. Each plugin is looked for where it is said to be, then in
`cache/<marketplace>/<plugin>/<newest version>/`, then in the checkout of its marketplace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from secretary_tui import paths
from secretary_tui.registry.definition.fields import safe_name
from secretary_tui.registry.definition.findings import noted, quoted, refused
from secretary_tui.registry.sources.places import Places
from secretary_tui.registry.sources.plugins import (
    INSTALLED_DEPTH,
    Marketplace,
    Plugin,
    add_plugin,
    add_remote,
    entry_name,
    find_local,
    local_folder,
    read_marketplace,
)

_VERSION = re.compile(r"v?(\d{1,9}(?:\.\d{1,9}){0,5})(?:[-.]?([A-Za-z][\w.-]*))?(?:\+.*)?")


@dataclass(slots=True)
class _Listed:
    """What `installed_plugins.json` says."""

    usable: bool = True
    """Whether a plugin that is not in it can be taken as not installed."""
    elsewhere: set[str] = field(default_factory=set)
    """Installed, but for other projects."""
    folders: dict[str, Path | None] = field(default_factory=dict)
    """The plugins that are installed for this project, and where."""


def add_installed_plugins(project: Path, own: Marketplace, places: Places) -> None:
    """Add installed plugins, and list what marketplaces offer besides.

    `own` is the project's marketplace: its plugins that lie in the project are there already.
    """
    home = paths.claude_plugins_dir()
    listed = _read_list(home / "installed_plugins.json", project, places)
    cached = _cached(home / "cache", places)
    markets = _checkouts(home / "marketplaces", places)
    offered = {
        f"{entry_name(entry)}@{name}": (market, entry)
        for name, market in markets.items()
        for entry in market.entries
    }
    wanted = dict.fromkeys(listed.folders)
    wanted |= dict.fromkeys(key for key, (on, _) in places.enabled.items() if on)
    if not listed.usable:
        wanted |= dict.fromkeys((*cached, *offered))
    installed = set()
    for key in sorted(wanted):
        plugin = _find(key, listed.folders.get(key), cached, offered, places)
        if plugin is not None:
            add_plugin(plugin, places)
            installed.add(key)
        elif key in listed.folders:
            where = listed.folders[key] or home / "cache"
            message = f"plugin {quoted(key)} is installed, but its folder is not there"
            places.findings.append(noted(where, f"{message}; install it again with /plugin"))
    _list_offers(own, markets, installed | listed.elsewhere, places)


def _find(
    key: str,
    folder: Path | None,
    cached: Mapping[str, Path],
    offered: Mapping[str, tuple[Marketplace, Mapping[str, Any]]],
    places: Places,
) -> Plugin | None:
    name, _, marketplace = key.rpartition("@")
    name = safe_name(name)
    market, entry = offered.get(key, (None, None))
    if not name:
        return None
    for place in (folder, cached.get(key)):
        if place is not None and place.is_dir():
            declared = market.manifest if market else None
            return Plugin(name, place, marketplace, INSTALLED_DEPTH, entry, declared)
    if market is None or entry is None or isinstance(entry.get("source"), Mapping):
        return None
    local = find_local(market, entry, places, INSTALLED_DEPTH)
    return replace(local, marketplace=marketplace) if local else None


def _list_offers(
    own: Marketplace, markets: Mapping[str, Marketplace], installed: set[str], places: Places
) -> None:
    """List what can be installed: everything of a checkout, what lies elsewhere of the project."""
    listed = set(installed)
    for name, market, everything in (
        *((name, market, True) for name, market in markets.items()),
        (own.name, own, False),
    ):
        for entry in market.entries:
            key = f"{entry_name(entry)}@{name}"
            source = entry.get("source")
            offered = isinstance(source, Mapping) or (
                everything and isinstance(local_folder(market, source), Path)
            )
            if entry_name(entry) and key not in listed and offered:
                listed.add(key)
                add_remote(market, entry, name, places)


def _read_list(path: Path, project: Path, places: Places) -> _Listed:
    places.awaited.append(path)
    data = places.load_json(path)
    if data is None:  # Missing is ordinary, unusable a finding already: the folders decide.
        return _Listed(usable=False)
    plugins = data.get("plugins") if isinstance(data, Mapping) else None
    if not isinstance(plugins, Mapping):
        message = "there is no table of plugins here; the plugins' folders are read instead"
        places.findings.append(refused(path, message))
        return _Listed(usable=False)
    listed = _Listed()
    for key, value in plugins.items():
        name, at, market = str(key).rpartition("@")
        installs = value if isinstance(value, list) else [value]
        good = [one for one in installs if isinstance(one, Mapping)]
        if not (at and safe_name(name) and safe_name(market) and good):
            message = f"the entry {quoted(key)} can't be read; the plugins' folders are read too"
            places.findings.append(noted(path, message))
            listed.usable = False
            continue
        here = [one for one in good if _concerns(one, project)]
        if here:
            listed.folders[str(key)] = _install_path(here, project)
        else:
            listed.elsewhere.add(str(key))
    return listed


def _concerns(install: Mapping[str, Any], project: Path) -> bool:
    """Whether an installation counts here: one for a project counts in and below it."""
    where = install.get("projectPath")
    if install.get("scope") not in ("project", "local") or not isinstance(where, str):
        return True
    return "\0" not in where and project.is_relative_to(where)


def _install_path(installs: list[Mapping[str, Any]], project: Path) -> Path | None:
    """Where it lies: that of the project before that of the user."""
    for install in sorted(installs, key=lambda one: one.get("projectPath") is None):
        where = install.get("installPath")
        if isinstance(where, str) and where and "\0" not in where:
            path = paths.with_home(where)
            if path.is_absolute():
                return path
    return None


def _cached(cache: Path, places: Places) -> dict[str, Path]:
    """For each plugin in the cache the folder of its newest version."""
    places.awaited.append(cache)
    found = {}
    for market in _folders(cache):
        places.awaited.append(market)
        for plugin in _folders(market):
            places.awaited.append(plugin)
            versions = _folders(plugin)
            newest = max(versions, key=version_order, default=None)
            if newest is not None:
                found[f"{plugin.name}@{market.name}"] = newest
    return found


def _checkouts(folder: Path, places: Places) -> dict[str, Marketplace]:
    places.awaited.append(folder)
    return {path.name: read_marketplace(path, places) for path in _folders(folder)}


def _folders(folder: Path) -> list[Path]:
    try:
        return sorted(p for p in folder.iterdir() if p.name[0] != "." and p.is_dir())
    except OSError:
        return []


def version_order(folder: Path) -> tuple[bool, tuple[int, ...], bool, tuple[Any, ...], float]:
    """A key that puts versions in order: `1.10.0` above `1.9.0` above `1.9.0-rc1` above a hash."""
    match = _VERSION.fullmatch(folder.name)
    try:
        changed = folder.stat().st_mtime
    except OSError:
        changed = 0.0
    if match is None:
        return False, (), False, (), changed
    numbers = [int(number) for number in match[1].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return True, tuple(numbers), match[2] is None, tuple(_parts(match[2] or "")), changed


def _parts(label: str) -> Iterator[tuple[bool, int, str]]:
    """The parts of a pre-release: numbers by value and below words."""
    for part in re.findall(r"\d{1,18}|[A-Za-z]+", label):
        yield (False, int(part), "") if part[0].isdigit() else (True, 0, part.lower())
