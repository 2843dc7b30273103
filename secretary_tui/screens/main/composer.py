"""What a sent text is: an edited task, a shell line, a command, a reply, or a new request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from secretary_tui.flow import actions
from secretary_tui.flow.actions import Action
from secretary_tui.flow.handing_on import HandedAnswer
from secretary_tui.flow.tab_controller import TabController
from secretary_tui.registry.mentions import complete_reference, split_named
from secretary_tui.screens.controller_host import FlowHost
from secretary_tui.screens.main.shell_line import ShellLine
from secretary_tui.screens.settings_controller import SettingsController
from secretary_tui.secretary import Secretary
from secretary_tui.sessions import drafts
from secretary_tui.settings import ActivationMode
from secretary_tui.widgets.panels.match_panel import MatchPanel
from secretary_tui.widgets.request.request_box import RequestBox

_NEAREST = 5
"""Commands and skills of the library that are named when there is no such command."""


@dataclass(eq=False)
class Composer:
    """Sends what stands in the box to whom it is for, and knows what that will be."""

    _screen: FlowHost
    _request: RequestBox
    _secretary: Secretary
    _tabs: TabController[Any]
    _match: MatchPanel
    _shell: ShellLine
    _settings: SettingsController
    _perform: Callable[[Action], None]
    """Carries out an action of the table."""
    editing: bool = field(default=False, init=False)
    """Whether the box holds the task of the match panel."""
    replying: bool = field(default=False, init=False)
    """Whether Enter sends a reply to the run on the screen."""
    handed: HandedAnswer | None = field(default=None, init=False)
    """The answer that goes along with the next request."""
    # ----------------------------------------------------------------- sending

    def send(self, text: str, *, is_shell_line: bool = False) -> None:
        """Take a sent text; `is_shell_line` is whether it was written as a `!` line."""
        self._request.clear()
        self._request.keys.begin_insert()
        if self.editing:
            self.editing = False
            self._match.set_task(text)
            self._screen.follow_flow()
        elif is_shell_line:
            self._send_shell_line(text)
        elif actions.SLASH.fullmatch(text):
            self._send_command(text)
        else:
            self._send_request(text)

    def _send_request(self, text: str) -> None:
        reference, task = split_named(text)
        if reference and not task.strip():
            self._request.replace_text(f"{text} ")
            self._screen.notify(f"Type a task for {reference}.", timeout=3, markup=False)
            return
        self._submit(text, reply=self.is_reply(text))

    def _submit(self, text: str, *, reply: bool = False) -> None:
        self._remember(text)
        context = self.handed.context if self.handed is not None else ()
        self._tabs.submit(text, reply=reply, context=context)

    def _remember(self, text: str) -> None:
        drafts.add_to_history(self._secretary.project, text)
        self._request.sent.add(text)

    def _send_shell_line(self, text: str) -> None:
        """Run a line of the user's own; a second one waits in the box until the first ended."""
        if self._shell.is_running:
            self._request.replace_text(text)
            self._screen.notify("Your shell command is still running. Esc stops it.", timeout=3)
            return
        self._remember(text)
        self._shell.run(text.removeprefix("!").strip())

    def _send_command(self, text: str) -> None:
        """Carry a slash command out; an unknown one goes to nobody."""
        name, _, argument = text.partition(" ")
        if name == "/mode" and argument in tuple(ActivationMode):
            self._settings.change("activation_mode", argument, project=True)
            return
        action = actions.by_slash(name)
        if action is not None and not argument:
            self._perform(action)
        # Our own commands win; the library's are routed like requests, and so confirmed.
        elif self._secretary.library.workflows.named(text) is not None:
            self._submit(text)
        else:
            self._request.replace_text(text)
            near = complete_reference(self._secretary.index, name, _NEAREST)
            message = f"Unknown command {text}. Type / for the list."
            more = f" The library has {', '.join(near)}." if near else ""
            self._screen.notify(message + more, severity="warning", markup=False)

    def cycle_mode(self) -> None:
        """The next of manual, aware, proactive, from the box; elsewhere Shift+Tab goes back."""
        screen = self._request.screen
        if screen.focused is not self._request:
            screen.focus_previous()
            return
        modes = list(ActivationMode)
        at = modes.index(self._secretary.config.activation_mode)
        self._settings.change("activation_mode", modes[(at + 1) % len(modes)], project=True)

    # ------------------------------------------- what the next text will be

    def is_reply(self, text: str) -> bool:
        """Whether a text goes to the agent of the run on the screen: not when it names another."""
        run_agent = self._tabs.run_agent
        if not self.replying or self.handed is not None or not run_agent:
            return False
        reference, _ = split_named(text)
        index = self._secretary.index
        named = bool(reference) and index.is_named(reference)
        return not named or index.find(reference).id == run_agent

    def begin_request(self) -> None:
        """The next text is a new request, without an answer that goes along."""
        self.replying = False
        self.handed = None

    def edit(self, task: str) -> None:
        """Put the task of the match panel into the box."""
        self.editing = True
        self._request.replace_text(task)
        self._request.focus()
        self._screen.follow_flow()

    def stop_editing(self) -> bool:
        """Leave the task as it was; whether it was being edited."""
        if not self.editing:
            return False
        self.editing = False
        self._request.clear()
        self._screen.follow_flow()
        return True

    def hand_on(self, answer: HandedAnswer) -> None:
        """Let an answer go along with the next request, and ask for the agent that gets it."""
        self.handed = answer
        if self._request.is_blank:
            self._request.replace_text("@")
            self._request.after_key()  # As if it had been typed: the menu lists the agents.
        self._request.focus()
        self._screen.follow_flow()

    def stop_handing_on(self) -> bool:
        """Keep the answer here; whether it was about to be handed on."""
        if self.handed is None:
            return False
        self.handed = None
        if self._request.text == "@":
            self._request.clear()
        self._screen.follow_flow()
        return True
