"""Is a request clear enough to route? The seed's ambiguity signals (seed 000 §2.2), locally.

Rules, not a model: they only decide whether a question may be asked. When in doubt they say
nothing, since a needless question costs the user more than a second-best ranking.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from secretary_tui.people import Answer
from secretary_tui.routing.words.languages import in_english
from secretary_tui.routing.words.terms import stem_all, words
from secretary_tui.sanitize import clean


class Signal(StrEnum):
    """Why a request may need a question."""

    EMPTY = "empty"
    CHAT = "chat"
    """A greeting, thanks, yes or no: nothing to route."""
    TOO_SHORT = "too short"
    """One word that says something, or none."""
    VAGUE = "vague"
    """`better`, `improve`, `fix`, `help` … and hardly anything else."""
    SEVERAL_DOMAINS = "several domains"
    """Such as `auth and UI`."""
    NO_ACTION = "no action"
    """A few words without a verb: a topic, not a task."""


@dataclass(frozen=True, slots=True)
class Interpretation:
    """A request as understood."""

    request: str
    """As typed."""
    task: str
    """Cleaned, with answers folded in."""
    signals: tuple[Signal, ...]
    domains: tuple[str, ...] = ()
    """The domains that it names, in the order of `DOMAINS`."""

    @property
    def clear(self) -> bool:
        """Whether nothing speaks for asking."""
        return not self.signals


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


ACTIONS: Mapping[str, frozenset[str]] = {
    "Build it": _set(
        "add build code connect creat design develop draft draw gener implement integr make produc"
        " set setup ship sketch write"
    ),
    "Find the cause": _set(
        "analyz debug detect diagnos fail find identifi investig solv trace troubleshoot"
    ),
    "Review it": _set("assess audit check evalu inspect review scan valid verifi"),
    "Improve it": _set(
        "clean convert fix improv migrat modern optim reduc refactor rewrit simplifi speed split"
        " tune updat upgrad"
    ),
    "Test it": _set("benchmark reproduc simul test"),
    "Explain it": _set("compar describ document explain plan research summar teach"),
}
"""Kinds of work, and the stems of verbs that ask for them."""

_OTHER_ACTIONS = frozenset(
    stem_all(
        _set(
            "automate book calculate configure containerize delete deploy download estimate export"
            " extract host import install launch monitor move port provision publish release"
            " remove rename replace restore run schedule secure send size start stop train"
            " translate upload"
        )
    )
)
"""Stems of more verbs: a request with one of them says what to do."""

DOMAINS: Mapping[str, frozenset[str]] = {
    "Interface": _set("ui ux frontend css layout screen button compon"),
    "Backend": _set("backend api endpoint server graphql rest microservic"),
    "Database": _set("databas sql schema postgr postgresql mysql mongo mongodb"),
    "Security": _set("auth authent login oauth secur vulner owasp encrypt"),
    "Deployment": _set("deploy ci cd pipelin docker kubernet terraform infra"),
    "Tests": _set("test unittest coverag e2e qa"),
    "Documentation": _set("doc document readm tutori changelog"),
    "Mobile": _set("mobil io android flutter swift kotlin"),
    "Performance": _set("perform latenc slow speed memori"),
    "Data": _set("etl analyt dataset dashboard warehous"),
}
"""Areas of work, and the stems of words that name them."""

_VAGUE = _set(
    "app bad better break broke broken bug chang clean code codebas correct enhanc error fast"
    " faster feel fix good great handl improv issu look make mess messi nice optim problem project"
    " refactor slow sluggish thing ugli updat weird work wrong"
)
_CHAT = re.compile(
    r"(?:(?:hi|hey|hello|yo|good (?:morning|evening|afternoon)|thanks?|thank you|a lot|so much|"
    r"thx|cheers|bye|goodbye|see you|ok(?:ay)?|yes|no|yep|nope|cool|great|nice|perfect|lol|"
    r"how are you|what'?s up|who are you|there|all|very much)(?![\w'])[\s,.!?]*)+",
    re.I,
)
_JOINED = re.compile(r"\b(?:and|both|plus|as well as)\b|[&+]", re.I)
_QUESTION = re.compile(
    r"\?|^\s*(?:how|what|why|when|where|which|who|is|are|can|could|should|do)\b", re.I
)
_TOPIC_WORDS = 3
"""Words up to which a request without a verb is a topic; a longer one describes a situation."""
_FEW_WORDS = 4
_READ = 20_000
_LONGEST_CHAT = 80


def interpret(request: str, answers: Sequence[Answer] = ()) -> Interpretation:
    """Find what makes a request ambiguous; a request with answers counts as clarified."""
    task = fold_answers(request, answers)
    english = in_english(request[:_READ])
    stems = stem_all(words(english))
    domains = tuple(name for name, named in DOMAINS.items() if named.intersection(stems))
    # In other languages small words were left out.
    said = len(request[:_READ].split())
    answered = any(not answer.skipped for answer in answers)
    signals = () if answered else _signals(clean(english).strip(), stems, domains, said)
    return Interpretation(request, task, signals, domains)


def fold_answers(request: str, answers: Sequence[Answer]) -> str:
    """The request with each answered question on a line below; skipped ones leave no trace."""
    lines = [clean(request).strip()]
    lines += [f"{answer.question} {answer.text}" for answer in answers if not answer.skipped]
    return "\n".join(lines)


def names_a_matter(request: str) -> bool:
    """Whether a request says more than what to do with "it": `dockerize it` does, `fix it` not."""
    verbs = frozenset().union(*ACTIONS.values())
    return any(
        stem not in _VAGUE and stem not in verbs for stem in stem_all(words(request[:_READ]))
    )


def _signals(
    text: str, stems: Sequence[str], domains: Sequence[str], said: int
) -> tuple[Signal, ...]:
    if not text:
        return (Signal.EMPTY,)
    if len(text) < _LONGEST_CHAT and _CHAT.fullmatch(text):
        return (Signal.CHAT,)
    found: list[Signal] = []
    telling = [stem for stem in stems if stem not in _VAGUE]
    if len(stems) <= 1 and said <= _FEW_WORDS:
        found.append(Signal.TOO_SHORT)
        if stems and not telling:
            found.append(Signal.VAGUE)
    elif len(telling) <= 1 and len(telling) < len(stems):
        found.append(Signal.VAGUE)
    if len(domains) > 1 and _JOINED.search(text):
        found.append(Signal.SEVERAL_DOMAINS)
    if said <= _TOPIC_WORDS and not (_QUESTION.search(text) or _asks_work(stems)):
        found.append(Signal.NO_ACTION)
    return tuple(found)


def _asks_work(stems: Sequence[str]) -> bool:
    verbs = _OTHER_ACTIONS.union(*ACTIONS.values())
    return not verbs.isdisjoint(stems)
