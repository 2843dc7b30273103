"""What Claude Code takes beside the protocol: the tools that there are, and a cost cap of its own.

Its adapter hands `_meta.claudeCode.options` of a new session to Claude's own SDK.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from secretary_tui.delegation.spend.budget import Budget
from secretary_tui.tool_table import ASK_USER, BASH, EDIT, GIT_COMMIT, MEMORY, TODO_WRITE, is_mcp

CAP_REACHED = "maximum budget"
"""What it says when it stopped at the cap."""
_OTHERS: Mapping[str, tuple[str, ...]] = {
    BASH: (BASH, "TaskOutput", "TaskStop"),
    EDIT: (EDIT, "NotebookEdit"),
    TODO_WRITE: (TODO_WRITE, "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"),
    # What only we have, or what it can't ask over the protocol.
    **dict.fromkeys((ASK_USER, GIT_COMMIT, MEMORY), ()),
}
"""What tools of ours are there, where it isn't the one of the same name."""


def claude_options(offered: OfferedTools, budget: Budget) -> Mapping[str, Any]:
    """Give what a new session is opened with: the tools of the run alone, and what may be spent."""
    ours = (name for name in offered.names if not is_mcp(name))
    options: dict[str, Any] = {
        "tools": [one for name in ours for one in _OTHERS.get(name, (name,))]
    }
    if (left := budget.left_usd) is not None:
        options["maxBudgetUsd"] = left
    return {"claudeCode": {"options": options}}
