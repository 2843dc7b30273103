"""The rows of the index as pure functions: grouping, filtering, order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.registry.agent_index import AgentIndex
from secretary_tui.registry.definition.spec import (
    AgentSpec,
    AgentStatus,
    Finding,
    IndexEntry,
    Severity,
    Source,
    SourceKind,
)
from secretary_tui.widgets.library.index_filter import marked
from secretary_tui.widgets.library.index_rows import LOOSE, PROBLEMS, IndexRow, LibraryRows, RowKind

HERE = Source(SourceKind.PROJECT, Path("/shop/.claude/agents"))
PLUGIN = Source(SourceKind.PLUGIN, Path("/shop/plugins/tools/agents"), plugin="tools")


def entry(
    name: str, description: str = "", source: Source = HERE, shadowed: bool = False
) -> IndexEntry:
    spec = AgentSpec(
        name, description, "", source, source.root / f"{name}.md", namespace=source.plugin or ""
    )
    return IndexEntry(spec, AgentStatus.SHADOWED if shadowed else AgentStatus.ACTIVE)


INDEX = AgentIndex(
    (
        entry("code-critic", "Reviews code."),
        entry("schema-smith", "Designs tables; knows code, too."),
        entry("packer", "Packs parcels.", PLUGIN),
    ),
    (Finding(Path("/shop/bad.md"), None, "is binary", Severity.ERROR, "skip"),),
)


def labels(query: str = "", **options: frozenset[str]) -> list[str]:
    return labels_of(LibraryRows(INDEX).rows(query, **options))


def labels_of(rows: Iterable[IndexRow]) -> list[str]:
    return [row.label for row in rows]


def found(query: str, index: AgentIndex = INDEX) -> list[str]:
    """The ids that a filter leaves, in order."""
    return [row.entry.id for row in LibraryRows(index).rows(query) if row.entry]


def test_each_group_has_a_header_and_problems_come_last() -> None:
    assert labels() == [
        *("project", "code-critic", "schema-smith"),
        *("tools", "packer"),
        *(PROBLEMS, "bad.md"),
    ]


def test_a_folded_group_keeps_its_header_and_its_count() -> None:
    rows = LibraryRows(INDEX).rows(folded=frozenset({"project"}))
    assert rows[0].folded
    assert rows[0].count == 2
    assert rows[1].label == "tools"


def test_a_filter_unfolds_and_leaves_out_groups_without_a_hit() -> None:
    assert labels("packer", folded=frozenset({"tools"})) == ["tools", "packer"]


def test_a_hit_in_the_name_comes_before_one_in_the_description() -> None:
    assert found("code") == ["code-critic", "schema-smith"]


def test_all_words_must_fit() -> None:
    assert found("code tables") == ["schema-smith"]


def test_a_slip_finds_the_nearest_name_and_nonsense_finds_nothing() -> None:
    assert found("shcema-smith") == ["schema-smith"]
    assert found("qqqqxxxx") == []


def test_of_two_equal_hits_the_active_one_comes_first() -> None:
    twins = AgentIndex((entry("critic", shadowed=True), entry("critic")))
    rows = LibraryRows(twins).rows("critic")
    assert [row.entry.status for row in rows if row.entry] == ["active", "shadowed"]


def test_an_agent_that_is_switched_off_keeps_its_place_among_equal_hits() -> None:
    team = [entry(f"critic-{letter}") for letter in "abc"]
    team[1] = replace(team[1], status=AgentStatus.DISABLED)
    assert found("critic", AgentIndex(tuple(team))) == ["critic-a", "critic-b", "critic-c"]


def test_letters_in_order_find_a_name() -> None:
    assert found("cdcrt") == ["code-critic"]
    assert found("smth schma") == ["schema-smith"]
    assert found("rkcp") == [], "not in this order"


def test_initials_come_after_names_and_before_descriptions() -> None:
    agents = AgentIndex(
        (
            entry("builder", "Works on css."),
            entry("code-style-sage"),
            entry("css-smith"),
        )
    )
    assert found("css", agents) == ["css-smith", "code-style-sage", "builder"]


def test_loose_matches_stand_below_exact_ones_under_a_heading_of_their_own() -> None:
    agents = AgentIndex((entry("red-evaluator", "x", PLUGIN), entry("reviewer")))
    rows = LibraryRows(agents).rows("rev")
    assert [(row.kind, row.label) for row in rows] == [
        (RowKind.GROUP, "project"),
        (RowKind.AGENT, "reviewer"),
        (RowKind.GROUP, LOOSE),
        (RowKind.AGENT, "red-evaluator"),
    ]


def test_of_loose_matches_the_densest_comes_first() -> None:
    agents = AgentIndex((entry("packet-lister"), entry("parcel-store"), entry("pillow")))
    assert found("plw", agents) == ["pillow"]
    assert found("pl", agents) == ["packet-lister", "pillow", "parcel-store"]


@pytest.mark.parametrize(
    ("label", "query", "letters"),
    [
        ("code-critic", "crit", "crit"),
        ("code-critic", "cc", "cc"),
        ("code-critic", "cdtc", "cdtc"),
        ("code-critic", "reviews", ""),
        ("Code-Critic", "CODE tic", "Codetic"),
        ("İx", "x", ""),
    ],
)
def test_the_letters_that_fit_are_marked(label: str, query: str, letters: str) -> None:
    assert "".join(label[position] for position in marked(label, query)) == letters


def test_letters_are_marked_where_they_stand_closest() -> None:
    assert marked("security-reviewer", "rvw") == (9, 11, 14)


def test_initials_are_marked_where_the_parts_begin() -> None:
    assert marked("code-critic", "cc") == (0, 5)


def test_rows_of_agents_that_stay_are_kept_and_those_that_go_are_forgotten() -> None:
    library = LibraryRows(INDEX)
    before = library.rows()
    library.rows("code")
    changed = AgentIndex((*INDEX.entries[:2], entry("packer", "Packs more.", PLUGIN)))
    library.renew(changed)
    after = library.rows()
    assert [a is b for a, b in zip(after, before, strict=False) if a.entry] == [True, True, False]
    assert [row.label for row in library.rows("packs more")] == ["tools", "packer"]
    assert labels_of(library.rows("parcels")) == []


def test_a_prepared_library_finds_the_same() -> None:
    library = LibraryRows(INDEX)
    for _ in library.prepare():
        pass
    assert library.rows("code") == LibraryRows(INDEX).rows("code")


@given(st.text(alphabet="ab-", max_size=300), st.text(alphabet="ab-", max_size=60))
def test_marks_are_letters_of_the_query_in_order(label: str, query: str) -> None:
    positions = marked(label, query)
    assert list(positions) == sorted(set(positions))
    assert all(label[position] in query for position in positions)


@given(st.text(), st.sets(st.sampled_from(["project", "tools", PROBLEMS])))
def test_every_row_stands_below_its_header_whatever_is_typed(query: str, folded: set[str]) -> None:
    group = None
    keys = set()
    for row in LibraryRows(INDEX).rows(query, folded):
        group = row.group if row.kind is RowKind.GROUP else group
        assert row.group == group
        keys.add(row.key)
    assert len(keys) == len(LibraryRows(INDEX).rows(query, folded))
