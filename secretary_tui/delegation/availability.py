"""Which of the tools that an agent may have there can be in this run."""

from __future__ import annotations

from dataclasses import replace

from secretary_tui.delegation.tool_names import (
    ASK_USER,
    BASH,
    EDIT,
    GLOB,
    GREP,
    READ,
    TODO_WRITE,
    WRITE,
    OfferedTools,
)

_BUILT = frozenset((READ, WRITE, EDIT, GLOB, GREP, BASH, TODO_WRITE, ASK_USER))


def available(offered: OfferedTools) -> OfferedTools:
    """Take away what there can't be in this run."""
    names = tuple(name for name in offered.names if name in _BUILT)
    return replace(offered, names=names)
