"""A model of this machine is loaded for a run that may come, where that costs nobody anything."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from secretary_tui.config import Config
from secretary_tui.engine_service import EngineService
from secretary_tui.engines.base import WarmsUp
from tests.waiting import until_it_holds

pytestmark = pytest.mark.model


@pytest_asyncio.fixture
async def engines(smollm2: Path) -> AsyncIterator[EngineService]:
    service = EngineService(Config(engine="local", local_model=str(smollm2)), environ={})
    yield service
    await service.aclose()


def local(engines: EngineService) -> WarmsUp:
    assert isinstance(engines.engine, WarmsUp)
    return engines.engine


async def test_the_model_is_loaded_while_nobody_waits_for_it(engines: EngineService) -> None:
    assert not local(engines).is_up
    engines.load_ahead("", "", "")
    await until_it_holds(lambda: local(engines).is_up)


async def test_it_is_not_where_memory_is_short(
    engines: EngineService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secretary_tui.engines.local.local_process.MEMORY_TO_SPARE", 10**18)
    engines.load_ahead("", "", "")
    assert engines._loading is not None
    await engines._loading
    assert not local(engines).is_up


async def test_a_run_of_another_agent_ends_the_reading_and_not_the_model(
    engines: EngineService,
) -> None:
    engines.load_ahead("", "You are a poet. " * 400, "")
    await until_it_holds(lambda: local(engines).is_up)
    engines.stop_loading_ahead(but="You are a plumber.")
    assert engines._loading is not None
    with pytest.raises(asyncio.CancelledError):
        await engines._loading
    assert local(engines).is_up


async def test_a_model_that_is_missing_is_the_runs_to_say(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_text("no model")
    engines = EngineService(Config(engine="local", local_model=str(broken)), environ={})
    engines.load_ahead("", "", "")
    assert engines._loading is not None
    await engines._loading


async def test_an_engine_elsewhere_has_nothing_to_load() -> None:
    engines = EngineService(Config(), environ={"ANTHROPIC_API_KEY": "k"})
    engines.load_ahead("", "", "")
    assert engines._loading is None
