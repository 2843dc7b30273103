"""What happened in a run, as entries fit to be read: what the exports have in common.

Text is cleaned and secrets are masked here, once for all formats: an export leaves the machine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from secretary_tui.events import (
    Notice,
    PermissionAnswered,
    RunEvent,
    RunFailed,
    RunStarted,
    SubagentEvent,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolStarted,
    TurnDiscarded,
    TurnStarted,
    UserMessage,
    from_json,
)
from secretary_tui.redact import environment_secrets, redact_prose
from secretary_tui.sanitize import clean


class EntryKind(StrEnum):
    """Who or what an entry is from."""

    USER = "user"
    ANSWER = "answer"
    """In markdown."""
    THINKING = "thinking"
    TOOL = "tool"
    NOTICE = "notice"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class ExportEntry:
    """One thing that was said or done."""

    kind: EntryKind
    text: str = ""
    """Of a tool call: its one-line summary."""
    tool: str = ""
    input: Mapping[str, Any] | None = None
    output: str = ""
    is_error: bool = False
    denied: bool = False
    elapsed_s: float | None = None
    """Of a tool call that ended."""
    inner: tuple[ExportEntry, ...] = ()
    """What the agent that was called did."""
    agent: str = ""
    """The agent that was called."""


def entries_of(events: Sequence[RunEvent]) -> tuple[ExportEntry, ...]:
    """Give what happened in its order; pieces of text are joined, calls have their results."""
    reader = _EntryReader(environment_secrets())
    for event in events:
        reader.take(event)
    return reader.entries


class _EntryReader:
    """Puts events together."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = secrets
        self._entries: list[ExportEntry] = []
        self._calls: dict[str, int] = {}
        self._inside: dict[str, _EntryReader] = {}
        self._turn = 0
        """Where the current turn begins."""

    @property
    def entries(self) -> tuple[ExportEntry, ...]:
        """What came of it."""
        entries = list(self._entries)
        for call, inside in self._inside.items():
            at = self._calls.get(call)
            if at is not None:
                entries[at] = replace(entries[at], inner=inside.entries)
        return tuple(
            replace(entry, text=self._fit(entry.text))
            for entry in entries
            if entry.text.strip() or entry.tool
        )

    def take(self, event: RunEvent) -> None:
        """Take the next event."""
        match event:
            case RunStarted(resumed=False):
                self._add(ExportEntry(EntryKind.USER, event.request))
            case UserMessage():
                self._add(ExportEntry(EntryKind.USER, event.text))
            case TurnStarted():
                self._turn = len(self._entries)
            case TextDelta():
                self._append(EntryKind.ANSWER, event.text)
            case ThinkingDelta():
                self._append(EntryKind.THINKING, event.text)
            case TurnDiscarded():
                spoken = (EntryKind.ANSWER, EntryKind.THINKING)
                rest = [e for e in self._entries[self._turn :] if e.kind not in spoken]
                self._entries[self._turn :] = rest
            case Notice():
                self._add(ExportEntry(EntryKind.NOTICE, event.text))
            case RunFailed():
                self._add(ExportEntry(EntryKind.ERROR, f"{event.error} {event.suggestion}".strip()))
            case ToolStarted() | PermissionAnswered() | ToolFinished() | SubagentEvent():
                self._take_call(event)

    def _take_call(
        self, event: ToolStarted | PermissionAnswered | ToolFinished | SubagentEvent
    ) -> None:
        call = event.tool_use_id
        if isinstance(event, ToolStarted):
            self._calls[call] = len(self._entries)
            given = self._plain(event.input)
            self._add(ExportEntry(EntryKind.TOOL, event.summary, self._fit(event.name), given))
            return
        at = self._calls.get(call)
        if at is None:
            return
        entry = self._entries[at]
        if isinstance(event, PermissionAnswered):
            self._entries[at] = replace(entry, denied=event.decision == "deny")
        elif isinstance(event, ToolFinished):
            self._entries[at] = replace(
                entry,
                output=self._fit(event.output),
                is_error=event.is_error,
                elapsed_s=self._plain(event.elapsed_s),
            )
        else:
            self._entries[at] = replace(entry, agent=self._fit(event.agent))
            inner = _event(event.event)
            if inner is not None:
                self._inside.setdefault(call, _EntryReader(self._secrets)).take(inner)

    def _append(self, kind: EntryKind, text: str) -> None:
        last = self._entries[-1] if len(self._entries) > self._turn else None
        if last is not None and last.kind is kind:
            self._entries[-1] = replace(last, text=last.text + text)
        else:
            self._add(ExportEntry(kind, text))

    def _add(self, entry: ExportEntry) -> None:
        self._entries.append(entry)

    def _fit(self, text: str) -> str:
        return redact_prose(clean(text), self._secrets)

    def _plain(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._fit(value)
        if isinstance(value, Mapping):
            return {self._fit(str(key)): self._plain(part) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [self._plain(part) for part in value]
        return None if isinstance(value, float) and not math.isfinite(value) else value


def _event(data: Mapping[str, Any]) -> RunEvent | None:
    try:
        return from_json(data)
    except (ValueError, TypeError):
        return None
