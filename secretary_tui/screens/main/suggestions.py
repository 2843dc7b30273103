"""What completes a `/…` or `@…`: our commands, the library's, agents, files of the project."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from pathlib import Path

from secretary_tui.delegation.workspace.project_files import list_files
from secretary_tui.flow.actions import ACTIONS
from secretary_tui.registry.agent_index import AgentIndex
from secretary_tui.registry.mentions import mention
from secretary_tui.registry.workflow_agent import workflow_pages
from secretary_tui.widgets.library.index_filter import Letters
from secretary_tui.widgets.request.completion_menu import Suggestion

MOST = 50
"""Suggestions for one word; more letters find the rest."""
_COMMAND = re.compile(r"/[\w:.-]*")
_MENTION = re.compile(r'(?:(?<=\s)|^)@("[^"\n]*|[^\s"]*)$')
_SPACED = re.compile(r"@([^\s\"]+ [^\n\"]*)")
_PART = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class UnfinishedWord:
    """The unfinished word before the cursor."""

    start: int
    """Where it begins, in characters of the text."""
    kind: str
    """`/`, or `@`."""
    typed: str
    """What follows that, in lower case."""
    first: bool
    """Whether the request begins with it, so that it may name an agent."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that can be meant, as it is searched."""

    suggestion: Suggestion
    name: str
    """In lower case."""
    bare: str
    """Without plugin or folders."""
    initials: str


def unfinished_word(before: str) -> UnfinishedWord | None:
    """The `/…` or `@…` that a text ends with; None when it ends with something else."""
    if _COMMAND.fullmatch(before):
        return UnfinishedWord(0, "/", before[1:].casefold(), True)
    if spaced := _SPACED.fullmatch(before):  # Perhaps a name with blanks.
        return UnfinishedWord(0, "@", spaced[1].casefold(), True)
    if found := _MENTION.search(before):
        typed = found[1].removeprefix('"').casefold()
        return UnfinishedWord(found.start(), "@", typed, found.start() == 0)
    return None


def commands(index: AgentIndex) -> list[Candidate]:
    """Our commands, then those and the skills of the library."""
    ours = [
        _candidate(Suggestion(f"/{action.slash}", action.help, runs=True), action.slash)
        for action in ACTIONS
        if action.slash
    ]
    taken = {candidate.name for candidate in ours}
    return ours + [
        _candidate(Suggestion(f"/{page_id}", page.description), page_id)
        for page_id, page in workflow_pages(index).items()
        if page_id.casefold() not in taken
    ]


def agents(index: AgentIndex) -> list[Candidate]:
    """The agents that can be chosen."""
    return [
        _candidate(Suggestion(mention(spec.id), spec.description), spec.id) for spec in index.active
    ]


def files(project: Path) -> list[Candidate]:
    """The files of a project that it does not ignore; reads the disk."""
    return [_candidate(Suggestion(mention(path), "file"), path) for path in list_files(project)]


def fitting(candidates: Iterable[Candidate], typed: str) -> list[Suggestion]:
    """Those that fit what was typed, the best first: beginnings, parts, initials, letters."""
    if not typed:
        return [candidate.suggestion for candidate in candidates][:MOST]
    letters = Letters(typed)
    ranked: list[tuple[int, int, int, Suggestion]] = []
    for number, candidate in enumerate(candidates):
        name = candidate.name
        if name.startswith(typed) or candidate.bare.startswith(typed):
            rank = 0 if candidate.bare.startswith(typed) else 1
            ranked.append((rank, len(name), number, candidate.suggestion))
        elif (at := name.find(typed)) >= 0:
            inside = name[at - 1].isalnum()
            ranked.append((4 if inside else 2, len(name), number, candidate.suggestion))
        elif candidate.initials.startswith(typed):
            ranked.append((3, len(name), number, candidate.suggestion))
        elif span := letters.span(name):
            ranked.append((5, span, number, candidate.suggestion))
    best = nsmallest(MOST, ranked, key=lambda found: found[:3])
    return [suggestion for *_, suggestion in best]


def suggestions(
    word: UnfinishedWord, index_agents: Sequence[Candidate], project_files: Sequence[Candidate]
) -> list[Suggestion]:
    """What completes an `@…`: agents where the request begins with it, then files."""
    if " " in word.typed:
        spaced = [each for each in index_agents if each.name.startswith(word.typed)]
        return [each.suggestion for each in spaced][:MOST]
    found = fitting(index_agents, word.typed) if word.first else []
    return [*found, *fitting(project_files, word.typed)][:MOST]


def _candidate(suggestion: Suggestion, name: str) -> Candidate:
    folded = name.casefold()
    initials = "".join(part[0] for part in _PART.findall(folded))
    return Candidate(suggestion, folded, re.split(r"[:/]", folded)[-1], initials)
