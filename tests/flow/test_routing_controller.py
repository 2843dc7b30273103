"""The walk from a request to a choice, with a real coordinator and a user who follows a script."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from secretary_tui import config
from secretary_tui.flow.choice_hold import ChoiceHold
from secretary_tui.flow.routed import Routed
from secretary_tui.flow.routing_controller import RoutingController
from secretary_tui.people import Answer, Question, Recommendation, RouteAction, RouteChoice
from secretary_tui.registry.agent_index import AgentNotFoundError
from secretary_tui.secretary import Secretary
from tests.verbs.command_line import CLEAR_REQUEST

OTHER = RouteChoice(RouteAction.OTHER, "docs-writer", "Write it")
CANCEL = RouteChoice(RouteAction.CANCEL)


class Script:
    """A user who gives these choices, one after the other (`frontend.RouteAsker`)."""

    def __init__(self, secretary: Secretary, *choices: RouteChoice) -> None:
        self.secretary = secretary
        self.presented: list[Recommendation] = []
        self._choices = list(choices)

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        return ()

    def present(self, recommendation: Recommendation, *, refining: bool) -> None:
        self.presented.append(recommendation)

    def refine(self, recommendation: Recommendation) -> None:
        raise AssertionError("no model is there")

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        return self._choices.pop(0)

    def paid(self, tokens: int, cost_usd: float | None) -> None:
        raise AssertionError("no model is there")


@pytest.fixture
async def secretary(project: Path) -> AsyncIterator[Secretary]:
    secretary = Secretary(project, config.load(project), offline=True)
    secretary.load()
    yield secretary
    await secretary.aclose()


async def test_a_choice_stands_at_once_where_nothing_holds_it(secretary: Secretary) -> None:
    script = Script(secretary, OTHER)
    outcome = await RoutingController(script).decide(CLEAR_REQUEST)
    assert isinstance(outcome, Routed)
    assert outcome.choice == OTHER
    assert [found.recommended for found in script.presented] == ["security-reviewer"]


async def test_what_is_cancelled_is_no_choice(secretary: Secretary) -> None:
    assert await RoutingController(Script(secretary, CANCEL)).decide(CLEAR_REQUEST) is None


async def test_a_choice_that_is_taken_back_is_asked_for_again(
    secretary: Secretary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ChoiceHold, "HOLD_S", 60.0)
    held = asyncio.Event()
    script = Script(secretary, OTHER, CANCEL)
    route = RoutingController(script, ChoiceHold(held.set))
    deciding = asyncio.create_task(route.decide(CLEAR_REQUEST))
    await held.wait()
    assert route.chosen == "docs-writer"
    assert route.take_back()
    assert await deciding is None
    assert len(script.presented) == 2


async def test_nobody_takes_the_place_of_an_agent_that_is_not_there(secretary: Secretary) -> None:
    with pytest.raises(AgentNotFoundError, match="docs-writer"):
        await RoutingController(Script(secretary)).decide("@doc-writer write it")


async def test_what_was_chosen_becomes_a_delegation(secretary: Secretary) -> None:
    chosen = RouteChoice(RouteAction.ACCEPT, "security-reviewer", CLEAR_REQUEST)
    outcome = await RoutingController(Script(secretary, chosen)).decide(CLEAR_REQUEST)
    assert isinstance(outcome, Routed)
    match = next(m for m in outcome.recommendation.ranking if m.agent == "security-reviewer")
    delegation = outcome.delegation(secretary, CLEAR_REQUEST, context=("now",))
    assert (delegation.agent.id, delegation.request) == ("security-reviewer", CLEAR_REQUEST)
    assert (delegation.confidence, delegation.context) == (match.confidence, ("now",))


async def test_a_task_that_was_edited_goes_in_the_place_of_the_request(
    secretary: Secretary,
) -> None:
    outcome = await RoutingController(Script(secretary, OTHER)).decide(CLEAR_REQUEST)
    assert isinstance(outcome, Routed)
    delegation = outcome.delegation(secretary, CLEAR_REQUEST)
    assert (delegation.request, delegation.task) == ("Write it", "Write it")
    assert delegation.confidence is None  # It was named, not found.
    gone = dataclasses.replace(outcome, choice=dataclasses.replace(OTHER, agent="nobody"))
    with pytest.raises(AgentNotFoundError):
        gone.delegation(secretary, CLEAR_REQUEST)
