"""Who is asked at the command line: the user at the terminal, or nobody."""

from __future__ import annotations

from secretary_tui.people import People
from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.secretary import Secretary
from secretary_tui.verbs.running.terminal_people import NobodyThere, TerminalPeople
from secretary_tui.verbs.terminal import somebody_is_there


def people_for(secretary: Secretary, permission_mode: str | None) -> People:
    """Give whoever can be asked. `permission_mode` is the option, None for the setting."""
    if not somebody_is_there():
        return NobodyThere()
    mode = permission_mode or secretary.config.permission_mode

    def describe(spec: AgentSpec) -> str:
        return powers(spec, mode)

    return TerminalPeople(secretary.index, describe)


def powers(spec: AgentSpec, permission_mode: str) -> str:
    """Say in a line which tools an agent will get and what happens to the risky ones."""
    from secretary_tui.delegation.permissions.offered_tools import offered_tools
    from secretary_tui.tool_table import ASKING_TOOLS

    names = offered_tools(spec).names
    risky = [name for name in names if name in ASKING_TOOLS]
    parts = [", ".join(name for name in names if name not in ASKING_TOOLS)]
    if risky:
        verb = {
            "ask": "asks before",
            "accept-edits": "asks before (edits in the project pass)",
        }.get(permission_mode, "refused:")
        parts.append(f"{verb} {', '.join(risky)}")
    return "tools: " + ("; ".join(filter(None, parts)) or "none")
