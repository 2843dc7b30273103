"""The handle by which the user steers a run that goes on: end it, or tell its agent something."""

from __future__ import annotations

import asyncio


class Inbox:
    """Messages of the user that the agent of a run didn't get yet."""

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self._said: list[str] = []

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

    def take(self) -> tuple[str, ...]:
        """Take the waiting messages out; the caller passes them to the agent."""
        texts = tuple(self._waiting)
        self._waiting.clear()
        return texts

    def withdraw(self) -> tuple[str, ...]:
        """Give what the agent was not told, which it won't be now."""
        texts = self.take()
        if texts:
            del self._said[-len(texts) :]
        return texts


class RunControl(Inbox):
    """Carries messages to the agent of a run, and interrupts the run, which still ends properly."""

    def __init__(self) -> None:
        super().__init__()
        self._task: asyncio.Task[None] | None = None
        self._interrupted = False

    @property
    def interrupted(self) -> bool:
        """Whether the run was asked to end."""
        return self._interrupted

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
