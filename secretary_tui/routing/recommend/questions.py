"""Clarifying questions by rules, over the request and the project: what, to what end, how far.

Each answer changes what is done; who does it is never asked. Labels are written so that the answer
reads as the user's own sentence behind the request (`answer_sentences`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from secretary_tui.people import MAX_QUESTIONS, Option, Question, QuestionAbout, WorkflowMatch
from secretary_tui.registry.definition.describe import shorten_description
from secretary_tui.routing.recommend.interpreter import Interpretation, Signal
from secretary_tui.routing.recommend.project_places import (
    ProjectNames,
    meant_places,
    top_folders,
)
from secretary_tui.routing.recommend.request_words import Sort, Word, listed
from secretary_tui.sanitize import clean_line

MOST_OPTIONS = 4
_LONGEST_MATTER = 40
_LONGEST_WORDS = 12
"""Words up to which a clear request may be asked which file it means; a longer one tells."""
_ORCHESTRATED = re.compile(
    r"\W*(?:please\s+)?(?:orchestrat|coordinat|(?:run|start|use)\s+(?:an?|the)\s+workflow)", re.I
)
_GOALS = (
    Option("Explain it", "How it works; nothing is changed."),
    Option("Change it", "Repair or extend it."),
    Option("Test it", "Write tests, and run them."),
    Option("Review it", "Look for faults; nothing is changed."),
)
_FAULTS = (
    Option("It stops with an error", "Paste the message as your own answer."),
    Option("The result is wrong", "Or something is missing."),
    Option("It is too slow", "Or takes too much memory."),
    Option("It worked before", "And no longer does."),
)
_BETTER = (
    Option("Make it faster", "Less time, less memory."),
    Option("Make it easier to read", "The same behaviour in clearer code."),
    Option("Make it more reliable", "Faults, missing cases, tests."),
    Option("Make it nicer to use", "Looks, texts, ease of use."),
)
_TIDIED = (
    Option("Make it easier to read", "Names, structure, comments."),
    Option("Remove what is not used", "Dead code, old files, dependencies."),
    Option("Make it faster", "Less time, less memory."),
    Option("Bring it up to date", "Dependencies, language, documentation."),
)
_CHANGED = (
    Option("Change how it looks", "Layout, colours, texts."),
    Option("Change what it does", "Its behaviour."),
    Option("Change how it is built", "Its code, not its behaviour."),
)
_SLOW = (
    Option("the start"),
    Option("a page or a command"),
    Option("the database"),
    Option("the tests or the build"),
)
_MADE = (
    Option("a page or a screen"),
    Option("a command or a script"),
    Option("a service or an interface"),
    Option("tests or documentation"),
)


_SLOW_QUESTION = Question("What is too slow?", "Object", _SLOW, about=QuestionAbout.OBJECT)


def questions_for(
    interpretation: Interpretation, project: ProjectNames | None = None
) -> tuple[Question, ...]:
    """Make up to 3 questions about what is open in a request, with 2 to 4 options each."""
    signals, read = interpretation.signals, interpretation.words
    if not read or Signal.CHAT in signals or Signal.EMPTY in signals:
        return ()
    asked = [
        _which(read, project, vague=bool(signals)),
        _parts(interpretation.domains),
        _goal(signals, read, interpretation.domains),
        _reach(signals, read, project),
    ]
    return tuple(question for question in asked if question is not None)[:MAX_QUESTIONS]


def goal_question(matter: str = "") -> Question:
    """Ask what is to be done with a matter."""
    named = clean_line(matter)[:_LONGEST_MATTER]
    text = f"What should be done with “{named}”?" if named else "What should be done?"
    return Question(text, "Goal", _GOALS, about=QuestionAbout.GOAL)


def earlier_question(unresolved: str, earlier: Sequence[str]) -> Question | None:
    """Ask which of the earlier requests a word stands for."""
    options = [Option(clean_line(text)[:60]) for text in earlier]
    text = f"What does “{clean_line(unresolved)}” stand for?"
    return _question(text, "Object", options, QuestionAbout.OBJECT)


def workflow_question(request: str, near: Sequence[WorkflowMatch]) -> Question | None:
    """Ask which command is meant when a request wants something orchestrated and none stood out.

    The options are `/id`, which names the command.
    """
    if not _ORCHESTRATED.match(request):
        return None
    likely = [found for found in near if found.confidence > 0]
    options = [
        Option(found.reference, shorten_description(found.description, 100)) for found in likely
    ]
    return _question("Which command is it?", "Command", options, QuestionAbout.GOAL)


def _which(read: Sequence[Word], project: ProjectNames | None, *, vague: bool) -> Question | None:
    """Ask which of the project's files a name means, where that could change what is done.

    Who only asks, or runs something, gets an answer either way.
    """
    sorts = {word.sort for word in read}
    asks = Sort.QUESTION in sorts or read[0].sort is Sort.STATE
    if project is None or asks or any("/" in word.text for word in read):
        return None
    if not vague and (len(read) > _LONGEST_WORDS or sorts & {Sort.ALONE, Sort.MAKE}):
        return None
    matter, places = meant_places(read, project.paths(), loosely=vague)
    options = [Option(place) for place in places]
    return _question(f"Which {clean_line(matter)}?", "Object", options, QuestionAbout.OBJECT)


def _parts(domains: Sequence[str]) -> Question | None:
    if not domains:
        return None
    named = [clean_line(domain)[:_LONGEST_MATTER] for domain in domains]
    everything = "both" if len(named) == 2 else "all of it"
    options = [Option(everything.capitalize()), *(Option(f"Only {area}") for area in named)]
    text = f"{', '.join(named)}, or {everything}?"
    return _question(text, "Scope", options, QuestionAbout.SCOPE)


def _goal(
    signals: Sequence[Signal], read: Sequence[Word], domains: Sequence[str]
) -> Question | None:
    """Ask to what end, by the deed that was named."""
    sorts = {word.sort for word in read}
    if Signal.NO_ACTION in signals or (Signal.SEVERAL_DOMAINS in signals and not _deeds(sorts)):
        names = [word.text for word in read if word.sort in (Sort.NAME, Sort.GENERIC)]
        return goal_question(" and ".join(domains) or " ".join(names))
    if Signal.NO_OBJECT in signals and Sort.MAKE in sorts and Sort.POINTER not in sorts:
        return _question("What should be made?", "Object", _MADE, QuestionAbout.OBJECT)
    if Signal.VAGUE in signals:
        slow = Sort.SPEED in sorts or any(word.key in listed("slow") for word in read)
        return _SLOW_QUESTION if slow else _vague_goal(sorts)
    return None


def _deeds(sorts: set[Sort]) -> bool:
    return bool(sorts & {Sort.IMPROVE, Sort.FIX, Sort.TIDY, Sort.CHANGE, Sort.DEED, Sort.ALONE})


_VAGUE_GOALS: Mapping[Sort, tuple[str, tuple[Option, ...]]] = {
    Sort.FIX: ("What goes wrong?", _FAULTS),
    Sort.FAULT: ("What goes wrong?", _FAULTS),
    Sort.STATE: ("What goes wrong?", _FAULTS),
    Sort.IMPROVE: ("What should get better?", _BETTER),
    Sort.QUALITY: ("What should get better?", _BETTER),
    Sort.TIDY: ("What should get better?", _TIDIED),
    Sort.CHANGE: ("What should be different?", _CHANGED),
}


def _vague_goal(sorts: set[Sort]) -> Question:
    named = next((_VAGUE_GOALS[sort] for sort in _VAGUE_GOALS if sort in sorts), None)
    if named is None:
        return goal_question()
    return Question(named[0], "Goal", named[1], about=QuestionAbout.GOAL)


def _reach(
    signals: Sequence[Signal], read: Sequence[Word], project: ProjectNames | None
) -> Question | None:
    """Ask for the part of the project, where none was named: what it is about, or how far it goes.

    Whose deed needs an object has named none; whose deed is to improve things may mean all of it.
    """
    sorts = {word.sort for word in read}
    if project is None or sorts & {Sort.NAME, Sort.STATE, Sort.FIX, Sort.MAKE} - _better(sorts):
        return None
    changes = ["the uncommitted changes"] if project.is_repository else []
    parts = [*changes, *top_folders(project.paths())]
    if Signal.NO_OBJECT in signals:
        options = [Option(part) for part in (*parts, "the whole project")]
        return _question("What is it about?", "Object", options, QuestionAbout.OBJECT)
    if Signal.VAGUE in signals and sorts & {Sort.IMPROVE, Sort.QUALITY, Sort.TIDY}:
        options = [*(Option(f"Only {part}") for part in parts), Option("The whole project")]
        return _question("How far should it go?", "Scope", options, QuestionAbout.SCOPE)
    return None


def _better(sorts: set[Sort]) -> set[Sort]:
    """What names no part after all: `make it better` and `make it async` make nothing new."""
    if Sort.POINTER in sorts and Sort.MAKE in sorts:
        return {Sort.MAKE, Sort.NAME}
    return {Sort.MAKE} if Sort.QUALITY in sorts else set()


def _question(
    text: str, header: str, options: Sequence[Option], about: QuestionAbout
) -> Question | None:
    distinct = tuple({option.label: option for option in options}.values())
    if len(distinct) < 2:
        return None
    return Question(text, header, distinct[:MOST_OPTIONS], about=about)
