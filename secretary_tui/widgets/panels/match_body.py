"""The lines of the match panel: the task, a row for each match with reasons where they help to
choose, who ranked, what is close, and where the run works and answers.
"""

from __future__ import annotations

import textwrap

from rich.cells import cell_len
from textual.content import Content

from secretary_tui.people import Recommendation
from secretary_tui.widgets.cells import fit, fit_lines
from secretary_tui.widgets.panels.match_choices import MatchChoices, OfferKind
from secretary_tui.widgets.panels.match_page import MatchPage
from secretary_tui.widgets.panels.match_rows import (
    PanelAdvice,
    Piece,
    RowLayout,
    because,
    match_row,
)
from secretary_tui.widgets.panels.panel import clickable

_CLOSE_LINES = 2
_RANKED_LINES = 3


def match_body(page: MatchPage, width: int) -> list[Piece]:
    """All of them, for a recommendation that is there."""
    task = " · ".join(filter(None, map(str.strip, page.task.splitlines())))
    return [
        ("task  ", "$foreground 60%"),
        fit(task, width - 6),
        "\n",
        *_beside(page, width),
        *(_rows(page, width) if page.choices.rows else _advice(page.advice)),
        *_foot(page, width),
    ]


def _beside(page: MatchPage, width: int) -> list[Piece]:
    """What goes along with the task, and what should not be tried."""
    parts: list[Piece] = []
    context, key = page.context
    if context:
        line = fit(context, width - 6 - len(f"  {key}"))
        parts.append((f"      {line}  {key}\n", "$foreground 60%"))
    beyond = textwrap.wrap(page.beyond, width - 6, break_on_hyphens=False)
    return [*parts, *((f"      {line}\n", "$text-warning") for line in beyond)]


def _rows(page: MatchPage, width: int) -> list[Piece]:
    parts: list[Piece] = []
    choices = page.choices
    layout = RowLayout(width, max(cell_len(row.label) for row in choices.rows))
    before: OfferKind | None = None
    for position, row in enumerate(choices.rows):
        if row.kind is not before and (heading := _heading(row.kind, before)):
            parts.append((f"{fit(heading, width)}\n", "$foreground 60%"))
        before = row.kind
        parts.append(clickable(Content.assemble(*_row(page, position, layout)), str(position)))
    return parts


def _row(page: MatchPage, position: int, layout: RowLayout) -> list[Piece]:
    """A row, with its reasons where they help to choose."""
    choices = page.choices
    row = choices.rows[position]
    brief = page.briefs.get(row.match.agent)
    is_recommended = position == choices.recommended
    whole = len(choices.rows) == 1 or position == choices.cursor
    if not choices.is_unfolded:  # Else all of them are to be seen at once.
        whole = whole or is_recommended or position == choices.workflow
    brief_kinds = (OfferKind.GENERALIST, OfferKind.LESS_LIKELY)
    line = match_row(
        _key(choices, position),
        row,
        layout,
        brief.color if brief is not None else "",
        recommended=is_recommended,
        short=not whole and (choices.is_unfolded or row.kind in brief_kinds),
    )
    if whole:
        goes_on = row.kind is OfferKind.GO_ON  # It can what it could.
        return line + because(row.match, None if goes_on else brief, layout.width)
    undecided = choices.cursor is None and choices.recommended is None
    if undecided and row.kind is OfferKind.AGENT and not choices.is_unfolded:
        return line + because(row.match, None, layout.width)
    return line


def _heading(kind: OfferKind, before: OfferKind | None) -> str:
    """What is said above the first row of a kind."""
    if kind is OfferKind.GENERALIST:
        others = before is OfferKind.AGENT
        return "or a generalist:" if others else "no specialist fits; a generalist can:"
    return "less likely:" if kind is OfferKind.LESS_LIKELY else ""


def _key(choices: MatchChoices, row: int) -> str:
    """The keys that take a row, as they stand before it."""
    at_cursor = row == choices.cursor
    if row == choices.workflow:
        return "w Enter" if at_cursor else "w"
    number = choices.numbers.get(row)
    if at_cursor:
        return "Enter" if number is None else f"{number} Enter"
    return "a" if number is None else str(number)


def _advice(advice: PanelAdvice | None) -> list[Piece]:
    advice = advice or PanelAdvice("No agent fits this request.")
    hints = "".join(f"  · {suggestion}\n" for suggestion in advice.suggestions)
    return [(f"{advice.message}\n", "$text-warning"), (hints, "$foreground 60%")]


def _foot(page: MatchPage, width: int) -> list[Piece]:
    recommendation = page.choices.recommendation
    if recommendation is None:
        return []
    told = "" if page.choices.is_unfolded else recommendation.close
    close = textwrap.wrap(told, width, break_on_hyphens=False)
    if len(close) > _CLOSE_LINES:
        close[_CLOSE_LINES - 1 :] = [" ".join(close[_CLOSE_LINES - 1 :])]
    foot: list[Piece] = [(f"{fit(line, width)}\n", "$text-warning") for line in close]
    # What can't be done is said whole.
    engine = textwrap.wrap(page.engines.text, width, break_on_hyphens=False)
    foot += [(f"{fit(line, width)}\n", "$text-accent") for line in engine]
    if page.gets_own_tree:
        where = "runs in a git worktree of its own; its changes are offered at the end"
        foot.append((f"{fit(where, width)}\n", "$text-accent"))
    ranked = "\n".join(fit_lines(_ranked(page, recommendation), width, _RANKED_LINES))
    return [*foot, (ranked, "italic $foreground 60%")]


def _ranked(page: MatchPage, recommendation: Recommendation) -> str:
    """Who ranked, and what to do where that found nothing strong."""
    if page.refining:
        text = f"ranked here in {recommendation.elapsed_ms:.0f} ms · the model is ranking too…"
    elif recommendation.notice:
        text = recommendation.notice
    elif recommendation.engine == "local":
        text = f"ranked on this machine in {recommendation.elapsed_ms:.0f} ms"
    else:
        model = recommendation.engine.rpartition(" · ")[2]
        text = f"ranked by {model} in {recommendation.elapsed_ms:.0f} ms"
    kinds = {row.kind for row in page.choices.rows}
    if OfferKind.AGENT in kinds and page.choices.preferred is None:
        numbers = "1 picks it" if len(page.choices.rows) == 1 else "choose by number"
        text = f"No strong match: {numbers}, o names another. {text}"
    workflow = recommendation.workflow
    if workflow is not None and not workflow.runnable:
        text = f"A command /{workflow.id} would fit; this library has none. {text}"
    return text
