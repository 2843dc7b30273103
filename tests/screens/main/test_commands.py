"""Every action by key, slash command, palette and mouse; and the order of Ctrl+C."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.actions import parse
from textual.binding import Binding

from secretary_tui.app import SecretaryApp
from secretary_tui.flow.actions import ACTIONS, by_slash
from secretary_tui.screens.main.main_screen import MainScreen, textual_action
from secretary_tui.widgets.transcript.transcript import Transcript
from tests.screens.desk import REQUEST, ROUTED, Desk, at_desk
from tests.servers.anthropic_server import ScriptedServer, answer, text, wait_for

Serve = Callable[..., ScriptedServer]


async def test_each_action_of_the_table_exists(project: Path) -> None:
    async with at_desk(project) as desk:
        for action in ACTIONS:
            if action.name.startswith("app."):
                assert hasattr(SecretaryApp, f"action_{action.id}"), action
            else:
                assert desk.main.check_action("do", (action.name,)), action


async def test_each_key_of_the_screen_leads_to_an_action(project: Path) -> None:
    async with at_desk(project) as desk:
        bindings = [
            b for b in (*MainScreen.BINDINGS, *Transcript.BINDINGS) if isinstance(b, Binding)
        ]
        screens = {b.action for b in MainScreen.BINDINGS if isinstance(b, Binding)}
        bound = screens | {b.action for b in bindings if "screen." in b.action}
        for action in bound:
            _, name, parameters = parse(action)
            if name == "do":
                assert desk.main.check_action(name, parameters), action
        assert not desk.main.check_action("do", ("fly",))


def test_each_key_and_each_slash_command_is_given_once() -> None:
    keys = [key for action in ACTIONS for key in action.key.split(",") if key]
    assert [key for key, count in Counter(keys).items() if count > 1] == []
    slashes = [action.slash for action in ACTIONS if action.slash]
    assert len(set(slashes)) == len(slashes)


def test_a_slash_command_is_the_whole_text_and_nothing_else() -> None:
    found = by_slash(" /settings ")
    assert found is not None
    assert found.name == "settings"
    assert by_slash("/settings now") is None
    assert by_slash("settings") is None
    assert by_slash("/") is None


def test_the_slash_list_has_what_users_of_other_front_ends_look_for() -> None:
    wanted = "help mode agents history resume settings theme stats new clear quit"
    assert all(by_slash(f"/{name}") is not None for name in wanted.split())


async def test_resume_shows_the_last_run_again_and_a_reply_goes_on_with_it(
    project: Path, serve: Serve
) -> None:
    serve(ROUTED, answer(text("All is well.")))
    async with at_desk(project) as desk:
        await desk.send("/resume")
        await desk.says("No earlier run of this project to continue.")
        await desk.matched()
        await desk.press("enter")
        await desk.sees("All is well.")
        await desk.finished()
        run_id = desk.main.tabs.run_id
    async with at_desk(project) as desk:
        await desk.send("/resume")
        await desk.sees("All is well.", "reply to security-auditor")
        assert desk.main.tabs.run_id == run_id


async def test_each_key_of_the_table_is_bound_on_the_main_screen(project: Path) -> None:
    async with at_desk(project) as desk:
        for action in ACTIONS:
            for key in filter(None, action.key.split(",")):
                bound = {b.binding.action for b in [desk.app.screen.active_bindings[key]]}
                assert bound & {textual_action(action), action.name}, action


async def test_the_palette_has_every_action_with_its_key(project: Path) -> None:
    async with at_desk(project) as desk:
        commands = {c.title: c for c in desk.app.get_system_commands(desk.app.screen)}
        for action in ACTIONS:
            if action.name != "app.command_palette":
                title = f"{action.title} ({action.label})" if action.label else action.title
                assert commands[title].help == action.help


async def test_the_palette_opens_and_runs_what_is_chosen(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.press("ctrl+p")
        await desk.type("settings")
        await desk.sees("All settings and where each comes from")
        await desk.press("enter")
        await desk.sees("activation_mode")


async def test_the_help_names_every_key_and_command(project: Path) -> None:
    async with at_desk(project, size=(100, 80)) as desk:
        await desk.press("f1")
        for action in ACTIONS:
            assert action.help in desk.text
            assert action.label in desk.text
            assert f"/{action.slash}" in desk.text
        await desk.press("q")
        assert desk.app.screen is desk.main


async def test_ctrl_c_interrupts_a_run_first(project: Path, serve: Serve) -> None:
    gate = threading.Event()
    serve(ROUTED, wait_for(gate, answer(text("The first half, the second half.", chunk=16))))
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("enter")
        await desk.sees("The first half")
        await desk.press("ctrl+c")
        await desk.finished()
        await desk.sees("interrupted")
        gate.set()


async def test_ctrl_c_clears_the_box_then_warns_then_quits(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("something")
        await desk.press("ctrl+c")
        assert desk.main.request.text == ""
        await desk.press("ctrl+c")
        await desk.sees("Press Ctrl+C again to quit.")
        await desk.press("ctrl+c")
        await desk.until(lambda: desk.app._exit)
        assert desk.app.return_code == 0


async def test_typing_in_between_disarms_the_second_ctrl_c(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.press("ctrl+c", "x", "ctrl+c", "ctrl+c")
        await desk.pilot.pause()
        assert not desk.app._exit


async def test_ctrl_c_closes_an_open_panel_and_gives_the_request_back(
    project: Path, serve: Serve
) -> None:
    serve(ROUTED)
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("ctrl+c")
        await desk.finished()
        assert desk.main.request.text == REQUEST


async def test_ctrl_d_deletes_to_the_right_and_leaves_from_an_empty_box(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("ab")
        await desk.press("home", "ctrl+d")
        assert desk.main.request.text == "b"
        await desk.press("ctrl+d", "ctrl+d")
        await desk.until(lambda: desk.app._exit)


async def test_tab_reaches_every_pane_and_comes_back(project: Path) -> None:
    async with at_desk(project, size=(150, 40)) as desk:
        seen = []
        for _ in range(4):
            await desk.press("tab")
            seen.append(desk.app.screen.focused.id if desk.app.screen.focused else None)
        assert "index" in seen
        assert "details" in seen
        assert "request" in seen


async def test_each_slash_command_does_something_without_a_fault(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "true")
    monkeypatch.delenv("VISUAL", raising=False)
    async with at_desk(project) as desk:
        for action in ACTIONS:
            if action.slash and action.slash != "quit":
                await desk.send(f"/{action.slash}")
                assert desk.main.request.text == "", action
                assert not desk.main.tabs.busy, action
                while desk.app.screen is not desk.main:
                    await desk.press("escape")
                desk.main.request.focus()
                await desk.pilot.pause()


async def test_quit_leaves(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.send("/quit")
        await desk.until(lambda: desk.app._exit)


# ------------------------------------------------------------------- the mouse


async def test_a_click_moves_to_a_row_and_a_second_one_chooses_it(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.pilot.click("#index", offset=(6, 3))
        await desk.sees("Designs database schemas")
        assert desk.main.request.text == ""
        await desk.pilot.click("#index", offset=(6, 3))
        assert desk.main.request.text == "@schema-smith "


async def test_a_click_on_a_group_folds_it(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.pilot.click("#index", offset=(3, 0))
        await desk.sees("▸ project 4")


async def test_a_click_on_a_key_of_the_last_line_presses_it(project: Path) -> None:
    async with at_desk(project) as desk:
        await click_hint(desk, "F2 settings")
        await desk.sees("activation_mode")


async def test_a_click_on_a_panels_key_answers_it(project: Path, serve: Serve) -> None:
    serve(ROUTED, answer(text("All is well.")))
    async with at_desk(project) as desk:
        await desk.matched()
        await click_hint(desk, "Enter accept")
        await desk.sees("All is well.")


async def click_hint(desk: Desk, label: str) -> None:
    column = desk.text.splitlines()[-1].index(label)
    await desk.pilot.click("#keys", offset=(column + 1, 0))
