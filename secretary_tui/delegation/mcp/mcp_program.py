"""What of the project an MCP server is started from: who can write that decides what it does.

Every word of the command and of its environment that names a file or folder of the project counts,
and the file in which a task runner (`npm run …`, `make …`) looks up what to start.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from secretary_tui import paths
from secretary_tui.delegation.mcp.mcp_servers import McpServer

_MAX_FILES = 2_000
_MAX_BYTES = 50_000_000
_CHUNK = 1 << 20
_TASKS = {
    **dict.fromkeys(("npm", "npx", "pnpm", "yarn", "bun", "bunx", "node"), ("package.json",)),
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "deno": ("deno.json", "deno.jsonc"),
    **dict.fromkeys(("uv", "uvx", "poetry", "hatch", "pdm"), ("pyproject.toml",)),
    "cargo": ("Cargo.toml",),
    "go": ("go.mod",),
}


@dataclass(frozen=True, slots=True)
class Program:
    """The part of a server that lies in the project."""

    digest: str = ""
    """The hash of all of it; empty when nothing of it lies there."""
    is_known: bool = True
    """False when it is too large to be hashed, or can't be read."""


def program_in(workspace: Path, server: McpServer) -> Program:
    """Hash what a filled-in server is started from in the project. Reads files."""
    root = workspace.resolve()
    found = sorted(set(_places(root, server)))
    if not found:
        return Program()
    digest = hashlib.sha256()
    left = [_MAX_FILES, _MAX_BYTES]
    try:
        for place in found:
            for path in _files(place):
                _add(digest, path, left)
    except (OSError, OverflowError):
        return Program(is_known=False)
    return Program(digest.hexdigest())


def _places(root: Path, server: McpServer) -> Iterator[Path]:
    """Give the files and folders of the project that the server's description names."""
    texts = [*server.command, *server.env.values()]
    name = Path(server.command[0]).name if server.command else ""
    texts += _TASKS.get(name.lower().removesuffix(".cmd").removesuffix(".exe"), ())
    if server.command and (program := shutil.which(server.command[0])):
        texts.append(program)
    for word in dict.fromkeys(word for text in texts for word in _words(text)):
        path = Path(os.path.normpath(root / word))
        # `-m tools.server` names a module by dots.
        module = root / word.replace(".", "/")
        for place in (path, Path(f"{path}.py"), module, Path(f"{module}.py")):
            if place != root and _is_there(place) and _belongs(place, root):
                yield place


def _words(text: str) -> Iterator[str]:
    """Give the parts of an argument that may be a path: `--config=a`, `a:b`, `sh -c "a; b"`."""
    try:
        parts = shlex.split(text)
    except ValueError:
        parts = text.split()
    for part in (text, *parts):
        for word in (part, *re.split(r"[=:;,&|()<>]", part)):
            if word.strip() and "\0" not in word:
                yield word.strip()


def _is_there(place: Path) -> bool:
    try:
        return os.path.lexists(place)
    except (OSError, ValueError):
        return False


def _belongs(place: Path, root: Path) -> bool:
    return place.is_relative_to(root) or paths.stays_inside(place, root)


def _files(place: Path) -> Iterator[Path]:
    if not place.is_dir():
        yield place
        return
    for folder, below, names in os.walk(place):
        below.sort()
        # What Python makes itself while the server runs.
        below[:] = [name for name in below if name not in ("__pycache__", ".git")]
        yield from (Path(folder, name) for name in sorted(names))


def _add(digest: hashlib._Hash, path: Path, left: list[int]) -> None:
    """Add a file's name, where it leads and its content.

    Raises:
        OSError: it can't be read.
        OverflowError: there is more than is looked at.
    """
    real = path.resolve()
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    with os.fdopen(os.open(real, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError("no regular file")
        left[0] -= 1
        left[1] -= status.st_size
        if min(left) < 0:
            raise OverflowError
        digest.update(f"{path}\0{real}\0{status.st_size}\0".encode(errors="surrogateescape"))
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
