"""What the tests of delegation share: an engine on a scripted server, a person with a script."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from anthropic import AsyncAnthropic

from secretary_tui.config import Config
from secretary_tui.delegation.call_limits import CallableLibrary
from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.loop.retry_policy import RetryPolicy
from secretary_tui.delegation.run_delegation import run_delegation
from secretary_tui.engines.anthropic_api import AnthropicEngine
from secretary_tui.events import RunEvent, Usage
from secretary_tui.people import (
    SAFE,
    Answer,
    Choice,
    Question,
    Recommendation,
    RouteChoice,
    ToolAnswer,
    ToolDecision,
    ToolRequest,
)
from secretary_tui.registry.definition.spec import AgentSpec, Source, SourceKind
from tests.servers.anthropic_server import ScriptedServer

Kind = TypeVar("Kind", bound=RunEvent)


class ServerEngine(AnthropicEngine):
    """The real engine on a scripted server: a token costs a millionth of a dollar, a stall 1 s."""

    max_tokens = 512

    def __init__(self, url: str) -> None:
        environ = {"ANTHROPIC_API_KEY": "sk-ant-test-key", "ANTHROPIC_BASE_URL": url}
        super().__init__(Config(), environ)

    async def client(self) -> AsyncAnthropic:
        return (await super().client()).with_options(timeout=1.0)

    def price(self, model: str, usage: Usage) -> float | None:
        return (usage.input_tokens + usage.output_tokens) / 1e6


class ScriptedPerson:
    """Answers tool questions in the order of a script; silent when the script is empty."""

    def __init__(self, *answers: ToolAnswer | ToolDecision) -> None:
        self._answers = list(answers)
        self.requests: list[ToolRequest] = []
        self.choices: list[tuple[str, str, tuple[Choice, ...]]] = []
        """Every choice put to it: title, text, and the ways."""
        self.ways: list[str] = []
        """Keys to take of the choices, in order; the safe way when empty."""
        self.questions: list[tuple[Question, ...]] = []
        """Every round of questions put to it."""
        self.replies: list[tuple[Answer, ...]] = []
        """Answers to them, in order; skipped when empty."""
        self.asked = asyncio.Event()
        self.withdrawn = False
        self.on_ask: Callable[[ToolRequest], None] = lambda _: None

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        self.questions.append(questions)
        return self.replies.pop(0) if self.replies else ()

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        raise NotImplementedError

    async def allow_tool(self, request: ToolRequest) -> ToolAnswer:
        self.requests.append(request)
        self.asked.set()
        self.on_ask(request)
        if not self._answers:
            try:
                await asyncio.Event().wait()
            finally:
                self.withdrawn = True
        answer = self._answers.pop(0)
        return answer if isinstance(answer, ToolAnswer) else ToolAnswer(answer)

    async def choose(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        self.choices.append((title, text, choices))
        return self.ways.pop(0) if self.ways else SAFE


def make_agent(folder: Path, **fields: Any) -> AgentSpec:
    """An agent of the project in `folder`; fields as in AgentSpec."""
    values: dict[str, Any] = {
        "name": "tester",
        "description": "Tests.",
        "prompt": "You are a tester.",
        "source": Source(SourceKind.PROJECT, folder / ".claude" / "agents"),
        "path": folder / ".claude" / "agents" / "tester.md",
        "content_hash": "abc",
    }
    return AgentSpec(**{**values, **fields})


class Runner:
    """Runs delegations in one workspace and keeps what happened."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.slept: list[float] = []
        self.engines: list[ServerEngine] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def delegation(self, agent: dict[str, Any] | None = None, **fields: Any) -> Delegation:
        values: dict[str, Any] = {
            "run_id": "r1",
            "agent": make_agent(self.workspace, **(agent or {})),
            "request": "check the code",
            "task": "check the code",
            "workspace": self.workspace,
        }
        return Delegation(**{**values, **fields})

    def stream(
        self,
        server: ScriptedServer,
        person: ScriptedPerson | None = None,
        *,
        control: Any = None,
        agent: dict[str, Any] | None = None,
        library: CallableLibrary | None = None,
        **fields: Any,
    ) -> Any:
        engine = ServerEngine(server.url)
        self.engines.append(engine)
        return run_delegation(
            self.delegation(agent, **fields),
            engine,
            person or ScriptedPerson(),
            control=control,
            library=library,
            retry=RetryPolicy(sleep=self.sleep),
        )

    async def run(self, server: ScriptedServer, *args: Any, **kwargs: Any) -> list[RunEvent]:
        async with asyncio.timeout(20):
            return [event async for event in self.stream(server, *args, **kwargs)]


def only(events: Iterable[RunEvent], kind: type[Kind]) -> list[Kind]:
    """The events of one kind."""
    return [event for event in events if isinstance(event, kind)]


@pytest.fixture
def workspace(tmp_path: Path, home: Path) -> Path:
    """A project folder."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
async def runner(workspace: Path) -> AsyncIterator[Runner]:
    """Runs delegations in `workspace`."""
    made = Runner(workspace)
    yield made
    for engine in made.engines:
        await engine.aclose()


@pytest.fixture(autouse=True)
def seen_behind_walls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let walls show this checkout and its interpreter, wherever they lie: the path's folders are.

    A home folder and `/tmp` are empty behind walls.
    """
    own = (Path(sys.executable).parent, Path(__file__).parents[1] / "servers")
    path = os.pathsep.join((*map(str, own), os.environ["PATH"]))
    monkeypatch.setenv("PATH", path)
