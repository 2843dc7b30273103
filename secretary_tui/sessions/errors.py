"""What can go wrong with the log of a run, each with a sentence for the user."""

from __future__ import annotations

from pathlib import Path


class SessionError(Exception):
    """A run can't be logged or read; the message says what happened and what to do."""


class RunNotFoundError(SessionError):
    """No run has this id; `nearest` holds the ids that look most like it."""

    def __init__(self, wanted: str, nearest: tuple[str, ...]) -> None:
        hint = f"Nearest: {', '.join(nearest)}." if nearest else "No runs are stored yet."
        super().__init__(f"there is no run {wanted!r}. {hint}")
        self.nearest = nearest


class AmbiguousRunError(SessionError):
    """More than one run id begins like this; `candidates` holds them, newest first."""

    def __init__(self, wanted: str, candidates: tuple[str, ...]) -> None:
        shown = ", ".join(candidates[:5]) + (", …" if len(candidates) > 5 else "")
        super().__init__(f"{len(candidates)} runs begin with {wanted!r}: {shown}. Type more of it.")
        self.candidates = candidates


class QueryError(SessionError):
    """A term of a filter line doesn't fit; the message says which values do."""

    def __init__(self, message: str, term: str = "") -> None:
        super().__init__(message)
        self.term = term
        """The term as it stands in the line."""


class ExportExistsError(SessionError):
    """There is a file already where an export shall be written, and it was left as it is."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is there already and was left as it is. Choose another name.")
        self.path = path
