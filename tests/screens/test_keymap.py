"""Keys of the user's own for the actions: taken, shown everywhere, refused with a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.widgets import OptionList

from secretary_tui import paths
from secretary_tui.cli import main
from secretary_tui.flow.actions import ACTIONS
from secretary_tui.screens.keymap import read_keys
from tests.screens.desk import at_desk

IDS = [action.id for action in ACTIONS]


def test_each_action_has_a_name_of_its_own() -> None:
    assert len(set(IDS)) == len(IDS)


def test_keys_can_be_changed_swapped_added_and_taken_away() -> None:
    keys = read_keys(
        {"history": "F2", "settings": "f3", "next-run": "f12, ctrl+right", "stats": "none"}
    )
    assert keys.problems == ()
    assert (keys.keys("history"), keys.keys("settings")) == ("f2", "f3")
    assert keys.label("next_run") == "F12 Ctrl+Right"
    assert keys.label("stats") == ""
    assert keys.way("stats") == "/stats"
    assert keys.keys("help") == "f1"


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"histroy": "f3"}, "unknown action histroy"),
        ({"history": "ctrl+banana"}, "history: ctrl+banana is not a key name"),
        ({"history": "h"}, "history: h alone is for typing and moving"),
        ({"history": "shift+h"}, "alone is for typing and moving"),
        ({"history": "up"}, "alone is for typing and moving"),
        ({"history": "escape"}, "escape can't be used"),
        ({"history": "ctrl+c"}, "ctrl+c can't be used"),
        ({"history": "ctrl+i"}, "ctrl+i can't be used: it is Tab to a terminal"),
        ({"history": "f2"}, "history: F2 is the key of settings, too; it keeps F3"),
        ({"stats": "ctrl+y", "history": "ctrl+y"}, "history: Ctrl+Y is the key of stats"),
        ({"history": "f3\x1b[31m"}, "is not a key name"),
    ],
)
def test_a_wish_that_cant_be_met_is_said_and_changes_nothing(
    wanted: dict[str, str], says: str
) -> None:
    keys = read_keys(wanted)
    assert len(keys.problems) == 1
    assert says in keys.problems[0]
    assert "\x1b" not in keys.problems[0]
    assert keys.keys("history") == "f3"


KEYS = st.sampled_from(["f1", "f2", "f3", "f10", "ctrl+y", "alt+1", "none", "x", "ctrl+c", "f2,f3"])


@given(st.dictionaries(st.sampled_from(IDS), KEYS, max_size=8))
def test_whatever_is_wished_no_key_has_two_actions(wanted: dict[str, str]) -> None:
    keys = read_keys(wanted)
    given_away = [key for name in IDS for key in keys.keys(name).split(",") if key]
    assert len(set(given_away)) == len(given_away)
    assert len(keys.problems) + len(keys.changed) == len(wanted)


def configure(text: str) -> None:
    path = paths.user_config()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\n{text}\n---\n")


async def test_the_users_keys_work_and_the_old_ones_do_not(project: Path) -> None:
    configure("keys: {history: alt+1, stats: f3, undo: f11, command_palette: alt+p}")
    async with at_desk(project) as desk:
        await desk.press("alt+1")
        await desk.sees("No runs in this project yet")
        await desk.press("escape", "f3")
        await desk.until(lambda: type(desk.app.screen).__name__ == "StatsScreen")
        await desk.press("escape", "f10")
        assert desk.app.screen is desk.main
        await desk.press("f11")
        await desk.says("There is no run to undo yet. Alt+1 shows earlier ones.")
        await desk.press("ctrl+p")
        assert desk.app.screen is desk.main
        await desk.press("alt+p")
        assert desk.app.screen is not desk.main


async def test_the_users_keys_are_shown_in_help_hints_and_palette(project: Path) -> None:
    configure("keys: {history: alt+1, settings: none}")
    async with at_desk(project, size=(120, 90)) as desk:
        await desk.sees("Alt+1 history")
        assert "F2 settings" not in desk.text
        titles = [command.title for command in desk.app.get_system_commands(desk.app.screen)]
        assert "History (Alt+1)" in titles
        assert "Settings" in titles
        await desk.press("f1")
        await desk.sees("Alt+1         /history")
        assert "F3 " not in desk.text


async def test_quitting_by_another_key_leaves_the_old_one_without_effect(project: Path) -> None:
    configure("keys: {quit: ctrl+x}")
    async with at_desk(project) as desk:
        await desk.press("ctrl+q")
        assert not desk.app._exit
        await desk.press("ctrl+x")
        await desk.until(lambda: desk.app._exit)


async def test_a_wrong_wish_is_said_at_the_start(project: Path) -> None:
    configure("keys: {history: f2}")
    async with at_desk(project) as desk:
        await desk.says("keys: history: F2 is the key of settings, too; it keeps F3")
        await desk.press("f2")
        rows = desk.app.screen.query_one(OptionList)
        rows.highlighted = rows.get_option_index("keys")
        await desk.sees("F2 is the key of settings, too")


def test_config_and_doctor_say_what_is_wrong(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    configure("keys: {histroy: f2}")
    monkeypatch.chdir(project)
    main(["config", "list"])
    assert "keys: unknown action histroy" in "".join(capsys.readouterr())
    main(["doctor", "--offline"])
    assert "keys: unknown action histroy" in "".join(capsys.readouterr())
