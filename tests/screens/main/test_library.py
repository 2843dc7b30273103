"""The list of agents and the page about one: grouped, filtered, live, and patched row by row."""

from __future__ import annotations

import threading
from collections.abc import Collection
from pathlib import Path

import pytest
from textual.geometry import Region
from textual.widgets import Static

from secretary_tui.registry.agent_index import IndexChange, LiveIndex
from secretary_tui.widgets.library.agent_list import AgentList
from secretary_tui.widgets.library.index_rows import RowKind
from tests.library import agent_file, make_library
from tests.screens.desk import Desk, at_desk


def names(desk: Desk) -> list[str]:
    """The labels of the agents that the list shows."""
    return [row.label for row in desk.main.library.index.shown.rows if row.kind is RowKind.AGENT]


def under_cursor(desk: Desk) -> str:
    row = desk.main.library.index.highlighted
    return row.label if row else ""


def page(desk: Desk) -> str:
    return str(desk.main.query_one("#details-page", Static).content)


async def open_filter(desk: Desk, text: str) -> None:
    await desk.press("f5", "slash")
    await desk.type(text)


def agents_folder(project: Path) -> Path:
    return project / ".claude" / "agents"


async def test_agents_stand_in_groups_by_source_with_their_counts(project: Path) -> None:
    async with at_desk(project) as desk:
        lines = desk.text.splitlines()
        assert lines[0].startswith("▾ project 4")
        assert "• code-critic" in lines[1]
        assert any(line.startswith("▾ bundled 10") for line in lines)


async def test_agents_of_a_plugin_stand_under_its_name_without_repeating_it(project: Path) -> None:
    folder = project / "plugins" / "shipping" / "agents"
    folder.mkdir(parents=True)
    (folder / "packer.md").write_text(agent_file("packer", "Packs parcels.", "Read"))
    async with at_desk(project) as desk:
        await desk.sees("▾ shipping 1", "• packer")


async def test_the_page_says_when_the_mode_of_a_file_changes_nothing(project: Path) -> None:
    for mode in ("bypassPermissions", "plan"):
        text = f"---\nname: aa-{mode}\ndescription: x\npermissionMode: {mode}\n---\nObey.\n"
        (agents_folder(project) / f"{mode}.md").write_text(text)
    async with at_desk(project) as desk:
        await open_filter(desk, "bypass")
        await desk.until(lambda: "bypassPermissions (changes nothing" in page(desk))
        await desk.press("escape", "slash")
        await desk.type("aa-plan")
        await desk.until(lambda: "aa-plan" in page(desk) and "plan\n" in page(desk))
        assert "changes nothing" not in page(desk)


async def test_the_filter_keeps_what_fits_and_esc_brings_everything_back(project: Path) -> None:
    async with at_desk(project) as desk:
        await open_filter(desk, "schema")
        assert names(desk) == ["schema-smith"]
        assert under_cursor(desk) == "schema-smith"
        await desk.press("escape")
        assert len(names(desk)) == 14
        assert under_cursor(desk) == "schema-smith"
        assert desk.main.focused is desk.main.library.index


async def test_a_slip_of_the_finger_still_finds_the_agent(project: Path) -> None:
    async with at_desk(project) as desk:
        await open_filter(desk, "secrity-audtor")
        assert names(desk)[0] == "security-auditor"


async def test_the_agents_are_never_read_where_keys_are_waited_for(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers = []
    refresh = LiveIndex.refresh

    def noted(live: LiveIndex, changed: Collection[str] | None = None) -> IndexChange:
        readers.append(threading.current_thread())
        return refresh(live, changed)

    monkeypatch.setattr(LiveIndex, "refresh", noted)
    async with at_desk(project) as desk:
        await desk.sees("14 agents")
        await desk.press("f5", "down")
    assert readers
    assert threading.main_thread() not in readers


async def test_a_filter_that_fits_nothing_says_so(project: Path) -> None:
    async with at_desk(project) as desk:
        await open_filter(desk, "qqqqxxxx")
        assert names(desk) == []
        await desk.sees("No agent matches this filter")
        await desk.press("enter", "down", "enter", "escape")


async def test_a_created_file_keeps_the_filter_and_the_highlight(project: Path) -> None:
    async with at_desk(project) as desk:
        await open_filter(desk, "sm")
        await desk.press("enter")
        await desk.until(lambda: under_cursor(desk) == "schema-smith")
        new = agents_folder(project) / "aaa-smith.md"
        new.write_text(agent_file("aaa-smith", "Forges things.", "Read"))
        await desk.until(lambda: "aaa-smith" in names(desk))
        assert under_cursor(desk) == "schema-smith"
        assert "code-critic" not in names(desk)
        await desk.sees("15 agents")


async def test_a_saved_file_changes_its_row_and_its_page_in_place(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.press("f5", "down", "down")
        assert under_cursor(desk) == "schema-smith"
        path = agents_folder(project) / "schema-smith.md"
        path.write_text(agent_file("schema-smith", "Now draws tables.", "Read"))
        await desk.sees("Now draws tables.")
        assert under_cursor(desk) == "schema-smith"


async def test_a_renamed_file_moves_and_a_neighbour_takes_the_highlight(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.press("f5", "down", "down")
        path = agents_folder(project) / "schema-smith.md"
        text = path.read_text().replace("name: schema-smith", "name: table-smith")
        path.rename(path.with_name("table-smith.md"))
        path.with_name("table-smith.md").write_text(text)
        await desk.until(lambda: "table-smith" in names(desk) and "schema-smith" not in names(desk))
        assert under_cursor(desk) in names(desk)


async def test_a_deleted_file_leaves_the_cursor_where_it_was(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.press("f5", "down", "down")
        position = desk.main.library.index._cursor
        (agents_folder(project) / "schema-smith.md").unlink()
        await desk.until(lambda: "schema-smith" not in names(desk))
        assert desk.main.library.index._cursor == position
        assert under_cursor(desk) == "security-auditor"
        assert "security-auditor" in page(desk)


async def test_a_folder_that_did_not_exist_at_the_start_is_seen(home: Path) -> None:
    project = home / "empty"
    project.mkdir()
    async with at_desk(project, offline=True) as desk:
        assert len(names(desk)) == 10
        make_library(project)
        await desk.until(lambda: len(names(desk)) == 14)


async def test_a_change_of_one_file_repaints_one_row_and_adds_no_widget(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: list[Region] = []
    everything: list[bool] = []
    refresh = AgentList.refresh

    def spy(self: AgentList, *regions: Region, **options: bool) -> AgentList:
        painted.extend(regions)
        everything.append(not regions)
        return refresh(self, *regions, **options)

    async with at_desk(project) as desk:
        widgets = len(desk.app.screen.query("*"))
        monkeypatch.setattr(AgentList, "refresh", spy)
        path = agents_folder(project) / "release-scribe.md"
        path.write_text(agent_file("release-scribe", "Writes notes on releases.", "Read"))
        await desk.until(lambda: painted)
        assert {region.y for region in painted} == {2}
        assert not any(everything)
        path.with_name("zz-new.md").write_text(agent_file("zz-new", "New.", "Read"))
        await desk.until(lambda: "zz-new" in names(desk))
        assert len(desk.app.screen.query("*")) == widgets


async def test_a_shadowed_agent_is_shown_and_names_what_hides_it(project: Path, home: Path) -> None:
    user = home / ".claude" / "agents"
    user.mkdir(parents=True)
    (user / "code-critic.md").write_text(agent_file("code-critic", "Mine.", "Read"))
    async with at_desk(project) as desk:
        await desk.sees("▾ user 1", "◦ code-critic", "shadowed")
        await open_filter(desk, "code-critic")
        await desk.press("enter", "down", "down")
        await desk.sees("shadowed by ~/shop/.claude/agents/code-critic.md")


async def test_problems_stand_in_a_group_of_their_own_and_say_what_to_do(project: Path) -> None:
    (agents_folder(project) / "binary.md").write_bytes(b"\x00\x01\x02" * 50)
    async with at_desk(project) as desk:
        await desk.sees("1 problem")
        await desk.press("f5", "end")
        await desk.until(lambda: under_cursor(desk) == "binary.md")
        assert "~/shop/.claude/agents/binary.md" in page(desk)


async def test_warnings_are_counted_in_the_row_and_spelled_out_on_the_page(project: Path) -> None:
    path = agents_folder(project) / "odd.md"
    path.write_text("---\nname: odd\ndescription: Use it: always\nmodel: a b c\n---\nHi.\n")
    async with at_desk(project) as desk:
        await open_filter(desk, "odd")
        row = next(line for line in desk.text.splitlines() if "• odd" in line)
        assert "!" in row
        await desk.until(lambda: "! line" in page(desk))


async def test_the_page_marks_risky_tools_and_shortens_the_path(project: Path) -> None:
    async with at_desk(project) as desk:
        await open_filter(desk, "release-scribe")
        await desk.until(lambda: "You are release-scribe." in page(desk))
        shown = page(desk)
        assert "Read, Write!, Bash!" in shown
        assert "~/shop/.claude/agents/release-scribe.md" in shown
        assert "Writes changelogs" in shown
        assert "You are release-scribe." in shown


async def test_groups_fold_with_the_arrows_and_with_enter(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.press("f5", "left")
        assert "code-critic" not in names(desk)
        assert under_cursor(desk) == "project"
        await desk.sees("▸ project 4")
        await desk.press("enter")
        assert "code-critic" in names(desk)
        await desk.press("space")
        assert "code-critic" not in names(desk)


async def test_the_cursor_goes_by_line_page_and_end(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.press("f5", "j", "j", "k")
        assert under_cursor(desk) == "release-scribe"
        await desk.press("G")
        assert under_cursor(desk) == "worker"
        await desk.press("g")
        assert under_cursor(desk) == "project"
        await desk.press("pagedown")
        assert under_cursor(desk) == "worker"


async def test_enter_on_an_agent_names_it_before_the_request(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("look here")
        await desk.press("f5", "down", "enter")
        assert desk.main.request.text == "@release-scribe look here"
        await desk.press("f5", "down", "enter")
        assert desk.main.request.text == "@schema-smith look here"
        assert desk.main.focused is desk.main.request


async def test_an_empty_library_says_where_agents_are_looked_for(home: Path) -> None:
    project = home / "empty"
    project.mkdir()
    (project / ".claude").mkdir()
    (project / ".claude" / "secretary.local.md").write_text("---\nbundled_agents: false\n---\n")
    async with at_desk(project, offline=True) as desk:
        await desk.sees("No agents found.", "~/empty/.claude/agents", "0 agents")
