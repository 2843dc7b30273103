"""Which keys the last line names: those that work right now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from secretary_tui.flow.actions import key_label
from secretary_tui.screens.keymap import Keymap
from secretary_tui.widgets.key_bar import KeyHint

if TYPE_CHECKING:
    from secretary_tui.screens.main.main_view import MainView
    from secretary_tui.widgets.panels.panel import Panel

_BACK = KeyHint("Esc", "back", "escape")
_TAB = KeyHint("Tab", "next pane", "tab")
_SOON = KeyHint("…", "keys answer in a moment", "f1")
_TO_THE_PANEL = KeyHint("Tab", "to the question", "tab")
_SEARCH = (
    KeyHint("Enter", "take it", "enter"),
    KeyHint("↑↓", "choose", "down"),
    KeyHint("Esc", "back to your text", "escape"),
)
_PANES = {
    "index": (),
    "filter": (
        KeyHint("Enter", "to the list", "enter"),
        KeyHint("Esc", "clear", "escape"),
    ),
    "details": (KeyHint("↑↓", "scroll", "down"), _BACK, _TAB),
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


_FILTER = KeyHint("/", "filter", "slash")
_SWITCH = KeyHint("x", "on/off", "x")
_EDIT = KeyHint("e", "edit", "e")
_COPY = KeyHint("c", "copy the path", "c")
_SEARCHING = (KeyHint("Enter", "go there", "enter"), KeyHint("Esc", "back", "escape"))


def _of_the_row(screen: MainView) -> tuple[KeyHint, ...]:
    """What the keys do with the row under the cursor of the list."""
    row = screen.index.highlighted
    if row is None:
        return (_FILTER,)
    if row.unlisted is not None:
        return (KeyHint("Enter", "list them", "enter"), _FILTER)
    if row.entry is not None:
        return (KeyHint("Enter", "ask this agent", "enter"), _FILTER, _SWITCH, _EDIT)
    if row.problem is not None:
        return (_EDIT, _COPY, _FILTER)
    if row.extra is not None:
        # A plugin that isn't installed has no file here; what it has is a command to copy.
        command = KeyHint("c", "copy the command", "c")
        return (command, _FILTER) if row.group == "not installed" else (_EDIT, _COPY, _FILTER)
    fold = KeyHint("Enter", "unfold" if row.folded else "fold", "enter")
    switch = (_SWITCH,) if row.source is not None else ()
    return (*((fold,) if screen.index.shown.can_fold else ()), _FILTER, *switch)


def _menu(count: int) -> tuple[KeyHint, ...]:
    """Of the menu of completions, which shows a few of those there are."""
    from secretary_tui.screens.main.suggestions import MOST  # Not before the first paint.

    found = f"{count}+ found" if count == MOST else f"{count} found"
    return (
        KeyHint("Enter", "take it", "enter"),
        KeyHint("Tab", "complete", "tab"),
        KeyHint("↑↓", f"choose, {found}", "down"),
        KeyHint("Esc", "close", "escape"),
    )


def _hint(keys: Keymap, action_id: str, does: str) -> tuple[KeyHint, ...]:
    """The first key of an action; nothing when the user took its key away."""
    first = keys.keys(action_id).partition(",")[0]
    return (KeyHint(key_label(first), does, first),) if first else ()


def _general(keys: Keymap) -> tuple[KeyHint, ...]:
    return (
        *_hint(keys, "help", "help"),
        *_hint(keys, "settings", "settings"),
        *_hint(keys, "history", "history"),
        *_hint(keys, "command_palette", "palette"),
    )


AT_START = (
    KeyHint("Enter", "find agent", "enter"),
    KeyHint("Tab", "agents", "tab"),
    *_general(Keymap()),
)
"""Shown from the first paint on, before the settings are read."""


def _of_the_moment(screen: MainView) -> tuple[KeyHint, ...]:
    """What goes before all else: the menu, a task that is edited, a choice just made."""
    if screen.searching.is_open:
        older = _hint(screen.keys, "search_requests", "older")
        return (*_SEARCH[:1], *older, *_SEARCH[1:])
    if screen.completer.is_open:
        return _menu(screen.completer.menu.count)
    if screen.composer.editing:
        return (KeyHint("Enter", "keep the task", "enter"), _BACK)
    handing = screen.composer.handed is not None and screen.open_panel is None
    if handing and screen.focused is screen.request:
        without = KeyHint("Esc", "without the answer", "escape")
        return (KeyHint("Enter", "find agent", "enter"), without)
    if screen.request.is_shell_line and screen.focused is screen.request:
        return (KeyHint("Enter", "run this line", "enter"), KeyHint("Ctrl+U", "clear", "ctrl+u"))
    return (KeyHint("Esc", "take it back", "escape"),) if screen.dispatch.holding else ()


def _beside_a_panel(screen: MainView, panel: Panel[object]) -> tuple[KeyHint, ...]:
    """Keys answer the panel, or, where something was typed, Enter sends that."""
    if panel.has_focus_within or (panel is screen.match_panel and not screen.request.text):
        return panel.hints if panel.guard.armed or panel.typing else (_SOON,)
    if not screen.request.text:
        return (_TO_THE_PANEL,)
    says = "say at next turn" if screen.dispatch.running else "send this instead"
    clear = KeyHint("Ctrl+U", "clear: answer the panel", "ctrl+u")
    if panel is screen.match_panel:
        return (KeyHint("Enter", says, "enter"), clear, KeyHint("Esc", "cancel", "escape"))
    stop = (KeyHint("Esc", "interrupt", "escape"),) if screen.dispatch.running else ()
    return (KeyHint("Enter", says, "enter"), clear, _TO_THE_PANEL, *stop)


def hints_for(screen: MainView) -> tuple[KeyHint, ...]:
    """The hints for what has the focus and what is going on."""
    panel = screen.open_panel
    # All transcripts have the same keys, `transcript-2` those of `transcript`.
    focused = (screen.focused.id or "").partition("-")[0] if screen.focused is not None else ""
    at_once = _of_the_moment(screen)
    if at_once:
        return at_once
    if panel is not None and focused not in _PANES:
        return _beside_a_panel(screen, panel)
    keys = screen.keys
    help_key = _hint(keys, "help", "help")
    if focused == "index":
        return (*_of_the_row(screen), _BACK, *help_key, _TAB)
    if focused == "transcript" and screen.transcript.search.is_typing:
        return _SEARCHING
    if focused in _PANES:
        return (*_PANES[focused], *(help_key if focused == "details" else ()))
    several = screen.dispatch.shares_the_screen
    others = _hint(keys, "next_run", "next run") if several else ()
    if screen.dispatch.running:
        return (
            KeyHint("Esc", "interrupt", "escape"),
            KeyHint("Enter", "say at next turn", "enter"),
            *others,
            *_hint(keys, "new", "another run"),
            *_hint(keys, "toggle_tools", "unfold tools"),
            *help_key,
        )
    replying = screen.composer.is_reply(screen.request.text)
    send = KeyHint("Enter", "send reply" if replying else "find agent", "enter")
    reply = (
        (
            *_hint(keys, "toggle_reply", "new" if replying else "reply"),
            *_hint(keys, "hand_on", "hand on"),
        )
        if screen.dispatch.run_id
        else ()
    )
    alone = screen.has_class("narrow") and not screen.has_class("library-view")
    tab = KeyHint("Tab", "transcript" if alone else "agents", "tab")
    return (send, *reply, *others, tab, *_general(keys))
