"""Agents given as JSON on the command line (seed 002, "CLI-Based Configuration").

`{"name": {"description": …, "prompt": …, "tools": […], "model": …}}`, as Claude Code's `--agents`
takes it; `systemPrompt` means `prompt`. A list of such tables, each with a `name`, does too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from secretary_tui import paths
from secretary_tui.registry.definition.definition_file import MAX_BYTES
from secretary_tui.registry.definition.findings import quoted, refused
from secretary_tui.registry.definition.parse import FrontmatterPage, ParseResult, build
from secretary_tui.registry.definition.spec import Finding, Source, SourceKind
from secretary_tui.sanitize import clean

COMMAND_LINE = Path("--agents")
"""Where an agent lies that was written on the command line itself."""
_MAX_DEPTH = 32


class GivenAgentsError(ValueError):
    """The text is no JSON that can hold agents, or the file can't be read; says what to do."""


@dataclass(frozen=True, slots=True)
class GivenAgents:
    """The agents that the option `--agents` defines."""

    results: tuple[ParseResult, ...] = ()
    file: Path | None = None
    """The file that was read, if it named one."""
    text: str = ""
    """The JSON itself."""


def load_given(given: str) -> GivenAgents:
    """Read agents from JSON, or from the file of that name.

    Raises:
        GivenAgentsError: nothing in it can be read. What is wrong with one agent is a finding.
    """
    text, path = given, None
    if not given.lstrip().startswith(("{", "[")):
        path = paths.with_home(given).absolute()
        text = _read(path)
    place, named = path or COMMAND_LINE, path or "the text"
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        why = f"line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else ""
        raise GivenAgentsError(f"{named} is not valid JSON{f' ({why})' if why else ''}") from None
    source = Source(SourceKind.GIVEN, path.parent if path else COMMAND_LINE)
    results: dict[str, ParseResult] = {}
    for name, fields in _entries(data, place):
        result = read_given(name, fields, source, place)
        key = result.spec.id if result.spec else f"#{len(results)}"
        if key in results:
            message = f"two agents are called {quoted(key)}; the first one counts"
            result, key = ParseResult(None, (refused(place, message),)), f"#{len(results)}"
        results[key] = result
    return GivenAgents(tuple(results.values()), path, text)


def read_given(name: str, fields: object, source: Source, path: Path) -> ParseResult:
    """Make an agent from one table of fields. Never raises: what is wrong is in the findings."""
    if not isinstance(fields, Mapping):
        message = f"agent {quoted(name)}: there is no table with a description and a prompt"
        return ParseResult(None, (refused(path, message),))
    values = {clean(str(key)): _cleaned(value) for key, value in fields.items()}
    values["name"] = clean(name)
    prompts = [values.pop(key, None) for key in ("prompt", "systemPrompt")]
    prompt = next((text for text in prompts if isinstance(text, str)), "")
    more = values.pop("metadata", None)
    if isinstance(more, dict):
        values = more | values
    digest = hashlib.sha256(json.dumps([name, fields], sort_keys=True).encode()).hexdigest()
    result = build(FrontmatterPage(path, body=prompt.strip()), digest, values, source)
    if result.spec is None:
        return ParseResult(None, tuple(_named(name, finding) for finding in result.findings))
    return result


def _entries(data: object, place: Path) -> Iterator[tuple[str, object]]:
    """Each agent's name and fields, from any of the forms."""
    if isinstance(data, Mapping) and isinstance(data.get("description"), str):
        data = [data]  # One agent alone.
    if isinstance(data, Mapping):
        yield from ((str(name), fields) for name, fields in data.items())
    elif isinstance(data, list):
        for fields in data:
            name = fields.get("name") if isinstance(fields, Mapping) else None
            yield str(name or ""), fields
    else:
        raise GivenAgentsError(f'{place} holds no agents; write {{"name": {{"description": …}}}}')


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(8 * MAX_BYTES + 1)
        if len(data) > 8 * MAX_BYTES:
            raise ValueError("larger than 8 MB")
        return data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise GivenAgentsError(f"{path} can't be read ({reason})") from None


def _cleaned(value: Any, depth: int = 0) -> Any:
    """The value with clean text; what is nested beyond reason becomes None."""
    if isinstance(value, str):
        return clean(value)
    if depth >= _MAX_DEPTH:
        return None
    if isinstance(value, list):
        return [_cleaned(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {clean(str(key)): _cleaned(item, depth + 1) for key, item in value.items()}
    return value


def _named(name: str, finding: Finding) -> Finding:
    return refused(finding.path, f"agent {quoted(name)}: {finding.message}")
