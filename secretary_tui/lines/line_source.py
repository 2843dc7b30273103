"""Where answers come from: a terminal, or whatever writes into a pipe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class LineSource(Protocol):
    """Gives an answer to a question. Nothing that was there before it was shown may answer it."""

    async def answer(self, prompt: str, names_it: Callable[[str], bool]) -> str | None:
        """Ask, and give the line that answers; None when the input ended, nobody sees the
        question any more, or the line doesn't.

        `names_it` says which lines can only be meant for this question, whenever they were written.
        Cancelling withdraws the question.
        """
        ...


def never(line: str) -> bool:
    """Say of every line that it doesn't name its question."""
    del line
    return False
