"""What finds agents by meaning is offered once, and its download keeps nobody from working."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from secretary_tui import paths
from secretary_tui.engines.local import weights
from secretary_tui.engines.local.catalogue import SENTENCE_MODEL, OfficialFile
from secretary_tui.routing.sentences import sentence_model
from secretary_tui.routing.sentences.architecture import MINILM
from secretary_tui.routing.sentences.sentence_model import SentenceModel
from secretary_tui.screens.setup import sentence_offer
from secretary_tui.screens.setup.sentence_offer import SentenceOffer
from secretary_tui.screens.setup.setup import SetupScreen
from secretary_tui.sessions import ui_state
from tests.routing.sentence_model import write_model
from tests.screens.desk import Desk, at_desk
from tests.servers.anthropic_server import ScriptedServer
from tests.servers.file_server import FileServer

Serve = Callable[..., ScriptedServer]


@pytest.fixture
def fresh(project: Path) -> Path:
    """A project whose user has never started the app."""
    shutil.rmtree(paths.state_dir(), ignore_errors=True)
    return project


@pytest.fixture
def publish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Let a small model be the published one, at the address of a server that has its bytes."""
    model = SentenceModel(SENTENCE_MODEL, replace(MINILM, width=24, layers=1, inner=32))
    data = write_model(tmp_path, model).weights.read_bytes()

    def make(url: str) -> None:
        digest = hashlib.sha256(data).hexdigest()
        parts = (OfficialFile(url, len(data), digest),)
        small = replace(
            SENTENCE_MODEL, url=url, size=len(data), sha256=digest, parts=parts, mirror=None
        )
        monkeypatch.setattr(sentence_offer, "SENTENCE_MODEL", small)
        monkeypatch.setattr(weights, "SENTENCE_MODELS", (small,))
        monkeypatch.setattr(sentence_model, "MODELS", (replace(model, weights=small),))

    make("http://127.0.0.1:9/nowhere")
    return data, make


async def offered(desk: Desk) -> None:
    await desk.until(lambda: isinstance(desk.app.screen, SentenceOffer))
    await desk.sees("Find agents by meaning", "91 MB", "Enter download", "Esc skip")


async def test_it_is_offered_at_the_first_start_and_never_again_after_a_skip(
    fresh: Path, serve: Serve
) -> None:
    serve()
    async with at_desk(fresh) as desk:
        await offered(desk)
        await desk.press("escape")
        await desk.until(lambda: desk.app.screen is desk.main)
    assert ui_state.load().onboarded
    async with at_desk(fresh) as desk:
        assert desk.app.screen is desk.main


async def test_without_a_key_it_follows_the_choice_of_a_model(fresh: Path) -> None:
    async with at_desk(fresh) as desk:
        await desk.until(lambda: isinstance(desk.app.screen, SetupScreen))
        await desk.press("escape")
        await offered(desk)
        await desk.press("escape")
        await desk.until(lambda: desk.app.screen is desk.main)


async def test_the_download_goes_on_beside_the_work_and_then_ranks(
    fresh: Path, serve: Serve, publish
) -> None:
    serve()
    data, make = publish
    with FileServer(data) as server:
        make(server.url)
        async with at_desk(fresh) as desk:
            await offered(desk)
            await desk.press("enter")
            await desk.until(lambda: desk.app.screen is desk.main)
            await desk.sees("found by the meaning of sentences too")
            library = desk.main.secretary.library
            await desk.until(lambda: library.matcher.sentences is not None)
            assert library.fetching == ""


async def test_how_far_it_is_stands_in_the_status_line(fresh: Path, serve: Serve, publish) -> None:
    serve()
    data, make = publish
    with FileServer(data, hold_after=len(data) // 2) as server:
        make(server.url)
        async with at_desk(fresh) as desk:
            await offered(desk)
            await desk.press("enter")
            await desk.sees("downloading semantic")


async def test_what_can_not_be_downloaded_is_said_and_words_still_rank(
    fresh: Path, serve: Serve, publish
) -> None:
    serve()
    async with at_desk(fresh) as desk:
        await offered(desk)
        await desk.press("enter")
        await desk.says("can't be downloaded")
        await desk.says("F4 tries again")


async def test_who_is_offline_or_does_not_want_it_is_not_asked(fresh: Path, serve: Serve) -> None:
    serve()
    async with at_desk(fresh, offline=True) as desk:
        assert desk.app.screen is desk.main
    shutil.rmtree(paths.state_dir(), ignore_errors=True)
    async with at_desk(fresh, overrides={"semantic": "off"}) as desk:
        await desk.until(lambda: ui_state.load().onboarded)
        assert desk.app.screen is desk.main
