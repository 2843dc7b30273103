"""What an agent is told of the conversation before its task: in at most five lines, where it helps.

The minimum of context (seed 000, Risk 4): only what a request goes back to, shortened.
"""

from __future__ import annotations

from collections.abc import Sequence

from secretary_tui.coordinator.context import goes_on_from_an_answer, resolve
from secretary_tui.coordinator.dispatch_values import Message
from secretary_tui.routing.recommend.request_words import Sort, read_words
from secretary_tui.routing.words.terms import stem_all
from secretary_tui.sanitize import clean_line

MOST_LINES = 5
_LONGEST = 200
_SHORT_WORDS = 1_000
"""Characters of a message whose words are compared."""


def summarise(request: str, messages: Sequence[Message]) -> tuple[str, ...]:
    """Say what was asked and answered before, where the request goes on from it.

    A request that only shares a name with what was said gets just those messages.
    """
    before = [said for said in messages if said.text.strip()]
    if before and before[-1].role == "user" and before[-1].text == request:
        before.pop()  # The request itself.
    if not (resolve(request, before).follows_up or goes_on_from_an_answer(request)):
        names = _names(request)
        before = [said for said in before if names & _names(said.text)]
    return tuple(map(_line, before[-MOST_LINES:]))


def _names(text: str) -> frozenset[str]:
    named = (word for word in read_words(text[:_SHORT_WORDS]) if word.sort is Sort.NAME)
    return frozenset(stem_all(word.key for word in named))


def _line(said: Message) -> str:
    text = clean_line(said.text)
    if len(text) > _LONGEST:
        text = text[:_LONGEST].rsplit(" ", 1)[0] + " …"
    return f"{'Asked before' if said.role == 'user' else 'Answered'}: {text}"
