"""Keys of a frontmatter that mean one of the fields that limit an agent, spelled another way.

Without its list an agent has every tool, so a list under a misspelt key is read, and said.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from secretary_tui.registry.definition.findings import quoted, repaired
from secretary_tui.registry.definition.spec import Finding

AGENT_KEYS: Mapping[str, str] = {
    field: field for field in ("tools", "disallowedTools", "maxTurns", "permissionMode")
}
"""The fields that limit, and how an agent's file spells them."""
WORKFLOW_KEYS: Mapping[str, str] = {
    "tools": "allowed-tools",
    "disallowedTools": "disallowed-tools",
}
"""The same of a command's or skill's file."""
_SEPARATORS = re.compile(r"[\W_]+")
_FOLDED: Mapping[str, str] = {
    **dict.fromkeys(("tools", "tool", "allowedtools", "allowedtool"), "tools"),
    **dict.fromkeys(("disallowedtools", "disallowedtool"), "disallowedTools"),
    **dict.fromkeys(("deniedtools", "disabledtools", "forbiddentools"), "disallowedTools"),
    **dict.fromkeys(("notallowedtools", "unallowedtools", "excludedtools"), "disallowedTools"),
    "maxturns": "maxTurns",
    "permissionmode": "permissionMode",
}
_LONGEST = 40
_SHORT = 10
"""Of a longer word two letters may be wrong, of a shorter one, unless some are of other scripts."""


class Keys:
    """The values of a frontmatter under the names of their fields."""

    def __init__(self, values: Mapping[str, Any], spelled: Mapping[str, str]) -> None:
        by_spelling = {spelling: field for field, spelling in spelled.items()}
        self.values: dict[str, Any] = {
            by_spelling.get(key, key): value
            for key, value in values.items()
            if key in by_spelling or key not in spelled
        }
        """Each value under its field's name; of a field given twice the rightly spelled one."""
        self._read: list[tuple[str, str]] = []
        self._passed_over: list[tuple[str, str]] = []
        for key, value in values.items():
            field = meant_field(key)
            if field is None or field not in spelled or key in by_spelling:
                continue
            if key not in spelled:
                del self.values[key]
            if field in self.values:
                self._passed_over.append((key, spelled[field]))
            else:
                self.values[field] = value
                self._read.append((key, spelled[field]))

    def findings(self, path: Path, line_of: Callable[[str], int | None]) -> Iterator[Finding]:
        """Say of each misspelt key what it was taken for."""
        for key, right in self._read:
            message = f"there is no field {quoted(key)} here; it is read as {right}: write {right}"
            yield repaired(path, message, line_of(key), kind="unknown-field")
        for key, right in self._passed_over:
            message = f"the field {quoted(key)} has no effect beside {right}; remove one of them"
            yield repaired(path, message, line_of(key), kind="unknown-field")


def meant_field(key: object) -> str | None:
    """Give the field that limits an agent and is meant by a key; None for all other keys."""
    return _meant(key) if isinstance(key, str) and len(key) <= _LONGEST else None


@functools.lru_cache(maxsize=4096)
def _meant(key: str) -> str | None:
    folded = _SEPARATORS.sub("", unicodedata.normalize("NFKC", key)).casefold()
    if folded in _FOLDED or not folded:
        return _FOLDED.get(folded)
    return next((field for near, field in _FOLDED.items() if _is_slip(folded, near)), None)


def _is_slip(word: str, right: str) -> bool:
    most = 1 if len(right) <= _SHORT and word.isascii() else 2
    if abs(len(word) - len(right)) > most or len(right) < len("tools"):
        return False
    from rapidfuzz.distance import OSA

    return OSA.distance(word, right, score_cutoff=most) <= most
