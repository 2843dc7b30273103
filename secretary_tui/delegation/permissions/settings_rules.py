"""Where permission rules are kept: Claude Code's settings files, read and added to.

The user's own file may allow. Files in the project come with the project, whoever wrote them, so
they may only tighten (CVE-2026-33068): a rule in a folder that comes from anywhere (a clone, an
archive) proves nothing about who wrote it. An allow rule of theirs counts only while it also stands
in our own state folder, where each *always* answer that the user gave here is recorded, in a file a
project. What can't be understood tightens.
"""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from secretary_tui import paths
from secretary_tui.delegation.permissions.rules import Rule, answered_rules, parse_rules
from secretary_tui.delegation.permissions.web_rules import unclear_parts
from secretary_tui.delegation.workspace.small_files import UnusableFileError, read_small_text
from secretary_tui.sanitize import clean_line
from secretary_tui.sessions.run_log import project_runs_dir
from secretary_tui.tool_table import ALL_TOOLS, ASKING_TOOLS, WEB_FETCH, canonical_names, is_mcp

_SHARED = Path(".claude") / "settings.json"
_LEADING_NAME = re.compile(r"\s*([A-Za-z_][\w-]*)")


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


@dataclass(frozen=True, slots=True)
class _Settings:
    """The permissions of one settings file, before anyone decides whether they count."""

    deny: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()
    allow: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def load_rules(workspace: Path) -> RuleBook:
    """Read the rules for a workspace. Starts no program and never raises: see `problems`."""
    own = Path.home() / _SHARED
    book = _add(RuleBook(), own, None)
    granted = granted_rules(workspace)
    for folder in dict.fromkeys((paths.repository_root(workspace), workspace)):
        if folder / _SHARED != own:
            book = _add(book, folder / _SHARED, frozenset())
        local = folder / paths.PROJECT_LOCAL_SETTINGS
        book = _add(book, local, granted if folder == workspace else frozenset())
    return book


def store_allow(workspace: Path, rule: str) -> None:
    """Add an allow rule to the project's local settings, where people see it, and to our record.

    Other keys of the settings and their order stay.

    Raises:
        RuleStoreError: the file isn't a settings file, leads elsewhere, or can't be written.
    """
    path = workspace / paths.PROJECT_LOCAL_SETTINGS
    if path.parent.is_symlink() or path.is_symlink():
        raise RuleStoreError(f"{path} is a link or behind one, so it was left alone")
    try:
        settings = json.loads(_text(path) or "{}")
        permissions = settings.setdefault("permissions", {})
        allowed = permissions.setdefault("allow", [])
        if rule not in allowed:
            allowed.append(rule)
            paths.write_atomic(path, json.dumps(settings, indent=2, ensure_ascii=False) + "\n")
        record_grant(workspace, rule)
    except (ValueError, AttributeError, TypeError, RecursionError):
        raise RuleStoreError(
            f"{path} is not a valid settings file, so it was left unchanged"
        ) from None
    except UnusableFileError as error:
        raise RuleStoreError(f"{path} was left alone: {error}") from None
    except OSError as error:
        raise RuleStoreError(f"the rule can't be stored: {error.strerror}") from None


def grants_file(project: Path) -> Path:
    """Where the answers for a project are kept."""
    return paths.state_dir() / "projects" / project_runs_dir(project).name / "allowed.json"


def granted_rules(project: Path) -> frozenset[str]:
    """Give the rules that were allowed for a project; none when the record can't be read."""
    try:
        record = json.loads(read_small_text(grants_file(project)))
    except (OSError, UnusableFileError, ValueError, RecursionError):
        return frozenset()
    # The folder's name holds a short hash: another project could be made to share it.
    if not isinstance(record, dict) or record.get("project") != str(project.resolve()):
        return frozenset()
    rules = record.get("allow")
    if not isinstance(rules, list):
        return frozenset()
    return frozenset(rule for rule in rules if isinstance(rule, str))


def record_grant(project: Path, rule: str) -> None:
    """Add one rule, in a file that only the user can read.

    Raises:
        OSError: it can't be written.
    """
    path = grants_file(project)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        path.chmod(0o600)
    allowed = sorted({*granted_rules(project), rule})
    record = {"project": str(project.resolve()), "allow": allowed}
    paths.write_atomic(path, json.dumps(record, indent=2, ensure_ascii=False) + "\n", mode=0o600)


def _text(path: Path) -> str:
    try:
        return read_small_text(path)
    except FileNotFoundError:
        return ""


def _add(book: RuleBook, path: Path, granted: frozenset[str] | None) -> RuleBook:
    """Add a file's rules; its allow rules as far as they are `granted` (None: all of them)."""
    found = _read(path)
    counting = [text for text in found.allow if granted is None or text in granted]
    problems = found.problems
    if ignored := len(found.allow) - len(counting):
        problems = (
            *problems,
            f"{path} holds allow rules that don't count ({ignored}): in a project only those do "
            "that you gave here yourself, by answering always.",
        )
    read = parse_rules if granted is None else answered_rules
    allow = tuple(rule for text in counting for rule in read(text))
    return RuleBook(
        (*book.deny, *found.deny),
        (*book.ask, *found.ask),
        (*book.allow, *allow),
        (*book.problems, *problems),
    )


def _read(path: Path) -> _Settings:
    try:
        settings = _object(read_small_text(path))
    except FileNotFoundError:
        return _Settings()
    except (UnusableFileError, ValueError, RecursionError) as error:
        problem = f"{path} was not read for permissions: {clean_line(str(error))[:200]}."
        return _Settings(ask=_asking(ASKING_TOOLS, str(path)), problems=(problem,))
    permissions = settings.get("permissions")
    if permissions is None:
        return _Settings()
    if not isinstance(permissions, dict):
        return _unusable(_Settings(), path, "permissions", permissions)
    found = _Settings(
        allow=tuple(text for text in _listed(permissions.get("allow")) if isinstance(text, str))
    )
    for key in ("deny", "ask"):
        for entry in _listed(permissions.get(key)):
            found = _tighten(found, path, key, entry)
    return found


def _object(text: str) -> dict[str, Any]:
    settings = json.loads(text) if text.strip() else {}
    if not isinstance(settings, dict):
        raise UnusableFileError("it is not a JSON object")
    return settings


def _listed(value: Any) -> list[Any]:
    """Give a value that should be a list as one."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _tighten(found: _Settings, path: Path, key: str, entry: Any) -> _Settings:
    if not isinstance(entry, str):
        return _unusable(found, path, key, entry)
    rules = parse_rules(entry)
    if not rules and not _is_for_another_tool(entry):
        return _unusable(found, path, key, entry)
    if any(rule.tool == WEB_FETCH and unclear_parts(rule.pattern) for rule in rules):
        effect = "is refused" if key == "deny" else "asks"
        sentence = (
            f"The {key} rule {clean_line(repr(entry))[:80]} of {path} names no host that can be "
            f"understood; every {WEB_FETCH} {effect} until it is corrected, as in "
            f"{WEB_FETCH}(domain:example.com)."
        )
        found = replace(found, problems=(*found.problems, sentence))
    if key == "deny":
        return replace(found, deny=(*found.deny, *rules))
    return replace(found, ask=(*found.ask, *rules))


def _is_for_another_tool(entry: str) -> bool:
    """Whether a rule speaks of a tool that doesn't exist here, such as `WebFetch(domain:x)`."""
    match = _LEADING_NAME.match(entry)
    if match is None or canonical_names(match[1]):
        return False
    rest = entry[match.end() :].strip()
    return is_mcp(match[1]) or not rest or (rest[0] == "(" and rest[-1] == ")")


def _unusable(found: _Settings, path: Path, key: str, entry: Any) -> _Settings:
    """Take a rule that can't be understood for one about everything of its tool."""
    match = _LEADING_NAME.match(entry) if isinstance(entry, str) else None
    tools = canonical_names(match[1]) if match else ()
    shown = clean_line(repr(entry))[:80]
    text = f"{shown} of {path}"
    asking = _asking((frozenset(tools) or ASKING_TOOLS) & ASKING_TOOLS, text)
    # Nobody is ever asked about looking, so a rule about it that can't be read forbids it.
    forbidden = tuple(Rule(tool, None, text) for tool in tools if tool not in ASKING_TOOLS)
    meant = ", ".join(tools) or "every risky call"
    effect = f"{meant} is refused" if forbidden else f"{meant} asks"
    sentence = f"The {key} rule {text} can't be understood; {effect} until it is corrected."
    return replace(
        found,
        ask=(*found.ask, *asking),
        deny=(*found.deny, *forbidden),
        problems=(*found.problems, sentence),
    )


def _asking(tools: frozenset[str], text: str) -> tuple[Rule, ...]:
    return tuple(Rule(tool, None, text) for tool in ALL_TOOLS if tool in tools)
