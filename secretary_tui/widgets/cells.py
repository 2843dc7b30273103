"""Texts cut to the cells there are for them."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size


def fit(text: str, width: int) -> str:
    """A text on one line of `width` cells at most, the cut marked."""
    if width <= 0:
        return ""
    line = " ".join(text.split()) if "\n" in text else text
    return line if cell_len(line) <= width else set_cell_size(line, width - 1).rstrip() + "…"
