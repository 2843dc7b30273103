"""Why a command is asked about, in the terms of the prompt: sentences, and marks in the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from secretary_tui.delegation.permissions.coverage import Gap
from secretary_tui.people import ToolRequest
from secretary_tui.sanitize import clean_line, reveal

_MAX_REASONS = 4
_SHOWN = 60


def with_gaps(request: ToolRequest, command: str, gaps: Sequence[Gap]) -> ToolRequest:
    """Add to a request which parts of its command no rule covers, and why."""
    if not gaps or request.detail != reveal(command):
        return request
    marks = [(_shown_at(command, gap.start), _shown_at(command, gap.end)) for gap in gaps]
    reasons = [f"{gap.why}: {_excerpt(command, gap)}" for gap in gaps[:_MAX_REASONS]]
    if len(gaps) > _MAX_REASONS:
        reasons.append(f"and {len(gaps) - _MAX_REASONS} more parts")
    return replace(request, marks=tuple(marks), reasons=tuple(reasons))


def _shown_at(command: str, place: int) -> int:
    """Where a character of a command stands in what is shown: hidden ones take more room there."""
    return len(reveal(command[:place]))


def _excerpt(command: str, gap: Gap) -> str:
    text = clean_line(reveal(command[gap.start : gap.end]))
    return f"`{text if len(text) <= _SHOWN else text[: _SHOWN - 1] + '…'}`"
