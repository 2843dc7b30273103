"""All keys and commands on one page, made from the tables that make them work."""

from __future__ import annotations

import textwrap

from textual.content import Content

from secretary_tui.flow.actions import ACTIONS, FIXED_KEYS
from secretary_tui.screens.keymap import Keymap
from secretary_tui.screens.viewer import ViewerScreen

WIDTH = 77
"""Cells of a row: what fits on 80 columns beside the scroll bar."""


def help_screen(keys: Keymap) -> ViewerScreen:
    """The help page, with the keys as they are set."""
    parts: list[str | tuple[str, str]] = [("Everywhere\n", "bold $accent")]
    for action in ACTIONS:
        slash = f"/{action.slash}" if action.slash else ""
        parts.append((f"  {keys.label(action.id):<14}", "bold"))
        parts.append((f"{slash:<11}", "$text-accent"))
        parts.append(_beside(27, action.help))
    for title, fixed in FIXED_KEYS:
        parts.append((f"\n{title}\n", "bold $accent"))
        for key, does in fixed:
            parts.append((f"  {key:<14}", "bold"))
            parts.append(_beside(16, does))
    return ViewerScreen("Keys and commands", Content.assemble(*parts).rstrip())


def _beside(column: int, text: str) -> str:
    """A text that begins at a column, and goes on below its own beginning."""
    return f"\n{' ' * column}".join(textwrap.wrap(text, WIDTH - column)) + "\n"
