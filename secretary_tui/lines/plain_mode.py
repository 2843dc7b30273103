"""Whether lines of text are wanted in place of the screen, and in place of tables and bars.

Asked before anything heavy is imported: an option, a variable, the kind of terminal, and what the
settings said when they were last read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass

VARIABLE = "SECRETARY_TUI_PLAIN"
IN_LINES: ContextVar[bool] = ContextVar("in_lines", default=False)
"""Whether this process was asked for lines by `--plain`, or is the plain face."""
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
_DUMB = ("dumb", "unknown")
"""Terminals without a cursor that moves: a screen is garbage there."""


@dataclass(frozen=True, slots=True)
class PlainMode:
    """Whether there is no screen, and why if nobody asked for that."""

    is_wanted: bool
    hint: str = ""
    """A sentence for the user; empty when they asked themselves."""


def plain_mode(
    option: bool | None, *, on_terminal: bool, environ: Mapping[str, str] = os.environ
) -> PlainMode:
    """Decide: the option wins, then the variable, then the kind of terminal, then the setting.

    Where there is no terminal only the first two count: a pipe is no person who prefers lines.
    """
    asked = option if option is not None else _said(environ)
    if asked is not None or not on_terminal:
        return PlainMode(bool(asked))
    terminal = environ.get("TERM", "")
    if terminal.lower() in _DUMB:
        return PlainMode(
            True,
            f"This terminal can't show the screen (TERM={terminal}), so output is plain "
            "lines, as with --plain. --no-plain opens the screen anyway.",
        )
    from secretary_tui.sessions import ui_state

    return PlainMode(ui_state.load().plain)


def prefers_lines(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether tables and progress bars of the command line shall be lines of text as well."""
    said = True if IN_LINES.get() else _said(environ)
    return environ.get("TERM", "").lower() in _DUMB if said is None else said


def _said(environ: Mapping[str, str]) -> bool | None:
    value = environ.get(VARIABLE, "").strip().lower()
    if value in _TRUE:
        return True
    return False if value in _FALSE else None
