"""Which definition files Claude Code passes over without a word, and why.

It reads frontmatter as plain YAML between `---` lines at the top of the file, and wants a name and
a description there; a file that fails is not listed and nothing says so. The registry reads such
files all the same, so their authors have to be told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from secretary_tui.registry.definition.fields import TEXT_FIELDS
from secretary_tui.strict_yaml import NotReadError, StrictYamlError, load_mapping

_FRONTMATTER = re.compile(r"---[ \t]*\n(.*?)^---", re.S | re.M)


@dataclass(frozen=True, slots=True)
class SilentSkip:
    """Why Claude Code would pass over a file."""

    line: int
    """From 1."""
    reason: str
    """A clause that follows *because*."""
    is_yaml_fault: bool = False


def why_skipped(text: str) -> SilentSkip | None:
    """Say why Claude Code would skip a file with this text; None when it would load it."""
    match = _FRONTMATTER.match(text)
    if match is None:
        return SilentSkip(1, "it doesn't begin with frontmatter between two lines ---")
    try:
        values = load_mapping(match[1], as_text=TEXT_FIELDS, on_duplicate=lambda *_: None)
    except NotReadError:
        return None  # Beyond our own limits nothing is known of Claude Code.
    except StrictYamlError as error:
        reason = f"its frontmatter is not valid YAML ({error})"
        return SilentSkip(2 + error.line, reason, is_yaml_fault=True)
    for key in ("name", "description"):
        value = (values or {}).get(key)
        if not isinstance(value, str) or not value.strip():
            return SilentSkip(1, f"it has no {key}")
    return None
