"""Which keys the last line names: those that work right now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from secretary_tui.flow.actions import key_label
from secretary_tui.screens.keymap import Keymap
from secretary_tui.widgets.key_bar import KeyHint

if TYPE_CHECKING:
    from secretary_tui.flow.tab_controller import TabController
    from secretary_tui.screens.controller_host import FlowHost
    from secretary_tui.screens.main.composer import Composer
    from secretary_tui.screens.main.panels import Panels
    from secretary_tui.screens.main.panes import Panes
    from secretary_tui.screens.main.request_search import RequestSearch
    from secretary_tui.widgets.library.agent_list import AgentList
    from secretary_tui.widgets.library.library_pane import LibraryPane
    from secretary_tui.widgets.panels.panel import Panel
    from secretary_tui.widgets.request.request_box import RequestBox
    from secretary_tui.widgets.transcript.run_view import RunView

_BACK = KeyHint("Esc", "back", "escape")
_TAB = KeyHint("Tab", "next pane", "tab")
_SOON = KeyHint("…", "keys active in a moment", "f1")
_TO_THE_PANEL = KeyHint("Tab", "to the question", "tab")
_SEARCH = (
    KeyHint("Enter", "accept", "enter"),
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
_COPY = KeyHint("c", "copy path", "c")
_SEARCHING = (KeyHint("Enter", "go to match", "enter"), KeyHint("Esc", "back", "escape"))


def _of_the_row(index: AgentList) -> tuple[KeyHint, ...]:
    """What the keys do with the row under the cursor of the list."""
    row = index.highlighted
    if row is None:
        return (_FILTER,)
    if row.unlisted is not None:
        return (KeyHint("Enter", "add them", "enter"), _FILTER)
    if row.entry is not None:
        return (KeyHint("Enter", "ask this agent", "enter"), _FILTER, _SWITCH, _EDIT)
    if row.problem is not None:
        return (_EDIT, _COPY, _FILTER)
    if row.extra is not None:
        # A plugin that isn't installed has no file here; what it has is a command to copy.
        command = KeyHint("c", "copy command", "c")
        return (command, _FILTER) if row.group == "not installed" else (_EDIT, _COPY, _FILTER)
    fold = KeyHint("Enter", "unfold" if row.folded else "fold", "enter")
    switch = (_SWITCH,) if row.source is not None else ()
    return (*((fold,) if index.shown.can_fold else ()), _FILTER, *switch)


def _menu(count: int) -> tuple[KeyHint, ...]:
    """Of the menu of completions, which shows a few of those there are."""
    from secretary_tui.screens.main.suggestions import MOST  # Not before the first paint.

    found = f"{count}+ found" if count == MOST else f"{count} found"
    return (
        KeyHint("Enter", "accept", "enter"),
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


@dataclass(eq=False)
class KeyHints:
    """Finds the hints for what has the focus and what is going on."""

    _screen: FlowHost
    _request: RequestBox
    _library: LibraryPane
    _panes: Panes
    _panels: Panels
    _tabs: TabController[RunView]
    _composer: Composer
    _searching: RequestSearch

    def now(self) -> tuple[KeyHint, ...]:
        """The hints for this moment, the most important first."""
        at_once = self._of_the_moment()
        if at_once:
            return at_once
        panel, focused = self._panels.open, self._request.screen.focused
        # All transcripts have the same keys, `transcript-2` those of `transcript`.
        pane = (focused.id or "").partition("-")[0] if focused is not None else ""
        if pane in _PANES:
            return self._of_a_pane(pane)
        if panel is not None:
            return self._beside_a_panel(panel)
        return self._during_a_run() if self._tabs.running else self._between_runs()

    def _of_the_moment(self) -> tuple[KeyHint, ...]:
        """What goes before all else: the menu, a task that is edited, a choice just made."""
        # Not its `has_focus`, which a box that lost the focus has until it hears of that.
        in_the_box = self._request.screen.focused is self._request
        if self._searching.is_open:
            return (*_SEARCH[:1], *self._hint("search_requests", "older"), *_SEARCH[1:])
        if self._searching.menu.is_open:
            return _menu(self._searching.menu.count)
        if self._composer.editing:
            return (KeyHint("Enter", "save task", "enter"), _BACK)
        if self._composer.handed is not None and self._panels.open is None and in_the_box:
            without = KeyHint("Esc", "drop the answer", "escape")
            return (KeyHint("Enter", "find agent", "enter"), without)
        if self._request.is_shell_line and in_the_box:
            run = KeyHint("Enter", "run command", "enter")
            return (run, KeyHint("Ctrl+U", "clear", "ctrl+u"))
        return (KeyHint("Esc", "undo choice", "escape"),) if self._tabs.holding else ()

    def _of_a_pane(self, pane: str) -> tuple[KeyHint, ...]:
        help_key = self._hint("help", "help")
        if pane == "index":
            return (*_of_the_row(self._library.index), _BACK, *help_key, _TAB)
        if pane == "transcript" and self._tabs.shown.view.transcript.search.is_typing:
            return _SEARCHING
        return (*_PANES[pane], *(help_key if pane == "details" else ()))

    def _beside_a_panel(self, panel: Panel[Any]) -> tuple[KeyHint, ...]:
        """Keys answer the panel, or, where something was typed, Enter sends that."""
        typed, running = self._request.text, self._tabs.running
        is_match = panel is self._panels.match
        if panel.has_focus_within or (is_match and not typed):
            return panel.hints if panel.guard.armed or panel.typing else (_SOON,)
        if not typed:
            return (_TO_THE_PANEL,)
        send = KeyHint("Enter", "send at next turn" if running else "send this instead", "enter")
        clear = KeyHint("Ctrl+U", "clear to answer", "ctrl+u")
        if is_match:
            return (send, clear, KeyHint("Esc", "cancel", "escape"))
        stop = (KeyHint("Esc", "interrupt", "escape"),) if running else ()
        return (send, clear, _TO_THE_PANEL, *stop)

    def _during_a_run(self) -> tuple[KeyHint, ...]:
        return (
            KeyHint("Esc", "interrupt", "escape"),
            KeyHint("Enter", "send at next turn", "enter"),
            *self._other_runs(),
            *self._hint("new", "new run"),
            *self._hint("toggle_tools", "unfold tools"),
            *self._hint("help", "help"),
        )

    def _between_runs(self) -> tuple[KeyHint, ...]:
        replying = self._composer.is_reply(self._request.text)
        send = KeyHint("Enter", "send reply" if replying else "find agent", "enter")
        reply: tuple[KeyHint, ...] = ()
        if self._tabs.run_id:
            other = self._hint("toggle_reply", "new" if replying else "reply")
            reply = (*other, *self._hint("hand_on", "hand on"))
        where = "transcript" if self._panes.shows_run_alone else "agents"
        tab = KeyHint("Tab", where, "tab")
        return (send, *reply, *self._other_runs(), tab, *_general(self._screen.keys))

    def _other_runs(self) -> tuple[KeyHint, ...]:
        return self._hint("next_run", "next run") if self._tabs.shares_the_screen else ()

    def _hint(self, action_id: str, does: str) -> tuple[KeyHint, ...]:
        return _hint(self._screen.keys, action_id, does)
