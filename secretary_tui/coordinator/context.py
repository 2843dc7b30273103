"""What a message refers to: "it", "the second one", "what about Python?" (seed 001).

Only the last three messages count. What can be filled in is filled in; what can't is said to be
open, and the coordinator asks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from secretary_tui.coordinator.dispatch_values import Message
from secretary_tui.people import Intent

REMEMBERED = 3
"""Messages of the conversation that count as context."""
_LONGEST_ELLIPSIS = 60
_LONGEST_REFERENCE = 80

_ORDINALS = {
    word: place
    for words in (
        ("first", "second", "third", "fourth", "fifth"),
        ("1st", "2nd", "3rd", "4th", "5th"),
    )
    for place, word in enumerate(words)
}
_ORDINAL = re.compile(
    r"\b(?:the\s+)?(?:(?P<word>" + "|".join((*_ORDINALS, "last")) + r")(?:\s+(?:one|option|item))?"
    r"|(?:number|option|item|no\.?)\s*(?P<number>\d{1,2})|#(?P<hash>\d{1,2}))(?![\w-])",
    re.I,
)
_PRONOUN = re.compile(
    r"\b(?:it|this one|that one|this|that|them|these|those)\b(?=\s*(?:[?.!,]|$|in\b|for\b|with\b"
    r"|to\b|again\b|more\b|on\b))",
    re.I,
)
_ELLIPSIS = re.compile(
    r"^\s*(?:(?:and|but|ok(?:ay)?|now|so|please|pls)[,\s]+)*(?:what about|how about|"
    r"(?:(?:do|make|try|repeat|i want|i need)\s+)?(?:the\s+)?same(?:\s+(?:thing|again))?,?\s+"
    r"(?:(?:but|just)\s+)?(?:for|with|in|to|on|using)|"
    r"(?:that|this|it|the same)(?: one| again)?,?\s+but\s+(?:for|with|in|on|using)|"
    r"(?:and|now|also|but)\s+(?:for|in|with))\s+(?P<rest>\S.*)$",
    re.I | re.S,
)
_EMPTY = re.compile(
    r"^\s*(?:tell me more|more|something else|another one|anything else|go on|continue|keep going|"
    r"next|again|and\?|do it again|show me more|more details?|elaborate)\s*[.!?]*\s*$",
    re.I,
)


_TAKE = re.compile(r"^(?:i(?:'ll| will) take|take|use|choose|rather|no,?)\s+", re.I)


_ABOUT_THE_ANSWER = re.compile(
    r"^(?:(?:make (?:it|that)|now|please|a bit|much|even|and|but|also)\s+)*"
    r"(?:(?:shorter|longer|simpler|clearer|briefer)|(?:more|less) \w+|in \w+|as an? \w+|again"
    r"|why|how so|really|are you sure|redo|(?:explain|summari[sz]e|translate|undo|redo)"
    r"(?: (?:it|that|this))?)(?: (?:again|please|to \w+|in \w+))*\W*$",
    re.I,
)
_MOST_ITEMS = 10
_LONGEST_ITEM = 80
_ITEM = re.compile(
    r"^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+(?:\[[ xX]\][ \t]+)?"
    r"(?:\*\*(?P<bold>[^*\n]+)\*\*|\[(?P<link>[^\]\n]+)\]"
    r"|`(?P<code>[^`\n]+)`|(?P<plain>[^\n:–—]+))",
    re.M,
)
_REPOSITORY = re.compile(r"(?<![\w./-])([\w.-]+/[\w.-]+)(?![\w/])")


@dataclass(frozen=True, slots=True)
class Resolved:
    """A request with what it refers to."""

    text: str
    """The request with references filled in; what is routed."""
    follows_up: bool = False
    """Whether it only makes sense after what was said before."""
    unresolved: str = ""
    """The words whose meaning is open, empty when all is clear."""


def resolve(request: str, messages: Sequence[Message]) -> Resolved:
    """Fill in what a request refers to from the last messages."""
    recent = messages[-REMEMBERED:]
    before = next((said.text for said in reversed(recent) if said.role == "user"), "")
    items = next((found for said in reversed(recent) if (found := _items(said.data))), ())
    brief = request.strip()
    elliptic = None
    if len(brief) <= _LONGEST_ELLIPSIS:
        elliptic = _EMPTY.match(brief) or _ELLIPSIS.match(brief)
    if elliptic is not None:
        open_words = "" if before else elliptic.group(elliptic.lastindex or 0).strip(" .!?")
        text = f"{before}\n{request.strip()}" if before else request
        return Resolved(text, True, open_words)
    if len(request) > _LONGEST_REFERENCE:
        return Resolved(request)
    ordinal = _ORDINAL.search(request)
    if ordinal is not None and _is_reference(ordinal, request):
        return _point(request, ordinal, items)
    pronoun = _PRONOUN.search(request)
    if pronoun is None or _says_what(request, pronoun):
        return Resolved(request)
    return _stand_for(request, pronoun, items, before)


def goes_on_from_an_answer(message: str) -> bool:
    """Whether a message is about the answer just given: "shorter please", "in French", "why?"."""
    said = message.strip()
    return len(said) <= _LONGEST_ELLIPSIS and _ABOUT_THE_ANSWER.match(said) is not None


def ordinal_alone(message: str) -> int | None:
    """The place in a list that a whole message names, from 0, or -1 for the last one."""
    said = _TAKE.sub("", message.strip()).strip(" .!?")
    found = _ORDINAL.fullmatch(said) if len(said) <= _LONGEST_REFERENCE else None
    return _place(found, 0) if found is not None else None


def _items(data: Mapping[str, Any] | None) -> tuple[str, ...]:
    if not data:
        return ()
    from secretary_tui.coordinator.data import named_items

    return named_items(data)


def _is_reference(found: re.Match[str], request: str) -> bool:
    """Whether an ordinal stands for a thing: `the second one` does, `the first page` does not."""
    if found["number"] or found["hash"]:
        return True
    said = found[0].lower()
    alone = not re.match(r"\s+[a-z]", request[found.end() :], re.I)
    return said.endswith(("one", "option", "item")) or (said.startswith("the ") and alone)


def _point(request: str, found: re.Match[str], items: Sequence[str]) -> Resolved:
    place = _place(found, len(items))
    if place is None or not 0 <= place < len(items):
        return Resolved(request, True, found[0])
    return Resolved(request[: found.start()] + items[place] + request[found.end() :], True)


def _stand_for(request: str, pronoun: re.Match[str], items: Sequence[str], before: str) -> Resolved:
    if len(items) == 1:
        return Resolved(request[: pronoun.start()] + items[0] + request[pronoun.end() :], True)
    if before:
        return Resolved(f"{request.strip()}\n{before}", True)
    return Resolved(request, True, pronoun[0])


def _place(found: re.Match[str], count: int) -> int | None:
    number = found["number"] or found["hash"]
    if number:
        return int(number) - 1
    word = found["word"].lower()
    return count - 1 if word == "last" else _ORDINALS[word]


def _says_what(request: str, pronoun: re.Match[str]) -> bool:
    """Whether the request names its matter itself, so that "it" points into the sentence."""
    telling = re.findall(r"[A-Za-z][\w./-]{2,}", request[: pronoun.start()])
    return len(telling) > 2


def listed_items(answer: str) -> tuple[str, ...]:
    """The names that a list in an answer gives, in its order."""
    names = []
    for found in _ITEM.finditer(answer):
        name = next(text for text in found.groups() if text is not None).strip().rstrip(":.")
        if name and len(name) <= _LONGEST_ITEM:
            names.append(name)
    return tuple(dict.fromkeys(names))[:_MOST_ITEMS]


def data_of_answer(intent: str, answer: str) -> dict[str, Any] | None:
    """Give the `StructuredData` of an answer to a request of that intent, in JSON form."""
    items = [{"full_name": name} for name in listed_items(answer)]
    if intent == Intent.ANALYZE:
        named = _REPOSITORY.search(answer)
        return {"type": "repo_detail", "repo": {"full_name": named[1]}} if named else None
    if not items:
        return None
    if intent == Intent.COMPARE:
        return {"type": "comparison", "items": [{"repo": item} for item in items]}
    return {"type": "repo_list", "items": items}
