"""An explanation as lines of text, for the command line and the match panel alike."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from secretary_tui.routing.match.explanation import Explanation, RouteExplanation, ScorePart
from secretary_tui.routing.match.learned import ELSEWHERE_SAID

_INDENT = 7


def explanation_lines(explained: RouteExplanation, width: int = 100) -> list[str]:
    """The run to go on with, the verdict, what earned each its place, and whether any fits."""
    lines = []
    if (going_on := explained.going_on) is not None:
        lines += _wrapped(f"{going_on.confidence:3d} %  go on with {going_on.agent}", width, 0)
        lines += [*_wrapped(f"since {going_on.reason}", width, _INDENT), ""]
    lines += _wrapped(explained.verdict, width, 0)
    if explained.read_as:
        lines += _wrapped(f"Read as: {explained.read_as}", width, 0)
    if explained.judge:
        said = f"The confidences are those of {explained.judge}; below is what the words say."
        lines += _wrapped(said, width, 0)
    lines.append("")
    for each in explained.ranking:
        lines += [*_agent_lines(each, width), ""]
    reached, needed = round(100 * explained.fits), round(100 * explained.fits_from)
    verdict = "some agent fits" if explained.fits >= explained.fits_from else "no agent fits"
    lines += _wrapped(f"By the words {verdict}: {reached} %, {needed} % needed", width, 0)
    lines += _wrapped(_sum(explained.fit_parts), width, _INDENT)
    if any(ELSEWHERE_SAID in part.label for each in explained.ranking for part in each.parts):
        said = (
            "What you chose in other projects counts here too: `log --all-projects` shows it, "
            "`log forget` with `--all-projects` takes it back."
        )
        lines += _wrapped(said, width, 0)
    if explained.unknown:
        lines += _wrapped(f"In no agent's file: {', '.join(explained.unknown)}", width, 0)
    return lines


def _agent_lines(each: Explanation, width: int) -> Iterator[str]:
    yield from _wrapped(f"{each.confidence:3d} %  {each.agent}", width, 0)
    if each.hidden:
        yield from _wrapped(f"hidden: {each.hidden}", width, _INDENT)
    yield from _wrapped(f"score {each.score:.2f} = {_sum(each.parts)}", width, _INDENT)
    for word in each.words:
        found = "" if word.found == word.word else f" as {word.found}"
        where = ", ".join(word.fields)
        text = f"{word.word}{found}: {where}; idf {word.idf:.2f}, BM25F {word.score:.2f}"
        yield from _wrapped(text, width, _INDENT + 2)
    if each.closest:
        close = ", ".join(f"{word} {cosine:.2f}" for word, cosine in each.closest)
        yield from _wrapped(f"closest in meaning: {close}", width, _INDENT + 2)
    yield from _wrapped(f"for a confidence: {_sum(each.confidence_parts)}", width, _INDENT)
    yield from _wrapped(f"said: {each.reason}", width, _INDENT)


def _sum(parts: Iterable[ScorePart]) -> str:
    said: list[str] = []
    for part in parts:
        detail = f" ({part.detail})" if part.detail else ""
        sign = "" if not said and part.score >= 0 else ("+ " if part.score >= 0 else "- ")
        said.append(f"{sign}{part.label} {abs(part.score):.2f}{detail}")
    return " ".join(said)


def _wrapped(text: str, width: int, indent: int) -> list[str]:
    """A text cut into lines, what goes on indented deeper."""
    return textwrap.wrap(
        text,
        max(20, width),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2),
        break_on_hyphens=False,
    ) or [""]
