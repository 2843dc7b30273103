"""The filter of the index: what fits what was typed, the best first, and which letters fit.

As people know it from fuzzy finders: every word must fit. A word in the name counts most, then a
name whose parts begin with its letters (`cr` for `code-reviewer`), then a word in the description.
Agents whose names hold the letters in order, with others between, fit loosely and come last.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from secretary_tui.registry.definition.spec import AgentStatus, IndexEntry

_PARTS = re.compile(r"[^\W_]+")
_IN_NAME, _IN_INITIALS = 3, 1
_MOST_MISSPELLED = 20


@dataclass(frozen=True, slots=True)
class Sought:
    """An agent as the filter sees it, all in lower case."""

    entry: IndexEntry
    name: str
    """Its id."""
    text: str
    """Its description."""
    initials: str
    """The first letter of each part of the name."""


@dataclass(frozen=True, slots=True)
class Found:
    """What fits a filter."""

    exact: Sequence[IndexEntry] = ()
    """Every word is in the name, its initials or the description; the best first."""
    loose: Sequence[IndexEntry] = ()
    """Of the others: the name has the letters in order, or is spelled nearly so."""


def seek(entry: IndexEntry) -> Sought:
    """Prepare an agent to be found."""
    name = entry.id.lower()
    initials = "".join(part[0] for part in _PARTS.findall(name))
    return Sought(entry, name, entry.spec.description.lower(), initials)


def find_agents(agents: Iterable[Sought], query: str) -> Found:
    """Find the agents that fit; `query` has at least one word."""
    words = query.lower().split()
    first, inner = words[0], (f"-{words[0]}", f":{words[0]}")
    best: list[list[IndexEntry]] = [[] for _ in range(4 * _IN_NAME * len(words) + 4)]
    others: list[Sought] = []
    for agent in agents:
        name = agent.name
        fits = 0
        for word in words:
            if word in name:
                fits += _IN_NAME
            elif word in agent.initials:
                fits += _IN_INITIALS
            elif word not in agent.text:
                others.append(agent)
                break
        else:
            starts = name.startswith(first) or inner[0] in name or inner[1] in name
            # One that is switched off keeps its place: `x` must not take the row away.
            seen = agent.entry.status is not AgentStatus.SHADOWED
            best[4 * fits + 2 * starts + seen].append(agent.entry)
    exact = [entry for entries in reversed(best) for entry in entries]
    loose = _loosely(others, words)
    return Found(exact, loose if exact or loose else _misspelled(others, query))


def marked(label: str, query: str) -> tuple[int, ...]:
    """The positions in a label of the letters that fit a query, in order."""
    text = label.lower()
    if len(text) != len(label):  # Some letters are two in lower case.
        return ()
    positions: set[int] = set()
    for word in query.lower().split():
        start = text.find(word)
        if start >= 0:
            positions.update(range(start, start + len(word)))
        elif initials := _initial_positions(text, word):
            positions.update(initials)
        else:
            positions.update(Letters(word).positions(text))
    return tuple(sorted(positions))


def _loosely(agents: Iterable[Sought], words: Sequence[str]) -> list[IndexEntry]:
    """Those whose names hold the letters of the words that are nowhere whole, densest first."""
    patterns = [(word, Letters(word)) for word in words]
    dense: list[tuple[int, int, Sought]] = []
    for number, agent in enumerate(agents):
        length = 0
        for word, letters in patterns:
            if word in agent.name or word in agent.text:
                continue
            span = letters.span(agent.name)
            if span == 0:
                break
            length += span
        else:
            dense.append((length, number, agent))
    dense.sort(key=lambda found: found[:2])
    return [agent.entry for _, _, agent in dense]


class Letters:
    """Letters in this order, with others between: where they first end, then as close together as
    they stand before that end. No place is tried twice.
    """

    def __init__(self, word: str) -> None:
        self._word = word
        self._forwards = _in_order(word)
        self._backwards = _in_order(word[::-1])

    def span(self, text: str) -> int:
        """How many characters they take up in a text; 0 when they aren't there."""
        found = self._forwards.search(text)
        if found is None:
            return 0
        match = self._backwards.match(text[found.end() - 1 :: -1])
        return match.end() if match else 0

    def positions(self, text: str) -> tuple[int, ...]:
        """Where they are in a text, last to first; empty when they aren't there."""
        found = self._forwards.search(text)
        match = self._backwards.match(text[found.end() - 1 :: -1]) if found else None
        if found is None or match is None:
            return ()
        last = found.end() - 1
        return tuple(last - match.start(group) for group in range(1, len(self._word) + 1))


def _in_order(word: str) -> re.Pattern[str]:
    first, *rest = map(re.escape, word)
    return re.compile(f"({first})" + "".join(f"[^{char}]*+({char})" for char in rest))


def _initial_positions(text: str, word: str) -> tuple[int, ...]:
    starts = [part.start() for part in _PARTS.finditer(text)]
    at = "".join(text[start] for start in starts).find(word)
    return tuple(starts[at : at + len(word)]) if at >= 0 else ()


def _misspelled(agents: Sequence[Sought], query: str) -> list[IndexEntry]:
    """The names nearest in spelling, so that a slip of the finger still finds something."""
    from rapidfuzz import fuzz, process

    nearest = process.extract(
        query.lower(),
        [agent.name for agent in agents],
        scorer=fuzz.partial_ratio,
        score_cutoff=70,
        limit=_MOST_MISSPELLED,
    )
    return [agents[position].entry for *_, position in nearest]
