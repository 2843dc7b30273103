"""The clauses of a description: the words of its author that say what an agent is for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from secretary_tui.routing.words.terms import description_text, go_as_golang, stem_all, words
from secretary_tui.sanitize import clean_line

LONGEST = 60
"""Characters of a clause that is quoted."""
_READ = 2_000
_TELLING = 3
"""Words beyond which a longer clause is no better."""
_BREAK = re.compile(r"[.!?;:]+(?=\s|$)|\s[-–—]+\s|[—()\[\]]|\s*\n\s*")
_COMMA = re.compile(r",\s+(?:and\s+|or\s+)?|\s+(?:and|or)\s+(?=\w+ing\b)")
_OPENING = re.compile(
    r"^(?:(?:use|used|invoke|call)\s+(?:(?:this|the)\s+agent\s+|it\s+|this\s+)?"
    r"|(?:must\s+be\s+used|proactively|immediately|automatically|especially|expert|specialist"
    r"|specialized|specializing|specializes|senior|an?|the|you|are|agent|in|that|who|which|and|or"
    r"|also|for\s+example|e\.g\.|such\s+as|including|like)\b[\s,]*)+",
    re.I,
)
_MARKS = " \t\"'`*_“”‘’.,;:"


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence: where it is, and the stems of its words."""

    start: int
    end: int
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, or what stands between other breaks, with its clauses."""

    text: str
    clauses: tuple[Clause, ...]


@lru_cache(maxsize=1 << 12)
def sentences(description: str) -> tuple[Sentence, ...]:
    """The sentences of a description; examples and those without a word are left out."""
    text = description_text(description[: 4 * _READ])[:_READ]
    found = (clean_line(part) for part in _BREAK.split(text))
    return tuple(each for each in map(_sentence, found) if each.clauses)


def telling_clause(description: str, weights: Mapping[str, float]) -> str:
    """The shortest words of a description with most of what is looked for, empty for none.

    `weights` says by stem how much a word counts. Clauses that follow each other are taken
    together where that holds more and fits into `LONGEST` characters.
    """
    best, most = "", (0.0, 0, 0)
    for sentence in sentences(description):
        for at, first in enumerate(sentence.clauses):
            if weights.keys().isdisjoint(first.stems):
                continue
            stems: frozenset[str] = frozenset()
            for last in sentence.clauses[at:]:
                text = sentence.text[first.start : last.end]
                if last is not first and len(text) > LONGEST:
                    break
                stems |= last.stems
                score = sum(weights[stem] for stem in weights.keys() & stems)
                worth = (score, min(_TELLING, len(text.split())), -len(text))
                if worth > most:
                    best, most = text, worth
    return _shortened(best, weights)


def first_clause(description: str) -> str:
    """What a description begins with, empty where it says nothing."""
    for sentence in sentences(description):
        first = sentence.clauses[0]
        return _shortened(sentence.text[first.start : first.end], {})
    return ""


def _sentence(text: str) -> Sentence:
    commas = list(_COMMA.finditer(text))
    starts = [0, *(comma.end() for comma in commas)]
    ends = [*(comma.start() for comma in commas), len(text)]
    found = (_clause(text, start, end) for start, end in zip(starts, ends, strict=True))
    return Sentence(text, tuple(clause for clause in found if clause.stems))


def _clause(text: str, start: int, end: int) -> Clause:
    """A part of a sentence without the phrases that every file has, and without its marks."""
    bare = text[start:end].lstrip(_MARKS)
    bare = _OPENING.sub("", bare).lstrip(_MARKS)
    start, end = end - len(bare), end - len(bare) + len(bare.rstrip(_MARKS))
    return Clause(start, end, _stems(text[start:end]))


def _shortened(text: str, weights: Mapping[str, float]) -> str:
    """A text cut to `LONGEST` characters between words, around what counts."""
    if len(text) <= LONGEST:
        return text
    parts = text.split()
    counting = [n for n, part in enumerate(parts) if not weights.keys().isdisjoint(_stems(part))]
    start = end = counting[0] if counting else 0
    while end < len(parts) and len(" ".join(parts[start : end + 1])) <= LONGEST - 2:
        end += 1
    while start and len(" ".join(parts[start - 1 : end])) <= LONGEST - 2:
        start -= 1
    cut = " ".join(parts[start : max(end, start + 1)])[: LONGEST - 2]
    return f"{'…' if start else ''}{cut.rstrip(_MARKS)}{'…' if end < len(parts) else ''}"


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem_all(words(go_as_golang(text))))
