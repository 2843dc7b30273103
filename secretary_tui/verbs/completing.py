"""What a shell can complete besides the grammar: ids of agents, names of sources, verbs of `help`.

The functions below stand in the scripts that `completion` prints; they ask the program itself.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable

_LISTS = {
    "agents": "secretary-tui agents 2>/dev/null | cut -f2 | tail -n +2",
    "sources": "secretary-tui agents sources --names 2>/dev/null",
    "settings": "secretary-tui config list 2>/dev/null | cut -f1 | tail -n +2",
}
_FUNCTIONS = {
    "bash": '_secretary_tui_{what}() {{ compgen -W "$({command})" -- "$1"; }}',
    "zsh": '_secretary_tui_{what}() {{ local -a names; names=(${{(f)"$({command})"}}); '
    "compadd -a names }}",
    "fish": "function _secretary_tui_{what}; {command}; end",
}


def preamble(shell: str, verbs: Iterable[str]) -> str:
    """The functions that a shell's script calls; empty for one that takes none."""
    if shell not in _FUNCTIONS:
        return ""
    lists = {**_LISTS, "verbs": f"printf '%s\\n' {' '.join(verbs)} options"}
    return "\n".join(
        _FUNCTIONS[shell].format(what=what, command=command) for what, command in lists.items()
    )


def complete_with(action: argparse.Action, what: str) -> None:
    """Let shells complete an argument with `agents`, `sources`, `settings` or `verbs`."""
    function = f"_secretary_tui_{what}"
    action.complete = {  # type: ignore[attr-defined]  # shtab looks for it there.
        "bash": function,
        "zsh": function,
        "fish": f"({function})",
    }
