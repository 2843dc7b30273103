"""The rows of the agent index: grouping, filtering and order, as pure functions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from secretary_tui.registry.definition.spec import (
    Command,
    Finding,
    IndexEntry,
    RemotePlugin,
    Skill,
    Source,
)
from secretary_tui.widgets.library.index_filter import Sought, find_agents, seek

if TYPE_CHECKING:
    from pathlib import Path

    from secretary_tui.registry.agent_index import AgentIndex
    from secretary_tui.registry.unlisted import Unlisted

PROBLEMS = "problems"
"""Key and label of the group that lists files which give no agent."""
SKILLS, COMMANDS, NOT_INSTALLED = "skills", "commands", "not installed"
FOLDED_AT_START = frozenset({SKILLS, COMMANDS, NOT_INSTALLED})
"""Groups that are not agents: there to be looked up, out of the way until then."""
LOOSE = "looser matches"
"""With a filter: the agents that fit only loosely, where others fit exactly."""
NO_SOURCES = FOLDED_AT_START | {PROBLEMS, LOOSE}
"""Headings that stand for no source of agents."""

_STEP = 400

Extra = Skill | Command | RemotePlugin
"""What the library holds besides agents."""


class RowKind(StrEnum):
    """What a row of the index is."""

    GROUP = "group"
    AGENT = "agent"
    PROBLEM = "problem"
    EXTRA = "extra"
    UNLISTED = "unlisted"
    """Says that there are agents which no source leads to."""


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One row. `key` identifies it over changes of the library and the filter."""

    kind: RowKind
    key: str
    label: str
    group: str
    count: int = 0
    """For groups: how many rows it holds."""
    folded: bool = False
    source: Source | None = None
    """For groups of agents: where they come from, the first of them if from several places."""
    entry: IndexEntry | None = None
    problem: Finding | None = None
    extra: Extra | None = None
    unlisted: Unlisted | None = None


class LibraryRows:
    """The rows of a library, made once and used again from key to key and change to change."""

    def __init__(self, index: AgentIndex) -> None:
        self.index = index
        self.unlisted: Unlisted | None = None
        """The agents in the project's folder that no source leads to."""
        self._rows: dict[int, IndexRow] = {}
        """By the identity of their entry, which the rows hold."""
        self._sought: dict[int, Sought] = {}
        self._all_sought: list[Sought] | None = None
        """All of them in the order of the index."""
        self._extras: list[tuple[IndexRow, str]] | None = None

    def renew(self, index: AgentIndex) -> None:
        """Show another state of the library; what stayed is kept."""
        old_rows, old_sought = self._rows, self._sought
        ids = [id(entry) for entry in index.entries]
        self._rows = {key: old_rows[key] for key in ids if key in old_rows}
        self._sought = {key: old_sought[key] for key in ids if key in old_sought}
        self.index, self._extras, self._all_sought = index, None, None

    def rows(self, query: str = "", folded: Collection[str] = frozenset()) -> tuple[IndexRow, ...]:
        """Lay the library out: a header a group, then its agents; the problems and the rest last.

        With a query only what fits is left, the best groups first, and nothing is folded.
        """
        groups: dict[str, list[IndexRow]] = {}
        if words := query.lower().split():
            folded = frozenset()
            found = find_agents(self._prepared(), query)
            self._group(found.exact or found.loose, groups)
            if found.exact and found.loose:
                groups[LOOSE] = [replace(self._row(e), group=LOOSE) for e in found.loose]
        else:
            self._group(self.index.entries, groups)
        for row, text in self._others():
            if all(word in text for word in words):
                groups.setdefault(row.group, []).append(row)
        rows: list[IndexRow] = []
        if self.unlisted is not None and not words:
            label = f"{self.unlisted.count:,} not listed yet"
            row = IndexRow(RowKind.UNLISTED, "unlisted", label, "", unlisted=self.unlisted)
            rows.append(row)
        for group, members in groups.items():
            is_folded = group in folded
            first = members[0].entry if group != LOOSE else None
            source = first.spec.source if first else None
            key, size = f"group:{group}", len(members)
            rows.append(IndexRow(RowKind.GROUP, key, group, group, size, is_folded, source))
            rows.extend(() if is_folded else members)
        return tuple(rows)

    def prepare(self) -> Iterator[None]:
        """Make ready for a filter, in steps of about a millisecond each."""
        for start in range(0, len(self.index.entries), _STEP):
            self._prepare(self.index.entries[start : start + _STEP])
            yield

    def _group(self, entries: Iterable[IndexEntry], groups: dict[str, list[IndexRow]]) -> None:
        known = self._rows
        for entry in entries:
            row = known.get(id(entry)) or self._row(entry)
            group = groups.get(row.group)
            if group is None:
                groups[row.group] = [row]
            else:
                group.append(row)

    def _row(self, entry: IndexEntry) -> IndexRow:
        row = self._rows.get(id(entry))
        if row is None:
            key, label = f"agent:{entry.spec.path}", short_name(entry)
            row = IndexRow(RowKind.AGENT, key, label, group_of(entry), entry=entry)
            self._rows[id(entry)] = row
        return row

    def _prepared(self) -> list[Sought]:
        if self._all_sought is None:
            self._prepare(self.index.entries)
            self._all_sought = [self._sought[id(entry)] for entry in self.index.entries]
        return self._all_sought

    def _prepare(self, entries: Iterable[IndexEntry]) -> None:
        known = self._sought
        for entry in entries:
            if id(entry) not in known:
                known[id(entry)] = seek(entry)

    def _others(self) -> list[tuple[IndexRow, str]]:
        """The rows that are no agents, each with what a filter looks at."""
        if self._extras is None:
            self._extras = list(_problem_rows(self.index.problems))
            for group, items in (
                (SKILLS, self.index.skills),
                (COMMANDS, self.index.commands),
                (NOT_INSTALLED, self.index.not_installed),
            ):
                self._extras += _extra_rows(group, items)
        return self._extras


class ShownRows:
    """The rows that a filter and the folded groups leave of a library."""

    def __init__(self) -> None:
        self._library: LibraryRows | None = None
        self.query = ""
        self.folded: set[str] = set(FOLDED_AT_START)
        self.rows: tuple[IndexRow, ...] = ()

    def take(self, index: AgentIndex) -> None:
        """Take a state of the library, for the next `lay_out`."""
        if self._library is None:
            self._library = LibraryRows(index)
        else:
            self._library.renew(index)

    @property
    def unlisted(self) -> Unlisted | None:
        """The agents in the project's folder that no source leads to."""
        return self._library.unlisted if self._library else None

    def take_unlisted(self, unlisted: Unlisted | None) -> bool:
        """Take them, for the next `lay_out`; whether they are others."""
        if self._library is None or self._library.unlisted == unlisted:
            return False
        self._library.unlisted = unlisted
        return True

    def prepare(self) -> Iterator[None]:
        """Make ready for a filter, in steps of about a millisecond each."""
        return self._library.prepare() if self._library else iter(())

    def lay_out(self) -> bool:
        """Find out the rows; False while there is no library."""
        if self._library is not None:
            self.rows = self._library.rows(self.query, self.folded)
        return self._library is not None

    @property
    def can_fold(self) -> bool:
        """Whether groups fold: not those of a filter."""
        return not self.query

    def fold(self, row: IndexRow, folded: bool | None) -> bool:
        """Fold or unfold a row's group, None for the other way round; whether that changes it."""
        is_folded = row.group in self.folded
        if row.kind is RowKind.UNLISTED or not self.can_fold or folded == is_folded:
            return False
        self.folded ^= {row.group}
        return True

    def header_of(self, row: IndexRow) -> int:
        """The position of the header of a row's group."""
        return next(i for i, r in enumerate(self.rows) if r.key == f"group:{row.group}")

    def position_of(self, row: IndexRow | None, fallback: int) -> int:
        """Where a row is now, else the nearest to where it was; of None the first agent."""
        if row is None:
            return next((i for i, r in enumerate(self.rows) if r.kind is not RowKind.GROUP), 0)
        nearest = max(0, min(fallback, len(self.rows) - 1))
        return next((i for i, r in enumerate(self.rows) if r.key == row.key), nearest)

    def position_of_path(self, path: Path) -> int | None:
        """The position of the agent of a file, if it is shown."""
        entries = ((i, row.entry) for i, row in enumerate(self.rows))
        return next((i for i, entry in entries if entry and entry.spec.path == path), None)

    @property
    def unlisted_row(self) -> IndexRow | None:
        """The row that says that there are agents which no source leads to."""
        return next((row for row in self.rows if row.kind is RowKind.UNLISTED), None)


def _problem_rows(problems: Iterable[Finding]) -> Iterator[tuple[IndexRow, str]]:
    for found in problems:
        key = f"problem:{found.path}:{found.line}:{found.message}"
        row = IndexRow(RowKind.PROBLEM, key, found.path.name, PROBLEMS, problem=found)
        yield row, str(found).lower()


def _extra_rows(group: str, items: Iterable[Extra]) -> Iterator[tuple[IndexRow, str]]:
    for item in items:
        row = IndexRow(
            RowKind.EXTRA, f"{group}:{item.id}:{item.path}", _label(item), group, extra=item
        )
        yield row, f"{item.id} {item.description}".lower()


def _label(extra: Extra) -> str:
    return extra.name if isinstance(extra, RemotePlugin) else extra.id


def group_of(entry: IndexEntry) -> str:
    """The heading that an agent stands under: the label of its source."""
    return entry.spec.source.label


def short_name(entry: IndexEntry) -> str:
    """The id less the plugin that already stands in the heading, also where names repeat it."""
    plugin = entry.spec.source.plugin
    if not plugin:
        return entry.id
    name = entry.id.removeprefix(f"{plugin}:")
    return name.removeprefix(f"{plugin}-") or name
