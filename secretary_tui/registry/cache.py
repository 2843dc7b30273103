"""Definitions as they were read the last time, so that a start need not parse them again.

One file for each folder of agents, a line for each definition: a checksum, and JSON. A line that
was torn, altered or written by another version is passed over and its file read anew, so nothing
that happens to the cache can change what the index says. Several programs may share it: the file
is replaced as a whole, and lines are only ever added to it otherwise.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from secretary_tui import __version__
from secretary_tui.registry.parse import ParseResult
from secretary_tui.registry.scan import Signature
from secretary_tui.registry.spec import AgentSpec, Dialect, Finding, Severity, Source

_FORMAT = 1
_MAX_BYTES = 1 << 30
_UNUSED_S = 60 * 24 * 3600
"""A file of the cache that was not written for so long is of a folder that went."""
_HEADER = {"format": _FORMAT, "version": __version__}


@dataclass(frozen=True, slots=True)
class Stored:
    """One definition of the cache, not yet unfolded."""

    signature: Signature
    data: list[Any]

    def result(self, path: Path, source: Source, namespace: str) -> ParseResult | None:
        """What reading the file gave; None when the line holds something else."""
        try:
            return _load_result(self.data, path, source, namespace)
        except (ValueError, TypeError, LookupError, AttributeError):
            return None


class Shelf:
    """The cache of one folder of definitions."""

    def __init__(self, cache: Path, root: Path) -> None:
        digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:24]
        self.path = cache / f"{digest}.jsonl"
        self._lines = 0

    def load(self) -> dict[str, Stored]:
        """All that can be used, by path. Never raises."""
        found: dict[str, Stored] = {}
        with contextlib.suppress(OSError), self.path.open("rb") as file:
            if os.fstat(file.fileno()).st_size > _MAX_BYTES:
                return {}
            os.utime(self.path)
            lines = iter(file)
            if _load_line(next(lines, b"")) != _HEADER:
                return {}
            for line in lines:
                self._lines += 1
                if (stored := _load_stored(_load_line(line))) is not None:
                    found[stored[0]] = stored[1]
        return found

    def save(self, news: Mapping[str, tuple[Signature, list[Any]]], wanted: int) -> bool:
        """Add what is new; False when the file must be written anew. Never raises.

        `wanted` is how many definitions the folder holds: of a file with twice as many lines half
        is of no use any more.
        """
        if not news:
            return True
        if self._lines == 0 or self._lines + len(news) > 2 * wanted + 50:
            return False
        lines = b"".join(_lines(news.items()))
        with contextlib.suppress(OSError):
            # One write with O_APPEND: what two programs add at once doesn't mix.
            handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_CLOEXEC", 0))
            try:
                os.write(handle, lines)
                self._lines += len(news)
            finally:
                os.close(handle)
        return True

    def replace(self, records: Mapping[str, tuple[Signature, list[Any]]]) -> None:
        """Write the file anew: a reader sees the old one or the new one. Never raises."""
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _forget_unused(self.path.parent)
            handle, name = tempfile.mkstemp(dir=self.path.parent, suffix=".tmp")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_line(_HEADER))
                    file.writelines(_lines(records.items()))
                Path(name).replace(self.path)
                self._lines = len(records)
            except BaseException:
                with contextlib.suppress(OSError):
                    Path(name).unlink()
                raise


def dump_result(result: ParseResult) -> list[Any] | None:
    """What a file gave, as JSON types; None for what is not worth keeping."""
    spec = result.spec
    if spec is None:
        return None if result.findings else ["none"]
    return [
        "agent",
        result.rescued,
        spec.name,
        spec.description,
        spec.prompt,
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


def _load_result(data: list[Any], path: Path, source: Source, namespace: str) -> ParseResult | None:
    if data == ["none"]:
        return ParseResult(None)
    if data[0] != "agent":
        return None
    (rescued, name, description, prompt, tools, disallowed, model, skills, color, turns, mode,
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


def _lines(records: Iterable[tuple[str, tuple[Signature, list[Any]]]]) -> Iterator[bytes]:
    for path, (stamp, data) in records:
        with contextlib.suppress(UnicodeEncodeError):  # A name that is no text is read each time.
            yield _line([path, stamp, data])


def _line(record: object) -> bytes:
    body = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
    return b"%08x%b\n" % (zlib.crc32(body), body)


def _load_line(line: bytes) -> object:
    """What a line holds; None when it is not as it was written."""
    body = line[8:-1]
    try:
        if int(line[:8], 16) != zlib.crc32(body) or line[-1:] != b"\n":
            return None
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _load_stored(record: object) -> tuple[str, Stored] | None:
    match record:
        case [str(path), [int(mtime), int(size), int(inode), int(device)], [*data]]:
            return path, Stored((mtime, size, inode, device), data)
    return None


def _forget_unused(cache: Path) -> None:
    long_ago = time.time() - _UNUSED_S
    for path in cache.glob("*.jsonl"):
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < long_ago:
                path.unlink()
