"""Questions to people and their answers as values: stored, shown elsewhere, answered later.

`People` is the typed door; here is what passes through it in JSON. `PeopleByAsks` turns each of
its calls into an `Ask` and waits for the `Reply`; `answer_ask` lets a `People` of another process
answer a stored one. What comes back is checked twice: by its fields, all of which must be there,
and against what was asked, so that no reply reaches further than the question offered.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar, cast

from secretary_tui.codec import Variants
from secretary_tui.people import (
    Answer,
    Choice,
    People,
    Question,
    Recommendation,
    RouteAction,
    RouteChoice,
    ToolAnswer,
    ToolDecision,
    ToolRequest,
)


class UnfitReplyError(ValueError):
    """A reply answers another question, or says what was not offered."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question that waits for somebody."""

    type: ClassVar[str]
    id: str


@dataclass(frozen=True, slots=True)
class QuestionsAsk(Ask):
    """Clarifying questions; see `People.ask_questions`."""

    type: ClassVar[str] = "questions"
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class RouteAsk(Ask):
    """Who shall do it; see `People.confirm_route`."""

    type: ClassVar[str] = "route"
    recommendation: Recommendation


@dataclass(frozen=True, slots=True)
class ToolAsk(Ask):
    """Whether a risky tool call may happen; see `People.allow_tool`."""

    type: ClassVar[str] = "tool"
    request: ToolRequest


@dataclass(frozen=True, slots=True)
class ChoiceAsk(Ask):
    """Which way to go on (trust, money, what becomes of a tree); see `People.choose`."""

    type: ClassVar[str] = "choice"
    title: str
    text: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """What somebody answered; `id` is the ask's, and so is `type`."""

    type: ClassVar[str]
    id: str


@dataclass(frozen=True, slots=True)
class QuestionsReply(Reply):
    """Answers to some of the questions; none means that all were skipped."""

    type: ClassVar[str] = QuestionsAsk.type
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class RouteReply(Reply):
    """What was decided about a recommendation."""

    type: ClassVar[str] = RouteAsk.type
    choice: RouteChoice


@dataclass(frozen=True, slots=True)
class ToolReply(Reply):
    """How far a tool call is allowed."""

    type: ClassVar[str] = ToolAsk.type
    answer: ToolAnswer


@dataclass(frozen=True, slots=True)
class ChoiceReply(Reply):
    """The key of the choice taken."""

    type: ClassVar[str] = ChoiceAsk.type
    key: str


_ASKS: Variants[Ask] = Variants((QuestionsAsk, RouteAsk, ToolAsk, ChoiceAsk), exact=True)
_REPLIES: Variants[Reply] = Variants(
    (QuestionsReply, RouteReply, ToolReply, ChoiceReply), exact=True
)


def ask_to_json(ask: Ask) -> dict[str, Any]:
    """Give an ask as a JSON object, `type` first."""
    return _ASKS.to_json(ask)


def ask_from_json(data: object) -> Ask:
    """Rebuild an ask.

    Raises:
        ValueError: it is of no known type, or a field is missing, unknown or of another type.
    """
    return _ASKS.from_json(data)


def reply_to_json(reply: Reply) -> dict[str, Any]:
    """Give a reply as a JSON object, `type` first."""
    return _REPLIES.to_json(reply)


def reply_from_json(data: object) -> Reply:
    """Rebuild a reply; whether it fits what was asked says `check_reply`.

    Raises:
        ValueError: it is of no known type, or a field is missing, unknown or of another type.
    """
    return _REPLIES.from_json(data)


def check_reply(ask: Ask, reply: Reply) -> None:
    """Check that a reply belongs to an ask and says only what was offered.

    Raises:
        UnfitReplyError: it doesn't.
    """
    if (reply.id, reply.type) != (ask.id, ask.type):
        raise UnfitReplyError(f"the {reply.type} reply {reply.id} answers another question")
    match ask, reply:
        case QuestionsAsk(questions=questions), QuestionsReply(answers=answers):
            fits = all(_is_an_answer(answer, questions) for answer in answers)
        case RouteAsk(), RouteReply(choice=choice):
            fits = (choice.agent is None) == (choice.action is RouteAction.CANCEL)
        case ToolAsk(request=request), ToolReply(answer=answer):
            run, always = request.reach
            offered = {ToolDecision.RUN: run, ToolDecision.ALWAYS: always}
            fits = bool(offered.get(answer.decision, "once"))
        case ChoiceAsk(choices=choices), ChoiceReply(key=key):
            fits = any(choice.key == key for choice in choices)
        case _:
            fits = False
    if not fits:
        raise UnfitReplyError(f"the {reply.type} reply {reply.id} says what was not offered")


def _is_an_answer(answer: Answer, questions: tuple[Question, ...]) -> bool:
    asked = next((question for question in questions if question.question == answer.question), None)
    if asked is None:
        return False
    offered = {option.label for option in asked.options}
    return offered.issuperset(answer.labels) and (asked.multi_select or len(answer.labels) <= 1)


ReplyT = TypeVar("ReplyT", bound=Reply)


class PeopleByAsks(People):
    """People somewhere else: each question is put as an ask, and its reply waited for.

    Args:
        put: Brings an ask to whoever answers it, and the reply back. When it is cancelled, the
            question is withdrawn.
    """

    def __init__(self, put: Callable[[Ask], Awaitable[Reply]]) -> None:
        self._put = put

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Put questions.

        Raises:
            UnfitReplyError: what came back answers something else.
        """
        reply = await self._reply(QuestionsAsk(_new_id(), questions), QuestionsReply)
        return reply.answers

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        """Put a recommendation.

        Raises:
            UnfitReplyError: what came back answers something else.
        """
        reply = await self._reply(RouteAsk(_new_id(), recommendation), RouteReply)
        return reply.choice

    async def allow_tool(self, request: ToolRequest) -> ToolAnswer:
        """Put a tool call.

        Raises:
            UnfitReplyError: what came back answers something else.
        """
        reply = await self._reply(ToolAsk(_new_id(), request), ToolReply)
        return reply.answer

    async def choose(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        """Put a choice.

        Raises:
            UnfitReplyError: what came back answers something else.
        """
        reply = await self._reply(ChoiceAsk(_new_id(), title, text, choices), ChoiceReply)
        return reply.key

    async def _reply(self, ask: Ask, _: type[ReplyT]) -> ReplyT:
        reply = await self._put(ask)
        check_reply(ask, reply)
        return cast("ReplyT", reply)


async def answer_ask(people: People, ask: Ask) -> Reply:
    """Let people answer an ask, such as one that another process stored.

    Raises:
        TypeError: nobody knows how to answer asks of this class.
    """
    match ask:
        case QuestionsAsk(id=id_, questions=questions):
            return QuestionsReply(id_, await people.ask_questions(questions))
        case RouteAsk(id=id_, recommendation=recommendation):
            return RouteReply(id_, await people.confirm_route(recommendation))
        case ToolAsk(id=id_, request=request):
            return ToolReply(id_, await people.allow_tool(request))
        case ChoiceAsk(id=id_, title=title, text=text, choices=choices):
            return ChoiceReply(id_, await people.choose(title, text, choices))
    raise TypeError(f"{type(ask).__name__} can't be asked")


def _new_id() -> str:
    return secrets.token_hex(8)
