"""What would surprise the author of one agent that could be read.

Stricter than reading: nothing here keeps an agent from being used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from secretary_tui.registry.check.overlap import MIN_WORDS, description_words
from secretary_tui.registry.definition.findings import noted, quoted
from secretary_tui.registry.definition.known_tools import is_known_tool, suggest_tool
from secretary_tui.registry.definition.parse import NO_DESCRIPTION
from secretary_tui.registry.definition.skill_places import missing_skill_finding, skill_places
from secretary_tui.registry.definition.spec import AgentSpec, Dialect, Finding

MAX_DESCRIPTION = 1024
"""Characters; lists of agents are read whole by models, and cut by people. Nine in ten real
descriptions have fewer than 420."""
_NEAR_FIELDS = {"skill": "skills", "colour": "color", "desc": "description"}
"""Those that limit an agent are found when it is read (`misspelt`)."""
_CLAUDE_ID = re.compile(r"(?:.*[./])?claude-[\w.:@-]+(?:\[1m\])?")

_MAX_LISTED = 20

LineOf = Callable[[str], int | None]


def check_agent(spec: AgentSpec, line_of: LineOf, aliases: Collection[str]) -> Iterator[Finding]:
    """Check one agent by itself; `line_of` gives the line of a field, `aliases` the model names."""
    yield from _check_texts(spec, line_of)
    if spec.dialect is Dialect.CLAUDE:  # Others have tools and models of their own.
        yield from _check_tools(spec, line_of)
        yield from _check_model(spec, line_of, aliases)
    yield from _check_skills(spec, line_of)
    for key, right in _NEAR_FIELDS.items():
        if key in spec.metadata:
            message = f"the field {quoted(key)} has no effect; did you mean {right}?"
            yield noted(spec.path, message, line_of(key), kind="unknown-field")


def suggest_model(name: str, aliases: Collection[str]) -> str:
    """What to write instead of a model that is not known; empty when it is."""
    word = name.strip().lower()
    if word in aliases or word == "inherit" or _CLAUDE_ID.fullmatch(word):
        return ""
    from rapidfuzz import fuzz, process

    near = process.extractOne(word, sorted(aliases), scorer=fuzz.ratio, score_cutoff=70)
    if near:
        return f"did you mean {near[0]}?"
    return f"known are {', '.join(aliases)}, inherit and ids that start with claude-"


def _check_texts(spec: AgentSpec, line_of: LineOf) -> Iterator[Finding]:
    if not spec.prompt:
        message = "there is no text below the frontmatter: the agent has no prompt"
        yield noted(spec.path, message, kind="empty-prompt")
    line = line_of("description")
    length = len(spec.description)
    if length > MAX_DESCRIPTION:
        message = (
            f"the description has {length:,} characters, too many to be read; keep it below "
            f"{MAX_DESCRIPTION:,} and move examples and instructions below the frontmatter"
        )
        yield noted(spec.path, message, line, kind="long-description")
    elif any(finding.kind == NO_DESCRIPTION for finding in spec.findings):
        return  # What stands in its place was not written to be one.
    elif len(description_words(spec.description)) < MIN_WORDS:
        message = "the description is too short to be matched; say what it does and when to use it"
        yield noted(spec.path, message, line, kind="short-description")


def _check_tools(spec: AgentSpec, line_of: LineOf) -> Iterator[Finding]:
    for key, entries in (("tools", spec.tools), ("disallowedTools", spec.disallowed_tools)):
        unknown = [entry for entry in entries or () if not is_known_tool(entry)]
        if not unknown:
            continue
        if len(unknown) == 1:
            message = f"{key}: {quoted(unknown[0])} is not a known tool; {_advice(key, unknown[0])}"
        else:
            listed = ", ".join(map(_with_suggestion, unknown[:_MAX_LISTED]))
            more = f" and {len(unknown) - _MAX_LISTED} more" if len(unknown) > _MAX_LISTED else ""
            message = f"{key}: {len(unknown)} entries are not known tools: {listed}{more}"
        yield noted(spec.path, message, line_of(key), kind="unknown-tool")


def _advice(key: str, entry: str) -> str:
    meant = suggest_tool(entry)
    if meant and entry.startswith(("-", "!")):
        return f"to take it away, write disallowedTools: {meant}"
    if meant:
        return f"did you mean {meant}?"
    return "the agent won't get it" if key == "tools" else "it takes nothing away"


def _with_suggestion(entry: str) -> str:
    meant = suggest_tool(entry)
    return f"{quoted(entry)} ({meant}?)" if meant else quoted(entry)


def _check_model(spec: AgentSpec, line_of: LineOf, aliases: Collection[str]) -> Iterator[Finding]:
    if spec.model and (advice := suggest_model(spec.model, aliases)):
        message = f"model: {quoted(spec.model)} is no known model; {advice}"
        yield noted(spec.path, message, line_of("model"), kind="unknown-model")


def _check_skills(spec: AgentSpec, line_of: LineOf) -> Iterator[Finding]:
    for name in dict.fromkeys(spec.skills):
        # Where it will run is not known here, so every folder above may be the project.
        places = {place for above in spec.path.parents for place in skill_places(name, spec, above)}
        if not any(place.file.is_file() for place in places):
            yield missing_skill_finding(spec, name, line_of("skills"))
