"""The answers to questions as the user would have said them, behind their request."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from secretary_tui.people import Answer, QuestionAbout
from secretary_tui.sanitize import clean

_SENTENCES: Mapping[QuestionAbout | None, str] = {
    QuestionAbout.OBJECT: "It is about {}.",
    QuestionAbout.SCOPE: "Scope: {}.",
}
_SHORT_WORDS = 6
"""Words up to which what the user typed is an answer and no sentence of its own."""
_WHOLE = re.compile(r"[.!?:;,\n]|\b(?:it|is|are|was|we|i|you|please|it's|should)\b", re.I)


def fold_answers(request: str, answers: Sequence[Answer]) -> str:
    """The request, then each answer as a sentence on a line below; skipped ones leave no trace."""
    sentences = (answer_sentence(answer) for answer in answers if not answer.skipped)
    return "\n".join((clean(request).strip(), *sentences))


def answer_sentence(answer: Answer) -> str:
    """What an answer says: `It is about app/login.py.`, `Scope: only the tests.`"""
    typed = clean(answer.other).strip()
    if typed and not answer.labels and _is_a_sentence(typed):
        return typed
    said = " and ".join(filter(None, (*map(clean, answer.labels), typed))).rstrip(".")
    sentence = _SENTENCES.get(answer.about, "{}.")
    if answer.about is QuestionAbout.SCOPE and said[1:2].islower():
        said = said[:1].lower() + said[1:]
    return sentence.replace("{}", said)


def _is_a_sentence(text: str) -> bool:
    return len(text.split()) > _SHORT_WORDS or _WHOLE.search(text.rstrip(".!?")) is not None
