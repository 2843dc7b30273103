"""What a message refers to: "it", "the second one", "what about Python?" (seed 001).

Looked for in what was said and answered in the whole conversation, the latest first. What can be
filled in is filled in; what can't is said to be open, and the coordinator asks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from secretary_tui.coordinator.conversation import Exchange
from secretary_tui.coordinator.cue_words import cue
from secretary_tui.coordinator.deeds import asks_for_work
from secretary_tui.coordinator.list_places import LONGEST_REFERENCE, by_place, items_of, singled_out
from secretary_tui.coordinator.referents import listed_items, repository_in, summary_of
from secretary_tui.coordinator.resolved import Reference, Resolved
from secretary_tui.coordinator.things import by_name, points_at_thing
from secretary_tui.people import Intent
from secretary_tui.routing.words.languages import in_english
from secretary_tui.routing.words.terms import stem_all, words

_LONGEST_ELLIPSIS = 60
_LONGEST_PRONOUN = 100

_FOLLOWED = r"(?=\s*(?:[?.!,;]|$|(?:in|for|with|to|again|more|on|as|too|into|but|and|so|from)\b))"
_OPEN_PRONOUN = re.compile(
    rf"\b(?:it|this one|that one|this|that|them|these|those)\b{_FOLLOWED}", re.I
)
"""A pronoun that can't be anything else, where nothing was said that it could stand for."""
_PRONOUN = re.compile(
    r"\b(?:it|them|both|its|they)\b(?!\s+(?:possible|eas(?:y|ier)|clear|seems|would be nice))"
    rf"|\b(?:this one|that one|this|that|these|those)\b{_FOLLOWED}"
    r"|\b(?:das|ihn|sie|es)\b(?=\s*(?:[?.!,;]|$|(?:im|in|ins|auf|mit|für|als|an|am|noch|auch|bitte|mal"
    r"|nochmal|so|nicht|um|raus|zu)\b))"
    r"|\b(?:es|dies|davon|damit|dazu|dafür|daraus|darin|daran|ihn|ça|cela|celui-ci|celle-ci|eso|esto"
    r"|isso|isto|ciò|hazl[oa]s?|ponl[oa]s?|\w+[aei]rl[oa]s?|\w*[áéí]\w*l[oa]s?)\b"
    r"|\w-(?:le|la|les|lo|los)\b|それ|これ|あれ|它|这|那",
    re.I,
)
_ELLIPSIS = re.compile(
    r"^\s*(?:(?:and|but|ok(?:ay)?|now|so|please|pls|thanks|great|und|jetzt|et|y|e)[,\s]+)*"
    r"(?:what about|how about|was ist mit|wie (?:sieht es|wäre es) mit|et pour|qu'en est-il de"
    r"|qué tal|y para|y en|e per|e para|"
    r"(?:(?:do|make|try|repeat|i want|i need|mach|tu|fais|haz|faz|fai)\s+)?"
    r"(?:(?:the|das|la|le|lo|o)\s+)?(?:same|gleiche|selbe|même chose|pareil|mismo|mesmo|stesso)"
    r"(?:\s+(?:thing|again|noch ?mal))?,?\s+"
    r"(?:(?:but|just|aber|nur)\s+)?"
    r"(?:for|with|in|to|on|using|für|mit|auf|pour|avec|dans|para|con|en|com|per|bei)|"
    r"(?:that|this|it|the same)(?: one| again)?,?\s+but\s+(?:for|with|in|on|using)|"
    r"(?:and|now|also|but)\s+(?:for|in|with|on|the|our|my)(?!\s+(?:a|an)\b)"
    r"|(?:und|jetzt|auch)\s+(?:für|in|mit|die|der|das|den)"
    r"|(?:et|aussi)\s+(?:pour|avec|dans|les?|la)|(?:y|también)\s+(?:para|con|en|l[oa]s?|el))"
    r"\s+(?P<rest>\S.*)$",
    re.I | re.S,
)
_SAME = re.compile(
    r"^\W*(?:\w+,?\s+){0,3}?(?:(?:the\s+)?same(?:\s+(?:thing|again))?,?\s+(?:for|with|in|to|on|using)"
    r"|(?:do|repeat|apply|make)\s+(?:that|this|it|so)(?:\s+(?:again|too|also))?\s+(?:for|with|in|to|on)"
    r"|(?:das\s*(?:gleiche|selbe)|genauso|ebenso|dasselbe)(?:\s+\w+)?\s+(?:für|mit|auf|bei|in|im)"
    r"|mach\w*\s+das(?:\s+auch)?\s+(?:für|mit|bei|in|im)"
    r"|(?:la même chose|pareil|de même)\s+(?:pour|avec|dans|sur)"
    r"|(?:lo mismo|igual)\s+(?:para|con|en)|o mesmo\s+(?:para|com|em|n[oa]s?)"
    r"|lo stesso\s+(?:per|con|in|nel\w*))\s+\S|"
    r"同じ(?:こと|ように|もの|作業)?[をもで]|(?:做|也)同样|同样(?:的|处理)|也(?:这样|一样)",
    re.I,
)
"""`do the same for …`, as the beginning of a message."""
_POLITE = re.compile(r"(?:c|w)(?:an|ould)|will|kann", re.I)
"""How a question begins that asks for work."""
_ONE = re.compile(
    r"th(?:at|is) one|cel(?:ui|le)-ci|それ|これ|あれ|这|那|es[eoa]|quello|questo|das", re.I
)
"""A pronoun for one thing of several."""
_EMPTY = re.compile(
    r"^\s*(?:tell me more|more|another one|go on|continue|keep going|next|again|and\?|do it again"
    r"|show me more|more details?|elaborate|weiter|mehr|nochmal|encore|continue[rz]?|plus|más"
    r"|continúa|sigue|mais|continua|ancora|続けて|もっと|继续|繼續|再来一个)\s*[.!?]*\s*$",
    re.I,
)
_SOMETHING_NEW = re.compile(r"^\s*(?:something else|anything else)\s*[.!?]*\s*$", re.I)
_BREAK = re.compile(
    r"[,;:.!?\n]\s|\b(?:has|have|had|is|are|was|were|contains|needs|and|then|but|because|when|whenever|if|while|since|that|which|so|until|und"
    r"|dann|aber|weil|wenn|et|puis|mais|y|pero|e|poi)\b",
    re.I,
)
"""Where another clause begins, in which a pronoun may stand for something of the one before."""
_PRAISE = frozenset(
    ("good", "great", "nice", "thanks", "thank", "cool", "perfect", "awesome", "looks", "look",
     "works", "work", "super", "danke", "gut", "merci", "gracias")
)  # fmt: skip


def resolve(
    request: str, exchanges: Sequence[Exchange], data: Mapping[str, Any] | None = None
) -> Resolved:
    """Fill in what a request refers to; `data` is the last answer's `StructuredData`."""
    brief = request.strip()
    if _SOMETHING_NEW.match(brief):
        return Resolved(request, True, brief.strip(" .!?"))
    if exchanges and len(brief) <= _LONGEST_ELLIPSIS and not _SAME.search(brief):
        item = by_place(request, exchanges, data)  # `what about the second one?`
        if item is not None and item.by is Reference.ITEM:
            return item
    if (by_ellipsis := _by_ellipsis(brief, exchanges)) is not None:
        return by_ellipsis
    if len(request) > LONGEST_REFERENCE:
        return Resolved(request)
    return (
        by_place(request, exchanges, data)
        or _by_name(request, exchanges)
        or _by_pronoun(request, exchanges, data)
        or Resolved(request)
    )


def _by_ellipsis(brief: str, exchanges: Sequence[Exchange]) -> Resolved | None:
    """`more`, `what about Python?`, `the same for the API`: what was wanted before, once more."""
    if len(brief) > _LONGEST_PRONOUN:
        return None
    same, found = _SAME.search(brief), None
    if len(brief) <= _LONGEST_ELLIPSIS:
        found = _EMPTY.match(brief) or _ELLIPSIS.match(brief)
    if same is None and found is None:
        return None
    if not exchanges:
        open_words = found.group(found.lastindex or 0) if found else same[0] if same else ""
        return Resolved(brief, True, open_words.strip(" .!?"))
    pointed = brief.strip(" .!?")
    if same is not None and (deed := deed_before(exchanges)):
        return Resolved(f"{brief} (the same: {deed})", True, pointed=pointed, deed=deed)
    return Resolved("\n".join((*wanted_before(exchanges), brief)), True, pointed=pointed)


def deed_before(exchanges: Sequence[Exchange]) -> str:
    """The last request that had something done, which is what "the same" means."""
    for at, exchange in reversed(list(enumerate(exchanges))):
        said = exchange.said.strip()
        known = {stem for e in exchanges[:at] for stem in stem_all(words(f"{e.said} {e.answer}"))}
        tells_more = not exchange.is_reply or set(stem_all(words(said)[1:])) - known
        if tells_more and stands_alone(said) and _is_deed(said):
            return said
    return next(iter(wanted_before(exchanges)), "")


def _is_deed(said: str) -> bool:
    """Whether a message has something done: no question, unless it begins with `can you`."""
    asked = cue("asked", said)
    return (asked is None or _POLITE.fullmatch(asked) is not None) and asks_for_work(
        in_english(said)
    )


def _by_name(request: str, exchanges: Sequence[Exchange]) -> Resolved | None:
    found = by_name(request, exchanges)
    if found is not None and exchanges and found.pointed and found.text == request:
        return _with_matter(request, exchanges, found.pointed)
    return found


def wanted_before(exchanges: Sequence[Exchange]) -> tuple[str, ...]:
    """The request that the last agent was chosen for, and the last thing that was asked of it."""
    opened = next((each for each in reversed(exchanges) if not each.is_reply), None)
    later = (each.said for each in reversed(exchanges) if stands_alone(each.said))
    said = (opened.said if opened else "", next(later, ""))
    return tuple(dict.fromkeys(text.strip() for text in said if text.strip()))


def stands_alone(said: str) -> bool:
    """Whether a message needs nothing that was said before it."""
    brief = said.strip()
    if len(brief) > LONGEST_REFERENCE:
        return True
    pronoun = _PRONOUN.search(brief) if len(brief) <= _LONGEST_PRONOUN else None
    refers = _EMPTY.match(brief) or (len(brief) <= _LONGEST_ELLIPSIS and _ELLIPSIS.match(brief))
    points = pronoun is not None and not _says_what(brief, pronoun)
    return len(brief.split()) > 2 and not (refers or points or points_at_thing(brief))


def has_pronoun(request: str) -> str:
    """The first pronoun that stands for something outside of the request; empty without one."""
    found = _PRONOUN.search(request)
    return found[0] if found is not None and not _says_what(request, found) else ""


def data_of_answer(intent: str, answer: str) -> dict[str, Any] | None:
    """Give the `StructuredData` of an answer to a request of that intent, in JSON form."""
    if intent == Intent.ANALYZE:
        named = repository_in(answer)
        return {"type": "repo_detail", "repo": {"full_name": named}} if named else None
    items = [{"full_name": name} for name in listed_items(answer)]
    if not items:
        return None
    if intent == Intent.COMPARE:
        return {"type": "comparison", "items": [{"repo": item} for item in items]}
    return {"type": "repo_list", "items": items}


# ------------------------------------------------------------------- by a pronoun


def _by_pronoun(
    request: str, exchanges: Sequence[Exchange], data: Mapping[str, Any] | None
) -> Resolved | None:
    pattern = _PRONOUN if exchanges else _OPEN_PRONOUN
    pronoun = pattern.search(request) if len(request) <= _LONGEST_PRONOUN else None
    if pronoun is None or _says_what(request, pronoun):
        return None
    if not exchanges:
        return Resolved(request, True, pronoun[0])
    items = items_of(data)
    one = items[0] if len(items) == 1 else ""
    if not one and _ONE.fullmatch(pronoun[0]):
        one = singled_out(exchanges, data)
    if one:
        text = request[: pronoun.start()] + one + request[pronoun.end() :]
        return Resolved(text, True, pointed=pronoun[0])
    return _with_matter(request, exchanges, pronoun[0])


def _with_matter(request: str, exchanges: Sequence[Exchange], pointed: str) -> Resolved:
    """The request, what was wanted before it, and how the last answer begins."""
    answer = next((each.answer for each in reversed(exchanges) if each.answer), "")
    lines = (request.strip(), *wanted_before(exchanges), summary_of(answer))
    return Resolved("\n".join(filter(None, lines)), True, pointed=pointed)


def _says_what(request: str, pronoun: re.Match[str]) -> bool:
    """Whether the request names its matter itself, so that "it" points into the sentence."""
    clauses = _BREAK.split(request[: pronoun.start()])[:-1]
    return any(len(_telling(clause)) > 1 for clause in clauses)


def _telling(clause: str) -> list[str]:
    return [word for word in words(clause) if word not in _PRAISE]
