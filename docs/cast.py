"""Record the film of the README: drives the real app in a real pseudo-terminal.

    python docs/cast.py

Writes docs/images/secretary-tui.cast (asciicast v2, for asciinema) and the same as an animated SVG.
The model's answers come from the scripted server of the tests, so that the film tells the same
story each time; what is seen between them is the app at its own speed.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import sys
import tempfile
import time
from itertools import groupby
from pathlib import Path

import pyte
from cast_svg import animated, frame_of

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from secretary_tui.delegation.permissions.folder_trust import trust  # noqa: E402
from tests.e2e.terminal import Terminal  # noqa: E402
from tests.library import agent_file, make_library  # noqa: E402
from tests.servers.anthropic_server import (  # noqa: E402
    ScriptedServer,
    Step,
    answer,
    json_answer,
    slow,
    text,
    tool_use,
)

PICTURES = ROOT / "docs" / "images"
CAST, SVG = PICTURES / "secretary-tui.cast", PICTURES / "secretary-tui-film.svg"
TITLE = "secretary-tui"
SIZE = (100, 30)
PORT = 8484
"""Of the scripted model: it stands in the status line, which should be the same each time."""
LONGEST_STILL_S = 3.0
"""A longer wait is cut to this."""
LAST_STILL_S = 4.0
"""How long the end stands before the film begins again."""
UNKNOWN_TO_PYTE = re.compile(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]")
FRAME_S = 0.1
"""The film shows no more than ten pictures a second."""
REQUEST = "find and fix the security hole in login.py"
LOGIN = """\
import sqlite3


def login(db: sqlite3.Connection, name: str, password: str) -> bool:
    row = db.execute(f"select hash from users where name = '{name}'").fetchone()
    return row is not None and matches(row[0], password)
"""
FIXER = agent_file(
    "security-fixer",
    "Finds and fixes security vulnerabilities in code, such as injection, broken authentication "
    "and leaked secrets. Use when a hole is to be closed, not only reported.",
    "Read, Grep, Glob, Edit",
    "red",
)
ROUTE = {
    "clear": True,
    "intent": "Find and fix the security hole in login.py.",
    "questions": [],
    "matches": [
        {
            "agent": "security-fixer",
            "confidence": 94,
            "reason": "It closes holes in authentication code, and may edit.",
        },
        {
            "agent": "security-auditor",
            "confidence": 67,
            "reason": "It finds them too, but only reports.",
        },
    ],
    "recommendation": "security-fixer",
    "workflow": None,
}
FOUND = """\
**SQL injection** in `login.py`, line 5: the name is pasted into the query, so a name such as \
`' or 1=1 --` logs anybody in. The name belongs into a parameter.
"""
FIX = {
    "file_path": "login.py",
    "old_string": "f\"select hash from users where name = '{name}'\"",
    "new_string": '"select hash from users where name = ?", (name,)',
}
DONE = """\
Fixed. One line changed:

| file | before | now |
|---|---|---|
| `login.py` | the name is part of the query | the name is a parameter |

Passwords are compared as hashes already. Nothing else in the file takes input.
"""


class Camera(Terminal):
    """A terminal that keeps what the program wrote, and when."""

    def __init__(self, project: Path, environment: dict[str, str]) -> None:
        self.shots: list[tuple[float, bytes]] = []
        super().__init__(cwd=project, env=environment, size=SIZE)

    def pump(self, seconds: float = 0.02) -> None:
        """Read what the program painted, and note the time."""
        before = len(self.raw)
        super().pump(seconds)
        if len(self.raw) > before:
            self.shots.append((time.monotonic(), self.raw[before:]))

    def hold(self, seconds: float) -> None:
        """Let the viewer look."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.pump()

    def write(self, words: str) -> None:
        """Type as people do."""
        for letter in words:
            self.type(letter)
            self.hold(0.06)


def play(camera: Camera) -> None:
    """The story: the library, a request, who fits, a run, a question, the end."""
    camera.wait_for("Messages API")
    camera.hold(2.0)
    camera.write(REQUEST)
    camera.hold(0.5)
    camera.press("enter")
    camera.wait_for("ranked by")
    camera.hold(3.5)
    camera.press("enter")
    camera.wait_for("y once")
    camera.hold(3.5)
    camera.press("y")
    camera.wait_for("── done")
    camera.hold(1.0)


def script() -> tuple[Step, ...]:
    """What the model answers, at the pace of a quick one."""
    return (
        json_answer(ROUTE),
        slow(answer(text("I read it first."), tool_use("Read", {"file_path": "login.py"})), 0.03),
        slow(answer(text(FOUND), tool_use("Edit", FIX)), 0.03),
        slow(answer(text(DONE)), 0.03),
    )


def steady(shots: list[tuple[float, bytes]]) -> list[tuple[float, bytes]]:
    """Times from zero, with long waits cut."""
    begun, at_s, steadied = shots[0][0], 0.0, []
    for when, data in shots:
        at_s += min(when - begun, LONGEST_STILL_S)
        begun = when
        steadied.append((at_s, data))
    return steadied


def write_cast(shots: list[tuple[float, bytes]]) -> None:
    """Write asciinema's file."""
    columns, rows = SIZE
    header = {"version": 2, "width": columns, "height": rows, "title": TITLE}
    lines = [json.dumps({**header, "env": {"TERM": "xterm-256color"}})]
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    lines += [
        json.dumps([round(at_s, 3), "o", decode(data)], ensure_ascii=False) for at_s, data in shots
    ]
    CAST.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_svg(shots: list[tuple[float, bytes]]) -> None:
    """Write the animated picture."""
    screen = pyte.Screen(*SIZE)
    stream = pyte.ByteStream(screen)
    frames = []
    for moment, shown in groupby(shots, key=lambda shot: int(shot[0] / FRAME_S)):
        for _, data in shown:
            stream.feed(UNKNOWN_TO_PYTE.sub(b"", data))
        frames.append(frame_of(screen, moment * FRAME_S))
    SVG.write_text(animated(frames, *SIZE, shots[-1][0] + LAST_STILL_S, TITLE), encoding="utf-8")


def main() -> None:
    """Record, and write both files."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        os.environ.update(HOME=str(home), TERM="xterm-256color", COLORTERM="truecolor")
        for name in ("CONFIG", "DATA", "STATE", "CACHE"):
            os.environ.pop(f"XDG_{name}_HOME", None)
        project = home / "shop"
        (make_library(project) / "security-fixer.md").write_text(FIXER)
        (project / "login.py").write_text(LOGIN)
        trust(project)
        with ScriptedServer(*script(), port=PORT) as server:
            environment = {"ANTHROPIC_API_KEY": "for-the-film", "ANTHROPIC_BASE_URL": server.url}
            with Camera(project, environment) as camera:
                play(camera)
    shots = steady(camera.shots)
    write_cast(shots)
    write_svg(shots)
    for file in (CAST, SVG):
        print(f"{file.relative_to(ROOT)}: {file.stat().st_size:,} bytes")
    print(f"{shots[-1][0] + LAST_STILL_S:.0f} s")


if __name__ == "__main__":
    main()
