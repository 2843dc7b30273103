"""Write an agent as a definition file that reads back as the same agent."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator

from secretary_tui.registry.definition.fields import split_names
from secretary_tui.registry.definition.spec import AgentSpec

_PLAIN = re.compile(r"[A-Za-z][\w ,.;()/'!?+-]*")
"""Text that needs no quotes: no colon, no comment, no mark that YAML knows."""
_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off"})
_ESCAPED = re.compile(
    r"[^\x20-\x7e\u00a0-\ud7ff\ue000-\ufdff\ufe10-\ufefe\uff00-\ufffd]|\u2028|\u2029"
)


def render_agent(spec: AgentSpec) -> str:
    """The markdown file of an agent: frontmatter in the usual order, then the prompt.

    Reading it gives the same fields; `source`, `path` and what was found about the old file are
    matters of where it is written.
    """
    lines = "\n".join(_fields(spec))
    return f"---\n{lines}\n---\n\n{spec.prompt}\n" if spec.prompt else f"---\n{lines}\n---\n"


def _fields(spec: AgentSpec) -> Iterator[str]:
    yield f"name: {_text(spec.name)}"
    yield f"description: {_text(spec.description)}"
    if spec.tools is not None:
        yield f"tools: {_names(spec.tools)}"
    if spec.disallowed_tools:
        yield f"disallowedTools: {_names(spec.disallowed_tools)}"
    for key, value in (("model", spec.model), ("color", spec.color)):
        if value is not None:
            yield f"{key}: {_text(value)}"
    if spec.skills:
        yield f"skills: {_names(spec.skills)}"
    if spec.max_turns is not None:
        yield f"maxTurns: {spec.max_turns}"
    for key, value in (("permissionMode", spec.permission_mode), ("effort", spec.effort)):
        if value is not None:
            yield f"{key}: {_text(value)}"
    for key, more in spec.metadata.items():
        yield f"{_text(key)}: {_value(more)}"


def _names(names: tuple[str, ...]) -> str:
    """`Read, Grep` where that reads back the same, else a list."""
    line = ", ".join(names)
    if names and _PLAIN.fullmatch(line) and split_names(line) == names:
        return line
    return f"[{', '.join(map(_quoted, names))}]"


def _text(text: str) -> str:
    if _PLAIN.fullmatch(text) and text == text.rstrip() and text.lower() not in _WORDS:
        return text
    return _quoted(text)


def _value(value: object) -> str:
    """A value of the metadata, in YAML's flow form."""
    if isinstance(value, str):
        return _text(value) if "," not in value else _quoted(value)
    if isinstance(value, dict):
        items = (f"{_quoted(str(key))}: {_nested(item)}" for key, item in value.items())
        return "{" + ", ".join(items) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_nested, value)) + "]"
    if isinstance(value, float) and math.isinf(value):
        return "1e999" if value > 0 else "-1e999"
    return json.dumps(value)


def _nested(value: object) -> str:
    return _quoted(value) if isinstance(value, str) else _value(value)


def _quoted(text: str) -> str:
    """In double quotes, on one line, with every character that YAML can't hold escaped."""
    body = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return '"' + _ESCAPED.sub(_escape, body) + '"'


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
