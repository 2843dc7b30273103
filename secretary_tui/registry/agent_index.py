"""The index of all agents: a frozen snapshot, and the live one that renews it.

A snapshot never changes under the screen that shows it; `LiveIndex.refresh` gives the next one
with the paths that differ, so that rows are patched instead of rebuilt.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from secretary_tui.registry.definition.findings import quoted
from secretary_tui.registry.definition.spec import (
    AgentSpec,
    AgentStatus,
    Command,
    Dialect,
    Finding,
    IndexEntry,
    RemotePlugin,
    Skill,
    Source,
)
from secretary_tui.registry.sources.collect import Collected, Collector
from secretary_tui.registry.sources.library_options import LibraryOptions
from secretary_tui.registry.sources.source_files import SourceFileState


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
    passed: tuple[Path, ...] = ()
    """Files without frontmatter, passed over."""

    @property
    def documents(self) -> int:
        """How many files were passed over."""
        return len(self.passed)


@dataclass(frozen=True, slots=True)
class AgentIndex:
    """Every agent that was found, at one moment."""

    entries: tuple[IndexEntry, ...] = ()
    """By source priority, then plugin, then name; shadowed ones included."""
    problems: tuple[Finding, ...] = ()
    """Files and sources that gave nothing. Warnings about an agent stand in its spec."""
    sources: tuple[SourceReport, ...] = ()
    skills: tuple[Skill, ...] = ()
    """Every skill that was found, of project, user and plugins that are switched on."""
    commands: tuple[Command, ...] = ()
    """Every command, likewise."""
    not_installed: tuple[RemotePlugin, ...] = ()
    """What marketplaces offer besides, with what to run to get it."""
    _by_id: dict[str, IndexEntry] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_id: dict[str, IndexEntry] = {}
        for entry in self.entries:
            known = by_id.setdefault(entry.spec.id, entry)
            if entry.status is AgentStatus.ACTIVE and known.status is not AgentStatus.ACTIVE:
                by_id[entry.spec.id] = entry
        object.__setattr__(self, "_by_id", by_id)

    @property
    def active(self) -> tuple[AgentSpec, ...]:
        """The agents that can be chosen, in the order of `entries`."""
        return tuple(e.spec for e in self.entries if e.status is AgentStatus.ACTIVE)

    def get(self, agent_id: str) -> IndexEntry | None:
        """The agent with exactly this id: the active one where others are shadowed."""
        return self._by_id.get(agent_id)

    def find(self, reference: str) -> IndexEntry:
        """The agent the user means: an id, a plugin agent's bare name when unique, in any case.

        Blanks may be given as hyphens: `cake-baker` for *Cake Baker*.

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
            [entry for entry in entries if _slug(entry.id) == _slug(wanted)],
            [entry for entry in entries if _slug(entry.spec.name) == _slug(wanted)],
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

    def is_named(self, reference: str) -> bool:
        """Whether exactly one agent is meant by this, so that `find` gives it."""
        try:
            self.find(reference)
        except AgentNotFoundError:
            return False
        return True

    def choose(self, reference: str) -> AgentSpec:
        """The agent the user means, to be run.

        Raises:
            AgentNotFoundError: none or several fit, or it is switched off; says by what.
        """
        entry = self.find(reference)
        if entry.status is AgentStatus.DISABLED:
            message = f"the agent {quoted(entry.id)} is switched off ({entry.disabled_by})"
            raise AgentNotFoundError(f"{message}; switch it on to use it", (entry.id,))
        return entry.spec

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
    pages_changed: bool = False
    """Whether skills, commands or the plugins that can be installed changed."""

    @property
    def is_empty(self) -> bool:
        """Whether the new snapshot says the same as the old one."""
        files = self.added or self.removed or self.updated
        return not (files or self.problems_changed or self.pages_changed)


class LiveIndex:
    """The agents for one project, renewed on demand; an unchanged file is not parsed again.

    Safe to use from several threads: reading a snapshot never waits for a refresh.
    """

    def __init__(
        self,
        project: Path,
        agents_dirs: Sequence[Path] = (),
        bundled: bool = True,
        *,
        options: LibraryOptions | None = None,
    ) -> None:
        options = options or LibraryOptions(agents_dirs=tuple(agents_dirs), bundled=bundled)
        self._collector = Collector(project, options)
        self._snapshot: AgentIndex | None = None
        self._collected = Collected()
        self._lock = threading.Lock()
        self._saving = threading.Lock()

    @property
    def snapshot(self) -> AgentIndex:
        """The index as of the last refresh; the first use reads all files."""
        return self._snapshot if self._snapshot is not None else self.refresh().index

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders that were read at the last refresh."""
        return self._collected.folders

    @property
    def awaited(self) -> tuple[Path, ...]:
        """Files and folders, there or not, whose change makes a refresh worthwhile."""
        return self._collected.awaited

    @property
    def project(self) -> Path:
        """The folder whose library this is."""
        return self._collector.project

    @property
    def options(self) -> LibraryOptions:
        """How the library is put together."""
        return self._collector.options

    def configure(self, options: LibraryOptions) -> None:
        """Put the library together in another way from the next refresh on."""
        with self._lock:
            self._collector.options = options

    def refresh(self, changed: Collection[str] | None = None) -> IndexChange:
        """Look at all sources again, or at `changed` files of them alone where that is enough.

        Blocks for file access; on an event loop use a thread.
        """
        with self._lock:
            collected = self._collector.update(changed) if changed is not None else None
            if collected is None:
                collected = self._collector.collect()
            old = self._snapshot
            if old is not None and collected == self._collected:
                self._collected = collected
                return IndexChange(old)
            new = build_index(collected)
            self._snapshot = new
            self._collected = collected
        return compare(old or AgentIndex(), new)

    def save_cache(self) -> None:
        """Store what was read for the next start, where `options.cache` names a folder.

        Blocks for file access. Never raises: without it the next start takes longer, no more.
        """
        with self._saving:
            self._collector.save()


def _slug(name: str) -> str:
    return "-".join(name.casefold().split())


def build_index(collected: Collected) -> AgentIndex:
    """Order what was collected, decide which of two agents with one id is active."""
    off_sources, off_agents = collected.disabled_sources, collected.disabled_agents
    active: dict[str, SourceFileState] = {}
    real_paths: dict[str, set[Path]] = {}
    entries = []
    for state in collected.agents:
        spec = state.shown or state.spec
        if spec is None:
            continue
        agent_id = spec.id
        off = off_sources.get(spec.source, "") if off_sources else ""
        if not off and agent_id in off_agents:
            off = "the setting disabled_agents"
        elif spec.dialect is Dialect.OPENCODE and spec.metadata.get("disable") is True:
            off = off or "`disable: true` in its file"
        if off:
            entries.append(_entry(state, spec, AgentStatus.DISABLED, None, off))
            continue
        winner = active.setdefault(agent_id, state)
        if winner is state:
            entries.append(_entry(state, spec, AgentStatus.ACTIVE))
            continue
        known = real_paths.setdefault(agent_id, {winner.path.resolve()})
        if (real := state.path.resolve()) not in known:  # Else: one file seen through two sources.
            known.add(real)
            entries.append(_entry(state, spec, AgentStatus.SHADOWED, winner.path))
    reports = tuple(
        SourceReport(
            read.source,
            len(read.agents),
            read.rescued,
            len(read.problems),
            tuple(sorted(read.passed)),
        )
        for read in collected.sources
    )
    return AgentIndex(
        tuple(entries),
        collected.problems,
        reports,
        collected.skills,
        collected.commands,
        collected.not_installed,
    )


def _entry(
    state: SourceFileState,
    spec: AgentSpec,
    status: AgentStatus,
    shadowed_by: Path | None = None,
    disabled_by: str = "",
) -> IndexEntry:
    """The agent's entry; the last one when it says the same, so that comparing is quick."""
    last = state.entry
    if (
        last is not None
        and last.spec is spec
        and last.status is status
        and last.shadowed_by == shadowed_by
        and last.stale is state.stale
        and last.disabled_by == disabled_by
    ):
        return last
    state.entry = IndexEntry(spec, status, shadowed_by, state.stale, disabled_by)
    return state.entry


def compare(old: AgentIndex, new: AgentIndex) -> IndexChange:
    """Say which definition files came, went or give something else now."""
    was, now = set(map(id, old.entries)), set(map(id, new.entries))
    before = _by_path(entry for entry in old.entries if id(entry) not in now)
    after = _by_path(entry for entry in new.entries if id(entry) not in was)
    if before.keys() != after.keys():  # A path may stand in entries that stayed as well.
        paths = before.keys() | after.keys()
        before = _by_path(entry for entry in old.entries if entry.spec.path in paths)
        after = _by_path(entry for entry in new.entries if entry.spec.path in paths)
    return IndexChange(
        new,
        added=tuple(path for path in after if path not in before),
        removed=tuple(path for path in before if path not in after),
        updated=tuple(p for p, entries in after.items() if p in before and before[p] != entries),
        problems_changed=old.problems != new.problems,
        pages_changed=(old.skills, old.commands, old.not_installed)
        != (new.skills, new.commands, new.not_installed),
    )


def _by_path(entries: Iterable[IndexEntry]) -> dict[Path, list[IndexEntry]]:
    by_path: dict[Path, list[IndexEntry]] = {}
    for entry in entries:
        by_path.setdefault(entry.spec.path, []).append(entry)
    return by_path
