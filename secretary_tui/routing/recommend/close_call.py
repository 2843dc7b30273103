"""What tells the first two of a ranking apart when their confidences hardly do."""

from __future__ import annotations

from collections.abc import Mapping, Set

from secretary_tui.people import Recommendation
from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.routing.words.clauses import telling_clause
from secretary_tui.routing.words.languages import in_english
from secretary_tui.routing.words.terms import description_text, stem_all, words
from secretary_tui.routing.words.word_vectors import word_vectors
from secretary_tui.sanitize import clean_line

CLOSE = 15
"""Points of confidence within which the first two are said to be close."""
_READ = 5_000
_ASKED = 10.0
"""How much more a word tells that the request has: more than any other word."""


def close_call(recommendation: Recommendation, agents: Mapping[str, AgentSpec]) -> str:
    """What tells the first two matches apart when they are close, in the words of their files.

    Of each, what the other doesn't speak of, the words of the request first. Empty when they are
    not close, or when nothing tells them apart. `agents` are by path.
    """
    if len(recommendation.matches) < 2:
        return ""
    first, second = recommendation.matches[:2]
    if first.fallback or second.fallback:  # A generalist is told apart by being one.
        return ""
    between = first.confidence - second.confidence
    if between > CLOSE or first.path not in agents or second.path not in agents:
        return ""
    one, other = agents[first.path], agents[second.path]
    told = recommendation.told or recommendation.request
    asked = set(stem_all(words(in_english(told[:_READ]))))
    own, others = _own_words(one, other, asked), _own_words(other, one, asked)
    if not (own and others) or second.fallback:
        return ""
    names = clean_line(_short(one, other)), clean_line(_short(other, one))
    return f"Close: {names[0]} “{own}”, {names[1]} “{others}”."


def _own_words(spec: AgentSpec, other: AgentSpec, asked: Set[str]) -> str:
    """The clause of a description that says most of what the other agent doesn't speak of."""
    known = word_vectors()
    also = _spoken(f"{other.name} {description_text(other.description)}")

    def weight(stem: str) -> float:
        number = known.numbers.get(stem)
        # A word that is not in the dictionary tells less than a rare one that is.
        rarity = 0.0 if number is None else known.weight(number)
        return rarity + (_ASKED if stem in asked else 0.0)

    only = _spoken(description_text(spec.description)) - _spoken(spec.name) - also
    return telling_clause(spec.description, {stem: weight(stem) for stem in only})


def _spoken(text: str) -> frozenset[str]:
    return frozenset(stem_all(words(text[:_READ])))


def _short(spec: AgentSpec, other: AgentSpec) -> str:
    return spec.id if spec.name == other.name else spec.name
