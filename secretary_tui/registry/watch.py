"""Keep a live index up to date while people edit, rename and delete definition files.

Every folder that holds agents is watched by itself, never a tree: a repository or a home folder
has far more in it than agents. Of what isn't there yet, the nearest folder that is gets watched,
and the watch is set anew as folders come and go.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from watchfiles import Change, awatch

from secretary_tui.paths import repository_root
from secretary_tui.registry.agent_index import IndexChange, LiveIndex

_STEP_MS = 50
"""A burst of changes ends after this long without another one; the watch wakes as often."""
_DEBOUNCE_MS = 2_000
"""A burst is reported after this long even when it goes on."""
_MANY = 8
"""More changed files than somebody saves at once: a checkout, a copied collection."""
_QUIET_S = 0.15
"""After many, this long without another one ends the burst."""
_GIT_LOCK_S = 10.0
"""How long a `git checkout` at work is waited for; a lock that lies there longer is forgotten."""
_POLL_S = 0.3
_Batch = set[tuple[Change, str]]
_log = logging.getLogger(__name__)


async def watch_index(live: LiveIndex, stop: asyncio.Event) -> AsyncGenerator[IndexChange, None]:
    """Yield each change of the index until `stop` is set: one for each burst of edits.

    Files are read in a thread. Where the system's notifications can't be had (too many watches)
    or `options.watch` is `poll` (network folders give none) the sources are looked at three times
    a second instead; with `off` nothing is yielded.
    """
    wanted = live.options.watch
    if wanted == "off":
        await stop.wait()
        return
    if wanted == "poll":
        async with contextlib.aclosing(_poll(live, stop)) as changes:
            async for change in changes:
                yield change
        return
    try:
        while not stop.is_set():
            targets = await asyncio.to_thread(_find_targets, live)
            async with contextlib.aclosing(_watch_once(live, targets, stop)) as changes:
                async for change in changes:
                    yield change
    except (OSError, RuntimeError) as error:  # What watchfiles raises without inotify.
        _log.warning("agent files are polled, because watching failed: %s", error)
        async with contextlib.aclosing(_poll(live, stop)) as changes:
            async for change in changes:
                yield change


@dataclass(frozen=True, slots=True)
class _Targets:
    """What to watch, links resolved, since notifications name real paths."""

    folders: frozenset[Path]
    """Folders to watch, not recursively."""
    libraries: Mapping[Path, tuple[Path, ...]]
    """Those in which every file counts, and the names by which the index knows them."""
    names: frozenset[Path]
    """Elsewhere: the paths that count."""

    def concern(self, _change: Change, path: str) -> bool:
        """Whether a changed path can change the index."""
        changed = Path(path)
        return changed.parent in self.libraries or changed in self.names or changed in self.folders

    def files_of(self, batch: Iterable[tuple[Change, str]]) -> frozenset[str] | None:
        """The files to read again; None when a change may concern more than one file."""
        files: set[str] = set()
        for _, path in batch:
            changed = Path(path)
            known = self.libraries.get(changed.parent)
            if known is None or changed in self.names or changed in self.folders:
                return None
            files.update(str(folder / changed.name) for folder in known)
        return frozenset(files)


class _Stop:
    """Ends one watch: on the caller's event, or when the watch is to be set anew."""

    def __init__(self, outer: asyncio.Event) -> None:
        self._outer = outer
        self._own = False

    def is_set(self) -> bool:
        return self._own or self._outer.is_set()

    def set(self) -> None:
        self._own = True


def _find_targets(live: LiveIndex) -> _Targets:
    folders: set[Path] = set()
    names: set[Path] = set()
    libraries: dict[Path, tuple[Path, ...]] = {}
    for folder in live.folders:
        real = _real(folder)
        libraries[real] = (*libraries.get(real, ()), folder)
    for path in live.awaited:
        for target in (_real(path.parent) / path.name, _real(path)):
            names.add(target)
            for above in target.parents:
                if above.is_dir():
                    folders.add(above)
                    break
                names.add(above)
            if target.is_dir():
                folders.add(target)
    folders |= {folder for folder in libraries if folder.is_dir()}
    return _Targets(frozenset(folders), libraries, frozenset(names))


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


async def _watch_once(
    live: LiveIndex, targets: _Targets, stop: asyncio.Event
) -> AsyncGenerator[IndexChange, None]:
    """Watch until other folders are to be watched; what changed before it began is seen too."""
    own = _Stop(stop)
    batches = awatch(
        *targets.folders,
        watch_filter=targets.concern,
        debounce=_DEBOUNCE_MS,
        step=_STEP_MS,
        stop_event=own,
        recursive=False,
        ignore_permission_denied=True,
    )
    waiting: asyncio.Future[_Batch | None] = asyncio.ensure_future(anext(batches, None))
    try:
        await asyncio.sleep(0)  # The watch stands after the first step of `waiting`.
        files: frozenset[str] | None = None
        touched = False
        while True:
            folders = live.folders
            change = await asyncio.to_thread(live.refresh, files)
            if not change.is_empty:
                yield change
            # Files that come and go in folders that stay need no other watch.
            looked_around = live.folders is not folders
            if touched or (
                looked_around and await asyncio.to_thread(_find_targets, live) != targets
            ):
                return
            batch = await waiting
            if batch is None:
                return
            waiting = asyncio.ensure_future(anext(batches, None))
            many = len(batch) > _MANY
            if many:
                batch, waiting = await _whole_burst(live, set(batch), waiting, batches)
            # A watched folder that was replaced keeps its path and loses its watch.
            touched = any(Path(path) in targets.folders for _, path in batch)
            files = None if many else targets.files_of(batch)
    except FileNotFoundError:
        return  # A folder went between looking and watching: look again.
    finally:
        own.set()
        waiting.cancel()
        await asyncio.wait({waiting})
        await batches.aclose()


async def _whole_burst(
    live: LiveIndex,
    burst: _Batch,
    waiting: asyncio.Future[_Batch | None],
    batches: AsyncGenerator[_Batch, None],
) -> tuple[_Batch, asyncio.Future[_Batch | None]]:
    """Gather until nothing changes for a while and git is done; gives the next batch's future."""
    lock = repository_root(live.project) / ".git" / "index.lock"
    patience = time.monotonic() + _GIT_LOCK_S
    while True:
        done, _ = await asyncio.wait({waiting}, timeout=_QUIET_S)
        if done:
            more = waiting.result()
            if more is None:
                return burst, waiting
            burst |= more
            waiting = asyncio.ensure_future(anext(batches, None))
        elif time.monotonic() > patience or not await asyncio.to_thread(lock.exists):
            return burst, waiting


async def _poll(live: LiveIndex, stop: asyncio.Event) -> AsyncGenerator[IndexChange, None]:
    while not stop.is_set():
        started = time.monotonic()
        change = await asyncio.to_thread(live.refresh)
        if not change.is_empty:
            yield change
        pause = max(_POLL_S, 10 * (time.monotonic() - started))  # At most a tenth of one core.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), pause)
