"""The lessons of a user's choices, kept up with the logs of decisions.

Nothing is read before the first ranking. From then on a choice made here, in another window or
in another project counts at the next ranking, and one that was forgotten counts no more.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from secretary_tui.routing.match.lessons import Lesson, learn
from secretary_tui.sessions.decisions import (
    Decision,
    DecisionLog,
    DecisionReader,
    all_projects,
)

MOST_PROJECTS = 20
"""Other projects whose choices count, those of the latest choices."""
ELSEWHERE_BYTES = 500_000
"""Read of another project's log, its end: some 600 decisions."""


class LessonBook:
    """What the choices of one project's user taught. Not for use by two threads at once."""

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
