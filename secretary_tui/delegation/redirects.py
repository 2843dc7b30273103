"""The files that a command writes to by redirects, read widely: for rules that tighten."""

from __future__ import annotations

import re

_WRITES = re.compile(
    r"""(?:&>>?|>>|>\||<>|>)[ \t]*(?!&)((?:'[^']*'|"[^"]*"|\\.|[^\s;&|<>()'"\\])+)""", re.S
)
_MAX = 200


def written_files(command: str) -> tuple[str, ...]:
    """Name what stands behind every `>` in a command, its quotes taken off.

    Also inside quotes and substitutions: naming too much only asks too often.
    """
    found = (re.sub(r"\\(.)|['\"]", r"\1", match[1]) for match in _WRITES.finditer(command))
    return tuple(dict.fromkeys(name for _, name in zip(range(_MAX), found, strict=False)))
