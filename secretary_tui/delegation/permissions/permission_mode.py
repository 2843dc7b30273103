"""How freely a run may act before anybody is asked."""

from __future__ import annotations

from enum import StrEnum


class PermissionMode(StrEnum):
    """What happens to a risky tool call before a rule or the user is asked."""

    ASK = "ask"
    ACCEPT_EDITS = "accept-edits"
    """Write and Edit inside the workspace pass; Bash still asks."""
    PLAN = "plan"
    """Reading only: Write, Edit and Bash are refused."""
    DENY = "deny"
    """Everything that would ask is refused."""
