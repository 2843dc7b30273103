"""Named profiles: what they are made of, where their keys go, and what is said about faults."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from secretary_tui.config import Config
from secretary_tui.engines.base import EngineError
from secretary_tui.engines.choose import choose_engine, engine_offers, probe
from secretary_tui.engines.faults import explain_fault
from secretary_tui.engines.profiles.profile_client import with_thinking
from secretary_tui.engines.profiles.profile_engine import ProfileEngine
from secretary_tui.engines.profiles.profiles import KNOWN, find_profile, is_loopback
from secretary_tui.engines.structured import ask_structured
from secretary_tui.events import Usage
from tests.servers.anthropic_server import (
    ScriptedServer,
    Step,
    answer,
    error,
    json_answer,
    text,
)

SECRETS = {
    "ANTHROPIC_API_KEY": "sk-ant-of-the-api",
    "ANTHROPIC_AUTH_TOKEN": "token-of-the-api",
    "ANTHROPIC_BASE_URL": "https://evil.example",
    "GATEWAY_KEY": "key-of-the-gateway",
}


def gateway(url: str, **fields: Any) -> Config:
    own = {"base_url": url, "key_variable": "GATEWAY_KEY", "model": "big-1", **fields}
    return Config(engine="gateway", engines={"gateway": own})


def engine_for(config: Config, environ: dict[str, str]) -> ProfileEngine:
    engine = choose_engine(config, environ).engine
    assert isinstance(engine, ProfileEngine)
    return engine


async def test_a_profiles_key_goes_to_its_host_and_no_other_key_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Corporate-Secret: s3cret")
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    with ScriptedServer(answer(text("ok")), answer(text("ok"))) as server:
        for header in ("bearer", "x-api-key"):
            engine = engine_for(gateway(server.url, header=header), SECRETS)
            assert (await probe(engine)).ok
            await engine.aclose()
    bearer, api_key = (request.headers for request in server.requests)
    assert bearer["authorization"] == "Bearer key-of-the-gateway"
    assert "x-api-key" not in bearer
    assert api_key["x-api-key"] == "key-of-the-gateway"
    assert "authorization" not in api_key
    sent = json.dumps([dict(bearer), dict(api_key)])
    assert "of-the-api" not in sent
    assert "s3cret" not in sent
    assert server.requests[0].body["model"] == "big-1"


async def test_a_request_to_another_host_is_not_sent() -> None:
    with ScriptedServer(answer(text("ok"))) as other, ScriptedServer() as server:
        engine = engine_for(gateway(server.url), SECRETS)
        client = await engine.client()
        moved = client.with_options(base_url=other.url)
        with pytest.raises(Exception) as caught:
            await moved.messages.create(
                model="m", max_tokens=1, messages=[{"role": "user", "content": "x"}]
            )
        await engine.aclose()
    assert other.requests == []
    assert "was meant for" in explain_fault(caught.value).sentence


async def test_a_server_that_ignores_schemas_is_asked_in_words() -> None:
    with ScriptedServer(json_answer({"agent": "coder"})) as server:
        engine = engine_for(gateway(server.url), SECRETS)
        schema = {"type": "object", "properties": {"agent": {"type": "string"}}}
        found = await ask_structured(engine, system="Route.", prompt="x", schema=schema)
        await engine.aclose()
    assert found.data == {"agent": "coder"}
    (request,) = server.requests
    assert "output_config" not in request.body
    assert '"agent"' in request.body["system"]
    assert found.cost_usd is None


def test_what_is_known_of_prices_is_what_is_said() -> None:
    usage = Usage(input_tokens=1_000_000)
    deepseek = ProfileEngine(KNOWN["deepseek"], Config(), {})
    assert (deepseek.price("deepseek-flash", usage) or 0) > 0
    assert ProfileEngine(KNOWN["ollama"], Config(), {}).price("any", usage) == 0.0
    unknown = engine_for(gateway("https://llm.example"), SECRETS)
    assert unknown.price("big-1", usage) is None
    assert "price unknown" in unknown.limits
    assert "no pictures or PDFs" in unknown.limits


@pytest.mark.parametrize(
    ("wanted", "model", "warns"),
    [
        (None, "deepseek-flash", False),
        ("inherit", "deepseek-flash", False),
        ("opus", "deepseek-v4-pro", False),
        ("sonnet[1m]", "deepseek-flash", False),
        ("claude-opus-5-5", "deepseek-flash", True),
        ("deepseek-v4-pro", "deepseek-v4-pro", False),
        ("rm -rf /; \x1b[2J", "deepseek-flash", True),
    ],
)
def test_a_profile_has_models_of_its_own(wanted: str | None, model: str, warns: bool) -> None:
    found = ProfileEngine(KNOWN["deepseek"], Config(), {}).resolve_model(wanted)
    assert found.id == model
    assert bool(found.warning) is warns
    assert "\x1b" not in found.warning


def test_the_models_own_name_is_no_matter_for_a_warning() -> None:
    # Claude Code Router calls models by provider and model, with a comma.
    config = Config(engines={"router": {"base_url": "http://localhost:1", "model": "mine,big"}})
    found = ProfileEngine(find_profile("router", config), config, {}).resolve_model("mine,big")
    assert (found.id, found.warning) == ("mine,big", "")


def test_settings_change_a_known_profile_and_describe_new_ones() -> None:
    config = Config(engines={"ollama": {"model": "qwen3-coder", "max_tokens": 2000}})
    ollama = find_profile("ollama", config)
    assert (ollama.model, ollama.max_tokens) == ("qwen3-coder", 2000)
    assert ollama.base_url == "http://localhost:11434"
    assert ollama.is_here
    own = find_profile("gateway", gateway("https://llm.example/v1/"))
    assert own.base_url == "https://llm.example"
    assert own.host == "llm.example"
    assert not own.is_here


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"base_url": "llm.example"}, "must be an address"),
        ({"base_url": "https://user:pw@llm.example"}, "must be an address"),
        ({"base_url": "http://llm.example"}, "unencrypted"),
        ({"key_variable": "sk-ant-very-secret"}, "not a key"),
        ({"header": "basic"}, "bearer, x-api-key"),
        ({"prices": "cheap"}, "published, free, unknown"),
        ({"max_tokens": 0}, "from 1 to 128000"),
        ({"threads": "yes"}, "true or false"),
        ({"models": ["a"]}, "table of names"),
        ({"colour": "red"}, "'colour' is none of"),
    ],
)
def test_a_wrong_description_is_one_sentence(fields: dict[str, Any], words: str) -> None:
    choice = choose_engine(gateway("https://llm.example", **fields), SECRETS)
    assert choice.engine is None
    assert choice.is_misconfigured
    assert words in choice.why
    assert "very-secret" not in choice.why


def test_an_engine_nobody_described_names_those_there_are() -> None:
    choice = choose_engine(Config(engine="deepsek"), {})
    assert choice.engine is None
    assert "deepseek, ollama, lmstudio" in choice.why


def test_a_missing_or_broken_key_is_said_with_its_variable() -> None:
    assert "DEEPSEEK_API_KEY is not set" in choose_engine(Config(engine="deepseek"), SECRETS).why
    broken = choose_engine(Config(engine="deepseek"), {"DEEPSEEK_API_KEY": "sk-a\nb"})
    assert "line break" in broken.why
    assert "sk-a" not in broken.why


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (error(401, "authentication_error", "no"), "export GATEWAY_KEY=…"),
        (error(404, "not_found_error", "no"), "the setting `engines` (gateway)"),
        (Step(status=302, headers={"location": "https://x.example"}, body=b""), "(gateway)"),
    ],
)
async def test_a_fault_names_the_profiles_own_settings(step: Step, words: str) -> None:
    with ScriptedServer(step) as server:
        engine = engine_for(gateway(server.url), SECRETS)
        result = await probe(engine)
        await engine.aclose()
    assert not result.ok
    assert words in result.sentence
    assert "ANTHROPIC" not in result.sentence


async def test_where_nothing_listens_the_user_learns_how_to_start_it() -> None:
    with ScriptedServer() as server:
        url = server.url
    config = Config(engine="ollama", engines={"ollama": {"base_url": url, "model": "m"}})
    engine = engine_for(config, {})
    result = await probe(engine)
    await engine.aclose()
    assert not result.ok
    assert "ollama serve" in result.sentence
    offer = next(one for one in engine_offers(config, {}) if one.name == "ollama")
    assert "Nothing listens" in offer.problem


def test_only_what_can_be_used_is_offered_without_a_problem() -> None:
    with ScriptedServer() as server:
        config = Config(engines={"ollama": {"base_url": server.url}})
        offers = {one.name: one for one in engine_offers(config, {"DEEPSEEK_API_KEY": "k"})}
    assert offers["deepseek"].problem == ""
    assert offers["ollama"].problem == ""
    assert "no API key" in offers["anthropic"].problem
    assert offers["deepseek"].limits == ("no pictures or PDFs", "no web search")


@contextmanager
def listing(body: bytes) -> Iterator[str]:
    """A server that lists its models, as Ollama and LM Studio do."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/v1/models" else 404)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def test_without_a_model_the_first_one_that_is_listed_answers() -> None:
    with listing(b'{"data": [{"id": "qwen3-coder"}, {"id": "other"}]}') as url:
        engine = engine_for(Config(engine="ollama", engines={"ollama": {"base_url": url}}), {})
        assert "first model" in engine.resolve_model("sonnet").id
        await engine.prepare()
        assert engine.resolve_model("sonnet").id == "qwen3-coder"
        await engine.aclose()


async def test_a_server_without_models_says_how_to_name_one() -> None:
    with listing(b'{"data": []}') as url:
        engine = engine_for(Config(engine="ollama", engines={"ollama": {"base_url": url}}), {})
        with pytest.raises(EngineError, match="lists no model") as caught:
            await engine.prepare()
        await engine.aclose()
    assert "ollama: {model: NAME}" in caught.value.suggestion


def test_a_tool_call_without_a_thought_gets_an_empty_one() -> None:
    call = {"type": "tool_use", "id": "1", "name": "Read", "input": {}}
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    body = {
        "model": "m",
        "messages": [
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": [call]},
            {"role": "assistant", "content": [thought, call]},
            {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
        ],
    }
    first, bare, whole, said = with_thinking(body)["messages"]
    assert bare["content"][0] == {"type": "thinking", "thinking": "", "signature": ""}
    assert bare["content"][1] == call
    assert (first, whole, said) == tuple(body["messages"][i] for i in (0, 2, 3))  # type: ignore[index]


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("localhost", True),
        ("127.0.0.9", True),
        ("::1", True),
        ("localhost.evil.example", False),
        ("10.0.0.1", False),
    ],
)
def test_this_machine_is_known_by_its_addresses(host: str, here: bool) -> None:
    assert is_loopback(host) is here
