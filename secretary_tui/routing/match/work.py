"""What kind of work a request asks for, and which kinds an agent's name says it does.

Apart from what both are about: "a runbook for the payment service" is for who writes runbooks.
The kind is told by a small model of a request's words, pairs of words and first words
(`tools/train_work.py`); how much a kind speaks for a role is learnt, too
(`routing/match/reranker`).
"""

from __future__ import annotations

import json
import math
import re
from array import array
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from secretary_tui.routing.index.arithmetic import Arithmetic, PlainArithmetic
from secretary_tui.routing.words.terms import stem_all
from secretary_tui.routing.words.word_vectors import word_vectors

WEIGHTS = Path(__file__).parent / "data" / "work.json"
"""Weights in hundredths. For each trait the numbers of kinds, each followed by its weight; for each
dimension of a request's direction one weight a kind."""
_READ = 600
"""Characters of a request that say what is to be done; what follows is what it is about."""
_MOST_WORDS = 60
UNIT = 2048
"""The length of a direction in whole numbers."""


class Work(StrEnum):
    """Kinds of work."""

    EXPLAIN = "explain"
    FIND = "find"
    DEBUG = "debug"
    REVIEW = "review"
    TEST = "test"
    DOCS = "docs"
    WRITE = "write"
    """Prose for people who don't work on the project."""
    BUILD = "build"
    CHANGE = "change"
    """A small, mechanical change."""
    RUN = "run"
    """Running commands: tests, git, servers."""
    DATA = "data"
    REFACTOR = "refactor"
    RESEARCH = "research"
    """Finding out what is known outside the project."""
    DESIGN = "design"
    PLAN = "plan"
    SECURE = "secure"
    OPTIMIZE = "optimize"
    OPERATE = "operate"
    BUSINESS = "business"
    TEACH = "teach"


_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+|[?!]|```|\.(?=[a-z]{1,5}\b)")
_WORD = re.compile(r"[a-z]+")
_ERROR = re.compile(r"(?:\n\s*at |Traceback|Exception|\bERROR\b|[Ee]rror:|panic:)")

_ROLES: Mapping[str, str] = {
    "review": "review reviewer audit auditor critic inspector checker verifier validator assessor"
    " compliance",
    "debug": "debug debugger troubleshoot troubleshooter detective investigator incident fixer"
    " resolver responder error bug",
    "build": "developer dev engineer coder builder implementer programmer creator maker generator",
    "craft": "pro specialist expert master guru",
    "test": "test tester testing qa quality e2e tdd automator coverage",
    "docs": "doc docs documentation documenter tutorial readme changelog reference",
    "write": "writer writing copywriter editor blogger content storyteller author scribe"
    " ghostwriter newsletter social script journalist technical",
    "design": "design designer ux ui visual brand illustrator artist image creative",
    "plan": "architect planner plan architecture pm manager product project scrum coordinator"
    " orchestrator lead strategist strategy roadmap prioritizer",
    "data": "data analyst analytics scientist statistic bi sql quant dashboard metrics ml",
    "research": "researcher research search scout discovery trend competitive market",
    "survey": "surveyor explorer explain explainer analyzer archaeologist onboarding teacher tutor"
    " mentor educator guide finder",
    "do": "worker executor runner assistant general generalist task",
    "git": "git commit commits pr branch release",
    "refactor": "refactor refactorer refactoring simplifier cleaner modernizer migration migrator"
    " legacy cleanup",
    "optimize": "optimizer optimization performance profiler tuner efficiency cost",
    "operate": "devops sre deployment deploy infrastructure cloud platform kubernetes terraform"
    " docker network monitoring observability admin administrator sysadmin operator",
    "secure": "security secure pentest penetration threat vulnerability hacker",
    "business": "business sales marketing finance legal hr support customer growth account"
    " accountant advisor consultant lawyer recruiter seo coach",
}
ROLES: Mapping[str, frozenset[str]] = {
    role: frozenset(stem_all(names.split())) for role, names in _ROLES.items()
}
"""What agents do, and the stems in their names that say so."""

_HEAD_END = re.compile(
    r"[,.;:!?\n]|\b(?:about|on|for|of|why|that|which|because|in|with|from|so|when|where|after"
    r"|before|to|by|into|since|if)\b",
    re.I,
)
_OPENING = re.compile(
    r"\W*(?:(?:hi|hey|hello|please|pls|can|could|would|you|i|we|need|want|to|an?|the|some|me|us"
    r"|my|our|help|someone|somebody|who|write|make|create|draft|give|get|like|have|there|is|any"
    r"|let|lets|d|ll|just|now)\b[\s,']*)+",
    re.I,
)


def kinds_of_work(request: str, arithmetic: Arithmetic | None = None) -> Mapping[Work, float]:
    """How likely each kind is for a request in English; the sum is 1."""
    arithmetic = arithmetic or PlainArithmetic()
    learnt = _weights()["traits"]
    held = [weights for trait in traits(request) if (weights := learnt.get(trait))]
    told = [0] * len(Work)
    for weights in held:
        for kind, weight in zip(weights[::2], weights[1::2], strict=True):
            told[kind] += weight
    meant = [round(UNIT * part) for part in direction(request, arithmetic)]
    near = arithmetic.products(arithmetic.matrix(_directions()), meant)
    root = math.sqrt(max(1, len(held)))
    scores = [t / root + float(n) / UNIT for t, n in zip(told, near, strict=True)]
    top = max(scores)
    shares = [math.exp((score - top) / 100) for score in scores]
    total = sum(shares)
    return {kind: share / total for kind, share in zip(Work, shares, strict=True)}


def kind_of_work(request: str) -> Work:
    """The likeliest kind."""
    kinds = kinds_of_work(request)
    return max(Work, key=lambda kind: kinds[kind])


def traits(request: str) -> set[str]:
    """The features of a request: words, pairs of words, first words (`^`), a pasted error."""
    text = request.strip()[:_READ]
    tokens = _TOKEN.findall(text.lower())[:_MOST_WORDS]
    return set(_traits(tokens)) | ({"<error>"} if _ERROR.search(request[:_READ]) else set())


def _traits(tokens: list[str]) -> Iterator[str]:
    stems = stem_all(tokens)
    yield "<any>"
    if len(tokens) < 4:
        yield "<short>"
    yield from stems
    yield from map(" ".join, pairwise(stems))
    for length in (1, 2, 3):
        if len(tokens) >= length:
            yield "^" + " ".join(stems[:length])


def direction(request: str, arithmetic: Arithmetic | None = None) -> list[float]:
    """The mean direction of a request's words, 1 long; zeros when none of them is known."""
    known = word_vectors()
    words = _WORD.findall(request[:_READ].lower())[:_MOST_WORDS]
    weighted = [
        (number, known.weight(number))
        for stem in stem_all(words)
        if (number := known.numbers.get(stem)) is not None
    ]
    total = (arithmetic or PlainArithmetic()).weighted_sum(known.rows, weighted)
    length = math.hypot(*total)
    return [part / length for part in total] if length else total


@cache
def _directions() -> array[int]:
    """The weights of a direction's dimensions, kind after kind."""
    rows = zip(*_weights()["direction"], strict=True)
    return array("h", [weight for row in rows for weight in row])


@cache
def _weights() -> dict[str, Any]:
    """The shipped weights."""
    read: dict[str, Any] = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return read


def asked_for(request: str) -> str:
    """The words that say what is asked for, before those that say what it is about."""
    line = request.strip()[:_READ].partition("\n")[0]
    line = _OPENING.sub("", line, count=1) if _OPENING.match(line) else line
    end = _HEAD_END.search(line, 1) if line else None
    return line[: end.start()].strip() if end else line


@lru_cache(maxsize=1 << 14)
def roles_of(name: str) -> frozenset[str]:
    """The roles in an agent's name; empty when it names an area only."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower()
    stems = frozenset(stem_all(re.findall(r"[a-z0-9]+", apart)))
    return frozenset(role for role, named in ROLES.items() if named & stems)
