"""The handle by which the user steers a run that goes on: end it, or tell its agent something."""

from __future__ import annotations

import asyncio


class RunControl:
    """Interrupts a run, which still gives its last event, and carries messages to its agent."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None
        self._interrupted = False
        self._waiting: list[str] = []
        self._said: list[str] = []

    @property
    def interrupted(self) -> bool:
        """Whether the run was asked to end."""
        return self._interrupted

    @property
    def waiting(self) -> tuple[str, ...]:
        """Messages that the agent was not told yet, oldest first."""
        return tuple(self._waiting)

    @property
    def said(self) -> tuple[str, ...]:
        """All messages, told or not, oldest first: what a second attempt needs, too."""
        return tuple(self._said)

    def say(self, text: str) -> None:
        """Have the agent told at its next turn: behind the results of the tools it has called.

        A run that was about to end goes on with it. A message that comes too late for that, or
        stands when the run ends early, stays in `waiting`. A blank one is nothing.
        """
        if text.strip():
            self._waiting.append(text)
            self._said.append(text)

    def withdraw(self) -> tuple[str, ...]:
        """Give what the agent was not told, which it won't be now."""
        texts = self.take_messages()
        if texts:
            del self._said[-len(texts) :]
        return texts

    def take_messages(self) -> tuple[str, ...]:
        """Give what the agent was not told; whoever takes it tells the agent."""
        texts = tuple(self._waiting)
        self._waiting.clear()
        return texts

    def interrupt(self) -> None:
        """End the run at once; it closes with `RunFinished(outcome=interrupted)`.

        What came so far is kept. Does nothing the second time, or after the end.
        """
        if not self._interrupted:
            self._interrupted = True
            if self._task is not None:
                self._task.cancel()

    def attach(self, task: asyncio.Task[None]) -> None:
        """Take charge of the task that drives the run."""
        self._task = task
        if self._interrupted:
            # Not at once: a task that is cancelled before its first step never runs its clean-up.
            asyncio.get_running_loop().call_soon(task.cancel)
