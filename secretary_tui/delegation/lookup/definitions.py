"""Where functions, classes, constants, keys and headings are defined in a text, and where they end.

Each family of languages has one pattern for where a definition begins. Where it ends follows from
indentation, which formatted code has in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LONGEST_LINE = 400
"""Characters. A longer line is generated code, and is skipped."""
MOST_LINES, MOST_DEFINITIONS = 20_000, 2_000
"""Of one file, from its top."""
LONGEST_DEFINITION = 2_000
"""Lines that are searched for the end of one. Without limits a file can take hours."""
_PYTHON = r"[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|([A-Za-z_]\w*)[ \t]*(?::[^=]+)?=(?!=)"
_SCRIPT = (
    r"[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:declare[ \t]+)?(?:abstract[ \t]+)?"
    r"(?:async[ \t]+)?(?:function\b[ \t]*\*?|class|interface|type|enum|namespace)[ \t]+([\w$]+)"
    r"|(?:export[ \t]+)?(?:const|let|var)[ \t]+([\w$]+)"
    r"|[ \t]+(?:const|let)[ \t]+([\w$]+)[^\n]*=>"
    r"|(?:module\.)?exports\.([\w$]+)[ \t]*="
    r"|[ \t]+(?:(?:public|private|protected|static|async|readonly|override|get|set)[ \t]+)*"
    r"(?!(?:if|for|while|switch|catch|return|function|else|await|new|throw|typeof|super)\b)"
    r"([\w$#]+)[ \t]*\([^;]*\{[ \t]*$"
    r"|[ \t]+(?:(?:public|private|protected|static|readonly)[ \t]+)*([\w$#]+)[ \t]*=[^;]*=>"
)
_GO = (
    r"func[ \t]+(?:\([^)]*\)[ \t]*)?(\w+)|(?:type|var|const)[ \t]+(\w+)"
    r"|\t(\w*[A-Z]\w*)[ \t]+(?:[\w.\[\]*]+[ \t]+)?=[ \t]"
)
_RUST = (
    r"[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?(?:(?:async|unsafe|const|default|extern)[ \t]+)*"
    r"(?:fn|struct|enum|trait|type|mod|static|const|union)[ \t]+(?:mut[ \t]+)?(\w+)"
    r"|[ \t]*macro_rules![ \t]*(\w+)|impl\b(?:<[^>]*>)?[ \t]+(?:[\w:<>]+[ \t]+for[ \t]+)?(\w+)"
)
_CURLY = (
    r"[ \t]*(?:[\w@]+(?:\([^)]*\))?[ \t]+)*(?:class|interface|enum|record|object|struct|trait|"
    r"protocol|extension|fun|func|def|val|var|typealias)[ \t]+(\w+)"
    r"|[ \t]+(?!(?:return|new|else|throw|if|for|while|case|await|yield)\b)"
    r"(?:[\w<>\[\],.?@]+[ \t]+)+(\w+)[ \t]*\([^;]*$"
    r"|[ \t]+(?:(?:public|private|protected|internal|static|final|const|readonly)[ \t]+)+"
    r"[\w<>\[\],.?]+[ \t]+(\w+)[ \t]*[=;{]"
)
_C = (
    r"(?:[A-Za-z_][\w:<>,]*[ \t*&]+)+(?:\w+::)*(~?\w+)[ \t]*\([^;]*$"
    r"|[ \t]+(?!(?:return|if|for|while|switch|else|do)\b)(?:[A-Za-z_][\w:<>,]*[ \t*&]+)+"
    r"(~?\w+)[ \t]*\([^;]*\{[ \t]*$"
    r"|[ \t]*#[ \t]*define[ \t]+(\w+)"
    r"|[ \t]*(?:typedef[ \t]+)?(?:struct|class|enum(?:[ \t]+class)?|union|namespace)[ \t]+(\w+)"
    r"|(?:static[ \t]+)?const(?:expr)?[ \t]+(?:\w+[ \t*]+)+(\w+)[ \t]*(?:\[[^\]]*\])?[ \t]*="
)
_RUBY = (
    r"[ \t]*(?:def[ \t]+(?:self\.)?([\w?!]+)|(?:class|module)[ \t]+(?:\w+::)*(\w+)"
    r"|([A-Z][A-Z0-9_]+)[ \t]*=)"
)
_PHP = (
    r"[ \t]*(?:(?:abstract|final|public|private|protected|static)[ \t]+)*"
    r"(?:function[ \t]+&?|class[ \t]+|interface[ \t]+|trait[ \t]+|enum[ \t]+|const[ \t]+)(\w+)"
)
_SHELL = (
    r"[ \t]*(?:function[ \t]+([\w:.-]+)|([\w:.-]+)[ \t]*\(\))"
    r"|(?:export[ \t]+|readonly[ \t]+)?([A-Za-z_]\w*)="
)
_SQL = (
    r"(?i)[ \t]*create[ \t]+(?:or[ \t]+replace[ \t]+)?"
    r"(?:(?:temp|temporary|unique|materialized)[ \t]+)*"
    r"(?:table|view|function|procedure|index|trigger|type)[ \t]+(?:if[ \t]+not[ \t]+exists[ \t]+)?"
    r"[\"`]?(?:\w+\.)?(\w+)"
)
_YAML = r"[ \t]*(?:-[ \t]+)?[\"']?([\w./-]+)[\"']?[ \t]*:(?:[ \t]|$)"
_TABLES = r"\[+[ \t]*([^\[\]\s][^\]]*)\]|[ \t]*([\w.-]+|\"[^\"]+\")[ \t]*[=:]"
_JSON = r"[ \t]*\"([^\"]+)\"[ \t]*:"
_MAKE = r"([\w./%-]+)(?:[ \t]+[\w./%-]+)*[ \t]*:(?!=)|([A-Za-z_]\w*)[ \t]*[:?+]?="
_DOCKER = r"FROM[ \t]+\S+[ \t]+[Aa][Ss][ \t]+(\w+)"
_HEADINGS = r"#{1,6}[ \t]+(.+?)[ \t#]*$"
_SUFFIXES: Mapping[str, tuple[str, ...]] = {
    _PYTHON: ("py", "pyi"),
    _SCRIPT: ("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"),
    _GO: ("go",),
    _RUST: ("rs",),
    _CURLY: ("java", "cs", "kt", "kts", "scala", "swift", "dart", "groovy", "gradle"),
    _C: ("c", "h", "cc", "cpp", "cxx", "hpp", "hh", "m", "mm"),
    _RUBY: ("rb", "rake"),
    _PHP: ("php",),
    _SHELL: ("sh", "bash", "zsh"),
    _SQL: ("sql",),
    _YAML: ("yml", "yaml"),
    _TABLES: ("toml", "ini", "cfg", "conf", "properties"),
    _JSON: ("json", "jsonc"),
    _MAKE: ("mk", "makefile", "gnumakefile", "justfile"),
    _DOCKER: ("dockerfile", "containerfile"),
    _HEADINGS: ("md", "markdown", "mdx"),
}
_FAMILIES = {
    suffix: re.compile(family) for family, suffixes in _SUFFIXES.items() for suffix in suffixes
}
_SECTIONED = frozenset(_SUFFIXES[_HEADINGS])
_ATTACHED = re.compile(r"#(?=[\s\[:]|$)|//|/\*|\*|@|--|<!--")
_CLOSERS = re.compile(r"[)\]}]|end\b|\{|where\b")
_OPENERS = ("{", ":", "(", "[", "=>", "=", "where")
_LONG_TEXT = re.compile(r"\"\"\"|'''")
_NOT_NAME = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class SourceDefinition:
    """A function, class, constant, key or section; `first` and `last` count from 1, inclusive."""

    name: str
    first: int
    last: int
    depth: int
    """How many other definitions enclose it."""


def definitions_in(path: str, lines: Sequence[str]) -> list[SourceDefinition]:
    """Find what a file defines, in order; nothing where its language is unknown."""
    suffix = path.rpartition("/")[2].lower().rpartition(".")[2]
    pattern = _FAMILIES.get(suffix)
    if pattern is None:
        return []
    starts = []
    is_fenced = False
    for number, line in enumerate(lines[:MOST_LINES]):
        if suffix in _SECTIONED and line.lstrip().startswith("```"):
            is_fenced = not is_fenced
        if not is_fenced and len(line) <= LONGEST_LINE and (match := pattern.match(line)):
            name = next((group for group in match.groups() if group), "")
            starts.append((number, name.strip("\"'` \t")))
        if len(starts) == MOST_DEFINITIONS:
            break
    found: list[SourceDefinition] = []
    around: list[int] = []
    for position, (number, name) in enumerate(starts):
        if suffix in _SECTIONED or lines[number].startswith("["):
            last = _section_end(lines, [at for at, _ in starts[position + 1 :]], number)
        else:
            last = _end_of_statement(lines, number) if suffix == "sql" else _end(lines, number)
        around = [end for end in around if end > number]
        found.append(SourceDefinition(name, _beginning(lines, number) + 1, last + 1, len(around)))
        around.append(last + 1)
    return found


def defined_as(name: str, definitions: Sequence[SourceDefinition]) -> list[SourceDefinition]:
    """Find definitions by name: spelled exactly, else ignoring case and separators (`retry limit`).

    `Class.method` and `Class::method` mean the method of that class.
    """
    outer, _, inner = re.sub(r"::|#|->", ".", name).rpartition(".")
    exact = [one for one in definitions if one.name == name]
    if not exact and outer:
        owners = [one for one in definitions if one.name == outer.rpartition(".")[2]]
        exact = [
            one
            for one in definitions
            if one.name == inner and any(o.first <= one.first <= o.last for o in owners)
        ]
    plain = _NOT_NAME.sub("", name).casefold()
    return exact or [o for o in definitions if _NOT_NAME.sub("", o.name).casefold() == plain != ""]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _beginning(lines: Sequence[str], number: int) -> int:
    """Find the first line of the comments and decorators directly above a definition."""
    indent = _indent(lines[number])
    if lines[number].startswith(("#", "[")):
        return number
    top = max(0, number - LONGEST_DEFINITION)
    while number > top:
        above = lines[number - 1]
        if not _ATTACHED.match(above.strip()) or not indent <= _indent(above) <= indent + 1:
            break
        number -= 1
    return number


def _end(lines: Sequence[str], number: int) -> int:
    """The last line of a block: all that is indented deeper, and what closes it."""
    indent = _indent(lines[number])
    is_item = lines[number].strip().startswith("-")
    last = number
    is_text = len(_LONG_TEXT.findall(lines[number])) % 2 == 1
    for here in range(number + 1, min(len(lines), number + LONGEST_DEFINITION)):
        text = lines[here].strip()
        is_inside = is_text or _indent(lines[here]) > indent
        is_text ^= len(_LONG_TEXT.findall(text)) % 2 == 1
        if not text and not is_inside:
            continue
        # A list of YAML may stand as far left as its key.
        is_inside |= text.startswith("- ") and not is_item and _indent(lines[here]) == indent
        if is_inside:
            last = here if text else last
            continue
        if _indent(lines[here]) < indent or not _CLOSERS.match(text):
            break
        last = here
        if not text.endswith(_OPENERS):
            break
    return last


def _section_end(lines: Sequence[str], later: Sequence[int], number: int) -> int:
    """The line before the next heading of this level, or a higher one; or the next table."""
    level = len(lines[number]) - len(lines[number].lstrip("#"))
    last = len(lines) - 1
    for at in later:
        is_heading = lines[at].startswith(("#", "["))
        if is_heading and len(lines[at]) - len(lines[at].lstrip("#")) <= level:
            last = at - 1
            break
    while last > number and not lines[last].strip():
        last -= 1
    return last


def _end_of_statement(lines: Sequence[str], number: int) -> int:
    quotes = 0  # The body of a function stands between `$$`, and holds semicolons.
    end = min(len(lines), number + LONGEST_DEFINITION)
    for here in range(number, end):
        quotes += lines[here].count("$$")
        if lines[here].rstrip().endswith(";") and quotes % 2 == 0:
            return here
    return end - 1
