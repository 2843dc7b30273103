"""What to say when no agent fits, or there is none (seed 000, Error Interfaces)."""

from __future__ import annotations

from secretary_tui.secretary import Secretary

NO_AGENTS = (
    "No agents found. Install plugins with agents first: run /plugin install <plugin-name> in "
    "Claude Code, put agent files into .claude/agents/, or name a folder with --agents-dir."
)
NO_MATCH = (
    "No suitable agent found for your request. Describe your task more specifically, or see "
    "`secretary-tui agents` for who is there (`match --top 5` shows the nearest)."
)


def explain_no_match(secretary: Secretary) -> str:
    """Give the sentence that fits the library."""
    return NO_MATCH if secretary.index.active else NO_AGENTS
