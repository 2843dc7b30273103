"""The folder a run is confined to: which paths are inside, and how files there are written.

A path is judged by where it really leads, component by component, after every symlink. Files are
opened from the root's descriptor downward without following symlinks, so a link that is swapped in
between the check and the write leads nowhere (CVE-2025-53109, CVE-2026-39861).
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MAX_EDIT_BYTES = 1_000_000
"""Larger files are neither shown as a diff nor edited."""
PROTECTED: tuple[tuple[str, ...], ...] = (
    (".git", "hooks"),
    (".git", "config"),
    (".claude",),
    (".mcp.json",),
    (".envrc",),
)
"""What makes other programs run something: always asked, read-only in the sandbox."""
_KERNEL_FOLDERS = (Path("/proc"), Path("/sys"), Path("/dev"))


class WorkspaceError(Exception):
    """A path or file can't be used; the message is what the model reads."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder, with its symlinks resolved."""

    root: Path

    @classmethod
    def at(cls, folder: Path) -> Workspace:
        """Open a folder as a workspace.

        Raises:
            WorkspaceError: it is no folder.
        """
        root = folder.resolve()
        if not root.is_dir():
            raise WorkspaceError(f"{folder} is not a folder, so nothing can run there.")
        return cls(root)

    def resolve(self, text: str) -> Path:
        """Give the real path of what the model named.

        Raises:
            WorkspaceError: it leads out of the workspace, or is no path.
        """
        if "\x00" in text or not text.strip():
            raise WorkspaceError("The path is empty or holds a NUL character.")
        if text.startswith("~"):
            raise WorkspaceError(f"{text!r} is outside the workspace; `~` is not available here.")
        try:
            real = Path(os.path.realpath(self.root / text))
        except (OSError, ValueError) as error:
            raise WorkspaceError(f"{text!r} can't be resolved: {error}.") from None
        if any(real.is_relative_to(folder) for folder in _KERNEL_FOLDERS):
            raise WorkspaceError(f"{text!r} belongs to the system and is not available.")
        if not real.is_relative_to(self.root):
            raise WorkspaceError(
                f"{text!r} is outside the workspace. Only paths below {self.root} are available."
            )
        return real

    def shown(self, path: Path) -> str:
        """Give a path as the user and the model see it: relative, with slashes."""
        return path.relative_to(self.root).as_posix()

    def is_protected(self, path: Path) -> bool:
        """Whether writing there could make another program run something, in any letter case."""
        parts = tuple(part.casefold() for part in path.relative_to(self.root).parts)
        # The workspace itself may lie inside such a folder.
        parts = (*(part.casefold() for part in self.root.parts[-2:]), *parts)
        return any(
            parts[start : start + len(wanted)] == wanted
            for wanted in PROTECTED
            for start in range(len(parts))
        )

    def read_bytes(self, path: Path) -> bytes | None:
        """Read a regular file of at most `MAX_EDIT_BYTES`; None when there is none.

        Raises:
            WorkspaceError: it is something else, too large, or can't be read.
        """
        try:
            with self._folder(path) as folder:
                return _read_at(folder, path.name, self.shown(path))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._failed("read", path, error) from None

    def replace(self, path: Path, expected: bytes | None, content: str) -> None:
        """Write a file if it still is what `expected` says, whole or not at all.

        Missing folders are made; a file that exists keeps its permissions.

        Raises:
            WorkspaceError: it changed meanwhile, or can't be written.
        """
        name = self.shown(path)
        try:
            with self._folder(path, create=True) as folder:
                try:
                    current = _read_at(folder, path.name, name)
                    mode = os.stat(path.name, dir_fd=folder, follow_symlinks=False).st_mode & 0o777
                except FileNotFoundError:
                    current, mode = None, None
                if current != expected:
                    raise WorkspaceError(
                        f"{name} changed since the diff was shown, so nothing was written. "
                        "Read it again and repeat the change."
                    )
                _write_at(folder, path.name, content.encode("utf-8", "replace"), mode)
        except OSError as error:
            raise self._failed("written", path, error) from None

    @contextlib.contextmanager
    def _folder(self, path: Path, *, create: bool = False) -> Iterator[int]:
        """Open the folder that holds `path`, from the root downward, following no symlink."""
        parts = path.relative_to(self.root).parts[:-1]
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        current = os.open(self.root, flags)
        try:
            for part in parts:
                if create:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(part, dir_fd=current)
                below = os.open(part, flags, dir_fd=current)
                os.close(current)
                current = below
            yield current
        finally:
            os.close(current)

    def _failed(self, verb: str, path: Path, error: OSError) -> WorkspaceError:
        reason = (error.strerror or "input/output error").lower()
        return WorkspaceError(f"{self.shown(path)} can't be {verb}: {reason}.")


def _read_at(folder: int, name: str, shown: str) -> bytes:
    # Without O_NONBLOCK, opening a FIFO would wait for a writer.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    handle = os.open(name, flags, dir_fd=folder)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise WorkspaceError(f"{shown} is not a regular file.")
        if status.st_size > MAX_EDIT_BYTES:
            raise WorkspaceError(f"{shown} is larger than 1 MB; files of that size aren't edited.")
        return file.read()


def _write_at(folder: int, name: str, data: bytes, mode: int | None) -> None:
    draft = f".{name[:80]}.{secrets.token_hex(6)}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(draft, flags, 0o666, dir_fd=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if mode is not None:
                os.fchmod(handle, mode)
        os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft, dir_fd=folder)
        raise
