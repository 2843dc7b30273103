"""Checks that a changed Python, JSON, TOML or YAML file can still be parsed."""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

_READERS: Mapping[str, Callable[[str], object]] = {
    ".py": ast.parse,
    ".json": json.loads,
    ".toml": tomllib.loads,
    ".yaml": lambda text: list(YAML(typ="safe").load_all(text)),
    ".yml": lambda text: list(YAML(typ="safe").load_all(text)),
}
_LANGUAGES = {".py": "Python"}


def syntax_fault(path: str, text: str) -> str:
    """Say in half a sentence why a text can't be parsed; empty where it can, or isn't checked."""
    suffix = PurePosixPath(path).suffix.lower()
    reader = _READERS.get(suffix)
    if reader is None:
        return ""
    language = _LANGUAGES.get(suffix, suffix[1:].upper())
    try:
        reader(text)
    except SyntaxError as error:
        return f"line {error.lineno} is not valid {language}: {error.msg}"
    except (ValueError, LookupError, RecursionError, MemoryError, YAMLError) as error:
        return f"it is not valid {language}: {' '.join(str(error).split())[:200]}"
    return ""
