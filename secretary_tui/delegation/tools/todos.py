"""TodoWrite: the agent's list of steps, which the user sees as a checklist."""

from __future__ import annotations

from collections.abc import Callable

from secretary_tui.delegation.tools.tool_calls import ToolCall
from secretary_tui.delegation.tools.tool_inputs import TodoWriteInput
from secretary_tui.events import RunEvent, Todo, TodosChanged
from secretary_tui.sanitize import clean_line


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
