"""The rows of the index as pure functions: grouping, filtering, order."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.registry.index import AgentIndex
from secretary_tui.registry.spec import (
    AgentSpec,
    AgentStatus,
    Finding,
    IndexEntry,
    Severity,
    Source,
    SourceKind,
)
from secretary_tui.widgets.index_rows import PROBLEMS, RowKind, build_rows, filter_entries

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
    return [row.label for row in build_rows(INDEX, query, **options)]


def test_each_group_has_a_header_and_problems_come_last() -> None:
    assert labels() == [
        *("project", "code-critic", "schema-smith"),
        *("tools", "packer"),
        *(PROBLEMS, "bad.md"),
    ]


def test_a_folded_group_keeps_its_header_and_its_count() -> None:
    rows = build_rows(INDEX, folded=frozenset({"project"}))
    assert rows[0].folded
    assert rows[0].count == 2
    assert rows[1].label == "tools"


def test_a_filter_unfolds_and_leaves_out_groups_without_a_hit() -> None:
    assert labels("packer", folded=frozenset({"tools"})) == ["tools", "packer"]


def test_a_hit_in_the_name_comes_before_one_in_the_description() -> None:
    found = [e.id for e in filter_entries(INDEX.entries, "code")]
    assert found == ["code-critic", "schema-smith"]


def test_all_words_must_fit() -> None:
    assert [e.id for e in filter_entries(INDEX.entries, "code tables")] == ["schema-smith"]


def test_a_slip_finds_the_nearest_name_and_nonsense_finds_nothing() -> None:
    assert [e.id for e in filter_entries(INDEX.entries, "shcema-smith")] == ["schema-smith"]
    assert filter_entries(INDEX.entries, "qqqqxxxx") == []


def test_of_two_equal_hits_the_active_one_comes_first() -> None:
    twins = [entry("critic", shadowed=True), entry("critic")]
    assert [e.status for e in filter_entries(twins, "critic")] == ["active", "shadowed"]


@given(st.text(), st.sets(st.sampled_from(["project", "tools", PROBLEMS])))
def test_every_row_stands_below_its_header_whatever_is_typed(query: str, folded: set[str]) -> None:
    group = None
    keys = set()
    for row in build_rows(INDEX, query, folded):
        group = row.group if row.kind is RowKind.GROUP else group
        assert row.group == group
        keys.add(row.key)
    assert len(keys) == len(build_rows(INDEX, query, folded))
