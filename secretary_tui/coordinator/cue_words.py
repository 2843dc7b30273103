"""Words that say whether a message goes on with what was answered, in the languages we read.

They stand in `cue_words.txt`; here is how they are found in a message as it was typed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("cue_words.txt")
_SECTION = re.compile(r"\[(?P<name>[^\]]+)\] (?P<place>\w+)")
_LATIN = re.compile(r"[a-zà-ÿ]")
_BEFORE_A_WHOLE = r"(?:(?:but|and|ok(?:ay)?|und|aber|et|mais|y|pero)[,\s]+)*"

AGREEING = re.compile(
    r"^\W*(?:(?:yes|yep|yeah|yup|sure|ok(?:ay)?|please|go|go ahead|go for it|do it|do that|do so"
    r"|sounds (?:good|great|right)|no|nope|not (?:yet|now|really)|ja|klar|gern(?:e)?|nein"
    r"|mach das|mach mal|bitte|oui|vas-?y|d'accord|non|s[ií]|por favor|claro|dale|adelante|sim"
    r"|certo|va bene|agreed|correct|exactly|right|genau|both|all(?: of them)?|either"
    r"|はい|お願いします|いいえ|好|好的|是的|可以|行)(?![\w'])[\s,.!]*)+",
    re.I,
)
"""Yes, no and the like, at the beginning of a message."""


def cue(name: str, message: str) -> str | None:
    """The words in a message that are such a signal; None without them."""
    for pattern in _patterns()[name]:
        found = pattern.search(message)
        if found is not None:
            return found["cue"].strip()
    return None


def without_opening(message: str) -> str:
    """A message without `ok now`, `and also` and the like before its matter."""
    for name in ("adding", "now"):
        found = _patterns()[name][0].match(message)
        message = message[found.end() :].lstrip(" ,:") if found else message
    return message


@cache
def names() -> tuple[str, ...]:
    """The signals that there are words for."""
    return tuple(name for name in _patterns() if name != "greeting")


@cache
def _patterns() -> Mapping[str, Sequence[re.Pattern[str]]]:
    sections: list[tuple[str, str, list[str]]] = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        head = _SECTION.fullmatch(line.strip())
        if head is not None:
            sections.append((head["name"], head["place"], []))
        elif line.strip() and not line.startswith("#"):
            sections[-1][2].extend(phrase.strip() for phrase in line.split(","))
    greeting = next(_either(phrases) for name, _, phrases in sections if name == "greeting")
    found: dict[str, list[re.Pattern[str]]] = {}
    for name, place, phrases in sections:
        cues = rf"(?P<cue>{_either(phrases)})"
        written = {
            "opening": rf"^\W*(?:{greeting}[\s,.!;:–—-]*)*{cues}",
            "first": rf"^\W*{cues}",
            "anywhere": cues,
            "whole": rf"^\W*{_BEFORE_A_WHOLE}{cues}\W*$",
        }[place]
        found.setdefault(name, []).append(re.compile(written, re.I))
    return found


def _either(phrases: Sequence[str]) -> str:
    """One of some phrases, the longest first; those in letters as whole words."""
    ordered = sorted(phrases, key=len, reverse=True)
    spelled = "|".join(phrase.replace(" ", r"\s+") for phrase in ordered if _LATIN.search(phrase))
    signs = "|".join(phrase for phrase in ordered if not _LATIN.search(phrase))
    words = rf"(?<![\w-])(?:{spelled})(?![\w-])"
    return f"(?:{words}|{signs})" if signs else words
