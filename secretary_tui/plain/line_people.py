"""The user who reads lines: every question as text, every answer as a word (`people.People`).

No answer acts by default. One question at a time, in the order they come.
"""

from __future__ import annotations

import asyncio

from secretary_tui.people import (
    MAX_QUESTIONS,
    SAFE,
    Answer,
    Choice,
    Question,
    ToolAnswer,
    ToolDecision,
    ToolRequest,
)
from secretary_tui.plain.keyboard import Keyboard, never
from secretary_tui.plain.line_writer import LineWriter
from secretary_tui.plain.wording import answers_to, numbered, question_lines, request_lines
from secretary_tui.sanitize import clean_line, reveal
from secretary_tui.verbs.running.terminal_people import NO_ANSWER, understand

_NO = "no"


class PlainPeople:
    """Asks in lines. `asking` is held by whoever asks, so that questions don't mix."""

    def __init__(self, paper: LineWriter, keyboard: Keyboard) -> None:
        self._paper = paper
        self._keyboard = keyboard
        self.asking = asyncio.Lock()

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Ask one after the other; an empty line skips one, no answer all that are left."""
        async with self.asking:
            answers: list[Answer] = []
            asked = questions[:MAX_QUESTIONS]
            for number, question in enumerate(asked, 1):
                place = f" {number} of {len(asked)}" if len(asked) > 1 else ""
                answer = await self._ask(question, place)
                if answer is None:
                    break
                answers.append(answer)
            return tuple(answers) if any(not answer.skipped for answer in answers) else ()

    async def allow_tool(self, request: ToolRequest) -> ToolAnswer:
        """Say the whole of what would happen, and take an explicit word."""
        async with self.asking:
            return await self._allow(request)

    async def choose(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        """Say the choices, numbered; `no` is the one that changes nothing."""
        async with self.asking:
            self._paper.line(clean_line(reveal(title)))
            if text:
                self._paper.line(reveal(text))
            acting = [choice for choice in choices if choice.key != SAFE]
            for line in numbered([clean_line(choice.label) for choice in acting]):
                self._paper.line(line)
            safe = next((choice.label for choice in choices if choice.key == SAFE), "Cancel")
            self._paper.line(f"no: {clean_line(safe)}")
            numbers = ", ".join(str(number) for number in range(1, len(acting) + 1))
            while True:
                answer = await self._keyboard.answer(f"Answer {numbers} or no: ", is_no)
                if answer is None or is_no(answer):
                    return SAFE
                if answer.isdecimal() and 1 <= int(answer) <= len(acting):
                    return acting[int(answer) - 1].key

    async def _allow(self, request: ToolRequest) -> ToolAnswer:
        for line in request_lines(request):
            self._paper.line(line)
        answers = answers_to(request)
        for word, (_, what) in answers.items():
            self._paper.line(f"{word}: {what}")
        words = list(answers)
        prompt = f"Answer {', '.join(words[:-1])} or {words[-1]}: "
        while True:
            answer = await self._keyboard.answer(prompt, is_no)
            if answer is None:
                return ToolAnswer(ToolDecision.DENY, NO_ANSWER, from_user=False)
            word, _, reason = answer.partition(" ")
            decision = answers.get(word.lower(), (None, ""))[0]
            if decision is ToolDecision.DENY:
                return ToolAnswer(decision, reason.strip())
            if decision is not None and not reason:
                return ToolAnswer(decision)

    async def _ask(self, question: Question, place: str) -> Answer | None:
        for line in question_lines(question, place):
            self._paper.line(line)
        many = "Numbers with commas" if question.multi_select else "A number"
        while True:
            prompt = f"{many}, your own words, or Enter alone to skip: "
            typed = await self._keyboard.answer(prompt, never)
            if typed is None:
                return None
            answer = understand(question, typed)
            if answer is not None:
                return answer


def is_no(line: str) -> bool:
    """Whether a line is a plain no, maybe with a reason: it needs nothing to be understood."""
    return line.lower() == _NO or line.lower().startswith(f"{_NO} ")
