"""What `the second one`, `the last two` and `b)` stand for in a list that was answered."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from secretary_tui.coordinator.conversation import Exchange
from secretary_tui.coordinator.list_keys import list_keys
from secretary_tui.coordinator.referents import listed_items, same_noun
from secretary_tui.coordinator.resolved import Reference, Resolved

LONGEST_REFERENCE = 160
_SHORT = 60
_PLACES = (
    r"first|1st|erste[nrsm]?|premi(?:er|ère)|primer[oa]?|primeir[oa]|prim[oa]",
    r"second|2nd|zweite[nrsm]?|deuxième|second[oea]|segund[oa]",
    r"third|3rd|dritte[nrsm]?|troisième|tercer[oa]?|terceir[oa]|terz[oa]",
    r"fourth|4th|vierte[nrsm]?|quatrième|cuart[oa]|quart[oa]",
    r"fifth|5th|fünfte[nrsm]?|cinquième|quint[oa]",
    r"sixth|6th|sechste[nrsm]?|sixième|sext[oa]",
)
_LAST = r"last|latter|letzte[nrsm]?|letztere[nrsm]?|dernière?|últim[oa]|ultim[oa]"
_FORMER = r"former|erstere[nrsm]?"
_CJK_PLACES = "一二三四五六"
_LISTED = (
    r"one|option|item|point|issue|bug|problem|finding|suggestion|idea|approach|alternative|step"
    r"|choice|candidate|proposal|recommendation|variant|version|tip|question|fix|name|title|entry"
    r"|library|libraries|way|solution|punkt|vorschlag|variante|fehler|idee|lösung|möglichkeit"
    r"|schritt|opción|propuesta|problema|idée|solution|proposition|erreur|opção|opzione"
)
_NO_NOUN = r"(?!(?:and|or|und|oder|et|ou|y|o|but|aber|mais|pero|please|bitte|por|per|auf|en)\b)"
_ORDINAL = re.compile(
    r"(?:\b(?P<the>the|der|die|das|den|dem|le|la|l'|el|lo|o|a|il)\s*)?(?<!\w)(?:(?P<word>"
    + "|".join((*_PLACES, _LAST, _FORMER))
    + rf")(?:\s+{_NO_NOUN}(?P<noun>[^\W\d]+))?"
    + rf"|(?:number|nr\.?|no\.|num[eé]ro|número|nummer|{_LISTED})\s*\#?"
    r"(?P<number>\d{1,2})(?![.,]\d)"
    r"|(?:option|variante?|opción|opção|plan|approach)\s+(?P<letter>[A-Ha-h])"
    r"(?=\s*(?:[.,;!?]|$|(?:and|or|but|for|please|with|und|et|y)\b))|\#(?P<hash>\d{1,2}))"
    rf"(?![\w-])|第(?P<nth>[{_CJK_PLACES}\d])|(?P<cjk>[{_CJK_PLACES}\d])(?:つ目|番目)",
    re.I,
)
_GOES_ON = re.compile(rf"\s*\d|\s+{_NO_NOUN}[^\W\d_]", re.I)
_TAKE = re.compile(
    r"^(?:i(?:'ll| will) take|take|use|choose|rather|let'?s go with|go with|no,?)\s+", re.I
)


def ordinal_alone(message: str) -> int | None:
    """The place in a list that a whole message names, from 0, or -1 for the last one."""
    said = _TAKE.sub("", message.strip()).strip(" .!?")
    found = _ORDINAL.fullmatch(said) if len(said) <= LONGEST_REFERENCE else None
    if found is None or (found["noun"] and not _is_listed_noun(found["noun"])):
        return None
    return _place(found)


def by_place(
    request: str, exchanges: Sequence[Exchange], data: Mapping[str, Any] | None
) -> Resolved | None:
    """The request with the items that its keys and ordinals stand for; None without such."""
    return _by_key(request, exchanges, data) or _by_ordinal(request, exchanges, data)


def _by_key(
    request: str, exchanges: Sequence[Exchange], data: Mapping[str, Any] | None
) -> Resolved | None:
    keys = list_keys(request, "\n".join(each.answer for each in exchanges))
    lists = _lists(exchanges, data) if keys else []
    items = next((each for each in lists if all(key.fits(len(each)) for key in keys)), ())
    if not items:
        return None
    pointed, text = ", ".join(request[key.start : key.end] for key in keys), request
    for key in reversed(keys):
        names = " + ".join(items[place] for place in key.places)
        text = text[: key.start] + names + text[key.end :]
    return Resolved(text, True, pointed=pointed, by=Reference.ITEM)


def _by_ordinal(
    request: str, exchanges: Sequence[Exchange], data: Mapping[str, Any] | None
) -> Resolved | None:
    found = next(
        (each for each in _ORDINAL.finditer(request) if _is_reference(each, request, exchanges)),
        None,
    )
    if found is None:
        return None
    place, lists = _place(found), _lists(exchanges, data)
    items = next((each for each in lists if -1 <= place < len(each)), ())
    if not items:
        return Resolved(request, True, found[0].strip())
    text = _ORDINAL.sub(lambda each: _item(each, request, items), request)
    return Resolved(text, True, pointed=found[0].strip(), by=Reference.ITEM)


def singled_out(exchanges: Sequence[Exchange], data: Mapping[str, Any] | None = None) -> str:
    """The one item of the last list that was spoken of after it; empty where it isn't one."""
    items = next(iter(_lists(exchanges, data)), ())
    said = "\n".join(text for each in exchanges for text in (each.said, each.answer))
    if not items:
        return ""
    later = said.partition(items[-1])[2].lower()
    named = [item for item in items if item.lower() in later]
    return named[0] if len(named) == 1 else ""


def _item(found: re.Match[str], request: str, items: Sequence[str]) -> str:
    """What an ordinal stands for, else itself."""
    place = _place(found)
    meant = found["the"] or not found["word"] or _is_listed_noun(found["noun"] or "")
    return items[place] if meant and -1 <= place < len(items) else found[0]


def _lists(
    exchanges: Sequence[Exchange], data: Mapping[str, Any] | None = None
) -> list[tuple[str, ...]]:
    """The lists that were answered, the latest first; of one item it is none."""
    lists = [items_of(data)] if data else []
    lists += [listed_items(exchange.answer) for exchange in reversed(exchanges)]
    return [items for items in lists if len(items) > 1]


def items_of(data: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The names of the things in a `StructuredData`."""
    """The names of the things in a `StructuredData`."""
    if not data:
        return ()
    from secretary_tui.coordinator.data import named_items

    return named_items(data)


def _is_reference(found: re.Match[str], request: str, exchanges: Sequence[Exchange]) -> bool:
    """Whether an ordinal stands for a thing: `the second one` does, `the first page` does not."""
    if not found["word"]:
        return True
    noun = found["noun"]
    if noun is None:
        return bool(found["the"]) and not _GOES_ON.match(request[found.end() :])
    if _is_listed_noun(noun):
        return True
    if not (found["the"] or found.start() == 0):
        return False
    listed = any(_lists(exchanges))
    if listed and not request[found.end() :].strip(" .!?") and len(request) <= _SHORT:
        return True  # `debug the first failure`
    of_list = same_noun(noun)
    return listed and any(of_list.search(e.answer) or of_list.search(e.said) for e in exchanges)


def _is_listed_noun(noun: str) -> bool:
    return re.fullmatch(rf"(?:{_LISTED})(?:e?s|e[nr]?)?", noun, re.I) is not None


def _place(found: re.Match[str]) -> int:
    number = found["number"] or found["hash"]
    if number:
        return int(number) - 1
    if found["letter"]:
        return ord(found["letter"].lower()) - ord("a")
    if sign := found["nth"] or found["cjk"]:
        return int(sign) - 1 if sign.isdecimal() else _CJK_PLACES.index(sign)
    word = found["word"]
    if re.fullmatch(_LAST, word, re.I):
        return -1
    places = enumerate((*_PLACES[1:],), start=1)
    return next((place for place, words in places if re.fullmatch(words, word, re.I)), 0)
