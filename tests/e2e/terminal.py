"""A real pseudo-terminal with the program in it, and a screen to read."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import pexpect
import pyte

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "end": "\x1b[F",
    **dict(zip(("f1", "f2", "f3", "f4"), ("\x1bOP", "\x1bOQ", "\x1bOR", "\x1bOS"), strict=True)),
    **{f"f{n}": f"\x1b[{code}~" for n, code in ((5, 15), (7, 18), (9, 20), (10, 21))},
    "ctrl+c": "\x03",
    "ctrl+d": "\x04",
    "ctrl+l": "\x0c",
    "ctrl+q": "\x11",
    "ctrl+t": "\x14",
    "ctrl+z": "\x1a",
}

ANSWERABLE = r"Enter accept|Esc deny"
"""What the hints say when a match or a tool request takes keys."""
PATIENCE_S = 5.0
"""How long a key may take to show its effect."""


class Terminal:
    """`secretary-tui` in a pty; what it paints is kept as a screen and as raw bytes."""

    def __init__(
        self,
        *arguments: str,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        size: tuple[int, int] = (100, 30),
        shell: bool = False,
    ) -> None:
        """Start the program; in a shell with job control, from its prompt, when `shell` is set."""
        columns, rows = size
        environment = {**os.environ, "TERM": "xterm-256color", **(env or {})}
        environment.pop("COLUMNS", None)
        environment.pop("LINES", None)
        self.raw = b""
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        command = [sys.executable, "-m", "secretary_tui", *arguments]
        self.process = pexpect.spawn(
            *(("bash", ["--norc", "--noprofile", "-i"]) if shell else (command[0], command[1:])),
            cwd=str(cwd),
            env=environment,  # type: ignore[arg-type]
            dimensions=(rows, columns),
            timeout=None,
        )
        self.process.delaybeforesend = None
        if shell:
            self.type(f"{shlex.join(command)}\r")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.isalive():
            self.kill()
        self.process.close(force=True)

    def kill(self) -> None:
        """kill -9, as a crash or a closed laptop would."""
        self.process.kill(signal.SIGKILL)
        self.process.wait()

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, which the program is told by SIGWINCH."""
        self.screen.resize(rows, columns)
        self.process.setwinsize(rows, columns)

    def paste(self, text: str) -> None:
        """Paste as terminals do: bracketed, its lines ended by a carriage return."""
        self.process.send(f"\x1b[200~{text}\x1b[201~".replace("\n", "\r"))

    def vanish(self, timeout: float = 60.0) -> bool:
        """Close the terminal under the program; whether the program ended in time."""
        self.hang_up()
        return self.ends(timeout)

    def hang_up(self) -> None:
        """Close the terminal under the program, as an emulator or a lost connection does."""
        self.process.ptyproc.fileobj.close()
        self.process.ptyproc.closed = True

    def ends(self, timeout: float = 60.0) -> bool:
        """Whether the program, which has no terminal any more, ends in time."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            ended, _ = os.waitpid(self.process.pid, os.WNOHANG)
            if ended:
                self.process.ptyproc.terminated = True
                return True
            time.sleep(0.02)
        return False

    def text(self) -> str:
        """What is on the screen, trailing blanks removed."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def hints(self) -> str:
        """The last line: which keys do what."""
        return self.text().rstrip().rpartition("\n")[2]

    def pump(self, seconds: float = 0.02) -> None:
        """Read what the program painted."""
        try:
            data = self.process.read_nonblocking(1 << 16, timeout=seconds)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return
        self.raw += data
        # A private-mode query with "<" or ">" is unknown to pyte and would be printed.
        self._stream.feed(re.sub(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]", b"", data))

    def wait_for(self, pattern: str, timeout: float = 60.0) -> str:
        """Wait until a regular expression is on the screen; gives the screen."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            goes_on = self.process.isalive()
            self.pump()
            if re.search(pattern, self.text()):
                return self.text()
            if not goes_on:
                break
        raise AssertionError(f"{pattern!r} never appeared on\n{self.text()}")

    def wait_until_gone(self, pattern: str, timeout: float = 60.0) -> str:
        """Wait until a regular expression is no longer on the screen."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            self.pump()
            if not re.search(pattern, self.text()):
                return self.text()
        raise AssertionError(f"{pattern!r} stayed on\n{self.text()}")

    def wait_for_exit(self, timeout: float = 60.0) -> int:
        """Wait until the program ended; gives its exit status."""
        deadline = time.monotonic() + timeout
        while self.process.isalive():
            self.pump()
            if time.monotonic() > deadline:
                raise AssertionError(f"still running:\n{self.text()}")
        self.pump()
        status = self.process.exitstatus
        return -1 if status is None else status

    def type(self, text: str) -> None:
        """Type a text, key by key as far as the program can tell."""
        self.process.send(text)

    def press(self, *keys: str) -> None:
        """Press named keys one after the other."""
        for key in keys:
            self.process.send(KEYS.get(key, key))
            self.pump(0.05)

    def rest(self) -> None:
        """Read until nothing more is painted for a moment."""
        painted = -1
        while painted != len(self.raw):
            painted = len(self.raw)
            self.pump(0.1)

    def press_until(self, key: str, pattern: str, timeout: float = 60.0) -> str:
        """Answer a panel: press the key when the hints name it, again where it did not count.

        For half a second after it opened, and after each key, a panel lets keys pass. What was
        typed into the request box by that is taken out again, as the hint says.
        """
        deadline = time.monotonic() + timeout
        pressed = False
        while time.monotonic() < deadline:
            self.pump()
            if pressed and re.search(pattern, self.text()):
                return self.text()  # A busy machine took longer for it than our patience.
            if not re.search(ANSWERABLE, self.hints()):
                continue
            self.rest()
            if not re.search(ANSWERABLE, self.hints()):
                continue  # They were of the question before, or of its first version.
            self.press(key)
            pressed = True
            patience = time.monotonic() + PATIENCE_S
            while time.monotonic() < patience:
                self.pump()
                if re.search(pattern, self.text()):
                    return self.text()
            if len(key) == 1:
                self.process.send("\x15")
        raise AssertionError(f"{key!r} never led to {pattern!r}:\n{self.text()}")
