"""Which keys lead to which action: those of the table, changed by the setting `keys`.

Imports no Textual: `config` and `doctor` check the setting, too. Keys inside panels, of lists and
of the request box are no part of it: a panel's letter must mean today what it meant yesterday.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from secretary_tui import paths
from secretary_tui.config import Config, ConfigProblem, SettingSource
from secretary_tui.flow.actions import ACTIONS, Action, key_label
from secretary_tui.sanitize import clean_line

NO_KEY = ("none", "off", "")
"""What takes the key of an action away."""
UNBOUND = "unbound"
"""A key that no terminal sends: Textual keeps the old one where it is given none."""
_FIXED = {
    **dict.fromkeys(("ctrl+c", "ctrl+d", "ctrl+j", "escape", "tab"), "it has a meaning of its own"),
    **dict.fromkeys(("ctrl+m", "enter", "shift+enter", "alt+enter"), "it is Enter"),
    "ctrl+i": "it is Tab to a terminal",
    "ctrl+h": "it is Backspace to many terminals",
    "ctrl+left_square_bracket": "it is Esc to a terminal",
}
_FREE_ALONE = re.compile(r"(?:shift\+)?(?:f(?:[1-9]|1\d|2[0-4])|insert|tab)")
_KEY = re.compile(
    r"(?:(?:ctrl|alt|shift|super|hyper|meta)\+)*"
    r"(?:[a-z0-9]|f(?:[1-9]|1\d|2[0-4])|pageup|pagedown|home|end|insert|delete|backspace|up|down"
    r"|left|right|enter|tab|escape|space|underscore|minus|plus|comma|full_stop|slash|backslash"
    r"|question_mark|left_square_bracket|right_square_bracket|at|circumflex_accent)"
)


@dataclass(frozen=True, slots=True)
class Keymap:
    """The keys of all actions, and what was wrong with what the user asked for."""

    changed: Mapping[str, str] = field(default_factory=dict)
    """By action: its keys as Textual names them, separated by commas; empty for none."""
    problems: tuple[str, ...] = ()

    def keys(self, action_id: str) -> str:
        """The keys of an action, as Textual names them."""
        found = self.changed.get(action_id)
        return _BY_ID[action_id].key if found is None else found

    def label(self, action_id: str) -> str:
        """The keys of an action, as people read them; empty when it has none."""
        return key_label(self.keys(action_id))

    def way(self, action_id: str) -> str:
        """How to reach an action, for a sentence: its first key, else its command."""
        action, first = _BY_ID[action_id], self.keys(action_id).partition(",")[0]
        return key_label(first) or (f"/{action.slash}" if action.slash else action.title)

    @property
    def for_textual(self) -> dict[str, str]:
        """What `App.set_keymap` takes."""
        return {action_id: keys or UNBOUND for action_id, keys in self.changed.items()}


_BY_ID: dict[str, Action] = {action.id: action for action in ACTIONS}


def read_keys(wanted: Mapping[str, str]) -> Keymap:
    """Take the wishes of a user one by one; those that can't be met leave the key as it was."""
    accepted: dict[str, str] = {}
    problems: list[str] = []
    for name, keys in wanted.items():
        action_id = name.strip().replace("-", "_")
        if action_id not in _BY_ID:
            problems.append(f"unknown action {clean_line(name)[:40]}; see docs/keys.md")
            continue
        names = [] if keys.strip().lower() in NO_KEY else re.split(r"[,\s]+", keys.strip().lower())
        wrong = next((why for key in names if (why := _why_not(key))), "")
        if wrong:
            problems.append(f"{action_id}: {wrong}; it keeps {_old(action_id)}")
        else:
            accepted[action_id] = ",".join(dict.fromkeys(names))
    while clash := _clash(accepted):
        loser, key, owner = clash
        del accepted[loser]
        problems.append(
            f"{loser}: {key_label(key)} is the key of {owner}, too; it keeps {_old(loser)}"
        )
    return Keymap(accepted, tuple(problems))


def with_key_problems(config: Config) -> Config:
    """The settings with what is wrong in `keys` among their problems."""
    problems = read_keys(config.keys).problems
    if not problems:
        return config
    from_environment = config.source("keys") is SettingSource.ENVIRONMENT
    where = "SECRETARY_TUI_KEYS" if from_environment else str(paths.user_config())
    found = tuple(ConfigProblem(where, "keys", f"keys: {problem}") for problem in problems)
    return dataclasses.replace(config, problems=(*config.problems, *found))


def _old(action_id: str) -> str:
    return _BY_ID[action_id].label or "no key"


def _why_not(key: str) -> str:
    """Why a key can't be given to an action; empty when it can."""
    shown = clean_line(key)[:40]
    if not _KEY.fullmatch(key):
        return f"{shown} is not a key name (such as f3, ctrl+k, alt+1, ctrl+pageup)"
    if key in _FIXED:
        return f"{shown} can't be used: {_FIXED[key]}"
    if not _FREE_ALONE.fullmatch(key) and not re.match(
        r"(?:shift\+)?(?:ctrl|alt|super|hyper|meta)\+", key
    ):
        return f"{shown} alone is for typing and moving: add ctrl or alt, or take f1 to f12"
    return ""


def _clash(accepted: Mapping[str, str]) -> tuple[str, str, str] | None:
    """A wish for a key that another action has: who wished, the key, and whose it is."""
    keymap = Keymap(accepted)
    owners: dict[str, list[str]] = {}
    for action_id in _BY_ID:
        for key in filter(None, keymap.keys(action_id).split(",")):
            owners.setdefault(key, []).append(action_id)
    for action_id in reversed(tuple(accepted)):
        for key in filter(None, accepted[action_id].split(",")):
            others = [owner for owner in owners[key] if owner != action_id]
            if others:
                return action_id, key, others[0]
    return None
