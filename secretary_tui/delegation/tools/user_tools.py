"""AskUserQuestion and TodoWrite: what an agent asks its user, and the list of steps it shows."""

from __future__ import annotations

from collections.abc import Callable

from secretary_tui.delegation.tools.tool_calls import ToolCall
from secretary_tui.delegation.tools.tool_inputs import AskUserQuestionInput, TodoWriteInput
from secretary_tui.events import RunEvent, Todo, TodosChanged
from secretary_tui.people import MAX_QUESTIONS, Answer, Option, People, Question
from secretary_tui.sanitize import clean, clean_line

_NO_ANSWER = (
    "The user gave no answer: the questions were skipped, or nobody can be asked in this run. "
    "Don't ask again. Decide yourself, and say in your answer what you assumed."
)


class AskUserTool:
    """Asks for the agent called `agent`."""

    about = ""

    def __init__(self, people: People, agent: str) -> None:
        self._people = people
        self._agent = agent

    async def run(self, call: ToolCall, asked: AskUserQuestionInput) -> str:
        """Ask, wait, and give the answers as lines. Cancelling withdraws the questions."""
        questions = tuple(
            Question(
                clean_line(one.question),
                clean_line(one.header)[:12],
                tuple(
                    Option(clean_line(option.label)[:80], clean_line(option.description)[:240])
                    for option in one.options
                ),
                one.multi_select,
                self._agent,
            )
            for one in asked.questions
        )
        now, later = questions[:MAX_QUESTIONS], questions[MAX_QUESTIONS:]
        answers = await self._people.ask_questions(now)
        if all(answer.skipped for answer in answers):
            return _NO_ANSWER
        lines = [_line(question, answers) for question in now]
        lines += [f"{question.question} -> not asked: too many at once" for question in later]
        return "\n".join(lines)


class TodoTool:
    """Keeps no list: each call brings the whole of it, and its event is what is shown."""

    about = ""

    def __init__(self, emit: Callable[[RunEvent], None]) -> None:
        self._emit = emit

    async def run(self, call: ToolCall, asked: TodoWriteInput) -> str:
        """Show the list."""
        todos = tuple(
            Todo(clean_line(item.content), item.status, clean_line(item.active_form))
            for item in asked.todos
        )
        self._emit(TodosChanged(todos))
        done = sum(todo.status == "completed" for todo in todos)
        return f"The user sees the list: {done} of {len(todos)} done."


def _line(question: Question, answers: tuple[Answer, ...]) -> str:
    texts = (one.text for one in answers if one.question == question.question and not one.skipped)
    return f"{question.question} -> {clean(next(texts, '')) or 'skipped; decide yourself'}"
