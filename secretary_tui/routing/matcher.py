"""The local matcher: a request in, ranked agents with confidence and reason out.

No network and no model: this is what `--offline` and the hooks use, and what a model's answer is
built upon.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from secretary_tui.people import Match
from secretary_tui.registry.spec import PRIORITY, AgentSpec
from secretary_tui.routing.confidence import confidence, features
from secretary_tui.routing.lexical import Document, Field, Hit, LexicalIndex, QueryTerm
from secretary_tui.routing.terms import body_text, description_text

NO_WORDS_IN_COMMON = "no word of the request occurs in its file"
_WORDS_IN_REASON = 5


class LocalMatcher:
    """Ranks a fixed set of agents; make a new one when the index of agents changes.

    The word index is built at the first ranking (about 80 ms for 200 agents), so that making a
    matcher costs nothing on the way to the first paint.
    """

    def __init__(self, agents: Iterable[AgentSpec]) -> None:
        self.groups = _collapse(agents)
        """The distinct agents, each with its copies behind it."""

    def __len__(self) -> int:
        """How many distinct agents there are, copies not counted."""
        return len(self.groups)

    def rank(self, request: str, limit: int = 20) -> tuple[Match, ...]:
        """Rank the agents, best first; confidences never rise along the ranking.

        Copies of one agent are one row. Equal scores are ordered by id. Agents without a word in
        common come last with confidence 0. An empty request matches nothing.
        """
        if not request.strip() or not self.groups or limit <= 0:
            return ()
        terms = self.index.parse(request)
        scores = self.index.score_terms(terms)
        order = self.order(scores)
        matches: list[Match] = []
        ceiling = 100
        for number in order[:limit]:
            rival = self.rival_score(number, order, scores)
            match = self._match(number, terms, scores[number], rival, ceiling)
            ceiling = match.confidence
            matches.append(match)
        return tuple(matches)

    @cached_property
    def index(self) -> LexicalIndex:
        """The word index over the groups, in their order."""
        return LexicalIndex(
            [
                Document(spec.name, description_text(spec.description), body_text(spec.prompt))
                for spec, *_ in self.groups
            ]
        )

    def order(self, scores: Sequence[float]) -> list[int]:
        """The numbers of all groups by score, best first, equal ones by id."""
        return sorted(
            range(len(scores)), key=lambda number: (-scores[number], self.groups[number][0].id)
        )

    def rival_score(self, number: int, order: Sequence[int], scores: Sequence[float]) -> float:
        """The score of the best agent of another name: editions of one agent are no rivals."""
        stem = self.groups[number][0].path.stem
        rivals = (scores[other] for other in order if self.groups[other][0].path.stem != stem)
        return next(rivals, 0.0)

    def _match(
        self,
        number: int,
        terms: Sequence[QueryTerm],
        score: float,
        rival: float,
        ceiling: int,
    ) -> Match:
        spec, *copies = self.groups[number]
        sure, reason = 0, NO_WORDS_IN_COMMON
        if score > 0:
            hits = self.index.hits(terms, number)
            of = features(terms, hits, score, rival, self.index.unknown_idf)
            sure, reason = min(ceiling, confidence(of)), _reason(hits)
        return Match(spec.id, str(spec.path), sure, reason, tuple(str(c.path) for c in copies))


def _collapse(agents: Iterable[AgentSpec]) -> list[tuple[AgentSpec, ...]]:
    """Group copies (same file name and body), the one of the highest priority first."""
    groups: dict[tuple[str, str], list[AgentSpec]] = {}
    for spec in agents:
        groups.setdefault((spec.path.stem, spec.prompt.strip()), []).append(spec)
    return [
        tuple(sorted(group, key=lambda spec: (PRIORITY[spec.source.kind], spec.id, str(spec.path))))
        for group in groups.values()
    ]


def _reason(hits: Sequence[Hit]) -> str:
    """Say which words were found where, in one line that a person can check."""
    headline = [hit for hit in hits if hit.fields & (Field.NAME | Field.DESCRIPTION)]
    body = [hit for hit in hits if hit not in headline]
    parts = []
    if headline:
        parts.append(f"{_where(headline)}: {_listed(headline)}")
    if body:
        parts.append(f"instructions mention: {_listed(body)}")
    return "; ".join(parts)


def _where(hits: Sequence[Hit]) -> str:
    in_name = any(hit.fields & Field.NAME for hit in hits)
    in_description = any(hit.fields & Field.DESCRIPTION for hit in hits)
    if in_name and in_description:
        return "name and description mention"
    return "name mentions" if in_name else "description mentions"


def _listed(hits: Sequence[Hit]) -> str:
    shown = [
        hit.word if hit.word == hit.found else f"{hit.found} (for “{hit.word}”)"
        for hit in hits[:_WORDS_IN_REASON]
    ]
    more = len(hits) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
