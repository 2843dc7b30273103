"""The commands and skills that a model chooses from, and what its choice counts."""

from __future__ import annotations

from dataclasses import replace

from secretary_tui.people import Recommendation, WorkflowMatch
from secretary_tui.registry.workflow_agent import bare_name
from secretary_tui.routing.recommend.workflow_names import WORKFLOWS
from secretary_tui.routing.recommend.workflows import SHOWN_FROM


def chosen_workflow(answered: str | None, local: Recommendation) -> WorkflowMatch | None:
    """What the model says the request is, over what the words suggested.

    An id counts when it was a candidate; one of the seed's names stays a name; anything else is
    taken for no answer.
    """
    candidates = workflow_candidates(local)
    if answered is None:
        # It saw what was found by its words and took none of it.
        return local.workflow if local.workflow and not local.workflow.runnable else None
    picked = next((found for found in candidates if found.id == answered), None)
    if picked is None:
        picked = next((f for f in candidates if bare_name(f.id) == answered), None)
    if picked is not None:
        sure = max(picked.confidence, SHOWN_FROM)
        return replace(picked, confidence=sure, reason=f"the model's pick; {picked.reason}")
    if answered in WORKFLOWS:
        return WorkflowMatch(answered, reason="the model takes it for this workflow")
    return local.workflow


def workflow_candidates(local: Recommendation) -> list[WorkflowMatch]:
    """What is put to the model: what was found locally, and the nearest behind it."""
    shown = [local.workflow] if local.workflow and local.workflow.runnable else []
    return [*shown, *(found for found in local.workflows if found not in shown)]
