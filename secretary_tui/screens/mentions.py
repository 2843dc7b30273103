"""Agents named in a request: `@name …`, and `@"a name with blanks" …`."""

from __future__ import annotations

import re

_NAMED = re.compile(r"""@(?:"([^"]*)"|(\S+))\s*""")


def mention(agent: str) -> str:
    """How an agent is named at the beginning of a request."""
    return f'@"{agent}"' if re.search(r"\s", agent) else f"@{agent}"


def split_named(text: str) -> tuple[str, str]:
    """The name at the beginning of a request (empty without one), and the rest."""
    found = _NAMED.match(text)
    if found is None:
        return "", text
    return (found[1] or found[2] or "").rstrip(",:"), text[found.end() :]
