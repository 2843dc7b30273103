"""Requests in German, French and Spanish, read as English: agents describe themselves in that.

No translation: words that a glossary knows are exchanged, small words are left out, and what is
left (names, loan words) stays. A request that looks English is not touched.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import Stemmer  # type: ignore[import-not-found]  # PyStemmer ships no type stubs.

from secretary_tui.routing.words.terms import STOP_WORDS, stem_all
from secretary_tui.routing.words.word_vectors import word_vectors

GLOSSARY = Path(__file__).parent / "data" / "glossary.txt"
_SMALL_WORDS: Mapping[str, str] = {
    "german": """
        aber ab alle allem allen alles als am an auch auf aus bei beim bin bis bitte da damit dann
        darf das dass dein deine dem den denn der des dich die diese diesem diesen dieser dieses dir
        doch dort du durch ein eine einem einen einer eines er es etwas für ganz gegen gerade gibt
        habe haben hat hatte hier ich ihr ihre im immer in ins ist jede jeder jedes jetzt kann
        kannst kein keine keinen können könntest man mein meine meinem meinen meiner mich mir mit
        möchte muss müssen nach nicht nichts noch nur ob oder ohne sehr seit sie sind so soll sollen
        sollte um und uns unser unsere unserem unseren unserer unter vom von vor war waren weil wenn
        werden wieder will wir wird wollen wurde zu zum zur zwischen über""",
    "french": """
        ai as au aux avec avons ce cela ces cet cette dans de depuis des dont du elle elles en
        entre est et fait faut il ils je la le les leur leurs lui ma mais me mes moi mon ne nos
        notre nous on ont ou par pas peut peux plus pour pouvez puis que qui quoi sa sans se ses si
        son sont sous sur svp ta tes toi ton tous tout toute toutes très trop tu un une vers veux
        vos votre voudrais vous""",
    "spanish": """
        al algo cada con de del desde donde el ella en entre es esa ese eso esta estas este esto
        estos está están favor ha hay la las le lo los mas me mi mis muy más necesito no nos nuestra
        nuestro o para pero por porque puede puedes que quiero se ser si sin sobre son su sus tengo
        tiene todo todos tu tus un una unas uno unos y ya yo""",
}
_WORD = re.compile(r"[^\W\d_]+")
_READ = 20_000
_TELLING = 3
"""Letters from which a small word may say which language it is: `es` and `en` are locales, too."""
_PART = 4
"""Letters that a part of a compound has at least."""
_LONGEST = 50
"""Letters up to which a word may be a compound."""
_JOINTS = ("s", "n", "en", "es", "")
_RARE = 6.5
"""Weight (idf) from which a word of the vectors may well be of another language."""


@dataclass(frozen=True, slots=True)
class _Language:
    name: str
    small: frozenset[str]
    glossary: Mapping[str, str]
    """English by folded word."""
    stems: Mapping[str, str]
    """The same by the stems of the words, for other endings."""
    ambiguous: frozenset[str]
    """Words of the glossary that English has, too."""

    def english(self, word: str) -> str | None:
        """What a folded word means, its parts where it is a compound; None when unknown."""
        found = self._one(word)
        if found or self.name != "german" or len(word) > _LONGEST:
            return found
        for end in range(len(word) - _PART, _PART - 1, -1):
            tail = self._one(word[end:])
            heads = (self._one(word[: end - len(joint)]) for joint in _JOINTS
                     if word[:end].endswith(joint) and end - len(joint) >= _PART)  # fmt: skip
            head = next(filter(None, heads), None) if tail else None
            if head:
                return f"{head} {tail}"
        return None

    def _one(self, word: str) -> str | None:
        exact = self.glossary.get(word)
        if exact or _is_english(word):
            return exact
        stem = _stem(word, self.name)
        if self.name == "german" and stem not in self.stems:
            stem = _stem(word.removesuffix("t"), self.name)  # `prüft`: left by the stemmer.
        return self.stems.get(stem)

    def telling(self, word: str) -> bool:
        """Whether a word says that this is the language, and not English."""
        if word in STOP_WORDS or word in self.ambiguous:
            return False
        return self._one(word) is not None


def in_english(request: str) -> str:
    """Read a request as English; one that looks English comes back as it is."""
    text = unicodedata.normalize("NFC", request[:_READ])
    found = [(word[0], _folded(word[0])) for word in _WORD.finditer(text)]
    language = _language({folded for _, folded in found})
    if language is None:
        return request

    def exchange(word: re.Match[str]) -> str:
        folded = _folded(word[0])
        return language.english(folded) or ("" if folded in language.small else word[0])

    return _WORD.sub(exchange, text) + request[_READ:]


def _language(spoken: set[str]) -> _Language | None:
    """The language that more words speak for than for English."""
    small = [(name, spoken & words) for name, words in _small_words().items()]
    plain = spoken & STOP_WORDS - frozenset().union(*_small_words().values())
    # Most requests are English and show it; their words are looked up nowhere.
    if plain and not any(len(word) >= _TELLING for _, words in small for word in words):
        return None
    best, most = None, len(plain)
    for name, words in small:
        language = _languages()[name]
        known = [word for word in spoken - words if language.telling(word)]
        telling = {word for word in words if len(word) >= _TELLING} - STOP_WORDS
        score = 2 * len(known) + len(words - STOP_WORDS) if known or len(telling) > 1 else 0
        if score > most:
            best, most = language, score
    return best


def _is_english(word: str) -> bool:
    known = word_vectors()
    number = known.numbers.get(stem_all((word,))[0])
    return word in STOP_WORDS or (number is not None and known.idf[number] < _RARE)


def _folded(word: str) -> str:
    """In lower case and without accents."""
    apart = unicodedata.normalize("NFD", word.lower().replace("ß", "ss"))
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def _stem(word: str, language: str) -> str:
    # A stemmer must not be shared by threads.
    stem: str = Stemmer.Stemmer(language).stemWord(word)
    return stem


@cache
def _small_words() -> Mapping[str, frozenset[str]]:
    return {
        name: frozenset(_folded(word) for word in words.split())
        for name, words in _SMALL_WORDS.items()
    }


@cache
def _languages() -> Mapping[str, _Language]:
    glossaries: dict[str, list[tuple[str, str]]] = {}
    name = ""
    for line in GLOSSARY.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            name = line.strip("[]")
        elif ":" in line and not line.startswith("#"):
            english, _, foreign = line.partition(":")
            glossaries.setdefault(name, []).extend((word, english) for word in foreign.split())
    return {name: _read(name, pairs) for name, pairs in glossaries.items()}


def _read(name: str, pairs: Iterable[tuple[str, str]]) -> _Language:
    words: dict[str, str] = {}
    for word, english in pairs:
        for form in _spellings(word.lstrip("~"), name):
            words.setdefault(form, english)
    stems: dict[str, str] = {}
    for word, english in words.items():
        stems.setdefault(_stem(word, name), english)
    both = frozenset(_folded(word[1:]) for word, _ in pairs if word.startswith("~"))
    return _Language(name, _small_words()[name], words, stems, both)


def _spellings(word: str, language: str) -> set[str]:
    written = {_folded(word)}
    if language == "german":  # Typed without its dots, `prüfen` is `pruefen`.
        spelled = word.translate({ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue"})
        written.add(_folded(spelled))
    return written
