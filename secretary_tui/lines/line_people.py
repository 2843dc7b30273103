"""Who answers in lines (`people.People`): the user, or nobody where there is no terminal.

No answer acts by default. One question at a time, in the order they come.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from secretary_tui.lines.line_source import LineSource, never
from secretary_tui.lines.output import note
from secretary_tui.lines.question_lines import (
    answers_to,
    choice_answers,
    offer,
    question_lines,
    request_lines,
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
from secretary_tui.sanitize import clean_line, reveal
from secretary_tui.secretary import Secretary

NO_ANSWER = "Nobody answered: the input has ended. Go on without it."
"""What the agent reads about a call that was asked about in vain."""
_NO = "no"


class LinePeople(People):
    """Asks in lines.

    Args:
        say: Writes a line.
        source: Where answers come from.
        secretary: Knows the agents and engines that are chosen among.
        spoken: Whether the lines are for ears, and answers whole words: a letter is none.
        permission_mode: The mode of the runs that are chosen; empty for that of the settings.
    """

    def __init__(
        self,
        say: Callable[[str], None],
        source: LineSource,
        secretary: Secretary,
        *,
        spoken: bool,
        permission_mode: str = "",
    ) -> None:
        self._say = say
        self._source = source
        self._secretary = secretary
        self._spoken = spoken
        self._permission_mode = permission_mode
        self._asking = asyncio.Lock()

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Ask one after the other; an empty line skips one, no answer all that are left."""
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
            self._set_apart()
            question = RouteQuestion(
                recommendation,
                self._secretary,
                self._say,
                self._source,
                spoken=self._spoken,
                permission_mode=self._permission_mode,
            )
            return await question.ask()

    async def allow_tool(self, request: ToolRequest) -> ToolAnswer:
        """Say the whole of what would happen, and take an explicit answer."""
        async with self._asking:
            self._set_apart()
            self._say_all(request_lines(request, spoken=self._spoken))
            return await self._allow(request)

    async def choose(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        """Say the choices; the end of input takes the one that changes nothing."""
        async with self._asking:
            self._set_apart()
            self._say(clean_line(reveal(title)))
            if text:
                self._say(reveal(text))
            answers = choice_answers(choices, spoken=self._spoken)
            labels = {word: clean_line(choice.label) for word, choice in answers.items()}
            if not self._spoken:
                labels = {word: label.lower() for word, label in labels.items()}
            lines, prompt = offer(labels, spoken=self._spoken)
            self._say_all(lines)
            while True:
                answer = await self._source.answer(prompt, is_no)
                if answer is None or (self._spoken and is_no(answer)):
                    return SAFE
                if answer.lower() in answers:
                    return answers[answer.lower()].key

    async def _allow(self, request: ToolRequest) -> ToolAnswer:
        answers = answers_to(request, spoken=self._spoken)
        reaches = {word: does for word, (_, does) in answers.items()}
        lines, prompt = offer(reaches, spoken=self._spoken)
        self._say_all(lines)
        while True:
            answer = await self._source.answer(prompt, is_no)
            if answer is None:
                return ToolAnswer(ToolDecision.DENY, NO_ANSWER, from_user=False)
            word, _, reason = answer.partition(" ")
            decision = answers.get(word.lower(), (None, ""))[0]
            if decision is ToolDecision.DENY:
                return ToolAnswer(decision, reason.strip() or await self._reason())
            if decision is not None and not reason:
                return ToolAnswer(decision)

    async def _reason(self) -> str:
        """Ask why a call was denied; where answers are spoken it stands behind the `no`."""
        if self._spoken:
            return ""
        prompt = "Reason for the agent (Enter for none): "
        return await self._source.answer(prompt, never) or ""

    async def _ask(self, question: Question, place: str) -> Answer | None:
        self._set_apart()
        self._say_all(question_lines(question, place))
        many = "Numbers separated by commas" if question.multi_select else "A number"
        while True:
            prompt = f"{many}, your own words, or Enter to skip: "
            typed = await self._source.answer(prompt, never)
            if typed is None:
                return None
            answer = understand(question, typed)
            if answer is not None:
                return answer

    def _set_apart(self) -> None:
        if not self._spoken:
            self._say("")

    def _say_all(self, lines: list[str]) -> None:
        for line in lines:
            self._say(line)


def is_no(line: str) -> bool:
    """Whether a line is a plain no, maybe with a reason: it needs nothing to be understood."""
    return line.lower() == _NO or line.lower().startswith(f"{_NO} ")


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
