"""How far the runs of one tab are: what its faces show of them, gathered from their events."""

from __future__ import annotations

import time
from collections.abc import Sequence
from enum import StrEnum

from secretary_tui.coordinator.conversation import ConversationLog
from secretary_tui.events import (
    MessageAdded,
    ModelStarting,
    Outcome,
    PromptRead,
    RunEvent,
    RunFailed,
    RunFinished,
    RunStarted,
    ToolStarted,
    TurnStarted,
    UsageAdded,
)
from secretary_tui.spend import Spend


class RunState(StrEnum):
    """The state of a tab's last run."""

    NEW = "new"
    """Nothing was run yet."""
    WORKING = "working"
    ASKING = "asking"
    """It waits for the user."""
    DONE = "done"
    PARTIAL = "ended early"
    STOPPED = "stopped"
    FAILED = "failed"


_OUTCOMES = {
    Outcome.DONE: RunState.DONE,
    Outcome.PARTIAL: RunState.PARTIAL,
    Outcome.INTERRUPTED: RunState.STOPPED,
    Outcome.FAILED: RunState.FAILED,
}


class RunProgress:
    """What is known of the last run, and what all of them have cost."""

    def __init__(self) -> None:
        self.state = RunState.NEW
        """How far the last run is, but for questions that it asks."""
        self.agent = ""
        """The agent at work, empty between runs."""
        self.run_id = ""
        """The run on the screen, which a reply continues."""
        self.run_agent = ""
        """The agent of that run."""
        self.last_answer = ""
        """The final answer of the last run, in markdown."""
        self.last_tool = ""
        """The tool at work, or the last one that was."""
        self.waits_for = ""
        """What the agent at work waits for, such as `reading the prompt 43 %`."""
        self.spent = Spend()
        """What the runs of this tab have cost."""
        self.conversation = ConversationLog()
        """What was said and answered here since the last new conversation."""
        self._began_at: float | None = None
        """When the agent at work began; None between runs."""
        self._elapsed_s = 0.0

    @property
    def elapsed_s(self) -> float:
        """Seconds since the agent began; how long it took once it ended."""
        return self._elapsed_s if self._began_at is None else time.monotonic() - self._began_at

    def begin(self, agent: str) -> None:
        """An agent begins a run, or another try of it."""
        if agent != self.run_agent:
            self.last_answer = ""  # Should this run fail, it is not the one that answered.
        self.agent = self.run_agent = agent
        self._began_at, self.state = time.monotonic(), RunState.WORKING

    def take(self, event: RunEvent) -> None:
        """Take what happened in the run."""
        if not isinstance(event, MessageAdded | TurnStarted):  # The model may still be loaded.
            self.waits_for = ""
        self.conversation.take(event)
        if isinstance(event, ModelStarting):
            self.waits_for = f"loading {event.model}"
        elif isinstance(event, PromptRead):
            self.waits_for = f"reading the prompt {event.percent} %"
        elif isinstance(event, RunStarted):
            self.run_id = event.run_id
        elif isinstance(event, ToolStarted):
            self.last_tool = event.name
        elif isinstance(event, RunFinished):
            self.last_answer, self.state = event.text, _OUTCOMES[event.outcome]
        elif isinstance(event, RunFailed):
            self.fail()
        elif isinstance(event, UsageAdded):
            self.spent += Spend.of(event.cost_usd, event.usage)

    def fail(self) -> None:
        """The run came to nothing."""
        self.state = RunState.FAILED

    def end(self) -> None:
        """The agent ended; what it took stands still."""
        self._elapsed_s, self._began_at = self.elapsed_s, None

    def put_down(self) -> None:
        """No agent is at work any more, nor asked about."""
        self.agent = ""

    def reopen(self, run_id: str, agent: str, events: Sequence[RunEvent]) -> None:
        """Take a run from the history for the last one."""
        self.conversation = ConversationLog(events)
        finished = [event for event in events if isinstance(event, RunFinished)]
        self.run_id, self.run_agent = run_id, agent
        self.last_answer = finished[-1].text if finished else ""
        last = events[-1] if events else None
        self.state = _OUTCOMES[last.outcome] if isinstance(last, RunFinished) else RunState.STOPPED

    def forget(self) -> None:
        """Put the run aside."""
        self.run_id = self.run_agent = self.last_answer = self.last_tool = ""
        self._elapsed_s, self.state, self.spent = 0.0, RunState.NEW, Spend()
        self.conversation = ConversationLog()
