"""Read a file of the project where it really lies: no link that is swapped in leads elsewhere.

The SDK's tool looks where a path leads and opens it by that path later. Another run's command, or a
server that writes in the project, can put a link in its way in between.
"""

from __future__ import annotations

import asyncio
import base64
import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from secretary_tui.delegation.tools.media import MAX_PDF_BYTES, MAX_PICTURE_BYTES, MediaGate
from secretary_tui.delegation.tools.sdk import ToolError
from secretary_tui.delegation.workspace.threads import in_daemon_thread
from secretary_tui.delegation.workspace.workspace import Workspace

MAX_TEXT_BYTES = 256 * 1024
"""Of a larger file, lines are named."""
TIMEOUT_S = 30.0
"""Longest reading or searching."""
_PDF = "application/pdf"
_MEDIA = {
    **dict.fromkeys((".jpg", ".jpeg"), "image/jpeg"),
    **{f".{kind}": f"image/{kind}" for kind in ("png", "gif", "webp")},
    ".pdf": _PDF,
}
_PIECE = 1 << 16
Result = TypeVar("Result")


class FileReader:
    """Reads files of one workspace for the model, off the event loop."""

    def __init__(self, workspace: Workspace, *, takes_media: bool = True) -> None:
        self._workspace = workspace
        self._media = MediaGate(takes_media=takes_media)

    async def read(self, path: Path, offset: int | None, limit: int | None) -> Any:
        """Read a file: text, or a list of content blocks for an image or PDF.

        Raises:
            ToolError: it can't be read; the message is for the model.
        """
        found = await in_time(lambda: read_file(self._workspace, path, offset, limit))
        if isinstance(found, str):
            return found
        return await asyncio.to_thread(self._media.admit, self._workspace.shown(path), found)


async def in_time(work: Callable[[], Result]) -> Result:
    """Look in a thread that no one waits for when it is given up.

    Raises:
        ToolError: it took too long.
    """
    try:
        return await in_daemon_thread(work, TIMEOUT_S)
    except TimeoutError:
        raise too_long() from None


def too_long() -> ToolError:
    """Make the error of reading or searching that was given up."""
    return ToolError(f"This took longer than {TIMEOUT_S:g} s; narrow the pattern or the path.")


def read_file(
    workspace: Workspace, path: Path, offset: int | None, limit: int | None
) -> str | list[dict[str, Any]]:
    """Give a text, or its lines from `offset` (from 1), or the block of a picture or PDF.

    Raises:
        ToolError: it can't be read; the message is for the model.
    """
    name = workspace.shown(path)
    try:
        if path == workspace.root:
            raise IsADirectoryError(errno.EISDIR, "is a directory")
        with workspace.folder_of(path) as folder:
            # Without O_NONBLOCK, opening a FIFO would wait for a writer.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            handle = os.open(path.name, flags, dir_fd=folder)
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise ToolError(f"read: {name}: not a regular file")
            kind = _MEDIA.get(path.suffix.lower())
            if kind is not None:
                return [_block(file, name, kind, status.st_size)]
            if offset is None and limit is None:
                return _whole(file, name, status.st_size)
            return _lines(file, name, offset or 1, limit)
    except UnicodeDecodeError:
        raise ToolError(
            f"read: {name}: not valid UTF-8 text (binary files are only supported for image/PDF "
            "extensions)"
        ) from None
    except OSError as error:
        reason = (error.strerror or "input/output error").lower()
        raise ToolError(f"read: {name}: {reason}") from None


def _block(file: BinaryIO, name: str, kind: str, size: int) -> dict[str, Any]:
    limit = MAX_PDF_BYTES if kind == _PDF else MAX_PICTURE_BYTES
    data = file.read(limit + 1)
    if len(data) > limit:
        raise ToolError(f"read: {name} is {size} bytes, exceeds the limit of {limit} bytes.")
    source = {"type": "base64", "media_type": kind, "data": base64.b64encode(data).decode()}
    return {"type": "document" if kind == _PDF else "image", "source": source}


def _whole(file: BinaryIO, name: str, size: int) -> str:
    data = file.read(MAX_TEXT_BYTES + 1)
    if len(data) > MAX_TEXT_BYTES:
        raise ToolError(
            f"read: {name} is {size} bytes, exceeds the limit of {MAX_TEXT_BYTES} bytes. "
            "Name lines by offset and limit, such as offset 1 and limit 500."
        )
    return data.decode("utf-8")


def _lines(file: BinaryIO, name: str, first: int, count: int | None) -> str:
    found = bytearray()
    number = 1
    last = first + count - 1 if count else None
    while (last is None or number <= last) and (piece := file.readline(_PIECE)):
        if number >= first:
            found += piece
        if len(found) > MAX_TEXT_BYTES:
            raise ToolError(
                f"read: {name}: these lines exceed the limit of {MAX_TEXT_BYTES} bytes; take fewer."
            )
        number += piece.endswith(b"\n")
    text = found.decode("utf-8")
    return text.removesuffix("\n") if last is not None and number > last else text
