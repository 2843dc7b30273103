"""Which engine serves, and what the user is told about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from secretary_tui.config import Config
from secretary_tui.engines.anthropic_api import AnthropicEngine
from secretary_tui.engines.choose import choose_engine, probe
from secretary_tui.engines.local import local_engine
from secretary_tui.events import Usage
from tests.engines.gguf_file import tiny_gguf
from tests.servers.anthropic_server import ScriptedServer, answer, error, hang, text

KEY = {"ANTHROPIC_API_KEY": "sk-ant-x"}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(b"GGUF")
    return path


@pytest.fixture(autouse=True)
def runtime(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the runtime count as installed, so that these tests hold on any machine."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())


def test_a_key_chooses_the_api_even_with_a_local_model(model: Path) -> None:
    choice = choose_engine(Config(local_model=str(model)), KEY)
    assert choice.kind == "anthropic"
    assert choice.why == "There is an API key, so Claude API answers."


def test_without_a_key_the_local_model_answers(model: Path) -> None:
    choice = choose_engine(Config(local_model=str(model)), {})
    assert choice.kind == "local"
    assert isinstance(choice.engine, local_engine.LocalEngine)
    assert choice.engine.label == "local · tiny"
    assert "no API key" in choice.why
    assert "small local model tiny" in choice.why


def test_with_neither_the_user_learns_what_both_need() -> None:
    choice = choose_engine(Config(), {})
    assert (choice.kind, choice.engine) == ("none", None)
    assert "ANTHROPIC_API_KEY" in choice.why
    assert "secretary-tui model get" in choice.why


def test_the_setting_wins_over_what_is_there(model: Path) -> None:
    here = Config(local_model=str(model))
    assert choose_engine(here.override(engine="local"), KEY).kind == "local"
    assert choose_engine(here.override(engine="none"), KEY).kind == "none"
    missing = choose_engine(here.override(engine="anthropic"), {})
    assert missing.kind == "none"
    assert "local" not in missing.why


def test_a_missing_model_file_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone.gguf"
    assert f"{gone} is missing" in choose_engine(Config(local_model=str(gone)), {}).why


def test_a_key_that_cannot_be_used_is_said_and_not_shown(model: Path) -> None:
    bad = {"ANTHROPIC_API_KEY": "sk-ant-a\nb"}
    choice = choose_engine(Config(local_model=str(model)), bad)
    assert choice.kind == "local"
    assert "characters that no key has" in choice.why
    assert "sk-ant" not in choice.why


@pytest.mark.parametrize(
    ("key", "what"),
    [
        ("sk-ant-a\nb", "a line break"),
        ("sk-ant-a\x1bb", "a control character"),
        ("sk-ant-a b", "a blank"),
        ("sk-ant-ä", "a character outside ASCII"),
    ],
)
def test_what_is_wrong_with_a_key_is_named_when_nothing_else_answers(key: str, what: str) -> None:
    choice = choose_engine(Config(), {"ANTHROPIC_API_KEY": key})
    assert (choice.kind, choice.is_misconfigured) == ("none", True)
    assert f"ANTHROPIC_API_KEY holds characters that no key has ({what})" in choice.why
    assert not choose_engine(Config(), {}).is_misconfigured


def test_an_address_that_is_none_is_named_and_not_called() -> None:
    environ = {**KEY, "ANTHROPIC_BASE_URL": "ftp://nowhere"}
    choice = choose_engine(Config(), environ)
    assert (choice.kind, choice.is_misconfigured) == ("none", True)
    assert "ANTHROPIC_BASE_URL" in choice.why


def test_without_the_runtime_the_way_to_install_it_is_shown(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    choice = choose_engine(Config(local_model=str(model)), {})
    assert choice.kind == "none"
    assert "pip install 'secretary-tui[local]'" in choice.why


async def test_a_probe_says_that_the_model_answers() -> None:
    with ScriptedServer(answer(text("ok"))) as server:
        engine = AnthropicEngine(Config(), {**KEY, "ANTHROPIC_BASE_URL": server.url})
        found = await probe(engine, 10)
        await engine.aclose()
    assert found.ok
    assert "claude-sonnet-5-5 answers" in found.sentence
    assert server.requests[0].body["max_tokens"] == 1


async def test_a_probe_that_fails_is_a_sentence_with_a_way_out() -> None:
    with ScriptedServer(error(401, "authentication_error", "bad"), hang()) as server:
        engine = AnthropicEngine(Config(), {**KEY, "ANTHROPIC_BASE_URL": server.url})
        refused, silent = await probe(engine, 10), await probe(engine, 0.2)
        await engine.aclose()
    assert not refused.ok
    assert "export ANTHROPIC_API_KEY" in refused.sentence
    assert "within 0.2 s" in silent.sentence


def test_the_one_model_answers_whatever_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "Qwen2.5-Coder-1.5B.gguf"
    path.write_bytes(tiny_gguf())
    engine = local_engine.LocalEngine(Config(local_model=str(path)))
    assert engine.label == "local · qwen2.5-coder-1.5b"
    assert engine.resolve_model("inherit").warning == ""
    asked = engine.resolve_model("opus")
    assert asked.id == "qwen2.5-coder-1.5b"
    assert "small local model" in asked.warning
    assert engine.price("any", Usage(1000, 1000)) == 0.0
    assert not engine.supports_threads
