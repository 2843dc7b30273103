"""A service over a small library, with a scripted model where a test wants one."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from secretary_tui import config
from secretary_tui.secretary import Secretary
from tests.library import make_library
from tests.servers.anthropic_server import ScriptedServer, Step

Serve = Callable[..., ScriptedServer]
MakeSecretary = Callable[..., Secretary]


@pytest.fixture
def project(project: Path) -> Path:
    """`~/shop` with four agents, the only ones there are."""
    make_library(project)
    return project


@pytest.fixture
async def secretary(project: Path) -> AsyncIterator[MakeSecretary]:
    """Make services; they are closed at the end."""
    made: list[Secretary] = []

    def make(**settings: object) -> Secretary:
        usual = {"bundled_agents": False, "routing_timeout_s": 60.0}
        options = config.load(project).override(**{**usual, **settings})
        made.append(Secretary(project, options, environ=dict(os.environ)))
        made[-1].load()
        return made[-1]

    yield make
    for one in made:
        await one.aclose()


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Start a scripted server and point the engine at it."""
    with ExitStack() as stack:

        def start(*steps: Step) -> ScriptedServer:
            server = stack.enter_context(ScriptedServer(*steps))
            monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
            monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
            return server

        yield start
