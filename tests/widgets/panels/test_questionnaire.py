"""What is marked and answered in a few questions, without a screen."""

from __future__ import annotations

from secretary_tui.people import MAX_QUESTIONS, Option, Question
from secretary_tui.widgets.panels.questionnaire import Questionnaire

ONE = Question("Which part?", "Part", (Option("login"), Option("search")))
MANY = Question("Which files?", "Files", (Option("a.py"), Option("b.py")), multi_select=True)


def answers(form: Questionnaire) -> list[str]:
    return [answer.text for answer in form.answers]


def test_a_single_choice_takes_the_other_mark_back_and_its_own() -> None:
    form = Questionnaire((ONE,))
    form.mark()
    form.move(1)
    form.mark()
    assert answers(form) == ["search"]
    form.mark()
    assert answers(form) == [""]


def test_several_marks_stay_and_are_answered_in_order() -> None:
    form = Questionnaire((MANY,))
    assert not form.takes_cursor
    form.put_cursor(1)
    form.mark()
    form.put_cursor(0)
    form.mark()
    assert form.answers[0].labels == ("a.py", "b.py")


def test_the_cursor_goes_around_over_other_and_no_further() -> None:
    form = Questionnaire((ONE,))
    form.move(-1)
    assert form.is_on_other
    form.move(1)
    assert form.draft.cursor == 0
    assert form.put_cursor(2)
    assert not form.put_cursor(3)
    assert not form.put_cursor(-1)
    assert form.is_on_other


def test_own_words_replace_a_single_mark_and_stand_beside_several() -> None:
    form = Questionnaire((ONE, MANY))
    form.mark()
    form.put_other("both")
    assert form.draft.marked == set()
    assert not form.takes_cursor
    form.go_on()
    form.mark()
    form.put_other("and c.py")
    assert form.draft.marked == {0}


def test_several_questions_end_in_a_review_from_which_one_can_go_back() -> None:
    form = Questionnaire((ONE, MANY))
    assert not form.go_on()
    assert not form.go_on()
    assert form.reviewing
    form.back()
    assert form.question == MANY
    form.back()
    form.back()
    assert form.question == ONE


def test_one_question_needs_no_review_and_more_than_a_few_are_not_asked() -> None:
    assert Questionnaire((ONE,)).go_on()
    assert len(Questionnaire((ONE,) * 9).questions) == MAX_QUESTIONS
