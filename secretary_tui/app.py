"""The Textual app: themes, screens and the service behind them; nothing else."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePath
from typing import Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.filter import LineFilter
from textual.screen import Screen
from textual.widgets._toast import ToastHolder, ToastRack

from secretary_tui import paths
from secretary_tui.config import Config
from secretary_tui.flow.actions import ACTIONS
from secretary_tui.screens.appearance import Appearance
from secretary_tui.screens.main.main_screen import MainScreen
from secretary_tui.screens.settings_controller import SettingsController
from secretary_tui.secretary import Secretary
from secretary_tui.sessions import ui_state
from secretary_tui.terminal.background import BackgroundReported
from secretary_tui.terminal.guard import TerminalGuard
from secretary_tui.terminal.painter import LeanDisplay
from secretary_tui.terminal.signals import TerminalSignals
from secretary_tui.terminal.startup import EarlyKeys, SteadyStyles
from secretary_tui.terminal.terminal_input import (
    accept_any_byte,
    not_reading,
    outlive_the_terminal,
    stop_reading_once,
    take_answers_out,
)
from secretary_tui.widgets.themes import THEMES, ThemedApp

STYLES = ("app", "main", "panels", "transcript")
"""Style sheets of the main screen; the others name their own."""


@dataclass(frozen=True, slots=True)
class AppOptions:
    """What the command line decides about the app."""

    project: Path
    agents_dirs: tuple[Path, ...] = ()
    offline: bool = False
    overrides: dict[str, Any] = field(default_factory=dict)
    """Settings given on the command line, by key."""
    agents: str = ""
    """Agents as JSON, or the path of a JSON file."""


MOST_NOTICES = 2
"""Notices that are on the screen at once."""


class SecretaryApp(EarlyKeys, LeanDisplay, ThemedApp):
    """One window on one project."""

    TITLE = "secretary"
    CSS_PATH: ClassVar[list[str | PurePath]] = [
        paths.bundled("styles") / f"{n}.tcss" for n in STYLES
    ]
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        # With the names of the actions, so that the user's keys for those count here, too.
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True, id="quit"),
        Binding(
            *("ctrl+p", "command_palette", "Palette"),
            show=False,
            priority=True,
            id="command_palette",
        ),
    ]

    def __init__(self, options: AppOptions) -> None:
        super().__init__()
        self.options = options
        self.secretary = Secretary(
            options.project,
            Config().override(**options.overrides),
            agents_dirs=options.agents_dirs,
            agents=options.agents,
            offline=options.offline,
        )
        self.secretary.routing.on_screen = True
        for theme in THEMES:
            self.register_theme(theme)
        self.ui = ui_state.load()
        self.appearance = Appearance(self, self.ui)
        self.settings = SettingsController(self, self.secretary, options.overrides, self.appearance)
        self.stylesheet = self._styles = SteadyStyles(variables=self.get_css_variables())
        self._guard = TerminalGuard()
        self.signals = TerminalSignals(self)
        self._leaving = False
        self.failed = False
        """Whether a fault of ours ended the app."""
        self.last_run = ""
        """The run that was on the screen at the end."""
        self.ended_by: signal.Signals | None = None

    def refresh_css(self, animate: bool = True) -> None:
        """Style every widget again, but for the theme that they were made in."""
        if self._styles.take_announced(self.get_css_variables()):
            super().refresh_css(animate)

    def on_mount(self) -> None:
        """Show the main screen; it reads the disk after the first paint."""
        self.install_screen(MainScreen(self.secretary), "main")
        self.push_screen("main")
        if not self.is_headless:
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGHUP, self.hang_up)
            for name in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(name, self._end_by_signal, name)

    def _end_by_signal(self, name: signal.Signals) -> None:
        """End in order (the run is logged, the terminal restored) with the status of the signal."""
        self.ended_by = name
        self.run_worker(self.leave(), exclusive=True, group="leave")

    def hang_up(self) -> None:
        """The terminal is gone: leave, now or after the runs, as `on_hangup` says."""
        if self.ended_by is not None:
            return
        self.ended_by = signal.SIGHUP
        self.run_worker(self._leave_alone(), exclusive=True, group="leave")

    async def _leave_alone(self) -> None:
        if self.secretary.config.on_hangup == "finish" and self.main.completed.is_set():
            with not_reading(self):
                await self.main.tabs.finish_alone()
        await self.leave()

    def copy_to_clipboard(self, text: str) -> None:
        """Copy through the terminal (OSC 52), and to the system's clipboard where there is one."""
        super().copy_to_clipboard(text)
        if not (self.is_headless or self.is_web):
            from secretary_tui.terminal.clipboard import copy_to_system

            self.run_worker(partial(copy_to_system, text), thread=True, group="clipboard")

    def _refresh_notifications(self) -> None:
        """Keep the newest notices alone: more of them would hide what they are about."""
        for old in list(self._notifications)[:-MOST_NOTICES]:
            del self._notifications[old]
        if self.screen_stack:
            # Textual takes only the notice out of its place, which would stay as an empty line.
            kept = {ToastRack._toast_id(notice) for notice in self._notifications}
            for place in self.screen.query(ToastHolder):
                if place.id not in kept:
                    place.remove()
        super()._refresh_notifications()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Nothing that reaches the terminal may carry control characters from outside."""
        return (*super().get_line_filters(), self._guard, *self.appearance.filters)

    @property
    def main(self) -> MainScreen:
        """The main screen."""
        screen = self.get_screen("main")
        assert isinstance(screen, MainScreen)
        return screen

    # -------------------------------------------------------------- appearance

    def watch_theme(self, theme: str) -> None:
        """Keep colours that somebody chose."""
        if self.is_running and self.appearance.chosen():
            self.settings.choose_theme(theme)

    def on_background_reported(self, message: BackgroundReported) -> None:
        """The terminal said what its background is."""
        self.appearance.take_background(dark=message.dark)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Keep the cursor from blinking where nothing shall move."""
        self.appearance.calm(event.widget)

    # ---------------------------------------------------------------- commands

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """The palette: every action of the table."""
        for action in ACTIONS:
            if action.name == "app.command_palette":
                continue
            label = self.main.keys.label(action.id)
            keys = f" ({label})" if label else ""
            run = partial(self.main.perform, action)
            yield SystemCommand(f"{action.title}{keys}", action.help, run)

    def _handle_exception(self, error: Exception) -> None:
        """Leave calmly after a fault of ours: no traceback on the user's terminal.

        A private name of Textual (pinned), which otherwise prints the traceback with locals. In
        tests (headless) it stays as it is.
        """
        if self.is_headless:
            super()._handle_exception(error)
            return
        from secretary_tui.fault_log import explain

        self.failed = True
        self.signals.end()
        self.panic(Text(f"secretary-tui: {explain(error, 'screen')}."))

    async def action_quit(self) -> None:
        """End everything in order."""
        await self.leave()

    async def leave(self) -> None:
        """End the run, keep the draft, stop the engine, exit."""
        if self._leaving:
            return
        self._leaving = True
        if self.main.completed.is_set():
            self.last_run = self.main.tabs.run_id
        await self.main.shut_down()
        await self.secretary.aclose()
        self.signals.end()
        self.exit()


def run_app(options: AppOptions) -> int:
    """Run the app until the user leaves; gives the exit code."""
    accept_any_byte()
    take_answers_out()
    outlive_the_terminal()
    stop_reading_once()
    app = SecretaryApp(options)
    app.run(mouse=app.ui.mouse)
    if app.last_run and app.return_code == 0:
        resume = f'secretary-tui sessions resume {app.last_run} "…"'
        print(f"To continue: {resume}, or /resume on the screen.")  # noqa: T201
    if app.ended_by is not None:
        return 128 + app.ended_by
    return 1 if app.failed else app.return_code or 0
