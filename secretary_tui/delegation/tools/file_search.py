"""Glob and Grep, kept off our event loop.

The SDK's Glob is an async function that does blocking work inside, so it runs in a thread. Its
search without ripgrep runs Python's `re` on a pattern of the model's, which can hold the
interpreter for ever: that one gets a process of its own, which can be killed. What searches sees
the project alone.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from secretary_tui import paths
from secretary_tui.delegation.sandbox.sandbox import command_environment
from secretary_tui.delegation.tools.file_reading import TIMEOUT_S, in_time, too_long
from secretary_tui.delegation.tools.ripgrep import NotStartedError, ripgrep, seeing_only
from secretary_tui.delegation.tools.sdk import AgentToolContext, ToolError, beta_glob_tool
from secretary_tui.delegation.workspace.process_group import answer_of
from secretary_tui.delegation.workspace.workspace import Workspace

# FileSearch ahead, since a number may end one mark and begin the next: `a:1:2:text`.
_LINE_NUMBER = re.compile(r":(?=\d+:)")
_CUT = re.compile(r"\[output truncated at \d+ bytes\]")
_MAX_COLONS = 20
_GREP_CHILD = """
import asyncio, json, sys
from anthropic.lib.tools import ToolError
from anthropic.lib.tools.agent_toolset import AgentToolContext, beta_grep_tool
asked = json.load(sys.stdin)
tool = beta_grep_tool(AgentToolContext(workdir=asked["root"]))
try:
    answer = {"ok": asyncio.run(tool.call(asked["input"]))}
except ToolError as error:
    answer = {"error": str(error)}
print(json.dumps(answer))
"""


class FileSearch:
    """Finds files of one workspace, by name and by content."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._glob = beta_glob_tool(AgentToolContext(workdir=workspace.root))

    async def glob(self, pattern: str, path: str | None, hidden: Callable[[str], bool]) -> str:
        """List files by pattern, relative to the workspace, without those that are `hidden`."""
        asked = {"pattern": pattern, **({"path": path} if path else {})}
        found = str(await in_time(lambda: asyncio.run(self._glob.call(asked))))
        return await asyncio.to_thread(self._visible, found, hidden, _whole)

    async def grep(self, pattern: str, path: str | None, hidden: Callable[[str], bool]) -> str:
        """Search files by regular expression; paths relative to the workspace."""
        asked = {"pattern": pattern, **({"path": path} if path else {})}
        root = self._workspace.root
        try:
            if (program := self._ripgrep()) is None:
                raise NotStartedError
            async with asyncio.timeout(TIMEOUT_S):
                place = Path(path) if path else root
                found = await ripgrep(program, pattern, place, root, command_environment())
        except TimeoutError:
            raise too_long() from None
        except NotStartedError:
            found = await _grep_in_child(root, asked)
        if path and found != "no matches" and await asyncio.to_thread(Path(path).is_file):
            # Ripgrep leaves out the name of a single file, which was judged by whoever asks.
            name = self._workspace.shown(Path(path))
            return "\n".join(
                line if _CUT.fullmatch(line) else f"{name}:{line.removeprefix(f'{path}:')}"
                for line in found.rstrip("\n").split("\n")
            )
        return await asyncio.to_thread(self._visible, found, hidden, _possible_names)

    def _visible(
        self, listing: str, hidden: Callable[[str], bool], names: Callable[[str], list[str]]
    ) -> str:
        """Give the lines of files that may be seen; a line of no known file is left out.

        A file's name may hold what ends it, so each part of a line that is a file is judged.
        """
        root = f"{self._workspace.root}{os.sep}"
        known: dict[str, bool | None] = {}

        def judged(name: str) -> bool | None:
            if name not in known:
                there = os.path.lexists(root + name)
                known[name] = (name.startswith(".git/") or hidden(name)) if there else None
            return known[name]

        lines = []
        for line in listing.split("\n"):
            if _CUT.fullmatch(line):
                lines.append(line)
            elif line.startswith(root):
                shown = line.removeprefix(root)
                verdicts = {judged(name) for name in names(shown)} - {None}
                if verdicts == {False}:
                    lines.append(shown)
        return "\n".join(lines) or "no matches"

    def _ripgrep(self) -> str | None:
        """Find ripgrep; none that lies in the workspace, where agents write."""
        for folder in os.get_exec_path():
            found = shutil.which("rg", path=folder) if Path(folder).is_absolute() else None
            if found is not None and not paths.stays_inside(Path(found), self._workspace.root):
                return found
        return None


def _whole(line: str) -> list[str]:
    return [line]


def _possible_names(line: str) -> list[str]:
    """Give what may be the name in a line `name:number:text`."""
    ends = itertools.islice(_LINE_NUMBER.finditer(line), _MAX_COLONS)
    return [line[: end.start()] for end in ends]


async def _grep_in_child(root: Path, asked: dict[str, Any]) -> str:
    """Run the SDK's search without ripgrep in a process of its own; the program path is empty."""
    argv = [sys.executable, "-I", "-c", _GREP_CHILD]
    needed = [Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable), *map(Path, sys.path)]
    given = json.dumps({"root": str(root), "input": asked}).encode()
    with seeing_only(root, argv, [path for path in needed if path.is_absolute()]) as walled:
        process = await asyncio.create_subprocess_exec(
            *walled,
            env={**command_environment(), "PATH": ""},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            out, _ = await answer_of(process, given, TIMEOUT_S)
        except TimeoutError:
            raise too_long() from None
    try:
        answer = json.loads(out)
    except ValueError:
        raise ToolError("The search failed; try a simpler pattern.") from None
    if "error" in answer:
        raise ToolError(str(answer["error"]))
    return str(answer["ok"])
