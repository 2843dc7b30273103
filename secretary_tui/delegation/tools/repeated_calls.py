"""The same call that fails again and again: a small model may repeat it until its turns are used.

Only calls without a success between them count: a test that fails five times while its code is
being edited is work.
"""

from __future__ import annotations

import json
from collections import Counter

from secretary_tui.delegation.tools.tool_calls import ToolCall

TOLD_FROM = 3
"""From so many failures of one call on the model is told to do something else."""
MOST = 5
"""So many failures of one call end the run."""


class RepeatedCalls:
    """The calls of one run that failed since the last one that did not."""

    def __init__(self) -> None:
        self._failures: Counter[tuple[str, str]] = Counter()

    @property
    def is_stuck(self) -> bool:
        """Whether one call failed so often that the run shall end."""
        return any(count >= MOST for count in self._failures.values())

    def succeeded(self) -> None:
        """Take note of a call that worked: there is progress."""
        self._failures.clear()

    def failed(self, call: ToolCall) -> str:
        """Take note of a failed call; gives what the model is told about it, mostly nothing."""
        same = (call.name, json.dumps(call.input, sort_keys=True, default=str))
        self._failures[same] += 1
        count = self._failures[same]
        if count < TOLD_FROM:
            return ""
        return (
            f"This very call failed {count} times now, and will fail again. Do something else: "
            f"other input, another tool, or an answer that says what is missing. After {MOST} "
            "failures the run ends."
        )
