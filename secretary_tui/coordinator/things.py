"""What `that file`, `the nginx config`, `the view you made` stand for, by what they are called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from secretary_tui.coordinator.conversation import Exchange
from secretary_tui.coordinator.referents import (
    codes_in,
    english_noun,
    files_in,
    files_named,
    listed_items,
    named_by,
    same_noun,
)
from secretary_tui.coordinator.resolved import Reference, Resolved
from secretary_tui.routing.words.terms import STOP_WORDS, stem_all

_THAT = re.compile(
    r"\b(?:that|this|those|these|diese[nrsm]?|jene[nrsm]?|ce|cet|cette|ces|es[eao]s?"
    r"|est[eao]s?|aquel(?:la)?|ess[ea]s?|quest[oaei]|quell[oaei])\s+(?P<noun>[^\W\d]{3,})\b"
    r"|(?:その|この|あの|这个|那个|這個|那個)(?P<thing>ファイル|関数|クエリ|テーブル|文件|函数|查询|表)"
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
_NOUN_BEFORE = re.compile(
    r"\b(?:an?|the|some|any|every|all)\s+(?:[\w-]+\s+){1,3}"
    r"(?<!\bfor\s)(?<!\bto\s)(?<!\bof\s)(?<!\bin\s)(?<!\bon\s)(?<!\bwith\s)(?<!\bfrom\s)"
    r"(?<!\babout\s)(?<!\bat\s)(?<!\bby\s)(?<!\binto\s)$",
    re.I,
)
"""What stands before a `that` which opens a clause."""
_FILES = frozenset(
    stem_all(("file", "script", "module", "document", "test", "config", "configuration"))
)
_THINGS = frozenset(
    stem_all(
        ("function", "method", "class", "query", "table", "view", "test", "page", "endpoint",
         "component", "job", "column", "index", "route", "dashboard", "section", "chart", "worker",
         "service")
    )
)  # fmt: skip
_DETERMINED = re.compile(
    r"(?:\b(?:the|d(?:er|ie|as|en|em)|les?|la|el|l[oa]s|l[oe]|il|i|gli|(?P<that>that|this|those"
    r"|these|diese[nrsm]?|cet(?:te)?|ce[st]?|es[eao]s?|est[eao]s?|ess[ea]s?|quest[oaei]|quell[oaei])"
    r"|[oa](?=\s+[a-zà-ÿ]*(?:arquivo|ficheiro|fun[cç][aã]o|consulta|tabela|página|classe|coluna)))\s+|\bl')"
    r"(?=(?P<phrase>[\w.@/]+(?:[\s-]+[\w.@/]+){0,3}))",
    re.I,
)
_CJK_THING = re.compile(
    r"(?:(?:その|この|あの|这个|那个|這個|那個)|(?P<qualifier>[A-Za-z][A-Za-z\d_.-]{2,})\s*(?:の|的)?\s*)"
    r"(?P<noun>ファイル|関数|クエリ|テーブル|クラス|テスト|ページ|設定|文件|函数|查询|表|类|测试|页面|配置)"
)
_GLUED = re.compile(
    r"(?P<qualifier>\w{3,}?)s?(?P<noun>datei|funktion|klasse|tabelle|abfrage|seite)", re.I
)
_PARTICLES = frozenset(("de", "di", "do", "da", "du", "des", "del", "von", "for", "of", "called"))


def by_name(request: str, exchanges: Sequence[Exchange]) -> Resolved | None:
    """The request with the name of the thing it calls by what it is; None without such.

    Where there is such a thing and nothing tells its name, the text stays as it is.
    """
    return _described(request, exchanges) or _pointed_at(request, exchanges)


def points_at_thing(message: str) -> bool:
    """Whether it says `that file`, `the view you made`."""
    return _THAT.search(message) is not None


def _described(request: str, exchanges: Sequence[Exchange]) -> Resolved | None:
    """`the nginx file`, `that export function`: by its kind, with a name that tells which."""
    for end, noun, qualifiers, by in _descriptions(request):
        name = _thing_meant(noun, qualifiers, exchanges)
        if name and name not in request:
            text = f"{request[:end]} ({name}){request[end:]}"
            pointed = " ".join((*qualifiers, noun))
            return Resolved(text, True, pointed=pointed, by=by)
    return None


def _descriptions(request: str) -> Iterator[tuple[int, str, tuple[str, ...], Reference]]:
    """Where each thing that is called by its kind ends, the noun, what tells which, and how."""
    for found in _CJK_THING.finditer(request):
        which = found["qualifier"]
        by = Reference.THING if which else Reference.POINTED
        yield found.end(), found["noun"], tuple(filter(None, (which,))), by
    for found in _DETERMINED.finditer(request):
        by = Reference.POINTED if found["that"] else Reference.THING
        words = list(re.finditer(r"[\w.@/]+", found["phrase"]))
        said = [word[0] for word in words]
        ends = [found.start("phrase") + word.end() for word in words]
        for at, noun in enumerate(said):
            if glued := _GLUED.fullmatch(noun):
                yield ends[at], glued["noun"], (*said[:at], glued["qualifier"]), by
            if at:
                yield ends[at], noun, tuple(said[:at]), by
        after = next((at for at in range(1, len(said)) if said[at] not in _PARTICLES), 0)
        if after:
            yield ends[after], said[0], (said[after],), by
        yield ends[0], said[0], (), by


def _thing_meant(noun: str, qualifiers: Sequence[str], exchanges: Sequence[Exchange]) -> str:
    """The one thing of that kind that the words tell; empty where they tell none or several."""
    kind = stem_all([english_noun(noun)])[:1]
    is_file, same = not _FILES.isdisjoint(kind), same_noun(noun)
    is_one = noun.lower() in ("one", "ones")
    is_kind = is_file or is_one or not _THINGS.isdisjoint(kind)
    telling = [word.lower() for word in qualifiers if word.lower() not in STOP_WORDS]
    if noun.lower() in STOP_WORDS and not is_one:
        return ""
    if len(telling) < len(qualifiers) or not (telling or is_kind):
        return ""
    if not (is_kind or any(same.search(e.answer) or same.search(e.said) for e in exchanges)):
        return ""
    for exchange in reversed(exchanges):
        names = () if is_file else _names_of(exchange)
        names += _files_of(exchange) if is_file or is_one else ()
        if not telling:
            names = names if is_file else ()
        hits = [name for name in names if all(_tells(word, name) for word in telling)]
        if len(set(hits)) == 1:
            return hits[0]
    phrase = " ".join((*telling, noun.lower()))
    texts = [text for each in reversed(exchanges) for text in (each.answer, each.said)]
    exact = named_by(phrase, texts, re.compile(rf"\b{re.escape(phrase)}", re.I))
    name = exact.partition(", ")[0] if telling else exact
    return "" if ", " in name else name


def _tells(word: str, name: str) -> bool:
    return len(word) > 2 and (word in name.lower() or word.rstrip("s") in name.lower())


def _files_of(exchange: Exchange) -> tuple[str, ...]:
    files = (*exchange.files, *files_in(exchange.answer), *files_in(exchange.said))
    longest = {file.rpartition("/")[2]: file for file in sorted(files, key=len)}
    return tuple(dict.fromkeys(longest.values()))


def _names_of(exchange: Exchange) -> tuple[str, ...]:
    codes = (code for code in codes_in(exchange.answer) if not files_in(code))
    return (*listed_items(exchange.answer), *codes)


def _pointed_at(request: str, exchanges: Sequence[Exchange]) -> Resolved | None:
    """`that view`, `the query you wrote`."""
    found = next((each for each in _THAT.finditer(request) if _is_thing(each, request)), None)
    if found is None:
        return None
    noun = _noun(found)
    if not exchanges:
        is_open = found["made"] or not _POINTS_HERE.match(found[0])
        return Resolved(request, True, found[0]) if is_open else None
    same = same_noun(noun)
    texts = [text for each in reversed(exchanges) for text in (each.answer, each.said)]
    name = _file_meant(noun, exchanges) or named_by(noun.lower(), texts, same)
    if name and name not in request:
        text = request[: found.end()] + f" ({name})" + request[found.end() :]
        return Resolved(text, True, pointed=found[0])
    if any(map(same.search, texts)) or not _POINTS_HERE.match(found[0]):
        return Resolved(request, True, pointed=found[0])
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
    if _FILES.isdisjoint(stem_all([english_noun(noun)])):
        return ""
    for exchange in reversed(exchanges):
        file = exchange.files[-1] if exchange.files else files_named(exchange.answer)
        if file or (file := files_named(exchange.said)):
            return file
    return ""
