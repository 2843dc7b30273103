"""A run as markdown that any viewer shows as it was meant, whatever the agent wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from secretary_tui.sessions.export.export_document import RunDocument
from secretary_tui.sessions.export.export_entries import EntryKind, ExportEntry

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_TICKS = re.compile(r"`+")
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~])")
_CODE_SPAN = re.compile(r"((?<!`)(`+)(?!`).*?(?<!`)\2(?!`))")
_TAG = re.compile(r"(\\*)(<(?=[A-Za-z/!?])(?!(?:https?://|mailto:)[^\s<>]*>)|!\[)")
"""A tag or a picture, with the backslashes before it."""
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_SCHEMES = ("http", "https", "mailto")
_LINES = re.compile(r"\d+(?:[-:]\d+)?")
"""What stands behind the colon of `login.py:12`, which is no scheme."""
_DISARMED = str.maketrans({"<": "&lt;", "[": "&#91;"})


def to_markdown(document: RunDocument) -> str:
    """Write it: a head with the facts, then what happened."""
    parts = [f"# {escape(document.title)}", "\n".join(_facts(document))]
    if document.problem:
        parts.append(f"*{escape(document.problem)}*")
    for entry in document.entries:
        parts += _entry(entry)
    return "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    """Text that means nothing to markdown."""
    return _SPECIAL.sub(r"\\\1", text)


def fenced(text: str, language: str = "") -> str:
    """A code block whose fence is longer than any inside."""
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    ended = text if text.endswith("\n") else f"{text}\n"
    return f"{fence}{language}\n{ended}{fence}"


def harmless(markdown: str) -> str:
    """Markdown of a model: no HTML, no picture that a viewer would fetch, no link to a program.

    Fences are closed. What stands in code stays as it is; only where a reader of markdown finds
    something armed all the same, no tag and no link is left in the whole text.
    """
    text = _line_by_line(markdown)
    return text if _is_harmless(text) else _line_by_line(text.translate(_DISARMED))


def is_harmless_link(url: str) -> bool:
    """Whether a link leads to the web, a mail address, or a file beside the document."""
    found = _SCHEME.fullmatch(url.strip())
    if found is None:
        return not url.strip().replace("\\", "/").startswith("//")
    if "." in found[1] and _LINES.fullmatch(found[2]):
        return True
    return found[1].lower() in _SCHEMES


def _is_harmless(markdown: str) -> bool:
    """Whether no reader sees HTML, a picture or a link to a program, with tables and without."""
    from markdown_it import MarkdownIt

    for rules in ((), ("table", "strikethrough")):
        reader = MarkdownIt("commonmark").enable(rules)
        reader.validateLink = lambda url: True  # type: ignore[method-assign]
        known: dict[str, Any] = {}
        for block in reader.parse(markdown, known):
            for token in (block, *(block.children or ())):
                if token.type in ("html_block", "html_inline", "image"):
                    return False
                if token.type == "link_open" and not is_harmless_link(str(token.attrs["href"])):
                    return False
        # Another answer of the same document may refer to what stands in this one.
        if not all(is_harmless_link(r["href"]) for r in known.get("references", {}).values()):
            return False
    return True


def _line_by_line(markdown: str) -> str:
    lines = []
    fence = ""
    for line in markdown.split("\n"):
        found = _FENCE.match(line)
        if fence:
            closes = found is not None and found[1].startswith(fence) and not line.strip(" `~")
            fence = "" if closes else fence
            lines.append(line)
        elif found is not None:
            fence = found[1]
            lines.append(line)
        else:
            lines.append(_without_html(line))
    if fence:
        lines.append(fence)
    return "\n".join(lines)


def _facts(document: RunDocument) -> Iterator[str]:
    for label, value in document.rows:
        yield f"- **{label}:** {escape(value)}"


def _entry(entry: ExportEntry) -> list[str]:
    match entry.kind:
        case EntryKind.USER:
            return ["## User", _quoted(escape(entry.text.strip()))]
        case EntryKind.ANSWER:
            return ["## Agent", harmless(entry.text.strip())]
        case EntryKind.THINKING:
            return ["### Thinking", fenced(entry.text.strip("\n"), "text")]
        case EntryKind.TOOL:
            return _tool(entry)
    return [f"*{escape(' '.join(entry.text.split()))}*"]


def _tool(entry: ExportEntry) -> list[str]:
    facts = [escape(" ".join(entry.text.split()))] if entry.text.strip() else []
    if entry.denied:
        facts.append("(denied)")
    elif entry.is_error:
        facts.append("(failed)")
    parts = [f"### Tool: {escape(entry.tool)} {' '.join(facts)}".rstrip()]
    if entry.input and not told_by_summary(entry):
        parts.append(fenced(json.dumps(entry.input, indent=2, ensure_ascii=False), "json"))
    if entry.inner:
        inside = "\n\n".join(part for inner in entry.inner for part in _entry(inner))
        parts.append(_quoted(f"**{escape(entry.agent)}**\n\n{inside}"))
    if entry.output.strip():
        parts.append(fenced(entry.output.strip("\n"), "text"))
    return parts


def told_by_summary(entry: ExportEntry) -> bool:
    """Whether the one line of a call says all that stands in its input."""
    return all(str(value) in entry.text for value in (entry.input or {}).values())


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _without_html(line: str) -> str:
    """Escape tags and pictures, but not what stands in code."""
    pieces = _CODE_SPAN.split(line)
    # Of each code span, `split` gives the span and its ticks.
    return "".join(
        piece if number % 3 == 1 else "" if number % 3 == 2 else _plain(piece)
        for number, piece in enumerate(pieces)
    )


def _plain(text: str) -> str:
    return _TAG.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    already = len(found[1]) % 2
    return found[0] if already else f"{found[1]}\\{found[2]}"
