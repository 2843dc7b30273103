"""The library of agents as the hook needs it: read once, then from a file until something changes.

Reading 200 definitions and counting their words takes longer than a hook may; checking that none
of them changed takes two milliseconds. The file lies in the cache folder, holds JSON only, and is
made anew whenever a definition, a folder or a setting differs.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from secretary_tui import __version__, paths
from secretary_tui.config import Config
from secretary_tui.people import Recommendation
from secretary_tui.registry.definition.spec import AgentSpec, Source, SourceKind
from secretary_tui.routing.index.stored_index import dump_index, load_index
from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.recommend.recommender import route_local

if TYPE_CHECKING:
    from secretary_tui.registry.agent_index import LiveIndex

_Stamp = list[Any]
"""`[path, kind, what is compared]`."""


@dataclass(frozen=True, slots=True)
class HookLibrary:
    """The active agents of a project, without their instructions, ready to be matched."""

    matcher: LocalMatcher

    def route(self, prompt: str, config: Config) -> Recommendation:
        """Rank on this machine, as `LibraryService.route_local` does without examples of requests.

        Reading a hundred choices and comparing them takes a hook 30 ms, a third of all its time.
        """
        self.matcher.learn(None)
        return route_local(self.matcher, prompt, config)

    def source_kind(self, path: str) -> SourceKind | None:
        """Where the agent with this definition file comes from."""
        for group in self.matcher.groups:
            for spec in group:
                if str(spec.path) == path:
                    return spec.source.kind
        return None


def open_library(project: Path, config: Config, agents_dirs: Sequence[Path]) -> HookLibrary:
    """Give the library, from the file when nothing changed since it was written."""
    path = _cache_file(project, config, agents_dirs)
    stored = _read(path)
    if stored is not None:
        return stored
    from secretary_tui.secretary import Secretary

    secretary = Secretary(project, config, agents_dirs=agents_dirs, offline=True)
    secretary.load()
    with contextlib.suppress(OSError):  # Without the file the next prompt takes longer, no more.
        paths.write_atomic(
            path, _dump(secretary.library.matcher, secretary.library.live), mode=0o600
        )
    return HookLibrary(secretary.library.matcher)


def _cache_file(project: Path, config: Config, agents_dirs: Sequence[Path]) -> Path:
    key = json.dumps([str(project), config.bundled_agents, [str(path) for path in agents_dirs]])
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return paths.cache_dir() / "hook" / f"{digest}.json"


def _read(path: Path) -> HookLibrary | None:
    """The stored library; None when there is none, or it is old or damaged."""
    try:
        data = json.loads(path.read_bytes())
        if data["version"] != __version__ or any(_stamp(*s[:2]) != s for s in data["stamps"]):
            return None
        matcher = LocalMatcher(())
        matcher.groups = [tuple(map(_load_spec, group)) for group in data["groups"]]
        matcher.index = load_index(data["index"])
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
    return HookLibrary(matcher)


def _dump(matcher: LocalMatcher, live: LiveIndex) -> str:
    groups = [[_dump_spec(spec) for spec in group] for group in matcher.groups]
    return json.dumps(
        {
            "version": __version__,
            "stamps": list(_stamps(live)),
            "groups": groups,
            "index": dump_index(matcher.index),
        }
    )


def _dump_spec(spec: AgentSpec) -> list[Any]:
    """All of an agent that a ranking reads: the index holds what it needs of the instructions."""
    source = spec.source
    return [
        spec.name,
        spec.namespace,
        spec.description,
        str(spec.path),
        str(source.kind),
        str(source.root),
        source.plugin,
        spec.tools,
        spec.disallowed_tools,
    ]


def _load_spec(data: list[Any]) -> AgentSpec:
    name, namespace, description, path, kind, root, plugin, tools, disallowed = data
    source = Source(SourceKind(kind), Path(root), plugin)
    allowed = None if tools is None else tuple(tools)
    return AgentSpec(
        name, description, "", source, Path(path), namespace, allowed, tuple(disallowed)
    )


def _stamps(live: LiveIndex) -> Iterable[_Stamp]:
    """What the library depends on: folders, the files in them, and what may come to exist."""
    folders = {str(folder) for folder in live.folders}
    for folder in sorted(folders):
        yield _stamp(folder, "folder")
        with contextlib.suppress(OSError):
            for path in sorted(Path(folder).iterdir()):
                if path.suffix.lower() == ".md":
                    yield _stamp(str(path), "file")
    for awaited in live.awaited:
        if str(awaited) not in folders:
            yield _stamp(str(awaited), "awaited")


def _stamp(path: str, kind: str) -> _Stamp:
    """`[path, kind, signature]`; of an awaited folder only whether it is there.

    Other programs write into folders like `~/.claude` all the time.
    """
    try:
        info = Path(path).stat()
    except (OSError, ValueError):
        return [path, kind, None]
    if kind == "awaited" and stat.S_ISDIR(info.st_mode):
        return [path, kind, "folder"]
    return [path, kind, [info.st_mtime_ns, info.st_size, info.st_ino]]
