"""From a ranking to what the user is shown (seed 000 §2.4, Interfaces 3 and 4)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from secretary_tui.config import Config
from secretary_tui.people import AgentMatch, Answer, Question, Recommendation, WorkflowMatch
from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.recommend.close_call import close_call
from secretary_tui.routing.recommend.fallback import marked, offered
from secretary_tui.routing.recommend.interpreter import Interpretation, Signal, interpret
from secretary_tui.routing.recommend.project_places import ProjectNames
from secretary_tui.routing.recommend.questions import questions_for, workflow_question
from secretary_tui.routing.recommend.workflow_names import default_workflow
from secretary_tui.routing.words.knowledge import knowledge

if TYPE_CHECKING:
    from secretary_tui.routing.recommend.workflows import WorkflowMatcher

MOST_SHOWN = 4
"""The recommended agent and three alternatives."""
TIE = 5
"""Points of confidence within which reviewers tie."""
RANKED = 20
"""How long a ranking is: right agents are among the first 15 to 20, not the first 5."""


def recommend(
    interpretation: Interpretation,
    ranking: Sequence[AgentMatch],
    *,
    config: Config,
    questions: Sequence[Question] = (),
    engine: str = "local",
    notice: str = "",
    workflow: WorkflowMatch | None = None,
    elapsed_ms: float = 0.0,
) -> Recommendation:
    """Apply the thresholds: recommended above `recommend_above`, shown from `show_above`.

    Where nobody is recommended, a generalist that can do it is shown too, marked as a fallback.
    """
    ordered = _prefer(tuple(ranking), config.preferred_review_agents)
    ordered = marked(ordered, config.recommend_above)
    strong = bool(ordered) and ordered[0].confidence > config.recommend_above
    if strong:
        fit = (m for m in ordered if m.confidence >= config.show_above and not m.fallback)
        shown = tuple(fit)[:MOST_SHOWN]
    else:
        shown = offered(ordered, interpretation.task, show_above=config.show_above, most=MOST_SHOWN)
    return Recommendation(
        request=interpretation.request,
        task=interpretation.task,
        matches=shown,
        recommended=shown[0].agent if strong else None,
        ranking=ordered,
        workflow=workflow,
        questions=tuple(questions),
        engine=engine,
        notice=notice,
        elapsed_ms=elapsed_ms,
    )


def route_local(
    matcher: LocalMatcher,
    request: str,
    config: Config,
    answers: Sequence[Answer] = (),
    workflows: WorkflowMatcher | None = None,
    project: ProjectNames | None = None,
    typed: str = "",
) -> Recommendation:
    """Route on this machine alone; answers count like words of the request, never asked twice.

    A request that names a command or skill (`/name …`) is for that one and no agent. Without
    `workflows`, only the names of the seed's workflows are recognised; without a `project`,
    nobody is asked which of its files is meant. `typed` is the request without what it refers to,
    where that was filled in: nothing else is compared with examples.
    """
    started = time.perf_counter()
    named = _named(workflows, request, answers)
    if named is not None:
        interpretation = Interpretation(request, named.arguments or "", ())
        return recommend(
            interpretation,
            (),
            config=config,
            workflow=named,
            elapsed_ms=(time.perf_counter() - started) * 1000,
        )
    interpretation = interpret(request, answers)
    clarified = tuple(answer.text for answer in answers)
    told = " ".join((request, *clarified))
    said = " ".join((typed or request, *clarified))
    ranking = matcher.rank(told, limit=RANKED, typed=said, generalists=True)
    if Signal.VAGUE in interpretation.signals:  # Nobody is right for sure for "fix it".
        ranking = tuple(_at_most(config.recommend_above, match) for match in ranking)
    workflow, near = (
        workflows.match(told) if workflows is not None else (default_workflow(told), ())
    )
    agents = {str(spec.path): spec for spec, *_ in matcher.groups}
    questions: tuple[Question, ...] = ()
    if not answers and not _is_settled(workflow, config):
        questions = questions_for(interpretation, project)
        questions = questions or _which_workflow(request, workflow, near)
    found = recommend(
        interpretation,
        ranking,
        config=config,
        questions=questions,
        notice=knowledge().problem,
        workflow=workflow,
        elapsed_ms=(time.perf_counter() - started) * 1000,
    )
    found = replace(found, workflows=near, told=told if told != (typed or request) else "")
    return replace(found, close=close_call(found, agents))


def _at_most(confidence: int, match: AgentMatch) -> AgentMatch:
    return replace(match, confidence=min(match.confidence, confidence))


def _which_workflow(
    request: str, workflow: WorkflowMatch | None, near: Sequence[WorkflowMatch]
) -> tuple[Question, ...]:
    if workflow is not None and workflow.runnable:
        return ()
    question = workflow_question(request, near)
    return (question,) if question is not None else ()


def _is_settled(workflow: WorkflowMatch | None, config: Config) -> bool:
    """Whether a command or skill fits so well that a question would only be in the way."""
    if workflow is None or not workflow.runnable:
        return False
    return workflow.confidence > config.recommend_above


def _named(
    workflows: WorkflowMatcher | None, request: str, answers: Sequence[Answer]
) -> WorkflowMatch | None:
    """The command or skill that the user names, in the request or as the answer to a question."""
    if workflows is None:
        return None
    if (named := workflows.named(request)) is not None:
        return named
    picked = (label for answer in answers for label in answer.labels if label.startswith("/"))
    found = (workflows.named(label) for label in picked)
    return next((replace(page, arguments=request) for page in found if page is not None), None)


def _prefer(ranking: tuple[AgentMatch, ...], preferred: Sequence[str]) -> tuple[AgentMatch, ...]:
    """Let a preferred reviewer win a tie with the first match, when that is a reviewer too."""
    if not ranking or not preferred or not _reviews(ranking[0]):
        return ranking
    first = ranking[0]
    tied = [match for match in ranking if match.confidence >= max(1, first.confidence - TIE)]
    for name in preferred:
        for match in tied:
            if name in (match.agent, _bare(match.agent)):
                if match is first:
                    return ranking
                raised = replace(
                    match, confidence=first.confidence, reason=f"{match.reason}; preferred reviewer"
                )
                return (raised, *(other for other in ranking if other is not match))
    return ranking


def _reviews(match: AgentMatch) -> bool:
    return "review" in _bare(match.agent).lower() or "audit" in _bare(match.agent).lower()


def _bare(agent: str) -> str:
    return agent.rpartition(":")[2]
