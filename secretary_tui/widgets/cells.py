"""Texts cut to the cells there are for them."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size


def fit(text: str, width: int) -> str:
    """A text on one line of `width` cells at most, the cut marked."""
    if width <= 0:
        return ""
    line = " ".join(text.split()) if "\n" in text else text
    return line if cell_len(line) <= width else set_cell_size(line, width - 1).rstrip() + "…"


def fit_lines(text: str, width: int, most: int) -> list[str]:
    """A text broken between words into `most` lines at most, the last one cut where it must be."""
    lines: list[str] = []
    words = text.split()
    while words and len(lines) < most - 1:
        line = words.pop(0)
        while words and cell_len(f"{line} {words[0]}") <= width:
            line += f" {words.pop(0)}"
        lines.append(fit(line, width))
    return [*lines, fit(" ".join(words), width)] if words else lines


def fit_reference(text: str, width: int) -> str:
    """The same for a name such as `@plugin:agent`, whose end tells it from its neighbours."""
    if width < 3 or cell_len(text) <= width or not text.startswith("@"):
        return fit(text, width)
    return f"@…{set_cell_size(text[::-1], width - 2).rstrip()[::-1]}"
