"""Pictures and PDFs for tests: just the headers that say what they are."""

from __future__ import annotations

import struct


def png(width: int = 3, height: int = 2, size: int = 0) -> bytes:
    head = (
        b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + struct.pack(">II", width, height)
    )
    return head + b"\x08\x02\x00\x00\x00" + b"\0" * size


def gif(width: int = 3, height: int = 2) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0"


def jpeg(width: int = 3, height: int = 2) -> bytes:
    app = b"\xff\xe0" + struct.pack(">H", 16) + b"JFIF\0" + b"\0" * 9
    frame = b"\xff\xff\xc2" + struct.pack(">HBHH", 17, 8, height, width) + b"\0" * 10
    return b"\xff\xd8" + app + frame


def webp(kind: str, width: int = 3, height: int = 2) -> bytes:
    if kind == "VP8X":
        body = b"\0\0\0\0" + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    elif kind == "VP8L":
        body = b"\x2f" + (width - 1 | height - 1 << 14).to_bytes(4, "little") + b"\0" * 5
    else:
        body = b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height)
    head = b"RIFF" + struct.pack("<I", 22) + b"WEBP" + kind.ljust(4).encode()
    return head + struct.pack("<I", 10) + body


def pdf(pages: int = 2) -> bytes:
    page = b"<< /Type /Page /Parent 1 0 R >>\n"
    tree = b"<< /Type /Pages /Count %d >>\n" % pages
    return b"%PDF-1.7\n" + tree + page * pages + b"%%EOF"
