"""Search with ripgrep, which sees the project and nothing else, and is ended when it says too much.

It walks folders by their paths, so a folder that is swapped for a link meanwhile would lead it out;
Landlock (Linux) judges by what is really opened.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from secretary_tui.delegation.sandbox.landlock import LAUNCHER, MIN_ABI, LandlockRules, landlock_abi
from secretary_tui.delegation.tools.sdk import ToolError
from secretary_tui.sanitize import clean_line

MAX_OUTPUT_BYTES = 100 * 1024
_PIECE = 1 << 16
_MAX_SAID = 2_000
_SYSTEM = (
    *("/usr", "/lib", "/lib32", "/lib64", "/bin", "/nix/store", "/gnu/store"),
    "/etc/ld.so.cache",
)
_NO_MATCHES, _NOT_STARTED = 1, (126, 127)


class NotStartedError(Exception):
    """The program can't run behind walls here."""


async def ripgrep(
    program: str, pattern: str, place: Path, root: Path, environment: Mapping[str, str]
) -> str:
    """Give the lines `path:number:text` that match, at most `MAX_OUTPUT_BYTES` of them.

    Raises:
        ToolError: the pattern is none.
        NotStartedError: it doesn't start; search in another way.
    """
    options = ("--no-config", "--color=never", "-n", "--no-heading", "-e", pattern, "--")
    with seeing_only(root, [program, *options, str(place)], [Path(program)]) as argv:
        process = await asyncio.create_subprocess_exec(
            *argv,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        complaints = asyncio.create_task(_to_the_end(process.stderr))
        try:
            found = await _first(process.stdout, MAX_OUTPUT_BYTES + 1)
            is_cut = len(found) > MAX_OUTPUT_BYTES
        finally:
            if process.returncode is None and not process.stdout.at_eof():
                process.kill()
            # What is left in the pipes would keep them open.
            await asyncio.gather(_to_the_end(process.stdout), complaints)
            code = await process.wait()
        errors = complaints.result().decode("utf-8", "replace")
    if is_cut:
        lines = found[:MAX_OUTPUT_BYTES].rpartition(b"\n")[0].decode("utf-8", "replace")
        return f"{lines}\n[output truncated at {MAX_OUTPUT_BYTES} bytes]"
    if code in _NOT_STARTED or code < 0:
        raise NotStartedError(clean_line(errors)[:200])
    if not found and code == _NO_MATCHES:
        return "no matches"
    # It also says so of a folder that it may not list; what it found elsewhere counts.
    if not found and code != 0:
        raise ToolError(f"grep: rg failed: {clean_line(errors)}")
    return found.decode("utf-8", "replace")


@contextlib.contextmanager
def seeing_only(root: Path, argv: Sequence[str], programs: Sequence[Path]) -> Iterator[list[str]]:
    """Give the command line that starts `argv` where it can read `root`, and write nothing.

    `programs` are what it needs to start. Where the kernel has no such walls it is `argv`.
    """
    abi = landlock_abi()
    if abi < MIN_ABI:
        yield list(argv)
        return
    read = [*_SYSTEM, *(os.path.realpath(path) for path in programs), str(root)]
    rules = LandlockRules(str(root), abi, [*map(os.path.realpath, read)], [])
    handle, name = tempfile.mkstemp(prefix="secretary-tui-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
            json.dump(asdict(rules), file)
        launcher = LAUNCHER
        yield [sys.executable, "-I", "-S", str(launcher), name, *argv]
    finally:
        Path(name).unlink(missing_ok=True)


async def _first(stream: asyncio.StreamReader, limit: int) -> bytes:
    """Read to the end, but keep no more than `limit` bytes and stop there."""
    found = b""
    while len(found) < limit and (piece := await stream.read(min(_PIECE, limit - len(found)))):
        found += piece
    return found


async def _to_the_end(stream: asyncio.StreamReader) -> bytes:
    """Read all there is, and keep the beginning."""
    kept = b""
    while piece := await stream.read(_PIECE):
        kept = (kept + piece)[:_MAX_SAID]
    return kept
