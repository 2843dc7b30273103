"""The folder a run is confined to: which paths are inside, and how files there are written.

A path is judged by where it really leads, component by component, after every symlink. Files are
opened from the root's descriptor downward without following symlinks, so a link that is swapped in
between the check and the write leads nowhere (CVE-2025-53109, CVE-2026-39861).
"""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from secretary_tui.delegation.workspace.instructions import instruction_files
from secretary_tui.delegation.workspace.protected import (
    GIT_HEAD,
    INSTRUCTION_NAMES,
    find_protected,
    has_protected_name,
)

MAX_EDIT_BYTES = 1_000_000
"""Larger files are neither shown as a diff nor edited."""
_MAX_SEARCHED = 50_000
"""Entries of the project that are searched for links before a file is written."""
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

    def is_protected(self, path: Path, spelled: str = "") -> bool:
        """Whether writing there could make another program run something, in any letter case.

        `path` is where it really leads, `spelled` what the model wrote: a protected name may be a
        link, and a link may lead into a protected folder.
        """
        return (
            self.is_within_protected()
            or any(has_protected_name(part) for part in path.relative_to(self.root).parts)
            or any(has_protected_name(part) for part in Path(spelled).parts)
            or self._is_instruction(path)
            or self._makes_a_repository(path)
            or any(
                path.is_relative_to(target)
                for target in find_protected(self.root, _MAX_SEARCHED).targets
            )
        )

    def _is_instruction(self, path: Path) -> bool:
        """Whether later runs read the file as instructions: writing it steers them."""
        if path.name.casefold() in INSTRUCTION_NAMES:
            return True
        named = [self.root / name for name in ("CLAUDE.md", "CLAUDE.local.md")]
        named += [found.path for found in instruction_files(self.root)]
        return any(Path(os.path.realpath(place)) == path for place in named)

    def is_within_protected(self) -> bool:
        """Whether the workspace itself is a part of git's folder or of a `.claude`.

        Claude Code puts whole projects deeper into a `.claude` (`.claude/worktrees/name`).
        """
        parts = self.root.parts
        return any(part.casefold() == ".git" for part in parts) or any(
            has_protected_name(part) for part in parts[-2:]
        )

    def _makes_a_repository(self, path: Path) -> bool:
        """Whether git could take the folder for a repository, and read its configuration."""
        if path.name.casefold() == GIT_HEAD.casefold():
            return True
        for folder in path.parents:
            if not folder.is_relative_to(self.root):
                return False
            if os.path.lexists(folder / GIT_HEAD):
                return True
        return False

    def move_aside(self, path: Path) -> None:
        """Rename what stands there to `NAME.moved-aside`, following no symlink.

        A git folder also loses its `HEAD`, or it would be obeyed under its new name.

        Raises:
            WorkspaceError: it can't be renamed.
        """
        try:
            with self.folder_of(path) as folder:
                aside = _rename_aside(folder, path.name)
                flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
                with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                    inside = os.open(aside, flags, dir_fd=folder)
                    try:
                        _rename_aside(inside, GIT_HEAD)
                    finally:
                        os.close(inside)
        except OSError as error:
            raise self._failed("moved aside", path, error) from None

    def make_listable(self, path: Path) -> None:
        """Give the owner all rights to a folder, following no symlink on the way.

        Raises:
            WorkspaceError: that is not allowed.
        """
        try:
            with self.folder_of(path) as folder:
                mode = os.stat(path.name, dir_fd=folder, follow_symlinks=False).st_mode
                if stat.S_ISDIR(mode):
                    os.chmod(path.name, stat.S_IMODE(mode) | stat.S_IRWXU, dir_fd=folder)
        except OSError as error:
            raise self._failed("looked into", path, error) from None

    def link(self, path: Path, target: str) -> None:
        """Make a symlink where nothing stands.

        Raises:
            WorkspaceError: it can't be made.
        """
        try:
            with self.folder_of(path) as folder:
                os.symlink(target, path.name, dir_fd=folder)
        except OSError as error:
            raise self._failed("put back", path, error) from None

    def read_bytes(self, path: Path) -> bytes | None:
        """Read a regular file of at most `MAX_EDIT_BYTES`; None when there is none.

        Raises:
            WorkspaceError: it is something else, too large, or can't be read.
        """
        try:
            with self.folder_of(path) as folder:
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
            with self.folder_of(path, create=True) as folder:
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
    def folder_of(self, path: Path, *, create: bool = False) -> Iterator[int]:
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


def _rename_aside(folder: int, name: str) -> str:
    taken = set(os.listdir(folder))
    numbers = itertools.count(2)
    aside = f"{name[:200]}.moved-aside"
    while aside in taken:
        aside = f"{name[:200]}.moved-aside-{next(numbers)}"
    os.rename(name, aside, src_dir_fd=folder, dst_dir_fd=folder)
    return aside
