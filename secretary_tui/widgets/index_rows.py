"""The rows of the agent index: grouping, filtering and order, as pure functions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from secretary_tui.registry.spec import (
    AgentStatus,
    Command,
    Finding,
    IndexEntry,
    RemotePlugin,
    Skill,
    SourceKind,
)

if TYPE_CHECKING:
    from secretary_tui.registry.index import AgentIndex

PROBLEMS = "problems"
"""Key and label of the group that lists files which give no agent."""
SKILLS, COMMANDS, NOT_INSTALLED = "skills", "commands", "not installed"
FOLDED_AT_START = frozenset({SKILLS, COMMANDS, NOT_INSTALLED})
"""Groups that are not agents: there to be looked up, out of the way until then."""

Extra = Skill | Command | RemotePlugin
"""What the library holds besides agents."""


class RowKind(StrEnum):
    """What a row of the index is."""

    GROUP = "group"
    AGENT = "agent"
    PROBLEM = "problem"
    EXTRA = "extra"


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
    extra: Extra | None = None


def build_rows(
    index: AgentIndex,
    query: str = "",
    folded: Collection[str] = frozenset(),
    texts: Sequence[tuple[str, str]] | None = None,
) -> tuple[IndexRow, ...]:
    """Lay the library out: a header a group, then its agents; the problems and the rest last.

    With a query only what fits is left, the best groups first, and nothing is folded.
    """
    words = query.lower().split()
    entries: Sequence[IndexEntry] = index.entries
    if words:
        entries = filter_entries(entries, query, texts)
        folded = frozenset()
    groups: dict[str, list[IndexRow]] = {}
    for entry in entries:
        group = group_of(entry)
        row = IndexRow(
            RowKind.AGENT, f"agent:{entry.spec.path}", short_name(entry), group, entry=entry
        )
        groups.setdefault(group, []).append(row)
    groups[PROBLEMS] = [
        IndexRow(
            RowKind.PROBLEM, f"problem:{p.path}:{p.line}:{p.message}", p.path.name, PROBLEMS,
            problem=p,
        )
        for p in index.problems
        if all(word in str(p).lower() for word in words)
    ]  # fmt: skip
    extras: tuple[tuple[str, Sequence[Extra]], ...] = (
        (SKILLS, index.skills),
        (COMMANDS, index.commands),
        (NOT_INSTALLED, index.not_installed),
    )
    for group, items in extras:
        groups[group] = [
            IndexRow(
                RowKind.EXTRA, f"{group}:{item.id}:{item.path}", _label(item), group, extra=item
            )
            for item in items
            if all(word in f"{item.id} {item.description}".lower() for word in words)
        ]
    rows: list[IndexRow] = []
    for group, members in groups.items():
        if members:
            is_folded = group in folded
            rows.append(
                IndexRow(RowKind.GROUP, f"group:{group}", group, group, len(members), is_folded)
            )
            rows.extend(() if is_folded else members)
    return tuple(rows)


def _label(extra: Extra) -> str:
    return extra.name if isinstance(extra, RemotePlugin) else extra.id


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


def search_texts(entries: Sequence[IndexEntry]) -> tuple[tuple[str, str], ...]:
    """What a filter looks at, in lower case: each agent's id and its description."""
    return tuple((entry.id.lower(), entry.spec.description.lower()) for entry in entries)


def filter_entries(
    entries: Sequence[IndexEntry],
    query: str,
    texts: Sequence[tuple[str, str]] | None = None,
) -> list[IndexEntry]:
    """Keep the agents that fit a fuzzy query, the best first.

    Every word must be in the id or the description; when no agent has them all, the ids nearest
    in spelling are given, so that a slip of the finger still finds something. `texts` saves the
    work of `search_texts` from key to key.
    """
    words = query.lower().split()
    texts = search_texts(entries) if texts is None else texts
    best: list[list[IndexEntry]] = [[] for _ in range(4 * len(words) + 4)]
    first, inner = words[0], (f"-{words[0]}", f":{words[0]}")
    for entry, (name, text) in zip(entries, texts, strict=True):
        in_name = 0
        for word in words:
            if word in name:
                in_name += 1
            elif word not in text:
                break
        else:
            starts = name.startswith(first) or inner[0] in name or inner[1] in name
            active = entry.status is AgentStatus.ACTIVE
            best[4 * in_name + 2 * starts + active].append(entry)
    found = [entry for entries_of_score in reversed(best) for entry in entries_of_score]
    return found or _nearest(entries, query, texts)


def _nearest(
    entries: Sequence[IndexEntry], query: str, texts: Sequence[tuple[str, str]]
) -> list[IndexEntry]:
    from rapidfuzz import fuzz, process

    nearest = process.extract(
        query.lower(),
        [name for name, _ in texts],
        scorer=fuzz.partial_ratio,
        score_cutoff=70,
        limit=20,
    )
    return [entries[position] for *_, position in nearest]
