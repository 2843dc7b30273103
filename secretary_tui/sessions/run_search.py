"""Find the runs that a query means, in their own words: requests, answers, tool calls.

Logs are read as bytes, a megabyte at a time, and only lines that may hold a word are parsed. There
is no index to be rebuilt: the files are the truth, and a thousand of them take a moment.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from secretary_tui.sanitize import clean_line
from secretary_tui.sessions.query import RunQuery
from secretary_tui.sessions.store import RunSummary, parse_line

_BLOCK = 1024 * 1024
_BEFORE, _AFTER = 30, 160
_ASCII = re.compile(r"[ -~]+")
_DENIED = b'"decision": "deny"'
_TOO_DEEP = 8


@dataclass(frozen=True, slots=True)
class RunExcerpt:
    """Where a word was found: the text around it, on one line."""

    place: str
    """request, reply, answer, thinking, error, or the name of a tool."""
    before: str
    match: str
    after: str

    def __str__(self) -> str:
        """The excerpt as plain text."""
        return f"{self.place}: {self.before}{self.match}{self.after}"


@dataclass(frozen=True, slots=True)
class RunHit:
    """A run that fits a query."""

    run: RunSummary
    excerpt: RunExcerpt | None = None
    """The first place of a word that its list entry doesn't show."""


def search(runs: Iterable[RunSummary], query: RunQuery) -> Iterator[RunHit | None]:
    """Look at each run in turn: a hit, or None for one that doesn't fit. Blocking.

    One answer a run, so that whoever asks can pause or stop in between.
    """
    for run in runs:
        yield _look(run, query) if query.fits(run) else None


def _look(run: RunSummary, query: RunQuery) -> RunHit | None:
    if query.asks_for_denied(run) and not _was_denied(run.path):
        return None
    shown = f"{run.id} {run.agent} {run.request} {run.outcome} {run.model}".lower()
    missing = [word for word in query.words if word not in shown]
    if not missing:
        return RunHit(run)
    excerpt = find_in_log(run.path, missing)
    return RunHit(run, excerpt) if excerpt is not None else None


def find_in_log(log: Path, words: Sequence[str]) -> RunExcerpt | None:
    """Give the first place of one of the words in a log; None unless all of them occur.

    `words` are in lower case. A word is found within one piece of text, wherever it begins.
    """
    patterns = {word: re.compile(re.escape(word), re.IGNORECASE) for word in words}
    needles = {word: _needle(word) for word in words}
    first: RunExcerpt | None = None
    for block in _blocks(log):
        lowered = block.lower()
        for word in tuple(needles):
            found = _find(block, lowered, needles[word], patterns[word])
            if found is not None:
                first = first or found
                del needles[word]
        if not needles:
            return first
    return None


def _find(
    block: bytes, lowered: bytes, needle: bytes, pattern: re.Pattern[str]
) -> RunExcerpt | None:
    at = lowered.find(needle)
    while 0 <= at < len(block):
        start, end = block.rfind(b"\n", 0, at) + 1, block.find(b"\n", at)
        end = len(block) if end < 0 else end
        for place, text in _texts(parse_line(block[start:end])):
            match = pattern.search(text)
            if match is not None:
                return _excerpt(place, text, match)
        at = lowered.find(needle, end + 1)
    return None


def _excerpt(place: str, text: str, match: re.Match[str]) -> RunExcerpt:
    start, end = match.span()
    before = clean_line(text[max(0, start - _BEFORE) : start])
    after = clean_line(text[end : end + _AFTER])
    # A cut at a blank loses that blank.
    before = f"{'…' if start > _BEFORE else ''}{before}"
    before += " " * (before != "" and text[start - 1].isspace())
    after = " " * (end < len(text) and text[end].isspace()) + after
    return RunExcerpt(clean_line(place), before, clean_line(match[0]), after)


def _texts(data: Mapping[str, Any] | None, depth: int = 0) -> Iterator[tuple[str, str]]:
    """What an event of a log says to people, with the name of the place."""
    if data is None or depth > _TOO_DEEP:
        return
    match data.get("type"):
        case "run_started" if not data.get("resumed"):
            yield "request", str(data.get("request"))
        case "user_message":
            yield "reply", str(data.get("text"))
        case "text_delta" | "run_finished":
            yield "answer", str(data.get("text"))
        case "thinking_delta":
            yield "thinking", str(data.get("text"))
        case "run_failed":
            yield "error", str(data.get("error"))
        case "tool_started":
            name = str(data.get("name"))
            yield name, str(data.get("summary"))
            for value in _strings(data.get("input")):
                yield name, value
        case "tool_finished":
            yield f"{data.get('name')}, its result", str(data.get("output"))
        case "subagent_event":
            event = data.get("event")
            yield from _texts(event if isinstance(event, Mapping) else None, depth + 1)


def _strings(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list) and depth < _TOO_DEEP:
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _strings(part, depth + 1)


def _needle(word: str) -> bytes:
    """The longest part of a word whose bytes stand in a log as they are, whatever wrote it."""
    part = max(_ASCII.findall(word), key=len, default="")
    return json.dumps(part)[1:-1].encode()


def _was_denied(log: Path) -> bool:
    return any(
        _DENIED in line
        and (data := parse_line(line)) is not None
        and data.get("type") == "permission_answered"
        for block in _blocks(log)
        if _DENIED in block
        for line in block.split(b"\n")
    )


def _blocks(log: Path) -> Iterator[bytes]:
    """Read a log in blocks of whole lines."""
    with contextlib.suppress(OSError), log.open("rb") as file:
        rest = b""
        while data := file.read(_BLOCK):
            cut = data.rfind(b"\n") + 1
            if cut:
                yield rest + data[:cut]
                rest = data[cut:]
            else:
                rest += data
        if rest:
            yield rest
