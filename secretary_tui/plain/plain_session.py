"""The conversation of the plain face: what is sent, to whom, and that it ends before the next."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from secretary_tui.coordinator.dispatch_values import Step
from secretary_tui.flow.handing_on import HandedAnswer
from secretary_tui.flow.tab_controller import TabController
from secretary_tui.plain.line_frontend import LineFrontend
from secretary_tui.plain.line_sink import LineSink
from secretary_tui.plain.slash_commands import QUIT, STOP
from secretary_tui.plain.writer import Channel
from secretary_tui.registry.mentions import split_named
from secretary_tui.sanitize import clean_line
from secretary_tui.secretary import Secretary
from secretary_tui.sessions import drafts
from secretary_tui.sessions.store import RunRecord
from secretary_tui.settings import DECIDES_THE_ENGINE


class PlainSession:
    """Plays one request at a time, with the keyboard listening for messages to the agent."""

    def __init__(self, secretary: Secretary, channel: Channel) -> None:
        self.secretary = secretary
        self._writer = channel.writer
        self._keyboard = channel.keyboard
        self.frontend = LineFrontend(secretary, channel, self.interrupt)
        self._tabs: TabController[LineSink] = TabController(self.frontend)
        self.replying = False
        """Whether what is typed goes to the agent of the last run."""
        self._handed: HandedAnswer | None = None
        self.leaving = False
        """Whether the user wants to leave once this has ended."""
        self._engine_is_old = False

    @property
    def view(self) -> LineSink:
        """Where the runs are said."""
        return self._tabs.shown.view

    @property
    def run_id(self) -> str:
        """The last run, which a reply continues."""
        return self._tabs.run_id

    @property
    def run_agent(self) -> str:
        """The agent of that run."""
        return self._tabs.run_agent

    @property
    def prompt(self) -> str:
        """What the line is for."""
        if self._handed is not None:
            return f"Request, with the answer of {clean_line(self._handed.agent)}: "
        return (
            f"To {clean_line(self.run_agent)}: " if self.replying and self.run_id else "Request: "
        )

    # ------------------------------------------------------------------- verbs

    async def send(self, text: str) -> None:
        """Send a text and play what follows to its end."""
        reference, task = split_named(text)
        if reference and not task.strip():
            self._writer.line(f"Type a task for {reference} on the same line.")
            self.frontend.give_back(f"{text.strip()} ")
            return
        drafts.add_to_history(self.secretary.project, text)
        await self._renew_engine()
        await asyncio.to_thread(self.secretary.reload)
        context = self._handed.context if self._handed is not None else ()
        reply = self.replying and self._handed is None
        self._handed = None
        await self._play(lambda: self._tabs.submit(text, reply=reply, context=context))
        self.replying = reply

    async def restore(self) -> str:
        """Ask the question again that was open when the last session ended; its request."""
        step: Step | None = await self.secretary.restore()
        if step is None:
            return ""
        request = self.secretary.coordinator.request
        self._writer.line(f"The last session ended with an open question about: {request}")
        await self._play(lambda: self._tabs.restore(request, step))
        return request

    def interrupt(self) -> None:
        """Ctrl+C while something goes on: stop it; once more: leave."""
        flow = self._tabs.shown
        if flow.stopping:
            self.leaving = True
            flow.cancel()
        elif self._tabs.routing and not self._tabs.holding:
            self._tabs.cancel()
            self._writer.line("Cancelled. Nothing was run.")
        elif self._tabs.step_back():
            self._writer.line("Stopping." if flow.stopping else "Choice taken back.")
        else:
            self._tabs.cancel()

    def reopen(self, record: RunRecord) -> None:
        """Make a stored run the one that replies go to."""
        self.forget()
        self._tabs.shown.show_run(record.id, record.started.agent, record.events)
        self.replying = True

    def hand_on(self) -> str:
        """Let the last answer go along with the next request; its agent, empty without one."""
        if not self._tabs.last_answer:
            return ""
        self._handed = HandedAnswer(self.run_agent, self._tabs.last_answer)
        return self.run_agent

    def forget(self) -> None:
        """Put the run aside."""
        self._tabs.shown.forget_run()
        self.replying, self._handed = False, None

    def renew_engine(self, key: str) -> None:
        """Choose the engine again before the next request, if this setting decides it."""
        self._engine_is_old = self._engine_is_old or key in DECIDES_THE_ENGINE

    async def aclose(self) -> None:
        """End what goes on; what was not told to anyone is given back."""
        undelivered = self._tabs.undelivered
        await self._tabs.aclose()
        for message in undelivered:
            self.frontend.give_back(message)

    # ----------------------------------------------------------------- private

    async def _play(self, begin: Callable[[], None]) -> None:
        self.frontend.replied = False
        self.view.last = None
        with self._keyboard.listening(self._handle_line, self._input_ended):
            begin()
            while self._tabs.busy:
                self.frontend.changed.clear()
                await self.frontend.changed.wait()
                await asyncio.sleep(0)  # A late message becomes a reply right after the end.

    def _handle_line(self, line: str) -> None:
        """Take a line that was typed while nothing was asked."""
        if line == STOP:
            self.interrupt()
        elif line == QUIT:
            self.leaving = True
            self.interrupt()
        elif not line:
            self._writer.line(self._progress_line())
        elif self._tabs.running and not self._tabs.shown.stopping:
            self._tabs.submit(line)
            self._writer.line(f"{self._tabs.agent} gets this at its next turn.")
        else:
            self.frontend.give_back(line)
            self._writer.line("Kept for the next prompt.")

    def _progress_line(self) -> str:
        tabs = self._tabs
        if not tabs.running:
            return "Looking for an agent."
        progress = tabs.shown.progress
        tool, waits_for = progress.last_tool, tabs.waits_for
        doing = f", {waits_for}" if waits_for else f", last tool {tool}" if tool else ""
        return f"{tabs.agent} has been running for {progress.elapsed_s:.0f} seconds{doing}."

    def _input_ended(self) -> None:
        """The terminal gives no more lines: end in order."""
        self.leaving = True
        self.interrupt()

    async def _renew_engine(self) -> None:
        if self._engine_is_old:
            self._engine_is_old = False
            await self.secretary.choose_engine_again(self.secretary.config)
