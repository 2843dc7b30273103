"""Pictures and PDFs that Read gives to the model: what they really are, and within bounds.

A file's name proves nothing, and one picture that the service refuses would break the whole
conversation, so size, pixels and pages are read from the file before it is sent.
"""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from secretary_tui.delegation.tools.sdk import ToolError

MAX_PICTURE_BYTES = 3_700_000
"""The service takes 5 MB in base64."""
MAX_PIXELS = 8_000
"""Along each side."""
MAX_PDF_BYTES = 4_000_000
MAX_PAGES = 100
MAX_MEDIA = 20
"""Pictures and PDFs that one run may read; with more, the service takes smaller ones only."""
_PAGE = re.compile(rb"/Type\s*/Page(?![a-zA-Z])")
_COUNT = re.compile(rb"/Count\s+(\d{1,9})")


@dataclass(frozen=True, slots=True)
class ImageHeader:
    """What a picture's first bytes say."""

    media_type: str
    width: int
    height: int


class MediaGate:
    """Lets pictures and PDFs through to the model for one run, as long as they fit."""

    def __init__(self, *, takes_media: bool) -> None:
        self._takes_media = takes_media
        self._passed = 0

    def admit(self, name: str, blocks: Sequence[Any]) -> list[dict[str, Any]]:
        """Give the blocks as they may be sent.

        Raises:
            ToolError: the model takes none, or this one is broken or too large.
        """
        if not self._takes_media:
            raise ToolError(f"{name} is a picture or PDF, and this model reads text only.")
        if self._passed >= MAX_MEDIA:
            raise ToolError(f"This run has read {MAX_MEDIA} pictures and PDFs, which is the most.")
        checked = [_checked(name, dict(block)) for block in blocks]
        self._passed += 1
        return checked


def read_picture(data: bytes) -> ImageHeader | None:
    """Read kind and size of a PNG, JPEG, GIF or WebP; None for anything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR" and len(data) >= 24:
        return ImageHeader("image/png", *struct.unpack(">II", data[16:24]))
    if data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        return ImageHeader("image/gif", *struct.unpack("<HH", data[6:10]))
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp(data)
    if data[:3] == b"\xff\xd8\xff":
        return _jpeg(data)
    return None


def count_pages(data: bytes) -> int:
    """Count a PDF's pages, as far as its plain text names them; at least 1."""
    tree = [int(count) for count in _COUNT.findall(data)]
    return max(len(_PAGE.findall(data)), *tree, 1)


def _checked(name: str, block: dict[str, Any]) -> dict[str, Any]:
    source = dict(block["source"])
    data = base64.standard_b64decode(source["data"])
    if block["type"] == "document":
        if b"%PDF-" not in data[:1024]:
            raise ToolError(f"{name} is not a PDF, despite its name.")
        pages = count_pages(data)
        if pages > MAX_PAGES or len(data) > MAX_PDF_BYTES:
            raise ToolError(f"{name} has {pages} pages; more than {MAX_PAGES} can't be read.")
        return block
    picture = read_picture(data)
    if picture is None:
        raise ToolError(f"{name} is not a PNG, JPEG, GIF or WebP, despite its name.")
    if max(picture.width, picture.height) > MAX_PIXELS or not picture.width * picture.height:
        raise ToolError(
            f"{name} has {picture.width} x {picture.height} pixels; at most {MAX_PIXELS} along "
            "each side can be read."
        )
    source["media_type"] = picture.media_type
    return {**block, "source": source}


def _webp(data: bytes) -> ImageHeader | None:
    kind, body = data[12:16], data[20:30]
    if len(body) < 10:
        return None
    if kind == b"VP8X":
        width = int.from_bytes(body[4:7], "little") + 1
        return ImageHeader("image/webp", width, int.from_bytes(body[7:10], "little") + 1)
    if kind == b"VP8L":
        bits = int.from_bytes(body[1:5], "little")
        return ImageHeader("image/webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", body[6:10])
        return ImageHeader("image/webp", width & 0x3FFF, height & 0x3FFF)
    return None


def _jpeg(data: bytes) -> ImageHeader | None:
    """Go from mark to mark to the frame's header."""
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        mark = data[at + 1]
        if mark == 0xFF:  # Filling.
            at += 1
            continue
        if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return ImageHeader("image/jpeg", width, height)
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None
