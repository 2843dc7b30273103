"""A `!` line of the user's own: run it, show it in the transcript, stop it on Esc.

Its output is shown and goes nowhere else: no agent, no log of a run.
"""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from secretary_tui.sanitize import clean, clean_line
from secretary_tui.widgets.transcript.transcript import Transcript
from secretary_tui.widgets.transcript.transcript_blocks import ToolCallBlock, ToolState

if TYPE_CHECKING:
    from secretary_tui.delegation.workspace.user_command import UserCommand

MAX_OUTPUT_CHARS, MAX_OUTPUT_LINES = 18_000, 180
"""What is kept of the output: the end of it, no more than a block of the transcript shows."""
DRAW_S = 0.1
"""Seconds between two looks at what came."""


class KeptOutput:
    """The end of an output, bounded."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._size = 0
        self._dropped = False
        self.changed = False
        """Whether something came since `text` was asked for."""

    def add(self, piece: str) -> None:
        """Take what came; the pieces are put together now and then, not each time."""
        self._pieces.append(piece)
        self._size += len(piece)
        self.changed = True
        if self._size > 2 * MAX_OUTPUT_CHARS:
            self._pieces = ["".join(self._pieces)[-MAX_OUTPUT_CHARS:]]
            self._size, self._dropped = MAX_OUTPUT_CHARS, True

    def text(self) -> str:
        """The last lines, safe to print; it says when there were more."""
        self.changed = False
        whole = "".join(self._pieces)
        lines = clean_lines(whole[-MAX_OUTPUT_CHARS:]).rstrip("\n").split("\n")
        shown = "\n".join(lines[-MAX_OUTPUT_LINES:])
        cut = self._dropped or len(whole) > MAX_OUTPUT_CHARS or len(lines) > MAX_OUTPUT_LINES
        return (
            f"[earlier output is cut; redirect to a file to keep it all]\n{shown}" if cut else shown
        )


def clean_lines(text: str) -> str:
    """A terminal's output as plain text: no escapes, and of each line what was drawn last."""
    lines = text.replace("\r\n", "\n").split("\n")
    return clean("\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines))


class ShellLine:
    """At most one at a time; it belongs to the transcript in which it was begun."""

    def __init__(
        self, project: Path, place: Callable[[], Transcript], changed: Callable[[], None]
    ) -> None:
        self._project = project
        self._place = place
        """Brings the transcript of the tab into sight."""
        self._changed = changed
        self._task: asyncio.Task[None] | None = None
        self._command: UserCommand | None = None
        self._stopping: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        """Whether a line is being run."""
        return self._task is not None and not self._task.done()

    def run(self, line: str) -> None:
        """Run a line in the project folder."""
        self._task = asyncio.create_task(self._play(line, self._place()), name="shell line")

    def stop(self) -> bool:
        """End the line and all it started; whether there was one."""
        if not self.is_running or self._command is None or self._command.stopped:
            return False
        self._stopping = asyncio.create_task(self._command.stop(), name="stop shell line")
        return True

    async def aclose(self) -> None:
        """Leave nothing of it behind."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        if self._stopping is not None:
            await self._stopping

    async def _play(self, line: str, transcript: Transcript) -> None:
        from secretary_tui.delegation.workspace.user_command import UserCommand

        kept, began = KeptOutput(), time.monotonic()
        block = ToolCallBlock("!", clean_line(line), started=began)
        place = _Place(transcript, block)
        command = self._command = UserCommand(line, self._project, kept.add)
        self._changed()
        running = asyncio.create_task(command.run())
        try:
            while not (await asyncio.wait([running], timeout=DRAW_S))[0]:
                if kept.changed:
                    place.show(dataclasses.replace(block, output=kept.text()))
        except asyncio.CancelledError:
            running.cancel()
            with suppress(asyncio.CancelledError, OSError):
                await running
            raise
        finally:
            self._changed()
        state, how = _ended(running, command.stopped)
        output = f"{kept.text()}\n[{how}]".lstrip("\n")
        took = time.monotonic() - began
        place.show(dataclasses.replace(block, output=output, state=state, elapsed_s=took))


class _Place:
    """Where a line is shown; nothing more is, once the transcript was put aside."""

    def __init__(self, transcript: Transcript, block: ToolCallBlock) -> None:
        self._transcript = transcript
        self._id = transcript.add(block)
        self._last = transcript.content[self._id].block
        if not transcript.content[self._id].unfolded:
            transcript.toggle(self._id)
        transcript.action_follow()  # Who sent it wants to see it.

    def show(self, block: ToolCallBlock) -> None:
        # A cleared transcript counts from the beginning again: the number alone is no proof.
        here = self._id in self._transcript.content
        if here and self._transcript.content[self._id].block is self._last:
            self._transcript.replace(self._id, block)
            self._last = self._transcript.content[self._id].block


def _ended(running: asyncio.Task[int], stopped: bool) -> tuple[ToolState, str]:
    """How it ended, and what is said of that."""
    try:
        code = running.result()
    except OSError as error:
        return ToolState.FAILED, f"your shell can't be started: {error}"
    if stopped:
        return ToolState.INTERRUPTED, "stopped by you"
    if code < 0:
        return ToolState.FAILED, f"ended by signal {-code}"
    return (ToolState.DONE if code == 0 else ToolState.FAILED), f"exit code {code}"
