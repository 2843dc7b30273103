"""What tells the first two of a ranking apart when their confidences hardly do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from secretary_tui.people import Recommendation
from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.routing.words.languages import in_english
from secretary_tui.routing.words.terms import description_text, stem_all, words
from secretary_tui.routing.words.word_vectors import word_vectors
from secretary_tui.sanitize import clean_line

CLOSE = 15
"""Points of confidence within which the first two are said to be close."""
_NAMED = 3
_READ = 5_000


def close_call(recommendation: Recommendation, agents: Mapping[str, AgentSpec]) -> str:
    """Say that the first two matches are close and what only one of them has; empty otherwise.

    The request's own words come first; where both descriptions have the same of them, what else
    the two speak of. `agents` are by path.
    """
    if len(recommendation.matches) < 2:
        return ""
    first, second = recommendation.matches[:2]
    between = first.confidence - second.confidence
    if between > CLOSE or first.path not in agents or second.path not in agents:
        return ""
    one, other = agents[first.path], agents[second.path]
    head = f"Close: {_points(between)} between the first two."
    about_one, about_other = _speaks_of(one), _speaks_of(other)
    told = recommendation.told or recommendation.request
    asked = _stems(words(in_english(told[:_READ])))
    all_one, all_other = _headline(one, about_one), _headline(other, about_other)
    only_one = _only(asked, all_one, all_other)
    only_other = _only(asked, all_other, all_one)
    opening = "Of your words only"
    if not (only_one or only_other):
        only_one = _only(about_one, about_one, all_other)
        only_other = _only(about_other, about_other, all_one)
        opening = "Only"
    said = [
        f"{clean_line(name)} speaks of {', '.join(only)}"
        for name, only in ((_short(one, other), only_one), (_short(other, one), only_other))
        if only
    ]
    return f"{head} {opening} {', only '.join(said)}." if said else f"{head} Both say the same."


def _points(number: int) -> str:
    if number == 0:
        return "no point"
    return f"{number} point{'s' * (number != 1)}"


def _short(spec: AgentSpec, other: AgentSpec) -> str:
    return spec.id if spec.name == other.name else spec.name


def _stems(spoken: Iterable[str]) -> dict[str, str]:
    """The words by their stems, each once."""
    distinct = list(dict.fromkeys(spoken))
    stems: dict[str, str] = {}
    for stem, word in zip(stem_all(distinct), distinct, strict=True):
        stems.setdefault(stem, word)
    return stems


def _speaks_of(spec: AgentSpec) -> dict[str, str]:
    """The words of a description without those of the name, which stands beside it anyway."""
    named = _stems(words(spec.name))
    said = _stems(words(description_text(spec.description)[:_READ]))
    return {stem: word for stem, word in said.items() if stem not in named}


def _headline(spec: AgentSpec, about: Mapping[str, str]) -> dict[str, str]:
    return {**_stems(words(spec.name)), **about}


def _only(asked: Mapping[str, str], having: Iterable[str], lacking: Iterable[str]) -> list[str]:
    """The most telling of `asked` that one has and the other lacks."""
    known = word_vectors()

    def rarity(stem: str) -> float:
        number = known.numbers.get(stem)
        return 0.0 if number is None else -known.weight(number)

    has, lacks = set(having), set(lacking)
    found = [stem for stem in asked if stem in has and stem not in lacks]
    # A name nobody knows (rarity 0) tells less than a rare word of the trade.
    return [asked[stem] for stem in sorted(found, key=rarity)[:_NAMED]]
