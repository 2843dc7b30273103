"""Read a definition file into clean text, whatever lies at its path.

A folder of agents is written by people, editors and downloads: it holds links that lead nowhere,
half-copied binaries and pipes. Each becomes one sentence; none blocks or raises.
"""

from __future__ import annotations

import codecs
import errno
import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from secretary_tui.registry.definition.findings import refused, repaired
from secretary_tui.registry.definition.spec import Finding
from secretary_tui.sanitize import clean

MAX_BYTES = 1 << 20
"""The largest definition that is read; the largest real one has about 60 kB."""
_CONTROL_BYTES = bytes(c for c in range(32) if c not in b"\t\n\r") + b"\x7f"
_BINARY_SHARE = 0.1
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Definition:
    """What a file holds: clean text with `\\n` line ends, and the sha256 of its bytes."""

    text: str
    digest: str
    findings: tuple[Finding, ...] = ()


def read_definition(path: Path) -> Definition | Finding:
    """Read and decode one file; a `Finding` says why it can't be used."""
    data = _read_bytes(path)
    if isinstance(data, Finding):
        return data
    findings: tuple[Finding, ...] = ()
    controls = len(data) - len(data.translate(None, _CONTROL_BYTES))
    if data.startswith(_UTF16_MARKS):
        text = data.decode("utf-16", errors="replace")
        findings = (repaired(path, "the file is UTF-16; save it as UTF-8", 1),)
    elif b"\0" in data or controls > len(data) * _BINARY_SHARE:
        return refused(path, "this is a binary file, not an agent definition; remove it from here")
    else:
        plain = data.removeprefix(codecs.BOM_UTF8)
        try:
            text = plain.decode()
        except UnicodeDecodeError as error:
            line = plain.count(b"\n", 0, error.start) + 1
            text = plain.decode(errors="replace")
            message = "not valid UTF-8; unreadable characters became �. Save the file as UTF-8"
            findings = (repaired(path, message, line),)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    cleaned = clean(text) if controls or not text.isascii() else text
    if cleaned != text:
        message = "control characters, which a terminal would obey, were removed; remove them"
        findings += (repaired(path, message, _first_difference(text, cleaned)),)
    return Definition(cleaned, hashlib.sha256(data).hexdigest(), findings)


def _read_bytes(path: Path) -> bytes | Finding:
    # O_NONBLOCK: opening a named pipe that nobody writes to would wait for ever.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    flags |= getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
        try:
            info = os.fstat(handle)
            if not stat.S_ISREG(info.st_mode):
                return refused(path, "this is not a regular file; only text files define agents")
            # Room for what it holds and no more: a megabyte for each file would be felt.
            room = min(info.st_size, MAX_BYTES) + 1
            data = os.read(handle, room)
            while len(data) < info.st_size and (more := os.read(handle, room - len(data))):
                data += more
        finally:
            os.close(handle)
    except (OSError, ValueError) as error:
        return refused(path, _explain(path, error))
    if len(data) > MAX_BYTES:
        return refused(path, "larger than 1 MB; a definition of that size is not read. Shorten it")
    return data


def _explain(path: Path, error: OSError | ValueError) -> str:
    code = error.errno if isinstance(error, OSError) else None
    if code == errno.ELOOP:
        return "this link leads back to itself; remove it or point it at a file"
    if code == errno.ENOENT and path.is_symlink():
        return "this link points at a file that is not there; remove it or restore the file"
    if code == errno.ENOENT:
        return "the file is not there (any more)"
    if code in (errno.EACCES, errno.EPERM):
        return "the file may not be read; change its permissions"
    if code == errno.EISDIR:
        return "this is a folder, not a file"
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"the file can't be read ({reason})"


def _first_difference(text: str, cleaned: str) -> int:
    """The line where cleaning first took something away."""
    pairs = zip(text.split("\n"), cleaned.split("\n"), strict=False)
    return next((number for number, (was, now) in enumerate(pairs, 1) if was != now), 1)
