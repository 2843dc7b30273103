"""The index and how it is renewed."""

import os
from pathlib import Path

import pytest

from secretary_tui.registry.agent_index import AgentNotFoundError, LiveIndex
from secretary_tui.registry.definition import parse
from secretary_tui.registry.definition.spec import AgentStatus
from secretary_tui.registry.sources import source_files
from tests.registry.definitions import write_agent


@pytest.fixture
def agents(tmp_path: Path) -> Path:
    return tmp_path / "project" / ".claude" / "agents"


@pytest.fixture
def live(tmp_path: Path, agents: Path) -> LiveIndex:
    project = tmp_path / "project"
    write_agent(agents, "coder")
    write_agent(agents, "planner")
    write_agent(project / "plugins" / "kit" / "agents", "security-reviewer")
    write_agent(project / "plugins" / "kit" / "agents", "twin")
    write_agent(project / "plugins" / "set" / "agents", "twin")
    return LiveIndex(project, bundled=False)


def test_entries_are_ordered_by_source_plugin_and_name(live: LiveIndex) -> None:
    assert [entry.id for entry in live.snapshot.entries] == [
        "coder",
        "planner",
        "kit:security-reviewer",
        "kit:twin",
        "set:twin",
    ]


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("coder", "coder"),
        (" CODER ", "coder"),
        ("kit:twin", "kit:twin"),
        ("security-reviewer", "kit:security-reviewer"),
        ("Security-Reviewer", "kit:security-reviewer"),
    ],
)
def test_an_agent_is_found_by_what_people_type(live: LiveIndex, reference: str, found: str) -> None:
    assert live.snapshot.find(reference).id == found


def test_an_ambiguous_name_lists_the_agents_that_have_it(live: LiveIndex) -> None:
    with pytest.raises(AgentNotFoundError, match='2 agents are called "twin": kit:twin, set:twin'):
        live.snapshot.find("twin")


def test_an_unknown_name_gives_the_nearest(live: LiveIndex) -> None:
    with pytest.raises(AgentNotFoundError) as caught:
        live.snapshot.find("securty-reviewr")
    assert caught.value.nearest[0] == "kit:security-reviewer"
    assert 'there is no agent "securty-reviewr"; nearest: kit:security' in str(caught.value)
    with pytest.raises(AgentNotFoundError, match=r'there is no agent "qqqq"$'):
        live.snapshot.find("qqqq")


def test_completion_prefers_what_starts_with_the_typed_text(live: LiveIndex) -> None:
    index = live.snapshot
    assert index.complete("tw") == ("kit:twin", "set:twin")
    assert index.complete("KIT:") == ("kit:security-reviewer", "kit:twin")
    assert index.complete("er", limit=2) == ("coder", "kit:security-reviewer")
    assert index.complete("zzz") == ()


def test_get_gives_the_active_one_and_shadowed_ones_stay_visible(
    live: LiveIndex, agents: Path, home: Path
) -> None:
    loser = write_agent(home / ".claude" / "agents", "coder")
    index = live.snapshot
    entry = index.get("coder")
    assert entry and entry.spec.path == agents / "coder.md"
    shadowed = [e for e in index.entries if e.status is AgentStatus.SHADOWED]
    assert [(e.spec.path, e.shadowed_by) for e in shadowed] == [(loser, agents / "coder.md")]
    assert loser not in [spec.path for spec in index.active]
    assert index.get("nobody") is None


def test_one_file_seen_through_two_sources_is_listed_once(
    tmp_path: Path, agents: Path, live: LiveIndex
) -> None:
    again = LiveIndex(tmp_path / "project", [agents], bundled=False).snapshot
    assert [entry.id for entry in again.entries].count("coder") == 1


def test_reports_count_what_each_source_gave(live: LiveIndex, agents: Path) -> None:
    (agents / "README.md").write_text("# Notes\n")
    (agents / "half.md").write_text("---\nname: half\n")
    (agents / "colon.md").write_text("---\nname: colon\ndescription: a: b\n---\nx\n")
    index = live.snapshot
    report = index.sources[0]
    assert (report.loaded, report.rescued, report.problems, report.documents) == (3, 1, 1, 1)
    assert [finding.path.name for finding in index.problems] == ["half.md"]


def test_a_refresh_says_which_files_came_changed_and_went(live: LiveIndex, agents: Path) -> None:
    before = live.snapshot
    new = write_agent(agents, "new")
    write_agent(agents, "coder", description="Something else")
    (agents / "planner.md").unlink()
    change = live.refresh()
    assert (change.added, change.removed) == ((new,), (agents / "planner.md",))
    assert change.updated == (agents / "coder.md",)
    assert not change.is_empty and change.index is live.snapshot
    assert before.get("planner") is not None, "an old snapshot stays as it was"
    assert live.refresh().is_empty


def test_a_loser_becomes_active_when_the_winner_goes(
    live: LiveIndex, agents: Path, home: Path
) -> None:
    loser = write_agent(home / ".claude" / "agents", "coder")
    live.refresh()
    (agents / "coder.md").unlink()
    change = live.refresh()
    assert change.updated == (loser,)
    assert change.index.get("coder").spec.path == loser  # type: ignore[union-attr]


@pytest.mark.parametrize("broken", ["---\nname: coder\n", "", "---\nname: a\0\n---\n"])
def test_a_file_broken_in_mid_edit_keeps_its_agent_marked_stale(
    live: LiveIndex, agents: Path, broken: str
) -> None:
    before = live.snapshot.find("coder").spec
    path = agents / "coder.md"
    good = path.read_text()
    path.write_text(broken)
    change = live.refresh()
    entry = change.index.find("coder")
    assert change.updated == (path,) and change.problems_changed
    assert (entry.spec, entry.status) == (before, AgentStatus.ACTIVE)
    assert entry.stale in change.index.problems and entry.stale.path == path
    assert "is used as it was before" in entry.stale.message
    path.write_text(broken + " ")
    assert live.refresh().index.find("coder").spec == before, "still the last good one"
    path.write_text(good)
    change = live.refresh()
    assert change.index.find("coder").stale is None and not change.index.problems


def test_a_stale_agent_goes_with_its_file_and_with_its_frontmatter(
    live: LiveIndex, agents: Path
) -> None:
    live.refresh()
    for name in ("coder", "planner"):
        (agents / f"{name}.md").write_text("---\nname: x\n")
    assert len(live.refresh().index.problems) == 2
    (agents / "coder.md").unlink()
    (agents / "planner.md").write_text("# Notes\n")
    change = live.refresh()
    assert change.removed == (agents / "coder.md", agents / "planner.md")
    assert change.index.problems == ()


def test_a_file_that_never_gave_an_agent_is_a_problem_alone(live: LiveIndex, agents: Path) -> None:
    (agents / "half.md").write_text("---\nname: half\n")
    assert [problem.path.name for problem in live.snapshot.problems] == ["half.md"]
    assert live.snapshot.get("half") is None


def test_an_unchanged_file_is_not_parsed_again(
    live: LiveIndex, agents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live.refresh()
    parsed: list[Path] = []
    real = parse.read_agent

    def counting(path: Path, *rest: object) -> object:
        parsed.append(path)
        return real(path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(source_files, "read_agent", counting)
    live.refresh()
    assert parsed == []
    write_agent(agents, "coder", body="A longer body.")
    live.refresh()
    assert parsed == [agents / "coder.md"]


def test_an_edit_that_keeps_size_and_time_stamp_of_a_fresh_file_is_seen(
    live: LiveIndex, agents: Path
) -> None:
    path = write_agent(agents, "coder", body="one")
    os.utime(path)
    live.refresh()
    stamp = path.stat().st_mtime_ns
    text = path.read_text()
    path.write_text(text.replace("one", "two"))
    os.utime(path, ns=(stamp, stamp))
    assert live.refresh().updated == (path,)
