"""YAML as JSON types, from a parser that can't be made to run, hang or crash.

libyaml composes by recursion in C: 60,000 open brackets end the process, so depth is bounded
before it sees the text. Values are built here from its nodes, with the tags of YAML 1.2's core
schema alone: no `!!python/…`, no alias that multiplies, no `no` that turns into false.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import yaml
from yaml.cyaml import CParser  # type: ignore[attr-defined]  # Imported there, not listed.

from secretary_tui.sanitize import clean

MAX_CHARACTERS = 32_000
"""Frontmatter beyond this is read line by line; the longest real one has about 6,000."""
MAX_DEPTH = 32
MAX_VALUES = 5_000
"""Keys, words, lists and tables together; real frontmatter has some dozens."""
_MAX_OPENERS = 256
_NESTED_ON_ONE_LINE = re.compile(r"^[ \t]*(?:[-?:][ \t]+){8}", re.M)
_NUMBER = re.compile(r"[-+]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][-+]?\d{1,3})?")
_INTEGER = re.compile(r"[-+]?\d{1,300}")
_WORDS: dict[str, object] = {"null": None, "true": True, "false": False}
_SCALARS: dict[str, object] = {"": None, "~": None} | {
    spelled: value
    for word, value in _WORDS.items()
    for spelled in (word, word.capitalize(), word.upper())
}
_PLAIN = ""
"""The tag of a scalar without quotes and without a tag."""
_CORE = "tag:yaml.org,2002:"
_TAGS = frozenset(
    _CORE + tag for tag in ("str", "int", "float", "bool", "null", "timestamp", "value", "merge")
)


class StrictYamlError(Exception):
    """The text is not YAML that is read here; `line` counts from 0 within the text."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


class NotReadError(StrictYamlError):
    """The text may be valid YAML; it is more than is read here."""


def load_mapping(
    text: str, *, as_text: frozenset[str] = frozenset(), on_duplicate: Callable[[str, int], None]
) -> dict[str, Any] | None:
    """Read a YAML mapping with string keys; None when the text holds something else, or nothing.

    Scalars below the keys in `as_text` stay as written (`no` is a word there). Of a key given
    twice the last one counts, after `on_duplicate(key, line)`.

    Raises:
        StrictYamlError: not valid YAML.
        NotReadError: nested too deeply, with aliases of collections or foreign tags.
    """
    root = _compose(text)
    if not isinstance(root, yaml.MappingNode):
        return None
    return _Builder(as_text, on_duplicate).mapping(root, 0)


def load_value(text: str) -> Any:
    """Read any YAML value; None when the text holds nothing.

    Raises:
        StrictYamlError: as `load_mapping`.
    """
    root = _compose(text)
    return None if root is None else _Builder(frozenset(), lambda *_: None).value(root, 0)


def _compose(text: str) -> yaml.Node | None:
    _check_bounds(text)
    try:
        root: yaml.Node | None = _Composer(text).get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise StrictYamlError(clean(error.problem or "invalid"), mark.line if mark else 0) from None
    except yaml.YAMLError as error:
        raise StrictYamlError(clean(str(error)).split("\n", 1)[0]) from None
    return root


def _check_bounds(text: str) -> None:
    if len(text) > MAX_CHARACTERS:
        raise NotReadError(f"longer than {MAX_CHARACTERS:,} characters")
    if text.count("[") + text.count("{") > _MAX_OPENERS or _NESTED_ON_ONE_LINE.search(text):
        raise NotReadError("nested too deeply")


class _Composer(CParser):
    """libyaml's nodes alone: what a plain scalar means is decided by `_scalar`."""

    _values = 0

    def resolve(self, kind: type[yaml.Node], _value: str, implicit: tuple[bool, bool]) -> str:
        """The tag of a node without one; called for each, so the place to stop a flood."""
        self._values += 1
        if self._values > MAX_VALUES:
            raise NotReadError(f"more than {MAX_VALUES:,} values")
        if kind is yaml.ScalarNode:
            return _PLAIN if implicit[0] else _CORE + "str"
        return _CORE + ("map" if kind is yaml.MappingNode else "seq")

    def descend_resolver(self, _node: yaml.Node | None, _index: object) -> None:
        """Called by libyaml's binding; paths give no tags here."""

    def ascend_resolver(self) -> None:
        """Called by libyaml's binding."""


class _Builder:
    def __init__(self, as_text: frozenset[str], on_duplicate: Callable[[str, int], None]) -> None:
        self._as_text = as_text
        self._on_duplicate = on_duplicate
        self._seen: set[int] = set()

    def mapping(self, node: yaml.MappingNode, depth: int) -> dict[str, Any]:
        self._enter(node, depth)
        values: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line
            if not isinstance(key_node, yaml.ScalarNode):
                raise NotReadError("a key must be a word", line)
            key = key_node.value
            if key not in self._as_text:
                key = clean(key)
            if key in values:
                self._on_duplicate(key, line)
            raw = depth == 0 and key in self._as_text
            values[key] = self.value(value_node, depth + 1, raw)
        return values

    def value(self, node: yaml.Node, depth: int, raw: bool = False) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node, raw)
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, depth)
        self._enter(node, depth)
        return [self.value(child, depth + 1, raw) for child in node.value]

    def _enter(self, node: yaml.Node, depth: int) -> None:
        line = node.start_mark.line
        if depth > MAX_DEPTH:
            raise NotReadError("nested too deeply", line)
        if id(node) in self._seen:
            raise NotReadError("aliases (*name) of lists and tables are not read", line)
        if node.tag not in (_CORE + "map", _CORE + "seq"):
            raise NotReadError(f"the tag {clean(node.tag)} is not read", line)
        self._seen.add(id(node))


def _scalar(node: yaml.ScalarNode, raw: bool) -> Any:
    text = clean(node.value) if node.style == '"' else node.value  # escapes: "\\x1b"
    if node.tag != _PLAIN and node.tag not in _TAGS:
        raise NotReadError(f"the tag {clean(node.tag)} is not read", node.start_mark.line)
    if node.style or node.tag == _CORE + "str":
        return text
    if raw:
        return None if text in ("", "~", "null") else text
    if text in _SCALARS:
        return _SCALARS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text
