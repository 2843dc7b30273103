"""What is learnt from which choice, and for whom."""

from __future__ import annotations

import pytest

from secretary_tui.people import RouteAction
from secretary_tui.routing.match.lessons import (
    ELSEWHERE,
    HALF_LIFE_DAYS,
    MOST_EXAMPLES,
    PASSED_OVER,
    LessonBook,
    Origin,
    learn,
    numbered,
)
from secretary_tui.sessions.decisions import DecisionLog, Shown
from tests.routing.library import LIBRARY, make_agent
from tests.sessions.stored_decisions import decision

GROUPS = [(spec,) for spec in LIBRARY]


def weights(lessons):
    return {(each.agent, each.example.origin): each.example.weight for each in lessons}


def test_an_accepted_request_is_an_example_of_its_agent():
    (lesson,) = learn([decision()])
    assert (lesson.agent, lesson.file) == ("security-auditor", "security-auditor")
    assert lesson.example.request == "audit the login code for security holes"
    assert (lesson.example.origin, lesson.example.weight) == (Origin.CHOSEN, 1.0)


@pytest.mark.parametrize("action", [RouteAction.ALTERNATIVE, RouteAction.OTHER])
def test_choosing_another_teaches_for_it_and_mildly_against_the_first(action):
    lessons = learn([decision(action=str(action), agent="code-critic")])
    assert weights(lessons) == {
        ("code-critic", Origin.CHOSEN): 1.0,
        ("security-auditor", Origin.PASSED_OVER): PASSED_OVER,
    }
    unsure = decision(action=str(action), agent="code-critic", recommended=None)
    assert weights(learn([unsure])) == weights(lessons)


def test_cancelling_and_not_choosing_teach_nothing():
    assert learn([decision(action="cancel", agent=None), decision(action=None, agent=None)]) == ()
    assert learn([decision(action="cancel", agent="code-critic")]) == ()
    assert learn([decision(request="  ")]) == ()


def test_the_same_request_chosen_again_counts_as_often():
    (lesson,) = learn([decision(), decision(request=" Audit the login code  for security holes")])
    assert (lesson.example.times, lesson.example.weight) == (2, 2.0)


def test_an_old_choice_counts_less_than_a_new_one():
    days = int(HALF_LIFE_DAYS)
    old, new = learn([decision(days, request="new"), decision(0, request="old")])
    assert (old.example.request, old.example.weight) == ("old", pytest.approx(0.5))
    assert new.example.weight == 1.0


def test_a_choice_in_another_project_counts_less_and_is_known_to_be_one():
    (lesson,) = learn([], [decision()])
    assert lesson.example.weight == ELSEWHERE
    assert lesson.example.elsewhere
    (both,) = learn([decision()], [decision(1)])
    assert not both.example.elsewhere


def test_of_many_requests_for_one_agent_the_newest_are_kept():
    made = [decision(number, request=f"task {number}") for number in range(MOST_EXAMPLES + 5)]
    again = decision(MOST_EXAMPLES + 9, request="task 0")
    kept = [lesson.example.request for lesson in learn([*made, again])]
    assert len(kept) == MOST_EXAMPLES
    assert kept[-1] == "task 0"
    assert "task 1" not in kept


def placed(agent, groups, **given):
    lessons = learn([decision(agent=agent, action="accept", recommended=agent, **given)])
    return [groups[number][0].id for number, _ in numbered(lessons, groups)]


def test_a_lesson_finds_its_agent_by_id():
    assert placed("words:docs-writer", GROUPS) == ["words:docs-writer"]
    assert placed("nobody", GROUPS) == []


def test_the_same_agent_in_another_place_is_known_by_its_name():
    assert placed("docs-writer", GROUPS) == ["words:docs-writer"]
    assert placed("mine:docs-writer", GROUPS) == ["words:docs-writer"]


def test_the_same_file_is_the_same_agent_whatever_it_is_called():
    renamed = make_agent("other-name", "Audits.", "Audit code.")
    path = str(renamed.path)
    shown = (Shown("security-auditor", path, 90),)
    assert placed("security-auditor", [*GROUPS, (renamed,)], shown=shown) == [renamed.id]


def test_a_name_that_two_agents_have_says_nothing():
    twins = [*GROUPS, (make_agent("docs-writer", "Other.", "Another one.", plugin="b"),)]
    assert placed("c:docs-writer", twins) == []
    assert placed("b:docs-writer", twins) == ["b:docs-writer"]


def test_the_book_reads_this_project_and_less_of_the_others(tmp_path):
    here, other = tmp_path / "here", tmp_path / "other"
    for project in (here, other):
        project.mkdir()
        DecisionLog.of(project).add(decision())
    DecisionLog.of(here).add(decision(1, request="here alone"))
    book = LessonBook(here)
    known = {lesson.example.request: lesson.example for lesson in book.lessons()}
    assert known["audit the login code for security holes"].times == 2
    assert known["audit the login code for security holes"].weight < 1.6
    assert known["here alone"].weight == 1.0


def test_the_book_follows_the_log(tmp_path):
    log = DecisionLog.of(tmp_path)
    book = LessonBook(tmp_path)
    assert book.lessons() == ()
    log.add(decision())
    lessons = book.lessons()
    assert len(lessons) == 1
    assert book.lessons() is lessons
    log.forget([decision().id])
    assert book.lessons() == ()
