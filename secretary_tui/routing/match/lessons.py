"""Lessons of choices: the requests that became examples of an agent.

Accepting, taking an alternative and naming another agent each make the request an example of the
agent that got it; the first one, which was passed over, remembers that at a third of the weight.
A choice made in another project counts half, and only for the very file or one that is called so.
Cancelling teaches nothing: it says as often that the request was wrong as that the agent was. The
requests in agents' descriptions are examples too, at half the weight of a choice.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePath

from secretary_tui.people import RouteAction
from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.routing.words.languages import in_english
from secretary_tui.routing.words.terms import stem_all, words
from secretary_tui.sessions.decisions import (
    Decision,
    DecisionLog,
    DecisionReader,
    all_projects,
)

ELSEWHERE = 0.5
"""What a choice in another project of the user counts, against 1 in this one."""
PASSED_OVER = 1 / 3
WRITTEN = 0.5
HALF_LIFE_DAYS = 180.0
"""After so many days a choice counts half; days are counted back from the newest choice."""
MOST_EXAMPLES = 40
"""Distinct requests remembered for one agent, the newest; as many that it was passed over for."""
MOST_PROJECTS = 20
"""Other projects whose choices count, those of the latest choices."""
ELSEWHERE_BYTES = 500_000
"""Read of another project's log, its end: some 600 decisions."""
MOST_WRITTEN = 6
"""Requests taken from one description; published ones have 3 to 6."""
_MOST_TEXT = 20_000
_LONGEST = 400
_SAYS_NOTHING = frozenset(
    stem_all(
        words(
            "again another app application better both bug change clean code continue different"
            " first fix good improve issue last make next nice optimize option problem project same"
            " second shorter thing third try update work wrong"
        )
    )
)
"""Stems of words that say what is meant only together with others, or after an earlier request."""
_EXAMPLE = re.compile(r"<example>(.*?)(?:</example>|\Z)", re.S | re.I)
_SAID = re.compile(
    r"\b(?:user|human)\**:\**[ \t]*([^\n]*?)(?=\n|\Z|\**\bassistant\**:|</?commentary)", re.I
)
# Possessive, and from the first backslash on: thousands of them are looked at once.
_ESCAPED = re.compile(r"""(?<!\\)\\++([n"'])""")
_QUOTES = "\"'“”‘’ \t*"


class Origin(StrEnum):
    """Why a request is an example of an agent."""

    CHOSEN = "chosen"
    PASSED_OVER = "passed over"
    WRITTEN = "written"


@dataclass(frozen=True, slots=True)
class Example:
    """A request that belongs, or does not belong, to an agent."""

    request: str
    origin: Origin
    weight: float
    """How many choices of today, in this project, it is worth."""
    times: int = 1
    """How often it was chosen or passed over."""
    elsewhere: bool = False
    """Whether that was in other projects alone."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """An example of an agent that may be in the library, or may not."""

    agent: str
    """Its id where the choice was made."""
    file: str
    """The stem of its file's name, empty when that was not written down."""
    example: Example
    path: str = ""
    """Its file, empty when that was not written down."""


def learn(decisions: Iterable[Decision], elsewhere: Iterable[Decision] = ()) -> tuple[Lesson, ...]:
    """Make lessons of the decisions of this project, and of the user's other projects."""
    here, others = tuple(decisions), tuple(elsewhere)
    newest = max((decision.at for decision in (*here, *others)), default=0.0)
    found: dict[tuple[str, Origin], dict[str, _Count]] = {}
    rows = [(decision, ELSEWHERE) for decision in others]
    rows += [(decision, 1.0) for decision in here]
    for decision, share in sorted(rows, key=lambda row: row[0].at):
        fresh = 0.5 ** ((newest - decision.at) / 86_400 / HALF_LIFE_DAYS)
        for agent, origin, weight in _taught_by(decision):
            counts = found.setdefault((agent, origin), {})
            key = " ".join(decision.request.casefold().split())
            # Taken out and put in again: the newest stand last.
            count = counts.pop(key, None) or _Count(decision.request)
            count.weight += share * fresh * weight
            count.times += 1
            count.here = count.here or share == 1.0
            count.path = _file_of(agent, decision) or count.path
            counts[key] = count
    return tuple(
        Lesson(
            agent,
            PurePath(count.path).stem,
            Example(count.request, origin, count.weight, count.times, not count.here),
            count.path,
        )
        for (agent, origin), counts in found.items()
        for count in list(counts.values())[-MOST_EXAMPLES:]
    )


@dataclass(slots=True)
class _Count:
    request: str
    weight: float = 0.0
    times: int = 0
    path: str = ""
    here: bool = False


def _taught_by(decision: Decision) -> Iterable[tuple[str, Origin, float]]:
    if decision.agent is None or not _says_something(decision.request):
        return
    if decision.action == RouteAction.ACCEPT:
        yield decision.agent, Origin.CHOSEN, 1.0
    elif decision.action in (RouteAction.ALTERNATIVE, RouteAction.OTHER):
        yield decision.agent, Origin.CHOSEN, 1.0
        first = decision.shown[0].agent if decision.shown else None
        passed_over = decision.recommended or first
        if passed_over not in (None, decision.agent):
            yield passed_over, Origin.PASSED_OVER, PASSED_OVER


def _says_something(request: str) -> bool:
    """Whether a request has a matter of its own: `fix it` is an example of nothing."""
    return not _SAYS_NOTHING.issuperset(stem_all(words(in_english(request))))


def _file_of(agent: str, decision: Decision) -> str:
    return next((shown.path for shown in decision.shown if shown.agent == agent), "")


def numbered(
    lessons: Iterable[Lesson], groups: Sequence[Sequence[AgentSpec]]
) -> list[tuple[int, Example]]:
    """Give lessons the numbers of their agents; those of agents that are not there are left out.

    An agent is known by its id, else by its file, else by what it is called, if only one is called
    so: in another project the same agent may stand in a plugin. It is called by its file's name,
    or by its own where that was not written down.
    """
    by_id = {spec.id: number for number, group in enumerate(groups) for spec in group}
    by_path = {str(spec.path): number for number, group in enumerate(groups) for spec in group}
    called: dict[str, set[int]] = {}
    for number, group in enumerate(groups):
        for name in {name for spec in group for name in (spec.name, spec.path.stem)}:
            called.setdefault(name, set()).add(number)
    found = []
    for lesson in lessons:
        alike = called.get(lesson.file or lesson.agent.rpartition(":")[2], set())
        called_so = next(iter(alike)) if len(alike) == 1 else -1
        number = by_id.get(lesson.agent, by_path.get(lesson.path, called_so))
        if number >= 0:
            found.append((number, lesson.example))
    return found


def written(groups: Sequence[Sequence[AgentSpec]]) -> list[tuple[int, Example]]:
    """The requests in the agents' descriptions, by number."""
    return [
        (number, Example(request, Origin.WRITTEN, WRITTEN))
        for number, (spec, *_) in enumerate(groups)
        for request in written_requests(spec.description)
    ]


class LessonBook:
    """The lessons of a user's choices, kept up to date with the logs of decisions.

    Nothing is read before the first ranking. From then on a choice made here, in another window or
    in another project counts at the next ranking; a forgotten one no longer counts. Not for use by
    two threads at once.
    """

    def __init__(self, project: Path) -> None:
        self._project = project
        self._readers: tuple[DecisionReader, ...] = ()
        """This project's first."""
        self._read: tuple[tuple[Decision, ...], ...] = ()
        self._lessons: tuple[Lesson, ...] = ()

    def lessons(self) -> tuple[Lesson, ...]:
        """All lessons; the same object as before when nothing was decided or forgotten.

        The first call reads the logs; later ones look for what was added, a tenth of a
        millisecond.
        """
        if not self._readers:
            self._readers = self._open()
        read = tuple(reader.read() for reader in self._readers)
        if list(map(id, read)) != list(map(id, self._read)):
            here, *elsewhere = self._read = read
            self._lessons = learn(here, (decision for log in elsewhere for decision in log))
        return self._lessons

    def _open(self) -> tuple[DecisionReader, ...]:
        here = DecisionLog.of(self._project)
        dated = []
        for log in all_projects():
            with contextlib.suppress(OSError):
                if log.path != here.path:
                    dated.append((log.path.stat().st_mtime, str(log.path), log))
        latest = sorted(dated, reverse=True)[:MOST_PROJECTS]
        return (DecisionReader(here), *(DecisionReader(log, ELSEWHERE_BYTES) for *_, log in latest))


def written_requests(description: str) -> tuple[str, ...]:
    r"""What users say in the `<example>` dialogues of a description: distinct, in order, max six.

        <example>
        Context: …
        user: "Split the users table without downtime"
        assistant: "I'll use the data-migrator agent …"
        </example>

    Quotes may be single, curly or missing, the speaker bold, and all of it on one line, with `\n`
    as two characters.
    """
    if "<example" not in description.lower():
        return ()
    text = _ESCAPED.sub(lambda m: "\n" if m[1] == "n" else m[1], description[:_MOST_TEXT])
    found = (
        said[1].strip(_QUOTES)[:_LONGEST]
        for example in _EXAMPLE.finditer(text)
        for said in _SAID.finditer(example[1])
    )
    return tuple(dict.fromkeys(filter(None, found)))[:MOST_WRITTEN]
