"""Which command or skill of the library a request asks for (seed 000 Interface 6, generalised).

Three ways lead to one: the user types `/name …`; the request opens with one of the seed's phrases
and the library has a workflow of that name; or its words fit, ranked like an agent's but with a
higher bar, since a row that nobody asked for is a nuisance.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property

from secretary_tui.people import Recommendation, WorkflowMatch
from secretary_tui.registry.agent_index import AgentIndex
from secretary_tui.registry.definition.spec import AgentSpec, Command, Skill
from secretary_tui.registry.workflow_agent import (
    WorkflowError,
    bare_name,
    find_workflow,
    read_workflow,
    workflow_pages,
)
from secretary_tui.routing.index.lexical import Field, QueryTerm, TermHit
from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.recommend.workflow_names import WORKFLOWS, opens_like, workflow_match
from secretary_tui.routing.words.word_vectors import word_vectors

_NAMED = re.compile(r"/([^\W_][\w:.-]*)(?:\s+(.*))?", re.S)
_BODY = 4_000
"""Characters of a page's text that are ranked; what it is for stands at its beginning."""
CANDIDATES = 6
"""Commands and skills kept for the model and for questions."""
SHOWN_ABOVE = 60
"""Confidence above which one that nobody named is shown."""
UNFIT = 49
"""The most confidence of one that hardly fits."""
MEANING_FROM = 0.35
"""Cosine that a request and a page must have: the words alone may be there by accident."""
_DEFAULT_CONFIDENCE = 75
"""For a command that is called what the request opens with."""
COVERED_FROM = 0.3
"""Share of the request, by the rarity of its words, that name and description must speak of."""
_HEADLINE = Field.NAME | Field.DESCRIPTION


class WorkflowMatcher:
    """Finds commands and skills for requests; make a new one when the library changes.

    The files are read and indexed at the first ranking. One that was there before is not analysed
    again by a matcher that is given the `previous` one.
    """

    def __init__(self, index: AgentIndex, previous: WorkflowMatcher | None = None) -> None:
        self._index = index
        self._pages = workflow_pages(index)
        self._previous = previous

    def is_for(self, index: AgentIndex) -> bool:
        """Whether the commands and skills are those of an index."""
        return (index.commands, index.skills) == (self._index.commands, self._index.skills)

    def match(self, request: str) -> tuple[WorkflowMatch | None, tuple[WorkflowMatch, ...]]:
        """Find what the request asks for, and the nearest few behind it."""
        if (named := self.named(request)) is not None:
            return named, ()
        nearest = self.nearest(request)
        name = workflow_match(request)
        if name is not None:
            return self._default(name), nearest
        return next((found for found in nearest if found.confidence > SHOWN_ABOVE), None), nearest

    def named(self, request: str) -> WorkflowMatch | None:
        """The command or skill that `/name …` names; None for paths and other text."""
        typed = _NAMED.fullmatch(request.strip())
        if typed is None:
            return None
        try:
            page = find_workflow(self._index, typed[1])
        except WorkflowError:
            return None
        arguments = (typed[2] or "").strip()
        return WorkflowMatch(
            page.id, str(page.path), 100, "you named it", page.description, arguments
        )

    def nearest(self, request: str) -> tuple[WorkflowMatch, ...]:
        """Rank the commands and skills, best first; those that hardly fit have `UNFIT` at most.

        What a small library makes of a request says little, so two things are asked beyond the
        ranking that no other page has a part in: how close the page is in meaning, and how much
        of the request its name and description speak of.
        """
        if not self._pages or not request.strip():
            return ()
        matcher = self._matcher
        judged = matcher.judge(request, CANDIDATES)
        ranked = {match.path: match for match in matcher.rank(request, CANDIDATES)}
        found = []
        for number, hits in zip(judged.order, judged.hits, strict=True):
            spec = matcher.groups[number][0]
            match = ranked.get(str(spec.path))
            if match is None:
                continue
            fits = judged.scores.meaning(number) >= MEANING_FROM and _speaks_of(
                judged.scores.terms, hits
            )
            confidence = match.confidence if fits else min(match.confidence, UNFIT)
            page = self._pages[spec.id]
            found.append(
                WorkflowMatch(page.id, str(page.path), confidence, match.reason, page.description)
            )
        return tuple(sorted(found, key=lambda match: -match.confidence))

    def _default(self, name: str) -> WorkflowMatch:
        """The library's own workflow of the seed's name, or the bare name."""
        said = opens_like(name)
        ours = (page for page_id, page in self._pages.items() if bare_name(page_id) == name)
        page = next(ours, None)
        if page is None:
            return WorkflowMatch(name, reason=f"{said}, and the library has no command for it")
        return WorkflowMatch(page.id, str(page.path), _DEFAULT_CONFIDENCE, said, page.description)

    @cached_property
    def _matcher(self) -> LocalMatcher:
        previous, self._previous = self._previous, None
        matcher = previous._matcher if previous is not None else None
        return LocalMatcher(_as_agents(self._pages.values()), matcher)


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
        sure = max(picked.confidence, UNFIT + 1)
        return replace(picked, confidence=sure, reason=f"the model's pick; {picked.reason}")
    if answered in WORKFLOWS:
        return WorkflowMatch(answered, reason="the model takes it for this workflow")
    return local.workflow


def workflow_candidates(local: Recommendation) -> list[WorkflowMatch]:
    """What is put to the model: what was found locally, and the nearest behind it."""
    shown = [local.workflow] if local.workflow and local.workflow.runnable else []
    return [*shown, *(found for found in local.workflows if found not in shown)]


def _as_agents(pages: Iterable[Command | Skill]) -> Iterator[AgentSpec]:
    """The pages as the matcher takes them; background knowledge is for agents, not for people."""
    for page in pages:
        try:
            read = read_workflow(page.path)
        except WorkflowError:
            continue
        if read.invocable:
            # Every skill's file is called SKILL.md; its folder tells it from the others.
            path = page.path.parent if isinstance(page, Skill) else page.path
            namespace, _, name = page.id.rpartition(":")
            yield AgentSpec(name, page.description, read.body[:_BODY], page.source, path, namespace)


def _speaks_of(terms: Sequence[QueryTerm], hits: Sequence[TermHit]) -> bool:
    """Whether name and description hold enough of a request: a lone word must be in the name."""
    headline = {hit.word for hit in hits if hit.fields & _HEADLINE}
    if len(headline) < 2 and not any(hit.fields & Field.NAME for hit in hits):
        return False
    known = word_vectors()

    def weight(term: QueryTerm) -> float:
        number = known.numbers.get(term.stem)
        return _rarest() if number is None else known.weight(number)

    # The number of an issue says nothing about the kind of work.
    telling = [term for term in terms if not term.word.isdigit()]
    covered = sum(weight(term) for term in telling if term.word in headline)
    return covered >= COVERED_FROM * sum(map(weight, telling))


@cache
def _rarest() -> float:
    """The weight of the rarest word, and of every unknown one."""
    known = word_vectors()
    return max(map(known.weight, range(len(known.numbers))))
