"""What the words of a request do in it: name a deed, a matter, a fault, or nothing in particular.

`data/request_words.txt` lists them; a word that stands in no list names something.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum, auto
from functools import cache, lru_cache
from pathlib import Path

from secretary_tui.routing.words.terms import STOP_WORDS


class Sort(StrEnum):
    """What a word does in a request."""

    NAME = auto()
    """It names something: `login`, `src/app.py`."""
    GENERIC = auto()
    """It could be anything: `code`, `app`, `bug`."""
    POINTER = auto()
    """It stands for something else: `it`, `this`, `everything`."""
    DETERMINER = auto()
    PREPOSITION = auto()
    FILLER = auto()
    QUESTION = auto()
    """It opens a question: `why`, `where`."""
    STATE = auto()
    """It says how something is: `is`, `doesn't`."""
    FAULT = auto()
    """`broken`, `slow`, `crash`."""
    QUALITY = auto()
    """`better`, `nicer`: nobody knows what is meant by that."""
    SPEED = auto()
    HELP = auto()
    IMPROVE = auto()
    FIX = auto()
    TIDY = auto()
    """To do something over, with the same outcome: `refactor`, `clean`, `update`."""
    CHANGE = auto()
    """To do something to a thing, without saying what."""
    MAKE = auto()
    """To make something new."""
    ALONE = auto()
    """A deed that needs no object: `commit`."""
    DEED = auto()
    """Any other deed."""


DEEDS = frozenset({
    Sort.HELP, Sort.IMPROVE, Sort.FIX, Sort.TIDY, Sort.CHANGE, Sort.MAKE, Sort.ALONE, Sort.DEED,
})  # fmt: skip
"""What verbs are."""

LOOKING = "looking"
"""The list of verbs that change nothing."""
_DATA = Path(__file__).parent / "data" / "request_words.txt"
_VERBS = (
    *(Sort.HELP, Sort.IMPROVE, Sort.FIX, Sort.TIDY, Sort.CHANGE, Sort.MAKE, Sort.ALONE, Sort.DEED),
)
_OTHERS = (
    *(Sort.DETERMINER, Sort.POINTER, Sort.PREPOSITION, Sort.QUESTION, Sort.STATE, Sort.FAULT),
    *(Sort.QUALITY, Sort.SPEED, Sort.GENERIC, Sort.HELP, Sort.FILLER),
)
_DESCRIBE = frozenset({Sort.FAULT, Sort.QUALITY, Sort.SPEED})
"""What may stand between `this` and its matter."""
_AHEAD = 4
_LONG_ADVERB = 6
"""Letters from which a word in -ly is taken for an adverb."""
_LONG_ACRONYM = 3
"""Letters beyond which a word in capitals names something: `TODO` is no Spanish."""
_JOINS = "joins"
_NO_WORDS: frozenset[str] = frozenset()
_TOKEN = re.compile(r"[\w@~][\w.@~/\\:+#-]*")
_END = re.compile(r"[.!?;]\s|\n")
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_IS = re.compile(r"\b(it|that|what|there|where|who|how|smth|something|thing)['’]s\b", re.I)
_CLITIC = re.compile(r"\b(?:[ldcnjsmqt]|qu)['’](?=\w)|-(?=(?:moi|le|la|les|nous|lui)\b)", re.I)
_PHRASES = (
    (re.compile(r"\b(?:take|have) (?:a |another )?(?:care of|look at|look)\b"
                r"|\blook at\b|\bwork on\b|\bdo something (?:about|with)\b", re.I), "change"),
    (re.compile(r"^\W*(?:(?:i|we)(?:['’]d| would)? (?:want|need|like)|ich (?:brauche|will|möchte)"
                r"|necesito|quiero|je (?:veux|voudrais)|j['’]ai besoin)"
                r" (?:d['’]une? |(?:an?|some|the|einen?|unos?|une?) )(?!\w*help\b)", re.I),
     "create a "),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a request."""

    text: str
    """As typed."""
    key: str
    """In lower case and without accents."""
    sort: Sort
    stands_alone: bool = False
    """Whether it is a verb that needs no object."""


@cache
def listed(name: str) -> frozenset[str]:
    """The words of a list, in all languages: by a `Sort`, or another name of the file."""
    english, other = _lists()
    return english.get(name, _NO_WORDS) | other.get(name, _NO_WORDS)


def read_words(request: str, *, free_order: bool = False) -> tuple[Word, ...]:
    """Tell what each word of a request does in it.

    With `free_order` a verb may stand anywhere, as in words put from Japanese into English.
    """
    text = unicodedata.normalize("NFC", request)
    for pattern, plain in _PHRASES:
        text = pattern.sub(plain, text)
    text = _APOSTROPHE.sub("", _CLITIC.sub(" ", _IS.sub(r"\1 is", text)))
    sentences = (_read_sentence(sentence, free_order) for sentence in _END.split(text))
    return tuple(word for sentence in sentences for word in sentence)


def _read_sentence(text: str, free_order: bool) -> Iterator[Word]:
    read: list[Word] = []
    for token in _TOKEN.findall(text):
        typed = token.strip(".:-/+")
        if typed:
            key = _folded(typed)
            verb, other = _sorts_of(key)
            named = bool(read) and read[-1].sort is Sort.DETERMINER
            anywhere = free_order or (key in _foreign_verbs() and not named)
            sort = verb if verb and (anywhere or _may_be_a_verb(read)) else other
            if typed.isupper() and len(typed) > _LONG_ACRONYM and not text.isupper():
                sort = Sort.NAME
            stands_alone = sort in DEEDS and key in listed(Sort.ALONE)
            read.append(Word(typed, key, sort, stands_alone))
    return _in_their_places(read)


@lru_cache(maxsize=4096)
def _sorts_of(key: str) -> tuple[Sort | None, Sort]:
    """What a word does where it can be a verb, and where it can't."""
    verb = next((sort for sort in _VERBS if _is_form(key, sort)), None)
    other = next((sort for sort in _OTHERS if key in listed(sort)), None)
    says_nothing = (
        key in STOP_WORDS
        or (len(key) == 1 and key not in "cr")
        or (key.endswith("ly") and len(key) >= _LONG_ADVERB)
    )
    return verb, other or (Sort.FILLER if says_nothing else Sort.NAME)


def _is_form(key: str, verb: Sort) -> bool:
    forms = listed(verb)
    if key in forms:
        return True
    return key.endswith("ing") and (key[:-3] in forms or f"{key[:-3]}e" in forms)


def _may_be_a_verb(before: Sequence[Word]) -> bool:
    """Whether a word behind these can be a verb: in `the test` and `login test` it is none."""
    if not before or before[-1].key in listed(_JOINS):
        return True
    return before[-1].sort in (Sort.FILLER, Sort.HELP, Sort.QUESTION)


def _in_their_places(read: Sequence[Word]) -> Iterator[Word]:
    """Correct what only the next words tell: `this function`, and verbs that no list has."""
    for at, word in enumerate(read):
        ahead = [following.sort for following in read[at + 1 : at + 1 + _AHEAD]]
        if word.sort is Sort.DETERMINER and word.key in listed(Sort.POINTER):
            described = next((sort for sort in ahead if sort not in _DESCRIBE), None)
            is_pointer = described not in (Sort.NAME, Sort.GENERIC)
            yield replace(word, sort=Sort.POINTER) if is_pointer else word
        elif word.sort is Sort.NAME and ahead[:1] in ([Sort.DETERMINER], [Sort.POINTER]):
            is_verb = _may_be_a_verb(read[max(0, at - 1) : at]) and word.key.isalpha()
            yield replace(word, sort=Sort.DEED) if is_verb else word
        else:
            yield word


@cache
def _lists() -> tuple[Mapping[str, frozenset[str]], Mapping[str, frozenset[str]]]:
    """The English lists, and those of other languages."""
    sections: list[dict[str, frozenset[str]]] = []
    for line in _DATA.read_text(encoding="utf-8").splitlines():
        name, colon, words = line.partition(":")
        if line.startswith("["):
            sections.append({})
        elif colon and not line.startswith("#"):
            sections[-1][name] = sections[-1].get(name, _NO_WORDS) | frozenset(words.split())
    english, other = sections
    return english, other


@cache
def _foreign_verbs() -> frozenset[str]:
    """Verbs wherever they stand: German ends its sentences with them."""
    english, other = _lists()
    verbs = _NO_WORDS.union(*(other.get(sort, _NO_WORDS) for sort in _VERBS))
    return verbs.difference(*english.values())


def _folded(word: str) -> str:
    apart = unicodedata.normalize("NFD", word.lower().replace("ß", "ss"))
    return "".join(letter for letter in apart if not unicodedata.combining(letter))
