"""`!`: a shell line of the user's own, run, shown, stopped, and told to no agent."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.events import Paste

from secretary_tui.delegation.permissions.folder_trust import is_trusted
from secretary_tui.screens.main.shell_line import (
    MAX_OUTPUT_CHARS,
    MAX_OUTPUT_LINES,
    KeptOutput,
    clean_lines,
)
from secretary_tui.sessions import drafts, ui_state
from secretary_tui.terminal.background import AnswerParser
from secretary_tui.widgets.request.request_box import HASTE_S
from secretary_tui.widgets.transcript.transcript_blocks import ToolCallBlock
from tests.library import make_library
from tests.screens.desk import REQUEST, ROUTED, at_desk
from tests.servers.anthropic_server import ScriptedServer, answer, text, wait_for
from tests.waiting import is_alive, until_it_holds

Serve = Callable[..., ScriptedServer]


@pytest.fixture(autouse=True)
def shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/sh")


async def test_a_line_runs_in_the_project_and_its_output_and_exit_code_are_shown(
    project: Path,
) -> None:
    async with at_desk(project) as desk:
        await desk.send("!ls *.py; exit 3")
        await desk.sees("ls *.py; exit 3", "login.py", "exit code 3")
        assert not desk.main.tabs.busy
        assert desk.main.request.text == ""
    assert drafts.load_history(project) == ["!ls *.py; exit 3"]


async def test_a_line_is_brought_into_view_and_named_before_enter(project: Path) -> None:
    async with at_desk(project, size=(80, 24)) as desk:
        await desk.send("!seq 1 100")
        await desk.sees("exit code 0")
        desk.transcript.action_scroll_home()
        await desk.type("!echo la''st")
        await desk.sees("shell command", "Enter run command")
        await desk.pilot.pause(2 * HASTE_S)  # Enter right after a letter would be a paste's.
        await desk.press("enter")
        await desk.sees("last", "Tab transcript")


async def test_output_streams_while_the_line_runs(project: Path) -> None:
    os.mkfifo(project / "gate")
    async with at_desk(project) as desk:
        await desk.send("!echo fir''st; read line < gate; echo then $line")
        await desk.sees("first")
        assert desk.main.shell.is_running
        (project / "gate").write_text("second\n")
        await desk.sees("then second", "exit code 0")


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_esc_and_ctrl_c_stop_all_that_the_line_started(project: Path, key: str) -> None:
    async with at_desk(project) as desk:
        await desk.send("!trap '' INT; sleep 600 & echo $! > pid; echo be''gun; wait; wait")
        await desk.sees("begun")
        await desk.press(key)
        await desk.sees("stopped by you")
        child = int((project / "pid").read_text())
        await desk.until(lambda: not is_alive(child))
        assert not desk.app._exit


async def test_leaving_leaves_nothing_running(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.send("!sleep 600 & echo $! > pid; echo be''gun; wait")
        await desk.sees("begun")
        child = int((project / "pid").read_text())
    await until_it_holds(lambda: not is_alive(child))


async def test_control_sequences_of_the_output_are_not_obeyed(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.send(r"!printf 'a\033[2Jb\033]0;title\007c\n10%%\r100%%\n'")
        await desk.sees("abc", "100%", "exit code 0")
        assert "10%\n" not in desk.text


async def test_it_works_in_a_folder_that_is_not_trusted(home: Path) -> None:
    folder = home / "strange"
    folder.mkdir()
    make_library(folder)
    ui_state.remember(onboarded=True)
    async with at_desk(folder) as desk:
        await desk.send("!echo works")
        await desk.sees("exit code 0", "works")
    assert not is_trusted(folder)


async def test_no_agent_is_told_what_it_put_out(project: Path, serve: Serve) -> None:
    server = serve(ROUTED, answer(text("All is well.")))
    async with at_desk(project) as desk:
        await desk.send("!echo my-own-secret")
        await desk.sees("exit code 0")
        await desk.matched(REQUEST)
        await desk.press("enter")
        await desk.sees("All is well.")
    assert server.requests
    assert "my-own-secret" not in str(list(server.requests))


async def test_the_box_says_that_the_text_is_a_shell_line(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("!ls")
        await desk.sees("shell command · runs here with all your rights")


async def test_a_folded_paste_and_a_markdown_image_are_no_shell_lines(project: Path) -> None:
    async with at_desk(project) as desk:
        box = desk.main.request
        desk.app.post_message(Paste("!rm -r nothing\n" * 20).set_sender(desk.app))
        await desk.until(lambda: box.text)
        assert not box.is_shell_line
        box.replace_text("![picture](a.png) draw this")
        assert not box.is_shell_line
        box.replace_text("!")
        assert not box.is_shell_line


async def test_a_pasted_line_and_its_enter_run_nothing_until_enter_is_typed(project: Path) -> None:
    parser = AnswerParser()
    for come in ("!touch ran\r", "\x1b[200~!touch ran\x1b[201~\r", "see\x15!touch ran\r\r"):
        async with at_desk(project) as desk:
            desk.main.request.focus()
            for event in parser.feed(come):
                desk.app.post_message(event.set_sender(desk.app))
            await desk.sees("Pasted with a line break", "shell command")
            assert desk.main.request.text == "!touch ran"
            assert not desk.main.shell.is_running
            assert not (project / "ran").exists()
            desk.main.request.clear()
    async with at_desk(project) as desk:
        for event in parser.feed("!touch ran\r"):
            desk.app.post_message(event.set_sender(desk.app))
        await desk.sees("Pasted with a line break")
        await desk.pilot.pause(HASTE_S)
        await desk.press("enter")
        await desk.until((project / "ran").exists)


async def test_a_second_line_waits_in_the_box(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.send("!echo begun; sleep 600")
        await desk.sees("begun")
        await desk.send("!echo second")
        await desk.says("Your shell command is still running. Esc stops it.")
        assert desk.main.request.text == "!echo second"
        desk.main.request.clear()
        await desk.press("escape")
        await desk.sees("stopped by you")


async def test_esc_stops_the_line_before_a_run_that_goes_on(project: Path, serve: Serve) -> None:
    gate = threading.Event()
    serve(ROUTED, wait_for(gate, answer(text("The first half, the second half.", chunk=16))))
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("enter")
        await desk.sees("The first half")
        await desk.send("!echo be''gun; sleep 600")
        await desk.sees("begun")
        await desk.press("escape")
        await desk.sees("stopped by you")
        assert desk.main.tabs.running
        gate.set()
        await desk.sees("the second half.")


async def test_a_line_whose_page_was_put_aside_shows_up_nowhere_else(project: Path) -> None:
    os.mkfifo(project / "gate")
    async with at_desk(project) as desk:
        await desk.send("!echo be''gun; read line < gate; echo to''o late")
        await desk.sees("begun")
        await desk.press("ctrl+n")
        transcript = desk.transcript
        own = transcript.add(ToolCallBlock("Read", "login.py"))
        (project / "gate").write_text("go\n")
        await desk.until(lambda: not desk.main.shell.is_running)
        assert tuple(transcript.content) == (own,)
        assert transcript.content[own].block.source == "Read login.py"


async def test_a_shell_that_is_not_there_is_said_so(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_desk(project) as desk:
        monkeypatch.setenv("SHELL", str(project / "no-shell"))
        await desk.send("!echo by another shell")
        await desk.sees("exit code 0")


def test_of_a_long_output_the_end_is_kept() -> None:
    kept = KeptOutput()
    for number in range(60_000):
        kept.add(f"line {number}\n")
    shown = kept.text()
    assert shown.startswith("[earlier output is cut")
    assert shown.endswith("line 59999")
    assert len(shown) <= MAX_OUTPUT_CHARS + 100
    assert shown.count("\n") <= MAX_OUTPUT_LINES


def test_of_a_line_that_is_drawn_anew_the_last_state_is_kept() -> None:
    assert clean_lines("1%\r50%\r100%\nnext\r\n\x1b[1mbold\x1b[0m\r") == "100%\nnext\nbold"
