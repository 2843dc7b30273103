"""What a request implies for whoever carries it out (seed 000, Interface 5): few, sure, or none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from secretary_tui.routing.recommend.request_words import (
    DEEDS,
    LOOKING,
    Sort,
    Word,
    listed,
    read_words,
)
from secretary_tui.routing.words.languages import in_english
from secretary_tui.routing.words.request_reading import technologies

READ_ONLY = "Change no files: only look and report."
SAME_BEHAVIOUR = "Behaviour and public interfaces stay as they are; the tests still pass."
CHECKED_BY_TESTS = "The project's tests pass afterwards."
SAME_LANGUAGE = "Answer in the language of the task."
NEW_TESTS_RUN = "The new tests run; one that fails because of a fault in the code is reported."
_READ = 2_000
_WRITES = re.compile(
    r"\b(?:write|create|generate|draft|fix|repair|change|correct|apply|save|commit|add|implement)\b",
    re.I,
)
_OVER = re.compile(
    r"\b(?:refactor|restructure|reorgani[sz]e|simplify|clean(?:\s?up)?|tidy|extract|inline"
    r"|split)(?:ing)?\b",
    re.I,
)
_CODE = re.compile(
    r"\b(?:fix|repair|implement|upgrade|migrate|port|optimi[sz]e|bug|endpoint|feature|crash|leak"
    r"|dependenc(?:y|ies)|fail(?:s|ed|ing)?)\b",
    re.I,
)
_TESTS = re.compile(r"\b(?:write|add|create|generate)\b[^.\n]{0,40}\btests?\b", re.I)
_NOT_CODE = re.compile(
    r"\b(?:readme|docs?|documentation|typo|text|email|post|article|changelog|notes?|comments?|file"
    r"|branch|conflict|slides?|letter|names?)\b",
    re.I,
)


def implied_requirements(task: str) -> tuple[str, ...]:
    """What a task asks for without saying so: that nothing is changed, or that tests pass.

    A task in another language than English is answered in it.
    """
    text = task[:_READ]
    english = in_english(text)
    language = (SAME_LANGUAGE,) if english != text and not technologies(text) else ()
    return (*_of_the_deed(english), *language)


def _of_the_deed(english: str) -> tuple[str, ...]:
    if _TESTS.search(english):
        return (NEW_TESTS_RUN,)
    if _only_reads(read_words(english)) and not _WRITES.search(english):
        return (READ_ONLY,)
    if _NOT_CODE.search(english):
        return ()
    if _OVER.search(english):
        return (SAME_BEHAVIOUR,)
    return (CHECKED_BY_TESTS,) if _CODE.search(english) else ()


def _only_reads(read: Sequence[Word]) -> bool:
    """Whether every deed of a request is done by looking; a question is one."""
    deeds = [word for word in read if word.sort in DEEDS]
    if any(word.key not in listed(LOOKING) for word in deeds):
        return False
    return bool(deeds) or any(word.sort is Sort.QUESTION for word in read[:2])
