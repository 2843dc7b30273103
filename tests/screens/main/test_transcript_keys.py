"""Leaving the transcript: the clipboard, the pager, links."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from secretary_tui.screens.main.links import LinksScreen
from secretary_tui.terminal.clipboard import clipboard_command, copy_to_system
from secretary_tui.widgets.themes import ThemedApp
from secretary_tui.widgets.transcript.transcript_blocks import AnswerBlock
from tests.screens.desk import at_desk

LINKS = ["https://docs.example.org/a?b=c", "https://other.example/"]


class Browser(ThemedApp):
    """Remembers what would have been opened."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    def open_url(self, url: str, *, new_tab: bool = True) -> None:
        self.opened.append(url)


def page(app: Browser) -> str:
    return "\n".join(str(widget.render()) for widget in app.screen.query("Static"))


async def test_a_link_is_opened_only_when_its_host_was_shown_and_enter_pressed_again() -> None:
    app = Browser()
    async with app.run_test() as pilot:
        await app.push_screen(LinksScreen(LINKS))
        await pilot.press("enter")
        assert app.opened == []
        assert "Open docs.example.org in the browser?" in page(app)
        await pilot.press("enter")
        assert app.opened == [LINKS[0]]
        assert not isinstance(app.screen, LinksScreen)


async def test_moving_to_another_link_takes_the_question_back() -> None:
    app = Browser()
    async with app.run_test() as pilot:
        await app.push_screen(LinksScreen(LINKS))
        await pilot.press("enter", "down", "enter")
        assert app.opened == []
        assert "Open other.example in the browser?" in page(app)
        assert LINKS[1] in page(app)
        await pilot.press("escape", "escape")
        assert app.opened == []
        assert not isinstance(app.screen, LinksScreen)


async def test_y_copies_the_address_instead() -> None:
    app = Browser()
    async with app.run_test() as pilot:
        await app.push_screen(LinksScreen(LINKS))
        await pilot.press("j", "y")
        assert app.clipboard == LINKS[1]


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH, with tools that keep what they are given."""
    for name in ("tmux", "wl-copy", "xclip"):
        tool = tmp_path / name
        tool.write_text(f'#!/bin/sh\n/bin/cat > "{tmp_path}/{name}.copied"\n')
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("TMUX", "SSH_CONNECTION", "SSH_TTY", "WAYLAND_DISPLAY", "DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="names the tools of Linux desktops")
@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize(
    ("environment", "program"),
    [
        ({"TMUX": "/tmp/t,1,0", "SSH_CONNECTION": "a"}, "tmux"),
        ({"SSH_CONNECTION": "a", "DISPLAY": ":0"}, None),
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, "wl-copy"),
        ({"DISPLAY": ":0"}, "xclip"),
        ({}, None),
    ],
)
def test_the_clipboard_that_the_user_sits_at_is_used(
    environment: dict[str, str], program: str | None
) -> None:
    command = clipboard_command(environment)
    assert (command and command[0]) == program


def test_a_text_reaches_the_clipboard_tool_whole(
    tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMUX", "/tmp/t,1,0")
    copy_to_system("naïve\n日本")
    assert (tools / "tmux.copied").read_text() == "naïve\n日本"


def test_a_clipboard_tool_that_fails_disturbs_nobody(
    tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMUX", "/tmp/t,1,0")
    (tools / "tmux").write_text("not a program")
    copy_to_system("text")
    assert not (tools / "tmux.copied").exists()


async def test_the_last_line_names_no_keys_that_are_text_while_a_search_is_typed(
    project: Path,
) -> None:
    async with at_desk(project, (80, 24)) as desk:
        desk.main.set_class(False, "library-view")
        desk.transcript.add(AnswerBlock("One line."))
        desk.transcript.focus()
        await desk.sees("Space unfold")
        await desk.press("slash", "l")
        await desk.sees("Enter go to match  Esc back")
        assert "Space unfold" not in desk.text
        await desk.press("enter")
        await desk.sees("Space unfold")
