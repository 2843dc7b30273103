"""Read, Glob and Grep: the SDK's own file tools, kept off our event loop.

The SDK's tools are async functions that do blocking work inside, so they run in a thread. A search
without ripgrep runs Python's `re` on a pattern of the model's, which can hold the interpreter for
ever: that one gets a process of its own, which can be killed.
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

from anthropic.lib.tools import ToolError
from anthropic.lib.tools.agent_toolset import (
    AgentToolContext,
    beta_glob_tool,
    beta_grep_tool,
    beta_read_tool,
)

from secretary_tui.delegation.media import MAX_PDF_BYTES, MAX_PICTURE_BYTES, MediaGate
from secretary_tui.delegation.sandbox import command_environment
from secretary_tui.delegation.threads import in_daemon_thread
from secretary_tui.delegation.workspace import Workspace, WorkspaceError

TIMEOUT_S = 30.0
# Looking ahead, since a number may end one mark and begin the next: `a:1:2:text`.
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


class Looking:
    """The tools that only look, for one workspace."""

    def __init__(self, workspace: Workspace, *, takes_media: bool = True) -> None:
        self._workspace = workspace
        self._media = MediaGate(takes_media=takes_media)
        context = AgentToolContext(
            workdir=workspace.root,
            env=command_environment(),
            max_image_base64_bytes=MAX_PICTURE_BYTES * 4 // 3,
            max_pdf_bytes=MAX_PDF_BYTES,
        )
        self._read = beta_read_tool(context)
        self._glob = beta_glob_tool(context)
        self._grep = beta_grep_tool(context)

    async def read(self, path: str, offset: int | None, limit: int | None) -> Any:
        """Read a file: text, or a list of content blocks for an image or PDF.

        Raises:
            ToolError: it can't be read; the message is for the model.
        """
        asked: dict[str, object] = {"file_path": path}
        if offset is not None or limit is not None:
            first = offset or 1
            asked["view_range"] = [first, first + limit - 1 if limit else 0]
        found = await _in_thread(self._read, asked)
        if isinstance(found, str):
            return found
        name = self._workspace.shown(Path(path))
        return await asyncio.to_thread(self._media.admit, name, found)

    async def glob(self, pattern: str, path: str | None, hidden: Callable[[str], bool]) -> str:
        """List files by pattern, relative to the workspace, without those that are `hidden`."""
        asked = {"pattern": pattern, **({"path": path} if path else {})}
        found = str(await _in_thread(self._glob, asked))
        return await asyncio.to_thread(self._visible, found, hidden, _whole)

    async def grep(self, pattern: str, path: str | None, hidden: Callable[[str], bool]) -> str:
        """Search files by regular expression; paths relative to the workspace."""
        asked = {"pattern": pattern, **({"path": path} if path else {})}
        if self._has_ripgrep():
            try:
                async with asyncio.timeout(TIMEOUT_S):
                    found = str(await self._grep.call(asked))
            except TimeoutError:
                raise _too_long() from None
        else:
            found = await _grep_in_child(str(self._workspace.root), asked)
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

    def _has_ripgrep(self) -> bool:
        # The SDK takes no ripgrep from inside the workspace.
        found = shutil.which("rg")
        if found is None:
            return False
        try:
            self._workspace.resolve(found)
        except WorkspaceError:
            return True
        return False


def _whole(line: str) -> list[str]:
    return [line]


def _possible_names(line: str) -> list[str]:
    """Give what may be the name in a line `name:number:text`."""
    ends = itertools.islice(_LINE_NUMBER.finditer(line), _MAX_COLONS)
    return [line[: end.start()] for end in ends]


def _too_long() -> ToolError:
    return ToolError(f"This took longer than {TIMEOUT_S:g} s; narrow the pattern or the path.")


async def _in_thread(tool: Any, asked: dict[str, Any]) -> Any:
    """Run one of the SDK's tools in a thread that no one waits for when it is given up."""
    try:
        return await in_daemon_thread(lambda: asyncio.run(tool.call(asked)), TIMEOUT_S)
    except TimeoutError:
        raise _too_long() from None


async def _grep_in_child(root: str, asked: dict[str, Any]) -> str:
    """Run the SDK's search without ripgrep in a process of its own; the program path is empty."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-c", _GREP_CHILD),
        env={**command_environment(), "PATH": ""},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(TIMEOUT_S):
            out, _ = await process.communicate(json.dumps({"root": root, "input": asked}).encode())
    except TimeoutError:
        raise _too_long() from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    try:
        answer = json.loads(out)
    except ValueError:
        raise ToolError("The search failed; try a simpler pattern.") from None
    if "error" in answer:
        raise ToolError(str(answer["error"]))
    return str(answer["ok"])
