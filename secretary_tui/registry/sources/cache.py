"""Definitions as they were read the last time, so that a start need not parse them again.

One file for each folder of agents. A record is a line with a checksum and two lengths, then JSON,
then the prompt as it is: most of a definition is its prompt, and copying is quicker than parsing.
What follows a record that was torn or altered is not used, nor what another version wrote, and
the definitions are read anew. The checksum holds against accidents only; whoever forges records can
mislead the index, but not a run, which reads its definition from the file (`reread`).
Several programs may share it: the file is replaced as a whole, or records are added at its end.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from secretary_tui import __version__
from secretary_tui.registry.definition.parse import ParseResult
from secretary_tui.registry.definition.spec import AgentSpec, Dialect, Finding, Severity, Source
from secretary_tui.registry.sources.scan import Signature

_FORMAT = 5
_MAX_BYTES = 1 << 30
_UNUSED_S = 60 * 24 * 3600
"""A file of the cache that was not used for so long is of a folder that went."""
_HEADER = f"secretary-tui definitions {_FORMAT} {__version__}\n".encode()
_MARK = re.compile(rb"([0-9a-f]{8}) (\d{1,10}) (\d{1,10})\n")

Record = tuple[Signature, list[Any], str]
"""A definition's signature, what was read as JSON types, and the prompt."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One definition of the cache, not yet unfolded."""

    signature: Signature
    data: list[Any]
    prompt: str

    def result(self, path: Path, source: Source, namespace: str) -> ParseResult | None:
        """What reading the file gave; None when the record holds something else."""
        try:
            return _load_result(self.data, self.prompt, path, source, namespace)
        except (ValueError, TypeError, LookupError, AttributeError):
            return None


class Shelf:
    """The cache of one folder of definitions."""

    def __init__(self, cache: Path, root: Path) -> None:
        digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:24]
        self.path = cache / f"{digest}.agents"
        self._records = 0
        """How many are in the file; 0 when it must be written anew."""

    def load(self) -> dict[str, Stored]:
        """All that can be used, by path. Never raises."""
        found: dict[str, Stored] = {}
        try:
            with self.path.open("rb") as file:
                if os.fstat(file.fileno()).st_size > _MAX_BYTES:
                    return {}
                data = file.read()
            os.utime(self.path)
        except OSError:
            return {}
        if not data.startswith(_HEADER):
            return {}
        view = memoryview(data)
        at = len(_HEADER)
        while at < len(data):
            taken = _load_record(view, at)
            if taken is None:
                self._records = 0
                return found
            at, name, stored = taken
            found[name] = stored
            self._records += 1
        return found

    def add(self, news: Mapping[str, Record], wanted: int) -> bool:
        """Add records; False when the file has to be written anew. Never raises.

        `wanted` is how many definitions the folder holds: of a file with twice as many records
        half is of no use any more.
        """
        if self._records == 0 or self._records + len(news) > 2 * wanted + 50:
            return False
        with contextlib.suppress(OSError):
            # One write with O_APPEND: what two programs add at once doesn't mix.
            handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_CLOEXEC", 0))
            try:
                os.write(handle, b"".join(_dump_records(news)))
                self._records += len(news)
            finally:
                os.close(handle)
        return True

    def replace(self, records: Mapping[str, Record]) -> None:
        """Write the file anew: a reader sees the old one or the new one. Never raises."""
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _forget_unused(self.path.parent)
            handle, name = tempfile.mkstemp(dir=self.path.parent, suffix=".tmp")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_HEADER)
                    file.writelines(_dump_records(records))
                Path(name).replace(self.path)
                self._records = len(records)
            except BaseException:
                with contextlib.suppress(OSError):
                    Path(name).unlink()
                raise


def dump_result(signature: Signature, result: ParseResult) -> Record | None:
    """The record of what a file gave; None for what is not worth keeping."""
    spec = result.spec
    if spec is None:
        return None if result.findings else (signature, ["none"], "")
    data = [
        "agent",
        result.rescued,
        spec.name,
        spec.description,
        spec.tools,
        spec.disallowed_tools,
        spec.model,
        spec.skills,
        spec.color,
        spec.max_turns,
        spec.permission_mode,
        spec.effort,
        spec.metadata,
        _dump_findings(spec.findings),
        spec.content_hash,
        spec.dialect,
    ]
    return signature, data, spec.prompt


def _load_result(
    data: list[Any], prompt: str, path: Path, source: Source, namespace: str
) -> ParseResult | None:
    if data == ["none"]:
        return ParseResult(None)
    if data[0] != "agent":
        return None
    (rescued, name, description, tools, disallowed, model, skills, color, turns, mode,
     effort, metadata, found, digest, dialect) = data[1:]  # fmt: skip
    findings = _load_findings(found, path) if found else ()
    spec = AgentSpec(
        name,
        description,
        prompt,
        source,
        path,
        namespace,
        None if tools is None else tuple(tools),
        tuple(disallowed),
        model,
        tuple(skills),
        color,
        turns,
        mode,
        effort,
        metadata,
        findings,
        digest,
        Dialect(dialect),
    )
    return ParseResult(spec, findings, rescued)


def _dump_findings(findings: Iterable[Finding]) -> list[list[Any]]:
    return [[f.line, f.message, f.severity, f.action, f.kind, f.silent] for f in findings]


def _load_findings(data: list[list[Any]], path: Path) -> tuple[Finding, ...]:
    return tuple(
        Finding(path, line, message, Severity(severity), action, kind, silent)
        for line, message, severity, action, kind, silent in data
    )


def _dump_records(records: Mapping[str, Record]) -> Iterator[bytes]:
    for name, (signature, data, prompt) in records.items():
        with contextlib.suppress(UnicodeEncodeError):  # A name that is no text: read each time.
            body = json.dumps([name, signature, data], separators=(",", ":")).encode()
            text = prompt.encode()
            check = zlib.crc32(text, zlib.crc32(body))
            yield b"%08x %d %d\n%b%b\n" % (check, len(body), len(text), body, text)


def _load_record(view: memoryview, at: int) -> tuple[int, str, Stored] | None:
    """The record at an offset, and where the next one starts; None when it is damaged."""
    mark = _MARK.match(view, at)
    if mark is None:
        return None
    start = mark.end()
    middle = start + int(mark[2])
    end = middle + int(mark[3])
    if end >= len(view) or zlib.crc32(view[start:end]) != int(mark[1], 16):
        return None
    try:
        name, stamp, data = json.loads(bytes(view[start:middle]))
        mtime, size, inode, device = stamp
        prompt = str(view[middle:end], "utf-8")
    except (ValueError, TypeError, RecursionError):
        return None
    return end + 1, name, Stored((mtime, size, inode, device), data, prompt)


def _forget_unused(cache: Path) -> None:
    long_ago = time.time() - _UNUSED_S
    for path in cache.glob("*.agents"):
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < long_ago:
                path.unlink()
