"""The third column of a wide screen while a run is shown: how far it is, and what it may do."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from textual.content import Content

from secretary_tui import events
from secretary_tui.sanitize import clean_line
from secretary_tui.spend import Spend
from secretary_tui.widgets.run_tabs import GLYPHS
from secretary_tui.widgets.themes import dot_style

STEPS = {
    "completed": ("✓", "$text-success", "$foreground 60%"),
    "in_progress": ("●", "$accent", "bold"),
}
"""Mark, its style and the style of the words, by the state of a step."""
_NEXT = ("○", "$foreground 60%", "")

_Piece = str | tuple[str, str] | Content


@dataclass(frozen=True, slots=True)
class RunAbout:
    """What the events of a run said about it so far."""

    agent: str = ""
    engine: str = ""
    model: str = ""
    mode: str = ""
    confidence: int | None = None
    tools: tuple[str, ...] = ()
    steps: tuple[events.Todo, ...] = ()
    spent: Spend = field(default_factory=Spend)
    """By all turns, once it ended."""
    elapsed_s: float = 0.0

    def after(self, event: events.RunEvent) -> RunAbout:
        """The same with what one more event says."""
        if isinstance(event, events.RunStarted):
            return RunAbout(
                clean_line(event.agent),
                clean_line(event.engine),
                clean_line(event.model),
                event.permission_mode,
                event.confidence,
                tuple(map(clean_line, event.tools)),
                self.steps if event.resumed else (),
            )
        if isinstance(event, events.TodosChanged):
            return replace(self, steps=event.todos)
        if isinstance(event, events.RunFinished | events.RunFailed):
            spent = Spend.of(event.cost_usd, event.usage)
            return replace(self, spent=spent, elapsed_s=event.elapsed_s)
        return self


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What the page says."""

    about: RunAbout
    state: str
    """A key of `run_tabs.GLYPHS`."""
    elapsed: str = ""
    spent: str = ""
    """Tokens and dollars."""
    tool: str = ""
    """The tool at work."""
    description: str = ""
    color: str = ""
    """The colour that the agent's file names."""


def describe_run(facts: RunFacts) -> Content:
    """The page of a run."""
    about = facts.about
    glyph, style = GLYPHS[facts.state]
    words = " · ".join(filter(None, (facts.state, facts.elapsed, facts.tool)))
    parts: list[_Piece] = [
        ("• ", dot_style(facts.color)),
        (f"{about.agent}\n", "bold $accent"),
        (f"{glyph} ", style),
        f"{words}\n\n",
    ]
    match = "" if about.confidence is None else f"{about.confidence} %"
    rows = (
        ("spent", facts.spent),
        ("model", about.model),
        ("engine", about.engine),
        ("match", match),
        ("mode", about.mode),
        ("tools", ", ".join(about.tools) or "none"),
    )
    for name, value in rows:
        if value:
            parts += [(f"{name:<8}", "$foreground 60%"), f"{value}\n"]
    parts += _checklist(about.steps)
    if facts.description:
        parts += ["\n", (facts.description, "$foreground 60%")]
    return Content.assemble(*parts)


def _checklist(steps: tuple[events.Todo, ...]) -> list[_Piece]:
    if not steps:
        return []
    done = sum(step.status == "completed" for step in steps)
    parts: list[_Piece] = [("\nsteps   ", "$foreground 60%"), f"{done} of {len(steps)}\n"]
    for step in steps:
        mark, mark_style, style = STEPS.get(step.status, _NEXT)
        here = step.status == "in_progress" and step.active_form
        parts += [(f"{mark} ", mark_style), (f"{clean_line(here or step.content)}\n", style)]
    return parts
