"""The real app on a real project, driven by Textual's pilot: type, press, wait, read the screen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.events import Key
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widgets import Static

from secretary_tui.app import AppOptions, SecretaryApp
from secretary_tui.screens.main.main_screen import MainScreen
from secretary_tui.widgets.transcript.transcript import Transcript
from tests.servers.anthropic_server import Step, json_answer

REQUEST = "audit the login code for security holes"
"""A request that the small library's security-auditor fits clearly."""


class Desk:
    """A running app and what a test does with it."""

    def __init__(self, pilot: Pilot[None]) -> None:
        self.pilot = pilot

    @property
    def app(self) -> SecretaryApp:
        assert isinstance(self.pilot.app, SecretaryApp)
        return self.pilot.app

    @property
    def main(self) -> MainScreen:
        return self.app.main

    @property
    def transcript(self) -> Transcript:
        """The transcript of the tab that is shown."""
        return self.main.tabs.shown.view.transcript

    @property
    def text(self) -> str:
        """What is on the screen, trailing blanks removed."""
        strips = self.app.screen._compositor.render_strips(self.app.size)
        return "\n".join(strip.text.rstrip() for strip in strips)

    @property
    def match_text(self) -> str:
        """All that the match panel says, also what is scrolled out of sight."""
        return str(self.main.query_one("#match-text", Static).content)

    async def ready(self) -> None:
        """Wait until the library and the engine are there."""
        await self.until(lambda: self.app.screen_stack and self.main.is_whole)
        await self.until(lambda: self.main.status.engine != "…")

    async def press(self, *keys: str) -> None:
        """Press keys one after the other, each when the one before has been dealt with."""
        for key in keys:
            character = key if len(key) == 1 else None
            name = _character_to_key(key) if len(key) == 1 else key
            self.app.post_message(Key(name, character).set_sender(self.app))
            await self._settle()
        await self.pilot.pause(0)

    async def _settle(self) -> None:
        """Let the app and its widgets work off their messages."""
        quiet = 0
        while quiet < 5:
            await asyncio.sleep(0)
            pumps = (self.app, self.app.screen, *self.app.screen.query("*"))
            waiting = any(not pump._message_queue.empty() for pump in pumps)
            quiet = 0 if waiting else quiet + 1

    async def type(self, text: str) -> None:
        """Type a text as fast as a driver can give it, key by key."""
        for character in text:
            key = "ctrl+j" if character == "\n" else _character_to_key(character)
            self.app.post_message(Key(key, character).set_sender(self.app))
        await self.pilot.pause(0)

    async def send(self, request: str = REQUEST) -> None:
        """Put a request into the box at once and press Enter."""
        self.main.request.replace_text(request)
        await self.press("enter")

    async def until(self, condition: Callable[[], Any], limit_s: float = 60.0) -> None:
        """Wait until a condition holds."""
        deadline = time.monotonic() + limit_s
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"it never came to be on\n{self.text}")
            await self.pilot.pause(0.01)
        await self.pilot.pause(0)

    async def sees(self, *texts: str) -> None:
        """Wait until all the texts are on the screen."""
        try:
            await self.until(lambda: all(text in self.text for text in texts))
        except AssertionError as error:
            raise AssertionError(f"{texts} {error}") from None

    async def says(self, text: str) -> None:
        """Wait until a notice in the corner contains the text, wherever its lines break."""
        await self.until(lambda: any(text in note.message for note in self.app._notifications))

    async def matched(self, request: str = REQUEST) -> None:
        """Send a request and wait until the match panel has its last word."""
        await self.send(request)
        await self.panel_settled()

    async def panel_settled(self) -> None:
        """Wait until the match panel is open and no model is looking any more."""
        panel = self.main.panels.match
        await self.until(lambda: panel.is_open and not panel.page.refining)
        guessing = [w for w in self.main.workers if w.group == "estimate"]
        await self.until(lambda: all(worker.is_finished for worker in guessing))

    async def finished(self) -> None:
        """Wait until nothing is under way."""
        await self.until(lambda: not self.main.tabs.busy)


@asynccontextmanager
async def at_desk(
    project: Path, size: tuple[int, int] = (100, 30), **options: Any
) -> AsyncIterator[Desk]:
    """Start the app, wait for the library and the engine, and leave in order at the end."""
    app = SecretaryApp(AppOptions(project, **options))
    async with app.run_test(size=size, notifications=True) as pilot:
        desk = Desk(pilot)
        await desk.ready()
        try:
            yield desk
        finally:
            await app.leave()
            await asyncio.sleep(0)


def routing(*matches: tuple[str, int], questions: Any = (), intent: str = REQUEST) -> Step:
    """What a model answers about the route; the agents best first, with their confidence."""
    return json_answer(
        {
            "clear": not questions,
            "intent": intent,
            "questions": list(questions),
            "matches": [
                {"agent": agent, "confidence": confidence, "reason": f"made for {agent}"}
                for agent, confidence in matches
            ],
            "recommendation": matches[0][0] if matches else None,
            "workflow": None,
        }
    )


ROUTED = routing(("security-auditor", 92), ("code-critic", 61), ("schema-smith", 55))
