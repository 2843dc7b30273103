"""One structured question for every engine, with what differs between them as a value."""

from __future__ import annotations

import pytest

from secretary_tui.config import Config
from secretary_tui.engines.acp.acp_engine import AcpEngine
from secretary_tui.engines.acp.acp_profiles import KNOWN_AGENTS
from secretary_tui.engines.anthropic_api import AnthropicEngine
from secretary_tui.engines.base import EngineError, StructuredOutput
from secretary_tui.engines.structured import CACHED_FROM, ask_structured
from tests.servers.anthropic_server import ScriptedServer, hang, json_answer

SCHEMA = {"type": "object", "properties": {"agent": {"type": "string"}}}


def engine_at(url: str) -> AnthropicEngine:
    return AnthropicEngine(Config(), {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": url})


async def test_an_engine_that_is_an_agent_answers_no_questions() -> None:
    engine = AcpEngine(KNOWN_AGENTS["gemini"])
    with pytest.raises(EngineError, match="answers no other questions"):
        await ask_structured(engine, system="", prompt="x", schema=SCHEMA)


async def test_what_stays_the_same_stands_first_and_is_cached_when_it_is_long() -> None:
    with ScriptedServer(json_answer({}), json_answer({})) as server:
        engine = engine_at(server.url)
        for constant in ("short", "x" * CACHED_FROM):
            await ask_structured(
                engine, system="", constant=constant, prompt="q", schema=SCHEMA, timeout_s=30
            )
        await engine.aclose()
    short, long = (request.body["messages"][0]["content"] for request in server.requests)
    assert [block["text"] for block in short] == ["short", "q"]
    assert "cache_control" not in short[0]
    assert long[0]["cache_control"] == {"type": "ephemeral"}


async def test_who_is_too_slow_is_named_with_what_helps() -> None:
    with ScriptedServer(hang()) as server:
        engine = engine_at(server.url)
        engine.structured_output = StructuredOutput("The model", slow_hint="Wait longer.")
        with pytest.raises(EngineError, match=r"The model did not answer within 0\.3 s") as caught:
            await ask_structured(engine, system="", prompt="x", schema=SCHEMA, timeout_s=0.3)
        await engine.aclose()
    assert caught.value.suggestion == "Wait longer."
