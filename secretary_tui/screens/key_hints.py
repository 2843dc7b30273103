"""Which keys the last line names: those that work right now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from secretary_tui.widgets.key_bar import KeyHint

if TYPE_CHECKING:
    from secretary_tui.screens.main import MainScreen

_HELP = KeyHint("F1", "help", "f1")
_BACK = KeyHint("Esc", "back", "escape")
_TAB = KeyHint("Tab", "next pane", "tab")
_GENERAL = (
    _HELP,
    KeyHint("F2", "settings", "f2"),
    KeyHint("F3", "history", "f3"),
    KeyHint("Ctrl+P", "palette", "ctrl+p"),
)
_PANES = {
    "index": (
        KeyHint("Enter", "ask this agent", "enter"),
        KeyHint("/", "filter", "slash"),
        KeyHint("x", "on/off", "x"),
        KeyHint("e", "edit", "e"),
        _BACK,
        _HELP,
        _TAB,
    ),
    "filter": (
        KeyHint("Enter", "to the list", "enter"),
        KeyHint("Esc", "clear", "escape"),
    ),
    "details": (KeyHint("↑↓", "scroll", "down"), _BACK, _TAB, _HELP),
    "transcript": (
        KeyHint("↑↓", "scroll", "down"),
        KeyHint("/", "search", "slash"),
        KeyHint("[ ]", "tool calls", "right_square_bracket"),
        KeyHint("Space", "unfold", "space"),
        KeyHint("y", "copy", "y"),
        KeyHint("c", "code", "c"),
        KeyHint("v", "pager", "v"),
        KeyHint("u", "undo", "u"),
        _BACK,
        _TAB,
    ),
}


AT_START = (
    KeyHint("Enter", "find agent", "enter"),
    KeyHint("Tab", "agents", "tab"),
    *_GENERAL,
)
"""Shown from the first paint on."""


def hints_for(screen: MainScreen) -> tuple[KeyHint, ...]:
    """The hints for what has the focus and what is going on."""
    panel = screen.open_panel
    # All transcripts have the same keys, `transcript-2` those of `transcript`.
    focused = (screen.focused.id or "").partition("-")[0] if screen.focused is not None else ""
    if screen.composer.editing:
        return (KeyHint("Enter", "keep the task", "enter"), _BACK)
    if screen.dispatch.holding:
        return (KeyHint("Esc", "take it back", "escape"),)
    if panel is not None and focused not in _PANES:
        if panel.has_focus_within or screen.match_panel.is_open:
            return panel.hints
        return (KeyHint("Tab", "to the question", "tab"),)
    row = screen.index.highlighted
    if focused == "index" and row is not None and row.unlisted is not None:
        return (KeyHint("Enter", "list them", "enter"), *_PANES["index"][1:2], _BACK, _HELP, _TAB)
    if focused in _PANES:
        return _PANES[str(focused)]
    several = screen.dispatch.shares_the_screen
    others = (KeyHint("Ctrl+PgDn", "next run", "ctrl+pagedown"),) if several else ()
    if screen.dispatch.running:
        return (
            KeyHint("Esc", "interrupt", "escape"),
            KeyHint("Enter", "say at next turn", "enter"),
            *others,
            KeyHint("Ctrl+N", "another run", "ctrl+n"),
            KeyHint("Ctrl+O", "unfold tools", "ctrl+o"),
            _HELP,
        )
    replying = screen.composer.replying and bool(screen.dispatch.run_id)
    send = KeyHint("Enter", "send reply" if replying else "find agent", "enter")
    reply = (
        (
            KeyHint("Ctrl+T", "new" if replying else "reply", "ctrl+t"),
            KeyHint("Ctrl+S", "hand on", "ctrl+s"),
        )
        if screen.dispatch.run_id
        else ()
    )
    return (send, *reply, *others, KeyHint("Tab", "agents", "tab"), *_GENERAL)
