"""Empty files and folders that hold a name while commands run, so that a mount can cover it.

A protected name that doesn't exist yet can't be mounted over. Every project has a record in the
state folder: what was made there, the picture that all its commands share, and a lock that everyone
holds who relies on it. The last one removes what was made; after a kill, the next command anywhere
does.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from secretary_tui import paths
from secretary_tui.delegation.sandbox.protected_picture import (
    ProtectedPicture,
    read_picture,
    take_picture,
)
from secretary_tui.delegation.workspace.protected import PROTECTED_NAMES
from secretary_tui.paths import PLACEHOLDER_MODE

_FOLDERS = (".git", ".claude")
_CANT_BE_MADE = (errno.EEXIST, errno.EACCES, errno.EPERM, errno.EROFS)
_Made: TypeAlias = dict[str, list[int] | None]
"""Name → inode and time of change; None while it is being made."""


class Placeholders:
    """The placeholders of one project, relied on between `claim` and `release`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._record = -1
        self.names: tuple[str, ...] = ()
        """What was made and is nothing of the project's, once it was claimed."""

    def claim(self) -> ProtectedPicture:
        """Make what is missing, keep it from being removed, and give the project's picture.

        Raises:
            OSError: the state folder or the project can't be written; nothing is relied on.
        """
        with _exclusive() as folder:
            _remove_leftovers(folder)
            key = hashlib.sha256(os.fsencode(self._root)).hexdigest()[:32]
            record = os.open(folder / f"{key}.json", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                # Never waits: who wants it alone has the folder's lock.
                fcntl.flock(record, fcntl.LOCK_SH)
                picture = self._make_missing(record)
            except BaseException:
                os.close(record)
                raise
            self._record = record
            return picture

    def release(self) -> None:
        """Remove what was made, unless another command still relies on it."""
        if self._record == -1:
            return
        with _exclusive() as folder:
            os.close(self._record)
            self._record = -1
            _remove_leftovers(folder)

    def _make_missing(self, record: int) -> ProtectedPicture:
        data = _read(record)
        made: _Made = data.get("made", {})
        missing = [name for name in PROTECTED_NAMES if not os.path.lexists(self._root / name)]
        # Recorded first: a kill in between leaves a record of nothing, not an unknown file.
        made |= dict.fromkeys(missing)
        _write(record, {**data, "root": str(self._root), "made": made})
        for name in missing:
            path = self._root / name
            try:
                if name in _FOLDERS:
                    path.mkdir(PLACEHOLDER_MODE)
                else:
                    path.touch(exist_ok=False)
            except OSError as error:
                if error.errno not in _CANT_BE_MADE:
                    raise
                # What we may not make, the command, which is the same user, can't make either.
                made.pop(name)
                continue
            made[name] = _identity(path)
        self.names = tuple(made)
        # Without a picture, this is the first command: leftovers are gone, others have one.
        if "picture" not in data:
            data["picture"] = take_picture(self._root).to_json()
        _write(record, {**data, "root": str(self._root), "made": made})
        try:
            return read_picture(data["picture"])
        except (KeyError, TypeError, ValueError):
            raise OSError("The record of running commands is damaged; end them first.") from None


@contextlib.contextmanager
def _exclusive() -> Iterator[Path]:
    folder = paths.state_dir() / "placeholders"
    with paths.locked(folder / "lock"):
        yield folder


def _remove_leftovers(folder: Path) -> None:
    """Remove what no one relies on any more, in every project."""
    for path in folder.glob("*.json"):
        record = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(record, fcntl.LOCK_EX | fcntl.LOCK_NB)
            data = _read(record)
            for name, identity in data.get("made", {}).items():
                if name in PROTECTED_NAMES:
                    _remove_empty(Path(data["root"]) / name, identity)
            path.unlink()
        except BlockingIOError:
            continue
        finally:
            os.close(record)


def _remove_empty(path: Path, identity: list[int] | None) -> None:
    """Remove a placeholder, but nothing that someone else made or filled."""
    with contextlib.suppress(OSError):
        if path.is_symlink() or identity not in (None, _identity(path)):
            return
        if path.is_dir():
            path.rmdir()
        elif path.is_file() and path.stat().st_size == 0:
            path.unlink()


def _identity(path: Path) -> list[int]:
    status = path.lstat()
    return [status.st_ino, status.st_mtime_ns]


def _read(record: int) -> dict[str, Any]:
    size = os.fstat(record).st_size
    try:
        data = json.loads(os.pread(record, size, 0))
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def _write(record: int, data: dict[str, Any]) -> None:
    os.ftruncate(record, 0)
    os.pwrite(record, json.dumps(data).encode(), 0)
