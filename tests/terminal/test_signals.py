"""What the terminal is told about a run: bell, notification, title and progress."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.drivers.headless_driver import HeadlessDriver
from textual.events import AppBlur

from secretary_tui.config import Config
from secretary_tui.terminal import signals
from secretary_tui.terminal.signals import TerminalSignals, knows_progress
from tests.screens.desk import ROUTED, Desk, at_desk, routing
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use, wait_for

Serve = Callable[..., ScriptedServer]

KEEP, OLD = "\x1b[22;2t", "\x1b]2;\x1b\\\x1b[23;2t"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What goes to the terminal besides the frames, in order."""
    sequences: list[str] = []

    def write(_: HeadlessDriver, data: str) -> None:
        if not data.startswith("\x1b]22;"):  # The shape of the mouse pointer, which Textual sets.
            sequences.append(data)

    monkeypatch.setattr(HeadlessDriver, "write", write)
    monkeypatch.delenv("TMUX", raising=False)
    return sequences


def title(text: str) -> str:
    return f"\x1b]2;{text}\x1b\\"


async def act_on_signals(
    act: Callable[[TerminalSignals], None], environ: Mapping[str, str] | None = None
) -> None:
    """Act on the signals of an app that runs."""
    app: App[Any] = App()
    async with app.run_test():
        act(TerminalSignals(app, environ or {}))


async def test_the_title_tells_what_goes_on_and_the_old_one_comes_back(sent: list[str]) -> None:
    config = Config(terminal_progress="off")

    def act(terminal: TerminalSignals) -> None:
        for wanted in ("● a – shop", "● a – shop", "? a – shop", ""):
            terminal.show(wanted, config, waits=wanted.startswith("?"))
        terminal.end()

    await act_on_signals(act)
    assert sent == [KEEP, title("● a – shop"), title("? a – shop"), OLD]


async def test_progress_goes_on_waits_and_ends(sent: list[str]) -> None:
    config = Config(terminal_title=False, terminal_progress="on")

    def act(terminal: TerminalSignals) -> None:
        terminal.show("x", config, waits=False)
        terminal.show("x", config, waits=False)
        terminal.show("x", config, waits=True)
        terminal.end()
        terminal.end()

    await act_on_signals(act)
    assert sent == [
        "\x1b]9;4;3;0\x1b\\",
        "\x1b]9;4;4;100\x1b\\",
        "\x1b]9;4;0;0\x1b\\",
    ]


async def test_progress_is_renewed_for_terminals_that_forget_it(
    sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signals, "PROGRESS_EVERY_S", 0.0)
    config = Config(terminal_title=False, terminal_progress="on")

    def act(terminal: TerminalSignals) -> None:
        for _ in range(3):
            terminal.show("x", config, waits=False)

    await act_on_signals(act)
    assert sum("9;4;3" in s for s in sent) == 3


async def test_switched_off_nothing_is_sent(sent: list[str]) -> None:
    config = Config(notify="off", terminal_title=False, terminal_progress="off")

    def act(terminal: TerminalSignals) -> None:
        terminal.show("x", config, waits=False)
        terminal.ring("x", config, 100)
        terminal.end()

    await act_on_signals(act)
    assert sent == []


@pytest.mark.parametrize(
    ("notify", "rung"),
    [
        ("bell", ["\x07"]),
        ("osc9", ["\x1b]9;secretary-tui: a is done\x1b\\"]),
        ("both", ["\x1b]9;secretary-tui: a is done\x1b\\", "\x07"]),
    ],
)
async def test_a_long_run_rings_as_configured(
    sent: list[str], notify: str, rung: list[str]
) -> None:
    await act_on_signals(lambda t: t.ring("a is done", Config(notify=notify), 10.1))
    assert sent == rung


async def test_a_short_run_rings_only_when_the_user_looks_elsewhere(sent: list[str]) -> None:
    app: App[Any] = App()
    async with app.run_test() as pilot:
        terminal = TerminalSignals(app, {})
        terminal.ring("x", Config(), 9.9)
        assert sent == []
        app.post_message(AppBlur())
        await pilot.pause()
        terminal.ring("x", Config(), 0.1)
    assert sent == ["\x07"]


async def test_tmux_passes_on_what_it_does_not_know_itself(sent: list[str]) -> None:
    config = Config(notify="osc9", terminal_progress="on")

    def act(terminal: TerminalSignals) -> None:
        terminal.show("x", config, waits=False)
        terminal.ring("x", config, 100)

    await act_on_signals(act, {"TMUX": "/tmp/tmux-0/default,1,0"})
    assert sent == [
        KEEP,
        title("x"),
        "\x1bPtmux;\x1b\x1b]9;4;3;0\x1b\x1b\\\x1b\\",
        "\x1bPtmux;\x1b\x1b]9;secretary-tui: x\x1b\x1b\\\x1b\\",
    ]


async def test_foreign_text_can_neither_end_a_sequence_nor_begin_one(sent: list[str]) -> None:
    evil = "4;3\x07\x1b\\\x1b]52;c;aGk=\x07\x9c\n\u202e" + "x" * 300
    config = Config(notify="osc9", terminal_progress="off")

    def act(terminal: TerminalSignals) -> None:
        terminal.show(evil, config, waits=False)
        terminal.ring(evil, config, 100)

    await act_on_signals(act)
    for sequence in sent[1:]:
        body = sequence.removeprefix("\x1b]").removesuffix("\x1b\\")
        assert body.isprintable()
        assert "52;c" not in body
        assert len(body) < 110
    assert sent[2].startswith("\x1b]9;secretary-tui: ")


@pytest.mark.parametrize(
    ("environ", "known"),
    [
        ({}, False),
        ({"TERM_PROGRAM": "ghostty"}, True),
        ({"TERM_PROGRAM": "Apple_Terminal"}, False),
        ({"WT_SESSION": "1"}, True),
        ({"ConEmuANSI": "OFF"}, False),
        ({"VTE_VERSION": "7900"}, True),
        ({"VTE_VERSION": "7899"}, False),
        ({"VTE_VERSION": "new"}, False),
        ({"TERM_PROGRAM": "ghostty", "TMUX": "x"}, False),
    ],
)
def test_progress_is_for_terminals_that_draw_it(environ: dict[str, str], known: bool) -> None:
    assert knows_progress(environ) is known


async def asked(desk: Desk) -> None:
    await desk.matched()
    await desk.press("enter")


async def test_a_run_is_in_the_title_while_it_goes_on(
    project: Path, serve: Serve, sent: list[str]
) -> None:
    gate = threading.Event()
    serve(ROUTED, wait_for(gate, answer(text("First answer."))))
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.sees("Firs")
        assert sent[-1] == title("● security-auditor – shop")
        gate.set()
        await desk.finished()
        assert sent[-1] == OLD


async def test_a_question_is_in_the_title_and_rings_when_nobody_looks(
    project: Path, serve: Serve, sent: list[str]
) -> None:
    writing = tool_use("Write", {"file_path": "notes.md", "content": "x"})
    gate = threading.Event()
    routed = routing(("schema-smith", 92))
    serve(routed, wait_for(gate, answer(text("I write."), writing)), answer(text("Done.")))
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.sees("I wr")
        desk.app.post_message(AppBlur())
        await desk.until(lambda: not desk.app.app_focus)
        gate.set()
        await desk.until(lambda: sent[-2:] == ["\x07", title("? schema-smith – shop")])
        sent.clear()
        await desk.until(lambda: desk.main.panels.open is not None)
        await desk.press("y")
        await desk.finished()
        assert sent == [title("● schema-smith – shop"), OLD], "a key brought the focus back"


async def test_leaving_during_a_run_gives_the_title_back(
    project: Path, serve: Serve, sent: list[str]
) -> None:
    gate = threading.Event()
    serve(ROUTED, wait_for(gate, answer(text("First answer."))))
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.sees("Firs")
    gate.set()
    assert sent[-1] == OLD
