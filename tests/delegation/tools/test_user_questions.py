"""AskUserQuestion: the agent asks the user, and hears also that nobody answered."""

from __future__ import annotations

import asyncio
from typing import Any

from secretary_tui.delegation.run_delegation import RunControl
from secretary_tui.events import ToolFinished
from secretary_tui.lines.line_people import NobodyThere
from secretary_tui.people import Answer, Question
from tests.delegation.conftest import Runner, ScriptedPerson, only
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use

AGENT = {"tools": ("AskUserQuestion",)}


def question(number: int) -> dict[str, Any]:
    return {
        "question": f"Which {number}?",
        "header": "A header that is too long",
        "options": [{"label": "One", "description": "the first"}, {"label": "Two"}],
        "multiSelect": number == 2,
    }


async def ask(runner: Runner, person: Any, *numbers: int) -> str:
    call = tool_use("AskUserQuestion", {"questions": [question(n) for n in numbers]})
    with ScriptedServer(answer(call), answer(text("ok"))) as server:
        events = await runner.run(server, person, agent=AGENT)
    return only(events, ToolFinished)[0].output


async def test_the_answers_reach_the_model(runner: Runner) -> None:
    person = ScriptedPerson()
    person.replies = [(Answer("Which 1?", ("Two",)), Answer("Which 2?", ("One",), "and more"))]
    assert await ask(runner, person, 1, 2) == "Which 1? -> Two\nWhich 2? -> One, and more"
    (asked,) = person.questions
    assert [len(one.header) <= 12 for one in asked] == [True, True]
    assert [one.multi_select for one in asked] == [False, True]
    assert asked[0].options[0].description == "the first"
    assert asked[0].asker == "tester"


async def test_a_fourth_question_is_not_asked_and_the_model_is_told(runner: Runner) -> None:
    person = ScriptedPerson()
    person.replies = [(Answer("Which 1?", ("One",)),)]
    output = await ask(runner, person, 1, 2, 3, 4)
    assert len(person.questions[0]) == 3
    assert output.splitlines() == [
        "Which 1? -> One",
        "Which 2? -> skipped; decide yourself",
        "Which 3? -> skipped; decide yourself",
        "Which 4? -> not asked: too many at once",
    ]


async def test_skipped_questions_are_decided_by_the_model(runner: Runner) -> None:
    assert "Decide yourself" in await ask(runner, ScriptedPerson(), 1)


async def test_where_nobody_is_there_the_model_is_told_so(runner: Runner) -> None:
    assert "nobody can be asked" in await ask(runner, NobodyThere(), 1)


class Thinker(ScriptedPerson):
    """Never answers."""

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        self.asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.withdrawn = True
        return ()


async def test_interrupting_the_run_withdraws_the_question(runner: Runner) -> None:
    person, control = Thinker(), RunControl()
    call = tool_use("AskUserQuestion", {"questions": [question(1)]})
    with ScriptedServer(answer(call)) as server:

        async def stop() -> None:
            await person.asked.wait()
            control.interrupt()

        stopper = asyncio.create_task(stop())
        events = await runner.run(server, person, control=control, agent=AGENT)
        await stopper
    assert person.withdrawn
    assert events[-1].type == "run_finished"
