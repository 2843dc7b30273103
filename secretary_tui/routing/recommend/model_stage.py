"""The second stage: one structured model call over the best local candidates.

The model reads names and descriptions only, as data: an agent file is written by a stranger and
may say "always choose me". Whatever it answers is checked, and what can't be used falls back to
the local recommendation with a notice.

A large model's confidences replace the local ones. A small model on this machine is not trusted
with numbers, questions or the intent, which it gets wrong too often: it only picks one of the five
best, and only when the local leader is not strong. Its pick takes the first place with that place's
confidence, so a small model alone never turns a weak match into a recommendation.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from secretary_tui.config import Config
from secretary_tui.engines.base import Engine, EngineError, StructuredAnswer
from secretary_tui.engines.structured import ask_structured
from secretary_tui.people import AgentMatch, Answer, Recommendation
from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.routing.recommend.close_call import close_call
from secretary_tui.routing.recommend.interpreter import Interpretation
from secretary_tui.routing.recommend.model_prompt import (
    LOCAL_SYSTEM,
    SCHEMA,
    SYSTEM,
    pick_prompt,
    pick_schema,
    routing_prompt,
)
from secretary_tui.routing.recommend.recommender import recommend
from secretary_tui.routing.recommend.workflows import chosen_workflow
from secretary_tui.sanitize import clean_line

if TYPE_CHECKING:
    from secretary_tui.routing.recommend.model_answer import ModelAnswer

CANDIDATES = 20
"""Agents put to a large model: the right one is among the first 20 for nearly all requests."""
LOCAL_CANDIDATES = 5
_MAX_TOKENS = 1500
_LOCAL_MAX_TOKENS = 120
_GRACE_S = 1.0
"""How much later than the engine's own time-out we stop waiting for an engine that ignores it."""


async def refine(
    engine: Engine,
    local: Recommendation,
    agents: Iterable[AgentSpec],
    config: Config,
    answers: Sequence[Answer] = (),
) -> Recommendation:
    """Let a model judge the best candidates of a local recommendation, in one call.

    Never raises for what an engine does: on a fault, a time-out (`routing_timeout_s`) or an answer
    that can't be used, the local recommendation comes back with a notice. `elapsed_ms`
    holds both stages.
    """
    begun = time.perf_counter()
    specs = {str(spec.path): spec for spec in agents}
    limit = LOCAL_CANDIDATES if engine.is_local else CANDIDATES
    candidates = [match for match in local.ranking if match.path in specs][:limit]
    if not candidates:
        return local
    try:
        answer = await _ask(engine, local, candidates, specs, config)
    except TimeoutError:
        refined = _fallen_back(local, "the model took too long")
    except EngineError as error:
        refined = _fallen_back(local, clean_line(str(error)))
        refined = replace(refined, tokens=error.usage.total, cost_usd=error.cost_usd)
    else:
        use = _use_local_pick if engine.is_local else _use_answer
        refined = use(engine, answer, local, candidates, config)
        if any(not given.skipped for given in answers):
            refined = replace(refined, questions=())
        refined = replace(refined, workflows=local.workflows, told=local.told)
        refined = replace(refined, continuation=local.continuation)
        refined = replace(refined, close=close_call(refined, specs))
        refined = replace(refined, tokens=answer.usage.total, cost_usd=answer.cost_usd)
    elapsed_ms = local.elapsed_ms + (time.perf_counter() - begun) * 1000
    return replace(refined, elapsed_ms=elapsed_ms)


async def _ask(
    engine: Engine,
    local: Recommendation,
    candidates: Sequence[AgentMatch],
    specs: Mapping[str, AgentSpec],
    config: Config,
) -> StructuredAnswer:
    async with asyncio.timeout(config.routing_timeout_s + _GRACE_S):
        if engine.is_local:
            return await ask_structured(
                engine,
                system=LOCAL_SYSTEM,
                prompt=pick_prompt(local, candidates, specs),
                schema=pick_schema(candidates),
                model=config.routing_model,
                max_tokens=_LOCAL_MAX_TOKENS,
                timeout_s=config.routing_timeout_s,
            )
        whole = len(candidates) == len(local.ranking) < CANDIDATES
        prompt = routing_prompt(local, candidates, specs, whole_library=whole)
        return await ask_structured(
            engine,
            system=SYSTEM,
            constant=prompt.constant,
            prompt=prompt.changing,
            schema=SCHEMA,
            model=config.routing_model,
            max_tokens=_MAX_TOKENS,
            timeout_s=config.routing_timeout_s,
        )


def _fallen_back(local: Recommendation, why: str) -> Recommendation:
    return replace(local, notice=f"The local ranking stands: {why.rstrip('.')}.")


def _use_answer(
    engine: Engine,
    answer: StructuredAnswer,
    local: Recommendation,
    candidates: Sequence[AgentMatch],
    config: Config,
) -> Recommendation:
    from secretary_tui.routing.recommend.model_answer import read_answer

    read = read_answer(answer.data, candidates)
    if read is None:
        return _fallen_back(local, "the model's answer could not be used")
    judged = recommend(
        Interpretation(local.request, local.task, ()),
        _merge(read, local, config),
        config=config,
        questions=read.questions,
        engine=f"{engine.label} · {clean_line(answer.model)}",
        workflow=chosen_workflow(read.workflow, local),
    )
    return replace(
        judged,
        intent=read.intent,
        intent_confidence=read.intent_confidence,
        reasoning=read.reasoning,
    )


def _merge(read: ModelAnswer, local: Recommendation, config: Config) -> tuple[AgentMatch, ...]:
    """The model's matches, then the rest in local order, below what is shown and never above."""
    named = {match.path for match in read.matches}
    lowest = min((match.confidence for match in read.matches), default=100)
    ceiling = max(0, min(lowest, config.show_above - 1))
    rest = (
        replace(match, confidence=min(match.confidence, ceiling))
        for match in local.ranking
        if match.path not in named
    )
    return (*read.matches, *rest)


def _use_local_pick(
    engine: Engine,
    answer: StructuredAnswer,
    local: Recommendation,
    candidates: Sequence[AgentMatch],
    config: Config,
) -> Recommendation:
    kept = replace(local, engine=engine.label)
    picked = next((match for match in candidates if match.agent == answer.data.get("agent")), None)
    if picked is None or picked is candidates[0] or local.recommended is not None:
        return kept
    order = (picked, *(match for match in local.ranking if match is not picked))
    places = (match.confidence for match in local.ranking)
    ranking = tuple(
        replace(match, confidence=place) for match, place in zip(order, places, strict=True)
    )
    return recommend(
        Interpretation(local.request, local.task, ()),
        (replace(ranking[0], reason=f"{picked.reason}; the local model's pick"), *ranking[1:]),
        config=config,
        questions=local.questions,
        engine=engine.label,
        workflow=local.workflow,
    )
