"""Several runs at once: a tab each, questions that name their run, and nothing that switches."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from secretary_tui.flow.run_progress import RunState
from secretary_tui.sessions.store import RunOutcome, list_runs
from secretary_tui.widgets.panels.permission_panel import PermissionPanel
from secretary_tui.widgets.run_tabs import RunTab, RunTabs
from tests.screens.desk import REQUEST, ROUTED, Desk, at_desk, routing
from tests.servers.anthropic_server import (
    ScriptedServer,
    Step,
    answer,
    error,
    text,
    tool_use,
    wait_for,
)

Serve = Callable[..., ScriptedServer]

CRITIC = routing(("code-critic", 92))
SMITH = routing(("schema-smith", 92))
WRITE = tool_use("Write", {"file_path": "notes.md", "content": "x\n"})


class Held:
    """An answer that is half said until it is let go."""

    def __init__(self, said: str, *blocks: object) -> None:
        self.gate = threading.Event()
        self.step: Step = wait_for(self.gate, answer(text(said), *blocks))  # type: ignore[arg-type]

    def go(self) -> None:
        self.gate.set()


async def begun(desk: Desk, request: str, seen: str) -> None:
    """Ask, accept, and wait for the first words."""
    await desk.matched(request)
    await desk.press("enter")
    await desk.sees(seen)


async def two(desk: Desk) -> None:
    """The first run goes on, the second one is on the screen."""
    await begun(desk, REQUEST, "Firs")
    await desk.press("ctrl+n")
    await desk.sees("2 ○ new", "─ request ─")
    await begun(desk, "criticise the code", "Seco")


async def open_filtered(desk: Desk, word: str) -> None:
    """Open the one run of the history that a word finds; two of one second have no order."""
    await desk.press("slash")
    await desk.type(word)
    await desk.sees("1 of 2")
    await desk.press("enter", "enter")


async def test_a_second_run_goes_on_beside_the_first_each_in_its_own_transcript(
    project: Path, serve: Serve
) -> None:
    first, second = Held("First answer."), Held("Second answer.")
    serve(ROUTED, first.step, CRITIC, second.step)
    async with at_desk(project, size=(120, 40)) as desk:
        await two(desk)
        await desk.sees("1 ● security-auditor", "2 ● code-critic")
        assert "Firs" not in desk.text
        first.go()
        await desk.sees("1 ✓ security-auditor")
        assert "First answer." not in desk.text, "nothing switches by itself"
        await desk.press("ctrl+pageup")
        await desk.sees("First answer.", "done · 1 turn")
        assert "Seco" not in desk.text
        second.go()
        await desk.sees("2 ✓ code-critic")
        await desk.press("ctrl+pagedown")
        await desk.sees("Second answer.")
        await desk.press("f12")
        await desk.sees("First answer.")
    assert [run.outcome for run in list_runs(project)] == [RunOutcome.DONE, RunOutcome.DONE]


async def test_one_run_has_no_tab_line(project: Path, serve: Serve) -> None:
    serve(ROUTED, answer(text("First answer.")))
    async with at_desk(project) as desk:
        await begun(desk, REQUEST, "First answer.")
        await desk.finished()
        assert not desk.main.query_one(RunTabs).display
        await desk.press("ctrl+pagedown")
        await desk.says("Only one run is open.")


async def test_what_is_typed_goes_to_the_run_that_is_shown(project: Path, serve: Serve) -> None:
    first, second = Held("First answer."), Held("Second answer.")
    server = serve(ROUTED, first.step, CRITIC, second.step, answer(text("Third.")))
    async with at_desk(project) as desk:
        await two(desk)
        await desk.sees("to code-critic, at its next turn")
        await desk.press("ctrl+pageup")
        await desk.sees("to security-auditor, at its next turn")
        await desk.send("and the logout?")
        await desk.sees("queued and the logout?")
        await desk.press("ctrl+pagedown")
        await desk.until(lambda: "queued" not in desk.text)
        first.go()
        await desk.sees("1 ✓")
        assert "and the logout?" in str(server.requests[-1].body["messages"])
        assert "You are security-auditor" in str(server.requests[-1].body["system"])
        second.go()


async def test_a_question_names_its_run_and_leaves_the_other_on_the_screen(
    project: Path, serve: Serve
) -> None:
    first, second = Held("First I write.", WRITE), Held("Second answer.")
    serve(SMITH, first.step, CRITIC, second.step, answer(text("Written.")))
    async with at_desk(project, size=(120, 40)) as desk:
        await two(desk)
        first.go()
        await desk.sees("schema-smith (run 1)", "1 ? schema-smith", "Seco")
        assert desk.main.tabs.shown.number == 2
        await desk.until(lambda: desk.main.query_one(PermissionPanel).has_focus)
        await desk.press("y")
        await desk.sees("1 ✓ schema-smith")
        assert (project / "notes.md").read_text() == "x\n"
        assert "Seco" in desk.text
        second.go()


async def test_a_request_that_waits_behind_a_question_is_said_to_wait(
    project: Path, serve: Serve
) -> None:
    critic = routing(("code-critic", 92), intent="criticise the code")
    server = serve(SMITH, answer(WRITE), critic, answer(text("Done.")), answer(text("Seen.")))
    async with at_desk(project, size=(120, 40)) as desk:
        await begun(desk, "add a table for invoices", "wants to use Write")
        await desk.press("ctrl+n")
        await desk.sees("2 ○ new", "─ request ─")
        await desk.type("criticise the code")
        await desk.press("enter")
        await desk.sees("Answer this question first")
        assert not desk.main.panels.match.is_open
        await asyncio.to_thread(server.wait_for_requests, 3)  # Who fits was asked meanwhile.
        await desk.press("n", "enter")
        await desk.until(lambda: desk.main.panels.match.is_open)
        await desk.sees("criticise the code")


async def test_questions_of_two_runs_come_one_after_the_other(project: Path, serve: Serve) -> None:
    first, second = Held("First I write.", WRITE), Held("Second I write.", WRITE)
    serve(SMITH, first.step, SMITH, second.step, answer(text("Ended.")), answer(text("Ended.")))
    async with at_desk(project, size=(120, 40)) as desk:
        await two(desk)
        first.go()
        await desk.sees("schema-smith (run 1)")
        second.go()
        await desk.sees("1 ? schema-smith", "2 ? schema-smith")
        assert "schema-smith (run 2)" not in desk.text
        await desk.until(lambda: desk.main.query_one(PermissionPanel).has_focus)
        await desk.press("y")
        await desk.sees("schema-smith (run 2)")
        await desk.until(lambda: desk.main.query_one(PermissionPanel).has_focus)
        await desk.press("n", "enter")
        await desk.sees("1 ✓", "2 ✓")


async def test_esc_stops_the_shown_run_and_esc_again_all(project: Path, serve: Serve) -> None:
    first, second = Held("First answer."), Held("Second answer.")
    serve(ROUTED, first.step, CRITIC, second.step)
    async with at_desk(project) as desk:
        await two(desk)
        await desk.press("escape")
        await desk.sees("1 ● ", "2 ■ ")
        await desk.press("escape")
        await desk.sees("1 ■ ", "2 ■ ")
        first.go()
        second.go()
    assert {run.outcome for run in list_runs(project)} == {RunOutcome.INTERRUPTED}


async def test_a_second_esc_after_a_while_leaves_the_others(
    project: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secretary_tui.flow.tab_controller.TWICE_S", 0.0)
    first, second = Held("First answer."), Held("Second answer.")
    serve(ROUTED, first.step, CRITIC, second.step)
    async with at_desk(project) as desk:
        await two(desk)
        await desk.press("escape")
        await desk.sees("2 ■ ")
        await desk.press("escape")
        await desk.pilot.pause()
        await desk.sees("1 ● ")
        first.go()
        await desk.sees("1 ✓ ")
        second.go()


async def test_stopping_all_gives_every_message_back(project: Path, serve: Serve) -> None:
    first, second = Held("First answer."), Held("Second answer.")
    serve(ROUTED, first.step, CRITIC, second.step)
    async with at_desk(project) as desk:
        await two(desk)
        await desk.send("to the second")
        await desk.press("ctrl+pageup")
        await desk.send("to the first")
        await desk.press("escape", "escape")
        await desk.sees("1 ■ ", "2 ■ ")
        assert sorted(desk.main.request.text.split("\n\n")) == ["to the first", "to the second"]
        first.go()
        second.go()


async def test_no_more_runs_than_configured(
    project: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRETARY_TUI_MAX_PARALLEL_RUNS", "1")
    first = Held("First answer.")
    serve(ROUTED, first.step)
    async with at_desk(project) as desk:
        await begun(desk, REQUEST, "Firs")
        await desk.press("ctrl+n")
        await desk.says("1 run is already in progress (max_parallel_runs).")
        assert len(desk.main.tabs.flows) == 1
        first.go()
        await desk.finished()


async def test_a_tab_in_which_nothing_ran_goes_away_when_it_is_left(
    project: Path, serve: Serve
) -> None:
    first = Held("First answer.")
    serve(ROUTED, first.step)
    async with at_desk(project) as desk:
        await begun(desk, REQUEST, "Firs")
        await desk.press("ctrl+n", "ctrl+n")
        await desk.sees("2 ○ new")
        await desk.press("ctrl+pagedown")
        await desk.sees("Firs")
        assert len(desk.main.tabs.flows) == 1
        assert "2 ○" not in desk.text
        await desk.press("ctrl+n")
        await desk.sees("2 ○ new")
        first.go()
        await desk.sees("1 ✓")


async def test_the_panel_stays_while_one_looks_at_another_run(project: Path, serve: Serve) -> None:
    first = Held("First answer.")
    serve(ROUTED, first.step, CRITIC, answer(text("Second answer.")))
    async with at_desk(project, size=(120, 40)) as desk:
        await begun(desk, REQUEST, "Firs")
        await desk.press("ctrl+n")
        await desk.matched("criticise the code")
        await desk.press("ctrl+pageup")
        await desk.sees("Firs")
        assert desk.main.panels.match.is_open
        await desk.press("enter")
        await desk.sees("Second answer.", "2 ✓ code-critic")
        first.go()
        await desk.sees("1 ✓")


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_a_panel_over_a_run_is_closed_before_the_run_is_stopped(
    project: Path, serve: Serve, key: str
) -> None:
    first = Held("First answer.")
    serve(ROUTED, first.step, CRITIC)
    async with at_desk(project, size=(120, 40)) as desk:
        await begun(desk, REQUEST, "Firs")
        await desk.press("ctrl+n")
        await desk.matched("criticise the code")
        await desk.press("ctrl+pageup")
        await desk.type("hm")
        await desk.press(key)
        await desk.until(lambda: not desk.main.tabs.routing)
        assert desk.main.tabs.running
        first.go()
        await desk.sees("First answer.")
        await desk.finished()
        assert desk.main.tabs.shown.state is RunState.DONE


async def test_a_run_from_the_history_opens_beside_one_that_goes_on(
    project: Path, serve: Serve
) -> None:
    second = Held("Second answer.")
    serve(ROUTED, answer(text("First answer.")), CRITIC, second.step)
    async with at_desk(project, size=(120, 40)) as desk:
        await begun(desk, REQUEST, "First answer.")
        await desk.finished()
        await desk.press("ctrl+n")
        await begun(desk, "criticise the code", "Seco")
        await desk.press("f3")
        await desk.sees("security-auditor  done")
        await open_filtered(desk, "auditor")
        await desk.sees("First answer.", "reply to security-auditor", "2 ✓ security-auditor")
        await desk.press("f3")
        await desk.sees("code-critic  running")
        await open_filtered(desk, "critic")
        await desk.until(lambda: desk.main.tabs.shown.number == 1)
        assert len(desk.main.tabs.flows) == 2, "the run at work is shown where it is"
        second.go()
        await desk.sees("1 ✓")


async def test_a_failed_run_asks_while_another_is_shown(project: Path, serve: Serve) -> None:
    first, second = Held("First answer.", WRITE), Held("Second answer.")
    refused = error(400, "invalid_request_error", "That can't be done.")
    serve(SMITH, first.step, CRITIC, second.step, refused)
    async with at_desk(project, size=(120, 40)) as desk:
        await two(desk)
        first.go()
        await desk.sees("schema-smith (run 1)")
        await desk.until(lambda: desk.main.query_one(PermissionPanel).has_focus)
        await desk.press("y")
        await desk.sees("Run 1: schema-smith failed", "r      Retry")
        await desk.press("escape")
        await desk.sees("1 ✗ schema-smith")
        assert desk.main.tabs.shown.state is RunState.WORKING
        second.go()


async def test_leaving_ends_and_logs_all_runs(project: Path, serve: Serve) -> None:
    first, second = Held("First answer."), Held("Second answer.")
    serve(ROUTED, first.step, CRITIC, second.step)
    async with at_desk(project) as desk:
        await two(desk)
    first.go()
    second.go()
    assert [run.outcome for run in list_runs(project)] == [RunOutcome.INTERRUPTED] * 2


async def test_five_tabs_fit_on_a_narrow_screen_and_a_click_shows_one(
    project: Path, serve: Serve
) -> None:
    gates = [Held(f"Answer number {n}.") for n in range(5)]
    serve(*(step for held in gates for step in (ROUTED, held.step)))
    async with at_desk(project, size=(80, 24)) as desk:
        for number in range(5):
            if number:
                await desk.press("ctrl+n")
                await desk.sees(f"{number + 1} ○ new")
            await begun(desk, REQUEST, "Answer numb")
        await desk.sees(*(f"{n} ● sec" for n in range(1, 6)))
        line = desk.text.splitlines()[0]
        await desk.press("ctrl+n")
        await desk.says("5 runs are already in progress")
        await desk.pilot.click(RunTabs, offset=(line.index("2 ●") + 1, 0))
        await desk.until(lambda: desk.main.tabs.shown.number == 2)
        for held in gates:
            held.go()
        await desk.sees("1 ✓", "2 ✓", "3 ✓", "4 ✓", "5 ✓")


def test_hostile_names_stay_on_their_line() -> None:
    tabs = RunTabs()
    evil = "a\x1b]0;x\x07\n[red]b"
    tabs.set_reactive(RunTabs.tabs, (RunTab(1, "working", evil), RunTab(2, "new", "")))
    shown = tabs.render().plain
    assert "\x1b" not in shown
    assert "\n" not in shown
