"""A model's routing answer, checked: nothing in it is believed before it was looked at.

Importing this imports pydantic, so it is done once an answer is there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ValidationError

from secretary_tui.people import MAX_QUESTIONS, AgentMatch, Intent, Option, Question, QuestionAbout
from secretary_tui.sanitize import clean_line

_HEADER = 12
_MOST_MATCHES = 20
_LINE = 300


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What of a model's answer can be used."""

    matches: tuple[AgentMatch, ...]
    """Best first; only agents that were candidates, each once. Empty: none fits."""
    questions: tuple[Question, ...]
    workflow: str | None
    """As answered: an id, a name, or one that does not exist."""
    intent: Intent = Intent.DELEGATE
    intent_confidence: float = 1.0
    """0–1; 0 when the model gave no readable one."""
    reasoning: str = ""


def _line(value: object) -> object:
    return clean_line(value)[:_LINE] if isinstance(value, str) else value


def _clamped(value: object) -> object:
    number = float(value) if isinstance(value, (int, float, str)) else value
    if isinstance(number, float) and math.isfinite(number):
        return round(max(0.0, min(100.0, number)))
    return value


def _share(value: object) -> float:
    """A share of 1; what was given in percent is understood, what is no number counts as 0."""
    try:
        number = float(value) if isinstance(value, (int, float, str)) else math.nan
    except ValueError:
        return 0.0
    if not math.isfinite(number):
        return 0.0
    return max(0.0, min(1.0, number / 100 if number > 1 else number))


def _kind(value: object) -> object:
    """The kind, or delegate for one that does not exist: the matches count all the same."""
    return value if value in tuple(Intent) else Intent.DELEGATE


def _about(value: object) -> object:
    """What a question is about, or the goal for what does not exist."""
    return value if value in tuple(QuestionAbout) else QuestionAbout.GOAL


_Line = Annotated[str, BeforeValidator(_line)]


class _Option(BaseModel):
    label: _Line
    description: _Line = ""


class _Question(BaseModel):
    question: _Line
    header: _Line = ""
    about: Annotated[QuestionAbout, BeforeValidator(_about)] = QuestionAbout.GOAL
    options: list[_Option]
    multi_select: bool = False


class _Match(BaseModel):
    agent: _Line
    confidence: Annotated[int, BeforeValidator(_clamped)]
    reason: _Line = ""


class _Answer(BaseModel):
    """The frame; questions and matches are read one by one, so that one bad row loses itself."""

    clear: bool = True
    questions: list[Any] = []
    matches: list[Any]
    recommendation: str | None = None
    workflow: str | None = None
    kind: Annotated[Intent, BeforeValidator(_kind)] = Intent.DELEGATE
    kind_confidence: Annotated[float, BeforeValidator(_share)] = 1.0
    reasoning: _Line = ""


def read_answer(data: Mapping[str, Any], candidates: Sequence[AgentMatch]) -> ModelAnswer | None:
    """Check an answer against the candidates it was about.

    Unknown agents and second mentions are dropped, confidences brought into 0–100, questions with
    fewer than 2 options dropped. None when nothing is left of an answer that did name agents, or
    when it has another shape.
    """
    try:
        answer = _Answer.model_validate(data)
    except ValidationError:
        return None
    rows = [row for raw in answer.matches[:_MOST_MATCHES] if (row := _row(raw)) is not None]
    best = _find(answer.recommendation or "", candidates)
    matches = _matches(rows, candidates, best)
    if answer.matches and not matches:
        return None
    workflow = clean_line(answer.workflow or "").removeprefix("/")[:_LINE] or None
    questions = () if answer.clear else _questions(answer.questions)
    return ModelAnswer(
        matches,
        questions,
        workflow,
        answer.kind,
        answer.kind_confidence,
        answer.reasoning,
    )


def _row(raw: object) -> _Match | None:
    try:
        return _Match.model_validate(raw)
    except ValidationError:
        return None


def _matches(
    rows: Sequence[_Match], candidates: Sequence[AgentMatch], best: AgentMatch | None
) -> tuple[AgentMatch, ...]:
    found: dict[str, AgentMatch] = {}
    for row in rows:
        candidate = _find(row.agent, candidates)
        if candidate is not None and candidate.path not in found:
            reason = row.reason or candidate.reason
            found[candidate.path] = replace(candidate, confidence=row.confidence, reason=reason)
    recommended = best.path if best is not None else ""
    ordered = sorted(found.values(), key=lambda m: (-m.confidence, m.path != recommended))
    return tuple(ordered)


def _find(agent: str, candidates: Sequence[AgentMatch]) -> AgentMatch | None:
    """The candidate of that id, or the only one of that bare name when the plugin was left out."""
    wanted = agent.strip()
    for candidate in candidates:
        if candidate.agent == wanted:
            return candidate
    bare = [candidate for candidate in candidates if candidate.agent.endswith(f":{wanted}")]
    return bare[0] if wanted and len(bare) == 1 else None


def _questions(raws: Sequence[object]) -> tuple[Question, ...]:
    questions = []
    for raw in raws:
        try:
            asked = _Question.model_validate(raw)
        except ValidationError:
            continue
        options = {
            option.label.casefold(): Option(option.label, option.description)
            for option in asked.options
            if option.label
        }
        if asked.question and len(options) >= 2:
            header = asked.header[:_HEADER].strip() or asked.about.capitalize()
            chosen = tuple(options.values())[:4]
            questions.append(
                Question(asked.question, header, chosen, asked.multi_select, about=asked.about)
            )
    return tuple(questions[:MAX_QUESTIONS])
