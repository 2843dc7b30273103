"""How far the local model has read a prompt: told while nothing else comes, and quickly left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from secretary_tui.config import Config
from secretary_tui.engines import prompt_reading
from secretary_tui.engines.local.local_engine import LocalEngine
from secretary_tui.engines.prompt_reading import ReadingProgress, TellsReading

pytestmark = [pytest.mark.model, pytest.mark.asyncio(loop_scope="module")]


@pytest.fixture
def look_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_reading, "LOOK_EVERY_S", 0.01)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(smollm2: Path) -> AsyncIterator[LocalEngine]:
    engine = LocalEngine(Config(local_model=str(smollm2)))
    await engine.client()
    yield engine
    await engine.aclose()


def asking(text: str) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 3, "messages": [{"role": "user", "content": text}]}


class Told(list[ReadingProgress]):
    """What was told."""

    def __init__(self) -> None:
        super().__init__()
        self.any = asyncio.Event()

    def take(self, look: ReadingProgress) -> None:
        self.append(look)
        self.any.set()


async def ask(engine: LocalEngine, body: dict[str, Any], told: Told | None = None) -> Any:
    """Ask as a turn does: the reading is followed until the answer begins."""
    following = asyncio.create_task(
        engine.follow_reading(body, (Told() if told is None else told).take)
    )
    client = await engine.client()
    try:
        async with client.messages.stream(**body) as stream:
            async for _ in stream:
                following.cancel()
            return await stream.get_final_message()
    finally:
        following.cancel()
        await asyncio.wait([following])


@pytest.mark.usefixtures("look_often")
async def test_the_part_that_was_read_grows_to_the_whole(engine: LocalEngine) -> None:
    assert isinstance(engine, TellsReading)
    told = Told()
    message = await ask(engine, asking("The quick brown fox. " * 110), told)
    assert {one.total for one in told} == {message.usage.input_tokens}
    tokens = [one.tokens for one in told]
    assert tokens == sorted(tokens)
    assert len(set(tokens)) > 2
    assert told[0].left_s is None
    assert told[-1].left_s is not None
    assert told[-1].left_s < told[-1].elapsed_s


async def test_a_prompt_that_another_one_displaced_is_not_read_again(engine: LocalEngine) -> None:
    first, second = "Alpha rules. " * 60, "Beta lists agents. " * 60
    for text in (first, second):
        await ask(engine, asking(text))
    message = await ask(engine, asking(f"{first} More."))
    assert message.usage.cache_read_input_tokens > 10 * message.usage.input_tokens


async def test_stopping_while_it_reads_lets_go_at_once(engine: LocalEngine) -> None:
    told = Told()
    asked = asyncio.create_task(ask(engine, asking("A slow green turtle. " * 800), told))
    async with asyncio.timeout(30):
        await told.any.wait()
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        # The model is free again long before it would have read the rest.
        message = await ask(engine, asking("Hello."))
    assert told[-1].tokens < told[-1].total
    assert message.usage.output_tokens > 0


async def test_a_server_that_cannot_tell_is_not_asked_again(engine: LocalEngine) -> None:
    told = Told()
    async with asyncio.timeout(10):
        await engine.follow_reading({"model": "m"}, told.take)
    assert told == []
