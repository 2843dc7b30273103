"""The history screen: find, open, fork, export, delete; what a key did can be taken back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.widgets import Input

from secretary_tui.events import (
    PermissionAnswered,
    RunEvent,
    RunFailed,
    TextDelta,
    ToolStarted,
    Usage,
)
from secretary_tui.screens.past.export_screen import ExportScreen
from secretary_tui.screens.past.history import HistoryScreen
from secretary_tui.screens.past.run_dialogs import ConfirmScreen, ForkScreen
from secretary_tui.sessions.run_log import RunLog
from secretary_tui.sessions.store import list_runs, load_run
from secretary_tui.widgets.lists.row_list import RowList
from tests.screens.desk import Desk, at_desk
from tests.sessions.run_logs import answered, reply, started, write

FAILED = RunFailed("The key was refused.", "Check it.", False, Usage(), None, 1.0)
RUN = "20261113-090000-aaaa"


def store(project: Path, other: Path | None = None) -> None:
    """Three runs of this project, and one of another."""
    runs: tuple[tuple[str, str, str, Sequence[RunEvent]], ...] = (
        (RUN, "schema-smith", "add a table", answered("With an index on customer_id.", 0.5)),
        ("20261114-090000-bbbb", "code-critic", "review the payment", [FAILED]),
        (
            "20261115-090000-cccc",
            "code-critic",
            "review the login",
            [
                ToolStarted("t", "Bash", "rm x", {"command": "rm x"}),
                PermissionAnswered("t", "deny", "user"),
                *answered("Fine.", 0.001),
            ],
        ),
    )
    for run_id, agent, request, events in runs:
        at = f"{run_id[:4]}-{run_id[4:6]}-{run_id[6:8]}T09:00:00+00:00"
        write(project, run_id, request, events, agent, at)
    if other is not None:
        write(other, "20261116-090000-dddd", "elsewhere", answered("There."), "poet")


async def opened(desk: Desk, counted: str) -> HistoryScreen:
    await desk.press("f3")
    await desk.sees("History", counted)
    screen = desk.app.screen
    assert isinstance(screen, HistoryScreen)
    await desk.until(lambda: not screen._looking)
    return screen


async def filtered(desk: Desk, line: str) -> None:
    await desk.press("slash")
    desk.app.screen.query_one(Input).value = line
    await desk.press("enter")


async def test_words_are_found_in_the_answers_and_shown_where_they_stand(project: Path) -> None:
    store(project)
    async with at_desk(project) as desk:
        await opened(desk, "3 of 3")
        await filtered(desk, "customer_id")
        await desk.sees("1 of 3", "answer: With an index on customer_id.", "add a table")
        assert "review the login" not in desk.text


@pytest.mark.parametrize(
    ("keys", "line", "left"),
    [
        ("oo", "outcome:failed", "review the payment"),
        ("ooooo", "outcome:denied", "review the login"),
        ("cc", "cost>0.10", "add a table"),
    ],
)
async def test_keys_write_the_usual_terms_into_the_line(
    project: Path, keys: str, line: str, left: str
) -> None:
    store(project)
    async with at_desk(project) as desk:
        await opened(desk, "3 of 3")
        await desk.press(*keys)
        await desk.sees(line, "1 of 3", left)
        assert desk.app.screen.query_one(Input).value == line


async def test_the_agent_under_the_cursor_alone_and_all_again(project: Path) -> None:
    store(project)
    async with at_desk(project) as desk:
        await opened(desk, "3 of 3")
        await desk.press("a")
        await desk.sees("agent:code-critic", "2 of 3")
        await desk.press("a")
        await desk.sees("3 of 3")


async def test_all_projects_are_one_key_away(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "verses"
    other.mkdir()
    store(project, other)
    async with at_desk(project) as desk:
        await opened(desk, "3 of 3 · shop")
        await desk.press("p")
        await desk.sees("project:all", "4 of 4 · all projects", "elsewhere", "· verses")
        await desk.press("p")
        await desk.sees("3 of 3 · shop")


async def test_a_term_that_is_not_finished_counts_for_nothing_and_says_what_it_wants(
    project: Path,
) -> None:
    store(project)
    async with at_desk(project) as desk:
        await opened(desk, "3 of 3")
        await filtered(desk, "outcome:failed outcome:w")
        await desk.sees("outcome:w is none; it is one of done", "1 of 3")
        await filtered(desk, "cost>")
        await desk.sees("cost> wants an amount", "3 of 3")


async def test_letters_typed_into_the_filter_are_no_keys(project: Path) -> None:
    store(project)
    async with at_desk(project) as desk:
        screen = await opened(desk, "3 of 3")
        await desk.press("slash")
        await desk.type("dpyq")
        await desk.sees("dpyq", "0 of 3", "No matches")
        assert desk.app.screen is screen
        await desk.press("escape")
        await desk.sees("3 of 3")


async def test_a_deleted_run_comes_back_with_one_key(project: Path) -> None:
    store(project)
    async with at_desk(project) as desk:
        await opened(desk, "3 of 3")
        await desk.press("down", "d")
        await desk.sees("Delete this run of code-critic?", "review the payment")
        await desk.press("enter")
        assert isinstance(desk.app.screen, ConfirmScreen), "Enter deletes nothing"
        await desk.press("y")
        await desk.sees("2 of 2", "z restore")
        assert len(list_runs(project)) == 2
        await desk.press("z")
        await desk.sees("3 of 3", "review the payment")
        assert len(list_runs(project)) == 3


async def test_a_y_that_was_on_its_way_before_the_question_deletes_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secretary_tui.widgets.panels.panel.Panel.GRACE_S", 3600.0)
    store(project)
    async with at_desk(project) as desk:
        await opened(desk, "3 of 3")
        await desk.press("d")
        await desk.until(lambda: isinstance(desk.app.screen, ConfirmScreen))
        await desk.press("y")
        assert isinstance(desk.app.screen, ConfirmScreen)
        await desk.press("escape")
        await desk.sees("3 of 3")
        assert len(list_runs(project)) == 3


async def test_a_run_is_exported_and_a_file_that_is_there_is_asked_about(project: Path) -> None:
    store(project)
    page = project / "run-20261115-090000-cccc.html"
    async with at_desk(project) as desk:
        await opened(desk, "3 of 3")
        await desk.press("e")
        await desk.until(lambda: isinstance(desk.app.screen, ExportScreen))
        await desk.press("j")
        await desk.sees(page.name)
        await desk.press("enter")
        await desk.says("Wrote")
        assert page.read_text().startswith("<!DOCTYPE html>")
        page.write_text("mine")
        await desk.press("e", "j")
        await desk.sees(page.name)
        await desk.press("enter")
        await desk.sees("exists already. Enter again overwrites it.")
        assert page.read_text() == "mine"
        await desk.press("enter")
        await desk.until(lambda: isinstance(desk.app.screen, HistoryScreen))
        assert page.read_text() != "mine"


async def test_an_export_into_a_folder_that_is_not_there_says_so_beside_the_field(
    project: Path,
) -> None:
    store(project)
    async with at_desk(project) as desk:
        await opened(desk, "3 of 3")
        await desk.press("e")
        await desk.until(lambda: isinstance(desk.app.screen, ExportScreen))
        desk.app.screen.query_one(Input).value = "none/run.json"
        await desk.press("enter")
        await desk.sees("There is no such folder")
        await desk.press("escape")
        await desk.sees("3 of 3")


async def test_the_run_on_the_screen_is_exported_by_command(project: Path) -> None:
    store(project)
    async with at_desk(project) as desk:
        await desk.send("/export")
        await desk.says("There is no run to export yet. F3 shows earlier ones.")
        await opened(desk, "3 of 3")
        await desk.press("enter")
        await desk.sees("reply to code-critic")
        await desk.send("/export")
        await desk.until(lambda: isinstance(desk.app.screen, ExportScreen))
        await desk.press("j", "j", "enter")
        await desk.says("Wrote")
    data = json.loads((project / "run-20261115-090000-cccc.json").read_text())
    assert data["agent"] == "code-critic"


async def test_a_fork_opens_with_the_conversation_up_to_the_chosen_answer(project: Path) -> None:
    write(project, RUN, "add a table", answered("Added it."))
    reply(project, RUN, "and an index?", "Added that, too.")
    async with at_desk(project) as desk:
        await opened(desk, "1 of 1")
        await desk.press("f")
        await desk.until(lambda: isinstance(desk.app.screen, ForkScreen))
        await desk.sees("1 add a table", "Added it.", "2 and an index?")
        await desk.press("k", "enter")
        await desk.sees("reply to schema-smith", "Forked from", "after turn 1 of 2")
        assert "Added that, too." not in desk.text
        forked = load_run(desk.main.tabs.run_id)
    assert forked.id != RUN
    assert len(forked.messages) == 2
    assert len(load_run(RUN).messages) == 4


async def test_thousands_of_runs_are_rows_without_widgets(project: Path) -> None:
    for number in range(300):
        write(project, f"20261113-{number:06}-aaaa", f"request {number}")
    async with at_desk(project, size=(80, 24)) as desk:
        screen = await opened(desk, "300 of 300")
        rows = screen.query_one(RowList)
        assert len(rows.query("*")) <= 2
        await desk.press("G")
        await desk.sees("request 0")
        assert len(rows._drawn) < 40
        await desk.press("g")
        await desk.sees("request 299")


async def test_while_the_filter_is_typed_the_foot_names_its_terms_and_no_keys_that_are_text(
    project: Path,
) -> None:
    store(project)
    async with at_desk(project, (80, 24)) as desk:
        await desk.press("f3")
        await desk.sees("f fork  e export")
        await desk.press("slash", "l", "o", "g")
        await desk.sees("Enter to the list  Esc clear", "agent:x   outcome:failed")
        assert "f fork" not in desk.text
        await desk.press("down")
        await desk.sees("f fork  e export")
        assert desk.app.screen.query_one(RowList).has_focus


@pytest.mark.parametrize("finished", [True, False])
async def test_a_run_of_another_window_is_watched_live(project: Path, finished: bool) -> None:
    store(project)
    run_id = "20261116-090000-eeee"
    with RunLog.create(project, run_id) as log:
        log.append(started(project, run_id, "review the exports"))
        log.append(TextDelta("Looking"))
        async with at_desk(project) as desk:
            await opened(desk, "4 of 4")
            await desk.press("enter")
            await desk.sees("❯ review the exports", "Looking")
            log.append(TextDelta(" at the **writer**."))
            await desk.sees("Looking at the writer.")
            await desk.send("faster")
            await desk.sees("The run is still in progress in another window.")
            assert desk.main.request.text == "faster"
            if finished:
                log.append(answered("All of them are fine.")[-1])
            log.close()
            if finished:
                await desk.sees("done · 1 turn")
            else:
                await desk.sees("The run was cut off: its process is gone.")


async def test_a_new_request_ends_watching(project: Path) -> None:
    store(project)
    run_id = "20261116-090000-eeee"
    with RunLog.create(project, run_id) as log:
        log.append(started(project, run_id, "review the exports"))
        async with at_desk(project) as desk:
            await opened(desk, "4 of 4")
            await desk.press("enter")
            await desk.sees("❯ review the exports")
            desk.main.tabs.shown.forget_run()
            log.append(TextDelta("said to nobody"))
            await desk.press("tab")
            assert desk.main.tabs.shown.is_empty
