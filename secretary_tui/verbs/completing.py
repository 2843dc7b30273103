"""What a shell can complete besides the grammar: the ids of agents and the names of sources.

The functions below stand in the scripts that `completion` prints; they ask the program itself.
"""

from __future__ import annotations

import argparse

_LISTS = {
    "agents": "secretary-tui agents 2>/dev/null | cut -f2 | tail -n +2",
    "sources": "secretary-tui agents sources --names 2>/dev/null",
}
PREAMBLE = {
    "bash": "\n".join(
        f'_secretary_tui_{what}() {{ compgen -W "$({command})" -- "$1"; }}'
        for what, command in _LISTS.items()
    ),
    "zsh": "\n".join(
        f'_secretary_tui_{what}() {{ local -a names; names=(${{(f)"$({command})"}}); '
        "compadd -a names }"
        for what, command in _LISTS.items()
    ),
    "fish": "\n".join(
        f"function _secretary_tui_{what}; {command}; end" for what, command in _LISTS.items()
    ),
}
"""For each shell the functions that its script calls."""


def complete_with(action: argparse.Action, what: str) -> None:
    """Let shells complete an argument with `agents` or `sources`."""
    function = f"_secretary_tui_{what}"
    action.complete = {  # type: ignore[attr-defined]  # shtab looks for it there.
        "bash": function,
        "zsh": function,
        "fish": f"({function})",
    }
