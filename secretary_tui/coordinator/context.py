"""What a message refers to: "it", "the second one", "what about Python?" (seed 001).

Looked for in what was said and answered in the whole conversation, the latest first. What can be
filled in is filled in; what can't is said to be open, and the coordinator asks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from secretary_tui.coordinator.conversation import Exchange
from secretary_tui.coordinator.referents import (
    files_named,
    listed_items,
    named_by,
    repository_in,
    summary_of,
)
from secretary_tui.people import Intent
from secretary_tui.routing.words.languages import in_english
from secretary_tui.routing.words.terms import STOP_WORDS, stem_all, words

_LONGEST_ELLIPSIS = 60
_LONGEST_REFERENCE = 160
_LONGEST_PRONOUN = 100

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
_ORDINAL = re.compile(
    r"(?:\b(?P<the>the|der|die|das|den|dem|le|la|l'|el|lo|o|a|il)\s*)?(?<!\w)(?:(?P<word>"
    + "|".join((*_PLACES, _LAST, _FORMER))
    + r")(?:\s+(?!(?:and|or|und|oder|et|ou|y|o)\b)(?P<noun>[^\W\d]+))?"
    + rf"|(?:number|nr\.?|no\.|num[eé]ro|número|nummer|{_LISTED})\s*\#?"
    r"(?P<number>\d{1,2})(?![.,]\d)"
    r"|(?:option|variante?|opción|opção|plan|approach)\s+(?P<letter>[A-Ha-h])"
    r"(?=\s*(?:[.,;!?]|$|(?:and|or|but|for|please|with|und|et|y)\b))|\#(?P<hash>\d{1,2}))"
    rf"(?![\w-])|第(?P<nth>[{_CJK_PLACES}\d])|(?P<cjk>[{_CJK_PLACES}\d])(?:つ目|番目)",
    re.I,
)
_GOES_ON = re.compile(r"\s*\d|\s+(?!(?:and|or|und|oder|et|ou|y|o)\b)[^\W\d_]", re.I)
_THAT = re.compile(
    r"\b(?:that|this|those|these|diese[nrsm]?|jene[nrsm]?|ce|cet|cette|ces|es[eao]s?"
    r"|est[eao]s?|aquel(?:la)?|ess[ea]s?|quest[oaei]|quell[oaei])\s+(?P<noun>[^\W\d]{3,})\b"
    r"|(?P<cjk>その|この|あの|这个|那个|這個|那個)(?P<thing>ファイル|関数|クエリ|文件|函数|查询)"
    r"|\bthe\s+(?P<made>[^\W\d]{3,})\s+(?:(?:that\s+)?you(?:'ve|\s+have|\s+just)?\s+"
    r"(?:just\s+)?(?:wrote|made|found|added|created|suggested|mentioned|proposed|listed|built"
    r"|changed|picked|recommended|gave|fixed|drafted|designed|came up with)"
    r"|above|from before|from earlier)\b",
    re.I,
)
_HERE = re.compile(
    r"repo(?:sitory)?|project|codebase|folder|directory|app|error|exception|message|trace|stack"
    r"|time|day|week|month|year|morning|thing|way|case|point|projekt|fehler|projet|proyecto",
    re.I,
)
"""Nouns that point at where the user is, at what they pasted, or at no thing at all."""
_POINTS_HERE = re.compile(r"th(?:is|ese)\b|diese|c|est|quest|この|这|這", re.I)
"""How `this file` begins, which may mean what the user has before them."""
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
_NOUN_BEFORE = re.compile(
    r"\b(?:an?|the|some|any|every|all)\s+(?:[\w-]+\s+){1,3}"
    r"(?<!\bfor\s)(?<!\bto\s)(?<!\bof\s)(?<!\bin\s)(?<!\bon\s)(?<!\bwith\s)(?<!\bfrom\s)"
    r"(?<!\babout\s)(?<!\bat\s)(?<!\bby\s)(?<!\binto\s)$",
    re.I,
)
"""What stands before a `that` which opens a clause."""
_TAKE = re.compile(
    r"^(?:i(?:'ll| will) take|take|use|choose|rather|let'?s go with|go with|no,?)\s+", re.I
)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A request with what it refers to."""

    text: str
    """The request with references filled in; what is routed."""
    follows_up: bool = False
    """Whether it only makes sense after what was said before."""
    unresolved: str = ""
    """The words whose meaning is open, empty when all is clear."""
    pointed: str = ""
    """The words that were found to stand for something, empty when there are none."""


def resolve(
    request: str, exchanges: Sequence[Exchange], data: Mapping[str, Any] | None = None
) -> Resolved:
    """Fill in what a request refers to; `data` is the last answer's `StructuredData`."""
    brief = request.strip()
    if _SOMETHING_NEW.match(brief):
        return Resolved(request, True, brief.strip(" .!?"))
    elliptic = None
    if len(brief) <= _LONGEST_ELLIPSIS:
        elliptic = _EMPTY.match(brief) or _ELLIPSIS.match(brief)
    if elliptic is not None:
        words = elliptic.group(elliptic.lastindex or 0).strip(" .!?")
        if not exchanges:
            return Resolved(request, True, words)
        text = "\n".join((*wanted_before(exchanges), brief))
        return Resolved(text, True, pointed=brief.strip(" .!?"))
    if len(request) > _LONGEST_REFERENCE:
        return Resolved(request)
    return (
        _by_place(request, exchanges, data)
        or _by_name(request, exchanges)
        or _by_pronoun(request, exchanges, data)
        or Resolved(request)
    )


def wanted_before(exchanges: Sequence[Exchange]) -> tuple[str, ...]:
    """The request that the last agent was chosen for, and the last thing that was asked of it."""
    opened = next((each for each in reversed(exchanges) if not each.is_reply), None)
    later = (each.said for each in reversed(exchanges) if stands_alone(each.said))
    said = (opened.said if opened else "", next(later, ""))
    return tuple(dict.fromkeys(text.strip() for text in said if text.strip()))


def stands_alone(said: str) -> bool:
    """Whether a message needs nothing that was said before it."""
    brief = said.strip()
    if len(brief) > _LONGEST_REFERENCE:
        return True
    pronoun = _PRONOUN.search(brief) if len(brief) <= _LONGEST_PRONOUN else None
    refers = _EMPTY.match(brief) or (len(brief) <= _LONGEST_ELLIPSIS and _ELLIPSIS.match(brief))
    points = pronoun is not None and not _says_what(brief, pronoun)
    return len(brief.split()) > 2 and not (refers or points or _THAT.search(brief))


def ordinal_alone(message: str) -> int | None:
    """The place in a list that a whole message names, from 0, or -1 for the last one."""
    said = _TAKE.sub("", message.strip()).strip(" .!?")
    found = _ORDINAL.fullmatch(said) if len(said) <= _LONGEST_REFERENCE else None
    if found is None or (found["noun"] and not _is_listed_noun(found["noun"])):
        return None
    return _place(found)


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


# --------------------------------------------------------------------- by its place


def _by_place(
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
    return Resolved(text, True, pointed=found[0].strip())


def _item(found: re.Match[str], request: str, items: Sequence[str]) -> str:
    """What an ordinal stands for, else itself."""
    place = _place(found)
    meant = found["the"] or not found["word"] or _is_listed_noun(found["noun"] or "")
    return items[place] if meant and -1 <= place < len(items) else found[0]


def _lists(
    exchanges: Sequence[Exchange], data: Mapping[str, Any] | None = None
) -> list[tuple[str, ...]]:
    """The lists that were answered, the latest first; of one item it is none."""
    lists = [_items(data)] if data else []
    lists += [listed_items(exchange.answer) for exchange in reversed(exchanges)]
    return [items for items in lists if len(items) > 1]


def _items(data: Mapping[str, Any] | None) -> tuple[str, ...]:
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
    if listed and not request[found.end() :].strip(" .!?") and len(request) <= _LONGEST_ELLIPSIS:
        return True  # `debug the first failure`
    of_list = _same_noun(noun)
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


# ------------------------------------------------------------- by what it is called


def _by_name(request: str, exchanges: Sequence[Exchange]) -> Resolved | None:
    """What `that file`, `the view you made` stands for."""
    found = next((each for each in _THAT.finditer(request) if _is_thing(each, request)), None)
    if found is None:
        return None
    noun = _noun(found)
    if not exchanges:
        is_open = found["made"] or not _POINTS_HERE.match(found[0])
        return Resolved(request, True, found[0]) if is_open else None
    name = _file_meant(noun, exchanges) or named_by(
        noun.lower(),
        (text for e in reversed(exchanges) for text in (e.answer, e.said)),
        _same_noun(noun),
    )
    if name and name not in request:
        text = request[: found.end()] + f" ({name})" + request[found.end() :]
        return Resolved(text, True, pointed=found[0])
    same = _same_noun(noun)
    was_said = any(same.search(e.answer) or same.search(e.said) for e in exchanges)
    if was_said or not _POINTS_HERE.match(found[0]):
        return _with_matter(request, exchanges, found[0])
    return None


def _is_thing(found: re.Match[str], request: str) -> bool:
    """Whether it is a thing that is pointed at: `that file`, not `a function that compares`."""
    noun = _noun(found).lower()
    if _HERE.fullmatch(noun) or noun in STOP_WORDS:
        return False
    if not found[0].lower().startswith("that"):
        return True
    is_clause = _NOUN_BEFORE.search(request[: found.start()]) is not None
    return not is_clause and (noun.endswith("ss") or not noun.endswith("s"))


def _noun(found: re.Match[str]) -> str:
    return found["noun"] or found["made"] or found["thing"]


def _file_meant(noun: str, exchanges: Sequence[Exchange]) -> str:
    """The last file that was touched or named, where the noun says that a file is meant."""
    if stem_all([_english(noun)])[0] not in ("file", "script", "modul", "document"):
        return ""
    for exchange in reversed(exchanges):
        file = exchange.files[-1] if exchange.files else files_named(exchange.answer)
        if file or (file := files_named(exchange.said)):
            return file
    return ""


def _same_noun(noun: str) -> re.Pattern[str]:
    """Finds a noun in a text, and its plural or singular."""
    stems = {noun.lower().rstrip("s"), _english(noun).lower().rstrip("s")}
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, filter(None, stems)))})\w{{0,2}}\b", re.I)


def _english(noun: str) -> str:
    known = {"ファイル": "file", "関数": "function", "クエリ": "query", "文件": "file",
             "函数": "function", "查询": "query"}  # fmt: skip
    return known.get(noun) or in_english(noun).strip() or noun


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
    items = _items(data)
    if len(items) == 1:
        text = request[: pronoun.start()] + items[0] + request[pronoun.end() :]
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
