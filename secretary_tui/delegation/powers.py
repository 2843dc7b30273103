"""What an agent may do in a run: its tools, as far as there can be any, and the rules for them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from secretary_tui.delegation.lineage import Lineage
from secretary_tui.delegation.rules import not_denied, parse_rules, unclear_denials
from secretary_tui.delegation.settings_rules import RuleBook, load_rules
from secretary_tui.delegation.tool_names import (
    AGENT,
    ASK_USER,
    BASH,
    EDIT,
    GLOB,
    GREP,
    READ,
    TODO_WRITE,
    WEB_FETCH,
    WRITE,
    OfferedTools,
    offered_tools,
)
from secretary_tui.delegation.values import Delegation
from secretary_tui.sanitize import clean

_BUILT = frozenset((READ, WRITE, EDIT, GLOB, GREP, BASH, TODO_WRITE, ASK_USER, AGENT, WEB_FETCH))


@dataclass(frozen=True, slots=True)
class Powers:
    """The tools that are offered, and the rules that hold for their calls."""

    offered: OfferedTools
    rules: RuleBook


def decide_powers(delegation: Delegation) -> Powers:
    """Take what the definition lists, its caller has, no rule denies and this run can have.

    Reads the settings files.
    """
    agent, root, lineage = delegation.agent, delegation.workspace, delegation.lineage
    listed = offered_tools(agent)
    if lineage.tools is not None:
        listed = listed.within(lineage.tools)
    rules = load_rules(root)
    own = tuple(rule for text in listed.denied for rule in parse_rules(text))
    unclear = unclear_denials(agent.disallowed_tools)
    problems = tuple(
        f"The agent's disallowedTools hold {clean(rule.text)[:80]!r}, which can't be "
        f"understood; {rule.tool} is refused."
        for rule in unclear
    )
    rules = replace(
        rules,
        deny=(*rules.deny, *own, *unclear),
        problems=(*rules.problems, *problems),
    )
    absent = _absent(agent.id, lineage)
    names = (name for name in not_denied(listed.names, rules.deny, root) if name in _BUILT)
    return Powers(replace(listed, names=tuple(name for name in names if name not in absent)), rules)


def _absent(agent: str, lineage: Lineage) -> frozenset[str]:
    """Name the tools that there can't be here."""
    nobody = not lineage.may_call or not lineage.callable(agent)
    return frozenset((AGENT,) if nobody else ())
