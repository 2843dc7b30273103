"""A run from order to end, without a face: here, in another process, and when it goes on."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import fields, replace
from pathlib import Path

import pytest

from secretary_tui.asks import Ask, ChoiceAsk, ChoiceReply, PeopleByAsks, Reply
from secretary_tui.config import Config
from secretary_tui.delegation.permissions.folder_trust import UntrustedError, is_trusted, trust
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.engine_service import EngineService, NoEngineError
from secretary_tui.events import Outcome, RunEvent, RunFinished, RunStarted, TextDelta, UsageAdded
from secretary_tui.library_service import LibraryService
from secretary_tui.people import SAFE
from secretary_tui.registry.agent_index import AgentNotFoundError
from secretary_tui.runs.run_order import RunOrder
from secretary_tui.runs.run_service import RunService
from secretary_tui.sessions.errors import RunNotFoundError
from secretary_tui.sessions.follow import follow
from secretary_tui.sessions.statistics.spend_file import spent_today
from secretary_tui.sessions.store import find_run, load_run, new_run_id
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use

RUN = "20261120-093112-a1b2"


@pytest.fixture
def project(home: Path) -> Path:
    folder = home / "shop"
    agents = folder / ".claude" / "agents"
    agents.mkdir(parents=True)
    (agents / "looker.md").write_text(
        "---\nname: looker\ndescription: Looks at things.\ntools: Read\n---\nYou look.\n"
    )
    return folder


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    with ScriptedServer(answer(text("It is fine.")), answer(text("Still fine."))) as started:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", started.url)
        yield started


def service(project: Path, config: Config | None = None) -> RunService:
    config = config or Config()
    library = LibraryService(project, config)
    library.load()
    return RunService(library, EngineService(config, environ=dict(os.environ)))


def order(project: Path, **changes: object) -> RunOrder:
    plain = RunOrder(RUN, "looker", "look at it", "Look at it.", str(project))
    return replace(plain, **changes)  # type: ignore[arg-type]


class Chooser:
    """Answers each choice with a key; anything else is a fault of the test."""

    def __init__(self, key: str = SAFE) -> None:
        self.key = key
        self.asked: list[Ask] = []
        self.people = PeopleByAsks(self._put)

    async def _put(self, ask: Ask) -> Reply:
        self.asked.append(ask)
        assert isinstance(ask, ChoiceAsk)
        return ChoiceReply(ask.id, self.key)


async def carried_out(
    service: RunService, order: RunOrder, chooser: Chooser | None = None
) -> list[RunEvent]:
    people = (chooser or Chooser()).people
    async with aclosing(service.carry_out(order, people)) as events:
        return [event async for event in events]


def test_an_order_survives_json(project: Path) -> None:
    whole = RunOrder(
        RUN, "/deploy", "do it", "now", str(project), ("Where? There.",), 88, "",
        PermissionMode.PLAN, "local", "haiku", 0.5, own_tree=True, looks_up=False,
    )  # fmt: skip
    for made in (whole, order(project), RunOrder(RUN, follow_up="and now?")):
        assert RunOrder.from_json(json.loads(json.dumps(made.to_json()))) == made


@pytest.mark.parametrize("missing", [field.name for field in fields(RunOrder)])
def test_an_order_that_lacks_a_field_is_refused(project: Path, missing: str) -> None:
    """A limit, a mode or a tree of its own that got lost would widen what may be done."""
    data = order(project).to_json()
    with pytest.raises(ValueError, match="surprise"):
        RunOrder.from_json({**data, "surprise": 1})
    del data[missing]
    with pytest.raises(ValueError, match=missing):
        RunOrder.from_json(data)


async def test_each_event_is_logged_before_it_is_handed_on(
    project: Path, server: ScriptedServer
) -> None:
    trust(project)
    runs = service(project)
    said = ""
    async with aclosing(runs.carry_out(order(project), Chooser().people)) as events:
        async for event in events:
            logged = load_run(RUN).events
            if isinstance(event, TextDelta):  # Neighbouring pieces are one in the log.
                said += event.text
                assert said == "".join(e.text for e in logged if isinstance(e, TextDelta))
            else:
                assert event in logged
    record = load_run(RUN)
    assert (record.outcome, record.started.request) == (Outcome.DONE, "look at it")
    assert any(isinstance(event, UsageAdded) for event in record.events)
    assert spent_today().tokens == record.usage.total > 0


async def test_a_folder_is_asked_about_once_and_nothing_runs_without_it(
    project: Path, server: ScriptedServer
) -> None:
    runs, refusing, trusting = service(project), Chooser(), Chooser("t")
    with pytest.raises(UntrustedError):
        await carried_out(runs, order(project), refusing)
    assert (len(refusing.asked), server.requests) == (1, [])
    assert isinstance((await carried_out(runs, order(project), trusting))[-1], RunFinished)
    assert is_trusted(project)
    await carried_out(runs, order(project, run_id=new_run_id()), trusting)
    assert len(trusting.asked) == 1


async def test_who_may_only_read_gets_a_run_that_plans(
    project: Path, server: ScriptedServer
) -> None:
    started, *_ = await carried_out(service(project), order(project), Chooser("r"))
    assert isinstance(started, RunStarted)
    assert started.permission_mode == "plan"
    with pytest.raises(UntrustedError, match="working tree of its own"):
        await carried_out(service(project), order(project, own_tree=True), Chooser("r"))


async def test_what_an_order_says_goes_before_the_settings(
    project: Path, server: ScriptedServer
) -> None:
    runs = service(project, Config(permission_mode="accept-edits", max_cost_usd=3.0))
    made = runs.delegation(order(project))
    assert (made.permission_mode, made.budget.max_usd) == (PermissionMode.ACCEPT_EDITS, 3.0)
    told = order(project, permission_mode=PermissionMode.DENY, max_cost_usd=0.25, model="haiku")
    made = runs.delegation(told)
    assert (made.permission_mode, made.budget.max_usd) == (PermissionMode.DENY, 0.25)
    assert made.model == "haiku"
    with pytest.raises(AgentNotFoundError):
        runs.delegation(order(project, agent="nobody"))


async def test_without_a_model_nothing_is_started(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trust(project)
    runs = service(project, Config(engine="none"))
    with pytest.raises(NoEngineError, match="engine: none"):
        await carried_out(runs, order(project))
    with pytest.raises(RunNotFoundError):
        find_run(RUN)


async def test_a_stored_run_goes_on_by_an_order_that_names_it(
    project: Path, server: ScriptedServer
) -> None:
    trust(project)
    runs = service(project)
    await carried_out(runs, order(project))
    again = await carried_out(runs, RunOrder(RUN, follow_up="and now?"))
    assert isinstance(again[0], RunStarted)
    assert again[0].resumed
    assert [m["role"] for m in load_run(RUN).messages] == ["user", "assistant"] * 2
    assert "and now?" in json.dumps(server.requests[-1].body)


@pytest.fixture
def repository(project: Path) -> Path:
    """The project as a git repository with one commit."""
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@localhost")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "first")):
        subprocess.run([*git, *words], cwd=project, check=True)
    return project


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
async def test_a_run_in_a_tree_of_its_own_asks_what_becomes_of_its_changes(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = repository
    trust(project)
    agent = project / ".claude" / "agents" / "looker.md"
    agent.write_text(agent.read_text().replace("tools: Read", "tools: Write"))
    write = tool_use("Write", {"file_path": "guide.md", "content": "Read me.\n"})
    keeping, said, diffs = Chooser(), [], []
    with ScriptedServer(answer(write), answer(text("Written."))) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        told = order(project, own_tree=True, permission_mode=PermissionMode.ACCEPT_EDITS)
        people = keeping.people
        runs = service(project)
        events = runs.carry_out(told, people, say=said.append, show_diff=diffs.append)
        async with aclosing(events):
            last = [event async for event in events][-1]
    assert isinstance(last, RunFinished)
    assert [ask.title for ask in keeping.asked if isinstance(ask, ChoiceAsk)] == [
        "The run changed 1 file in a working tree of its own."
    ]
    assert "+Read me." in diffs[0]
    assert "Kept as branch" in said[-1]
    assert not (project / "guide.md").exists()


WORKER = """
import asyncio, json, os, sys
from pathlib import Path
from secretary_tui.config import Config
from secretary_tui.engine_service import EngineService
from secretary_tui.library_service import LibraryService
from secretary_tui.runs.run_order import RunOrder
from secretary_tui.runs.run_service import RunService

async def main() -> None:
    order = RunOrder.from_json(json.load(sys.stdin))
    library = LibraryService(Path(order.project), Config())
    library.load()
    engines = EngineService(Config(), environ=dict(os.environ))
    async for _ in RunService(library, engines).carry_out(order, None):
        pass
    await engines.aclose()

asyncio.run(main())
"""


async def test_another_process_carries_an_order_out_and_is_followed_from_here(
    project: Path, server: ScriptedServer
) -> None:
    trust(project)
    worker = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", WORKER), stdin=subprocess.PIPE, cwd=project
    )
    assert worker.stdin is not None
    worker.stdin.write(json.dumps(order(project).to_json()).encode())
    worker.stdin.close()
    async with asyncio.timeout(60):
        while True:
            try:
                find_run(RUN)
                break
            except RunNotFoundError:
                await asyncio.sleep(0.05)
        seen = [event async for event in follow(RUN)]
        assert await worker.wait() == 0
    assert tuple(seen)[-1] == load_run(RUN).events[-1]
    assert isinstance(seen[-1], RunFinished)
    assert seen[-1].text == "It is fine."
