"""The index of all agents: a frozen snapshot, and the live one that renews it.

A snapshot never changes under the screen that shows it; `LiveIndex.refresh` gives the next one
with the paths that differ, so that rows are patched instead of rebuilt.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from secretary_tui.registry.collect import Collected, Collector
from secretary_tui.registry.findings import quoted
from secretary_tui.registry.spec import (
    PRIORITY,
    AgentSpec,
    AgentStatus,
    Finding,
    IndexEntry,
    Source,
)


class AgentNotFoundError(LookupError):
    """No agent, or more than one, has that name; the message names the nearest."""

    def __init__(self, message: str, nearest: tuple[str, ...]) -> None:
        super().__init__(message)
        self.nearest = nearest
        """Ids that may have been meant, best first."""


@dataclass(frozen=True, slots=True)
class SourceReport:
    """How reading one source went, in numbers of files."""

    source: Source
    loaded: int
    rescued: int
    """Of the loaded: those whose frontmatter is not valid YAML."""
    problems: int
    """Files that should give an agent and don't."""
    documents: int = 0
    """Files without frontmatter, passed over."""


@dataclass(frozen=True, slots=True)
class AgentIndex:
    """Every agent that was found, at one moment."""

    entries: tuple[IndexEntry, ...] = ()
    """By source priority, then plugin, then name; shadowed ones included."""
    problems: tuple[Finding, ...] = ()
    """Files and sources that gave nothing. Warnings about an agent stand in its spec."""
    sources: tuple[SourceReport, ...] = ()
    _by_id: dict[str, IndexEntry] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_id = {entry.id: entry for entry in reversed(self.entries)}
        by_id |= {entry.id: entry for entry in self.entries if entry.status is AgentStatus.ACTIVE}
        object.__setattr__(self, "_by_id", by_id)

    @property
    def active(self) -> tuple[AgentSpec, ...]:
        """The agents that can be chosen, in the order of `entries`."""
        return tuple(e.spec for e in self.entries if e.status is AgentStatus.ACTIVE)

    def get(self, agent_id: str) -> IndexEntry | None:
        """The agent with exactly this id: the active one where others are shadowed."""
        return self._by_id.get(agent_id)

    def find(self, reference: str) -> IndexEntry:
        """The agent a person means: an id, a plugin agent's bare name when unique, in any case.

        Raises:
            AgentNotFoundError: none or several fit; names the nearest ids.
        """
        wanted = reference.strip()
        folded = wanted.casefold()
        entries = tuple(self._by_id.values())
        for found in (
            [entry for entry in entries if entry.id == wanted],
            [entry for entry in entries if entry.id.casefold() == folded],
            [entry for entry in entries if entry.spec.name == wanted],
            [entry for entry in entries if entry.spec.name.casefold() == folded],
        ):
            if len(found) == 1:
                return found[0]
            if found:
                ids = tuple(sorted(entry.id for entry in found))
                listed = ", ".join(ids[:5]) + (", …" if len(ids) > 5 else "")
                message = f"{len(ids)} agents are called {quoted(wanted)}: {listed}. Name one fully"
                raise AgentNotFoundError(message, ids)
        nearest = self._nearest(folded)
        hint = f"; nearest: {', '.join(nearest)}" if nearest else ""
        raise AgentNotFoundError(f"there is no agent {quoted(wanted)}{hint}", nearest)

    def complete(self, prefix: str, limit: int = 10) -> tuple[str, ...]:
        """Ids of active agents for what was typed so far: those that start with it come first."""
        typed = prefix.strip().casefold()
        ranked: list[tuple[int, str]] = []
        for spec in self.active:
            agent_id, name = spec.id.casefold(), spec.name.casefold()
            if agent_id.startswith(typed):
                ranked.append((0, spec.id))
            elif name.startswith(typed):
                ranked.append((1, spec.id))
            elif typed in agent_id:
                ranked.append((2, spec.id))
        return tuple(agent_id for _, agent_id in sorted(ranked)[:limit])

    def _nearest(self, folded: str) -> tuple[str, ...]:
        from rapidfuzz import fuzz, process

        names = {agent_id: agent_id.casefold() for agent_id in self._by_id}
        bare = {agent_id: entry.spec.name.casefold() for agent_id, entry in self._by_id.items()}
        best: Counter[str] = Counter()
        for choices in (names, bare):
            for _, score, key in process.extract(
                folded, choices, scorer=fuzz.ratio, limit=5, score_cutoff=50
            ):
                best[key] = max(best[key], round(score))
        return tuple(key for key, _ in sorted(best.items(), key=lambda kv: (-kv[1], kv[0]))[:3])


@dataclass(frozen=True, slots=True)
class IndexChange:
    """A new snapshot and how it differs from the one before, by definition file."""

    index: AgentIndex
    added: tuple[Path, ...] = ()
    removed: tuple[Path, ...] = ()
    updated: tuple[Path, ...] = ()
    """Files whose agent, status or warnings changed."""
    problems_changed: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether the new snapshot says the same as the old one."""
        return not (self.added or self.removed or self.updated or self.problems_changed)


class LiveIndex:
    """The agents for one project, renewed on demand; an unchanged file is not parsed again.

    Safe to use from several threads: reading a snapshot never waits for a refresh.
    """

    def __init__(
        self, project: Path, agents_dirs: Sequence[Path] = (), bundled: bool = True
    ) -> None:
        self._collector = Collector(project, tuple(agents_dirs), bundled)
        self._snapshot: AgentIndex | None = None
        self._watched: tuple[tuple[Path, ...], tuple[Path, ...]] = ((), ())
        self._lock = threading.Lock()

    @property
    def snapshot(self) -> AgentIndex:
        """The index as of the last refresh; the first use reads all files."""
        return self._snapshot if self._snapshot is not None else self.refresh().index

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders that were read at the last refresh."""
        return self._watched[0]

    @property
    def awaited(self) -> tuple[Path, ...]:
        """Files and folders, there or not, whose change makes a refresh worthwhile."""
        return self._watched[1]

    def refresh(self) -> IndexChange:
        """Look at all sources again. Blocks for file access; on an event loop use a thread."""
        with self._lock:
            collected = self._collector.collect()
            old = self._snapshot if self._snapshot is not None else AgentIndex()
            new = build_index(collected)
            self._snapshot = new
            self._watched = (collected.folders, collected.awaited)
        return compare(old, new)


def build_index(collected: Collected) -> AgentIndex:
    """Order what was collected, decide which of two agents with one id is active."""
    found = sorted(collected.specs, key=_order)
    active: dict[str, AgentSpec] = {}
    real_paths: dict[str, set[Path]] = {}
    entries = []
    for spec in found:
        winner = active.setdefault(spec.id, spec)
        if winner is spec:
            entries.append(IndexEntry(spec))
            continue
        known = real_paths.setdefault(spec.id, {winner.path.resolve()})
        if (real := spec.path.resolve()) not in known:  # Else: one file seen through two sources.
            known.add(real)
            entries.append(IndexEntry(spec, AgentStatus.SHADOWED, winner.path))
    reports = tuple(
        SourceReport(read.source, len(read.specs), read.rescued, len(read.problems), read.documents)
        for read in collected.sources
    )
    return AgentIndex(tuple(entries), collected.problems, reports)


def compare(old: AgentIndex, new: AgentIndex) -> IndexChange:
    """Say which definition files came, went or give something else now."""
    before, after = _by_path(old), _by_path(new)
    return IndexChange(
        new,
        added=tuple(path for path in after if path not in before),
        removed=tuple(path for path in before if path not in after),
        updated=tuple(p for p, entries in after.items() if p in before and before[p] != entries),
        problems_changed=old.problems != new.problems,
    )


def _by_path(index: AgentIndex) -> dict[Path, list[IndexEntry]]:
    by_path: dict[Path, list[IndexEntry]] = {}
    for entry in index.entries:
        by_path.setdefault(entry.spec.path, []).append(entry)
    return by_path


def _order(spec: AgentSpec) -> tuple[int, int, str, str, str]:
    source = spec.source
    plugin = (source.plugin or "").casefold()
    return PRIORITY[source.kind], source.depth, plugin, spec.name.casefold(), str(spec.path)
