"""The turns of one run: the model is asked until its answer is whole, then its tools run.

Between `AgentLoop`, which decides whether there is a next turn, and `ModelCall`, which is one try
at it: here are the retries, the room that is made, and what a turn that was broken off leaves
behind.
Imports the SDK, so it is itself imported in a thread.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from secretary_tui.delegation.carrier.endings import RunFault
from secretary_tui.delegation.loop.compaction import SUMMARY_PROMPT
from secretary_tui.delegation.loop.messages import Messages
from secretary_tui.delegation.loop.model_call import (
    FAULTS,
    ModelCall,
    ModelReply,
    ModelRequest,
    sum_up,
)
from secretary_tui.delegation.loop.retry_policy import RetryPolicy
from secretary_tui.delegation.spend.ledger import Ledger
from secretary_tui.delegation.tools.tool_calls import ToolCall
from secretary_tui.delegation.tools.toolbox import Toolbox
from secretary_tui.engines.faults import FaultKind, explain_fault
from secretary_tui.events import Notice, Retrying, RunEvent, TurnDiscarded

MAX_SUMMED_UP, MAX_SUMMED_UP_LOCAL = 200_000, 12_000
"""Characters of older turns that the model is given to sum up."""


class ModelTurns:
    """Takes the turns of one run, adding what they bring to its messages and its ledger.

    Args:
        is_local: Whether the model is one of this machine, which reads slowly.
    """

    def __init__(
        self,
        request: ModelRequest,
        messages: Messages,
        toolbox: Toolbox,
        ledger: Ledger,
        emit: Callable[[RunEvent], None],
        retry: RetryPolicy,
        *,
        is_local: bool,
    ) -> None:
        self._request = request
        self._messages = messages
        self._toolbox = toolbox
        self._ledger = ledger
        self._emit = emit
        self._retry = retry
        self._most_summed_up = MAX_SUMMED_UP_LOCAL if is_local else MAX_SUMMED_UP
        self._reached = False
        """Whether the model answered in this run."""
        self._call: ModelCall | None = None
        """The call whose answer is still coming."""
        self._unanswered: tuple[ToolCall, ...] = ()
        self.used_tools = False

    @property
    def is_stuck(self) -> bool:
        """Whether one call failed again and again."""
        return self._toolbox.is_stuck

    async def take(self) -> ModelReply:
        """Ask until a whole answer came, then run its tools.

        Raises:
            RunFault: it can't be had.
            BudgetSpentError, BudgetStoreError: see `Ledger.reserve`.
        """
        attempt, overflows = 1, 0
        while True:
            self._ledger.reserve(self._prompt, self._request.max_tokens)
            call = self._call = ModelCall(
                self._request, self._messages.items, self._toolbox, self._emit
            )
            try:
                try:
                    reply = await call.ask()
                except FAULTS as error:
                    self._call = None
                    self._pay(call)
                    fault = explain_fault(error)
                    if fault.kind is FaultKind.TOO_LONG and await self.make_room(overflows):
                        overflows += 1
                        continue
                    delay = self._retry.delay(fault, attempt, reached=self._reached)
                    if delay is None:
                        raise RunFault(fault) from error
                else:
                    self._call = None
                    self._reached = True
                    self._ledger.add(call.take_usage(), whole=True)
                    await self._take_in(call, reply)
                    return reply
            finally:
                with contextlib.suppress(*FAULTS):
                    await call.close()
            attempt += 1
            if call.streamed:
                self._emit(TurnDiscarded(fault.sentence))
            most = self._retry.attempts(fault, reached=self._reached)
            self._emit(Retrying(attempt, most, fault.sentence, delay))
            await self._retry.sleep(delay)

    async def make_room(self, overflows: int = 0) -> bool:
        """Shorten the conversation that no longer fits; whether something could be left out.

        `overflows` says how often that was done already for this turn.
        """

        async def summarise(text: str) -> str:
            self._ledger.reserve(lambda: SUMMARY_PROMPT + text, self._request.max_tokens)
            summary, usage = await sum_up(self._request, SUMMARY_PROMPT, text)
            self._ledger.add(usage)
            return summary

        return await self._messages.shorten(overflows, summarise, self._most_summed_up)

    def break_off(self) -> str:
        """Keep what came of a turn that was cancelled, in a form that can be continued.

        Gives the text of the answer that was still coming; empty when there was none.
        """
        if self._unanswered:
            self._messages.answer_calls(self._unanswered, self._toolbox.results)
            return ""
        if self._call is None:
            return ""
        self._pay(self._call)
        text = self._call.text
        if not text.strip():
            return ""
        self._messages.add("assistant", [{"type": "text", "text": text}])
        return text

    async def _take_in(self, call: ModelCall, reply: ModelReply) -> None:
        """Add a whole answer to the conversation, and what its tools gave."""
        runs = reply.stop_reason == "tool_use"
        content = [block for block in reply.content if runs or block["type"] != "tool_use"]
        if len(content) < len(reply.content):
            sentence = "The answer holds a tool call that is not complete; it was not run."
            self._emit(Notice(sentence, "warning"))
        if content:
            self._messages.add("assistant", content)
        if runs and reply.calls:
            self.used_tools = True
            self._unanswered = reply.calls
            results = await call.run_tools(reply.calls)
            self._unanswered = ()
            self._messages.add("user", results)

    def _prompt(self) -> list[object]:
        """All that is sent for the next answer, in API form."""
        tools = [tool.to_dict() for tool in self._toolbox.offered()]
        served = self._toolbox.served()
        return [self._request.system, tools, served, self._messages.items]

    def _pay(self, call: ModelCall) -> None:
        self._ledger.add(call.take_usage())
