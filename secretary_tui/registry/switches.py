"""Switch agents and whole sources off and on in a settings file.

The file's own lists are changed (`disabled_agents`, `disabled_sources`), never what another file
or Claude Code's `enabledPlugins` says.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from secretary_tui import config, config_file, paths
from secretary_tui.registry.definition.findings import quoted
from secretary_tui.registry.definition.spec import BY_FOLDER, Source, SourceKind

_AGENTS, _SOURCES, _FOLDERS = "disabled_agents", "disabled_sources", "agents_folders"


class SourceNotFoundError(LookupError):
    """No source of agents has that name; the message names those there are."""


def disabled_in(path: Path) -> tuple[str, ...]:
    """The ids that a settings file switches off; what isn't a list of ids counts for nothing."""
    return config.read_list(path, _AGENTS)


def disabled_sources_in(path: Path) -> tuple[str, ...]:
    """The sources that a settings file switches off, as written."""
    return config.read_list(path, _SOURCES)


def switch_agent(agent_id: str, path: Path, *, on: bool) -> bool:
    """Switch an agent on or off in one settings file; whether the file had to change.

    Raises:
        ConfigError: the file can't be changed.
    """
    return _switch(_AGENTS, agent_id, {agent_id}, path, on=on)


def switch_source(name: str, names: Iterable[str], path: Path, *, on: bool) -> bool:
    """Switch a source on or off in one settings file; whether the file had to change.

    Off writes `name`; on removes whichever of `names` the file holds.

    Raises:
        ConfigError: the file can't be changed.
    """
    return _switch(_SOURCES, name, {name, *names}, path, on=on)


def add_folder(folder: Path, path: Path) -> bool:
    """Name a folder of agents in the user's settings file; whether the file had to change.

    Raises:
        ConfigError: the file can't be changed.
    """
    before = config.read_list(path, _FOLDERS)
    if str(folder) in before:
        return False
    config_file.save(path, {_FOLDERS: (*before, str(folder))})
    return True


def source_name(source: Source) -> str:
    """What settings call a source: its label, or the folder where that alone is unmistakable."""
    return str(source.root) if source.kind in BY_FOLDER else source.label


def source_labels(sources: Iterable[Source]) -> dict[Source, str]:
    """What to call each source for people: its label, or its folder where others have that."""
    each = dict.fromkeys(sources)
    count = Counter(label for label, _ in {(source.label, source_name(source)) for source in each})
    return {s: s.label if count[s.label] == 1 else source_name(s) for s in each}


def own_names(source: Source) -> frozenset[str]:
    """The names that mean this source, or this plugin, and no other kind of source."""
    label = source_name(source)
    return frozenset(
        name for name in source.names if name in (label, str(source.root)) or "@" in name
    )


def find_source(wanted: str, sources: Sequence[Source]) -> tuple[str, frozenset[str]]:
    """The name to write for the source the user means, and all that mean the same.

    `wanted` may be a label, `plugin@marketplace`, a kind such as `plugin`, or a folder.

    Raises:
        SourceNotFoundError: there is none; names the nearest.
    """
    known: dict[str, frozenset[str]] = {}
    for source in sources:
        name = source_name(source)
        known[name] = known.get(name, frozenset()) | own_names(source)
    folders: dict[str, list[str]] = {}
    for source in sources:
        if source.kind in BY_FOLDER and source.label not in known:
            folders.setdefault(source.label, []).append(str(source.root))
    labels = [*(name for name in known if not Path(name).is_absolute()), *folders]
    for name in (*(name for source in sources for name in source.names), *map(str, SourceKind)):
        known.setdefault(name, frozenset({name}))
    folder = str(paths.with_home(wanted).absolute())
    in_other_case = (n for n in (*known, *folders) if n.casefold() == wanted.casefold())
    for name in (wanted, folder, *in_other_case):
        meant = folders.get(name, [name])
        if len(meant) > 1:
            message = f"{len(meant)} folders are called {quoted(name)}: {', '.join(meant)}"
            raise SourceNotFoundError(f"{message}. Name one of them in full")
        if meant[0] in known:
            return meant[0], known[meant[0]]
    near = difflib.get_close_matches(wanted, labels, n=3, cutoff=0.6)
    hint = f"nearest: {', '.join(near)}" if near else f"there are {', '.join(labels)}"
    raise SourceNotFoundError(f"there is no source {quoted(wanted)}; {hint}")


def _switch(key: str, name: str, names: Iterable[str], path: Path, *, on: bool) -> bool:
    before = config.read_list(path, key)
    same = frozenset(names)
    if on:
        after = tuple(known for known in before if known not in same)
    else:
        after = before if same & set(before) else (*before, name)
    if after == before:
        return False
    config_file.save(path, {key: after})
    return True
