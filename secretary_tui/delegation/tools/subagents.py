"""Agent (once Task): an agent gives a task to another one of the library (seed 002).

The called agent runs as the chosen one does, with at most its caller's tools, and tells what it
does through the caller's events, wrapped in `SubagentEvent`.
"""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from secretary_tui.delegation.call_limits import MAX_CALLS, Lineage
from secretary_tui.delegation.permissions.rules import Subject, covers_topic
from secretary_tui.delegation.tools.sdk import ToolError
from secretary_tui.delegation.tools.tool_calls import ToolCall
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.tools.tool_inputs import AgentInput
from secretary_tui.events import (
    PASSING,
    Outcome,
    RunEvent,
    RunFailed,
    RunFinished,
    SubagentEvent,
    TextDelta,
    ThinkingDelta,
    to_json,
)
from secretary_tui.people import ToolRequest
from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.sanitize import clean_line, reveal
from secretary_tui.tool_table import AGENT

Emit: TypeAlias = Callable[[RunEvent], None]
Start: TypeAlias = Callable[[AgentSpec, str, Emit], Awaitable[None]]
"""Runs an agent on a task to its end, telling what happens."""

_MAX_LIST = 6_000
"""Characters of the list of agents in the tool's description."""
_MAX_NAMES = 6_000
"""Characters of the names of those that don't fit into it."""
_MAX_LINE = 140
_MAX_RESULT = 60_000


class AgentTool:
    """Calls other agents for the one whose run has this `context`."""

    def __init__(self, context: ToolContext, lineage: Lineage, start: Start) -> None:
        self._context = context
        self._lineage = lineage
        self._start = start
        groups = context.offered.patterns(AGENT)
        self._agents = {
            spec.id: spec
            for spec in lineage.callable(context.agent_id)
            if all(covers_topic(group, spec.id) for group in groups)
        }

    @property
    def about(self) -> str:
        """The agents that may be called: a line each, and the names alone of those beyond."""
        agents = list(self._agents.values())
        lines: list[str] = []
        room = _MAX_LIST
        for spec in agents:
            line = f"- {clean_line(spec.id)}: {clean_line(spec.summary)}"[:_MAX_LINE]
            room -= len(line) + 1
            if room < 0:
                lines.append(_names_of(agents[len(lines) :]))
                break
            lines.append(line)
        return "\n".join(lines) or "none"

    async def run(self, call: ToolCall, asked: AgentInput) -> str:
        """Run the named agent on the task, and give what it answers."""
        agent = await self._read_again(self._agent(asked.subagent_type))
        await self._permit(call, agent, asked.prompt)
        if not self._lineage.quota.take():
            raise ToolError(
                f"{MAX_CALLS} agents were called in this run, which is the most. Do it yourself."
            )
        nested = _Nested(call.id, agent.id, self._context.emit)
        try:
            await self._start(agent, asked.prompt, nested.take)
        finally:
            nested.flush()
        return _result(agent.id, nested.last)

    def _agent(self, wanted: str) -> AgentSpec:
        agent = self._agents.get(wanted)
        if agent is not None:
            return agent
        shown = clean_line(wanted)[:80]
        if wanted in (self._context.agent_id, *self._lineage.callers):
            raise ToolError(f"{shown} is already at work on this; an agent can't call itself.")
        near = difflib.get_close_matches(wanted, list(self._agents), n=3, cutoff=0.5)
        hint = f" Near: {', '.join(near)}." if near else ""
        raise ToolError(f"There is no agent {shown!r} that you may call.{hint}")

    async def _read_again(self, agent: AgentSpec) -> AgentSpec:
        try:
            return await asyncio.to_thread(self._lineage.library.read_again, agent)
        except LookupError as error:
            raise ToolError(f"{clean_line(str(error))}.") from None

    async def _permit(self, call: ToolCall, agent: AgentSpec, prompt: str) -> None:
        request = ToolRequest(
            call.id,
            self._context.agent,
            AGENT,
            agent.id,
            reveal(prompt),
            str(self._context.workspace.root),
            input=call.input,
        )
        subject = Subject(AGENT, topic=agent.id)
        verdict = await self._context.permissions.check_by_rules(request, subject)
        if not verdict.allowed:
            raise ToolError(verdict.reason)


def _names_of(agents: list[AgentSpec]) -> str:
    names: list[str] = []
    room = _MAX_NAMES
    for spec in agents:
        name = clean_line(spec.id)[:_MAX_LINE]
        room -= len(name) + 2
        if room < 0:
            break
        names.append(name)
    more = len(agents) - len(names)
    return f"- also: {', '.join(names)}" + (f", and {more} more" if more else "")


class _Nested:
    """Wraps the events of a called agent; its text is gathered, since it is not shown live."""

    def __init__(self, tool_use_id: str, agent: str, emit: Emit) -> None:
        self._tool_use_id = tool_use_id
        self._agent = agent
        self._emit = emit
        self._kind: type[TextDelta] | type[ThinkingDelta] | None = None
        self._pieces: list[str] = []
        self.last: RunEvent | None = None

    def take(self, event: RunEvent) -> None:
        if isinstance(event, TextDelta | ThinkingDelta):
            if self._kind is not type(event):
                self.flush()
                self._kind = type(event)
            self._pieces.append(event.text)
            return
        if isinstance(event, PASSING):
            self._emit(event)  # A passing state of the whole run, and never logged.
            return
        self.flush()
        self.last = event
        self._pass_on(event)

    def flush(self) -> None:
        if self._kind is not None:
            event = self._kind("".join(self._pieces))
            self._kind = None
            self._pieces.clear()
            self._pass_on(event)

    def _pass_on(self, event: RunEvent) -> None:
        self._emit(SubagentEvent(self._tool_use_id, self._agent, to_json(event)))


def _result(agent: str, last: RunEvent | None) -> str:
    """Give what the caller reads.

    Raises:
        ToolError: the called agent failed.
    """
    if isinstance(last, RunFailed):
        raise ToolError(f"{agent} failed: {last.error} {last.suggestion}".strip())
    if not isinstance(last, RunFinished):
        raise ToolError(f"{agent} ended without a result.")
    text = last.text[:_MAX_RESULT]
    if len(last.text) > len(text):
        text += "\n[cut: the answer is longer]"
    if last.outcome is not Outcome.DONE:
        text += f"\n[{agent} ended early ({last.stop_reason}), so this may be incomplete.]"
    return text or f"{agent} ended without an answer."
