"""Is a request clear enough to route? The seed's ambiguity signals (seed 000 §2.2), locally.

Rules over what each word does in the request (`request_words`). A question is due where the answer
would change what is done: nobody can tell the deed, its object, or how far it goes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise

from secretary_tui.people import Answer
from secretary_tui.routing.recommend.answer_sentences import fold_answers
from secretary_tui.routing.recommend.request_words import DEEDS, Sort, Word, listed, read_words
from secretary_tui.routing.words.languages import in_english
from secretary_tui.routing.words.request_reading import technologies
from secretary_tui.routing.words.terms import stem_all, words
from secretary_tui.sanitize import clean


class Signal(StrEnum):
    """Why a request may need a question."""

    EMPTY = "empty"
    CHAT = "chat"
    """A greeting, thanks, yes or no: nothing to route."""
    VAGUE = "vague"
    """`better`, `improve`, `fix`, `help` … and what is to change stays open."""
    NO_OBJECT = "no object"
    """A deed, and nothing or just anything to do it to: `review`, `write a script`."""
    SEVERAL_DOMAINS = "several domains"
    """Such as `auth and UI`."""
    NO_ACTION = "no action"
    """A matter without a verb: a topic, not a task."""


@dataclass(frozen=True, slots=True)
class Interpretation:
    """A request as understood."""

    request: str
    """As typed."""
    task: str
    """Cleaned, with answers folded in."""
    signals: tuple[Signal, ...]
    domains: tuple[str, ...] = ()
    """The areas that `SEVERAL_DOMAINS` is about, as the user calls them."""
    words: tuple[Word, ...] = ()
    """What its words do in it; none where it was not read for that."""

    @property
    def clear(self) -> bool:
        """Whether nothing speaks for asking."""
        return not self.signals


_CHAT = re.compile(
    r"(?:(?:hi|hey|hello|yo|good (?:morning|evening|afternoon)|thanks?|thank you|a lot|so much|"
    r"thx|cheers|bye|goodbye|see you|ok(?:ay)?|yes|no|yep|nope|cool|great|nice|perfect|lol|"
    r"how are you|what'?s up|who are you|there|all|very much)(?![\w'])[\s,.!?]*)+",
    re.I,
)
_PASTED = re.compile(
    r"`|\w(?:Error|Exception)\b"
    r"|^\W*(?:error|fatal|panic|warning|traceback|\w+ ERR!?|[A-Z]+\d{3,})\b.*[:!]"
    r"|:\s+\S+\s+\S|\"[^\"]+\s[^\"]+\"|#\d|\bexit code\b",
    re.I,
)
"""What is quoted or pasted, which says more than the words around it."""
_JOINED = re.compile(r"\s+(?:and|und|et|y|e|plus|as well as)\s+|\s*[&+,]\s+", re.I)
_A_WORD = re.compile(r"[^\W\d_]{2}|[^\x00-\u2fff]")
_WRITTEN = re.compile(r"[a-zA-Z]")
_LETTER = re.compile(r"[^\W\d_]")
_TOPIC_NAMES = 2
"""Names up to which a request without a verb is a topic; a longer one describes a situation."""
_TOLD_WORDS, _MANY_TOLD_WORDS = 5, 7
"""Words from which a question says what it is about: with a question word first, and without."""
_MOST_AREAS = 3
_ALL_JOINED_WORDS = 9
_MANY_WORDS = 60
"""Words from which a request is a description, whatever it lacks."""
_READ = 20_000
_NAMED = 2_000
"""Characters of a request in which its matter is named."""
_LONGEST_CHAT = 80


def interpret(request: str, answers: Sequence[Answer] = ()) -> Interpretation:
    """Find what makes a request ambiguous; a request with answers counts as clarified."""
    task = fold_answers(request, answers)
    if any(not answer.skipped for answer in answers):
        return Interpretation(request, task, ())
    signals, domains, read = _signs(clean(request[:_READ]).strip())
    return Interpretation(request, task, signals, domains, read)


@lru_cache(maxsize=16)
def _signs(text: str) -> tuple[tuple[Signal, ...], tuple[str, ...], tuple[Word, ...]]:
    """What makes a text ambiguous, the areas it names, and its words; asked for several times."""
    if not text:
        return (Signal.EMPTY,), (), ()
    if len(text) < _LONGEST_CHAT and _CHAT.fullmatch(in_english(text).strip()):
        return (Signal.CHAT,), (), ()
    read = _readable(text)
    if not read:
        return (), (), ()
    domains = _joined_domains(text, read)
    found = Signal.SEVERAL_DOMAINS if domains else _open(read, text)
    return (found,) if found else (), domains, read


def names_a_matter(request: str) -> bool:
    """Whether a request says more than what to do with "it": `dockerize it` does, `fix it` not."""
    return any(word.sort in (Sort.NAME, Sort.DEED) for word in read_words(request[:_NAMED]))


def _readable(text: str) -> tuple[Word, ...] | None:
    """The words of a text that is a request in letters that are known here; None for another.

    A command, an agent's name and a stray key are none.
    """
    if text.startswith(("/", "@")) or not _A_WORD.search(text):
        return None
    if len(text.split()) > _MANY_WORDS or text.count("\n") > 1:
        return None
    if _PASTED.search(text) or technologies(text):
        return None
    if 2 * len(_WRITTEN.findall(text)) < len(_LETTER.findall(text)):
        text = in_english(text)
        known = 2 * len(_WRITTEN.findall(text)) >= len(_LETTER.findall(text))
        return read_words(text, free_order=True) if known else None
    return read_words(text)


def _open(read: Sequence[Word], text: str) -> Signal | None:
    count = Counter(word.sort for word in read)
    names = count[Sort.NAME]
    deeds = DEEDS.intersection(count)
    asks = read[0].sort is Sort.QUESTION and read[0].key not in listed("how")
    if deeds and not asks and (deeds != {Sort.HELP} or not names):
        return _open_deed(read, count)
    if count[Sort.QUESTION] or text.endswith("?") or read[0].key in listed("aux"):
        return _open_question(read, count)
    if not names:
        return Signal.VAGUE
    return None if _describes(read, count) else Signal.NO_ACTION


def _describes(read: Sequence[Word], count: Mapping[Sort, int]) -> bool:
    """Whether words without a verb say what is to do: by a fault, or `tests for the parser`."""
    names = count[Sort.NAME]
    if count[Sort.STATE] or count[Sort.FAULT] or names > _TOPIC_NAMES:
        return True
    related = any(word.sort is Sort.PREPOSITION and word.key not in listed("of") for word in read)
    return names > 1 and (related or any(word.key in listed("work") for word in read))


def _open_question(read: Sequence[Word], count: Mapping[Sort, int]) -> Signal | None:
    """`why?` and `what's wrong?` ask about nothing; `why is this slow` says what it is about."""
    described = count[Sort.FAULT] or (count[Sort.STATE] and not count[Sort.QUALITY])
    told = len(read) >= (_TOLD_WORDS if read[0].sort is Sort.QUESTION else _MANY_TOLD_WORDS)
    if count[Sort.NAME] or (described and count[Sort.POINTER]) or told:
        return None
    generic = {word.key for word in read if word.sort is Sort.GENERIC}
    return None if generic - listed("trouble") else Signal.VAGUE


def _open_deed(read: Sequence[Word], count: Mapping[Sort, int]) -> Signal | None:
    """What stays open of a request that says what to do."""
    names, deeds = count[Sort.NAME], DEEDS.intersection(count)
    better = count[Sort.QUALITY] and not count[Sort.DEED] and not count[Sort.ALONE]
    if Sort.IMPROVE in deeds or (better and deeds & {Sort.MAKE, Sort.CHANGE}):
        told = names > 1 or (names and count[Sort.SPEED]) or any(map(_says_quality, read))
        return None if told else Signal.VAGUE
    if Sort.DEED in deeds or Sort.ALONE in deeds:
        stands = names or count[Sort.GENERIC] or count[Sort.MAKE]
        return None if stands or any(word.stands_alone for word in read) else Signal.NO_OBJECT
    if Sort.MAKE in deeds:
        return _open_making(read, count)
    least = 2 if deeds == {Sort.CHANGE} else 1
    return None if names >= least else Signal.VAGUE


def _open_making(read: Sequence[Word], count: Mapping[Sort, int]) -> Signal | None:
    """`write a script` could be any; `make it async` names what to make of it, and not of what."""
    names = count[Sort.NAME]
    makes_it = any(
        word.sort is Sort.MAKE and following.sort is Sort.POINTER
        for word, following in pairwise(read)
    )
    if names > 1 or (names and not makes_it):
        return None
    unnamed = count[Sort.GENERIC] or count[Sort.POINTER] or count[Sort.MAKE] > 1
    if not names and not unnamed and any(word.stands_alone for word in read):
        return None
    return Signal.VAGUE if count[Sort.SPEED] or count[Sort.FAULT] else Signal.NO_OBJECT


def _says_quality(word: Word) -> bool:
    return word.sort is Sort.NAME and word.key in listed("goodness")


def _joined_domains(text: str, read: Sequence[Word]) -> tuple[str, ...]:
    """The areas of a short request that names two, such as `change auth and UI`; else none.

    Of what is to be made there may be several at once: `write tests and docs`.
    """
    sides = _JOINED.split(text)
    made = any(word.sort is Sort.MAKE for word in read)
    if not 2 <= len(sides) <= _MOST_AREAS or made or len(read) > _ALL_JOINED_WORDS:
        return ()
    named = tuple(_area(side) for side in sides)
    return named if all(named) and len({area.lower() for area in named}) > 1 else ()


def _area(side: str) -> str:
    """What a side of `and` names, when that is an area and nothing else."""
    names = [word for word in read_words(side) if _may_name_an_area(word)]
    if not 0 < len(names) < 3:
        return ""
    said = " ".join(word.text for word in names)
    told = stem_all(words(f"{said} {in_english(side)}"))
    return said if _areas().intersection(told) else ""


def _may_name_an_area(word: Word) -> bool:
    return word.sort in (Sort.NAME, Sort.GENERIC) or word.key in listed("area")


@cache
def _areas() -> frozenset[str]:
    return frozenset(stem_all(listed("area")))
