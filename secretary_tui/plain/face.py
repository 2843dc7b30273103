"""The plain face: a prompt, what follows from a line, and the prompt again.

While the prompt waits, the event loop stands still: readline and Ctrl+C then work as in any other
program of lines, and nothing is said in between.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import threading
from collections.abc import Coroutine, Iterator, Sequence
from types import FrameType
from typing import Any

from secretary_tui import config, paths
from secretary_tui.events import RunFinished
from secretary_tui.flow.actions import SLASH, by_slash
from secretary_tui.lines.line_query import is_cancel
from secretary_tui.lines.output import amount
from secretary_tui.lines.plain_mode import IN_LINES
from secretary_tui.plain.channels import json_channel, text_channel
from secretary_tui.plain.command_runner import CommandRunner
from secretary_tui.plain.line_editor import LineEditor
from secretary_tui.plain.plain_session import PlainSession
from secretary_tui.plain.slash_commands import BY_NAME, QUIT
from secretary_tui.registry.mentions import complete_reference
from secretary_tui.secretary import Secretary
from secretary_tui.sessions import drafts, ui_state
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options
from secretary_tui.verbs.running.run_output import exit_code

_OFFERS = 30
_ENDING = (signal.SIGTERM, signal.SIGHUP)


class _EndedBySignal(BaseException):
    """A signal ended the program; no handler of faults may take it for one."""


class PlainFace:
    """One conversation in lines."""

    def __init__(self, options: Options, *, in_json: bool = False) -> None:
        self._options = options
        self._in_json = in_json
        settings = config.load(options.project)
        ui_state.remember_plain(settings)
        self._secretary = options.secretary(settings)
        self._secretary.routing.on_screen = True
        self._editor: LineEditor | None = None
        if sys.stdin.isatty() and not in_json:
            self._editor = LineEditor(drafts.load_history(options.project), self._complete)
        channel = json_channel() if in_json else text_channel(self._editor)
        self._writer, self._keyboard = channel.writer, channel.keyboard
        self._session = PlainSession(self._secretary, channel)
        self._loop = asyncio.Runner()
        self._commands = CommandRunner(options, self._session, self._writer, self._send)
        self._draft = ""
        self._armed = False
        """Whether the next Ctrl+C leaves."""
        self._status: int = ExitCode.DONE
        """Of the first request that did not end well."""
        self._signal = 0

    def run(self, hint: str = "") -> int:
        """Go on until the user leaves or the input ends; gives the exit status."""
        try:
            with self._ended_by_signals():
                self._begin(hint)
                while not self._session.leaving and not self._writer.reader_left:
                    self._turn()
        except (EOFError, _EndedBySignal):
            self._keep_unsent_text()
        finally:
            self._end()
        if self._signal:
            return 128 + self._signal
        if self._writer.reader_left:
            return ExitCode.READER_GONE
        is_told = self._in_json or self._keyboard.is_interactive
        return ExitCode.DONE if is_told else self._status

    # ------------------------------------------------------------------- start

    def _begin(self, hint: str) -> None:
        secretary = self._secretary
        secretary.load()
        if hint:
            self._writer.line(hint)
        for line in _greeting(secretary):
            self._writer.line(line)
        if not self._in_json:  # Of a program nothing is restored: its first line is a request.
            self._restore()
        if not self._keyboard.is_interactive:
            return
        # What the first request would wait for is loaded while it is typed.
        threading.Thread(target=secretary.library.warm_up, name="warm up", daemon=True).start()
        secretary.coordinator.warm()

    def _restore(self) -> None:
        draft = drafts.load_draft(self._options.project)
        with contextlib.suppress(KeyboardInterrupt):
            restored = self._play(self._session.restore())
            draft = "" if draft == restored else draft
        self._draft = self._draft or draft

    # -------------------------------------------------------------------- turns

    def _turn(self) -> None:
        draft = self._next_draft()
        try:
            text = self._keyboard.read(self._session.prompt, draft).strip()
        except KeyboardInterrupt:
            self._interrupted()
            return
        self._take(text)
        self._writer.end_turn()

    def _take(self, text: str) -> None:
        """Do what a text is for."""
        if not text:
            return
        self._armed = False
        drafts.save_draft(self._options.project, "")
        if self._editor is not None:
            self._editor.remember(text)
        if is_cancel(text):
            self._writer.line("There is nothing to cancel.")
        elif not (SLASH.match(text) and self._command(text)):
            self._send(text)

    def _command(self, text: str) -> bool:
        """Carry a command out; whether it was one, or was meant as one that there is not."""
        word, _, rest = text.partition(" ")
        command = BY_NAME.get(word[1:])
        if text == QUIT:
            self._session.leaving = True
        elif command is not None:
            self._commands.run(command, rest)
        elif self._secretary.library.workflows.named(text) is not None or not SLASH.fullmatch(text):
            return False
        elif by_slash(word) is not None:
            self._writer.line(f"{word} works only on the screen. /help lists what works here.")
        else:
            near = ", ".join(complete_reference(self._secretary.index, word, 5))
            more = f" The library has {near}." if near else ""
            self._writer.line(f"Unknown command {word}. /help lists them.{more}")
        return True

    def _send(self, text: str) -> None:
        self._keyboard.refused = False
        try:
            self._play(self._session.send(text))
        finally:
            self._status = self._status or self._request_status()

    def _play(self, going: Coroutine[Any, Any, Any]) -> Any:
        """Let the event loop run until nothing goes on; Ctrl+C stops what does."""

        async def played() -> Any:
            loop = asyncio.get_running_loop()
            task = asyncio.current_task()
            assert task is not None

            def end(number: int) -> None:
                self._signal = number
                task.cancel()

            loop.add_signal_handler(signal.SIGINT, self._session.interrupt)
            for number in _ENDING:
                loop.add_signal_handler(number, end, number)
            try:
                return await going
            finally:
                for number in (signal.SIGINT, *_ENDING):
                    loop.remove_signal_handler(number)

        try:
            return self._loop.run(played())
        except asyncio.CancelledError:
            raise _EndedBySignal from None
        finally:
            self._listen_to_signals()

    def _request_status(self) -> int:
        """What the last request means for the exit status, as with the verb `run`."""
        last = self._session.view.last
        if last is not None:
            status = exit_code(last)
            denied = self._keyboard.refused and isinstance(last, RunFinished)
            return ExitCode.CANCELLED if denied and status is ExitCode.DONE else status
        if self._session.frontend.replied:
            return ExitCode.DONE
        if not self._secretary.is_trusted:
            return ExitCode.UNTRUSTED
        return ExitCode.FAILED if self._secretary.engine is None else ExitCode.CANCELLED

    # ------------------------------------------------------------------- drafts

    def _next_draft(self) -> str:
        """What was not sent, and what was typed too early: it stands in the line again."""
        parts = (self._draft, self._session.frontend.take_returned(), self._keyboard.take_kept())
        self._draft = ""
        draft = "\n".join(filter(None, parts))
        if draft and self._editor is not None and self._editor.can_edit:
            self._writer.line("Unsent text restored; Ctrl+U clears it.")
        return draft

    def _interrupted(self) -> None:
        typed = self._editor.typed if self._editor is not None else ""
        self._writer.line()
        if typed and self._editor is not None:
            self._editor.remember(typed)
            self._writer.line("Cleared; the up key brings it back.")
        elif self._armed or self._in_json:
            self._session.leaving = True
        else:
            self._armed = True
            self._writer.line("Press Ctrl+C again to quit.")

    def _keep_unsent_text(self) -> None:
        if self._editor is not None and self._signal:
            self._draft = self._editor.typed or self._draft

    # --------------------------------------------------------------------- end

    def _end(self) -> None:
        with self._loop:
            self._loop.run(self._close())
        unsent = (self._draft, self._session.frontend.take_returned(), self._keyboard.take_kept())
        if self._keyboard.is_interactive:
            drafts.save_draft(self._options.project, "\n".join(filter(None, unsent)))
            self._writer.end_line()
        if self._session.run_id and not self._in_json:
            resume = f"secretary-tui sessions resume {self._session.run_id}"
            self._writer.line(f'To continue: {resume} "…"')

    async def _close(self) -> None:
        await self._session.aclose()
        await self._secretary.aclose()

    @contextlib.contextmanager
    def _ended_by_signals(self) -> Iterator[None]:
        before = {number: signal.getsignal(number) for number in _ENDING}
        self._listen_to_signals()
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _listen_to_signals(self) -> None:
        for number in _ENDING:
            signal.signal(number, self._end_by_signal)

    def _end_by_signal(self, number: int, frame: FrameType | None) -> None:
        del frame
        self._signal = number
        raise _EndedBySignal

    def _complete(self, word: str) -> Sequence[str]:
        """What Tab offers: agents behind an `@`, commands and workflows behind a `/`."""
        index = self._secretary.index
        if word.startswith("@"):
            return [f"@{name} " for name in complete_reference(index, word[1:], _OFFERS)]
        if word.startswith("/"):
            own = [f"/{name} " for name in BY_NAME if f"/{name}".startswith(word)]
            return [*own, *complete_reference(index, word, _OFFERS)]
        return ()


def _greeting(secretary: Secretary) -> list[str]:
    index, engine = secretary.index, secretary.engine
    lines = [
        f"secretary-tui, plain mode, in {paths.shown(secretary.project)}.",
        f"{amount(len(index.active), 'agent')}, "
        f"{'no model: agents can be found but not run' if engine is None else engine.label}.",
    ]
    if index.problems:
        lines.append(f"{amount(len(index.problems), 'problem')} with files: /problems lists them.")
    lines += [f"{problem.path}: {problem.message}" for problem in secretary.config.problems]
    if not secretary.is_trusted:
        lines.append("The folder is not trusted yet; you are asked before the first run.")
    return [*lines, "Type a request and press Enter. /help lists the commands."]


def run_plain(options: Options, hint: str = "", *, in_json: bool = False) -> int:
    """Run the plain face until the user leaves; `hint` says why it is this one."""
    IN_LINES.set(True)  # For the verbs that commands call.
    return PlainFace(options, in_json=in_json).run(hint)
