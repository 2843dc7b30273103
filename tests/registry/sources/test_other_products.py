"""The folders of GitHub Copilot, opencode and deepagents, in the project and of the user."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from secretary_tui.registry.agent_index import LiveIndex
from secretary_tui.registry.check.validate import validate_files, validate_index
from secretary_tui.registry.definition.spec import AgentStatus, Dialect, Severity
from secretary_tui.registry.sources import sources
from secretary_tui.registry.sources.library_options import LibraryOptions
from secretary_tui.registry.sources.sources import SourceMemory, find_sources
from secretary_tui.registry.watch import watch_index
from tests.registry.definitions import write_agent

PATIENCE_S = 10


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def fill(root: Path) -> None:
    """One agent of each product, below a project."""
    write(root / ".github/agents/guide.agent.md", "---\ndescription: Guides\n---\nGuide.")
    write(root / ".github/agents/plain.md", "---\nname: plain\ndescription: Plain\n---\nDo.")
    write(root / ".opencode/agent/old-place.md", "---\ndescription: Old\nmode: all\n---\nDo.")
    write(root / ".opencode/agents/new-place.md", "---\ndescription: New\n---\nDo.")
    write(root / ".deepagents/agents/researcher/AGENTS.md", "---\ndescription: Finds\n---\nDo.")


def labelled(live: LiveIndex) -> list[tuple[str, str, Dialect]]:
    return [(e.id, e.spec.source.label, e.spec.dialect) for e in live.snapshot.entries]


def test_each_folder_is_a_source_labelled_with_its_product(project: Path) -> None:
    fill(project)
    live = LiveIndex(project, bundled=False)
    assert labelled(live) == [
        ("guide", "copilot", Dialect.COPILOT),
        ("plain", "copilot", Dialect.COPILOT),
        ("researcher", "deepagents", Dialect.DEEPAGENTS),
        ("new-place", "opencode", Dialect.OPENCODE),
        ("old-place", "opencode", Dialect.OPENCODE),
    ]
    assert live.snapshot.problems == ()
    assert all(not agent.findings for agent in live.snapshot.active), "names by file are their way"


def test_the_users_own_folders_count_too(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    write(home / ".copilot/agents/a.agent.md", "---\ndescription: A\n---\nDo.")
    write(home / ".config/opencode/agent/b.md", "---\ndescription: B\n---\nDo.")
    write(home / ".config/opencode/agents/c.md", "---\ndescription: C\n---\nDo.")
    write(home / ".opencode/agents/d.md", "---\ndescription: D\n---\nDo.")
    write(home / ".deepagents/mine/agents/e/AGENTS.md", "---\ndescription: E\n---\nDo.")
    write(home / ".deepagents/mine/AGENTS.md", "---\ndescription: not an agent\n---\nNotes.")
    found = labelled(LiveIndex(project, bundled=False))
    assert sorted(found) == [
        ("a", "copilot-user", Dialect.COPILOT),
        ("b", "opencode-user", Dialect.OPENCODE),
        ("c", "opencode-user", Dialect.OPENCODE),
        ("d", "opencode-user", Dialect.OPENCODE),
        ("e", "deepagents-user", Dialect.DEEPAGENTS),
    ]


def test_opencodes_folder_follows_the_users_setting(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    write(tmp_path / "settings/opencode/agents/b.md", "---\ndescription: B\n---\nDo.")
    assert LiveIndex(project, bundled=False).snapshot.get("b") is not None


def test_of_one_id_claude_codes_folder_wins_over_other_products(project: Path, home: Path) -> None:
    write_agent(project / ".github" / "agents", "coder")
    write_agent(project / ".opencode" / "agents", "coder")
    ours = write_agent(project / ".claude" / "agents", "coder")
    write_agent(home / ".claude" / "agents", "coder")
    entries = LiveIndex(project, bundled=False).snapshot.entries
    assert [(e.spec.source.label, e.status) for e in entries] == [
        ("project", AgentStatus.ACTIVE),
        ("copilot", AgentStatus.SHADOWED),
        ("opencode", AgentStatus.SHADOWED),
        ("user", AgentStatus.SHADOWED),
    ]
    assert {e.shadowed_by for e in entries[1:]} == {ours}


def test_the_folders_up_to_the_repositorys_root_count_and_the_nearest_wins(project: Path) -> None:
    inner = project / "packages" / "web"
    near = write_agent(inner / ".opencode" / "agents", "shared")
    write_agent(project / ".github" / "agents", "shared")
    write_agent(project.parent / ".github" / "agents", "outside")
    index = LiveIndex(inner, bundled=False).snapshot
    assert [(e.id, e.spec.path == near) for e in index.entries] == [
        ("shared", True),
        ("shared", False),
    ]


def test_beside_a_deepagents_definition_only_its_own_notes_lie(project: Path) -> None:
    folder = project / ".deepagents" / "agents"
    write(folder / "researcher/AGENTS.md", "---\ndescription: Finds\n---\nDo.")
    write(folder / "researcher/notes.md", "---\nname: notes\ndescription: no agent\n---\n.")
    write(folder / "stray.md", "---\nname: stray\ndescription: no agent\n---\n.")
    write(folder / "a/b/AGENTS.md", "---\nname: deep\ndescription: no agent\n---\n.")
    assert [e.id for e in LiveIndex(project, bundled=False).snapshot.entries] == ["researcher"]


@pytest.mark.parametrize("name", ["copilot", "project-other"])
def test_one_product_can_be_switched_off_without_the_projects_own(project: Path, name: str) -> None:
    fill(project)
    write_agent(project / ".claude" / "agents", "ours")
    options = LibraryOptions(bundled=False, disabled_sources=frozenset({name}))
    index = LiveIndex(project, options=options).snapshot
    assert index.find("guide").status is AgentStatus.DISABLED
    assert index.find("ours").status is AgentStatus.ACTIVE


def test_what_an_opencode_file_switches_off_is_off(project: Path) -> None:
    text = "---\ndescription: Old\ndisable: true\n---\nDo."
    path = write(project / ".opencode/agents/old.md", text)
    live = LiveIndex(project, bundled=False)
    entry = live.snapshot.find("old")
    assert (entry.status, entry.disabled_by) == (
        AgentStatus.DISABLED,
        "`disable: true` in its file",
    )
    path.write_text(text.replace("true", "false"))
    assert live.refresh().index.find("old").status is AgentStatus.ACTIVE


def test_a_link_out_of_the_repository_is_not_followed(project: Path, tmp_path: Path) -> None:
    write_agent(tmp_path / "elsewhere", "outside")
    (project / ".github").mkdir()
    (project / ".github" / "agents").symlink_to(tmp_path / "elsewhere")
    index = LiveIndex(project, bundled=False).snapshot
    assert index.entries == ()
    assert "leads to a folder outside" in index.problems[0].message


def test_validation_says_nothing_of_claude_code_about_files_that_are_not_its_own(
    project: Path,
) -> None:
    fill(project)
    broken = write(project / ".github/agents/odd.agent.md", "---\ndescription: Use: it\n---\nDo.")
    for found in (
        validate_index(LiveIndex(project, bundled=False).snapshot),
        validate_files([broken]),
        validate_files([project / ".github" / "agents"]),
    ):
        assert found.silent == 0
        assert found.count(Severity.ERROR) == 0
        assert any(f.path == broken and "not valid YAML" in f.message for f in found.findings)


async def test_a_folder_that_appears_later_is_noticed_and_so_is_its_going(
    project: Path, home: Path
) -> None:
    live = LiveIndex(project, bundled=False)
    live.refresh()
    stop = asyncio.Event()
    seen: asyncio.Queue[set[str]] = asyncio.Queue()

    async def follow() -> None:
        async for change in watch_index(live, stop):
            seen.put_nowait({entry.id for entry in change.index.entries})

    async def until(ids: set[str]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while await seen.get() != ids:
                pass

    task = asyncio.create_task(follow())
    try:
        write_agent(project / ".claude" / "agents", "first")
        await until({"first"})
        path = write_agent(project / ".opencode" / "agents", "later")
        await until({"first", "later"})
        path.unlink()
        await until({"first"})
        write(project / ".deepagents/agents/researcher/AGENTS.md", "---\ndescription: F\n---\nD.")
        await until({"first", "researcher"})
        write(home / ".deepagents/one/agents/mine/AGENTS.md", "---\ndescription: F\n---\nD.")
        await until({"first", "mine", "researcher"})
        write(home / ".deepagents/two/agents/other/AGENTS.md", "---\ndescription: F\n---\nD.")
        await until({"first", "mine", "other", "researcher"})
    finally:
        stop.set()
        await task


# ------------------------------------------------------------------ sources remembered


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """Each whole look for sources."""
    made: list[Path] = []

    def look(project: Path, **options: object) -> object:
        made.append(project)
        return find_sources(project, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(sources, "find_sources", look)
    monkeypatch.setattr(sources, "_SETTLED_NS", 0)
    yield made


def test_sources_are_looked_for_once_while_nothing_changes(
    project: Path, looks: list[Path]
) -> None:
    fill(project)
    memory = SourceMemory(project)
    assert memory.find(LibraryOptions()) is memory.find(LibraryOptions())
    assert len(looks) == 1


@pytest.mark.parametrize(
    "place",
    [
        ".claude/agents",
        ".claude/settings.json",
        ".claude-plugin/marketplace.json",
        ".github/agents",
        ".opencode",
        "plugins/kit",
        ".git",
    ],
)
def test_whatever_sources_depend_on_makes_them_looked_for_again(
    project: Path, looks: list[Path], place: str
) -> None:
    inner = project / "inner"
    inner.mkdir()
    memory = SourceMemory(inner)
    memory.find(LibraryOptions())
    path = inner / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}") if path.suffix == ".json" else path.mkdir()
    memory.find(LibraryOptions())
    assert len(looks) == 2


def test_other_options_and_young_files_are_looked_for_again(
    project: Path, looks: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(project)
    memory = SourceMemory(project)
    memory.find(LibraryOptions())
    memory.find(LibraryOptions(bundled=False))
    assert len(looks) == 2
    monkeypatch.setattr(sources, "_SETTLED_NS", 10**18)
    memory.find(LibraryOptions())
    memory.find(LibraryOptions())
    assert len(looks) == 4
