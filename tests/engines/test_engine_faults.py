"""Each row of the fault table: a sentence, a suggestion and a policy, and never a key."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable

import anthropic
import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.config import Config
from secretary_tui.engines.anthropic_api import AnthropicEngine
from secretary_tui.engines.base import EngineError
from secretary_tui.engines.faults import (
    Fault,
    FaultKind,
    engine_error,
    explain_fault,
    retry_after_s,
    spoken,
)
from secretary_tui.engines.structured import ask_structured
from secretary_tui.redact import MASK, redact
from tests.servers.anthropic_server import (
    ScriptedServer,
    Step,
    chunk_cut,
    cut,
    error,
    hang,
    raw,
    stall,
    stream_error,
    tool_use,
)

KEY = "sk-ant-api03-VerySecretKeyMaterial"


async def fault_of(url: str, *, stream: bool, read_timeout_s: float = 60.0) -> Fault:
    """Make one request as the product does and explain what came out."""
    engine = AnthropicEngine(Config(), {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url})
    client = await engine.client()
    request = {
        "model": "claude-sonnet-5-5",
        "max_tokens": 50,
        "messages": [{"role": "user", "content": "hi"}],
        "timeout": httpx2.Timeout(60.0, read=read_timeout_s),
    }
    try:
        if stream:
            async with client.messages.stream(**request) as events:  # type: ignore[arg-type]
                await events.get_final_message()
        else:
            await client.messages.create(**request)  # type: ignore[call-overload]
    except Exception as caught:
        fault = explain_fault(caught)
        assert KEY not in repr(fault)
        assert "Traceback" not in fault.sentence
        assert fault.sentence.endswith(".")
        assert fault.suggestion
        return fault
    finally:
        await engine.aclose()
    raise AssertionError("the request succeeded")


STATUSES: list[tuple[int, str, str, FaultKind, bool]] = [
    (400, "invalid_request_error", "max_tokens: too high", FaultKind.INVALID_REQUEST, False),
    (400, "invalid_request_error", "prompt is too long: 9 > 8", FaultKind.TOO_LONG, False),
    (400, "invalid_request_error", "Your credit balance is too low", FaultKind.BILLING, False),
    (400, "", "Invalid model name passed in model=big.", FaultKind.NOT_FOUND, False),
    (400, "", "No connected db.", FaultKind.AUTHENTICATION, False),
    (400, "exceed_context_size_error", "the request is big", FaultKind.TOO_LONG, False),
    (401, "authentication_error", "invalid x-api-key", FaultKind.AUTHENTICATION, False),
    (402, "billing_error", "pay first", FaultKind.BILLING, False),
    (403, "permission_error", "not allowed", FaultKind.PERMISSION, False),
    (404, "not_found_error", "model: claude-nope", FaultKind.NOT_FOUND, False),
    (408, "timeout_error", "too slow", FaultKind.TIMEOUT, True),
    (409, "conflict_error", "busy", FaultKind.CONFLICT, True),
    (413, "request_too_large", "too big", FaultKind.TOO_LARGE, False),
    (422, "invalid_request_error", "no", FaultKind.INVALID_REQUEST, False),
    (429, "rate_limit_error", "slow down", FaultKind.RATE_LIMIT, True),
    (500, "api_error", "oops", FaultKind.SERVER, True),
    (502, "api_error", "bad gateway", FaultKind.SERVER, True),
    (503, "api_error", "unavailable", FaultKind.OVERLOADED, True),
    (504, "timeout_error", "gateway", FaultKind.TIMEOUT, True),
    (529, "overloaded_error", "Overloaded", FaultKind.OVERLOADED, True),
]


@pytest.mark.parametrize(("status", "type_", "message", "kind", "retryable"), STATUSES)
async def test_each_http_status_has_its_meaning(
    status: int, type_: str, message: str, kind: FaultKind, retryable: bool
) -> None:
    with ScriptedServer(error(status, type_, message)) as server:
        fault = await fault_of(server.url, stream=True)
    assert (fault.kind, fault.retryable) == (kind, retryable)
    assert message in fault.sentence
    assert len(server.requests) == 1, "the SDK must not retry on its own"


STREAMS: list[tuple[str, Step, FaultKind, bool]] = [
    ("overloaded", stream_error("overloaded_error"), FaultKind.OVERLOADED, True),
    ("api", stream_error("api_error"), FaultKind.SERVER, True),
    ("rate", stream_error("rate_limit_error"), FaultKind.RATE_LIMIT, True),
    ("timeout", stream_error("timeout_error"), FaultKind.TIMEOUT, True),
    ("first event", stream_error("overloaded_error", after=""), FaultKind.OVERLOADED, True),
    ("invalid", stream_error("invalid_request_error"), FaultKind.INVALID_REQUEST, False),
    ("cut chunk", chunk_cut("Hel"), FaultKind.CUT_OFF, True),
    ("reset", cut("Hel", clean=False), FaultKind.CUT_OFF, True),
    ("stall", stall("Hel", 30), FaultKind.TIMEOUT, True),
    ("hang", hang(), FaultKind.TIMEOUT, True),
    ("empty", raw(""), FaultKind.MALFORMED, False),
    ("html", raw("<html>hi</html>", "text/html"), FaultKind.MALFORMED, False),
    ("bad json", raw("event: message_start\ndata: {oops\n\n"), FaultKind.MALFORMED, False),
    (
        "bad tool json",
        Step((tool_use("Read", {}, raw='{"file_path": }'),), stop_reason="tool_use"),
        FaultKind.MALFORMED,
        False,
    ),
]


@pytest.mark.parametrize(
    ("step", "kind", "retryable"), [row[1:] for row in STREAMS], ids=[row[0] for row in STREAMS]
)
async def test_each_broken_stream_has_its_meaning(
    step: Step, kind: FaultKind, retryable: bool
) -> None:
    with ScriptedServer(step) as server:
        fault = await fault_of(
            server.url, stream=True, read_timeout_s=0.3 if kind is FaultKind.TIMEOUT else 60.0
        )
    assert (fault.kind, fault.retryable) == (kind, retryable)
    assert "127.0.0.1" in fault.sentence or step.stream_error or kind is FaultKind.MALFORMED


async def test_nobody_listening_is_a_network_fault() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        fault = await fault_of(f"http://127.0.0.1:{taken.getsockname()[1]}", stream=False)
    assert fault.kind is FaultKind.NETWORK
    assert fault.retryable
    assert "can't be reached" in fault.sentence


async def test_an_unknown_host_says_that_the_network_may_be_down() -> None:
    fault = await fault_of("http://no-such-host.invalid", stream=False)
    assert fault.kind is FaultKind.NETWORK
    assert "no-such-host.invalid" in fault.sentence


async def test_a_redirect_is_not_followed_so_the_prompt_stays() -> None:
    with ScriptedServer(error(500, "api_error", "must not arrive")) as other:
        away = raw("", status=307, location=f"{other.url}/v1/messages")
        with ScriptedServer(away) as server:
            fault = await fault_of(server.url, stream=False)
        assert other.requests == []
    assert fault.kind is FaultKind.REDIRECT
    assert not fault.retryable


@pytest.mark.parametrize(
    ("value", "wait", "retryable"),
    [("2", 2.0, True), ("0", 0.0, True), ("3600", 3600.0, False), ("soon", None, True)],
)
async def test_a_rate_limit_says_how_long_to_wait(
    value: str, wait: float | None, retryable: bool
) -> None:
    with ScriptedServer(error(429, "rate_limit_error", "slow", retry_after=value)) as server:
        fault = await fault_of(server.url, stream=True)
    assert (fault.retry_after_s, fault.retryable) == (wait, retryable)
    assert ("1 hour" in fault.suggestion) is (value == "3600")


async def test_the_server_may_forbid_a_retry() -> None:
    step = raw('{"error": {"message": "no"}}', "application/json", 500, x_should_retry="false")
    with ScriptedServer(step) as server:
        assert not (await fault_of(server.url, stream=False)).retryable


async def test_an_echoed_key_is_masked() -> None:
    with ScriptedServer(error(401, "authentication_error", f"bad key {KEY}")) as server:
        fault = await fault_of(server.url, stream=False)
    assert MASK in fault.sentence


async def test_an_echoed_token_of_unknown_shape_is_masked() -> None:
    environ = {"ANTHROPIC_API_KEY": "plainword-token"}
    with ScriptedServer(error(401, "authentication_error", "bad plainword-token here")) as server:
        engine = AnthropicEngine(Config(), {**environ, "ANTHROPIC_BASE_URL": server.url})
        with pytest.raises(EngineError) as caught:
            await ask_structured(engine, system="", prompt="x", schema={"type": "object"})
        await engine.aclose()
    assert "plainword-token" not in str(caught.value)


def test_a_header_that_cannot_be_written_does_not_quote_the_key() -> None:
    request = httpx2.Request("POST", "https://api.anthropic.com/v1/messages")
    wrapped = anthropic.APIConnectionError(request=request)
    wrapped.__cause__ = httpx2.LocalProtocolError(f"Illegal header value b'Bearer {KEY}\\n'")
    fault = explain_fault(wrapped)
    assert fault.kind is FaultKind.AUTHENTICATION
    assert KEY not in repr(fault)


PLAIN: list[tuple[Callable[[], BaseException], FaultKind]] = [
    (AssertionError, FaultKind.MALFORMED),
    (lambda: json.JSONDecodeError("Expecting value", "x", 0), FaultKind.MALFORMED),
    (lambda: ValueError("Unable to parse tool input"), FaultKind.MALFORMED),
    (lambda: UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates"), FaultKind.MALFORMED),
    (TimeoutError, FaultKind.TIMEOUT),
    (lambda: httpx2.ReadError("x"), FaultKind.CUT_OFF),
    (lambda: httpx2.RemoteProtocolError("x"), FaultKind.CUT_OFF),
    (lambda: httpx2.ReadTimeout("x"), FaultKind.TIMEOUT),
    (lambda: httpx2.ConnectTimeout("x"), FaultKind.NETWORK),
    (lambda: httpx2.UnsupportedProtocol("no scheme"), FaultKind.ADDRESS),
    (lambda: httpx2.ConnectError("CERTIFICATE_VERIFY_FAILED"), FaultKind.ADDRESS),
    (lambda: KeyError("odd"), FaultKind.UNKNOWN),
]


@pytest.mark.parametrize(("make", "kind"), PLAIN)
def test_errors_that_the_sdk_does_not_wrap_have_a_meaning(
    make: Callable[[], BaseException], kind: FaultKind
) -> None:
    assert explain_fault(make()).kind is kind


def test_an_engine_error_keeps_its_words_even_as_a_cause() -> None:
    wrapped = RuntimeError("outer")
    wrapped.__cause__ = EngineError("The model sleeps.", "Wake it.")
    fault = explain_fault(wrapped)
    assert (fault.kind, fault.sentence, fault.suggestion) == (
        FaultKind.ENGINE,
        "The model sleeps.",
        "Wake it.",
    )


def test_an_engine_error_made_from_a_fault_gives_the_fault_back() -> None:
    first = explain_fault(httpx2.ReadError("x"))
    assert explain_fault(engine_error(httpx2.ReadError("x"))) == first


@pytest.mark.parametrize(
    "text_",
    [
        "Authorization: Bearer abcdefghijkl",
        "b'Bearer abcdefghijkl'",
        "x-api-key: abcdefghijkl",
        '{"x-api-key": "abcdefghijkl"}',
        "ANTHROPIC_AUTH_TOKEN=abcdefghijkl",
        "https://me:abcdefghijkl@host/simple",
        "('authorization', 'Bearer abcdefghijkl')",
    ],
)
def test_labelled_secrets_are_masked(text_: str) -> None:
    assert "abcdefghijkl" not in redact(text_)


def test_ordinary_words_stay() -> None:
    words = "The task: sketch a risk-free plan, ask-me anything; password hashing in basic terms."
    assert redact(words) == words


@given(st.text(), st.text("abcXYZ019_-", min_size=12), st.text())
def test_a_key_in_any_text_is_masked(before: str, body: str, after: str) -> None:
    assert f"sk-ant-{body}" not in redact(f"{before} sk-ant-{body} {after}")


@given(st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms"]), st.text()))
def test_any_retry_header_is_read_without_a_crash(headers: dict[str, str]) -> None:
    wait = retry_after_s(headers)
    assert wait is None or wait >= 0


def test_spans_are_spoken_as_people_do() -> None:
    assert [spoken(s) for s in (0.2, 59, 60, 150, 3600, 90000)] == [
        "1 second", "59 seconds", "1 minute", "2 minutes", "1 hour", "25 hours",
    ]  # fmt: skip


async def test_the_text_of_an_error_is_cleaned() -> None:
    with ScriptedServer(error(400, "invalid_request_error", "\x1b]52;c;eA==\x07bad\x1b[2J")) as s:
        fault = await fault_of(s.url, stream=False)
    assert "\x1b" not in fault.sentence
    assert "bad" in fault.sentence


@pytest.mark.parametrize("before", ["", "token ", "x=", "next%3D", "line\\n", '"', "a."])
def test_a_web_token_is_masked_wherever_a_word_may_begin(before: str) -> None:
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF_-123"
    assert redact(before + token) == before + MASK


@pytest.mark.parametrize("piece", ["a.", "a-", "at a.", "://a:", "eyJ", "eyJabcdefgh."])
def test_a_megabyte_made_to_keep_the_search_for_secrets_busy_does_not(piece: str) -> None:
    # The scheme of an address was looked for from each piece to the last one: for hours.
    text = piece * 300_000 + " ftp://me:hunter22@host"
    assert redact(text).endswith(" ftp://[redacted]@host")
