"""What a command changed in the project: a look at every file before it and after it.

What a command will do can't be known before it runs, so the content of all small files is put by
first, in one file; a second look compares sizes, times and inodes, which tells nearly everything
without reading. Not looked at: git's own folder, and folders that tools fill by themselves.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from secretary_tui import paths
from secretary_tui.delegation.undo.file_states import (
    ABSENT,
    MAX_KEPT_BYTES,
    FileState,
    PlaceKind,
    digest_of,
    look_at,
    permission_bits,
)
from secretary_tui.delegation.workspace.project_files import UNWATCHED

MAX_FILES = 20_000
MAX_BASELINE_BYTES = 100_000_000
_RACY_NS = 50_000_000
"""Clocks of file systems tick slowly: a file this new may change again without a trace."""
_Mark: TypeAlias = tuple[PlaceKind, int, int, int]


@dataclass(frozen=True, slots=True)
class Seen:
    """A place as its directory entry shows it."""

    kind: PlaceKind
    mode: int
    size: int
    stamp: tuple[int, int, int]
    """Inode, and the times of change in nanoseconds: of content and of anything."""
    target: str = ""
    offset: int | None = None
    """Where its content stands in the baseline; None when it was not kept."""
    racy: bool = False


@dataclass(slots=True)
class ProjectScan:
    """One look at the project."""

    places: dict[str, Seen] = field(default_factory=dict)
    unwatched: set[str] = field(default_factory=set)
    """Names of folders that were left out."""
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class Difference:
    """A place that is not what it was."""

    path: str
    before: FileState
    before_data: bytes | None
    after: FileState
    after_data: bytes | None


def scan(root: Path) -> ProjectScan:
    """Look at every place below `root`, following no link."""
    found = ProjectScan()
    now = time.time_ns()
    for relative, entry in _walk(root, "", found):
        if len(found.places) >= MAX_FILES:
            found.is_complete = False
            break
        with contextlib.suppress(OSError):
            found.places[relative] = _seen(entry, now)
    return found


class Baseline:
    """The content of the project before a command, and what it is compared with."""

    def __init__(self, folder: Path) -> None:
        self._pack = folder / "baseline.pack"
        self._index = folder / "baseline.json"
        self.scan = ProjectScan()

    @property
    def exists(self) -> bool:
        """Whether one was left behind, by a command that was never seen to end."""
        return self._index.exists()

    def take(self, root: Path) -> None:
        """Put by what isn't there yet.

        Raises:
            OSError: it can't be written.
        """
        found = scan(root)
        paths.make_private_folder(self._pack.parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        with os.fdopen(os.open(self._pack, flags, 0o600), "ab") as pack:
            size = pack.tell()
            for relative, seen in found.places.items():
                known = self.scan.places.get(relative)
                if known is not None and known.stamp == seen.stamp and not known.racy:
                    found.places[relative] = known
                elif _keepable(seen) and size + seen.size <= MAX_BASELINE_BYTES:
                    data = _read(root / relative)
                    if data is not None:
                        pack.write(data)
                        found.places[relative] = replace(seen, offset=size, size=len(data))
                        size += len(data)
        self.scan = found
        rows = {relative: asdict(seen) for relative, seen in found.places.items()}
        facts = {"root": str(root), "complete": found.is_complete, "places": rows}
        paths.write_atomic(self._index, json.dumps(facts))

    def reload(self, root: Path) -> bool:
        """Read back what a killed program left behind; whether it is whole and about `root`."""
        try:
            data = json.loads(self._index.read_bytes())
            pack = self._pack.stat().st_size
            places = {path: _seen_again(row, pack) for path, row in data["places"].items()}
            if data["root"] != str(root) or not isinstance(data["complete"], bool):
                return False
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return False
        self.scan = ProjectScan(places, is_complete=data["complete"])
        return True

    def differences(self, root: Path) -> Iterator[Difference]:
        """Look again, and give what is not as it was."""
        after = scan(root)
        standing = {_content_mark(seen): relative for relative, seen in after.places.items()}
        for relative in sorted({*self.scan.places, *after.places}):
            was, now = self.scan.places.get(relative), after.places.get(relative)
            if was is not None and now is not None and was.stamp == now.stamp and not was.racy:
                continue
            # What was beyond the limit of one look only is no change.
            if (was is None and not self.scan.is_complete) or (
                now is None and not after.is_complete and (root / relative).exists()
            ):
                continue
            before, before_data = self._state(was)
            later, later_data = _state_now(root, relative, now)
            if before.kind is PlaceKind.FILE and was is not None and was.offset is None:
                before = replace(before, digest=_digest_of_unkept(root, was, standing))
            if before != later:
                yield Difference(relative, before, before_data, later, later_data)

    def is_settled(self) -> None:
        """Note that what was found is written down: nothing is left to be compared."""
        with contextlib.suppress(OSError):
            self._index.unlink(missing_ok=True)

    def forget(self) -> None:
        """Remove it from the disk."""
        for path in (self._pack, self._index):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        self.scan = ProjectScan()

    def _state(self, seen: Seen | None) -> tuple[FileState, bytes | None]:
        if seen is None:
            return ABSENT, None
        if seen.kind is not PlaceKind.FILE or seen.offset is None:
            return FileState(seen.kind, _mode(seen), size=seen.size, target=seen.target), None
        with self._pack.open("rb") as pack:
            pack.seek(seen.offset)
            data = pack.read(seen.size)
        return FileState(PlaceKind.FILE, seen.mode, digest_of(data), len(data)), data


def _walk(root: Path, below: str, found: ProjectScan) -> Iterator[tuple[str, os.DirEntry[str]]]:
    folders = [below]
    while folders:
        below = folders.pop()
        try:
            entries = sorted(os.scandir(root / below), key=lambda entry: entry.name)
        except OSError:
            found.is_complete = False
            continue
        for entry in entries:
            relative = f"{below}/{entry.name}" if below else entry.name
            if entry.name in UNWATCHED:
                found.unwatched.add(entry.name)
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append(relative)
            yield relative, entry


def _seen(entry: os.DirEntry[str], now: int) -> Seen:
    status = entry.stat(follow_symlinks=False)
    mode = status.st_mode
    kind = (
        PlaceKind.FILE
        if stat.S_ISREG(mode)
        else PlaceKind.LINK
        if stat.S_ISLNK(mode)
        else PlaceKind.FOLDER
        if stat.S_ISDIR(mode)
        else PlaceKind.OTHER
    )
    if kind is PlaceKind.FOLDER:
        # Its times change with whatever is made in it.
        return Seen(kind, stat.S_IMODE(mode), 0, (status.st_ino, 0, stat.S_IMODE(mode)))
    target = str(Path(entry.path).readlink()) if kind is PlaceKind.LINK else ""
    stamp = (status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
    racy = kind is PlaceKind.FILE and status.st_ctime_ns > now - _RACY_NS
    return Seen(kind, stat.S_IMODE(mode), status.st_size, stamp, target, racy=racy)


def _seen_again(row: Mapping[str, Any], pack: int) -> Seen:
    """Read a place back as it was written into an index beside a pack of so many bytes.

    Raises:
        ValueError, TypeError, KeyError: it was not written so.
    """
    inode, modified, changed = map(_whole, row["stamp"])
    size, offset = _whole(row["size"]), row["offset"]
    # An index that names what no pack holds would have everything look changed.
    if offset is not None and not 0 <= _whole(offset) <= pack - size:
        raise ValueError("it lies outside the pack")
    return Seen(
        PlaceKind(row["kind"]),
        permission_bits(row["mode"]),
        size,
        (inode, modified, changed),
        str(row["target"]),
        offset,
        bool(row["racy"]),
    )


def _whole(number: object) -> int:
    if not isinstance(number, int):
        raise ValueError("no whole number")
    return number


def _keepable(seen: Seen) -> bool:
    return seen.kind is PlaceKind.FILE and seen.size <= MAX_KEPT_BYTES


def _read(path: Path) -> bytes | None:
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with os.fdopen(os.open(path, flags), "rb") as file:
            data = file.read(MAX_KEPT_BYTES + 1)
    except OSError:
        return None
    return data if len(data) <= MAX_KEPT_BYTES else None


def _state_now(root: Path, relative: str, seen: Seen | None) -> tuple[FileState, bytes | None]:
    if seen is None:
        return ABSENT, None
    if seen.kind is PlaceKind.FILE:
        data = _read(root / relative) if _keepable(seen) else None
        if data is not None:
            return FileState(seen.kind, seen.mode, digest_of(data), len(data)), data
        return FileState(seen.kind, seen.mode, _digest_of_large(root / relative), seen.size), None
    return FileState(seen.kind, _mode(seen), target=seen.target), None


def _mode(seen: Seen) -> int:
    return 0 if seen.kind is PlaceKind.LINK else seen.mode


def _content_mark(seen: Seen) -> _Mark:
    """What stays of a file that is renamed: its inode, when its content changed, its size."""
    inode, modified, _ = seen.stamp
    return seen.kind, inode, modified, seen.size


def _digest_of_unkept(root: Path, was: Seen, standing: Mapping[_Mark, str]) -> str:
    """The hash of a file whose content was not kept: known where it was only renamed."""
    renamed = standing.get(_content_mark(was))
    digest = _digest_of_large(root / renamed) if renamed is not None else ""
    return digest or f"unknown-{was.stamp[1]}"


def _digest_of_large(path: Path) -> str:
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return look_at(folder, path.name)[0].digest
    except OSError:
        return ""
    finally:
        os.close(folder)
