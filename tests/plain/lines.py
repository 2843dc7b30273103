"""`secretary-tui --plain` in a real pseudo-terminal of 80 columns, and what came out of it."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import pexpect

from tests.servers.anthropic_server import ScriptedServer, error
from tests.verbs.command_line import environment

NO_ROUTING_MODEL = error(404, "not_found_error", "no such model")
"""So that the local ranking stands."""
REQUEST = "Request: $"
CHOICE = "or cancel: $"
ALLOW = "always or no: $"


def model_of(server: ScriptedServer) -> dict[str, str]:
    """The variables that make a scripted server the model."""
    return {"ANTHROPIC_API_KEY": "sk-ant-test-0123456789", "ANTHROPIC_BASE_URL": server.url}


class Lines:
    """The program, somebody who types, and all bytes that the terminal got."""

    def __init__(
        self,
        project: Path,
        server: ScriptedServer | None = None,
        *arguments: str,
        env: Mapping[str, str] | None = None,
    ) -> None:
        whole = {
            **environment(model_of(server) if server else {}),
            "TERM": "xterm-256color",
            "SECRETARY_TUI_ROUTING_TIMEOUT_S": "60",
            **(env or {}),
        }
        self._raw = io.StringIO()
        self.process: pexpect.spawn[str] = pexpect.spawn(
            sys.executable,
            ["-m", "secretary_tui", *(arguments or ("--plain",))],
            cwd=str(project),
            env=whole,  # type: ignore[arg-type]
            dimensions=(24, 80),
            encoding="utf-8",
            timeout=60,
        )
        self.process.delaybeforesend = None
        self.process.logfile_read = self._raw

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.close(force=True)

    @property
    def raw(self) -> str:
        """Everything that came, in order."""
        return self._raw.getvalue()

    @property
    def text(self) -> str:
        """The same without carriage returns."""
        return self.raw.replace("\r", "")

    def wait(self, pattern: str) -> str:
        """Wait until something is said; gives what came before it."""
        self.process.expect(pattern)
        return self.process.before or ""

    def say(self, line: str) -> None:
        """Type a line."""
        self.process.sendline(line)

    def type(self, text: str) -> None:
        """Type without Enter."""
        self.process.send(text)

    def ctrl_c(self) -> None:
        """Press Ctrl+C."""
        self.process.sendcontrol("c")

    def ctrl_d(self) -> None:
        """Press Ctrl+D."""
        self.process.sendcontrol("d")

    def vanish(self) -> int:
        """Close the terminal under the program; gives its exit status."""
        self.process.ptyproc.fileobj.close()
        self.process.ptyproc.closed = True
        _, status = os.waitpid(self.process.pid, 0)
        self.process.ptyproc.terminated = True
        return os.waitstatus_to_exitcode(status)

    def end(self) -> int:
        """Wait for the end; gives the exit status."""
        self.process.expect(pexpect.EOF)
        self.process.close()
        status = self.process.exitstatus
        return -1 if status is None else status

    def count(self, pattern: str) -> int:
        """How often something was said."""
        return len(re.findall(pattern, self.text))
