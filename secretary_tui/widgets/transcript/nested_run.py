"""What an agent does that another one called, in a few lines inside the call's block."""

from __future__ import annotations

from secretary_tui import events
from secretary_tui.sanitize import clean, clean_line

MAX_LINES = 400
"""Lines that are kept; the log has all of them."""
_MAX_TEXT = 600
_INDENT = "    "


class NestedRun:
    """Takes the events of a called agent in order, and says what to show."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._left_out = 0
        self._calls: dict[str, tuple[str, int | None]] = {}
        """Per tool call: what it is, and the number of its line (None once it is left out)."""
        self._nested: dict[str, NestedRun] = {}
        self._tools = 0
        self._now = ""
        self._waiting = ""
        self._end = ""

    @property
    def lines(self) -> str:
        """Its course, a line for each step."""
        more = [f"… {self._left_out} more"] if self._left_out else []
        return "\n".join([*self._lines, *more])

    @property
    def note(self) -> str:
        """Where it stands, in a few words: its tools so far and the last one."""
        count = f"{self._tools} tool" + ("s" if self._tools != 1 else "")
        return " · ".join(filter(None, (self._end, count, self._waiting or self._now)))

    def take(self, event: events.RunEvent) -> None:
        """Take the next event."""
        match event:
            case events.ToolStarted():
                self._tools += 1
                self._now = clean_line(f"{event.name} {event.summary}".strip())
                self._calls[event.tool_use_id] = (self._now, self._add(f"● {self._now}"))
            case events.ToolFinished():
                self._finish(event)
            case events.TextDelta() if event.text.strip():
                for line in clean(event.text).strip()[:_MAX_TEXT].splitlines():
                    self._add(line)
            case events.TodosChanged():
                done = sum(todo.status == "completed" for todo in event.todos)
                self._add(f"≡ {done} of {len(event.todos)} steps done")
            case events.PermissionAsked():
                self._waiting = "waiting for you"
            case events.PermissionAnswered():
                self._waiting = ""
            case events.Notice() | events.Retrying():
                text = event.text if isinstance(event, events.Notice) else event.reason
                self._add(f"! {clean_line(text)}")
            case events.SubagentEvent():
                self._take_nested(event)
            case events.RunFinished() | events.RunFailed():
                self._close(event)

    def _take_nested(self, event: events.SubagentEvent) -> None:
        inner = events.from_json(event.event)
        if inner is None:
            return
        nested = self._nested.setdefault(event.tool_use_id, NestedRun())
        nested.take(inner)
        if isinstance(inner, events.ToolStarted):
            self._add(f"{_INDENT}{clean_line(event.agent)} › {nested._now}")
        self._now = f"{clean_line(event.agent)} › {nested.note}"

    def _finish(self, event: events.ToolFinished) -> None:
        what, line = self._calls.get(event.tool_use_id, (clean_line(event.name), None))
        self._waiting = ""
        if line is not None:
            why = f": {clean_line(event.output[:160])}" if event.is_error else ""
            self._lines[line] = f"{'✗' if event.is_error else '✓'} {what}{why}"

    def _close(self, event: events.RunFinished | events.RunFailed) -> None:
        self._now = self._waiting = ""
        if isinstance(event, events.RunFailed):
            self._add(f"✗ {clean_line(event.error)}")
            self._end = "failed"
        elif event.outcome is not events.Outcome.DONE:
            self._end = str(event.outcome)

    def _add(self, line: str) -> int | None:
        if len(self._lines) >= MAX_LINES:
            self._left_out += 1
            return None
        self._lines.append(line)
        return len(self._lines) - 1
