"""A command or skill as an agent that can be run: its text filled in, its tools as listed.

What Claude Code does with such a file and we do: the arguments are put in their places, a file
without `allowed-tools` gets the session's tools. What we don't do, and say: commands in
``!`…` `` are not run before somebody was asked, and files named with `@` are not put in.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from secretary_tui.registry.agent_index import AgentIndex, AgentNotFoundError
from secretary_tui.registry.definition.definition_file import read_definition
from secretary_tui.registry.definition.fields import Fields
from secretary_tui.registry.definition.findings import quoted
from secretary_tui.registry.definition.misspelt import WORKFLOW_KEYS
from secretary_tui.registry.definition.parse import load_values, take_apart
from secretary_tui.registry.definition.skill_places import plugin_root_of
from secretary_tui.registry.definition.spec import AgentSpec, Command, Finding, Skill

_COMMAND = re.compile(r"!`[^`\n]+`|^```!", re.M)
_FILE = re.compile(r"(?<![\w`@])@(?=[\w./~-]*[./])[\w./~-]+")
_PLACE = re.compile(
    r"\$ARGUMENTS(?:\[(?P<at>\d{1,2})\])?"
    r"|\$(?P<number>\d)(?![\d.,]*\d)"
    r"|\$\{(?P<variable>CLAUDE_SKILL_DIR|CLAUDE_PLUGIN_ROOT)\}"
    r"|\$(?P<name>[A-Za-z_][\w-]*)"
)
_FROM_ZERO = re.compile(r"\$0(?!\d)")
_POSITIONAL = re.compile(r"\$[01](?!\d)")


class WorkflowError(AgentNotFoundError):
    """A command or skill isn't there or can't be run; the message says why."""

    def __init__(self, message: str, nearest: tuple[str, ...] = ()) -> None:
        super().__init__(message, nearest)


@dataclass(frozen=True, slots=True)
class WorkflowText:
    """The text of a command or skill, and what its frontmatter says."""

    values: Mapping[str, Any]
    body: str
    digest: str
    """sha256 of the file, hexadecimal."""
    findings: tuple[Finding, ...] = ()

    @property
    def invocable(self) -> bool:
        """Whether the user may call it: `user-invocable: false` marks background knowledge."""
        return str(self.values.get("user-invocable", True)).strip().lower() not in ("false", "no")


def workflow_pages(index: AgentIndex) -> dict[str, Command | Skill]:
    """The commands and skills that can be called, by id; a skill hides a command of its name."""
    pages: dict[str, Command | Skill] = {}
    for skill in index.skills:
        pages.setdefault(skill.id, skill)
    for command in index.commands:
        pages.setdefault(command.id, command)
    return pages


def find_workflow(index: AgentIndex, reference: str) -> Command | Skill:
    """The command or skill the user means: `/id`, or a plugin's by bare name when unique.

    Raises:
        WorkflowError: none or several have that name; names the nearest.
    """
    pages = workflow_pages(index)
    wanted = reference.strip().removeprefix("/").casefold()
    for found in (
        [page for page_id, page in pages.items() if page_id.casefold() == wanted],
        [page for page_id, page in pages.items() if bare_name(page_id).casefold() == wanted],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            ids = tuple(sorted(f"/{page.id}" for page in found))
            listed = ", ".join(ids[:5]) + (", …" if len(ids) > 5 else "")
            message = f"{len(ids)} commands or skills are called {quoted(reference)}: {listed}"
            raise WorkflowError(f"{message}. Name one fully", ids)
    from rapidfuzz import process

    near = process.extract(wanted, [*pages], limit=3, score_cutoff=60)
    nearest = tuple(f"/{name}" for name, *_ in near)
    hint = f"; nearest: {', '.join(nearest)}" if nearest else ""
    raise WorkflowError(f"there is no command or skill {quoted(reference)}{hint}", nearest)


def complete_workflow(index: AgentIndex, prefix: str, limit: int) -> tuple[str, ...]:
    """References such as `/deploy` for what was typed so far, those that start with it first."""
    typed = prefix.strip().removeprefix("/").casefold()
    ranked = []
    for page_id in workflow_pages(index):
        folded = page_id.casefold()
        if typed in folded:
            starts = folded.startswith(typed), bare_name(folded).startswith(typed)
            ranked.append((not starts[0], not starts[1], f"/{page_id}"))
    return tuple(reference for *_, reference in sorted(ranked)[:limit])


def bare_name(page_id: str) -> str:
    """An id without its plugin and sub-folders."""
    return page_id.rpartition(":")[2]


def read_workflow(path: Path) -> WorkflowText:
    """Read a command's or skill's file.

    Raises:
        WorkflowError: it can't be read, or its frontmatter is broken beyond repair.
    """
    definition = read_definition(path)
    if isinstance(definition, Finding):
        raise WorkflowError(definition.message)
    page = take_apart(path, definition.text)
    if isinstance(page, Finding):
        raise WorkflowError(page.message)
    if page is None:
        return WorkflowText({}, definition.text.strip(), definition.digest, definition.findings)
    values = load_values(page)
    if isinstance(values, Finding):
        raise WorkflowError(values.message)
    body = page.body if values is not None else definition.text.strip()
    return WorkflowText(values or {}, body, definition.digest, definition.findings)


def workflow_agent(page: Command | Skill, arguments: str) -> AgentSpec:
    """Make the agent that carries a command or skill out, `arguments` filled in.

    Its id is `/` and the id of the page.

    Raises:
        WorkflowError: the file can't be read, or says nothing to do.
    """
    try:
        read = read_workflow(page.path)
    except WorkflowError as error:
        raise WorkflowError(f"/{page.id} can't be run: {error}") from None
    if not read.body.strip():
        raise WorkflowError(f"/{page.id} can't be run: {page.path} holds no instructions")
    values = read.values
    fields = Fields(values, page.path, lambda key: None, WORKFLOW_KEYS)
    named = values.get("arguments")
    names = named.split() if isinstance(named, str) else list(map(str, named or ()))
    body = fill(read.body, arguments, names, _variables(page))
    return AgentSpec(
        name=f"/{page.id}",
        description=page.description or f"The {_what(page)} {page.id}.",
        prompt="\n\n".join((body, *_notes(page, read.body))),
        source=page.source,
        path=page.path,
        tools=fields.tools(),
        disallowed_tools=fields.disallowed_tools(),
        model=fields.model(),
        effort=fields.effort(),
        metadata={
            "workflow": _what(page),
            "not_done": not_done(read.body),
            "argument_hint": page.argument_hint if isinstance(page, Command) else "",
        },
        findings=(*read.findings, *fields.findings),
        content_hash=read.digest,
    )


def fill(
    body: str, arguments: str, names: Sequence[str] = (), variables: Mapping[str, str] | None = None
) -> str:
    """Put arguments into the places of a command's text, in one pass.

    `$ARGUMENTS` is all of them, `$1` to `$9` one each (a text with `$0` counts from 0, as
    `$ARGUMENTS[0]` always does), `$name` those that `arguments:` names. Quotes hold one argument
    together; one that is missing is empty. Amounts such as `$5` in a text that has no `$1` stay.
    More words than there are places are a sentence and no list of arguments: the places then say
    that the task has them.
    """
    parts = _split(arguments)
    first = 0 if _FROM_ZERO.search(body) else 1
    positional = bool(_POSITIONAL.search(body))
    prose = len(parts) > _places(body, names, first)

    def at(number: int) -> str:
        if prose:
            named = f" ({names[number]})" if number < len(names) else ""
            return f"[argument {number + 1}{named}: see the task]"
        return parts[number] if number < len(parts) else ""

    def value(place: re.Match[str]) -> str:
        if place["at"] is not None:
            return at(int(place["at"]))
        if place["number"] is not None:
            return at(max(0, int(place["number"]) - first)) if positional else place[0]
        if place["variable"] is not None:
            return (variables or {}).get(place["variable"], place[0])
        if place["name"] is not None:
            return at(names.index(place["name"])) if place["name"] in names else place[0]
        return arguments.strip()

    return _PLACE.sub(value, body)


def not_done(body: str) -> tuple[str, ...]:
    """What Claude Code would do with this text before the model sees it and we don't."""
    said = []
    if _COMMAND.search(body):
        said.append("commands marked with ! are not run beforehand")
    if _FILE.search(body):
        said.append("files named with @ are not put in beforehand")
    return tuple(said)


def left_undone(agent: AgentSpec) -> tuple[str, ...]:
    """What is not done of the text that an agent was made of; empty for ordinary agents."""
    said = agent.metadata.get("not_done")
    return said if isinstance(said, tuple) else ()


def remarks(agent: AgentSpec) -> tuple[str, ...]:
    """What to know before a command or skill is run: its arguments, and what is not done of it."""
    hint = agent.metadata.get("argument_hint")
    return ((f"its arguments: {hint}",) if hint else ()) + left_undone(agent)


def _places(body: str, names: Sequence[str], first: int) -> int:
    """How many arguments a text has places for."""
    found = [len(names)]
    for place in _PLACE.finditer(body):
        if place["at"] is not None:
            found.append(int(place["at"]) + 1)
        elif place["number"] is not None:
            found.append(int(place["number"]) - first + 1)
    return max(found)


def _split(arguments: str) -> list[str]:
    try:
        return shlex.split(arguments)
    except ValueError:  # An apostrophe is no quote.
        return arguments.split()


def _what(page: Command | Skill) -> str:
    return "command" if isinstance(page, Command) else "skill"


def _variables(page: Command | Skill) -> dict[str, str]:
    root = plugin_root_of(page.path, page.source)
    variables = {"CLAUDE_SKILL_DIR": str(page.path.parent)}
    return {**variables, "CLAUDE_PLUGIN_ROOT": str(root)} if root is not None else variables


def _notes(page: Command | Skill, body: str) -> list[str]:
    """What the model must know of how it got these instructions."""
    notes = []
    if not_done(body):
        notes.append(
            "Note: nothing was run or read for you before these instructions. Where they show a "
            "command as !`…` or a file as @path, run or read it yourself if you need it and have "
            "the tool; otherwise say what you could not see."
        )
    if isinstance(page, Skill):
        notes.append(
            f"Note: these are the instructions of the skill {page.id}. Its folder is "
            f"{page.path.parent}; files they name are in there."
        )
    return notes
