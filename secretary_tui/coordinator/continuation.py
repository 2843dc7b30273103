"""Is a message meant for the agent that answered last? A small logistic model over shown signals.

Each signal is something a user can see in the message: a pronoun, an opening, a word that was used
before. Its weight is fitted on dialogues (`benchmarks/dialogues.py --fit`), the sum is a logit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import mul

from secretary_tui.coordinator import cue_words
from secretary_tui.coordinator.context import has_pronoun, resolve
from secretary_tui.coordinator.conversation import Conversation
from secretary_tui.coordinator.referents import files_in
from secretary_tui.people import AgentMatch, Continuation
from secretary_tui.routing.index.arithmetic import PlainArithmetic
from secretary_tui.routing.index.vectors import UNIT
from secretary_tui.routing.match.learned import analyse
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
_FEW_WORDS = 8
_PASTED_LINES = 4
_UNSPACED = re.compile(r"[\u30a0-\u30ff\u4e00-\u9fff]+")
"""Runs of katakana and Chinese characters, which carry the matter of a text without blanks."""

WEIGHTS: Mapping[str, float] = {
    "start": 0.87,
    "about": 2.54,
    "adding": 3.07,
    "agreed": 0.01,
    "another fits": -0.8,
    "answered": 4.06,
    "answers": 2.79,
    "as well": 2.28,
    "asked": 1.05,
    "changes": 1.03,
    "file": 0.46,
    "fits": 2.71,
    "fragment": 2.94,
    "fresh": -1.78,
    "here": -1.2,
    "like answered": 3.81,
    "like said": 2.92,
    "long": -0.34,
    "new task": -2.8,
    "nothing": -3.19,
    "now": 2.95,
    "objecting": 1.64,
    "other file": -0.76,
    "own task": -2.15,
    "pasted": 0.07,
    "points": 4.67,
    "pronoun": 4.31,
    "said": 0.22,
    "short": 1.02,
    "task": 0.79,
    "vague": -2.07,
    "you": 2.33,
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
    if resolved.pointed and resolved.pointed != pronoun:
        yield Cue("points", 1, f"“{resolved.pointed}” is in what was said")
    elif pronoun:
        yield Cue("pronoun", 1, f"“{pronoun}” refers to its answer")
    for name in cue_words.names():
        cue = cue_words.cue(name, text)
        if cue is not None:
            yield Cue(name, 1, _SAYS.get(name, "").format(cue))
    asked = _asks(exchanges[-1].answer if exchanges else "")
    agreeing = cue_words.AGREEING.match(text)
    if agreeing and asked:
        yield Cue("answers", 1, "its answer ended with a question")
    whole = agreeing is not None and agreeing.end() >= len(text)
    yield Cue("agreed", float(whole and not asked))
    length = len(text) // 2 if _is_unspaced(text) else len(text.split())
    yield Cue("short", max(0.0, 1 - length / _FEW_WORDS), "it is short" if length < 4 else "")
    yield Cue("long", math.log1p(max(0, length - _FEW_WORDS)))
    yield Cue("pasted", float(request.count("\n") >= _PASTED_LINES))
    verb = _opening_verb(english)
    yield Cue("changes", float(verb in _changing()), f"“{text.split()[0]}” changes what is there")
    yield Cue("task", float(verb in _work() - _changing()))
    vague = Signal.VAGUE in interpret(text).signals
    yield Cue("vague", float(vague and not (pronoun or resolved.pointed)))


_SAYS: Mapping[str, str] = {
    "adding": "begins with “{}”",
    "now": "begins with “{}”",
    "fragment": "begins with “{}”",
    "objecting": "“{}” corrects its answer",
    "about": "“{}” is about its answer",
    "as well": "“{}” puts it beside its answer",
    "why": "it asks about its answer",
    "you": "“{}” asks the agent itself",
}
"""How the signals of `cue_words` are named to a user; the others aren't."""


def _asks(answer: str) -> bool:
    """Whether an answer ends with a question."""
    return "?" in answer.strip()[-200:].rpartition("\n")[2]


def _opening_verb(english: str) -> str:
    """The stem of the first word that says something; empty without one."""
    return next(iter(stem_all(words(english)[:1])), "")


@cache
def _work() -> frozenset[str]:
    """Stems of verbs that ask for work."""
    return frozenset(_WORK_STEMS.split()) | frozenset(stem_all(_MORE_WORK.split()))


@cache
def _changing() -> frozenset[str]:
    """Stems of verbs that ask for a change of something that is there."""
    return frozenset(stem_all(_CHANGING.split()))


_WORK_STEMS = """
    add build code connect creat design develop draft draw gener implement integr make produc set
    setup ship sketch write analyz debug detect diagnos fail find identifi investig solv trace
    troubleshoot assess audit check evalu inspect review scan valid verifi clean convert fix improv
    migrat modern optim reduc refactor rewrit simplifi speed split tune updat upgrad benchmark
    reproduc simul test compar describ document explain plan research summar teach
"""
_MORE_WORK = """
    automate book calculate configure deploy download estimate export extract import install launch
    monitor move port provision publish release remove rename replace restore run schedule send
    start stop train translate upload summarize find search list give show tell set commit push
    merge prepare organize sketch propose suggest recommend brainstorm outline define
"""
_CHANGING = """
    add append bump change cut drop exclude extend group include increase keep leave limit lower
    make mention move put raise reduce remove rename reorder replace revert round rerun shorten show
    skip sort split swap try undo use wrap give save store verify
"""


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
    verbs = _work()
    matter = [stem for stem in telling if stem not in verbs and stem not in _changing()]
    again = [stem for stem in matter if stem in before]
    met = [stem for stem in matter if stem in answered and stem not in before]
    if matter:
        spoken = _as_typed([*again, *met], request)
        says = f"speaks of {spoken} again" if spoken else ""
        yield Cue("said", len(again) / len(matter), says)
        yield Cue("answered", len(met) / len(matter), "" if again else says)
    fresh = len(matter) - len(again) - len(met)
    yield Cue("fresh", math.log1p(fresh))
    begins = _opening_verb(in_english(request[:_READ])) in verbs - _changing()
    yield Cue("own task", math.log1p(fresh) * begins)
    yield Cue("nothing", float(not matter))
    yield Cue("like said", _likeness(request, said))
    yield Cue("like answered", _likeness(request, answers))
    named = files_in(request)
    known = {file.rpartition("/")[2] for file in (*files, *files_in(said))}
    shared = [file for file in named if file.rpartition("/")[2] in known]
    yield Cue("file", float(bool(shared)), f"it names {shared[0]}" if shared else "")
    yield Cue("other file", float(bool(named) and not shared))


def _stems(text: str) -> list[str]:
    """The stems of a text, and pairs of letters where it has no blanks."""
    text = text[:20_000]
    pairs = (run[at : at + 2] for run in _UNSPACED.findall(text) for at in range(len(run) - 1))
    return [*stem_all(words(_UNSPACED.sub(" ", text))), *pairs]


def _as_typed(stems: Sequence[str], request: str) -> str:
    """The first two of some stems, as the request has them."""
    typed = {stem: word for word in words(request) for stem in stem_all([word])}
    return ", ".join(f"“{typed[stem]}”" for stem in stems if stem in typed and len(stem) > 2)[:60]


def _likeness(request: str, text: str) -> float:
    """The cosine of the meanings of two texts, 0–1."""
    if not text.strip():
        return 0.0
    one, other = (analyse(each, word_vectors(), PlainArithmetic()).direction
                  for each in (request[:_READ], text))  # fmt: skip
    return max(0.0, float(sum(map(mul, one, other))) / UNIT**2)


# ------------------------------------------------------------------ who fits, and when


def _ranked(agent: str, typed: Sequence[AgentMatch]) -> Iterable[Cue]:
    own = next((match.confidence for match in typed if match.agent == agent), 0)
    other = next((match for match in typed if match.agent != agent), None)
    best = other.confidence if other is not None else 0
    is_best = bool(typed) and own >= best and own > 0
    yield Cue("fits", own / 100, f"{agent} fits it by itself, too" if is_best else "")
    yield Cue("another fits", max(0, best - own) / 100)


def _timed(ended_at: float | None, now: float) -> Iterable[Cue]:
    if ended_at is None:
        return
    seconds = max(0.0, now - ended_at)
    yield Cue("soon", math.exp(-seconds / 120), f"{_ago(seconds)} later")
    yield Cue("late", math.log1p(seconds / 3600))


def _ago(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"
