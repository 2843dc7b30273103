"""Every fault of HTTP or a stream ends in a retry or in a sentence, never in a traceback."""

from __future__ import annotations

import json
import threading

import pytest

from secretary_tui.delegation.loop.retry_policy import (
    MAX_ATTEMPTS,
    MAX_NETWORK_ATTEMPTS,
    RetryPolicy,
)
from secretary_tui.engines.faults import Fault, FaultKind
from secretary_tui.events import (
    MessagesReplaced,
    Notice,
    Outcome,
    Retrying,
    RunFailed,
    RunFinished,
    TextDelta,
    ToolFinished,
    TurnDiscarded,
    UsageAdded,
)
from secretary_tui.people import ToolDecision
from secretary_tui.sessions.recovery import conversation_of
from tests.delegation.conftest import Runner, ScriptedPerson, only
from tests.servers.anthropic_server import (
    ScriptedServer,
    Step,
    answer,
    chunk_cut,
    cut,
    error,
    hang,
    no_message_stop,
    raw,
    raw_block,
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
    "nothing at all": hang(),
    "overloaded as the first event": stream_error("overloaded_error", after=""),
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
    "events without their names": (
        raw('data: {"type": "message_start"}\n\ndata: {"type": "message_stop"}\n\n'),
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


@pytest.mark.parametrize("seconds", [0, 2, 7, 60])
async def test_a_short_retry_after_is_obeyed(runner: Runner, seconds: int) -> None:
    step = error(429, "rate_limit_error", "Slow down", retry_after=seconds)
    with ScriptedServer(step, answer(text("ok"))) as server:
        await runner.run(server)
    assert runner.slept == [float(seconds)]


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


async def test_blocks_and_events_of_a_later_protocol_are_passed_over(runner: Runner) -> None:
    strange = raw_block({"type": "hologram", "depth": 3}, {"type": "hologram_delta", "depth": 4})
    with ScriptedServer(answer(strange, text("Seen"))) as server:
        events = await runner.run(server)
    assert isinstance(events[-1], RunFinished)
    assert events[-1].text == "Seen"


async def test_events_of_an_unknown_type_are_passed_over(runner: Runner) -> None:
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": []}
    usage = {"input_tokens": 1, "output_tokens": 1}
    stream: list[dict[str, object]] = [
        {"type": "message_start", "message": {**message, "usage": usage}},
        {"type": "weather", "rain": True},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Dry"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage},
        {"type": "message_stop"},
    ]
    body = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in stream)
    with ScriptedServer(raw(body)) as server:
        events = await runner.run(server)
    assert isinstance(events[-1], RunFinished)
    assert events[-1].text == "Dry"


async def test_an_answer_that_may_be_very_long_is_streamed(runner: Runner) -> None:
    with ScriptedServer(answer(text("ok"))) as server:
        stream = runner.stream(server)
        runner.engines[0].max_tokens = 200_000
        events = [event async for event in stream]
        (request,) = server.requests
    assert isinstance(events[-1], RunFinished)
    assert (request.body["stream"], request.body["max_tokens"]) == (True, 200_000)


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


async def test_a_network_that_is_gone_for_a_minute_is_waited_for(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = answer(tool_use("Write", {"file_path": "a", "content": "A"}))
    person = ScriptedPerson(ToolDecision.ONCE)
    first = ScriptedServer(write, cut("Par", clean=False))
    port = int(first.url.rpartition(":")[2])
    back: list[ScriptedServer] = []

    async def sleep(seconds: float) -> None:
        runner.slept.append(seconds)
        if sum(runner.slept) > 60 and not back:
            back.append(ScriptedServer(answer(text("Back")), port=port).__enter__())

    monkeypatch.setattr(runner, "sleep", sleep)
    # From the question on, nobody listens any more.
    person.on_ask = lambda _: first.__exit__(None, None, None)
    with first:
        events = await runner.run(first, person)
    back[0].__exit__(None, None, None)
    assert isinstance(events[-1], RunFinished)
    assert events[-1].text == "Back"
    waits = only(events, Retrying)
    assert [wait.delay_s for wait in waits] == runner.slept
    assert {wait.max_attempts for wait in waits[1:]} == {MAX_NETWORK_ATTEMPTS}
    assert all("can't be reached" in wait.reason for wait in waits[1:])
    assert len(only(events, ToolFinished)) == 1
    assert back[0].requests[0].body["messages"] == first.requests[1].body["messages"]


def too_long() -> Step:
    return error(400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000")


async def test_a_conversation_that_is_too_long_leaves_out_old_outputs_first(
    runner: Runner,
) -> None:
    (runner.workspace / "a").write_text("A" * 5_000)
    reads = [answer(tool_use("Read", {"file_path": "a"})) for _ in range(4)]
    with ScriptedServer(*reads, too_long(), answer(text("Done"))) as server:
        events = await runner.run(server)
        before, after = (str(request.body["messages"]) for request in server.requests[4:])
        assert (before.count("A" * 500), after.count("A" * 500)) > (30, 15)
        assert "were left out to make room" in after
        assert "check the code" in after
    assert isinstance(events[-1], RunFinished)
    assert any("older tool calls are left out" in n.text for n in only(events, Notice))
    (replaced,) = only(events, MessagesReplaced)
    assert str(replaced.messages).count("left out") == 2


async def test_what_is_still_too_long_is_summed_up_by_the_model(runner: Runner) -> None:
    (runner.workspace / "a").write_text("A" * 5_000)
    reads = [answer(tool_use("Read", {"file_path": "a"})) for _ in range(4)]
    steps = (too_long(), too_long(), answer(text("The file a holds As.")), answer(text("Done")))
    with ScriptedServer(*reads, *steps) as server:
        events = await runner.run(server)
        asked, last = server.requests[6].body, server.requests[7].body["messages"]
        assert "tool call: Read" in asked["messages"][0]["content"]
        assert "tools" not in asked
        assert [m["role"] for m in last] == ["user", "assistant", "user"]
        assert "The file a holds As." in str(last[0])
        assert "check the code" in str(last[0])
    assert isinstance(events[-1], RunFinished)
    assert events[-1].text == "Done"
    # The summary was paid for, too: four reads, the summary, the answer.
    assert len(only(events, UsageAdded)) == 6


async def test_when_nothing_can_be_left_out_the_fault_is_said(runner: Runner) -> None:
    with ScriptedServer(too_long()) as server:
        events = await runner.run(server)
        assert len(server.requests) == 1
    assert isinstance(events[-1], RunFailed)
    assert "longer than the model can read" in events[-1].error


async def test_an_answer_that_the_context_cut_off_goes_on_after_making_room(
    runner: Runner,
) -> None:
    (runner.workspace / "a").write_text("A" * 5_000)
    reads = [answer(tool_use("Read", {"file_path": "a"})) for _ in range(4)]
    full = answer(text("I was about"), stop_reason="model_context_window_exceeded")
    with ScriptedServer(*reads, full, answer(text("Whole"))) as server:
        events = await runner.run(server)
    assert isinstance(events[-1], RunFinished)
    assert (events[-1].outcome, events[-1].text) == (Outcome.DONE, "Whole")


async def test_a_shortened_conversation_is_what_a_resume_starts_from(runner: Runner) -> None:
    (runner.workspace / "a").write_text("A" * 5_000)
    reads = [answer(tool_use("Read", {"file_path": "a"})) for _ in range(4)]
    with ScriptedServer(*reads, too_long(), answer(text("Done"))) as server:
        events = await runner.run(server)
        sent = server.requests[5].body["messages"]
    kept = conversation_of(events)
    assert len(kept) == len(sent) + 1
    assert str(kept).count("left out to make room") == str(sent).count("left out to make room")


async def test_a_lone_surrogate_in_the_stream_harms_nothing(runner: Runner) -> None:
    odd = answer(text("a\ud800b"), tool_use("Glob", {"pattern": "*"}))
    with ScriptedServer(odd, answer(text("ok"))) as server:
        events = await runner.run(server)
        assert len(server.requests) == 2
    assert isinstance(events[-1], RunFinished)


@pytest.mark.parametrize("given", [[1, 2], {}, "text"])
async def test_a_tool_input_of_another_shape_is_refused_not_run(
    runner: Runner, given: object
) -> None:
    with ScriptedServer(answer(tool_use("Read", given)), answer(text("ok"))) as server:
        events = await runner.run(server)
    (finished,) = only(events, ToolFinished)
    assert finished.is_error
    assert isinstance(events[-1], RunFinished)


async def test_a_tool_call_cut_by_max_tokens_is_not_run(runner: Runner) -> None:
    step = answer(
        tool_use("Write", {}, raw='{"file_path": "a.txt", "con'), stop_reason="max_tokens"
    )
    with ScriptedServer(step) as server:
        events = await runner.run(server)
    assert only(events, ToolFinished) == []
    assert not (runner.workspace / "a.txt").exists()
    last = events[-1]
    assert isinstance(last, RunFailed)
    assert "reached the longest" in last.error


async def test_a_tool_call_in_a_stream_that_broke_is_not_run(runner: Runner) -> None:
    call = tool_use("Write", {"file_path": "a.txt", "content": "x"})
    broken = Step((call,), stop_reason="tool_use", ending="cut")
    with ScriptedServer(broken, answer(text("ok"))) as server:
        events = await runner.run(server)
    assert only(events, ToolFinished) == []
    assert isinstance(events[-1], RunFinished)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("refusal", "declined to go on"),
        ("pause_turn", "paused the answer too often"),
        ("max_tokens", "reached the longest"),
        ("a_new_reason", "unknown here (a_new_reason)"),
    ],
)
async def test_each_way_to_end_early_is_said_in_plain_words(
    runner: Runner, reason: str, words: str
) -> None:
    step = answer(text("So far"), stop_reason=reason, stop_details={"category": "cyber"})
    with ScriptedServer(step, repeat_last=True) as server:
        events = await runner.run(server)
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert last.outcome is Outcome.PARTIAL
    assert any(words in notice.text for notice in only(events, Notice))
