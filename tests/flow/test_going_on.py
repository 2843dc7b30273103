"""What is typed after a run: the tab's run goes on, or another begins; with a user who follows a
script, a real coordinator, real runs on a scripted model, and real logs."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from secretary_tui import config
from secretary_tui.coordinator.dispatch_values import Replied
from secretary_tui.engine_service import EngineService
from secretary_tui.events import Notice, RunEvent
from secretary_tui.flow.choice_hold import ChoiceHold
from secretary_tui.flow.tab_controller import TabController
from secretary_tui.people import (
    Answer,
    Choice,
    Question,
    Recommendation,
    RouteAction,
    RouteChoice,
    ToolAnswer,
    ToolDecision,
    ToolRequest,
)
from secretary_tui.secretary import Secretary
from secretary_tui.sessions.decisions import DecisionLog
from secretary_tui.sessions.store import find_run, load_run
from tests.library import make_library
from tests.servers.anthropic_server import ScriptedServer, answer, text

AUDIT = "audit the login code for security holes"
CANCEL = RouteChoice(RouteAction.CANCEL)


class View:
    """Where nothing is drawn."""

    is_empty = True

    def show(self, event: RunEvent) -> None:
        self.is_empty = False

    def show_diff(self, diff: str) -> None: ...

    def clear(self) -> None:
        self.is_empty = True


class Script:
    """A user who accepts what is recommended, or goes on with the run when that is offered."""

    def __init__(self, secretary: Secretary) -> None:
        self.secretary = secretary
        self.offered: list[Recommendation] = []
        self.asked: list[Question] = []
        self.returned: list[str] = []
        self.replied: list[Replied] = []
        self.task = ""
        self.takes_fresh = False

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        self.offered.append(recommendation)
        task, going_on = self.task or recommendation.task, recommendation.continuation
        if going_on is not None and not self.takes_fresh:
            return RouteChoice(RouteAction.CONTINUE, going_on.agent, task)
        best = recommendation.recommended
        return RouteChoice(RouteAction.ACCEPT, best, task) if best else CANCEL

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        self.asked += questions
        return ()

    async def allow_tool(self, request: ToolRequest) -> ToolAnswer:
        return ToolAnswer(ToolDecision.ONCE)

    async def choose(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        return choices[-1].key

    def new_view(self) -> View:
        return View()

    def reply(self, request: str, replied: Replied) -> None:
        self.replied.append(replied)

    def give_back(self, text: str) -> None:
        self.returned.append(text)

    def report(self, error: Exception) -> None:
        raise error

    def show_event(self, event: Notice) -> None: ...
    def present(self, recommendation: Recommendation, *, refining: bool) -> None: ...
    def refine(self, recommendation: Recommendation) -> None: ...
    def paid(self, tokens: int, cost_usd: float | None) -> None: ...
    def show_view(self, view: View) -> None: ...
    def drop_view(self, view: View) -> None: ...
    def flow_changed(self) -> None: ...
    def begin_run(self) -> None: ...
    def ring(self, text: str, elapsed_s: float) -> None: ...
    def return_messages(self, texts: tuple[str, ...]) -> None: ...
    def copy_task(self, delegation: Any) -> None: ...
    def open_setup(self) -> None: ...


class Talk:
    """A user at the tabs of a face."""

    def __init__(self, secretary: Secretary, server: ScriptedServer) -> None:
        self.script = Script(secretary)
        self.tabs: TabController[View] = TabController(self.script)
        self.server = server

    async def say(self, request: str) -> Recommendation:
        """Send a text and wait for the end of what follows; gives what was offered last."""
        self.tabs.submit(request)
        while self.tabs.routing:
            await self.tabs._routing._task  # type: ignore[misc]
        await self.tabs.shown.finished()
        return self.script.offered[-1]

    @property
    def told(self) -> str:
        """The messages that the model got last."""
        return str(self.server.requests[-1].body["messages"])


@pytest.fixture(autouse=True)
def _no_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ChoiceHold, "HOLD_S", 0.0)
    monkeypatch.setattr(EngineService, "can_refine", False)  # The ranking of this machine stands.


@pytest.fixture
def project(project: Path) -> Path:
    make_library(project)
    return project


@asynccontextmanager
async def talking(
    project: Path, monkeypatch: pytest.MonkeyPatch, *answers: str
) -> AsyncIterator[Talk]:
    with ScriptedServer(*(answer(text(said)) for said in answers)) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        options = config.load(project).override(bundled_agents=False)
        secretary = Secretary(project, options, environ=dict(os.environ))
        secretary.load()
        talk = Talk(secretary, server)
        try:
            yield talk
        finally:
            await talk.tabs.aclose()
            await secretary.aclose()


REPORT = "Two holes:\n\n1. **SQL injection** in search.py\n2. **No lockout** after failed logins"


async def test_a_message_about_the_answer_goes_to_the_run_that_gave_it(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talking(project, monkeypatch, REPORT, "Shorter.") as talk:
        first = await talk.say(AUDIT)
        assert first.continuation is None
        found = await talk.say("shorter please")
        assert found.continuation is not None
        assert found.continuation.agent == "security-auditor"
        assert found.continuation.confidence > 70
        assert "“shorter” is about its answer" in found.continuation.reason
        assert found.task == "shorter please"
        assert "shorter please" in talk.told
        assert "SQL injection" in talk.told
        assert talk.tabs.run_id == found.continuation.run
        assert not talk.script.asked
        learnt = DecisionLog.of(project).load()[-1]
        assert (learnt.request, learnt.action, learnt.run_id) == (
            "shorter please",
            "continue",
            found.continuation.run,
        )


async def test_a_new_topic_is_ranked_afresh(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with talking(project, monkeypatch, REPORT, "Notes.") as talk:
        await talk.say(AUDIT)
        run = talk.tabs.run_id
        found = await talk.say("write the release notes from the commits")
        assert found.continuation is None
        assert found.recommended == "release-scribe"
        assert talk.tabs.run_id != run


async def test_an_alternative_below_it_begins_a_run_of_its_own(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talking(project, monkeypatch, REPORT, "Reviewed.") as talk:
        await talk.say(AUDIT)
        run = talk.tabs.run_id
        talk.script.takes_fresh = True
        found = await talk.say("and audit the authentication for vulnerabilities as well")
        assert found.continuation is not None
        assert found.recommended == "security-auditor"
        assert talk.tabs.run_id != run


async def test_what_the_user_made_of_the_task_is_what_is_sent(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talking(project, monkeypatch, REPORT, "Done.") as talk:
        await talk.say(AUDIT)
        talk.script.task = "shorter, in five words"
        await talk.say("shorter please")
        assert "in five words" in talk.told


async def test_a_reference_is_found_after_replies(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talking(project, monkeypatch, REPORT, "a", "b", "c", "Fixed.") as talk:
        await talk.say(AUDIT)
        for reply in ("shorter please", "in French", "why?"):
            await talk.say(reply)
        found = await talk.say("explain the second one")
        assert found.continuation is not None
        state = talk.script.secretary.coordinator._state
        assert state["context_summary"] == "explain No lockout"
        assert len(talk.tabs.shown.progress.conversation.value.exchanges) == 5


async def test_a_new_conversation_uses_nothing_of_the_old_one(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talking(project, monkeypatch, REPORT) as talk:
        await talk.say(AUDIT)
        talk.tabs.shown.forget_run()
        await talk.say("fix it")
        state = talk.script.secretary.coordinator._state
        assert state["request"] == state["context_summary"] == "fix it"
        assert all(each.continuation is None for each in talk.script.offered)


async def test_thanks_go_to_nobody(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with talking(project, monkeypatch, REPORT) as talk:
        await talk.say(AUDIT)
        await talk.say("thanks")
        assert len(talk.script.replied) == 1
        assert len(talk.server.requests) == 1


async def test_yes_answers_what_the_agent_asked(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = "Two holes. Shall I look at the session code as well?"
    async with talking(project, monkeypatch, asked, "Looked.") as talk:
        await talk.say(AUDIT)
        found = await talk.say("yes please")
        assert found.continuation is not None
        assert "ended with a question" in found.continuation.reason
        assert "yes please" in talk.told


@pytest.mark.parametrize("gone", ["agent", "log"])
async def test_a_run_that_can_not_go_on_is_not_offered(
    project: Path, monkeypatch: pytest.MonkeyPatch, gone: str
) -> None:
    async with talking(project, monkeypatch, REPORT) as talk:
        await talk.say(AUDIT)
        if gone == "log":
            find_run(talk.tabs.run_id).unlink()
        else:
            (project / ".claude" / "agents" / "security-auditor.md").unlink()
            talk.script.secretary.reload()
        await talk.say("shorter please")
        assert all(each.continuation is None for each in talk.script.offered)


async def test_a_request_left_for_another_one_was_said(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talking(project, monkeypatch) as talk:
        talk.tabs.submit("find Python audit tools")
        talk.tabs.submit("what about Rust?")
        while talk.tabs.routing:
            await talk.tabs._routing._task  # type: ignore[misc]
        state = talk.script.secretary.coordinator._state
        assert state["context_summary"] == "find Python audit tools\nwhat about Rust?"


async def test_a_run_of_the_history_goes_on(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with talking(project, monkeypatch, REPORT, "Shorter.") as talk:
        await talk.say(AUDIT)
        record = load_run(talk.tabs.run_id)
        talk.tabs.shown.forget_run()
        talk.tabs.shown.show_run(record.id, record.started.agent, record.events)
        found = await talk.say("shorter please")
        assert found.continuation is not None
        assert found.continuation.run == record.id


async def test_the_choice_counts_for_nothing_that_is_learnt(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talking(project, monkeypatch, REPORT, "Shorter.") as talk:
        await talk.say(AUDIT)
        plain = talk.script.secretary.library.route_local("fix it").ranking
        await talk.say("fix it")
        assert talk.script.secretary.library.route_local("fix it").ranking == plain
