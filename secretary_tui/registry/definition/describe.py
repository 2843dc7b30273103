"""Descriptions as people read them: short, without examples."""

from __future__ import annotations

import re

_EXAMPLE = re.compile(r"<(example|commentary)>.*?(?:</\1>|\Z)", re.S | re.I)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")


def clean_description(description: str) -> str:
    """The description without `<example>` blocks, on one line."""
    text = _EXAMPLE.sub(" ", description.replace("\\n", "\n"))
    return " ".join(text.split())


def shorten_description(description: str, limit: int = 160) -> str:
    """The first sentence of a description, at most `limit` characters, cut at a word."""
    text = clean_description(description)
    end = next((m.end() for m in _SENTENCE_END.finditer(text) if m.end() >= 20), len(text))
    text = text[:end]
    if len(text) <= limit:
        return text
    return text[: limit - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"
