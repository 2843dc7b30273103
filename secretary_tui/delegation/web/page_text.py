"""The readable text of a page: Markdown without scripts, styles, pictures and hidden parts.

Strangers wrote the page: `page_process` has this done by a process with limits.
"""

from __future__ import annotations

import re

from secretary_tui.delegation.web.web_page import WebError, WebPage
from secretary_tui.sanitize import clean, clean_line

MAX_CHARS = 60_000
MAX_HTML_BYTES = 1_000_000
"""What is parsed of a page; the text of so much fills `MAX_CHARS`."""
_HTML = frozenset(("text/html", "application/xhtml+xml", ""))
_TEXT = re.compile(
    r"text/.+|application/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|toml|javascript|x-ndjson)"
)
_CHARSET = re.compile(
    r"utf-?8|utf-?16|us-ascii|iso-8859-\d+|windows-125\d|shift_jis|euc-(?:jp|kr)|gb(?:2312|k|18030)"
    r"|big5|koi8-[ru]"
)
_UNREAD = ("script", "style", "noscript", "template", "svg", "iframe", "object", "img", "head")
_BLANK_LINES = re.compile(r"\n\s*\n\s*\n+")


def page_text(page: WebPage) -> str:
    """Give the text; takes seconds for a large page, and much longer for one made to.

    Raises:
        WebError: it is no text.
    """
    most = MAX_HTML_BYTES if page.content_type in _HTML else len(page.body)
    if page.content_type in _HTML:
        text = _html_text(page)
    elif _TEXT.fullmatch(page.content_type):
        text = _decoded(page)
    else:
        kind = clean_line(page.content_type)[:60]
        raise WebError(f"That is {kind} of {len(page.body)} bytes; only text can be read.")
    text = _BLANK_LINES.sub("\n\n", clean(text)).strip()
    if page.cut or len(page.body) > most or len(text) > MAX_CHARS:
        text = f"{text[:MAX_CHARS]}\n[cut: the page is longer]"
    return text


def _decoded(page: WebPage) -> str:
    # The name comes from the server, and Python has codecs that are no character sets.
    charset = page.charset if _CHARSET.fullmatch(page.charset) else "utf-8"
    try:
        return page.body.decode(charset, "replace")
    except LookupError:  # Of such a form, but there is none, as iso-8859-12.
        return page.body.decode("utf-8", "replace")


def _html_text(page: WebPage) -> str:
    from bs4 import BeautifulSoup, Comment
    from markdownify import MarkdownConverter

    charset = page.charset if _CHARSET.fullmatch(page.charset) else None
    soup = BeautifulSoup(_beginning(page), "html.parser", from_encoding=charset)
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    for element in soup.find_all(_UNREAD):
        element.decompose()
    for element in soup.find_all(hidden=True) + soup.find_all(style=_is_hidden):
        element.decompose()
    for comment in soup.find_all(string=lambda text: isinstance(text, Comment)):
        comment.extract()
    for link in soup.find_all("a", href=True):
        if not str(link["href"]).startswith(("http:", "https:", "/", "#", "?", ".")):
            del link["href"]
    try:
        text = MarkdownConverter(heading_style="ATX", bullets="-").convert_soup(soup)
    except RecursionError:  # Nested thousands deep.
        text = soup.get_text("\n", strip=True)
    return f"# {title}\n\n{text}" if title else str(text)


def _beginning(page: WebPage) -> bytes:
    body = page.body[:MAX_HTML_BYTES]
    if page.cut or len(body) < len(page.body):
        # Of a comment that was cut in two, the parser would make text.
        opened = body.rfind(b"<!--")
        if opened > body.rfind(b"-->"):
            return body[:opened]
    return body


def _is_hidden(style: str | None) -> bool:
    return (
        bool(style)
        and re.search(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", str(style)) is not None
    )
