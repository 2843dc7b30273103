"""Agents named in a request, however people write the name."""

from __future__ import annotations

from pathlib import Path

import pytest

from secretary_tui.registry.agent_index import AgentIndex, AgentNotFoundError, LiveIndex
from secretary_tui.registry.mentions import find_mentioned, mention, split_named
from tests.library import agent_file


@pytest.fixture
def index(tmp_path: Path) -> AgentIndex:
    folder = tmp_path / ".claude" / "agents"
    folder.mkdir(parents=True)
    for name in ("Cake Baker", "cake", "tea-maker"):
        (folder / f"{name}.md").write_text(agent_file(name, f"Is {name}.", "Read"))
    return LiveIndex(tmp_path, bundled=False).refresh().index


@pytest.mark.parametrize("written", ['@"Cake Baker" bake', "@cake-baker bake", "@Cake-Baker bake"])
def test_a_name_with_blanks_is_read_in_quotes_and_with_hyphens(
    index: AgentIndex, written: str
) -> None:
    found = find_mentioned(index, written)
    assert found is not None
    assert (found[0].name, found[1]) == ("Cake Baker", "bake")


def test_a_name_with_blanks_is_read_bare_where_its_first_word_is_nobody(tmp_path: Path) -> None:
    folder = tmp_path / ".claude" / "agents"
    folder.mkdir(parents=True)
    (folder / "t.md").write_text(agent_file("TikTok Strategist", "Grows.", "Read"))
    index = LiveIndex(tmp_path, bundled=False).refresh().index
    found = find_mentioned(index, "@TikTok Strategist grow my account")
    assert found is not None
    assert (found[0].name, found[1]) == ("TikTok Strategist", "grow my account")


def test_what_is_inserted_for_a_name_is_read_back(index: AgentIndex) -> None:
    for spec in index.active:
        assert split_named(f"{mention(spec.id)} do it") == (spec.id, "do it")


def test_a_name_that_nobody_has_is_an_error_with_the_nearest(index: AgentIndex) -> None:
    with pytest.raises(AgentNotFoundError) as raised:
        find_mentioned(index, "@tea-makr brew a pot")
    assert raised.value.nearest[0] == "tea-maker"


def test_a_request_without_a_name_mentions_nobody(index: AgentIndex) -> None:
    assert find_mentioned(index, "ask cake@example.org") is None
