"""One stored run as lines of the history, and as the line that asks whether it shall go."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from textual.content import Content

from secretary_tui.number_format import dollars
from secretary_tui.sanitize import clean_line
from secretary_tui.sessions.run_search import RunExcerpt
from secretary_tui.sessions.store import RunOutcome, RunSummary

GLYPHS = {
    RunOutcome.DONE: ("✓", "$text-success"),
    RunOutcome.PARTIAL: ("◐", "$text-warning"),
    RunOutcome.INTERRUPTED: ("■", "$text-warning"),
    RunOutcome.FAILED: ("✗", "$text-error"),
    RunOutcome.CUT_OFF: ("…", "$text-warning"),
    RunOutcome.RUNNING: ("●", "$text-accent"),
}
_DIM = "$foreground 60%"


def describe_run(run: RunSummary, *, project: bool = False) -> Content:
    """Two lines: when, who, how it ended (and where); and what was asked."""
    glyph, style = GLYPHS[run.outcome]
    facts = [str(run.outcome), clean_line(run.model)]
    if run.cost_usd:
        facts.append(dollars(run.cost_usd))
    if project and run.project:
        facts.append(clean_line(Path(run.project).name))
    return Content.assemble(
        (f"{glyph} ", style),
        (f"{when(run.started_at)}  ", _DIM),
        (clean_line(run.agent) or run.id, "bold"),
        (f"  {' · '.join(filter(None, facts))}\n", _DIM),
        f"  {clean_line(run.request)[:300] or '(request unreadable)'}",
    )


def describe_excerpt(excerpt: RunExcerpt | None) -> Content:
    """One line: where a word was found, the word marked; blank when the other lines show it."""
    if excerpt is None:
        return Content("")
    return Content.assemble(
        (f"  {excerpt.place}: ", _DIM),
        (excerpt.before, "$foreground 80%"),
        (excerpt.match, "bold $accent"),
        (excerpt.after, "$foreground 80%"),
    )


def when(started_at: str) -> str:
    """A time as the history shows it, in the user's zone."""
    try:
        return datetime.fromisoformat(started_at).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return "?"
