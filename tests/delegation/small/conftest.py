"""What the tests of the embedded model's runs share: the real engine on a scripted server."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from secretary_tui.config import Config
from secretary_tui.delegation.loop.retry_policy import RetryPolicy
from secretary_tui.delegation.run_delegation import RunControl, run_delegation
from secretary_tui.engines.local import local_engine
from secretary_tui.engines.local.local_engine import LocalEngine
from secretary_tui.engines.local.local_process import LocalAddress, LocalProcess
from secretary_tui.events import RunEvent, RunFinished, ToolStarted
from tests.delegation.conftest import Runner, ScriptedPerson, only
from tests.engines.gguf_file import tiny_gguf
from tests.servers.llama_server import LlamaServer

WRITER = ("Read", "Write", "Edit", "Glob", "Grep")
READER = ("Read", "Glob", "Grep")


@dataclass
class ServedProcess:
    """Stands for the child process: the server that the test scripts."""

    address: LocalAddress
    threads: int
    is_running: bool = True

    async def stop(self) -> None:
        self.is_running = False


@dataclass
class Small:
    """Runs agents on the embedded model, whose answers a server gives."""

    runner: Runner
    server: LlamaServer
    engine: LocalEngine
    person: ScriptedPerson = field(default_factory=ScriptedPerson)
    control: RunControl = field(default_factory=RunControl)
    started: list[ServedProcess] = field(default_factory=list)
    """Every process that was started."""

    def stream(self, task: str, **fields: Any) -> AsyncGenerator[RunEvent, None]:
        given = {"request": task, "task": task, "agent": {"tools": WRITER}, **fields}
        return run_delegation(
            self.runner.delegation(**given),
            self.engine,
            self.person,
            control=self.control,
            retry=RetryPolicy(sleep=self.runner.sleep),
        )

    async def run(self, task: str, **fields: Any) -> list[RunEvent]:
        async with asyncio.timeout(60):
            return [event async for event in self.stream(task, **fields)]

    def told(self, number: int = -1) -> str:
        """What the model was told last in its question of that number."""
        return str(self.server.asked[number]["messages"][-1]["content"])

    def text(self, path: str) -> str:
        return (self.runner.workspace / path).read_text()


@pytest.fixture
async def small(
    runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Small]:
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp is not installed (pip install 'secretary-tui[local]')")
    model = tmp_path / "tiny.gguf"
    model.write_bytes(tiny_gguf())
    with LlamaServer() as server:
        made = Small(runner, server, LocalEngine(Config(local_model=str(model))))

        async def start(_: Path, __: str, *, threads: int, prompts: Path) -> ServedProcess:
            server.folder = prompts
            address = LocalAddress(server.url, server.api_key)
            made.started.append(ServedProcess(address, threads))
            return made.started[-1]

        monkeypatch.setattr(LocalProcess, "start", start)
        monkeypatch.setattr(local_engine, "writing_threads", lambda now=0: 2)
        yield made
        await made.engine.aclose()


def finished(events: list[RunEvent]) -> RunFinished:
    """The end of a run that ended by itself."""
    last = events[-1]
    assert isinstance(last, RunFinished), last
    return last


def called(events: list[RunEvent]) -> list[tuple[str, str]]:
    """The tool calls, each with what it was about."""
    return [(call.name, call.summary) for call in only(events, ToolStarted)]
