"""Which places of a list a message names by key or count: `b)`, `2`, `number two`, `the last two`.

A bare letter or number is a key only where the message says little else: `2`, `b, but shorter`,
`rather 1 and 3`; not in `2 users report …`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

NUMBERS = (
    r"one|eins|une?|uno|uma?|一",
    r"two|zwei|beiden?|deux|dos|dois|duas|due|二|两|兩",
    r"three|drei|trois|tr[eê]s?|三",
    r"four|vier|quatre|cuatro|quatt?ro|四",
    r"five|fünf|cinq|cinco|cinque|五",
    r"six|sechs|seis?|六",
)
_SEVERAL = rf"(?:{'|'.join(NUMBERS[1:])}|[2-9])"
_FIRSTS = r"first|ersten|premi(?:er|ère)s|primer[oa]s|primeir[oa]s|prim[ie]|最初の?|前"
_LASTS = r"last|letzten|derni(?:er|ère)s|[úu]ltim[oaie]s?|最後の?|最后|后|後"
_COUNTED = re.compile(
    r"(?:\b(?:the|die|den|les|los|las|os|as|i|gli|le)\s+|(?=[最前后後]))"
    rf"(?:(?:(?P<first>{_FIRSTS})|(?P<last>{_LASTS}))\s*(?P<count>{_SEVERAL})"
    rf"|(?P<count2>{_SEVERAL})\s+(?:(?P<first2>{_FIRSTS})|(?P<last2>{_LASTS})))"
    r"(?:(?!\w)|(?:つ|个|個)の?)",
    re.I,
)
_SPELLED = re.compile(
    r"\b(?:number|nummer|num[eé]ro|número|option|opción|opção|opzione|variante?|choice|item|point"
    rf"|punkt)\s+(?P<number>{'|'.join(NUMBERS)})(?!\w)",
    re.I,
)
_BRACKETED = re.compile(r"(?<![\w(])\(?(?P<key>[a-h]|\d{1,2})\)(?!\w)", re.I)
_KEY = r"(?:[a-h]|\d{1,2})(?![A-Za-z\d_])"
_LED = (
    r"i(?:'ll|'d| would| will)?\s+(?:like|take|prefer|choose|pick|go with|want)|let'?s\s+(?:do"
    r"|go with|try|take|use)|take|use|choose|pick|try|do|go (?:with|for)|only|just|rather"
    r"|why(?: not)?|(?:what|how) about|more (?:on|about|of)|(?:show|give)(?: me)?|explain|implement"
    r"|start with|expand(?: on)?|delete|drop|remove|fix|apply|keep|skip|compare"
    r"|yes,?|no,?|ok(?:ay)?,?|and|nimm|nehmen wir|lieber|mach|zeig(?: mir)?|mehr zu|erklär\w*"
    r"|was ist mit|warum|nur|und|prends|prenons|plutôt|fais|montre|explique|pourquoi"
    r"|et|usa|toma|elige|prefiero|explica|haz|solo|por qué|prefiro|faz"
    r"|escolh[oae]|prendi|scelgo|preferisco|spiega|fai"
)
_FOLLOWS = (
    r"\s*(?:$|[!?;:]|[.,](?!\d))|\s*(?:で|を|が|は|について|吧|号)"
    r"|\s+(?:please|pls|but|then|instead|first|only|too|as well|is|are|sounds?|looks?|seems?|stays?"
    r"|bitte|aber|dann|zuerst|ist|klingt|bleibt|stattdessen|s'il|mais|d'abord|est|por favor|pero|es"
    r"|porém|primeiro|per favore|ma|prima)\b"
)
_BETWEEN = r"\s*(?:,|/|\+|&|\b(?:and|or|und|oder|et|ou|y|o|e)\b|と|和|或)\s*"
_BARE = re.compile(
    rf"\W*(?:(?:{_LED})\s+|(?:选|選|用|选择)\s*)*(?P<keys>{_KEY}(?:{_BETWEEN}{_KEY})*)(?={_FOLLOWS})",
    re.I,
)
_LETTER_OF_LIST = re.compile(r"\b(?P<key>[b-h])\W*$", re.I)


@dataclass(frozen=True, slots=True)
class ListKey:
    """A part of a message that names places of a list."""

    start: int
    end: int
    places: tuple[int, ...]
    """From 0; from the end where negative."""

    def fits(self, length: int) -> bool:
        """Whether a list of that length has these places."""
        return all(-length <= place < length for place in self.places)


def list_keys(request: str, answer: str) -> tuple[ListKey, ...]:
    """The keys and counts in a message; `answer` holds the list."""
    found = [_counted(each) for each in _COUNTED.finditer(request)]
    found += [_key(each, "number") for each in _SPELLED.finditer(request)]
    found = found or [_key(each, "key") for each in _BRACKETED.finditer(request)]
    return tuple(found or _bare(request, answer))


def _bare(request: str, answer: str) -> list[ListKey]:
    said = _BARE.match(request)
    if said is not None:
        start = said.start("keys")
        keys = re.finditer(_KEY, said["keys"], re.I)
        return [ListKey(start + key.start(), start + key.end(), (_place(key[0]),)) for key in keys]
    last = _LETTER_OF_LIST.search(request)
    if last is not None and re.search(rf"^\W*{last['key']}[).:]", answer, re.I | re.M):
        return [_key(last, "key")]  # `tell me more about c`, where the list has such keys.
    return []


def _counted(found: re.Match[str]) -> ListKey:
    count = _place(found["count"] or found["count2"]) + 1
    is_last = found["last"] or found["last2"]
    places = range(-count, 0) if is_last else range(count)
    return ListKey(found.start(), found.end(), tuple(places))


def _key(found: re.Match[str], group: str) -> ListKey:
    return ListKey(found.start(), found.end(), (_place(found[group]),))


def _place(key: str) -> int:
    """The place that a key, number or word for a number stands for, from 0."""
    if key.isdecimal():
        return int(key) - 1
    if len(key) == 1 and key.isascii():
        return ord(key.lower()) - ord("a")
    named = (at for at, words in enumerate(NUMBERS) if re.fullmatch(words, key, re.I))
    return next(named, 0)
