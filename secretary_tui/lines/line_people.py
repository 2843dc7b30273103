"""Who answers in lines (`people.People`): the user, or nobody where there is no terminal.

No answer acts by default. One question at a time, in the order they come.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from secretary_tui.lines.line_face import LineFace
from secretary_tui.lines.line_query import LineQuery, QueryType, is_cancel
from secretary_tui.lines.output import note
from secretary_tui.lines.question_lines import (
    answers_to,
    choice_answers,
    choice_query,
    is_no,
    question_query,
    tool_query,
    understand,
)
from secretary_tui.lines.route_question import RouteQuestion
from secretary_tui.people import (
    MAX_QUESTIONS,
    SAFE,
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
from secretary_tui.sanitize import clean_line
from secretary_tui.secretary import Secretary

NO_ANSWER = "Nobody answered: the input has ended. Go on without it."
"""What the agent reads about a call that was asked about in vain."""


class LinePeople(People):
    """Asks in lines.

    Args:
        face: Where it is said, and where answers come from.
        secretary: Knows the agents and engines that are chosen among.
        permission_mode: The mode of the runs that are chosen; empty for that of the settings.
        give_up: Cancels the request that a question is about; without it a question can only be
            skipped.
    """

    def __init__(
        self,
        face: LineFace,
        secretary: Secretary,
        *,
        permission_mode: str = "",
        give_up: Callable[[], None] | None = None,
    ) -> None:
        self._face = face
        self._secretary = secretary
        self._permission_mode = permission_mode
        self._give_up = give_up
        self._asking = asyncio.Lock()

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Ask one after the other; an empty line skips one, no answer all that are left.

        `cancel` cancels the request, where that can be done; else it is no answer.
        """
        async with self._asking:
            answers: list[Answer] = []
            asked = questions[:MAX_QUESTIONS]
            for number, question in enumerate(asked, 1):
                place = f" {number} of {len(asked)}" if len(asked) > 1 else ""
                answer = await self._ask(question, place)
                if answer is None:
                    break
                answers.append(answer)
            return tuple(answers) if any(not answer.skipped for answer in answers) else ()

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        """Say who fits and ask who shall do it."""
        async with self._asking:
            question = RouteQuestion(
                recommendation,
                self._secretary,
                self._face,
                permission_mode=self._permission_mode,
            )
            return await question.ask()

    async def allow_tool(self, request: ToolRequest) -> ToolAnswer:
        """Say the whole of what would happen, and take an explicit answer."""
        async with self._asking:
            answers = answers_to(request, spoken=self._face.spoken)
            query = tool_query(request, spoken=self._face.spoken)
            self._face.show(query)
            while True:
                answer = await self._face.answer(query)
                if answer is None:
                    return ToolAnswer(ToolDecision.DENY, NO_ANSWER, from_user=False)
                word, _, reason = answer.partition(" ")
                decision = answers.get(word.lower(), (None, ""))[0]
                if decision is ToolDecision.DENY or is_no(answer):
                    return ToolAnswer(ToolDecision.DENY, reason.strip() or await self._reason())
                if decision is not None and not reason:
                    return ToolAnswer(decision)
                self._say_what_is_no_answer(answer)

    async def choose(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        """Say the choices; the end of input takes the one that changes nothing."""
        async with self._asking:
            answers = choice_answers(choices, spoken=self._face.spoken)
            query = choice_query(title, text, choices, spoken=self._face.spoken)
            self._face.show(query)
            while True:
                answer = await self._face.answer(query)
                if answer is None or is_no(answer):
                    return SAFE
                if answer.lower() in answers:
                    return answers[answer.lower()].key
                self._say_what_is_no_answer(answer)

    async def _reason(self) -> str:
        """Ask why a call was denied; where answers are spoken it stands behind the `no`."""
        if self._face.spoken:
            return ""
        prompt = "Reason for the agent (Enter for none): "
        return await self._face.answer(LineQuery(QueryType.QUESTION, (), prompt)) or ""

    async def _ask(self, question: Question, place: str) -> Answer | None:
        give_up = None if question.asker else self._give_up
        query = question_query(question, place, can_cancel=give_up is not None)
        self._face.show(query)
        while True:
            typed = await self._face.answer(query)
            if typed is not None and is_cancel(typed) and give_up is not None:
                give_up()
                await asyncio.get_running_loop().create_future()  # Until it has cancelled this.
            if typed is None or is_cancel(typed):
                return None
            answer = understand(question, typed)
            if answer is not None:
                return answer
            self._say_what_is_no_answer(typed)

    def _say_what_is_no_answer(self, line: str) -> None:
        if line:
            self._face.say(f"{clean_line(line)} is not one of the answers.")


class NobodyThere(People):
    """Skips, cancels and denies, and says so on the error output."""

    def __init__(self) -> None:
        self.denied = False
        """Whether something was denied, in a called agent too."""

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Skip them all."""
        return ()

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        """Cancel."""
        return RouteChoice(RouteAction.CANCEL)

    async def allow_tool(self, request: ToolRequest) -> ToolAnswer:
        """Deny, and say so to the model and on the error output."""
        self.denied = True
        # What is warned of, such as a protected path, asks in that mode, too.
        edits = request.is_edit and not request.warnings
        hint = "; --permission-mode accept-edits allows edits" if edits else ""
        what = f"{request.tool} {clean_line(request.summary)}"
        note(f"Denied: {what} (nobody can be asked here{hint})")
        return ToolAnswer(
            ToolDecision.DENY,
            "Nobody can be asked in this non-interactive run. Go on without it, or say what you "
            "would have done.",
            from_user=False,
        )

    async def choose(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        """Take the safe way, and say on the error output what was asked."""
        note(f"Nobody can be asked here: {clean_line(title)}")
        return SAFE
