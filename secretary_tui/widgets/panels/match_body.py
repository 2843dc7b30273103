"""The middle of the match panel: a row for each match, with reasons where they help to choose."""

from __future__ import annotations

from collections.abc import Mapping

from rich.cells import cell_len
from textual.content import Content

from secretary_tui.widgets.panels.match_choices import MatchChoices
from secretary_tui.widgets.panels.match_rows import (
    AgentBrief,
    PanelAdvice,
    Piece,
    RowLayout,
    because,
    match_row,
)
from secretary_tui.widgets.panels.panel import clickable


def match_body(
    choices: MatchChoices,
    briefs: Mapping[str, AgentBrief],
    advice: PanelAdvice | None,
    width: int,
) -> list[Piece]:
    """The rows of all matches; without any, the advice."""
    if not choices.rows:
        return _advice(advice or PanelAdvice("No agent fits this request."))
    parts: list[Piece] = []
    cursor, recommended, workflow = choices.cursor, choices.recommended, choices.workflow
    layout = RowLayout(width, max(cell_len(row.agent) for row in choices.rows))
    lone = len(choices.rows) == 1
    for position, match in enumerate(choices.rows):
        brief = briefs.get(match.agent)
        color = brief.color if brief is not None else ""
        key = _key(choices, position)
        row = match_row(key, match, position == recommended, layout, color)
        if lone or position in (cursor, recommended, workflow):
            row += because(match, brief, width)
        elif cursor is None and recommended is None:
            row += because(match, None, width)
        parts.append(clickable(Content.assemble(*row), str(position)))
    return parts


def _key(choices: MatchChoices, row: int) -> str:
    """The keys that take a row, as they stand before it."""
    at_cursor = row == choices.cursor
    if row == choices.workflow:
        return "w Enter" if at_cursor else "w"
    number = choices.numbers.get(row)
    if at_cursor:
        return "Enter" if number is None else f"{number} Enter"
    return "a" if number is None else str(number)


def _advice(advice: PanelAdvice) -> list[Piece]:
    hints = "".join(f"  · {suggestion}\n" for suggestion in advice.suggestions)
    return [(f"{advice.message}\n", "$text-warning"), (hints, "$foreground 60%")]
