"""When lines take the place of the screen, and that they come without it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from secretary_tui.lines.plain_mode import plain_mode
from secretary_tui.sessions import ui_state


@pytest.mark.parametrize(
    ("option", "environ", "wanted"),
    [
        (None, {}, False),
        (True, {}, True),
        (None, {"SECRETARY_TUI_PLAIN": "1"}, True),
        (None, {"TERM": "dumb"}, True),
        (False, {"TERM": "dumb"}, False),
        (None, {"TERM": "dumb", "SECRETARY_TUI_PLAIN": "0"}, False),
        (False, {"SECRETARY_TUI_PLAIN": "1"}, False),
        (None, {"TERM": "xterm-256color"}, False),
    ],
)
def test_option_then_variable_then_terminal(
    option: bool | None, environ: dict[str, str], wanted: bool
) -> None:
    assert plain_mode(option, on_terminal=True, environ=environ).is_wanted is wanted


def test_the_setting_holds_from_the_next_start_on_and_for_terminals_alone() -> None:
    ui_state.remember(plain=True)
    assert plain_mode(None, on_terminal=True, environ={}).is_wanted
    assert not plain_mode(None, on_terminal=False, environ={}).is_wanted


def test_only_what_nobody_asked_for_is_explained() -> None:
    assert plain_mode(True, on_terminal=True, environ={"TERM": "dumb"}).hint == ""
    assert "TERM=dumb" in plain_mode(None, on_terminal=True, environ={"TERM": "dumb"}).hint


def test_the_plain_face_imports_no_screen_and_no_sdk() -> None:
    code = "import sys, secretary_tui.plain.face, secretary_tui.plain.terminal_keyboard; "
    code += "print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"textual", "rich", "anthropic", "pydantic", "numpy", "langgraph", "ruamel"}
    assert not set(done.stdout.split()) & heavy
