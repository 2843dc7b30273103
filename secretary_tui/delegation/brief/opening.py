"""How a run opens, whoever answers in it: its first event, and what is new since it began."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from secretary_tui import paths
from secretary_tui.delegation.brief.powers import Powers
from secretary_tui.delegation.brief.prompt import SystemPrompt, delegation_prompt
from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from secretary_tui.delegation.permissions.permissions import effective_mode
from secretary_tui.engines.base import Engine, ResolvedModel
from secretary_tui.events import Notice, RunStarted, Usage
from secretary_tui.redact import environment_secrets, redact
from secretary_tui.sanitize import clean


def run_started(
    delegation: Delegation, engine: Engine, model: str, system: str, offered: OfferedTools
) -> RunStarted:
    """The first event of a run, with all that is needed to show it again."""
    agent = delegation.agent
    return RunStarted(
        run_id=delegation.run_id,
        agent=agent.id,
        agent_path=str(agent.path),
        agent_hash=agent.content_hash,
        request=clean(delegation.request),
        task=delegation_prompt(delegation),
        # The model reads all of it, the log keeps it for years.
        system=redact(system, environment_secrets()),
        engine=engine.name,
        model=model,
        tools=offered.names,
        permission_mode=effective_mode(delegation.permission_mode, agent),
        project=str(delegation.home),
        started_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
        confidence=delegation.confidence,
        resumed=bool(delegation.messages or delegation.follow_up),
    )


def opening_notices(
    delegation: Delegation,
    engine: Engine,
    model: ResolvedModel,
    powers: Powers,
    prompt: SystemPrompt,
) -> Iterator[Notice]:
    """Give what the user is told first: what is new, what is missing, and what can't hold."""
    changed = (definition_changed(delegation), engine_changed(delegation, engine))
    for notice in (*changed, powers.offered.notice, *prompt.notices):
        if notice is not None:
            yield notice
    for warning in (*powers.rules.problems, model.warning):
        if warning:
            yield Notice(warning, "warning")
    if delegation.budget.is_capped and engine.price(model.id, Usage(1)) is None:
        text = f"The price of {model.id} is not known, so a cost cap can't hold."
        yield Notice(text, "warning")


def definition_changed(delegation: Delegation) -> Notice | None:
    """Says that a run goes on with another text of its agent; None when it does not."""
    agent, before = delegation.agent, delegation.agent_hash_before
    if not before or before == agent.content_hash:
        return None
    return Notice(
        f"The file of {agent.id} changed since this run began; it goes on with the new text: "
        f"{paths.shown(agent.path)}.",
        "warning",
    )


def engine_changed(delegation: Delegation, engine: Engine) -> Notice | None:
    """Says that a run goes on with another engine than it began with; None when it does not."""
    before = delegation.engine_before
    if not before or before == engine.name:
        return None
    began = f"This run began with the engine {clean(before)[:60]}"
    return Notice(f"{began}; {engine.label} goes on.", "warning")
