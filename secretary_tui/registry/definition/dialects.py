"""Whose format a definition is written in.

All of them are markdown with YAML frontmatter, so one reader serves; what differs is where the
name comes from when the frontmatter has none, and how tools are taken away.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from secretary_tui.registry.definition.spec import Dialect

DEEPAGENTS_FILE = "AGENTS.md"
_COPILOT_SUFFIX = ".agent"
_ALL = "*"
_OPENCODE_MODES = ("primary", "subagent", "all")


def dialect_of(path: Path, values: Mapping[str, Any]) -> Dialect:
    """Tell the format by the file's name and the frontmatter's form."""
    name = path.name
    if name == DEEPAGENTS_FILE:
        return Dialect.DEEPAGENTS
    if _COPILOT_SUFFIX in name and path.stem.endswith(_COPILOT_SUFFIX):
        return Dialect.COPILOT
    mode = values.get("mode")
    if isinstance(values.get("tools"), dict) or (mode and mode in _OPENCODE_MODES):
        return Dialect.OPENCODE
    return Dialect.CLAUDE


def name_of_file(path: Path) -> str:
    """The name that a file's place gives: `reviewer` of `reviewer.agent.md`, the folder of an
    `AGENTS.md`.
    """
    if path.name == DEEPAGENTS_FILE:
        return path.parent.name
    return path.name.removesuffix(path.suffix).removesuffix(_COPILOT_SUFFIX)


def denied_tools(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The tools that opencode's tables take away: `tools: {bash: false}`, `permission: deny`."""
    tools, permission = values.get("tools"), values.get("permission")
    denied = [name for name, on in _items(tools) if on is False]
    denied += [name for name, rule in _items(permission) if rule == "deny"]
    return tuple(name for name in dict.fromkeys(denied) if name != _ALL)


def tools_beside_none(values: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The tools that opencode's tables leave when they first take all away, as in
    `tools: {"*": false, read: true}`; None where they don't.
    """
    if not any(isinstance(values.get(key), dict) for key in ("tools", "permission")):
        return None  # Nearly every file there is.
    tools, permission = dict(_items(values.get("tools"))), dict(_items(values.get("permission")))
    if tools.get(_ALL) is False:
        return tuple(name for name, on in tools.items() if on is True)
    if permission.get(_ALL) == "deny":
        return tuple(name for name, rule in permission.items() if rule != "deny")
    return None


def model_of(model: str | None, dialect: Dialect) -> str | None:
    """The model as Anthropic calls it: opencode writes `anthropic/claude-…`, deepagents
    `anthropic:claude-…`.
    """
    if model is None or dialect is Dialect.CLAUDE:
        return model
    return model.removeprefix("anthropic/").removeprefix("anthropic:") or None


def _items(table: object) -> list[tuple[str, object]]:
    if not isinstance(table, dict):
        return []
    return [(key, value) for key, value in table.items() if isinstance(key, str) and key.strip()]
