"""Answers as the user's own sentences behind the request."""

import pytest

from secretary_tui.people import Answer, QuestionAbout
from secretary_tui.routing.recommend.answer_sentences import fold_answers

OBJECT, GOAL, SCOPE = QuestionAbout.OBJECT, QuestionAbout.GOAL, QuestionAbout.SCOPE


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (Answer("Which login?", ("app/login.py",), about=OBJECT), "It is about app/login.py."),
        (Answer("What should be done?", ("Explain it",), about=GOAL), "Explain it."),
        (Answer("How far?", ("Only the tests",), about=SCOPE), "Scope: only the tests."),
        (Answer("Which?", ("A", "B"), "the third", about=SCOPE), "Scope: A and B and the third."),
        (Answer("How far?", other="the session code", about=SCOPE), "Scope: the session code."),
        (Answer("Which?", other="It is the one for admins!", about=OBJECT),
         "It is the one for admins!"),
        (Answer("Whose?", ("Mine",)), "Mine."),
        (Answer("Which?", other="{} \x1b[31mred", about=OBJECT), "It is about {} red."),
    ],
)  # fmt: skip
def test_an_answer_becomes_a_plain_sentence(answer: Answer, sentence: str) -> None:
    assert fold_answers("improve the login", (answer,)) == f"improve the login\n{sentence}"


def test_the_request_comes_first_and_nothing_of_the_questions_goes_along() -> None:
    answers = (
        Answer("Which login?", ("app/login.py",), about=OBJECT),
        Answer("What should get better?", about=GOAL),
    )
    assert fold_answers("  improve\x1b[1m it ", answers) == "improve it\nIt is about app/login.py."
