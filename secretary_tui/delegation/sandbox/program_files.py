"""What a program behind walls (an ACP agent) gets of its own files in the home folder.

Its settings name programs (hooks, servers) that are started outside of the walls with its next
start, and Claude Code's are obeyed by us, too. So of what it has there, only what it keeps (its
log-in) is written to; folders are read-only, and a file is a copy that is forgotten.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

_MAX_BYTES = 50_000_000
"""A larger file is seen, but not written to."""


class ProgramFiles:
    """The files of one program: `seen`, and `kept`, which is written to."""

    def __init__(self, seen: Iterable[Path] = (), kept: Iterable[Path] = ()) -> None:
        self._seen = tuple(seen)
        self._kept = tuple(kept)
        self._copies: Path | None = None

    def mounts(self, hidden: Iterable[Path]) -> list[str]:
        """Give bubblewrap's options; `hidden` are the folders that are seen empty.

        Raises:
            OSError: a file can't be copied.
        """
        return list(self._mounts(tuple(hidden)))

    def remove(self) -> None:
        """Forget the copies."""
        if self._copies is not None:
            shutil.rmtree(self._copies, ignore_errors=True)
            self._copies = None

    def _mounts(self, hidden: tuple[Path, ...]) -> Iterator[str]:
        for path in self._seen:
            # Elsewhere it is seen as it is, read-only.
            if any(path.is_relative_to(folder) for folder in hidden) and path.exists():
                if path.is_file() and path.stat().st_size <= _MAX_BYTES:
                    yield from ("--bind", str(self._copy(path)), str(path))
                else:
                    yield from ("--ro-bind", os.path.realpath(path), str(path))
        for path in self._kept:
            yield from ("--bind-try", os.path.realpath(path), str(path))

    def _copy(self, path: Path) -> Path:
        if self._copies is None:
            self._copies = Path(tempfile.mkdtemp(prefix="secretary-tui-"))
        copy = self._copies / str(len(list(self._copies.iterdir())))
        shutil.copyfile(path, copy)
        copy.chmod(0o600)
        return copy
