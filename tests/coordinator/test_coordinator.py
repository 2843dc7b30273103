"""A conversation with the coordinator: the real graph, a real file, a scripted model."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from pathlib import Path

import pytest

from secretary_tui.coordinator.conversation import Conversation, ConversationLog, Exchange
from secretary_tui.coordinator.conversation_file import conversations_dir
from secretary_tui.coordinator.coordinator import Coordinator
from secretary_tui.coordinator.dispatch_values import Asking, Confirming, Decided, Replied
from secretary_tui.events import Outcome, RunFinished, RunStarted, Usage
from secretary_tui.people import (
    Answer,
    Intent,
    QuestionAbout,
    Recommendation,
    RouteAction,
    RouteChoice,
)
from secretary_tui.sessions.decisions import DecisionLog
from secretary_tui.sessions.run_log import RunLog
from tests.coordinator.conftest import MakeSecretary, Serve
from tests.screens.desk import routing
from tests.servers.anthropic_server import Step, answer, hang, json_answer, text

CLEAR = "audit the login code for security holes"
VAGUE = "make the app better"
ACCEPT = RouteChoice(RouteAction.ACCEPT, "security-auditor", CLEAR)


def files(project: Path) -> list[Path]:
    return sorted(conversations_dir(project).glob("*.sqlite"))


async def test_a_clear_request_waits_for_confirmation_and_ends_with_the_choice(
    secretary: MakeSecretary, project: Path
) -> None:
    coordinator = secretary().coordinator
    step = await coordinator.begin(CLEAR)
    assert isinstance(step, Confirming)
    assert step.recommendation.recommended == "security-auditor"
    assert step.recommendation.intent == Intent.DELEGATE
    assert not step.refining
    await coordinator.choose(ACCEPT)
    assert coordinator._state["choice"]["agent"] == "security-auditor"  # type: ignore[index]
    [decision] = DecisionLog.of(project).load()
    assert decision.reasoning.startswith("security-auditor: “Audits code for security")
    assert decision.conversation == coordinator.conversation
    assert decision.request == CLEAR
    assert decision.intent == "delegate"
    assert decision.latency_ms > 0


async def test_a_choice_counts_once_its_run_began_and_is_cancelled_until_then(
    secretary: MakeSecretary, project: Path
) -> None:
    coordinator = secretary().coordinator
    await coordinator.begin(CLEAR)
    await coordinator.choose(ACCEPT)
    [decision] = DecisionLog.of(project).load()
    assert (decision.action, decision.agent) == ("cancel", None)
    coordinator.ran(ACCEPT, "20260101-000000-abcdef")
    [decision] = DecisionLog.of(project).load()
    assert (decision.action, decision.agent) == ("accept", "security-auditor")
    assert decision.run_id == "20260101-000000-abcdef"


async def test_a_run_that_begins_late_is_written_to_its_own_request(
    secretary: MakeSecretary, project: Path
) -> None:
    coordinator = secretary().coordinator
    await coordinator.begin(CLEAR)
    await coordinator.choose(ACCEPT)
    await coordinator.begin("write the release notes")
    coordinator.ran(ACCEPT, "20260101-000000-abcdef")
    first, second = DecisionLog.of(project).load()
    assert (first.action, second.action) == ("accept", None)


async def test_a_vague_request_is_asked_about_and_the_answer_routes_it(
    secretary: MakeSecretary,
) -> None:
    coordinator = secretary().coordinator
    step = await coordinator.begin(VAGUE)
    assert isinstance(step, Asking)
    question = step.questions[0]
    assert question.about is QuestionAbout.GOAL
    step = await coordinator.answer(
        (Answer(question.question, other="find security vulnerabilities before the release"),)
    )
    assert isinstance(step, Confirming)
    assert step.recommendation.matches[0].agent == "security-auditor"
    assert step.recommendation.task == (
        "make the app better\nfind security vulnerabilities before the release."
    )


async def test_an_answer_is_folded_in_by_what_its_question_is_about(
    secretary: MakeSecretary, project: Path
) -> None:
    for path in ("app/login.py", "web/login.tsx"):
        (project / path).parent.mkdir()
        (project / path).touch()
    coordinator = secretary().coordinator
    step = await coordinator.begin("audit the login")
    assert isinstance(step, Asking)
    [question] = step.questions
    assert question.about is QuestionAbout.OBJECT
    step = await coordinator.answer((Answer(question.question, ("web/login.tsx",)),))
    assert isinstance(step, Confirming)
    assert step.recommendation.task == "audit the login\nIt is about web/login.tsx."


async def test_skipped_questions_lead_to_a_best_effort_and_are_not_asked_again(
    secretary: MakeSecretary,
) -> None:
    coordinator = secretary().coordinator
    assert isinstance(await coordinator.begin(VAGUE), Asking)
    step = await coordinator.answer(())
    assert isinstance(step, Confirming)
    assert "skipped" in step.recommendation.notice
    assert step.recommendation.questions == ()


async def test_the_threshold_can_be_changed_while_it_runs(secretary: MakeSecretary) -> None:
    service = secretary()
    first = await service.coordinator.begin(CLEAR)
    assert isinstance(first, Confirming)
    assert first.recommendation.intent == Intent.DELEGATE
    service.take_config(service.config.override(intent_threshold=0.99))
    second = await service.coordinator.begin(CLEAR)
    assert isinstance(second, Confirming)
    assert second.recommendation.intent == Intent.CLARIFY


async def test_small_talk_is_answered_and_nobody_is_proposed(secretary: MakeSecretary) -> None:
    service = secretary()
    service.routing.on_screen = True
    coordinator = service.coordinator
    step = await coordinator.begin("what can you do")
    assert isinstance(step, Replied)
    assert "agents" in step.text
    assert step.suggestions
    assert isinstance(await coordinator.begin(CLEAR), Confirming)


@pytest.mark.parametrize(
    ("request_", "word"),
    [
        ("find security audit tools", "search"),
        ("analyze owner/security-audit", "analysis"),
        ("compare bandit vs semgrep for security audits of code", "comparison"),
    ],
)
async def test_a_search_analysis_or_comparison_is_handed_over_and_said_so(
    secretary: MakeSecretary, request_: str, word: str
) -> None:
    step = await secretary().coordinator.begin(request_)
    assert isinstance(step, Confirming)
    assert step.recommendation.matches
    assert word in step.recommendation.notice.lower()
    assert "best agent of your library" in step.recommendation.notice


async def test_a_later_message_can_point_at_an_agents_list(secretary: MakeSecretary) -> None:
    coordinator = secretary().coordinator
    answer = "1. **Bandit**: for security\n2. **Semgrep**: for patterns"
    said = Conversation((Exchange("find Python audit tools", "searcher", answer),))
    await coordinator.begin("audit the code with the second one", conversation=said)
    assert coordinator._state["context_summary"] == "audit the code with Semgrep"


async def test_a_request_without_a_run_is_still_context(secretary: MakeSecretary) -> None:
    coordinator = secretary().coordinator
    said = Conversation((Exchange("find Python audit tools"),))
    await coordinator.begin("what about Rust?", conversation=said)
    assert coordinator._state["context_summary"] == "find Python audit tools\nwhat about Rust?"


async def test_what_nothing_refers_to_is_asked_about_with_options(
    secretary: MakeSecretary,
) -> None:
    step = await secretary().coordinator.begin("analyze it")
    assert isinstance(step, Asking)
    [question] = step.questions
    assert "“it”" in question.question
    assert len(question.options) >= 2


# ------------------------------------------------------------------- with a model


async def test_a_clear_request_takes_one_round_trip(secretary: MakeSecretary, serve: Serve) -> None:
    server = serve(routing(("security-auditor", 93)))
    coordinator = secretary(routing_timeout_s=60).coordinator
    step = await coordinator.begin(CLEAR)
    assert isinstance(step, Confirming)
    assert step.refining
    assert server.requests == []
    refined = await coordinator.refine()
    assert isinstance(refined, Confirming)
    assert not refined.refining
    assert refined.recommendation.matches[0].confidence == 93
    assert len(server.requests) == 1
    await coordinator.choose(ACCEPT)
    assert len(server.requests) == 1


async def test_a_models_question_comes_before_the_choice(
    secretary: MakeSecretary, serve: Serve
) -> None:
    asked = {
        "question": "Which part?",
        "header": "Part",
        "options": [{"label": "a", "description": ""}, {"label": "b", "description": ""}],
        "multi_select": False,
    }
    serve(routing(("security-auditor", 60), questions=[asked]), routing(("code-critic", 80)))
    coordinator = secretary(routing_timeout_s=60).coordinator
    await coordinator.begin(CLEAR)
    step = await coordinator.refine()
    assert isinstance(step, Asking)
    step = await coordinator.answer((Answer("Which part?", ("b",)),))
    assert isinstance(step, Confirming)
    assert step.refining
    assert isinstance(await coordinator.refine(), Confirming)


@pytest.mark.parametrize("fault", [hang(), answer(text("no JSON at all"))])
async def test_when_the_model_fails_on_an_unclear_message_the_rules_ask(
    secretary: MakeSecretary, serve: Serve, fault: object
) -> None:
    serve(fault)
    service = secretary(routing_timeout_s=1.0)
    await service.prepare()
    assert isinstance(await service.coordinator.begin(VAGUE), Confirming)
    step = await service.coordinator.refine()
    assert isinstance(step, Asking)
    assert step.questions[0].question == "What should get better?"


async def test_when_the_model_fails_on_a_clear_message_the_local_ranking_stands(
    secretary: MakeSecretary, serve: Serve
) -> None:
    serve(hang())
    service = secretary(routing_timeout_s=0.2)
    opened = await service.coordinator.begin(CLEAR)
    step = await service.coordinator.refine()
    assert isinstance(opened, Confirming)
    assert isinstance(step, Confirming)
    assert step.recommendation.matches == opened.recommendation.matches
    assert "local ranking stands" in step.recommendation.notice


async def test_a_model_answers_small_talk(secretary: MakeSecretary, serve: Serve) -> None:
    server = serve(json_answer({"reply": "Hello! What shall be done?"}))
    step = await secretary(routing_timeout_s=60).coordinator.begin("hello")
    assert step == Replied("Hello! What shall be done?")
    assert len(server.requests) == 1


async def test_what_the_model_cost_is_written_down(
    secretary: MakeSecretary, serve: Serve, project: Path
) -> None:
    serve(routing(("security-auditor", 93)))
    coordinator = secretary(routing_timeout_s=60).coordinator
    await coordinator.begin(CLEAR)
    await coordinator.refine()
    [decision] = DecisionLog.of(project).load()
    assert decision.tokens > 0
    assert decision.engine != "local"


RUN = "20260101-000000-abcdef"


@pytest.fixture
def answered(project: Path) -> Conversation:
    """A run of the security-auditor that has answered."""
    at = "2026-01-01T00:00:00+00:00"
    started = RunStarted(
        *(RUN, "security-auditor", "", "", CLEAR, "", "", "", "", (), "ask", str(project), at)
    )
    ended = RunFinished(Outcome.DONE, "end_turn", "Two holes in search.py.", Usage(), 0.0, 1, 1.0)
    with RunLog.create(project, RUN) as log:
        for event in (started, ended):
            log.append(event)
    return ConversationLog((started, ended)).value


@pytest.mark.parametrize(
    "judged",
    [
        routing(("code-critic", 93)),
        routing(("code-critic", 30), intent="chat"),
        answer(text("no JSON at all")),
    ],
)
async def test_the_run_that_goes_on_stays_first_whatever_a_model_says_of_the_others(
    secretary: MakeSecretary, serve: Serve, answered: Conversation, judged: Step
) -> None:
    serve(judged)
    coordinator = secretary(routing_timeout_s=60).coordinator
    opened = await coordinator.begin("and in the tests?", conversation=answered)
    assert isinstance(opened, Confirming)
    going_on = opened.recommendation.continuation
    assert going_on is not None
    assert going_on.run == RUN
    refined = await coordinator.refine()
    assert isinstance(refined, Confirming)
    assert refined.recommendation.continuation == going_on
    assert refined.recommendation.request == "and in the tests?"


# ------------------------------------------------------------------- what is kept


async def test_an_open_panel_is_there_again_after_the_process_was_killed(
    secretary: MakeSecretary, project: Path
) -> None:
    killed = """
import asyncio, os, signal, sys
from pathlib import Path
from secretary_tui import config
from secretary_tui.secretary import Secretary

async def main() -> None:
    project = Path(sys.argv[1])
    secretary = Secretary(project, config.load(project).override(bundled_agents=False))
    secretary.load()
    await secretary.coordinator.begin(sys.argv[2])
    await secretary.coordinator._settle()
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", killed, project, CLEAR)
    assert await process.wait() == -9
    service = secretary()
    step = await service.restore()
    assert isinstance(step, Confirming)
    assert service.coordinator.request == CLEAR
    assert step.recommendation.recommended == "security-auditor"
    await service.coordinator.choose(ACCEPT)
    service.coordinator.ran(ACCEPT)
    [decision] = DecisionLog.of(project).load()  # Not a second one for the panel seen again.
    assert decision.action == "accept"
    await service.aclose()
    assert files(project) == []
    assert await secretary().restore() is None


async def test_open_questions_wait_for_the_next_start(
    secretary: MakeSecretary, project: Path
) -> None:
    first = secretary()
    step = await first.coordinator.begin(VAGUE)
    await first.aclose()
    assert len(files(project)) == 1
    assert await secretary().restore() == step


async def test_what_the_user_turned_away_from_does_not_come_back(
    secretary: MakeSecretary, project: Path
) -> None:
    first = secretary()
    await first.coordinator.begin(CLEAR)
    first.coordinator.abandon()
    await first.aclose()
    assert files(project) == []


async def test_the_conversation_of_a_live_process_is_left_alone(
    secretary: MakeSecretary, project: Path
) -> None:
    first = secretary()
    await first.coordinator.begin(CLEAR)
    assert await secretary().restore() is None
    assert isinstance(await first.coordinator.begin(CLEAR), Confirming)


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 100])
async def test_a_damaged_file_is_removed(
    secretary: MakeSecretary, project: Path, content: bytes
) -> None:
    folder = conversations_dir(project)
    folder.mkdir(parents=True)
    (folder / "0123456789abcdef.sqlite").write_bytes(content)
    assert await secretary().restore() is None
    assert files(project) == []


async def test_a_poisoned_checkpoint_rebuilds_no_object(
    secretary: MakeSecretary, project: Path, home: Path
) -> None:
    first = secretary()
    await first.coordinator.begin(CLEAR)
    await first.aclose()
    [file] = files(project)
    import ormsgpack

    made = home / "made"
    call = ormsgpack.packb(("os", "mkdir", (str(made),)))
    with sqlite3.connect(file) as connection:
        poison = ormsgpack.packb(ormsgpack.Ext(0, call))
        connection.execute("update writes set type = 'msgpack', value = ?", (poison,))
        connection.execute("update checkpoints set type = 'msgpack', checkpoint = ?", (poison,))
    assert await secretary().restore() is None
    assert not made.exists()


async def test_without_a_folder_to_write_to_requests_are_still_routed(
    secretary: MakeSecretary, home: Path
) -> None:
    (home / ".state").write_text("a file where a folder should be")
    coordinator = secretary().coordinator
    assert isinstance(await coordinator.begin(CLEAR), Confirming)
    await coordinator.choose(ACCEPT)


async def test_nothing_is_traced_whatever_the_environment_says(
    secretary: MakeSecretary, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("LANGSMITH_ENDPOINT", server.url)
    monkeypatch.setenv("LANGSMITH_API_KEY", "ls-key")
    coordinator = secretary(engine="none").coordinator
    await coordinator.begin(CLEAR)
    await coordinator.choose(ACCEPT)
    assert server.requests == []


async def test_the_steps_found_at_once_are_those_of_the_graph(secretary: MakeSecretary) -> None:
    coordinator = secretary().coordinator
    for request in (CLEAR, VAGUE, "hello", "find security audit tools", "analyze it", ""):
        step = await coordinator.begin(request)
        at = coordinator._at
        await coordinator._settle()
        graph = coordinator._graph()
        assert graph.waiting == at, request
        if not isinstance(step, Replied | Decided):
            again = await coordinator._step()
            assert type(again) is type(step)
            if isinstance(step, Confirming) and isinstance(again, Confirming):
                assert again.recommendation.matches == step.recommendation.matches


async def test_a_cancelled_wait_leaves_the_conversation_as_it_was(
    secretary: MakeSecretary,
) -> None:
    coordinator = secretary().coordinator
    await coordinator.begin(CLEAR)
    waiting = asyncio.create_task(coordinator.choose(ACCEPT))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert isinstance(await coordinator.begin(CLEAR), Confirming)


async def test_a_pronoun_in_a_clear_request_is_not_asked_about(secretary: MakeSecretary) -> None:
    step = await secretary().coordinator.begin("audit it for security vulnerabilities")
    assert isinstance(step, Confirming)
    assert step.recommendation.recommended == "security-auditor"


async def test_another_conversation_knows_nothing_of_the_one_before(
    secretary: MakeSecretary,
) -> None:
    coordinator = secretary().coordinator
    await coordinator.begin(CLEAR)
    await coordinator.choose(ACCEPT)
    await coordinator.begin("what about Rust?")
    assert coordinator._state["metadata"]["unresolved"] == "Rust"


@pytest.mark.parametrize(("message", "place"), [("the second one", 1), ("take the first", 0)])
async def test_a_message_can_point_at_an_agent_of_the_panel(
    secretary: MakeSecretary, message: str, place: int
) -> None:
    coordinator = secretary(show_above=0).coordinator
    step = await coordinator.begin(CLEAR)
    assert isinstance(step, Confirming)
    assert coordinator.pointed_at(message) == step.recommendation.matches[place]
    assert coordinator.pointed_at("the 5th") is None
    assert coordinator.pointed_at("fix the second one now, please") is None


@pytest.mark.parametrize("message", ["which agents do you have", "list agents", "show my agents"])
async def test_who_is_there_is_no_task(secretary: MakeSecretary, message: str) -> None:
    service = secretary()
    step = await service.coordinator.begin(message)
    assert isinstance(step, Replied)
    assert "4 agents" in step.text
    assert "secretary-tui agents" in step.text
    service.routing.on_screen = True
    step = await service.coordinator.begin(message)
    assert isinstance(step, Replied)
    assert "F5" in step.text


async def test_a_file_of_another_version_stops_no_start(
    secretary: MakeSecretary, project: Path
) -> None:
    first = secretary()
    await first.coordinator.begin(CLEAR)
    await first.aclose()
    [file] = files(project)
    with sqlite3.connect(file) as connection:
        connection.execute("update checkpoints set type = 'future-format'")
    assert await secretary().restore() is None
    assert files(project) == []


async def test_two_coordinators_keep_their_conversations_apart(
    secretary: MakeSecretary,
) -> None:
    first, second = secretary().coordinator, secretary().coordinator
    assert isinstance(first, Coordinator)
    assert first.conversation != second.conversation
    await first.begin("find Python audit tools")
    step = await second.begin("what about Rust?")
    assert isinstance(step, Asking)


async def test_closing_twice_closes_nothing_of_others(secretary: MakeSecretary, home: Path) -> None:
    service = secretary()
    await service.coordinator.begin(CLEAR)
    await service.aclose()
    with (home / "other").open("w") as other:  # It gets the number that was just set free.
        await service.aclose()
        other.write("still open")
    assert (home / "other").read_text() == "still open"


async def test_a_checkpoint_holds_plain_values_and_nothing_is_said_about_others(
    secretary: MakeSecretary, serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    serve(routing(("security-auditor", 93)))
    coordinator = secretary(routing_timeout_s=60).coordinator
    named = Recommendation(CLEAR, CLEAR, (), "security-auditor")
    await coordinator.begin(CLEAR, named)
    await coordinator.choose(ACCEPT)
    await coordinator.begin(CLEAR)
    await coordinator.refine()
    await coordinator.choose(ACCEPT)
    await coordinator.begin(
        "why?", conversation=Conversation((Exchange(CLEAR, "x", "1. a\n2. b"),))
    )
    assert type(coordinator._graph().state["intent"]) is str
    assert type(coordinator._graph().state["original_intent"]) is str
    assert not [record for record in caplog.records if "langgraph" in record.name]
