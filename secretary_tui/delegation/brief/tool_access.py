"""What an agent may do in a run: its tools, as far as there can be any, and the rules for them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from secretary_tui import paths
from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.permissions.offered_tools import (
    OfferedTools,
    offered_tools,
    unclear_denials,
)
from secretary_tui.delegation.permissions.rules import Rule, not_denied, parse_rules
from secretary_tui.delegation.permissions.settings_rules import RuleBook, load_rules
from secretary_tui.delegation.tools.memory import memory_of
from secretary_tui.registry.definition.spec import Dialect
from secretary_tui.sanitize import clean
from secretary_tui.tool_table import AGENT, GIT_COMMIT, MEMORY, SKILL, WEB_SEARCH, is_mcp


@dataclass(frozen=True, slots=True)
class ToolAccess:
    """The tools that are offered, and the rules that hold for their calls."""

    offered: OfferedTools
    rules: RuleBook


def decide_tool_access(delegation: Delegation, *, searches: bool) -> ToolAccess:
    """Take what the definition lists, its caller has, no rule denies and this run can have.

    `searches`: whether the engine's server searches the web. Reads the settings files.
    """
    agent, root, lineage = delegation.agent, delegation.workspace, delegation.lineage
    listed = offered_tools(agent)
    # What is said about servers, those say who look them up.
    unknown = tuple(name for name in listed.unknown if not is_mcp(name))
    listed = replace(listed, unknown=unknown)
    if lineage.tools is not None:
        listed = listed.within(lineage.tools)
    rules = load_rules(root)
    own = tuple(rule for text in listed.denied for rule in parse_rules(text))
    denials = unclear_denials(agent.disallowed_tools)
    unclear = tuple(Rule(tool, None, entry) for entry, meant in denials for tool in meant)
    problems = tuple(
        f"The agent's disallowedTools hold {clean(entry)[:80]!r}, which can't be understood; "
        + (f"{' and '.join(meant)} is refused." if meant else "it takes nothing away.")
        for entry, meant in denials
        # Other products have tools that there are not here.
        if meant or agent.dialect is Dialect.CLAUDE
    )
    rules = replace(
        rules,
        deny=(*rules.deny, *own, *unclear),
        problems=(*rules.problems, *problems),
    )
    absent = _absent(delegation)
    if WEB_SEARCH in listed.names and not searches:
        absent |= {WEB_SEARCH}
        listed = replace(listed, unknown=(*listed.unknown, WEB_SEARCH))
    allowed = not_denied(listed.names, rules.deny, root)
    names = tuple(name for name in allowed if name not in absent)
    return ToolAccess(replace(listed, names=names), rules)


def _absent(delegation: Delegation) -> frozenset[str]:
    """Name the tools that there can't be here."""
    gone = set()
    lineage = delegation.lineage
    if not lineage.may_call or not lineage.callable(delegation.agent.id):
        gone.add(AGENT)
    if not lineage.library.skills:
        gone.add(SKILL)
    if memory_of(delegation.agent, delegation.workspace) is None:
        gone.add(MEMORY)
    if not (paths.repository_root(delegation.workspace) / ".git").exists():
        gone.add(GIT_COMMIT)
    return frozenset(gone)
