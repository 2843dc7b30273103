"""What an answer names, so that a later message can point at it: items, files, things in code."""

from __future__ import annotations

import re
from collections.abc import Iterable

from secretary_tui.routing.words.languages import in_english

_MOST_ITEMS = 30
_LONGEST_ITEM = 80
_MOST_FILES = 3
_MOST_NEAR = 2
_SUMMARY = 240
_READ = 20_000
_CODE_BLOCK = re.compile(r"^(`{3,}|~{3,}).*?(?:^\1[`~]*[ \t]*$|\Z)", re.S | re.M)
_ITEM = re.compile(
    r"^(?P<indent>[ \t]*)(?:#{1,6}[ \t]+)?(?:(?:\*\*)?(?:(?:option|variant|step|idea|issue|finding|"
    r"schritt|étape|opción)[ \t]+)?(?:\d{1,2}|[A-Ha-h])(?:[.):]|[ \t]*[–—-][ \t])|[-*•][ \t])"
    r"[ \t]*(?P<text>\S[^\n]*)",
    re.M | re.I,
)
_CHECK_BOX = re.compile(r"^\[[ xX]\][ \t]+")
_HEAD = re.compile(
    r"\*\*(?P<bold>[^*\n]+)\*\*|\[(?P<link>[^\]\n]+)\](?=\()|`(?P<code>[^`\n]+)`"
    r"|(?P<plain>(?:[^:–—\n]|:(?=\S))+)"
)
_ROW = re.compile(r"^[ \t]*\|[ \t]*(?!:?-+)(?P<cell>[^|\n]+)\|", re.M)
_SERIES = re.compile(
    r"(?::|\b(?:are|is|use|between|either|consider|try|with|into|sind|mit|sont|son)\b)[ \t]+"
    r"(?P<series>(?:[^,.;:\n]{2,50},[ \t]+){1,6}(?:[^,.;:\n]{2,50}[ \t]+)?"
    r"(?:and|or|und|oder|et|ou|y|o)[ \t]+[^,.;:\n]{2,50}"
    r"|[^,.;:\n]{2,40}[ \t]+(?:or|oder|ou)[ \t]+[^,.;:\n]{2,40})",
    re.I,
)
_CODES = re.compile(
    r"`[^`\n]+`(?:(?:,|,?[ \t]+(?:and|or|und|oder|et|ou|y|o))[ \t]+`[^`\n]+`)+", re.I
)
_BETWEEN = re.compile(r",?[ \t]+(?:and|or|und|oder|et|ou|y|o)[ \t]+|,[ \t]+", re.I)
_CODE = re.compile(r"`([^`\n]{1,80})`")
_NOUNS = {
    "archivo": "file", "fichero": "file", "ficheiro": "file", "ファイル": "file", "文件": "file",
    "función": "function", "関数": "function", "函数": "function", "consulta": "query",
    "クエリ": "query", "查询": "query", "pagina": "page", "ページ": "page", "页面": "page",
    "テーブル": "table", "表": "table", "クラス": "class", "类": "class", "テスト": "test",
    "测试": "test", "設定": "config", "配置": "config",
}  # fmt: skip
"""Nouns that the glossary reads in another sense, or without the word."""
_FILE = re.compile(
    r"(?<![\w/.-])(?:[\w.@-]+/)+[\w.@-]*\w|(?<![\w/.-])[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{1,5}\d?\b(?![\w/(])"
)
_ABBREVIATION = re.compile(r"(?:e\.g|i\.e|z\.B|d\.h|p\.ex|etc|vs|\d+\.\w+)", re.I)
_REPOSITORY = re.compile(r"(?<![\w./-])([\w.-]+/[\w.-]+)(?![\w/])")


def listed_items(answer: str) -> tuple[str, ...]:
    """The names that the lists in an answer give, in their order: what an item begins with.

    Items keep their places, so a long one is cut; those below another one are not counted. Without
    a list, the rows of a table or a series in a sentence.
    """
    text = _CODE_BLOCK.sub("", answer[:_READ])
    found = [(len(row["indent"]), _name_of(row["text"])) for row in _ITEM.finditer(text)]
    outermost = min((indent for indent, _ in found), default=0)
    names = [name for indent, name in found if indent <= outermost + 1]
    names = names or _rows(text) or _series(text)
    return tuple(dict.fromkeys(filter(None, names)))[:_MOST_ITEMS]


def files_in(text: str) -> tuple[str, ...]:
    """The paths and file names in a text, in their order."""
    found = (file[0].rstrip(".") for file in _FILE.finditer(text[:_READ]))
    return tuple(dict.fromkeys(name for name in found if not _ABBREVIATION.fullmatch(name)))


def summary_of(answer: str) -> str:
    """How an answer begins, without its blocks of code unless it is nothing else."""
    text = " ".join(_CODE_BLOCK.sub(" ", answer[:_READ]).split())
    text = text or " ".join(answer[:_READ].split())
    return text if len(text) <= _SUMMARY else f"{text[:_SUMMARY].rpartition(' ')[0]} …"


def files_named(answer: str) -> str:
    """The last files that an answer names."""
    return ", ".join(files_in(answer)[-_MOST_FILES:])


def named_by(noun: str, texts: Iterable[str], is_same: re.Pattern[str]) -> str:
    """What a text calls such a thing (`the orders_by_day view`), of the first text that does."""
    for text in texts:
        for sentence in re.split(r"(?<=[.!?])\s+|\n+", _CODE_BLOCK.sub("", text[:_READ])):
            if is_same.search(sentence):
                names = dict.fromkeys((*_CODE.findall(sentence), *files_in(sentence)))
                nearest = sorted(names, key=lambda name: _distance(sentence, name, noun))
                if nearest:
                    return ", ".join(nearest[:_MOST_NEAR])
    return ""


def same_noun(noun: str) -> re.Pattern[str]:
    """Finds a noun in a text, and its plural or singular."""
    stems = {noun.lower().rstrip("s"), english_noun(noun).lower().rstrip("s")}
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, filter(None, stems)))})\w{{0,2}}\b", re.I)


def english_noun(noun: str) -> str:
    """What a thing in code is called in English."""
    return _NOUNS.get(noun.lower()) or in_english(noun).strip() or noun


def codes_in(answer: str) -> tuple[str, ...]:
    """The names in an answer that are written as code."""
    return tuple(dict.fromkeys(_CODE.findall(_CODE_BLOCK.sub("", answer[:_READ]))))


def repository_in(answer: str) -> str:
    """The first `owner/name` in an answer; empty where there is none."""
    named = _REPOSITORY.search(answer)
    return named[1] if named else ""


def _name_of(text: str) -> str:
    text = _CHECK_BOX.sub("", text.strip())
    head = _HEAD.match(text.lstrip("* ") if text.startswith("** ") else text)
    if head is None:
        return text[:_LONGEST_ITEM]
    name = next(part for part in head.groups() if part is not None)
    return name.strip().rstrip(":.*").strip()[:_LONGEST_ITEM]


def _rows(text: str) -> list[str]:
    """The first cells of a table, without those of its head."""
    cells = [row["cell"].strip(" *`") for row in _ROW.finditer(text)]
    return cells[1:] if len(cells) > 2 else []


def _series(text: str) -> list[str]:
    """The parts of the last series in prose: `Redis, Memcached or SQLite`."""
    found = [row[0] for row in _CODES.finditer(text)]
    found = found or [row["series"] for row in _SERIES.finditer(text)]
    parts = _BETWEEN.split(found[-1]) if found else []
    return [part.strip(' `*"“”') for part in parts if part.strip()]


def _distance(sentence: str, name: str, noun: str) -> int:
    at, of = sentence.find(name), sentence.lower().find(noun)
    return min(abs(at - of), abs(at + len(name) - of))
