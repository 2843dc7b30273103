"""Is a message meant for the agent that answered last? A small logistic model over shown signals.

Each signal is something a user can see in the message: a pronoun, an opening, a word that was used
before. Its weight is fitted on dialogues (`benchmarks/dialogues.py --fit`), the sum is a logit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import mul

from secretary_tui.coordinator import cue_words
from secretary_tui.coordinator.context import has_pronoun, resolve
from secretary_tui.coordinator.conversation import Conversation
from secretary_tui.coordinator.deeds import changing, opening_verb, work
from secretary_tui.coordinator.pasted import identifiers, is_asked_for, is_pasted, typed_part
from secretary_tui.coordinator.referents import files_in
from secretary_tui.coordinator.resolved import Reference
from secretary_tui.people import AgentMatch, Continuation
from secretary_tui.routing.index.arithmetic import PlainArithmetic
from secretary_tui.routing.index.vectors import UNIT
from secretary_tui.routing.match.learned import analyse
from secretary_tui.routing.match.work import Work, kinds_of_work
from secretary_tui.routing.recommend.interpreter import Signal, interpret
from secretary_tui.routing.words.languages import in_english
from secretary_tui.routing.words.terms import stem_all, words
from secretary_tui.routing.words.word_vectors import word_vectors

SHOWN_FROM = 50
"""Confidence from which a message is offered to the run before."""
_READ = 600
"""Characters of a message that are looked at."""
_SAID = 4
"""Requests of the conversation that it is compared with, the latest."""
_MOST_REASONS = 3
_USUAL_S = 180
"""Seconds after an answer at which the time says nothing."""
_MOST_SOON, _MOST_LATE = 3.0, 4.0
"""How far it counts, as logarithms of how many times sooner or later it is."""
_FEW_WORDS = 8
_UNSPACED = re.compile(r"[\u30a0-\u30ff\u4e00-\u9fff]+")
"""Runs of katakana and Chinese characters, which carry the matter of a text without blanks."""

WEIGHTS: Mapping[str, float] = {
    "start": 2.4,
    "about": 1.48,
    "adding": 2.89,
    "agreed": 0.0,
    "another fits": -0.56,
    "answered": 5.43,
    "answers": 4.22,
    "as well": 2.92,
    "asked": 0.85,
    "changes": 0.4,
    "file": 1.79,
    "fits": -0.25,
    "fragment": 3.38,
    "fresh": -2.39,
    "here": -2.19,
    "item": 6.31,
    "like answered": 6.33,
    "like said": 3.83,
    "long": -2.37,
    "new task": -3.57,
    "nothing": -1.7,
    "now": 2.66,
    "objecting": 1.88,
    "other file": 0.37,
    "other work": -2.15,
    "own task": -2.44,
    "pasted": -5.22,
    "pasted awaited": -2.26,
    "pasted shared": 2.79,
    "points": 4.71,
    "pronoun": 6.06,
    "said": -0.51,
    "short": 3.57,
    "soon": 0.51,
    "task": 0.13,
    "thing": 2.63,
    "turned": -2.09,
    "turned task": -2.15,
    "vague": -5.42,
    "why": 6.05,
    "you": 2.52,
}
"""What each signal adds to the logit, for a value of 1."""


@dataclass(frozen=True, slots=True)
class Cue:
    """One signal of a message."""

    name: str
    """As in `WEIGHTS`."""
    value: float
    words: str = ""
    """What it is, as a user reads it; empty for one that is not worth a word."""

    @property
    def score(self) -> float:
        """What it adds to the logit."""
        return self.value * WEIGHTS.get(self.name, 0.0)


def continuation_of(
    request: str, conversation: Conversation, typed: Sequence[AgentMatch], now: float
) -> Continuation | None:
    """The run that a message goes on with, where that is as likely as not.

    Args:
        request: As typed.
        conversation: What was said before, with the run.
        typed: The ranking of the request as typed, without what it refers to.
        now: Seconds since the epoch.
    """
    if not conversation.run:
        return None
    cues = cues_of(request, conversation, typed, now)
    confidence = round(100 * probability(cues))
    if confidence < SHOWN_FROM:
        return None
    return Continuation(conversation.run, conversation.agent, confidence, reason(cues))


def probability(cues: Iterable[Cue]) -> float:
    """The probability that a message with these signals is meant for the agent, 0–1."""
    logit = WEIGHTS["start"] + sum(cue.score for cue in cues)
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))


def reason(cues: Iterable[Cue]) -> str:
    """The strongest signals that speak for going on, in a line."""
    speaking = sorted((c for c in cues if c.words and c.score > 0), key=lambda c: -c.score)
    return "; ".join(cue.words for cue in speaking[:_MOST_REASONS]) or "it follows its answer"


def cues_of(
    request: str, conversation: Conversation, typed: Sequence[AgentMatch], now: float
) -> tuple[Cue, ...]:
    """All signals of a message, those that are not there left out."""
    cues = (
        *_written(request, conversation),
        *_spoken_of(request, conversation),
        *_pasted(request, conversation),
        *_turned(request, conversation, typed),
        *_ranked(conversation.agent, typed),
        *_timed(conversation.ended_at, now),
    )
    return tuple(cue for cue in cues if cue.value)


# ------------------------------------------------------------------ what is written


def _written(request: str, conversation: Conversation) -> Iterable[Cue]:
    text = request[:_READ].strip()
    english = in_english(text)
    exchanges = conversation.exchanges
    resolved = resolve(text, exchanges)
    pronoun = has_pronoun(text) if len(text) < _READ else ""
    said = resolved.pointed or resolved.unresolved
    if resolved.follows_up and said != pronoun and not cue_words.cue("new task", text):
        name = "points" if resolved.by is Reference.POINTED else resolved.by.value
        yield Cue(name, 1, f"“{said}” refers to what was said")
    elif pronoun:
        yield Cue("pronoun", 1, f"“{pronoun}” refers to its answer")
    typed = typed_part(text)
    for name in cue_words.names():
        cue = cue_words.cue(name, typed)
        if cue is not None and name != "vague":
            yield Cue(name, 1, _SAYS.get(name, "").format(cue))
    asked = _asks(exchanges[-1].answer if exchanges else "")
    agreeing = cue_words.AGREEING.match(text)
    if agreeing and asked and cue_words.cue("now", typed) is None:
        yield Cue("answers", 1, "its answer ended with a question")
    whole = agreeing is not None and agreeing.end() >= len(text)
    yield Cue("agreed", float(whole and not asked))
    length = len(typed) // 2 if _is_unspaced(typed) else len(typed.split())
    short = 0.0 if len(typed) < len(text) else max(0.0, 1 - length / _FEW_WORDS)
    yield Cue("short", short, "it is short" if length < 4 else "")
    yield Cue("long", math.log1p(max(0, length - _FEW_WORDS)))
    verb = opening_verb(english)
    yield Cue(
        "changes", float(verb in changing()), f"“{text.partition(' ')[0]}” changes what is there"
    )
    yield Cue("task", float(verb in work() - changing()))
    vague = Signal.VAGUE in interpret(text).signals or cue_words.cue("vague", text) is not None
    yield Cue("vague", float(vague and not (pronoun or resolved.pointed)))


_SAYS: Mapping[str, str] = {
    "adding": "begins with “{}”",
    "now": "begins with “{}”",
    "fragment": "begins with “{}”",
    "objecting": "“{}” corrects its answer",
    "about": "“{}” is about its answer",
    "as well": "“{}” adds to what was asked",
    "why": "it asks about its answer",
    "you": "“{}” asks the agent itself",
}
"""How the signals of `cue_words` are named to a user; the others aren't."""


def _asks(answer: str) -> bool:
    """Whether an answer ends with a question."""
    return "?" in answer.strip()[-200:].rpartition("\n")[2]


def _is_unspaced(text: str) -> bool:
    """Whether most of it is written in a script without blanks."""
    return sum("\u3040" <= letter <= "\u9fff" for letter in text) > len(text) / 3


# --------------------------------------------------------------- what it speaks of


def _spoken_of(request: str, conversation: Conversation) -> Iterable[Cue]:
    exchanges = conversation.exchanges
    said = "\n".join(each.said for each in exchanges[-_SAID:])
    files = [file for each in exchanges for file in (*each.files, *files_in(each.answer))]
    answers = "\n".join((*(each.answer for each in exchanges[-_SAID:]), *files))
    telling = dict.fromkeys(_stems(in_english(request[:_READ])))
    before, answered = set(_stems(in_english(said))), set(_stems(in_english(answers)))
    verbs = work()
    matter = [stem for stem in telling if stem not in verbs and stem not in changing()]
    again = [stem for stem in matter if stem in before]
    met = [stem for stem in matter if stem in answered and stem not in before]
    if matter:
        spoken = _as_typed([*again, *met], request)
        says = f"mentions {spoken} again" if spoken else ""
        yield Cue("said", len(again) / len(matter), says)
        yield Cue("answered", len(met) / len(matter), "" if again else says)
    fresh = 0 if is_pasted(request) else len(matter) - len(again) - len(met)
    yield Cue("fresh", math.log1p(fresh))
    begins = opening_verb(in_english(request[:_READ])) in verbs - changing()
    yield Cue("own task", math.log1p(fresh) * begins)
    yield Cue("nothing", float(not matter))
    direction = _direction(request[:_READ])
    yield Cue("like said", _likeness(direction, said))
    yield Cue("like answered", _likeness(direction, answers))
    named = files_in(request)
    known = {file.rpartition("/")[2] for file in (*files, *files_in(said))}
    shared = [file for file in named if file.rpartition("/")[2] in known]
    yield Cue("file", float(bool(shared)), f"it names {shared[0]}" if shared else "")
    yield Cue("other file", float(bool(named) and not shared))


def _pasted(request: str, conversation: Conversation) -> Iterable[Cue]:
    """A log that was asked for or is of the matter goes on; that of another matter doesn't."""
    if not is_pasted(request):
        return
    exchanges = conversation.exchanges[-_SAID:]
    before = "\n".join(text for e in exchanges for text in (e.said, e.answer, *e.files))
    pasted = request[:_READ].lower()
    shared = sum(name in pasted for name in identifiers(before))
    awaited = bool(exchanges) and is_asked_for(exchanges[-1].answer)
    yield Cue("pasted awaited" if awaited else "pasted", 1, "it was asked for" if awaited else "")
    yield Cue("pasted shared", min(2, shared), "it names what was spoken of")


def _turned(request: str, conversation: Conversation, typed: Sequence[AgentMatch]) -> Iterable[Cue]:
    """Another kind of work, or a new matter behind `now`, that another agent fits by itself."""
    text = typed_part(request[:_READ].strip())
    if not text:
        return
    before = [_kinds(each.said) for each in conversation.exchanges[-_SAID:]]
    own = _kinds(text)
    shared = max((sum(math.sqrt(own[k] * kinds[k]) for k in Work) for kinds in before), default=1)
    opened = cue_words.cue("now", text) or cue_words.cue("adding", text)
    best = typed[0] if typed else None
    fits = best.confidence / 100 if best is not None and best.agent != conversation.agent else 0
    task = opening_verb(in_english(cue_words.without_opening(text))) in work() | changing()
    yield Cue("other work", 1 - shared)
    yield Cue("turned", fits * bool(opened))
    yield Cue("turned task", (1 - shared) * task * bool(opened))


@lru_cache(maxsize=64)
def _kinds(said: str) -> Mapping[Work, float]:
    return kinds_of_work(in_english(said[:_READ]))


def _stems(text: str) -> list[str]:
    """The stems of a text, and pairs of letters where it has no blanks."""
    text = text[:20_000]
    pairs = (run[at : at + 2] for run in _UNSPACED.findall(text) for at in range(len(run) - 1))
    return [*stem_all(words(_UNSPACED.sub(" ", text))), *pairs]


def _as_typed(stems: Sequence[str], request: str) -> str:
    """The first two of some stems, as the request has them."""
    typed = {stem: word for word in words(request) for stem in stem_all([word])}
    return ", ".join(f"“{typed[stem]}”" for stem in stems if stem in typed and len(stem) > 2)[:60]


def _direction(text: str) -> Sequence[int]:
    return analyse(text, word_vectors(), PlainArithmetic()).direction


def _likeness(direction: Sequence[int], text: str) -> float:
    """The cosine of a direction of meaning and that of a text, 0–1."""
    if not text.strip():
        return 0.0
    return max(0.0, float(sum(map(mul, direction, _direction(text)))) / UNIT**2)


# ------------------------------------------------------------------ who fits, and when


def _ranked(agent: str, typed: Sequence[AgentMatch]) -> Iterable[Cue]:
    own = next((match.confidence for match in typed if match.agent == agent), 0)
    other = next((match for match in typed if match.agent != agent), None)
    best = other.confidence if other is not None else 0
    is_best = bool(typed) and own >= best and own > 0
    yield Cue("fits", own / 100, f"{agent} ranks first for it, too" if is_best else "")
    yield Cue("another fits", max(0, best - own) / 100)


def _timed(ended_at: float | None, now: float) -> Iterable[Cue]:
    if ended_at is None:
        return
    seconds = max(1.0, now - ended_at)
    soon = math.log(_USUAL_S / seconds)
    said = f"{_ago(seconds)} later" if soon > 0 else ""
    yield Cue("soon", max(-_MOST_LATE, min(_MOST_SOON, soon)), said)


def _ago(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"
