"""How one match looks in the panel, and what is said about it besides."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content

from secretary_tui.people import AgentMatch
from secretary_tui.widgets.cells import fit, fit_lines
from secretary_tui.widgets.panels.match_choices import MatchRow
from secretary_tui.widgets.themes import dot_style

BAR_CELLS = 10
_CONFIDENCE_CELLS = 5
_GENERALIST = "generalist"
_REASON_LINES = 2
Piece = Content | str | tuple[str, str]
"""What `Content.assemble` takes."""


@dataclass(frozen=True, slots=True)
class AgentBrief:
    """What the panel says about an agent beside the match."""

    powers: str
    """Tools it will get and which of them ask, such as `Read Grep · asks: Bash`."""
    model: str
    source: str
    notes: tuple[str, ...] = ()
    """What else is worth a line, such as what is not done of a command's text."""
    start: str = ""
    """What a run costs to begin, such as `~2.1k tokens, $0.006 to begin`."""
    color: str = ""
    """The colour that the agent's file names."""
    own_tree: bool = False
    """Whether its file asks for a working tree of its own."""


@dataclass(frozen=True, slots=True)
class PanelAdvice:
    """What is said when nothing fits: one sentence and what to try."""

    message: str
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowLayout:
    """What the rows of a panel share."""

    width: int
    longest: int
    """Cells of the longest name."""


def match_row(
    key: str, row: MatchRow, layout: RowLayout, color: str = "", *, recommended: bool, short: bool
) -> list[Piece]:
    """The key, the name beside a mark of the agent's colour, and how well it fits.

    The confidence has a bar; a generalist has none of either. In `short`, the reason follows on
    the same line as far as there is room.
    """
    wide = layout.width >= 56
    fits = _confidence(row, recommended, wide) if row.is_confident else [f" {_GENERALIST} "]
    tail = _CONFIDENCE_CELLS + (BAR_CELLS + 1 if wide else 0)
    tail = tail if row.is_confident else max(tail, len(_GENERALIST) + 2)
    room = min(layout.longest + 2, layout.width - 10 - tail)
    name = fit(row.label, room)
    parts: list[Piece] = [
        (f"{key:<7} ", "bold $accent"),
        ("• ", dot_style(color)),
        (name, "bold" if recommended else ""),
        " " * max(0, room - cell_len(name)),
        *fits,
    ]
    if short:
        used = 10 + max(room, cell_len(name)) + sum(map(_cells, fits))
        parts.append((f" {fit(row.match.reason, layout.width - used - 1)}", "$foreground 60%"))
    return [*parts, "\n"]


def _confidence(row: MatchRow, recommended: bool, wide: bool) -> list[Piece]:
    filled = round(row.match.confidence / 100 * BAR_CELLS)
    style = "$text-success" if recommended else "$text-accent"
    parts: list[Piece] = [f" {row.match.confidence:>3} "]
    if wide:
        parts += [("━" * filled, style), ("─" * (BAR_CELLS - filled), "$rule"), " "]
    return parts


def _cells(piece: Piece) -> int:
    return (
        piece.cell_length
        if isinstance(piece, Content)
        else cell_len(piece if isinstance(piece, str) else piece[0])
    )


def because(match: AgentMatch, brief: AgentBrief | None, width: int) -> list[Piece]:
    """Why it fits, and what it will be able to do."""
    lines = fit_lines(match.reason, width - 8, _REASON_LINES)
    if brief is not None:
        lines += _powers(brief, width - 8)
        lines.append(brief.start)
        lines += brief.notes
    if match.copies:
        copies = "copy" if len(match.copies) == 1 else "copies"
        lines.append(f"{len(match.copies)} more {copies} of it in the library")
    return [(f"{'':8}{fit(line, width - 8)}\n", "$foreground 60%") for line in lines if line]


def _powers(brief: AgentBrief, width: int) -> list[str]:
    """Say what it may do; a long list is cut at what is harmless, never at what asks."""
    line = f"{brief.powers} · {brief.model} · {brief.source}"
    calm, _, risky = brief.powers.rpartition(" · ")
    if not calm or cell_len(line) <= width:
        return [line]
    return [risky, f"{calm} · {brief.model} · {brief.source}"]
