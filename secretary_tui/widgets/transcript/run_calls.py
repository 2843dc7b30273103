"""The tool calls of a run in its transcript: one block a call, from its start to its result."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from secretary_tui import events
from secretary_tui.sanitize import clean_line
from secretary_tui.tool_table import shows_calls
from secretary_tui.widgets.transcript.nested_run import NestedRun
from secretary_tui.widgets.transcript.transcript import Transcript
from secretary_tui.widgets.transcript.transcript_blocks import ToolCallBlock, ToolState

_ALLOWED = {"once": "", "run": "allowed for this run", "always": "always allowed"}


class RunCalls:
    """Blocks by the id of their call.

    Args:
        transcript: Where they stand.
        live: Whether the events happen now, so that the time of a call passes.
        added: Called with the id of each new block.
    """

    def __init__(self, transcript: Transcript, *, live: bool, added: Callable[[int], None]) -> None:
        self._transcript = transcript
        self._live = live
        self._added = added
        self._blocks: dict[str, int] = {}
        self._open: set[str] = set()
        """Calls without a result."""
        self._nested: dict[str, NestedRun] = {}
        """Per call of Agent, what the called agent does."""

    def clear(self) -> None:
        """Forget all calls."""
        self._blocks.clear()
        self._open.clear()
        self._nested.clear()

    def started(self, event: events.ToolStarted) -> None:
        """Show a call."""
        if shows_calls(event.name):  # Its list is shown instead.
            self._add(event)

    def nested(self, event: events.SubagentEvent) -> None:
        """Show in the block of the call what the called agent does."""
        inner = events.from_json(event.event)
        if inner is None or event.tool_use_id not in self._blocks:
            return
        nested = self._nested.setdefault(event.tool_use_id, NestedRun())
        nested.take(inner)
        call = self._call(event.tool_use_id)
        self._put(event.tool_use_id, replace(call, inside=nested.lines, note=nested.note))

    def asked(self, event: events.PermissionAsked) -> None:
        """Show what a call would do, while it waits for an answer."""
        is_diff = event.detail.startswith(("--- ", "@@ ", "diff "))
        if event.tool_use_id not in self._blocks:
            self.started(events.ToolStarted(event.tool_use_id, event.name, event.summary))
        call = self._call(event.tool_use_id)
        if is_diff:
            call = replace(call, diff=event.detail)
        elif not call.input:
            call = replace(call, input=event.detail)
        self._put(event.tool_use_id, replace(call, state=ToolState.WAITING))

    def answered(self, event: events.PermissionAnswered) -> None:
        """Show that a call was allowed or denied, and by what."""
        if event.tool_use_id not in self._blocks:
            return
        call = self._call(event.tool_use_id)
        by = "" if event.by in ("user", "nobody") else f"by {event.by}"
        if event.decision == "deny":
            note = ": ".join(part for part in (by, event.reason) if part)
            call = replace(call, state=ToolState.DENIED, note=note)
        else:
            note = _ALLOWED.get(event.decision, "") or (f"allowed {by}" if by else "")
            started = time.monotonic() if self._live else None
            call = replace(call, state=ToolState.RUNNING, note=note, started=started)
        self._put(event.tool_use_id, call)

    def finished(self, event: events.ToolFinished) -> None:
        """Show the result of a call."""
        if not (shows_calls(event.name) or event.is_error):
            return
        if event.tool_use_id not in self._blocks:
            self._add(events.ToolStarted(event.tool_use_id, event.name, ""))
        call = self._call(event.tool_use_id)
        state, note = ToolState.DONE, call.note
        if call.state is ToolState.DENIED:
            state = ToolState.DENIED
        elif event.is_error:
            state, note = ToolState.FAILED, clean_line(event.output[:200])
        self._put(
            event.tool_use_id,
            replace(call, state=state, note=note, output=event.output, elapsed_s=event.elapsed_s),
        )
        self._open.discard(event.tool_use_id)

    def close(self) -> None:
        """Calls that never ended are shown as interrupted, not as running for ever."""
        for tool_use_id in self._open:
            call = self._call(tool_use_id)
            if call.state is not ToolState.DENIED:
                self._put(tool_use_id, replace(call, state=ToolState.INTERRUPTED))
        self._open.clear()

    def _add(self, event: events.ToolStarted) -> None:
        block_id = self._transcript.add(
            ToolCallBlock(
                event.name,
                event.summary,
                input=_lines_of(event.input),
                started=time.monotonic() if self._live else None,
            )
        )
        self._blocks[event.tool_use_id] = block_id
        self._open.add(event.tool_use_id)
        self._added(block_id)

    def _call(self, tool_use_id: str) -> ToolCallBlock:
        block = self._transcript.content[self._blocks[tool_use_id]].block
        assert isinstance(block, ToolCallBlock)
        return block

    def _put(self, tool_use_id: str, call: ToolCallBlock) -> None:
        self._transcript.replace(self._blocks[tool_use_id], call)


def _lines_of(values: Mapping[str, object]) -> str:
    """Write a tool's input as `name: value` lines; a long value stands below its name."""
    lines = []
    for name, value in values.items():
        text = value if isinstance(value, str) else str(value)
        lines.append(f"{name}:\n{text}" if "\n" in text else f"{name}: {text}")
    return "\n".join(lines)
