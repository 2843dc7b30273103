"""A program that holds a conversation with `secretary-tui --plain --json`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.plain.lines import model_of
from tests.servers.anthropic_server import ScriptedServer
from tests.verbs.command_line import environment

Message = dict[str, Any]
KEYS = ["type", "text", "options", "about"]
OPTION_KEYS = ["key", "label", "action", "agent", "run", "confidence", "fallback"]
WAITING = ("offer", "question", "permission", "turn_end")
"""The types after which a line is read."""


class Conversation:
    """Writes a line, reads what follows from it."""

    def __init__(
        self,
        project: Path,
        server: ScriptedServer | None = None,
        *arguments: str,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.messages: list[Message] = []
        """Everything that came, in order."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "secretary_tui", "--plain", "--json", *arguments],
            cwd=project,
            env=environment({**(model_of(server) if server else {}), **(env or {})}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with suppress(OSError):  # What was not written any more.
                    stream.close()

    def write(self, line: str) -> None:
        """Write a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def say(self, line: str) -> Message:
        """Write a line; gives the message that waits for the next one."""
        self.write(line)
        return self.wait()

    def wait(self, *types: str) -> Message:
        """Read up to a message of these types, or one after which a line is read."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = parsed(line)
            self.messages.append(message)
            if message["type"] in (types or WAITING):
                return message
        raise AssertionError(f"it ended: {self.process.wait(60)}")

    def end(self) -> int:
        """Close the input and read the rest; gives the exit status."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        self.messages += map(parsed, self.process.stdout)
        assert self.process.stderr.read() == ""
        return self.process.wait(60)

    def texts(self, type: str) -> list[str]:
        """The texts of all messages of a type."""
        return [message["text"] for message in self.messages if message["type"] == type]

    @property
    def types(self) -> list[str]:
        """The types of all messages but notices, in order."""
        return types_of(self.messages)


def offline(project: Path, here: ScriptedServer) -> Conversation:
    """Talk where a server of this machine is the only model: no model is asked who fits."""
    described = {"base_url": here.url, "model": "tiny", "key_needed": False}
    env = {
        "SECRETARY_TUI_ENGINES": json.dumps({"here": described}),
        "SECRETARY_TUI_ENGINE": "here",
    }
    return Conversation(project, None, "--offline", env=env)


def parsed(line: str) -> Message:
    """Read a line, which always has the same keys."""
    message: Message = json.loads(line)
    assert list(message) == KEYS
    assert all(list(option) == OPTION_KEYS for option in message["options"])
    return message


def types_of(messages: list[Message]) -> list[str]:
    """The types of messages without the notices."""
    return [message["type"] for message in messages if message["type"] != "notice"]


def keys(message: Message) -> list[str]:
    """The keys of the options that a message offers."""
    return [option["key"] for option in message["options"]]
