"""Which folders the user trusts: asked once for each, before anything of it takes effect.

Kept in the user's state folder, never in the repository. A folder is known by its path and by what
the file system says of it (inode, time of birth), so another one put in its place is asked about
again.
"""

from __future__ import annotations

import ctypes
import datetime
import json
import os
import struct
import sys
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from secretary_tui import paths
from secretary_tui.delegation.workspace.small_files import UnusableFileError, read_small_text
from secretary_tui.people import SAFE, Choice, People
from secretary_tui.sanitize import clean_line

_STATX_BTIME, _AT_FDCWD, _BTIME_AT = 0x800, -100, 80
_BROUGHT = (
    *("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/agents", ".claude/commands"),
    *(".claude/skills", ".claude/settings.json", ".claude/settings.local.json", ".mcp.json"),
    *(".claude/secretary.local.md", ".claude-plugin"),
)
"""What a repository may hold that a run reads, obeys or starts."""


class UntrustedError(Exception):
    """Nothing may run in a folder that the user doesn't trust; the message says what helps."""


class TrustAnswer(StrEnum):
    """What the user said about a folder."""

    TRUST = "trust"
    READ = "read"
    """Only looking, and only this time."""
    NO = "no"


@dataclass(frozen=True, slots=True)
class TrustedFolder:
    """A folder that was trusted once."""

    path: Path
    since: str
    """The day, as `2026-01-31`."""
    stands: bool
    """Whether it still is the folder it was then."""


def trust_root(folder: Path) -> Path:
    """Give the folder that trust is about: the repository around it, or the folder itself.

    A repository of the whole home folder says nothing about what lies below.
    """
    folder = Path(os.path.realpath(folder))
    root = Path(os.path.realpath(paths.repository_root(folder)))
    return folder if Path(os.path.realpath(Path.home())).is_relative_to(root) else root


def is_trusted(folder: Path) -> bool:
    """Whether the user trusts a folder, and it still is the one that was meant."""
    root = trust_root(folder)
    entry = _entries().get(str(root))
    return entry is not None and entry.get("identity") == _identity(root)


def trust(folder: Path) -> Path:
    """Remember that the user trusts a folder; gives its root.

    Raises:
        OSError: it can't be stored, or the folder is gone.
    """
    root = trust_root(folder)
    identity = _identity(root)
    if not identity:
        raise OSError(f"{root} can't be looked at")
    with _locked():
        since = datetime.datetime.now().astimezone().date().isoformat()
        _store({**_entries(), str(root): {"identity": identity, "since": since}})
    return root


def forget(folder: Path) -> bool:
    """Trust a folder no more; whether it was trusted.

    Raises:
        OSError: it can't be stored.
    """
    with _locked():
        entries = _entries()
        known = [name for name in (str(trust_root(folder)), str(folder)) if name in entries]
        if known:
            _store({name: entry for name, entry in entries.items() if name not in known})
    return bool(known)


def trusted_folders() -> tuple[TrustedFolder, ...]:
    """Give every folder that was trusted, by path."""
    return tuple(
        TrustedFolder(
            Path(name),
            clean_line(str(entry.get("since", ""))),
            entry.get("identity") == _identity(Path(name)),
        )
        for name, entry in sorted(_entries().items())
    )


async def ask_for_trust(workspace: Path, people: People) -> TrustAnswer:
    """Ask whether a folder is trusted, naming what it brings; silence means no.

    Raises:
        OSError: the answer can't be stored.
    """
    root = trust_root(workspace)
    brings = ", ".join(_brought(root))
    has = f"It brings {brings}." if brings else "It brings no instructions or settings of its own."
    key = await people.choose(
        f"Do you trust what is in {clean_line(paths.shown(root))}?",
        f"A run follows its instructions, may use its agents, and works on its files. {has} "
        "You are asked once for this folder.",
        (
            Choice("t", "Trust it and run"),
            Choice("r", "Only read, this time"),
            Choice(SAFE, "Run nothing"),
        ),
    )
    if key == "t":
        trust(workspace)
        return TrustAnswer.TRUST
    return TrustAnswer.READ if key == "r" else TrustAnswer.NO


def _brought(root: Path) -> list[str]:
    return [name for name in _BROUGHT if os.path.lexists(root / name)]


def untrusted(folder: Path) -> UntrustedError:
    """Make the error that says why nothing runs here, and what helps."""
    shown = clean_line(paths.shown(trust_root(folder)))
    return UntrustedError(
        f"Nothing was run: {shown} is not trusted yet. To trust it: `secretary-tui trust {shown}`; "
        "for a single run: `run --trust`."
    )


def _file() -> Path:
    return paths.state_dir() / "trusted.json"


def _entries() -> dict[str, dict[str, Any]]:
    """Read the record; what can't be read trusts nothing."""
    try:
        record = json.loads(read_small_text(_file()))
    except (OSError, UnusableFileError, ValueError, RecursionError):
        return {}
    folders = record.get("folders") if isinstance(record, dict) else None
    if not isinstance(folders, dict):
        return {}
    return {name: entry for name, entry in folders.items() if isinstance(entry, dict)}


def _store(entries: dict[str, dict[str, Any]]) -> None:
    text = json.dumps({"folders": entries}, indent=2, ensure_ascii=False)
    paths.write_atomic(_file(), text + "\n", mode=0o600)


def _locked() -> AbstractContextManager[None]:
    return paths.locked(paths.state_dir() / "trusted.lock")


def _identity(folder: Path) -> str:
    """Say which folder stands at a path; empty when none does.

    Inodes are given to new folders again, so the time of birth belongs to it where it is known.
    """
    try:
        status = folder.stat()
    except OSError:
        return ""
    born: object = getattr(status, "st_birthtime", None)
    if born is None and sys.platform == "linux":
        born = _birth(folder)
    return f"{status.st_ino}:{born}"


def _birth(folder: Path) -> str:
    """The time of birth by Linux's statx, which Python doesn't offer; empty where unknown."""
    buffer = ctypes.create_string_buffer(256)
    try:
        statx = ctypes.CDLL(None, use_errno=True).statx
    except (OSError, AttributeError):
        return ""
    if statx(_AT_FDCWD, os.fsencode(folder), 0, _STATX_BTIME, buffer) != 0:
        return ""
    (mask,) = struct.unpack_from("=I", buffer.raw, 0)
    seconds, nanoseconds = struct.unpack_from("=qI", buffer.raw, _BTIME_AT)
    return f"{seconds}.{nanoseconds:09d}" if mask & _STATX_BTIME else ""
