"""Clarifying questions made from what the best candidates do.

Asked only when a request is ambiguous *and* the ranking does not settle it; every option is backed
by an agent that is there, so no answer leads nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from secretary_tui.people import MAX_QUESTIONS, AgentMatch, Option, Question, WorkflowMatch
from secretary_tui.registry.definition.describe import shorten_description
from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.routing.recommend.interpreter import ACTIONS, DOMAINS, Interpretation, Signal
from secretary_tui.routing.words.terms import description_text, stem_all, words
from secretary_tui.sanitize import clean_line

MOST_OPTIONS = 4
SETTLED = 70
"""Confidence of the first match above which nothing is asked, if it also leads clearly."""
CLEAR_LEAD = 20
"""Points of confidence between the first match and the second."""
_CANDIDATES = 8
_LIKELY = 5
"""Confidence from which a candidate may give an option; below, it shares a word by accident."""
_ORCHESTRATED = re.compile(
    r"\W*(?:please\s+)?(?:orchestrat|coordinat|(?:run|start|use)\s+(?:an?|the)\s+workflow)", re.I
)
_ROLES = frozenset(
    (
        *("administrator", "admin", "agent", "analyst", "architect", "assistant", "auditor"),
        *("builder", "coder", "designer", "dev", "developer", "engineer", "expert", "guru"),
        *("helper", "lead", "manager", "master", "optimizer", "pro", "professional", "specialist"),
    )
)
"""Last parts of agent names that name a role and no area."""


def questions_for(
    interpretation: Interpretation,
    ranking: Sequence[AgentMatch],
    agents: Mapping[str, AgentSpec],
    settled: int = SETTLED,
) -> tuple[Question, ...]:
    """Make up to 3 questions with 2 to 4 options each; none when one agent leads clearly.

    `agents` are by path, since several files may claim one id.
    """
    signals = set(interpretation.signals)
    if not signals or signals & {Signal.EMPTY, Signal.CHAT}:
        return ()
    if not ranking or _leads(ranking, settled):
        return ()
    candidates = [
        agents[match.path]
        for match in ranking[:_CANDIDATES]
        if match.confidence >= _LIKELY and match.path in agents
    ]
    asked = []
    if Signal.SEVERAL_DOMAINS in signals:
        asked.append(_first_part(interpretation, candidates))
    elif signals & {Signal.VAGUE, Signal.TOO_SHORT}:
        asked.append(_area(candidates))
    elif Signal.NO_ACTION in signals:
        asked.append(_action(candidates))
    return tuple(question for question in asked if question is not None)[:MAX_QUESTIONS]


def workflow_question(request: str, near: Sequence[WorkflowMatch]) -> Question | None:
    """Ask which command is meant when a request wants something orchestrated and none stood out.

    The options are `/id`, which names the command.
    """
    if not _ORCHESTRATED.match(request):
        return None
    likely = [found for found in near if found.confidence > 0]
    options = [
        Option(found.reference, shorten_description(found.description, 100)) for found in likely
    ]
    return _question("Which command is it?", "Command", options)


def _leads(ranking: Sequence[AgentMatch], settled: int) -> bool:
    first = ranking[0].confidence
    second = ranking[1].confidence if len(ranking) > 1 else 0
    return first > settled and first - second >= CLEAR_LEAD


def _area(candidates: Sequence[AgentSpec]) -> Question | None:
    options: dict[str, Option] = {}
    for spec in candidates:
        option = Option(_topic(spec.name), shorten_description(spec.description, 100))
        options.setdefault(option.label.casefold(), option)
    return _question("Which of these comes nearest?", "Nearest", list(options.values()))


def _action(candidates: Sequence[AgentSpec]) -> Question | None:
    return _question("What should be done?", "Action", _backed(ACTIONS, candidates))


def _first_part(interpretation: Interpretation, candidates: Sequence[AgentSpec]) -> Question | None:
    named = {domain: DOMAINS[domain] for domain in interpretation.domains}
    options = _backed(named, candidates)
    return _question("This touches several areas. Which comes first?", "First part", options)


def _backed(choices: Mapping[str, frozenset[str]], candidates: Sequence[AgentSpec]) -> list[Option]:
    """The choices that lead to an agent of their own: others would change nothing."""
    options = []
    free = list(candidates)
    for label, stems in choices.items():
        able = next((spec for spec in free if stems.intersection(_stems(spec))), None)
        if able is not None:
            free.remove(able)
            options.append(Option(label, f"for example with {clean_line(able.name)}"))
    return options


def _question(text: str, header: str, options: Sequence[Option]) -> Question | None:
    if len(options) < 2:
        return None
    return Question(text, header, tuple(options[:MOST_OPTIONS]))


def _topic(name: str) -> str:
    """What an agent's name speaks of: `database-optimizer` → `Database`."""
    parts = clean_line(name).replace("_", "-").replace("-", " ").split()
    topic = [part for part in parts if part.lower() not in _ROLES] or parts
    text = " ".join(dict.fromkeys(topic))  # A name may begin with its plugin's, which says it too.
    return text[:1].upper() + text[1:]


def _stems(spec: AgentSpec) -> set[str]:
    return set(stem_all(words(f"{spec.name} {description_text(spec.description)}")))
