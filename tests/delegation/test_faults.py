"""Every fault of HTTP or a stream ends in a retry or in a sentence, never in a traceback."""

from __future__ import annotations

import threading

import pytest

from secretary_tui.delegation.retries import MAX_ATTEMPTS, RetryPolicy
from secretary_tui.engines.faults import Fault, FaultKind
from secretary_tui.events import (
    Outcome,
    Retrying,
    RunFailed,
    RunFinished,
    TextDelta,
    ToolFinished,
    TurnDiscarded,
    UsageAdded,
)
from tests.delegation.conftest import Runner, only
from tests.servers.anthropic_server import (
    ScriptedServer,
    Step,
    answer,
    chunk_cut,
    cut,
    error,
    no_message_stop,
    raw,
    stall,
    stream_error,
    text,
    tool_use,
    wait_for,
)

PASSING = {
    "429": error(429, "rate_limit_error", "Slow down"),
    "429 with a short wait": error(429, "rate_limit_error", "Slow down", retry_after=2),
    "408": error(408, "timeout_error", "Late"),
    "409": error(409, "conflict_error", "Busy"),
    "500": error(500, "api_error", "Oops"),
    "502": raw("<html>Bad gateway</html>", "text/html", 502),
    "503": error(503, "api_error", "Down"),
    "504": error(504, "timeout_error", "Late"),
    "529": error(529, "overloaded_error", "Overloaded"),
    "reset before anything": Step(ending="reset"),
}
PASSING_AFTER_TEXT = {
    "overloaded in the stream": stream_error("overloaded_error", after="Part"),
    "api error in the stream": stream_error("api_error", after="Part"),
    "rate limit in the stream": stream_error("rate_limit_error", after="Part"),
    "cut cleanly": cut("Part"),
    "reset": cut("Part", clean=False),
    "chunk cut": chunk_cut("Part"),
    "stall": stall("Part", 30),
}
LASTING = {
    "400": (error(400, "invalid_request_error", "Bad field"), "refused the request"),
    "too long": (
        error(400, "invalid_request_error", "prompt is too long: 9 tokens"),
        "longer than the model can read",
    ),
    "credit": (
        error(400, "invalid_request_error", "Your credit balance is too low"),
        "no credit left",
    ),
    "401": (error(401, "authentication_error", "bad sk-ant-test-key"), "did not accept the API"),
    "402": (error(402, "billing_error", "Pay"), "no credit left"),
    "403": (error(403, "permission_error", "No"), "not allowed"),
    "404": (error(404, "not_found_error", "model: x"), "doesn't know the model"),
    "413": (error(413, "request_too_large", "Big"), "larger than"),
    "422": (error(422, "invalid_request_error", "Odd"), "refused the request"),
    "empty body": (raw(""), "not in the expected form"),
    "HTML": (raw("<html>Sign in</html>", "text/html"), "not in the expected form"),
    "broken JSON": (raw("event: message_start\ndata: {nope\n\n"), "not in the expected form"),
    "wrong order": (
        raw('event: content_block_stop\ndata: {"type": "content_block_stop", "index": 0}\n\n'),
        "not in the expected form",
    ),
    "redirect": (
        raw("", status=307, location="http://127.0.0.1:9/v1/messages"),
        "redirect, which is not followed",
    ),
}


@pytest.mark.parametrize("step", PASSING.values(), ids=PASSING.keys())
async def test_a_fault_that_passes_is_retried(runner: Runner, step: Step) -> None:
    with ScriptedServer(step, answer(text("Here"))) as server:
        events = await runner.run(server)
        assert len(server.requests) == 2
    retrying = only(events, Retrying)
    assert [(r.attempt, r.max_attempts) for r in retrying] == [(2, MAX_ATTEMPTS)]
    assert [retrying[0].delay_s] == runner.slept
    assert only(events, TurnDiscarded) == []
    assert isinstance(events[-1], RunFinished)
    assert events[-1].text == "Here"


@pytest.mark.parametrize("step", PASSING_AFTER_TEXT.values(), ids=PASSING_AFTER_TEXT.keys())
async def test_a_stream_that_breaks_is_discarded_visibly_and_asked_again(
    runner: Runner, step: Step
) -> None:
    with ScriptedServer(step, answer(text("Whole", chunk=40))) as server:
        events = await runner.run(server)
        assert server.requests[0].body == server.requests[1].body
    order = [e.type for e in events if isinstance(e, TextDelta | TurnDiscarded | Retrying)]
    assert order == ["text_delta", "turn_discarded", "retrying", "text_delta"]
    assert isinstance(events[-1], RunFinished)
    assert (events[-1].outcome, events[-1].text) == (Outcome.DONE, "Whole")
    # What the broken attempt used was paid for too.
    assert len(only(events, UsageAdded)) == 2


@pytest.mark.parametrize(("step", "words"), LASTING.values(), ids=LASTING.keys())
async def test_a_fault_that_stays_is_a_sentence_with_a_suggestion(
    runner: Runner, step: Step, words: str
) -> None:
    with ScriptedServer(step, answer(text("never"))) as server:
        events = await runner.run(server)
        assert len(server.requests) == 1
    last = events[-1]
    assert isinstance(last, RunFailed)
    assert words in last.error
    assert last.suggestion
    assert "sk-ant-test-key" not in last.error
    assert runner.slept == []


async def test_a_short_retry_after_is_obeyed(runner: Runner) -> None:
    step = error(429, "rate_limit_error", "Slow down", retry_after=7)
    with ScriptedServer(step, answer(text("ok"))) as server:
        await runner.run(server)
    assert runner.slept == [7.0]


async def test_a_long_retry_after_stops_and_says_when(runner: Runner) -> None:
    step = error(429, "rate_limit_error", "Slow down", retry_after=3600)
    with ScriptedServer(step) as server:
        events = await runner.run(server)
        assert len(server.requests) == 1
    assert isinstance(events[-1], RunFailed)
    assert "wait" in events[-1].suggestion
    assert runner.slept == []


async def test_attempts_are_counted_anew_in_each_turn(runner: Runner) -> None:
    busy = error(529, "overloaded_error", "Overloaded")
    call = answer(tool_use("Glob", {"pattern": "*"}))
    with ScriptedServer(*[busy] * 4, call, *[busy] * 4, answer(text("ok"))) as server:
        events = await runner.run(server)
    assert isinstance(events[-1], RunFinished)
    assert [r.attempt for r in only(events, Retrying)] == [2, 3, 4, 5, 2, 3, 4, 5]


async def test_after_a_tool_ran_a_retry_starts_from_its_result(runner: Runner) -> None:
    (runner.workspace / "a").write_text("A")
    read = answer(tool_use("Read", {"file_path": "a"}))
    with ScriptedServer(read, cut("Par"), answer(text("ok"))) as server:
        events = await runner.run(server)
        assert server.requests[1].body["messages"] == server.requests[2].body["messages"]
        assert len(server.requests[2].body["messages"]) == 3
    assert len(only(events, ToolFinished)) == 1


async def test_a_missing_message_stop_after_a_stop_reason_is_no_fault(runner: Runner) -> None:
    with ScriptedServer(no_message_stop(answer(text("Fine")))) as server:
        events = await runner.run(server)
    assert isinstance(events[-1], RunFinished)
    assert only(events, Retrying) == []


async def test_pings_keep_a_slow_stream_alive(runner: Runner) -> None:
    gate = threading.Event()
    timer = threading.Timer(1.6, gate.set)
    timer.start()
    with ScriptedServer(wait_for(gate, answer(text("Slow but fine")), ping_s=0.3)) as server:
        events = await runner.run(server)
    assert isinstance(events[-1], RunFinished)
    assert only(events, Retrying) == []


async def test_a_tool_call_with_broken_json_is_a_sentence(runner: Runner) -> None:
    step = answer(tool_use("Read", {}, raw='{"file_path": nope}'))
    with ScriptedServer(step) as server:
        events = await runner.run(server)
    assert isinstance(events[-1], RunFailed)
    assert only(events, ToolFinished) == []


async def test_a_server_that_is_not_there_is_retried_then_named(runner: Runner) -> None:
    with ScriptedServer(answer(text("x"))) as server:
        pass
    events = await runner.run(server)
    assert isinstance(events[-1], RunFailed)
    assert "can't be reached" in events[-1].error
    assert len(runner.slept) == MAX_ATTEMPTS - 1


async def test_no_key_is_a_sentence(runner: Runner) -> None:
    with ScriptedServer() as server:
        stream = runner.stream(server)
        runner.engines[0]._environ = {}
        events = [event async for event in stream]
    assert isinstance(events[-1], RunFailed)
    assert events[-1].error == "There is no API key."


def test_waits_grow_are_bounded_and_differ() -> None:
    policy = RetryPolicy(max_attempts=9, base_delay_s=1, max_delay_s=4)
    fault = Fault(FaultKind.OVERLOADED, "x", "y", True)
    for attempt, bound in ((1, 1), (2, 2), (3, 4), (8, 4)):
        waits = [policy.delay(fault, attempt) for _ in range(50)]
        assert all(wait is not None and 0 <= wait <= bound for wait in waits)
        assert len(set(waits)) > 1
    assert policy.delay(fault, 9) is None
    assert policy.delay(Fault(FaultKind.BILLING, "x", "y", False), 1) is None
