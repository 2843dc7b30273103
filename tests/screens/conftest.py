"""What the tests of the screens share: a project with a small library, a server, quick panels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from secretary_tui.flow.choice_hold import ChoiceHold
from secretary_tui.widgets.panels.panel import Panel
from tests.library import make_ready
from tests.servers.anthropic_server import ScriptedServer, Step

Serve = Callable[..., ScriptedServer]


@pytest.fixture
def project(project: Path) -> Path:
    """`~/shop`: four agents and one file, trusted, the set-up screen already seen."""
    return make_ready(project)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No grace, no wait for a word and hardly a hold, except where a test is about them."""
    monkeypatch.setattr(Panel, "GRACE_S", 0.0)
    monkeypatch.setattr(Panel, "WORD_S", 0.0)
    monkeypatch.setattr(ChoiceHold, "HOLD_S", 0.01)


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Start a scripted server and point the engine at it."""
    with ExitStack() as stack:

        def start(*steps: Step, **options: bool) -> ScriptedServer:
            server = stack.enter_context(ScriptedServer(*steps, **options))
            monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
            monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
            # A busy machine takes seconds to import the SDK; no test is about this time-out.
            monkeypatch.setenv("SECRETARY_TUI_ROUTING_TIMEOUT_S", "60")
            return server

        yield start
