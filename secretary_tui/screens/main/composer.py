"""What happens around the request box: drafts, history, commands, replies, and the best match."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from textual.content import Content

from secretary_tui.flow import actions
from secretary_tui.flow.handing_on import HandedAnswer
from secretary_tui.registry.mentions import complete_reference, split_named
from secretary_tui.screens.host import host_of
from secretary_tui.sessions import drafts
from secretary_tui.settings import ActivationMode
from secretary_tui.widgets.request.request_box import REQUEST

if TYPE_CHECKING:
    from secretary_tui.screens.main.main_screen import MainScreen

_NEAREST = 5
"""Commands and skills of the library that are named when there is no such command."""
PREVIEW_FROM = 4
"""Characters from which the best match is looked up while typing."""
_PREVIEWED = 2_000
"""Characters that it is looked up with, however long the text is."""


class Composer:
    """Decides what a sent text is, and keeps what was not sent."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self.editing = False
        """Whether the box holds the task of the match panel."""
        self.replying = False
        """Whether Enter sends a reply to the run on the screen."""
        self.handed: HandedAnswer | None = None
        """The answer that goes along with the next request."""
        self._writer = ThreadPoolExecutor(1, "draft")
        """Writes one draft after the other, so that an older one never ends up on a newer one."""

    def restore(self) -> None:
        """Bring the draft and the history of the last session back; reads two small files."""
        screen, project = self._screen, self._screen.secretary.project
        draft = drafts.load_draft(project)
        if draft and screen.request.is_blank:
            screen.request.replace_text(draft)
        screen.request.sent.load(drafts.load_history(project))

    def send(self, text: str, *, is_shell_line: bool = False) -> None:
        """Take a sent text: an edited task, a shell line, a command, a reply, or a new request."""
        screen = self._screen
        screen.request.clear()
        screen.request.keys.begin_insert()
        if self.editing:
            self.editing = False
            screen.match_panel.page.set_task(text)
            screen.match_panel.guard.restart()
            screen.follow_flow()
            return
        if is_shell_line:
            self._shell_line(text)
            return
        if actions.SLASH.fullmatch(text):
            self._command(text)
            return
        reference, task = split_named(text)
        if reference and not task.strip():
            screen.request.replace_text(f"{text} ")
            screen.notify(f"Say what {reference} should do.", timeout=3, markup=False)
            return
        self._request(text, reply=self.is_reply(text))

    def is_reply(self, text: str) -> bool:
        """Whether a text goes to the agent of the run on the screen: not when it names another."""
        run_agent = self._screen.dispatch.run_agent
        if not self.replying or self.handed is not None or not run_agent:
            return False
        reference, _ = split_named(text)
        index = self._screen.secretary.index
        named = bool(reference) and index.is_named(reference)
        return not named or index.find(reference).id == run_agent

    def _request(self, text: str, *, reply: bool = False) -> None:
        screen = self._screen
        self._remember(text)
        context = self.handed.context if self.handed is not None else ()
        screen.dispatch.submit(text, reply=reply, context=context)

    def _remember(self, text: str) -> None:
        drafts.add_to_history(self._screen.secretary.project, text)
        self._screen.request.sent.add(text)

    def _shell_line(self, text: str) -> None:
        """Run a line of the user's own; a second one waits in the box until the first ended."""
        screen = self._screen
        if screen.shell.is_running:
            screen.request.replace_text(text)
            screen.notify("Your shell line still runs. Esc stops it.", timeout=3)
            return
        self._remember(text)
        screen.shell.run(text.removeprefix("!").strip())

    def _command(self, text: str) -> None:
        """Carry a slash command out; an unknown one goes to nobody."""
        screen = self._screen
        name, _, argument = text.partition(" ")
        if name == "/mode" and argument in tuple(ActivationMode):
            host_of(screen).change_setting("activation_mode", argument, project=True)
            return
        action = actions.by_slash(name)
        if action is None or argument:
            # Our own commands win; the library's are routed like requests, and so confirmed.
            if screen.secretary.workflows.named(text) is not None:
                self._request(text)
                return
            screen.request.replace_text(text)
            near = complete_reference(screen.secretary.index, name, _NEAREST)
            message = f"There is no command {text}. Typing / lists them."
            more = f" The library has {', '.join(near)}." if near else ""
            screen.notify(message + more, severity="warning", markup=False)
            return
        screen.run_worker(screen.run_action(action.name), exclusive=False)

    def edit(self, task: str) -> None:
        """Put the task of the match panel into the box."""
        self.editing = True
        self._screen.request.replace_text(task)
        self._screen.request.focus()
        self._screen.follow_flow()

    def hand_on(self, answer: HandedAnswer) -> None:
        """Let an answer go along with the next request, and ask for the agent that gets it."""
        self.handed = answer
        if self._screen.request.is_blank:
            self._screen.request.replace_text("@")
            self._screen.completer.look()
        self._screen.request.focus()
        self._screen.follow_flow()

    def stop_handing_on(self) -> bool:
        """Keep the answer here; whether it was about to be handed on."""
        if self.handed is None:
            return False
        self.handed = None
        if self._screen.request.text == "@":
            self._screen.request.clear()
        self._screen.follow_flow()
        return True

    def stop_editing(self) -> bool:
        """Leave the task as it was; whether it was being edited."""
        if not self.editing:
            return False
        self.editing = False
        self._screen.request.clear()
        self._screen.follow_flow()
        return True

    @property
    def draft(self) -> str:
        """What must not be lost: messages that wait, and the text of the box.

        Not the text of the box while that is a copy of a task.
        """
        text = "" if self.editing else self._screen.request.text
        return "\n\n".join(filter(None, (*self._screen.dispatch.undelivered, text)))

    async def save_draft(self) -> None:
        """Write the draft once the typing pauses."""
        await asyncio.sleep(0.4)
        await self._write_draft()

    async def aclose(self) -> None:
        """Write the draft as it is at the end, after all that is still being written."""
        await self._write_draft()

    async def _write_draft(self) -> None:
        project, draft = self._screen.secretary.project, self.draft
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._writer, drafts.save_draft, project, draft)

    async def preview(self) -> None:
        """Show the best local match of what is being typed (modes aware and proactive)."""
        screen = self._screen
        subtitle = ""
        await asyncio.sleep(0.15)
        text = screen.request.text[:_PREVIEWED].strip()
        wanted = screen.secretary.config.activation_mode is not ActivationMode.MANUAL
        if wanted and len(text) >= PREVIEW_FROM and text[0] not in "@/!" and not self.replying:
            found = await asyncio.to_thread(screen.secretary.route_local, text)
            if found.matches:
                best = found.matches[0]
                subtitle = f"best match: {best.agent} {best.confidence}"
        screen.request.border_subtitle = Content(subtitle)

    def label(self) -> None:
        """Say above the box where its text will go."""
        screen, dispatch = self._screen, self._screen.dispatch
        if screen.searching.is_open:
            title = screen.searching.title
        elif self.editing:
            title = "task · Enter keeps it, Esc leaves it as it was"
        elif screen.request.is_shell_line:
            title = "your own shell line: runs here with all your rights · Esc stops it"
        elif self.handed is not None:
            title = f"now have @agent do … with the answer of {self.handed.agent}"
        elif dispatch.running:
            title = f"to {dispatch.agent}, at its next turn"
        elif self.is_reply(screen.request.text):
            anew = screen.keys.way("toggle_reply")
            title = f"reply to {dispatch.run_agent} · {anew}: new request"
        else:
            title = "request"
        if screen.request.keys.vi_mode is not None:
            mode = (
                f"{screen.request.keys.vi_mode.upper()} {screen.request.keys.vi_pending}".rstrip()
            )
            title = f"{mode} · {title}"
        told = dispatch.running or self.is_reply(screen.request.text)
        screen.request.placeholder = "Anything to add?" if told else REQUEST
        screen.request.border_title = Content(title)
