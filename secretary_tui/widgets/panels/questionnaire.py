"""A few questions and what is marked of their answers, one question after the other."""

from __future__ import annotations

from dataclasses import dataclass, field

from secretary_tui.people import MAX_QUESTIONS, Answer, Question


@dataclass
class AnswerDraft:
    """What is marked so far for one question."""

    marked: set[int] = field(default_factory=set)
    other: str = ""
    """An answer in the user's own words."""
    cursor: int = 0
    """The option under the cursor; the last one is *Other*."""


class Questionnaire:
    """At most `MAX_QUESTIONS` questions, and the one that is asked now; behind the last a review.

    `question`, `draft` and what changes them need a question that is asked: not the review.
    """

    def __init__(self, questions: tuple[Question, ...] = ()) -> None:
        self.questions = questions[:MAX_QUESTIONS]
        self.drafts = [AnswerDraft() for _ in self.questions]
        self.at = 0

    @property
    def reviewing(self) -> bool:
        """Whether all questions have been asked."""
        return self.at >= len(self.questions)

    @property
    def question(self) -> Question:
        """The question that is asked."""
        return self.questions[self.at]

    @property
    def draft(self) -> AnswerDraft:
        """What is marked of its answer."""
        return self.drafts[self.at]

    def back(self) -> None:
        """Ask the question before again."""
        self.at = max(0, self.at - 1)

    def move(self, step: int) -> None:
        """Move the cursor, from the last option to the first."""
        self.draft.cursor = (self.draft.cursor + step) % (len(self.question.options) + 1)

    def put_cursor(self, option: int) -> bool:
        """Put the cursor on an option, from 0 on; whether there is one."""
        exists = 0 <= option <= len(self.question.options)
        if exists:
            self.draft.cursor = option
        return exists

    @property
    def is_on_other(self) -> bool:
        """Whether the cursor is on *Other*."""
        return self.draft.cursor == len(self.question.options)

    def mark(self) -> None:
        """Mark the option under the cursor, or no longer; a single choice takes the others back."""
        draft = self.draft
        if self.question.multi_select:
            draft.marked ^= {draft.cursor}
        else:
            draft.marked = set() if draft.cursor in draft.marked else {draft.cursor}
            draft.other = ""

    def put_other(self, text: str) -> None:
        """Take an answer in the user's own words; it replaces the marks of a single choice."""
        self.draft.other = text
        if text and not self.question.multi_select:
            self.draft.marked = set()

    @property
    def takes_cursor(self) -> bool:
        """Whether Enter takes the option under the cursor: nothing is marked in a single choice.

        With several choices nothing is marked unasked: none means that the question is skipped.
        """
        draft = self.draft
        return not self.question.multi_select and not draft.marked and not draft.other

    def go_on(self) -> bool:
        """Go to the next question, or to the review; whether one question alone is answered."""
        self.at += 1
        return self.reviewing and len(self.questions) == 1

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The answers as they are now."""
        return tuple(
            Answer(
                question.question,
                tuple(question.options[i].label for i in sorted(draft.marked)),
                draft.other,
            )
            for question, draft in zip(self.questions, self.drafts, strict=True)
        )
