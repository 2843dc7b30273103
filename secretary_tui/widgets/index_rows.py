"""The rows of the agent index: grouping, filtering and order, as pure functions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from secretary_tui.registry.spec import AgentStatus, Finding, IndexEntry, SourceKind

if TYPE_CHECKING:
    from secretary_tui.registry.index import AgentIndex

PROBLEMS = "problems"
"""Key and label of the group that lists files which give no agent."""


class RowKind(StrEnum):
    """What a row of the index is."""

    GROUP = "group"
    AGENT = "agent"
    PROBLEM = "problem"


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
    entry: IndexEntry | None = None
    problem: Finding | None = None


def build_rows(
    index: AgentIndex, query: str = "", folded: Collection[str] = frozenset()
) -> tuple[IndexRow, ...]:
    """Lay the library out: a header a group, then its agents; the problems last.

    With a query only what fits is left, the best groups first, and nothing is folded.
    """
    entries: Sequence[IndexEntry] = index.entries
    problems: Sequence[Finding] = index.problems
    if query.strip():
        entries = filter_entries(entries, query)
        words = query.lower().split()
        problems = [p for p in problems if all(w in str(p).lower() for w in words)]
        folded = frozenset()
    groups: dict[str, list[IndexEntry]] = {}
    for entry in entries:
        groups.setdefault(group_of(entry), []).append(entry)
    rows: list[IndexRow] = []
    for group, members in groups.items():
        is_folded = group in folded
        rows.append(
            IndexRow(RowKind.GROUP, f"group:{group}", group, group, len(members), is_folded)
        )
        if not is_folded:
            rows.extend(
                IndexRow(RowKind.AGENT, f"agent:{e.spec.path}", short_name(e), group, entry=e)
                for e in members
            )
    if problems:
        is_folded = PROBLEMS in folded
        rows.append(
            IndexRow(
                RowKind.GROUP, f"group:{PROBLEMS}", PROBLEMS, PROBLEMS, len(problems), is_folded
            )
        )
        if not is_folded:
            rows.extend(
                IndexRow(
                    RowKind.PROBLEM,
                    f"problem:{p.path}:{p.line}:{p.message}",
                    p.path.name,
                    PROBLEMS,
                    problem=p,
                )
                for p in problems
            )
    return tuple(rows)


def group_of(entry: IndexEntry) -> str:
    """The heading that an agent stands under: its plugin, or the label of its source."""
    source = entry.spec.source
    if source.kind is SourceKind.AGENTS_DIR:
        return source.root.name or str(source.root)
    return source.label


def short_name(entry: IndexEntry) -> str:
    """The id less the plugin that already stands in the heading."""
    plugin = entry.spec.source.plugin
    return entry.id.removeprefix(f"{plugin}:") if plugin else entry.id


def filter_entries(entries: Sequence[IndexEntry], query: str) -> list[IndexEntry]:
    """Keep the agents that fit a fuzzy query, the best first.

    Every word must be in the id or the description; when no agent has them all, the ids nearest
    in spelling are given, so that a slip of the finger still finds something.
    """
    words = query.lower().split()
    scored: list[tuple[float, int]] = []
    for position, entry in enumerate(entries):
        name, text = entry.id.lower(), entry.spec.description.lower()
        if all(word in name or word in text for word in words):
            in_name = sum(word in name for word in words)
            starts = any(part.startswith(words[0]) for part in name.replace("-", ":").split(":"))
            scored.append((-(2 * in_name + starts), position))
    if not scored:
        from rapidfuzz import fuzz, process

        nearest = process.extract(
            query.lower(),
            [entry.id.lower() for entry in entries],
            scorer=fuzz.partial_ratio,
            score_cutoff=70,
            limit=20,
        )
        scored = [(-score, position) for _, score, position in nearest]
    active = AgentStatus.ACTIVE
    scored.sort(key=lambda item: (item[0], entries[item[1]].status is not active, item[1]))
    return [entries[position] for _, position in scored]
