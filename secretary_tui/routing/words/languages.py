"""Requests in other languages, read as English: agents describe themselves in that.

No translation: words that a glossary knows are exchanged, small words are left out, and what is
left (names, loan words) stays. A request that looks English is not touched. Japanese and Chinese
have no spaces: there the longest words of the glossary are taken, from left to right.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import Stemmer  # type: ignore[import-not-found]  # PyStemmer ships no type stubs.

from secretary_tui.routing.words.terms import STOP_WORDS, stem_all
from secretary_tui.routing.words.word_vectors import word_vectors

GLOSSARIES = Path(__file__).parent / "data" / "glossary"
"""A file a language: the English, a colon, the words for it; `~`: English has that word, too."""
SMALL_WORDS = "small_words"
_UNSPACED = ("japanese", "chinese")
_WORD = re.compile(r"(?<![\w./@])[^\W\d_]+(?![\w@]|[./]\w)")
"""A word that is no part of a file's or variable's name."""
_UNSPACED_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9f]+")
_KANA = re.compile(r"[\u3040-\u30ff]")
_BORDER = re.compile(
    r"(?<=[A-Za-z0-9])(?=[\u0370-\u1fff\u3040-\u9fff\uac00-\ud7af])"
    r"|(?<=[\u0370-\u1fff\u3040-\u9fff\uac00-\ud7af])(?=[A-Za-z0-9])"
)
_WHY = re.compile(r"\bpor qu[eéê]\b", re.I)
"""Spanish and Portuguese; apart, the second word means `what`."""
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


@dataclass(frozen=True)
class _Language:
    name: str
    small: Mapping[str, str]
    """What small words are read as: most as nothing, question words as English ones."""
    glossary: Mapping[str, str]
    """English by folded word."""
    ambiguous: frozenset[str]
    """Words of the glossary that English has, too."""

    @cached_property
    def stems(self) -> Mapping[str, str]:
        """English by the stems of the words, for other endings."""
        stems: dict[str, str] = {}
        stemmer = Stemmer.Stemmer(self.name)
        for stem, english in zip(
            stemmer.stemWords(list(self.glossary)), self.glossary.values(), strict=True
        ):
            stems.setdefault(stem, english)
        return stems

    @cached_property
    def longest(self) -> int:
        """Letters of the longest word."""
        return max(map(len, self.glossary), default=1)

    def english(self, word: str) -> str | None:
        """What a folded word means, its parts where it is a compound; None when unknown."""
        if word in self.small:
            return self.small[word]
        found = self._one(word)
        if found or self.name != "german" or len(word) > _LONGEST:
            return found
        for end in range(len(word) - _PART, _PART - 1, -1):
            tail = self._part(word[end:])
            heads = (self._part(word[: end - len(joint)]) for joint in _JOINTS
                     if word[:end].endswith(joint) and end - len(joint) >= _PART)  # fmt: skip
            head = next(filter(None, heads), None) if tail else None
            if head:
                return f"{head} {tail}"
        return None

    def _part(self, word: str) -> str | None:
        """A part of a compound: `Datenbankmigration` has an English one."""
        return self._one(word) or (word if _is_english(word) else None)

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
        return word in self.glossary if _is_english(word) else self._one(word) is not None

    def segmented(self, run: str) -> str:
        """What a run of letters without spaces means: its longest known words, in order."""
        found: list[str] = []
        at = 0
        while at < len(run):
            for end in range(min(len(run), at + self.longest), at, -1):
                part = run[at:end]
                english = self.small.get(part, self.glossary.get(part))
                if english is not None:
                    found.append(english)
                    at = end
                    break
            else:
                at += 1
        return f" {' '.join(filter(None, found))} "


def in_english(request: str) -> str:
    """Read a request as English; one that looks English comes back as it is."""
    if request.isascii() and _has_no_foreign_word(request):
        return request
    text = _BORDER.sub(" ", unicodedata.normalize("NFC", request[:_READ]))
    if _UNSPACED_RUN.search(text):
        language = _language_of("japanese" if _KANA.search(text) else "chinese")
        return _UNSPACED_RUN.sub(lambda run: language.segmented(run[0]), text) + request[_READ:]
    found = _language({_folded(word[0]) for word in _WORD.finditer(text)})
    if found is None:
        return request if request.isascii() else text + request[_READ:]

    def exchange(word: re.Match[str]) -> str:
        english = found.english(_folded(word[0]))
        return word[0] if english is None else english

    if found.name in ("spanish", "portuguese"):
        text = _WHY.sub("why", text)
    return _WORD.sub(exchange, text) + request[_READ:]


def _has_no_foreign_word(request: str) -> bool:
    """Whether a request shows itself as English: most do, and nothing need be looked up then."""
    spoken = {word[0].lower() for word in _WORD.finditer(request[:_READ])}
    if not spoken & STOP_WORDS - _all_small_words():
        return False
    return not any(len(word) >= _TELLING and word not in STOP_WORDS
                   for word in spoken & _all_small_words())  # fmt: skip


def _language(spoken: set[str]) -> _Language | None:
    """The language that more words speak for than for English."""
    best, most = None, len(spoken & STOP_WORDS - _all_small_words())
    for name, small in _small_words().items():
        if name in _UNSPACED:
            continue
        words = spoken & small.keys()
        language = _language_of(name)
        known = [word for word in spoken - words if language.telling(word)]
        telling = {word for word in words if len(word) >= _TELLING} - STOP_WORDS
        shows = known or len(telling) > 1 or (telling and len(words) > 2)
        score = 2 * len(known) + len(words - STOP_WORDS) if shows else 0
        if score > most:
            best, most = language, score
    return best


def _is_english(word: str) -> bool:
    known = word_vectors()
    number = known.numbers.get(stem_all((word,))[0])
    return word in STOP_WORDS or (number is not None and known.idf[number] < _RARE)


def _folded(word: str) -> str:
    """In lower case and without accents."""
    if word.isascii():
        return word.lower()
    apart = unicodedata.normalize("NFD", word.lower().replace("ß", "ss"))
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def _stem(word: str, language: str) -> str:
    # A stemmer must not be shared by threads.
    stem: str = Stemmer.Stemmer(language).stemWord(word)
    return stem


@cache
def _small_words() -> Mapping[str, Mapping[str, str]]:
    """The small words of each language, and what each is read as."""
    found = {}
    for name, words in _lines(SMALL_WORDS):
        form = _form(name)
        pairs = (word.partition("=") for word in words)
        found[name] = {form(word): english for word, _, english in pairs}
    return found


@cache
def _all_small_words() -> frozenset[str]:
    return frozenset().union(*_small_words().values())


@cache
def _language_of(name: str) -> _Language:
    glossary: dict[str, str] = {}
    ambiguous = set()
    for english, words in _lines(name):
        for word in words:
            bare = word.lstrip("~")
            for form in _spellings(bare, name):
                glossary.setdefault(form, english)
                if bare != word:
                    ambiguous.add(form)
    return _Language(name, _small_words()[name], glossary, frozenset(ambiguous))


def _lines(name: str) -> Iterator[tuple[str, list[str]]]:
    """The lines of one of the files: what stands before the colon, and the words behind it."""
    for line in (GLOSSARIES / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            english, _, words = line.partition(":")
            yield english, words.split()


def _form(language: str) -> Callable[[str], str]:
    return str if language in _UNSPACED else _folded


def _spellings(word: str, language: str) -> set[str]:
    if language in _UNSPACED:
        return {word}
    written = {_folded(word)}
    if language == "german":  # Typed without its dots, `prüfen` is `pruefen`.
        spelled = word.translate({ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue"})
        written.add(_folded(spelled))
    return written
