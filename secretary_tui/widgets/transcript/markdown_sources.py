"""What can be taken out of a Markdown source: its code blocks and its web addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from markdown_it.token import Token

from secretary_tui.widgets.transcript.markdown_lines import has_tables, parser

_ADDRESS = re.compile(r"https?://[^\s<>\"'`|]+")
_AFTER = ".,;:!?*_)]}"
"""Characters that end a sentence or a bracket rather than an address."""


def code_blocks(source: str) -> list[str]:
    """The code in fences and in indented blocks, also inside lists and quotes, in order."""
    tokens = parser(tables=False, inline=False).parse(source)
    return [t.content for t in tokens if t.type in ("fence", "code_block") and t.content.strip()]


def links(source: str) -> list[str]:
    """The http and https addresses of links and of plain text, in order, each once."""
    tokens = parser(tables=has_tables(source), inline=True).parse(source)
    return list(dict.fromkeys(address for address in _addresses(tokens) if host_of_link(address)))


def host_of_link(address: str) -> str:
    """The host that an address leads to, as the network knows it; empty when it is none.

    Letters of other alphabets are written as `xn--…`: they may look like another host's.
    """
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").encode("idna").decode("ascii")
        port = f":{parts.port}" if parts.port else ""
    except ValueError:  # UnicodeError too.
        return ""
    return host + port if parts.scheme in ("http", "https") and host else ""


def _addresses(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "link_open":
            yield str(token.attrs.get("href", ""))
        elif token.type == "image":
            yield str(token.attrs.get("src", ""))
        elif token.type in ("text", "code_inline", "fence", "code_block"):
            for match in _ADDRESS.finditer(token.content):
                yield _trimmed(match.group())
        if token.children:
            yield from _addresses(token.children)


def _trimmed(address: str) -> str:
    """Without what stands after it: a bracket stays that was opened inside."""
    while address and address[-1] in _AFTER:
        if address[-1] == ")" and address.count("(") >= address.count(")"):
            break
        address = address[:-1]
    return address
