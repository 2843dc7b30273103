"""What an agent plans and whom it calls, on the screen: checklists and nested runs."""

from __future__ import annotations

from secretary_tui import events
from secretary_tui.events import Todo, to_json
from secretary_tui.widgets.transcript.nested_run import MAX_LINES, NestedRun
from tests.widgets.transcript.test_transcript_run_view import STARTED, USAGE, rows_of

FIRST = events.TodosChanged((Todo("Read it", "in_progress", "Reading it"), Todo("Fix it")))
SECOND = events.TodosChanged((Todo("Read it", "completed"), Todo("Fix it", "in_progress")))


def called(event: events.RunEvent) -> events.SubagentEvent:
    return events.SubagentEvent("call", "helper", to_json(event))


CALL = events.ToolStarted("call", "Agent", "helper: a look", {"prompt": "Look."})
COURSE = [
    STARTED,
    CALL,
    called(events.ToolStarted("t1", "Read", "a.txt")),
    called(events.ToolFinished("t1", "Read", "text", False, 0.1)),
    called(events.ToolStarted("t2", "Bash", "make")),
]


async def test_a_checklist_is_updated_where_it_stands() -> None:
    started = events.ToolStarted("w", "TodoWrite", "todos")
    finished = events.ToolFinished("w", "TodoWrite", "kept", False, 0.1)
    rows = await rows_of([started, FIRST, finished, events.TextDelta("Now.")])
    assert rows == ["≡ Steps 0 of 2 done", "● Reading it", "○ Fix it", "Now."]
    rows = await rows_of([FIRST, events.TextDelta("Now."), started, SECOND, finished])
    assert rows == ["≡ Steps 1 of 2 done", "✓ Read it", "● Fix it", "Now."]


async def test_a_checklist_of_another_run_stays_as_it_was() -> None:
    end = events.RunFinished(events.Outcome.DONE, "end_turn", "x", USAGE, 0.0, 1, 1.0)
    rows = await rows_of([FIRST, end, STARTED, SECOND])
    assert [row for row in rows if row.startswith("≡")] == [
        "≡ Steps 0 of 2 done",
        "≡ Steps 1 of 2 done",
    ]


async def test_a_step_is_shown_as_text_and_never_as_markup() -> None:
    evil = events.TodosChanged((Todo("[@click=app.quit]x[/] \x1b]52;c;aGk=\x07"),))
    rows = await rows_of([evil])
    assert rows[1] == "○ [@click=app.quit]x[/]"


async def test_a_todo_list_that_was_refused_is_a_failed_call() -> None:
    rows = await rows_of([events.ToolFinished("w", "TodoWrite", "doesn't fit", True, 0.1)])
    assert "TodoWrite" in rows[0]
    assert "doesn't fit" in rows[0]


async def test_the_line_of_a_called_agent_says_what_it_does_now() -> None:
    rows = await rows_of(COURSE)
    assert "Agent helper: a look · 2 tools · Bash make" in rows[-1]


async def test_unfolding_shows_the_course_of_the_called_agent() -> None:
    end = events.RunFinished(events.Outcome.DONE, "end_turn", "x", USAGE, 0.0, 2, 1.0)
    rows = await rows_of(
        [
            *COURSE,
            called(events.ToolFinished("t2", "Bash", "no rule to make", True, 0.1)),
            called(events.TextDelta("It fails.")),
            called(end),
            events.ToolFinished("call", "Agent", "It fails.", False, 2.0),
        ],
        unfold=True,
    )
    text = "\n".join(rows)
    assert "✓ Read a.txt" in text
    assert "✗ Bash make: no rule to make" in text
    assert "· 2 tools" in next(row for row in rows if "Agent helper" in row)


async def test_a_call_that_waits_for_the_user_says_so() -> None:
    asked = called(events.PermissionAsked("t2", "Bash", "make", "make"))
    rows = await rows_of([*COURSE, asked])
    assert "waiting for you" in rows[-1]


def test_a_called_agents_own_calls_are_indented_and_the_course_is_bounded() -> None:
    nested = NestedRun()
    deep = events.SubagentEvent("t3", "deep", to_json(events.ToolStarted("x", "Grep", "key")))
    nested.take(events.ToolStarted("t3", "Agent", "deep"))
    nested.take(deep)
    assert "    deep › Grep key" in nested.lines
    assert nested.note == "1 tool · deep › 1 tool · Grep key"
    for number in range(MAX_LINES + 5):
        nested.take(events.ToolStarted(str(number), "Read", "x"))
    assert nested.lines.count("\n") == MAX_LINES
    assert nested.lines.endswith("… 7 more")
