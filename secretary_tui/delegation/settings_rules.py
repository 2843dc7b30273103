"""Where permission rules are kept: Claude Code's settings files, read and added to.

The repository's shared file and a local file that git tracks come with the repository, so they
may only tighten; what loosens must be the user's own (CVE-2026-33068).
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from secretary_tui import paths
from secretary_tui.delegation.rules import Rule, parse_rules
from secretary_tui.delegation.sandbox import command_environment
from secretary_tui.sanitize import clean_line

_SHARED = Path(".claude") / "settings.json"
_MAX_BYTES = 1_000_000


class RuleStoreError(Exception):
    """An *always* answer can't be stored; the message says why."""


@dataclass(frozen=True, slots=True)
class RuleBook:
    """The rules in force, in the order in which they are asked: deny, ask, allow."""

    deny: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()
    allow: tuple[Rule, ...] = ()
    problems: tuple[str, ...] = ()
    """What could not be read, or was ignored, in sentences."""


def load_rules(workspace: Path) -> RuleBook:
    """Read the rules for a workspace. Never raises: what can't be read is in `problems`."""
    book = _add(RuleBook(), Path.home() / _SHARED, may_allow=True)
    root = paths.repository_root(workspace)
    for folder in dict.fromkeys((root, workspace)):
        book = _add(book, folder / _SHARED, may_allow=False)
        local = folder / paths.PROJECT_LOCAL_SETTINGS
        if local.is_file():
            book = _add(book, local, may_allow=not _comes_with_repository(local, root))
    return book


def store_allow(workspace: Path, rule: str) -> None:
    """Add an allow rule to the project's local settings; other keys and their order stay.

    Raises:
        RuleStoreError: the file isn't a settings file, leads elsewhere, or can't be written.
    """
    path = workspace / paths.PROJECT_LOCAL_SETTINGS
    if not path.resolve().is_relative_to(workspace.resolve()):
        raise RuleStoreError(f"{path} leads out of the project, so it was left alone")
    try:
        text = path.read_text(encoding="utf-8-sig") if path.exists() else "{}"
        settings = json.loads(text or "{}")
        permissions = settings.setdefault("permissions", {})
        allowed = permissions.setdefault("allow", [])
        if rule in allowed:
            return
        allowed.append(rule)
        paths.write_atomic(path, json.dumps(settings, indent=2, ensure_ascii=False) + "\n")
    except (ValueError, AttributeError, TypeError, RecursionError):
        raise RuleStoreError(f"{path} is no valid settings file, so it was left as it is") from None
    except OSError as error:
        raise RuleStoreError(f"{path} can't be written: {error.strerror}") from None


def _add(book: RuleBook, path: Path, *, may_allow: bool) -> RuleBook:
    try:
        if not path.is_file():
            return book
        if path.stat().st_size > _MAX_BYTES:
            raise ValueError("larger than 1 MB")
        permissions = json.loads(path.read_text(encoding="utf-8-sig")).get("permissions") or {}
        deny, ask, allow = (tuple(_rules(permissions, key)) for key in ("deny", "ask", "allow"))
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        problem = f"{path} was not read for permissions: {clean_line(str(error))[:200]}."
        return replace(book, problems=(*book.problems, problem))
    problems = book.problems
    if allow and not may_allow:
        problems = (
            *problems,
            f"{path} comes with the project, so its {len(allow)} allow rules don't count.",
        )
        allow = ()
    return RuleBook((*book.deny, *deny), (*book.ask, *ask), (*book.allow, *allow), problems)


def _rules(permissions: Any, key: str) -> Iterator[Rule]:
    for text in permissions.get(key) or ():
        if isinstance(text, str):
            yield from parse_rules(text)


def _comes_with_repository(path: Path, root: Path) -> bool:
    """Whether git tracks a file; taken as true when git can't say."""
    if not (root / ".git").exists():
        return False
    try:
        # fsmonitor would start a program that the repository's own configuration names.
        listed = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", "ls-files", "--error-unmatch", "--", str(path)],
            cwd=root,
            env=command_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return True
    return listed.returncode != 1
