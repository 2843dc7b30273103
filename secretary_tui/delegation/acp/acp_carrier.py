"""One run on an ACP engine: another agent carries the definition out, and we hold it to our rules.

What can be held: its process stands behind walls, what it asks to do goes through our permissions,
files it reads and writes through us stay in the project, and what changed can be undone. What it
does with tools of its own without asking, only the walls hold.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from secretary_tui.delegation.acp.acp_agent import AcpAgent, CapReachedError
from secretary_tui.delegation.brief.prompt import delegation_prompt, follow_up_prompt
from secretary_tui.delegation.carrier.carrier import RunContext
from secretary_tui.delegation.carrier.endings import RunEnding, RunFault, plain_fault
from secretary_tui.delegation.carrier.run_course import RunCourse
from secretary_tui.delegation.carrier.run_opening import RunBrief, RunOpening
from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.mcp.mcp_tools import McpServers
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.spend.budget import Budget
from secretary_tui.delegation.spend.ledger import is_counted
from secretary_tui.delegation.undo.snapshots import Snapshots, watched_command
from secretary_tui.engines.acp.acp_engine import AcpEngine
from secretary_tui.engines.base import EngineError
from secretary_tui.events import (
    MessageAdded,
    Notice,
    Outcome,
    RunEvent,
    Usage,
    UsageAdded,
    UserMessage,
)
from secretary_tui.sanitize import clean
from secretary_tui.tool_table import BASH, EDIT, WRITE

_GO_ON = "Go on with what you were doing."
_ENDINGS: Mapping[str, RunEnding] = {
    "max_tokens": RunEnding(Outcome.PARTIAL, "The answer reached the agent's limit of tokens."),
    "max_turn_requests": RunEnding(Outcome.PARTIAL, "The agent reached its own limit of requests."),
    "refusal": RunEnding(Outcome.PARTIAL, "The agent declined to go on."),
    # A user who stops the run is not heard of here.
    "cancelled": RunEnding(Outcome.PARTIAL, "The agent stopped when a request of it was denied."),
}


class AcpCarrier:
    """Carries out a run by telling an agent of others what to do."""

    def __init__(self, run: RunContext, engine: AcpEngine) -> None:
        self._run = run
        self._engine = engine
        self._opening = RunOpening(run)
        self._cost = AcpCost(run.delegation.budget, run.emit, self._stop_answer)
        self._course = RunCourse(run, self._spent)
        self._agent: AcpAgent | None = None
        self._snapshots: Snapshots | None = None
        self._servers = McpServers()

    async def run(self) -> None:
        """Run to the end; cancelling leaves it to `interrupt` to close the run."""
        try:
            await self._carry_out()
        except RunFault as stop:
            self._course.fail(stop.fault)
        except CapReachedError:
            self._take_in()
            self._course.end_at_cap()
        except EngineError as error:
            self._take_in()
            self._course.fail(plain_fault(str(error), error.suggestion))

    def interrupt(self) -> None:
        """Close a run that was cancelled: keep what came."""
        self._opening.tell_start()
        self._take_in()
        self._course.interrupt()

    def say(self, text: str) -> None:
        """Have the agent told with the next prompt."""
        self._run.inbox.say(text)

    async def close(self) -> None:
        """End the agent's process and all that it started, and its MCP servers."""
        if self._agent is not None:
            await self._agent.close()
        await self._servers.close()
        if self._snapshots is not None:
            self._snapshots.close()

    async def _carry_out(self) -> None:
        brief = await self._opening.open()
        self._tell_task(brief.delegation)
        for notice in self._notices():
            self._run.emit(notice)
        agent = await self._start_agent(brief)
        said = _opening_words(brief)
        async with watched_command(self._snapshots, "acp", sandboxed=agent.is_confined) as problem:
            if problem:
                self._run.emit(Notice(problem, "warning"))
            await self._converse(agent, said)

    async def _start_agent(self, brief: RunBrief) -> AcpAgent:
        # The libraries take a second to load, which the event loop doesn't have.
        await asyncio.to_thread(importlib.import_module, "secretary_tui.delegation.acp.acp_client")
        from secretary_tui.delegation.tools.toolbox import Toolbox

        run, delegation = self._run, brief.delegation
        snapshots = self._snapshots = Snapshots(brief.workspace, delegation.run_id)
        context = brief.tool_context(run)
        deny = brief.access.rules.deny
        offered = await self._servers.open(delegation, context, deny, brief.mode)
        context = replace(context, offered=offered)
        writes = brief.mode is not PermissionMode.PLAN and bool(
            {WRITE, EDIT, BASH} & set(offered.names)
        )
        toolbox = Toolbox(context, {}, snapshots)
        agent = self._agent = AcpAgent(self._engine, context, toolbox, writes=writes)
        asked = delegation.model or delegation.agent.model or ""
        await agent.start(
            wanted_models=(asked, self._engine.profile.model),
            tools=self._servers.tools,
            budget=delegation.budget,
            on_cost=self._cost.hear,
        )
        return agent

    async def _converse(self, agent: AcpAgent, said: str) -> None:
        while await self._course.may_go_on():
            self._course.begin_turn()
            answer = await agent.prompt(said)
            self._take_in(answer.usage)
            if answer.was_stopped:
                said = _GO_ON
                continue
            ending = _ENDINGS.get(answer.stop_reason, RunEnding(Outcome.DONE))
            more = self._run.inbox.take()
            if not more:
                self._course.end(answer.stop_reason, ending)
                return
            if ending.sentence:
                self._run.emit(Notice(ending.sentence, "warning"))
            said = clean("\n\n".join(more)).strip()
            self._run.emit(UserMessage(said))
            self._run.emit(MessageAdded("user", said))

    def _take_in(self, usage: Any = None) -> None:
        """Keep what the agent said, and count what it cost, as far as it told."""
        if self._agent is not None:
            self._agent.end_calls()
            if text := self._agent.take_text():
                self._course.text = text
                self._run.emit(MessageAdded("assistant", [{"type": "text", "text": text}]))
        self._cost.count(usage)

    def _spent(self) -> tuple[Usage, float | None]:
        # Nothing was asked of it before its first turn.
        return self._cost.usage, self._cost.total_usd if self._course.turns else 0.0

    def _stop_answer(self) -> None:
        if self._agent is not None:
            self._agent.stop_answer()

    def _tell_task(self, delegation: Delegation) -> None:
        said = clean(delegation.follow_up).strip()
        if delegation.messages and said:
            self._run.emit(UserMessage(said))
        self._run.emit(
            MessageAdded("user", follow_up_prompt(delegation) or delegation_prompt(delegation))
        )

    def _notices(self) -> Iterator[Notice]:
        """Notices of what can't be guaranteed with this agent."""
        engine = self._engine
        yield Notice(f"{engine.label} runs this: {', '.join(engine.limits)}.", "warning")
        if self._run.delegation.budget.is_capped and not engine.profile.claude_options:
            text = (
                "It reports its cost after each answer at best, so a cost cap is checked only then."
            )
            yield Notice(text, "warning")


class AcpCost:
    """What an agent says that its session cost, and what of that was counted.

    Args:
        at_cap: Called where it tells, in the middle of an answer, that the budget is used up.
    """

    def __init__(
        self, budget: Budget, emit: Callable[[RunEvent], None], at_cap: Callable[[], None]
    ) -> None:
        self._budget = budget
        self._emit = emit
        self._at_cap = at_cap
        self._told_usd: float | None = None
        """What the session cost so far, where the agent said so since it was counted."""
        self._counted_usd = 0.0
        self.usage = Usage()
        self.total_usd: float | None = None
        """None as long as it told nothing."""

    def hear(self, session_usd: float) -> None:
        """Take what the session cost so far."""
        self._told_usd = session_usd
        if self._budget.used_up(max(0.0, session_usd - self._counted_usd)):
            self._at_cap()

    def count(self, told: Any) -> None:
        """Count one answer, with the tokens that the agent told of, and what was heard since."""
        cost = None
        if self._told_usd is not None:
            cost = max(0.0, self._told_usd - self._counted_usd)
            self._counted_usd, self._told_usd = self._told_usd, None
            self.total_usd = (self.total_usd or 0.0) + cost
        if told is None and cost is None:
            return
        usage = Usage(
            getattr(told, "input_tokens", None) or 0,
            getattr(told, "output_tokens", None) or 0,
            getattr(told, "cached_read_tokens", None) or 0,
            getattr(told, "cached_write_tokens", None) or 0,
        )
        usage = usage if is_counted(usage) else Usage()
        self.usage += usage
        self._budget.pay(cost)
        self._emit(UsageAdded(usage, cost))


def _opening_words(brief: RunBrief) -> str:
    """What the agent is told first: the definition, what was said before, and the task."""
    delegation = brief.delegation
    said = follow_up_prompt(delegation) or delegation_prompt(delegation)
    parts = [f"# Who you are\n\n{brief.prompt.text}"]
    if before := "\n\n".join(_texts(delegation.messages)):
        parts.append(f"# What was said before\n\n{before}")
    return "\n\n".join((*parts, f"# What to do\n\n{said}"))


def _texts(messages: tuple[Mapping[str, Any], ...]) -> list[str]:
    """The conversation of a run that goes on, as text: an agent's session doesn't outlive it."""
    found = []
    for message in messages:
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        text = "\n".join(str(b.get("text", "")) for b in blocks if b.get("type") == "text")
        if text.strip():
            found.append(f"{message.get('role')}: {clean(text).strip()}")
    return found
