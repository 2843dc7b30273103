"""The terminal's background in a real pseudo-terminal: answered, late, cut in pieces, never."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from secretary_tui import paths
from secretary_tui.terminal.background import QUERY
from tests.e2e.terminal import Terminal
from tests.waiting import until

WHITE = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\"
LIGHT = b"48;2;251;250;247"
"""The background of the light theme."""
START = "What should be done"


pytestmark = pytest.mark.e2e


def sees(terminal: Terminal, raw: bytes) -> None:
    """Wait until the program wrote these bytes."""
    until(lambda: terminal.pump() or raw in terminal.raw)


def styles(terminal: Terminal) -> set[bytes]:
    """The numbers of every style that the program wrote."""
    codes = re.findall(rb"\x1b\[([0-9;]*)m", terminal.raw)
    return {number for code in codes for number in code.split(b";")}


def asked(terminal: Terminal) -> None:
    """Wait until the program asked, and painted before."""
    terminal.wait_for(START)
    sees(terminal, QUERY.encode())
    first_words = re.search(rb"request", terminal.raw)
    assert first_words is not None
    assert first_words.start() < terminal.raw.index(QUERY.encode()), "it paints before it asks"


def box(terminal: Terminal) -> str:
    """What the request box holds."""
    lines = terminal.text().split("\n")
    top = next(i for i, line in enumerate(lines) if "─ request" in line)
    return lines[top + 1].strip("│ ")


def test_a_light_terminal_gets_the_light_theme_and_keeps_it(project: Path) -> None:
    with Terminal(cwd=project, env={"COLORTERM": "truecolor"}) as terminal:
        asked(terminal)
        assert LIGHT not in terminal.raw
        terminal.type(WHITE)
        sees(terminal, LIGHT)
        assert box(terminal).startswith(START), "the answer is not typed"
        terminal.press("ctrl+q")
        assert terminal.wait_for_exit() == 0
    assert json.loads((paths.state_dir() / "ui.json").read_text())["dark"] is False
    with Terminal(cwd=project, env={"COLORTERM": "truecolor"}) as terminal:
        terminal.wait_for(START)
        assert LIGHT in terminal.raw, "the next start begins with it"


@pytest.mark.parametrize("cut", [1, 2, 5, 12, len(WHITE) - 1])
def test_an_answer_in_pieces_amid_what_is_typed_is_never_typed(cut: int, project: Path) -> None:
    with Terminal(cwd=project) as terminal:
        asked(terminal)
        terminal.type("ab")
        terminal.wait_for("ab")
        terminal.type(WHITE[:cut])
        terminal.pump(0.05)
        terminal.type(WHITE[cut:] + "cd")
        terminal.wait_for("abcd")
        assert box(terminal) == "abcd"


def test_a_terminal_that_never_answers_is_left_alone(project: Path) -> None:
    with Terminal(cwd=project) as terminal:
        asked(terminal)
        terminal.type("still here")
        terminal.wait_for("still here")
        assert box(terminal) == "still here"
        assert terminal.raw.count(QUERY.encode()) == 1


@pytest.mark.parametrize(
    "env", [{"TERM": "linux"}, {"NO_COLOR": "1"}, {"SECRETARY_TUI_THEME": "secretary-light"}]
)
def test_where_nothing_depends_on_it_nothing_is_asked(env: dict[str, str], project: Path) -> None:
    with Terminal(cwd=project, env=env) as terminal:
        terminal.wait_for(r"\d+ agents")
        terminal.type("x")
        terminal.wait_for("│ x")
        assert QUERY.encode() not in terminal.raw


def test_no_color_writes_no_colour(project: Path) -> None:
    with Terminal(cwd=project, env={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for(r"\d+ agents")
        terminal.press("\t")
        until(lambda: terminal.pump() or {b"1", b"7"} <= styles(terminal))
        numbers = styles(terminal)
        assert not {n for n in numbers if re.fullmatch(rb"[34][0-8]|9[0-7]|10[0-7]", n)}


def test_sixteen_colours_get_the_theme_that_is_made_of_them(project: Path) -> None:
    env = {"TERM": "xterm-16color", "COLORTERM": ""}
    with Terminal(cwd=project, env=env) as terminal:
        terminal.wait_for(r"\d+ agents")
        terminal.press("\t")
        until(lambda: terminal.pump() or b"35" in styles(terminal))
        numbers = styles(terminal)
        assert not {n for n in numbers if re.fullmatch(rb"4[0-7]|10[0-7]", n)}, "fills nothing"


def test_frames_are_written_between_the_marks_of_synchronised_output(project: Path) -> None:
    with Terminal(cwd=project) as terminal:
        terminal.wait_for(START)
        terminal.type("\x1b[?2026;2$y")
        terminal.type("hello")
        terminal.wait_for("hello")
        assert b"\x1b[?2026h" in terminal.raw
        assert terminal.raw.count(b"\x1b[?2026h") - terminal.raw.count(b"\x1b[?2026l") in (0, 1)
