"""The set-up screen: three choices, offered once, and what each of them does."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from secretary_tui import paths
from secretary_tui.screens.setup.sentence_offer import SentenceOffer
from secretary_tui.screens.setup.setup import SetupScreen
from secretary_tui.sessions import ui_state
from tests.screens.desk import Desk, at_desk
from tests.servers.anthropic_server import ScriptedServer

Serve = Callable[..., ScriptedServer]


@pytest.fixture
def fresh(project: Path) -> Path:
    """A project whose user has never seen the set-up screen."""
    shutil.rmtree(paths.state_dir(), ignore_errors=True)
    assert not ui_state.load().onboarded
    return project


async def offered(desk: Desk) -> None:
    await desk.until(lambda: isinstance(desk.app.screen, SetupScreen))
    await desk.sees(
        "Use an API key", "Use the local model", "Routing only", "Find agents by meaning"
    )


async def skip_sentences(desk: Desk) -> None:
    await desk.until(lambda: isinstance(desk.app.screen, SentenceOffer))
    await desk.press("escape")


async def test_the_first_start_without_a_key_offers_three_choices_once(fresh: Path) -> None:
    async with at_desk(fresh) as desk:
        await offered(desk)
        await desk.sees("1.12 GB", "min", "Finding agents works without any model")
        await desk.press("escape")
        await skip_sentences(desk)
        await desk.sees("─ request ─")
    async with at_desk(fresh) as desk:
        assert desk.app.screen is desk.main
        await desk.press("f4")
        await offered(desk)


async def test_offline_nothing_is_offered(fresh: Path) -> None:
    async with at_desk(fresh, offline=True) as desk:
        assert desk.app.screen is desk.main


async def test_use_a_key_shows_how_and_says_that_it_is_never_written(fresh: Path) -> None:
    async with at_desk(fresh) as desk:
        await offered(desk)
        await desk.press("enter")
        await desk.sees("export ANTHROPIC_API_KEY=", "never written anywhere")


async def test_routing_only_is_kept_and_agents_are_still_found(fresh: Path) -> None:
    async with at_desk(fresh) as desk:
        await offered(desk)
        await desk.press("down", "down", "enter")
        await skip_sentences(desk)
        await desk.sees("─ request ─", "routing only")
        await desk.matched("write release notes")
        assert "release-scribe" in desk.match_text
    assert "engine: none" in paths.user_config().read_text()


async def test_what_finds_agents_by_meaning_is_fetched_or_it_is_said_why_not(
    fresh: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("HTTPS_PROXY", "ALL_PROXY"):  # Nowhere: the test needs no network.
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    async with at_desk(fresh) as desk:
        await offered(desk)
        await desk.sees("0.09 GB")
        await desk.press("down", "down", "down", "enter")
        await desk.sees("can't be downloaded", "found without it")


async def test_a_partial_download_says_how_much_is_left(fresh: Path) -> None:
    import json

    from secretary_tui.engines.local.weights import list_models, partial_path

    weights = list_models()[0]
    part = partial_path(weights)
    part.parent.mkdir(parents=True)
    with part.open("wb") as file:
        file.truncate(500_000_000)
    state = {"sha256": weights.sha256, "bytes": 500_000_000}
    part.with_name(f"{part.name}.json").write_text(json.dumps(state))
    async with at_desk(fresh) as desk:
        await offered(desk)
        await desk.sees("0.50 of 1.12 GB downloaded")


async def test_a_model_that_is_here_is_offered_first_and_the_other_beside_it(fresh: Path) -> None:
    from secretary_tui.engines.local.weights import find_model, model_path

    small = find_model("qwen2.5-coder-0.5b")
    model_path(small).parent.mkdir(parents=True)
    with model_path(small).open("wb") as file:
        file.truncate(small.size)
    ui_state.remember(onboarded=True)
    try:
        async with at_desk(fresh) as desk:
            await desk.press("f4")
            await desk.until(lambda: isinstance(desk.app.screen, SetupScreen))
            await desk.sees(f"Use the local model · {small.title}", "Downloaded.")
            await desk.sees("Qwen2.5-Coder 1.5B", "1.12 GB")
    finally:
        model_path(small).unlink()


async def test_another_engine_says_what_it_needs_and_one_that_can_be_used_is_taken(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", "k")
    async with at_desk(fresh) as desk:
        await offered(desk)
        await desk.press("end", "enter")
        await desk.sees("ollama serve", "can be used")
        await desk.press("up", "enter")
        await skip_sentences(desk)
        await desk.sees("─ request ─", "DeepSeek")
    assert "engine: deepseek" in paths.user_config().read_text()
