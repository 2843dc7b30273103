"""What the events of a run are in words: one line each, in the order in which they matter.

`sentence_about` knows one event; `RunTeller`, for lines read aloud, knows the run so far.
"""

from __future__ import annotations

from collections.abc import Sequence

from secretary_tui.events import (
    ModelStarting,
    Notice,
    Outcome,
    PermissionAnswered,
    PromptRead,
    Retrying,
    RunEvent,
    RunFailed,
    RunFinished,
    RunStarted,
    SubagentEvent,
    TextDelta,
    Todo,
    TodosChanged,
    ToolFinished,
    ToolStarted,
    TurnDiscarded,
    Usage,
    from_json,
)
from secretary_tui.lines.output import amount, money, shorten
from secretary_tui.sanitize import clean_line
from secretary_tui.tool_table import shows_calls

_WIDTH = 300
"""Characters of a tool call or its fault that are said; the log has all of it."""
_SHORT = 160
"""The same of what is read and not heard."""
_LONG_S = 1.0
"""Seconds from which on it is said how long a tool took."""
_PATIENCE_S = 3.0
"""Seconds after which it is said how far a model on this machine has read."""
_STATES = {"completed": "done", "in_progress": "in progress"}
_OUTCOMES = {Outcome.DONE: "Done", Outcome.INTERRUPTED: "Interrupted", Outcome.FAILED: "Failed"}

_MODES = {
    "plan": "plan mode: read-only",
    "deny": "deny mode: whatever would ask is denied",
}


class RunTeller:
    """Tells one run, and those of the agents it calls; `by` is named first in a called one."""

    def __init__(self, by: str = "") -> None:
        self._by = f"{clean_line(by)}: " if by else ""
        self._calls: dict[str, str] = {}
        """The calls at work, by id, as they are said."""
        self._todos: tuple[Todo, ...] = ()
        self._called: dict[str, RunTeller] = {}
        self._read = 0
        """Quarters of the prompt of which it was said that they were read."""

    def lines(self, event: RunEvent) -> list[str]:
        """Give the lines about an event; none for what needs none, and for streamed text."""
        return [self._by + line for line in self._lines(event) if line]

    def call(self, tool_use_id: str) -> str:
        """How a call that is at work is said; empty when it isn't."""
        return self._calls.get(tool_use_id, "")

    def _lines(self, event: RunEvent) -> Sequence[str]:
        match event:
            case TextDelta() | ToolStarted():
                self._remember(event)
                return ()
            case ToolFinished():
                return (self._finished(event),)
            case ModelStarting() | PromptRead():
                return self._waiting(event)
            case TodosChanged(todos=todos):
                before, self._todos = self._todos, todos
                return said_todos(before, todos)
            case SubagentEvent():
                return self._inner(event)
            case RunFinished():
                return (self._ending(event),)
            case RunFailed() if not self._by:  # Why is said by the question that follows.
                return (f"Failed. {bill(event.usage, event.cost_usd, event.elapsed_s)}",)
        return (sentence_about(event),)

    def _waiting(self, event: ModelStarting | PromptRead) -> Sequence[str]:
        """Say each quarter once; a prompt that is read in a moment needs no words."""
        if isinstance(event, ModelStarting):
            return (loading(event),)
        before, self._read = self._read, event.percent // 25
        if event.elapsed_s < _PATIENCE_S or self._read in (before, 4):
            return ()
        left = "" if event.left_s is None else f", about {event.left_s:.0f} seconds left"
        return (f"The model reads the prompt: {event.percent} percent{left}.",)

    def _remember(self, event: RunEvent) -> None:
        if isinstance(event, ToolStarted) and shows_calls(event.name):
            said = shorten(clean_line(f"{event.name} {event.summary}"), _WIDTH)
            self._calls[event.tool_use_id] = said

    def _finished(self, event: ToolFinished) -> str:
        said = self._calls.pop(event.tool_use_id, "")
        if not (shows_calls(event.name) or event.is_error):
            return ""  # Its list was said.
        said = said or event.name
        if event.is_error:
            fault = shorten(clean_line(event.output), _WIDTH).rstrip(".")
            return f"{said}: failed, {fault}."
        parts = [f"{said}: done", amount(len(event.output.splitlines()), "line")]
        if event.elapsed_s >= _LONG_S:
            parts.append(f"{event.elapsed_s:.0f} seconds")
        return ", ".join(parts) + "."

    def _inner(self, event: SubagentEvent) -> Sequence[str]:
        inner = from_json(event.event)
        if inner is None or isinstance(inner, RunStarted | RunFinished):
            return ()
        teller = self._called.setdefault(event.tool_use_id, RunTeller(event.agent))
        return teller.lines(inner)

    def _ending(self, event: RunFinished) -> str:
        reason = clean_line(event.stop_reason)
        outcome = _OUTCOMES.get(event.outcome, f"Ended early ({reason})")
        turns = amount(event.turns, "turn")
        return f"{outcome}. {turns}, {bill(event.usage, event.cost_usd, event.elapsed_s)}"


def loading(event: ModelStarting) -> str:
    """Say which model is brought into memory."""
    return f"Loading {clean_line(event.model)}."


def bill(usage: Usage, cost_usd: float | None, elapsed_s: float) -> str:
    """Say what a run took: tokens, dollars where the price is known, seconds."""
    cost = money(cost_usd) or "cost unknown"
    return f"{amount(usage.total, 'token')}, {cost}, {elapsed_s:.1f} seconds."


def said_todos(before: Sequence[Todo], after: Sequence[Todo]) -> list[str]:
    """Say a list of steps: all of a new one, else those whose state has changed."""
    same = [todo.content for todo in before] == [todo.content for todo in after]
    lines = [] if same or not after else [f"{amount(len(after), 'step')}:"]
    for number, todo in enumerate(after, 1):
        if same and before[number - 1].status == todo.status:
            continue
        state = _STATES.get(todo.status, "to do")
        lines.append(f"Step {number} of {len(after)}, {state}: {clean_line(todo.content)}")
    return lines


def sentence_about(event: RunEvent) -> str:
    """One line about an event, empty for those that need none."""
    sentence = ""
    match event:
        case RunStarted():
            tools = ", ".join(event.tools) or "none"
            verb = "continues" if event.resumed else "starts"
            mode = f"; {_MODES[event.permission_mode]}" if event.permission_mode in _MODES else ""
            sentence = f"{event.agent} {verb} with {event.model}; tools: {tools}{mode}"
        case SubagentEvent():
            sentence = _said_by(event)
        case TodosChanged():
            sentence = _steps(event)
        case ToolStarted() if shows_calls(event.name):  # Its list is said instead.
            sentence = f"{event.name} {event.summary}"
        case ToolFinished() if event.is_error:
            sentence = f"{event.name} failed: {event.output}"
        case PermissionAnswered() if event.decision == "deny" and event.by in ("rule", "mode"):
            sentence = f"Denied by {event.by}. {event.reason}"
        case Retrying():
            when = f"in {event.delay_s:.0f} s" if event.delay_s >= 0.5 else "now"
            sentence = (
                f"{event.reason.rstrip('.')}. Retrying {when} "
                f"({event.attempt} of {event.max_attempts})."
            )
        case TurnDiscarded():
            sentence = f"The last part of the answer was discarded: {event.reason}"
        case Notice():
            sentence = event.text
        case RunFinished():
            sentence = _ending_of(event)
        case RunFailed():
            sentence = f"Failed: {event.error} {event.suggestion}"
    sentence = clean_line(sentence)
    short = isinstance(event, ToolStarted | ToolFinished | SubagentEvent)
    return shorten(sentence, _SHORT) if short else sentence


def _said_by(event: SubagentEvent) -> str:
    inner = from_json(event.event)
    if inner is None or isinstance(inner, RunStarted | RunFinished):
        return ""
    said = sentence_about(inner)
    return f"{event.agent} › {said}" if said else ""


def _steps(event: TodosChanged) -> str:
    marks = {"completed": "x", "in_progress": ">"}
    steps = (f"[{marks.get(todo.status, ' ')}] {todo.content}" for todo in event.todos)
    return "Steps: " + " · ".join(steps) if event.todos else ""


def _ending_of(event: RunFinished) -> str:
    parts = [
        str(event.outcome),
        amount(event.turns, "turn"),
        amount(event.usage.total, "token"),
        money(event.cost_usd),
        f"{event.elapsed_s:.1f} s",
    ]
    if event.outcome is Outcome.PARTIAL:
        parts[0] = f"partial ({event.stop_reason})"
    return " · ".join(filter(None, parts))
