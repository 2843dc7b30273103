"""Read every source, parsing only what changed since the last time."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from secretary_tui.registry.fields import safe_name
from secretary_tui.registry.parse import ParseResult, read_agent
from secretary_tui.registry.scan import scan
from secretary_tui.registry.sources import find_sources
from secretary_tui.registry.spec import AgentSpec, Finding, Source

_SETTLED_NS = 100_000_000
"""A file this young may change again and keep its time stamp: file systems' clocks are coarse."""

_Signature = tuple[int, int, int, int]


@dataclass(slots=True)
class SourceRead:
    """What one source gave."""

    source: Source
    specs: list[AgentSpec] = field(default_factory=list)
    problems: list[Finding] = field(default_factory=list)
    rescued: int = 0
    documents: int = 0


@dataclass(frozen=True, slots=True)
class Collected:
    """What all sources gave, and where to watch for changes."""

    sources: tuple[SourceRead, ...]
    findings: tuple[Finding, ...]
    folders: tuple[Path, ...]
    awaited: tuple[Path, ...]

    @property
    def specs(self) -> list[AgentSpec]:
        """Every agent, in the order of the sources."""
        return [spec for read in self.sources for spec in read.specs]

    @property
    def problems(self) -> tuple[Finding, ...]:
        """What is wrong with sources and with files that gave no agent, each said once."""
        found = [*self.findings, *(problem for read in self.sources for problem in read.problems)]
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class Collector:
    """Reads the sources of one project; remembers each parsed file by its signature."""

    project: Path
    agents_dirs: tuple[Path, ...]
    bundled: bool
    _cache: dict[tuple[Path, Source, str], tuple[_Signature, ParseResult]] = field(
        default_factory=dict
    )

    def collect(self) -> Collected:
        """Read all sources. Never raises."""
        found = find_sources(self.project, agents_dirs=self.agents_dirs, bundled=self.bundled)
        findings = list(found.findings)
        folders: list[Path] = []
        reads = []
        used = set()
        for source in found.sources:
            files = found.only.get(source)
            if files is None:
                listing = scan(source.root)
                files = listing.files
                findings += listing.findings
                folders += listing.folders
            else:
                folders += dict.fromkeys(path.parent for path in files)
            read = SourceRead(source)
            for path in files:
                key = (path, source, _namespace(source, path, listed=source in found.only))
                used.add(key)
                _take(self._parse(key), read)
            reads.append(read)
        for gone in self._cache.keys() - used:
            del self._cache[gone]
        return Collected(
            tuple(reads), tuple(findings), tuple(dict.fromkeys(folders)), found.awaited
        )

    def _parse(self, key: tuple[Path, Source, str]) -> ParseResult:
        signature = _signature(key[0])
        cached = self._cache.get(key)
        if cached and signature == cached[0]:
            return cached[1]
        now = time.time_ns()
        result = read_agent(*key)
        if signature and now - signature[0] > _SETTLED_NS:
            self._cache[key] = (signature, result)
        else:
            self._cache.pop(key, None)
        return result


def _take(result: ParseResult, read: SourceRead) -> None:
    if result.spec:
        read.specs.append(result.spec)
        read.rescued += result.rescued
    elif result.findings:
        read.problems += result.findings
    else:
        read.documents += 1


def _signature(path: Path) -> _Signature | None:
    try:
        info = path.stat()
    except (OSError, ValueError):
        return None
    return info.st_mtime_ns, info.st_size, info.st_ino, info.st_dev


def _namespace(source: Source, path: Path, *, listed: bool) -> str:
    """`plugin`, with sub-folders `plugin:sub`; empty for agents that belong to no plugin."""
    if source.plugin is None:
        return ""
    if listed:
        return source.plugin
    below = path.parent.relative_to(source.root).parts
    return ":".join((source.plugin, *filter(None, map(safe_name, below))))
