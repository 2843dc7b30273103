"""The fields of an agent file's frontmatter, typed; what doesn't fit becomes a warning.

Rules: the subagent format of Claude Code, seed 002 ("Configuration Fields") and what real files
hold. Nothing here rejects a file for a field other than its name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from secretary_tui.registry.definition.dialects import denied_tools, tools_beside_none
from secretary_tui.registry.definition.findings import noted, quoted, remarked, repaired
from secretary_tui.registry.definition.misspelt import AGENT_KEYS, Keys
from secretary_tui.registry.definition.spec import Finding
from secretary_tui.sanitize import clean_line

TEXT_FIELDS = frozenset(
    {"name", "description", "tools", "disallowedTools", "model", "skills", "color"}
    | {"permissionMode", "effort"}
)
"""Fields whose words stay words: `tools: [no, on]` names two tools."""
OWN_FIELDS = TEXT_FIELDS | {"maxTurns"}
"""Fields with a place in `AgentSpec`; all others are metadata."""
KNOWN_FIELDS = OWN_FIELDS | {
    "memory", "mcpServers", "hooks", "background", "isolation", "initialPrompt", "omitClaudeMd",
    "experimental", "author", "version", "category", "tags", "emoji", "vibe", "mode",
}  # fmt: skip
"""Keys that start a value when frontmatter is read line by line."""
PERMISSION_MODES = frozenset(
    {"default", "manual", "acceptEdits", "plan", "dontAsk", "auto", "bypassPermissions"}
)
EFFORTS = frozenset({"low", "medium", "high", "xhigh", "max"})
MAX_NAME = 100

_ALIASES = frozenset({"sonnet", "opus", "haiku", "fable"})
_CONVENTION = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_MODEL_ID = re.compile(r"[A-Za-z0-9][\w.:/@+-]{0,127}(?:\[1m\])?")
_PATH_PARTS = re.compile(r" ?[\\/:]+ ?|\.{2,}")
_ALL_TOOLS = frozenset({"*", "all"})
_KINDS = {"name": "name-convention", "model": "unknown-model"}


class Fields:
    """Reads one file's frontmatter; collects a finding for each value that doesn't fit."""

    def __init__(
        self,
        values: Mapping[str, Any],
        path: Path,
        line_of: Callable[[str], int | None],
        spelled: Mapping[str, str] = AGENT_KEYS,
    ) -> None:
        keys = Keys(values, spelled)
        self._values = keys.values
        self._path = path
        self._line_of = line_of
        self.findings: list[Finding] = [*keys.findings(path, line_of)]

    def name(self) -> str:
        """The name, safe as an id: no separators, no hidden characters; empty when unusable."""
        raw = self._text("name")
        name = safe_name(raw)
        if name and name != raw:
            self._repair("name", f"the name {quoted(raw)} can't be an id, so it is {quoted(name)}")
        elif name and not _CONVENTION.fullmatch(name):
            message = f"the name {quoted(name)} is not in lower case with hyphens"
            kind = _KINDS["name"]
            self.findings.append(remarked(self._path, message, self._line_of("name"), kind=kind))
        return name

    def description(self) -> str:
        """The description, all of it; empty when there is none."""
        value = self._values.get("description")
        if isinstance(value, list):
            value = "\n".join(str(item) for item in value)
        return "" if value is None or isinstance(value, dict) else str(value).strip()

    def tools(self) -> tuple[str, ...] | None:
        """The tools as written; None inherits all, an empty tuple means none."""
        left = tools_beside_none(self._values)
        if left is not None:
            return tuple(filter(None, map(clean_line, left)))
        if "tools" not in self._values:
            return None
        names = self._names("tools")
        if not names and isinstance(self._values["tools"], dict) and denied_tools(self._values):
            return None  # opencode: all but those that are switched off.
        if any(name.lower() in _ALL_TOOLS for name in names):
            return None
        value = self._values["tools"]
        if not names and value not in ([], {}):
            self._note(
                "tools",
                "tools is empty, so the agent gets none; name some, or remove the line to "
                "inherit all",
            )
        return names

    def disallowed_tools(self) -> tuple[str, ...]:
        """The tools taken away, before `tools` is applied."""
        named = self._names("disallowedTools")
        if not isinstance(self._values.get("tools"), dict) and "permission" not in self._values:
            return named
        denied = filter(None, map(clean_line, denied_tools(self._values)))
        return tuple(dict.fromkeys((*named, *denied)))

    def skills(self) -> tuple[str, ...]:
        """The skills to preload."""
        return self._names("skills")

    def model(self) -> str | None:
        """An alias or a full id; None inherits, as do values that name no model."""
        value = self._values.get("model")
        if value is None:
            return None
        text = clean_line(value) if isinstance(value, str) else ""
        if text.lower() in ("", "inherit", "default"):
            if not isinstance(value, str):
                self._repair("model", "model is not one name, so the session's model is used")
            return None
        if text.lower() in _ALIASES:
            return text.lower()
        if _MODEL_ID.fullmatch(text):
            return text
        self._repair("model", f"{quoted(text)} is not a model name, so the session's model is used")
        return None

    def color(self) -> str | None:
        """The colour as written, at most 32 characters."""
        value = self._values.get("color")
        return clean_line(value)[:32] or None if isinstance(value, str) else None

    def max_turns(self) -> int | None:
        """The limit on turns, 1 or more."""
        value = self._values.get("maxTurns")
        if value is None:
            return None
        if isinstance(value, str) and re.fullmatch(r"\d{1,9}", value.strip()):
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**9:
            return value
        self._repair("maxTurns", f"maxTurns is {quoted(value)}, not a number above 0; ignored")
        return None

    def permission_mode(self) -> str | None:
        """One of `PERMISSION_MODES`."""
        return self._choice("permissionMode", PERMISSION_MODES)

    def effort(self) -> str | None:
        """One of `EFFORTS`."""
        return self._choice("effort", EFFORTS)

    def metadata(self) -> dict[str, object]:
        """The fields that `AgentSpec` has no attribute for, by their names in the file."""
        return {key: value for key, value in self._values.items() if key not in OWN_FIELDS}

    def _choice(self, key: str, choices: frozenset[str]) -> str | None:
        value = self._values.get(key)
        if value is None:
            return None
        by_word = {choice.lower(): choice for choice in choices}
        found = by_word.get(str(value).strip().lower())
        if found is None and str(value).strip().lower() != "inherit":
            known = ", ".join(sorted(choices))
            self._repair(key, f"{key} is {quoted(value)}, not one of {known}; ignored")
        return found

    def _names(self, key: str) -> tuple[str, ...]:
        value = self._values.get(key)
        if value is None:
            return ()
        if isinstance(value, str):
            return split_names(value)
        if isinstance(value, dict):
            wanted = (name for name, on in value.items() if on is True)
            return tuple(dict.fromkeys(filter(None, map(clean_line, wanted))))
        items = value if isinstance(value, list) else [value]
        words = [clean_line(item) for item in items if isinstance(item, str)]
        if len(words) < len(items):
            self._repair(key, f"{key} holds something that is not a name; it was left out")
        return tuple(dict.fromkeys(filter(None, words)))

    def _text(self, key: str) -> str:
        value = self._values.get(key)
        return "" if value is None or isinstance(value, (list, dict)) else clean_line(str(value))

    def _repair(self, key: str, message: str) -> None:
        kind = _KINDS.get(key, "definition")
        self.findings.append(repaired(self._path, message, self._line_of(key), kind=kind))

    def _note(self, key: str, message: str) -> None:
        kind = _KINDS.get(key, "definition")
        self.findings.append(noted(self._path, message, self._line_of(key), kind=kind))


def safe_name(raw: str) -> str:
    """A name that can stand in an id: path parts become hyphens, hidden characters go."""
    if len(raw) <= MAX_NAME and _CONVENTION.fullmatch(raw):
        return raw
    visible = "".join(c for c in clean_line(raw) if unicodedata.category(c) not in ("Cf", "Co"))
    name = _PATH_PARTS.sub("-", visible)
    if name != raw:
        name = name.strip("- ")
    return "" if not name.strip(".-_ ") else name[:MAX_NAME].rstrip()


def split_names(text: str) -> tuple[str, ...]:
    """Split `Read, Bash(git diff:*), Agent(a, b)` at the commas outside parentheses.

    Without any comma, blanks separate. Brackets around the whole and quotes around a name go.
    """
    text = clean_line(text)
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    at_blanks = "," not in text
    names: list[str] = []
    if "(" not in text:
        return _bare(text.split(" " if at_blanks else ","))
    start = depth = 0
    for index, char in enumerate(text):
        if char == "(":
            depth += 1
        elif char == ")":
            depth = max(0, depth - 1)
        elif depth == 0 and (char == "," or (at_blanks and char == " ")):
            names.append(text[start:index])
            start = index + 1
    names.append(text[start:])
    return _bare(names)


def _bare(names: list[str]) -> tuple[str, ...]:
    """Without blanks and quotes around them, each once."""
    cleaned = [name.strip().strip("\"'").strip() for name in names]
    return tuple(dict.fromkeys(filter(None, cleaned)))
