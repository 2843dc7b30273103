"""Questions as values: they survive JSON, a stored one is answered later, and no reply reaches
further than what was asked."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.asks import (
    Ask,
    ChoiceAsk,
    ChoiceReply,
    PeopleByAsks,
    QuestionsAsk,
    QuestionsReply,
    Reply,
    RouteAsk,
    RouteReply,
    ToolAsk,
    ToolReply,
    UnfitReplyError,
    answer_ask,
    ask_from_json,
    ask_to_json,
    check_reply,
    reply_from_json,
    reply_to_json,
)
from secretary_tui.people import (
    SAFE,
    AgentMatch,
    Answer,
    Choice,
    Option,
    People,
    Question,
    Recommendation,
    RouteAction,
    RouteChoice,
    ToolAnswer,
    ToolDecision,
    ToolRequest,
    WorkflowMatch,
)

QUESTION = Question("Which part?", "Part", (Option("Login", "the door"), Option("Pay")))
MATCH = AgentMatch("critic", "/a/critic.md", 91, "reviews code", ("/b/critic.md",))
FOUND = Recommendation(
    "review it", "review the login", (MATCH,), "critic", (MATCH,),
    WorkflowMatch("go", "/go.md", 80), questions=(QUESTION,), cost_usd=None,
)  # fmt: skip
EDIT = ToolRequest(
    "t1", "critic", "Edit", "auth.py", "-a\n+b", "/shop", marks=((0, 2), (4, 5)),
    warnings=("blanks",), input={"path": "auth.py", "deep": [{"x": None}]},
)  # fmt: skip
CHOICE = RouteChoice(RouteAction.ACCEPT, "critic", "review", "local", own_tree=True, looks_up=False)
CHOICES = (Choice("t", "Trust it"), Choice(SAFE, "Run nothing"))

ASKS: tuple[Ask, ...] = (
    QuestionsAsk("a1", (QUESTION,)),
    RouteAsk("a2", FOUND),
    ToolAsk("a3", EDIT),
    ChoiceAsk("a4", "Do you trust it?", "It brings nothing.", CHOICES),
)
REPLIES: tuple[Reply, ...] = (
    QuestionsReply("a1", (Answer("Which part?", ("Login",), "and the logout"),)),
    RouteReply("a2", CHOICE),
    ToolReply("a3", ToolAnswer(ToolDecision.DENY, "not that file")),
    ChoiceReply("a4", "t"),
)


class Scripted(People):
    """Answers with what the replies say."""

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        assert questions == (QUESTION,)
        return (Answer("Which part?", ("Login",), "and the logout"),)

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        assert recommendation == FOUND
        return CHOICE

    async def allow_tool(self, request: ToolRequest) -> ToolAnswer:
        assert request == EDIT
        return ToolAnswer(ToolDecision.DENY, "not that file")

    async def choose(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        assert (title, choices) == ("Do you trust it?", CHOICES)
        return "t"


@pytest.mark.parametrize("ask", ASKS, ids=lambda ask: ask.type)
def test_an_ask_survives_json(ask: Ask) -> None:
    line = json.dumps(ask_to_json(ask))
    assert next(iter(json.loads(line))) == "type"
    assert ask_from_json(json.loads(line)) == ask


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: reply.type)
def test_a_reply_survives_json(reply: Reply) -> None:
    assert reply_from_json(json.loads(json.dumps(reply_to_json(reply)))) == reply


async def test_a_stored_ask_is_answered_by_people_of_another_process() -> None:
    """Every call goes to JSON, to the people on the other side, and back through JSON."""
    put: list[str] = []

    async def through_a_file(ask: Ask) -> Reply:
        put.append(json.dumps(ask_to_json(ask)))
        reply = await answer_ask(Scripted(), ask_from_json(json.loads(put[-1])))
        return reply_from_json(json.loads(json.dumps(reply_to_json(reply))))

    here, there = PeopleByAsks(through_a_file), Scripted()
    assert await here.ask_questions((QUESTION,)) == await there.ask_questions((QUESTION,))
    assert await here.confirm_route(FOUND) == await there.confirm_route(FOUND)
    assert await here.allow_tool(EDIT) == await there.allow_tool(EDIT)
    assert await here.choose("Do you trust it?", "", CHOICES) == "t"
    assert len({json.loads(line)["id"] for line in put}) == 4


def test_an_ask_without_once_only_is_asked_about_each_time() -> None:
    data = ask_to_json(ToolAsk("a", replace(EDIT, once_only=False)))
    del data["request"]["once_only"]
    read = ask_from_json(data)
    assert isinstance(read, ToolAsk)
    assert read.request.once_only
    with pytest.raises(UnfitReplyError):
        check_reply(read, ToolReply("a", ToolAnswer(ToolDecision.RUN)))


def fields(data: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """The path to every field of a JSON object."""
    if isinstance(data, dict):
        inside = [fields(value, (*path, key)) for key, value in data.items()]
        return [*((*path, key) for key in data), *(found for part in inside for found in part)]
    if isinstance(data, list):
        return [found for i, item in enumerate(data) for found in fields(item, (*path, i))]
    return []


STORED = [
    *((ask_from_json, ask_to_json(ask)) for ask in ASKS),
    *((reply_from_json, reply_to_json(reply)) for reply in REPLIES),
]


@given(st.sampled_from(STORED), st.data())
def test_no_field_may_be_missing_or_unknown(
    stored: tuple[Callable[[object], object], dict[str, object]], draw: st.DataObject
) -> None:
    read, data = stored
    optional = ("once_only",) if "answers" not in data else ("about",)
    *way, last = draw.draw(
        st.sampled_from(
            [p for p in fields(data) if "input" not in p[:-1] and p[-1] not in optional]
        )
    )
    without, beside = json.loads(json.dumps(data)), json.loads(json.dumps(data))
    del _at(without, way)[last]
    _at(beside, way)["surprise"] = 1
    for changed in (without, beside):
        with pytest.raises(ValueError, match=r"missing|unknown|no type"):
            read(changed)


def _at(data: Any, way: list[object]) -> Any:
    for step in way:
        data = data[step]
    return data


ONCE, COMMIT = replace(EDIT, once_only=True), replace(EDIT, tool="GitCommit")


@pytest.mark.parametrize(
    ("ask", "reply"),
    [
        (ASKS[0], QuestionsReply("other", ())),
        (ASKS[0], ChoiceReply("a1", "t")),
        (ASKS[0], QuestionsReply("a1", (Answer("What else?", (), "all"),))),
        (ASKS[0], QuestionsReply("a1", (Answer("Which part?", ("Everything",)),))),
        (ASKS[0], QuestionsReply("a1", (Answer("Which part?", ("Login", "Pay")),))),
        (ASKS[1], RouteReply("a2", RouteChoice(RouteAction.ACCEPT))),
        (ASKS[1], RouteReply("a2", RouteChoice(RouteAction.CANCEL, "critic"))),
        (ToolAsk("a", ONCE), ToolReply("a", ToolAnswer(ToolDecision.RUN))),
        (ToolAsk("a", ONCE), ToolReply("a", ToolAnswer(ToolDecision.ALWAYS))),
        (ToolAsk("a", COMMIT), ToolReply("a", ToolAnswer(ToolDecision.ALWAYS))),
        (ASKS[3], ChoiceReply("a4", "r")),
    ],
)
async def test_a_reply_that_was_not_offered_reaches_nobody(ask: Ask, reply: Reply) -> None:
    with pytest.raises(UnfitReplyError):
        check_reply(ask, reply)

    async def put(asked: Ask) -> Reply:
        return replace(reply, id=asked.id if reply.id == ask.id else reply.id)

    with pytest.raises(UnfitReplyError):
        await _call(PeopleByAsks(put), ask)


@pytest.mark.parametrize(("ask", "reply"), zip(ASKS, REPLIES, strict=True))
def test_what_was_offered_fits(ask: Ask, reply: Reply) -> None:
    check_reply(ask, reply)


async def _call(people: People, ask: Ask) -> None:
    calls: dict[type[Ask], Callable[..., Awaitable[object]]] = {
        QuestionsAsk: lambda: people.ask_questions((QUESTION,)),
        RouteAsk: lambda: people.confirm_route(FOUND),
        ToolAsk: lambda: people.allow_tool(ask.request),  # type: ignore[attr-defined]
        ChoiceAsk: lambda: people.choose("Do you trust it?", "", CHOICES),
    }
    await calls[type(ask)]()
