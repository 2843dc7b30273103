"""The API engine against a scripted server over real HTTP."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from secretary_tui.config import Config
from secretary_tui.engines.anthropic_api import AnthropicEngine, read_base_url, read_key
from secretary_tui.engines.base import EngineError
from secretary_tui.engines.structured import ask_structured
from secretary_tui.events import Usage
from tests.servers.anthropic_server import (
    ScriptedServer,
    Step,
    answer,
    error,
    hang,
    json_answer,
    text,
)

SCHEMA = {
    "type": "object",
    "properties": {"agent": {"type": "string"}, "confidence": {"type": "integer", "minimum": 0}},
    "required": ["agent"],
}


def engine_at(url: str, config: Config | None = None) -> AnthropicEngine:
    return AnthropicEngine(
        config or Config(), {"ANTHROPIC_API_KEY": "sk-ant-test", "ANTHROPIC_BASE_URL": url}
    )


async def test_a_structured_answer_comes_in_one_request_by_the_schema() -> None:
    with ScriptedServer(json_answer({"agent": "coder", "confidence": 90})) as server:
        engine = engine_at(server.url)
        found = await ask_structured(
            engine, system="Route.", prompt="fix it", schema=SCHEMA, model=Config().routing_model
        )
        await engine.aclose()
    assert found.data == {"agent": "coder", "confidence": 90}
    assert found.usage == Usage(input_tokens=12, output_tokens=7)
    assert found.cost_usd is not None
    assert found.cost_usd > 0
    (request,) = server.requests
    wanted = request.body["output_config"]["format"]
    assert wanted["type"] == "json_schema"
    assert wanted["schema"]["additionalProperties"] is False
    assert request.body["model"] == "claude-haiku-5-5"
    assert request.body["system"] == "Route."
    assert request.headers["authorization"] == "Bearer sk-ant-test"


async def test_a_fenced_answer_of_another_server_is_understood() -> None:
    with ScriptedServer(answer(text('```json\n{"agent": "coder"}\n```'))) as server:
        engine = engine_at(server.url)
        found = await ask_structured(engine, system="", prompt="x", schema=SCHEMA)
        await engine.aclose()
    assert found.data == {"agent": "coder"}


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (answer(text("not json")), "not valid JSON"),
        (answer(text("[" * 100_000)), "nested too deeply"),
        (json_answer([1, 2]), "not a JSON object"),
        (answer(text("no"), stop_reason="refusal"), "declined"),
        (json_answer({"a": 1}, stop_reason="max_tokens"), "cut off"),
        (error(529, "overloaded_error", "Overloaded"), "overloaded"),
        (error(401, "authentication_error", "invalid"), "did not accept the API key"),
        (hang(), "did not answer within 0.3 s"),
    ],
)
async def test_whatever_goes_wrong_is_one_sentence(step: Step, words: str) -> None:
    with ScriptedServer(step) as server:
        engine = engine_at(server.url)
        with pytest.raises(EngineError, match=words):
            timeout_s = 0.3 if step.ending == "hang" else 10
            await ask_structured(engine, system="", prompt="x", schema=SCHEMA, timeout_s=timeout_s)
        await engine.aclose()
    assert len(server.requests) == 1


async def test_without_a_key_the_user_learns_how_to_set_one() -> None:
    with pytest.raises(EngineError) as caught:
        await AnthropicEngine(Config(), {"ANTHROPIC_API_KEY": "  "}).client()
    assert "export ANTHROPIC_API_KEY=" in caught.value.suggestion


def test_white_space_around_a_key_is_dropped() -> None:
    assert read_key({"ANTHROPIC_API_KEY": " sk-ant-x\n"}) == "sk-ant-x"
    assert read_key({"ANTHROPIC_API_KEY": "", "ANTHROPIC_AUTH_TOKEN": "tok\r\n"}) == "tok"


@pytest.mark.parametrize("key", ["sk-ant-a\nb", "sk-ant-a\x07b", "sk-ant a", "sk-ant-é"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(EngineError) as caught:
        read_key({"ANTHROPIC_API_KEY": key})
    assert "sk-ant" not in f"{caught.value} {caught.value.suggestion}"


@pytest.mark.parametrize(
    "url", ["ftp://x", "localhost:11434", "http://", "http://h:99999", "x\x07"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(EngineError, match="not a usable address"):
        read_base_url({"ANTHROPIC_BASE_URL": url})


def test_a_project_cannot_move_the_key_to_another_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("ANTHROPIC_BASE_URL=http://evil.example\n")
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"env": {"ANTHROPIC_BASE_URL": "http://evil.example"}}')
    monkeypatch.chdir(tmp_path)
    engine = AnthropicEngine(Config(), {"ANTHROPIC_API_KEY": "k"})
    assert engine.label == "Claude API"
    assert read_base_url({}) == "https://api.anthropic.com"


async def test_the_client_neither_retries_nor_follows_redirects_nor_waits_for_ever() -> None:
    engine = AnthropicEngine(Config(), {"ANTHROPIC_API_KEY": "k"})
    client = await engine.client()
    assert client is await engine.client()
    assert client.max_retries == 0
    assert client._client.follow_redirects is False
    assert client._client.timeout.read == 60
    assert client._client.timeout.connect == 10
    assert str(client.base_url) == "https://api.anthropic.com"
    await engine.aclose()


def test_threads_are_kept_on_the_real_api_only() -> None:
    assert AnthropicEngine(Config(), {}).supports_threads
    assert not engine_at("http://127.0.0.1:9").supports_threads
    assert not engine_at("https://api.anthropic.com.evil.example").supports_threads
    assert engine_at("http://localhost:11434").label == "Messages API · localhost:11434"


@pytest.mark.parametrize(
    ("wanted", "model", "warns"),
    [
        (None, "claude-sonnet-5-5", False),
        ("inherit", "claude-sonnet-5-5", False),
        ("Opus", "claude-opus-5-5", False),
        ("claude-haiku-5-5", "claude-haiku-5-5", False),
        ("sonnet[1m]", "claude-sonnet-5-5", True),
        ("gpt-5", "claude-sonnet-5-5", True),
        ("rm -rf /; \x1b[2J", "claude-sonnet-5-5", True),
        ("mine", "claude-fable-5-2", False),
        ("loop", "claude-sonnet-5-5", True),
    ],
)
def test_a_model_name_is_resolved_or_replaced_with_a_warning(
    wanted: str | None, model: str, warns: bool
) -> None:
    aliases = {**Config().model_aliases, "mine": "fable", "loop": "loop2", "loop2": "loop"}
    found = AnthropicEngine(Config(model_aliases=aliases), {}).resolve_model(wanted)
    assert found.id == model
    assert bool(found.warning) is warns
    assert "\x1b" not in found.warning


def test_another_server_may_have_other_models() -> None:
    config = Config(default_model="qwen3:8b")
    assert engine_at("http://localhost:11434", config).resolve_model(None).id == "qwen3:8b"
    assert "unknown" in AnthropicEngine(config, {}).resolve_model(None).warning


def test_cached_tokens_cost_less_than_fresh_ones_and_unknown_models_have_no_price() -> None:
    engine = AnthropicEngine(Config(), {})
    fresh = engine.price("claude-sonnet-5-5", Usage(input_tokens=1000))
    cached = engine.price("claude-sonnet-5-5", Usage(cache_read_tokens=1000))
    assert fresh is not None
    assert cached is not None
    assert 0 < cached < fresh
    assert engine.price("no-such-model", Usage(input_tokens=1)) is None


def test_choosing_an_engine_imports_nothing_heavy() -> None:
    heavy = ("anthropic", "httpx2", "xllamacpp", "genai_prices", "pydantic", "ruamel.yaml", "numpy")
    code = (
        "import sys; from secretary_tui.config import Config; "
        "from secretary_tui.engines.choose import choose_engine; "
        "choose_engine(Config(), {'ANTHROPIC_API_KEY': 'k'}); "
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
