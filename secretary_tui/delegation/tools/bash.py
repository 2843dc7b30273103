"""Bash: one command a call, confined where that is possible, and nothing of it left behind."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from secretary_tui.delegation.permissions.rules import Subject, covers_command
from secretary_tui.delegation.permissions.visible_files import listed
from secretary_tui.delegation.sandbox.sandbox import (
    Confinement,
    command_environment,
    sandbox_status,
)
from secretary_tui.delegation.tools.sdk import ToolError
from secretary_tui.delegation.tools.tool_calls import ToolCall, permit, summarize
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.tools.tool_inputs import BashInput
from secretary_tui.delegation.undo.snapshots import Snapshots, watched_command
from secretary_tui.delegation.workspace.process_group import ProcessGroup
from secretary_tui.events import Notice
from secretary_tui.people import ToolRequest
from secretary_tui.sanitize import clean, oddities, reveal
from secretary_tui.tool_table import BASH

DEFAULT_TIMEOUT_S = 120.0
MAX_TIMEOUT_S = 600.0
MAX_OUTPUT_BYTES = 100_000
"""What is kept of the output: the end of it, where compilers and tests say what failed."""
GIT_IS_READ_ONLY = (
    "Git's folder is read-only for agents' commands: git can look, but not add, commit or switch. "
    "Where you have GitCommit, commit with it; leave the rest to the user."
)
NO_NEW_FILES = (
    "Commands write only in the project, have no network, and without bubblewrap make nothing new "
    "directly in a folder that holds .git, .claude, .mcp.json or .envrc. Sub-folders are free."
)


@dataclass(frozen=True, slots=True)
class BashResult:
    """What a command left: the end of its output, and how it ended."""

    output: str
    exit_code: int | None
    """None when it ran out of time; negative for a signal."""
    sandboxed: bool
    timeout_s: float
    notes: tuple[str, ...] = ()
    """What the walls undid or withheld, one sentence each."""

    @property
    def is_error(self) -> bool:
        """Whether it failed or ran out of time."""
        return self.exit_code != 0

    @property
    def text(self) -> str:
        """What the model reads."""
        if self.exit_code is None:
            end = f"[stopped after {self.timeout_s:g} s: the time limit]"
        elif self.exit_code < 0:
            end = f"[ended by signal {-self.exit_code}]"
        else:
            end = f"[exit code {self.exit_code}]"
        body = self.output.rstrip("\n")
        if self.exit_code == 0:
            text = body or "[no output, exit code 0]"
        else:
            text = f"{body}\n{end}".lstrip("\n")
        return "\n".join((text, *(f"[{note}]" for note in self.notes)))


class _Tail:
    """Keeps the last `MAX_OUTPUT_BYTES` of a stream."""

    def __init__(self) -> None:
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._dropped = 0

    def add(self, chunk: bytes) -> None:
        self._chunks.append(chunk)
        self._size += len(chunk)
        while self._size - len(self._chunks[0]) >= MAX_OUTPUT_BYTES:
            first = self._chunks.popleft()
            self._size -= len(first)
            self._dropped += len(first)

    def text(self) -> str:
        data = b"".join(self._chunks)
        dropped = self._dropped + max(0, len(data) - MAX_OUTPUT_BYTES)
        shown = clean(data[-MAX_OUTPUT_BYTES:].decode("utf-8", "replace"))
        return f"[{dropped} bytes before this were cut]\n{shown}" if dropped else shown


class BashTool:
    """Runs commands for one run, and keeps what they change."""

    about = ""

    def __init__(self, context: ToolContext, snapshots: Snapshots | None) -> None:
        self._context = context
        self._snapshots = snapshots

    async def run(self, call: ToolCall, asked: BashInput) -> str:
        """Show the command, ask, and run it.

        Raises:
            ToolError: it was refused or failed.
            OSError: no shell can be started.
        """
        self._refuse(asked.command)
        sandboxed = sandbox_status()[0] != "none"
        await self._permit(call, asked.command, sandboxed=sandboxed)
        seconds = asked.timeout / 1000 if asked.timeout else DEFAULT_TIMEOUT_S
        async with watched_command(self._snapshots, call.id, sandboxed=sandboxed) as problem:
            if problem:
                self._context.emit(Notice(problem, "warning"))
            root = self._context.workspace.root
            result = await run_bash(asked.command, root, timeout_s=seconds)
        if result.is_error:
            raise ToolError(result.text)
        return result.text

    def _refuse(self, command: str) -> None:
        """Hold the agent to the commands that its own list of tools names.

        Raises:
            ToolError: the command is none of them, or no command.
        """
        if "\x00" in command:
            raise ToolError("The command holds a NUL character.")
        for patterns in self._context.offered.patterns(BASH):
            if not any(covers_command(pattern, command) for pattern in patterns):
                raise ToolError(
                    f"This agent may only run commands that match {listed(patterns)}, "
                    "one at a time."
                )

    async def _permit(self, call: ToolCall, command: str, *, sandboxed: bool) -> None:
        request = ToolRequest(
            call.id,
            self._context.agent,
            BASH,
            summarize(BASH, call.input),
            reveal(command),
            str(self._context.workspace.root),
            sandboxed=sandboxed,
            warnings=oddities(command),
            input=call.input,
        )
        await permit(self._context, request, Subject(BASH, command=command))


async def run_bash(
    command: str, workspace: Path, *, timeout_s: float = DEFAULT_TIMEOUT_S
) -> BashResult:
    """Run one command in the workspace with no input, at most `MAX_TIMEOUT_S` seconds.

    Output and error output come as one text. When it ends, runs out of time or is cancelled,
    whatever it started in its process group (in its process namespace, when confined) is killed.

    Raises:
        OSError: no shell can be started.
    """
    timeout_s = max(0.1, min(timeout_s, MAX_TIMEOUT_S))
    kind = sandbox_status()[0]
    shell = [shutil.which("bash") or "/bin/sh"]
    argv = [
        *shell,
        *(["--noprofile", "--norc"] if shell[0].endswith("bash") else []),
        # What begins with a dash is a command, too, and no option of the shell.
        *("-c", "--", command),
    ]
    if kind == "none":
        return await _run(argv, workspace, timeout_s, sandboxed=False)
    walls = Confinement(argv, workspace, kind=kind)
    notes: tuple[str, ...] = ()
    try:
        # Threads, because a large project is searched for what is protected.
        argv = await asyncio.to_thread(walls.enter)
        result = await _run(
            argv, workspace, timeout_s, sandboxed=True, environment=walls.environment
        )
    finally:
        notes = await asyncio.shield(asyncio.to_thread(walls.leave))
    return replace(
        result, notes=(*_explained(result, kind), *_unreal(result, walls.placeholders), *notes)
    )


def _unreal(result: BashResult, names: tuple[str, ...]) -> tuple[str, ...]:
    """Say which names of the output (`git status`, `ls -a`) are no files of the project."""
    shown = [
        name
        for name in names
        if re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w.-])", result.output)
    ]
    if not shown:
        return ()
    return (
        f"Not the project's: {', '.join(shown)} at its top, empty, only there while commands run, "
        "to hold the name.",
    )


def _explained(result: BashResult, kind: str) -> tuple[str, ...]:
    if kind == "landlock" and result.is_error and "Permission denied" in result.output:
        return (NO_NEW_FILES,)
    if result.is_error and "Read-only file system" in result.output and ".git" in result.output:
        return (GIT_IS_READ_ONLY,)
    return ()


async def _run(
    argv: list[str],
    workspace: Path,
    timeout_s: float,
    *,
    sandboxed: bool,
    environment: Mapping[str, str] | None = None,
) -> BashResult:
    tail = _Tail()
    whole = {**command_environment(), **(environment or {})}
    group = await ProcessGroup.start(argv, workspace, tail.add, whole)
    code: int | None
    try:
        async with asyncio.timeout(timeout_s):
            code = await group.wait()
    except TimeoutError:
        code = None
    finally:
        await group.end()
    return BashResult(tail.text(), code, sandboxed, timeout_s)
