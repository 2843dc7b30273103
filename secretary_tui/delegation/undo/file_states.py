"""What stands at a place of the project: nothing, a file with its hash, a link, a folder.

Everything is looked at and put there from the workspace's own folder downward, following no link.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from secretary_tui.delegation.workspace.workspace import Workspace, WorkspaceError

MAX_KEPT_BYTES = 1_000_000
"""Of larger files only the hash is known: they are never read whole into memory or kept."""
MAX_HASHED_BYTES = 64_000_000
"""Of still larger ones not even that: size and time must do."""
_CHUNK = 1 << 20
_PERMISSIONS = 0o7777


class PlaceKind(StrEnum):
    """What stands at a path."""

    ABSENT = "absent"
    FILE = "file"
    LINK = "link"
    FOLDER = "folder"
    OTHER = "other"
    """A pipe, a socket, a device."""


@dataclass(frozen=True, slots=True)
class FileState:
    """What stands at a path, exactly enough to tell whether it is still the same."""

    kind: PlaceKind = PlaceKind.ABSENT
    mode: int = 0
    """Permission bits, of files and folders."""
    digest: str = ""
    """sha256 of a file's content; of a very large one its size and time."""
    size: int = 0
    target: str = ""
    """Where a link leads, as it is written in it."""

    def holds_the_same(self, other: FileState) -> bool:
        """Whether the content is equal, whatever the permissions."""
        mine = (self.kind, self.digest, self.target)
        return mine == (other.kind, other.digest, other.target)

    def to_json(self) -> dict[str, Any]:
        """Give it as a JSON object."""
        row = {"kind": str(self.kind), "mode": self.mode, "digest": self.digest}
        return {**row, "size": self.size, "target": self.target}

    @classmethod
    def from_json(cls, data: object) -> FileState:
        """Read it back.

        Raises:
            ValueError: it is no such object.
        """
        if not isinstance(data, Mapping):
            raise ValueError("no state")
        size = data.get("size", 0)
        if not isinstance(size, int) or size < 0:
            raise ValueError("no size")
        return cls(
            PlaceKind(str(data.get("kind"))),
            permission_bits(data.get("mode", 0)),
            str(data.get("digest", "")),
            size,
            str(data.get("target", "")),
        )


ABSENT = FileState()


def permission_bits(mode: object) -> int:
    """Read the permissions of a file back.

    Raises:
        ValueError: they are none.
    """
    if not isinstance(mode, int) or not 0 <= mode <= _PERMISSIONS:
        raise ValueError("no permissions")
    return mode


def digest_of(data: bytes) -> str:
    """Give the hash by which content is known."""
    return hashlib.sha256(data).hexdigest()


def look(workspace: Workspace, path: Path) -> tuple[FileState, bytes | None]:
    """Say what stands at a path, with the content of a file of at most `MAX_KEPT_BYTES`.

    Raises:
        WorkspaceError: it can't be looked at, such as below a folder that is a link now.
    """
    try:
        with workspace.folder_of(path) as folder:
            return look_at(folder, path.name)
    except FileNotFoundError:
        return ABSENT, None
    except OSError as error:
        reason = (error.strerror or "input/output error").lower()
        raise WorkspaceError(f"{workspace.shown(path)} can't be read: {reason}.") from None


def look_at(folder: int, name: str) -> tuple[FileState, bytes | None]:
    """Say what stands in an open folder under a name.

    Raises:
        OSError: it can't be looked at; nothing being there is no error.
    """
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return ABSENT, None
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISLNK(status.st_mode):
        return FileState(PlaceKind.LINK, target=os.readlink(name, dir_fd=folder)), None
    if stat.S_ISDIR(status.st_mode):
        return FileState(PlaceKind.FOLDER, mode), None
    if not stat.S_ISREG(status.st_mode):
        return FileState(PlaceKind.OTHER, mode), None
    if status.st_size > MAX_HASHED_BYTES:
        stamp = f"{status.st_size}-{status.st_mtime_ns}"
        return FileState(PlaceKind.FILE, mode, stamp, status.st_size), None
    # Without O_NONBLOCK, a FIFO that took the file's place would wait for a writer.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, dir_fd=folder), "rb") as file:
        digest, size = hashlib.sha256(), 0
        first = b""
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            first = first + chunk if size <= MAX_KEPT_BYTES else b""
    data = first if size <= MAX_KEPT_BYTES else None
    return FileState(PlaceKind.FILE, mode, digest.hexdigest(), size), data


def put(
    workspace: Workspace, path: Path, expected: FileState, wanted: FileState, data: bytes | None
) -> None:
    """Make a place what it shall be if it still is `expected`: whole or not at all.

    Raises:
        WorkspaceError: it is something else by now, or it can't be written.
    """
    name = workspace.shown(path)
    try:
        with workspace.folder_of(path, create=wanted.kind is not PlaceKind.ABSENT) as folder:
            if look_at(folder, path.name)[0] != expected:
                raise WorkspaceError(f"{name} changed at this very moment, so it was left alone.")
            if expected.kind is PlaceKind.FOLDER and wanted.kind is not PlaceKind.FOLDER:
                os.rmdir(path.name, dir_fd=folder)
            _put_at(folder, path.name, wanted, data)
    except FileNotFoundError:
        return  # Nothing shall be there, and its folder is gone, too.
    except OSError as error:
        reason = (error.strerror or "input/output error").lower()
        raise WorkspaceError(f"{name} can't be put back: {reason}.") from None


def move(
    workspace: Workspace, source: Path, there: FileState, path: Path, expected: FileState, mode: int
) -> None:
    """Rename a file if both places still are what is said of them.

    Raises:
        WorkspaceError: one is something else by now, or it can't be renamed.
    """
    name = workspace.shown(path)
    try:
        with (
            workspace.folder_of(source) as below,
            workspace.folder_of(path, create=True) as folder,
        ):
            found = look_at(below, source.name)[0], look_at(folder, path.name)[0]
            if found != (there, expected):
                raise WorkspaceError(f"{name} changed at this very moment, so it was left alone.")
            if there.mode != mode:
                flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
                handle = os.open(source.name, flags, dir_fd=below)
                try:
                    os.fchmod(handle, mode)
                finally:
                    os.close(handle)
            os.rename(source.name, path.name, src_dir_fd=below, dst_dir_fd=folder)
    except OSError as error:
        reason = (error.strerror or "input/output error").lower()
        raise WorkspaceError(f"{name} can't be put back: {reason}.") from None


def _put_at(folder: int, name: str, wanted: FileState, data: bytes | None) -> None:
    if wanted.kind is PlaceKind.ABSENT:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
    elif wanted.kind is PlaceKind.FOLDER:
        os.mkdir(name, wanted.mode, dir_fd=folder)
    elif wanted.kind is PlaceKind.LINK:
        draft = _draft(name)
        os.symlink(wanted.target, draft, dir_fd=folder)
        _replace(folder, draft, name)
    elif data is not None:
        draft = _draft(name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(draft, flags, 0o600, dir_fd=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                os.fchmod(handle, wanted.mode)
        except BaseException:
            os.unlink(draft, dir_fd=folder)
            raise
        _replace(folder, draft, name)


def _replace(folder: int, draft: str, name: str) -> None:
    try:
        os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        os.unlink(draft, dir_fd=folder)
        raise


def _draft(name: str) -> str:
    return f".{name[:80]}.{secrets.token_hex(6)}.tmp"
