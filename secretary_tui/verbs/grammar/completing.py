"""What a shell can complete besides the grammar: ids of agents, names of sources, files, folders.

The functions below stand in the scripts that `completion` prints; they ask the program itself.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable

_LISTS = {
    "agents": "secretary-tui agents 2>/dev/null | cut -f2 | tail -n +2",
    "sources": "secretary-tui agents sources --names 2>/dev/null",
    "settings": "secretary-tui config list 2>/dev/null | cut -f1 | tail -n +2",
    "models": "secretary-tui model list 2>/dev/null | cut -f1 | tail -n +2",
}
_FUNCTIONS = {
    "bash": '_secretary_tui_{what}() {{ compgen -W "$({command})" -- "$1"; }}',
    "zsh": '_secretary_tui_{what}() {{ local -a names; names=(${{(f)"$({command})"}}); '
    "compadd -a names }}",
    "fish": "function _secretary_tui_{what}; {command}; end",
}
_FISH_FILES = "__fish_complete_path (commandline -ct)"
_PATHS = {
    # shtab has bash treat the words as paths where the name holds `_file` or `_dir`.
    "bash": """\
_secretary_tui_files() { compgen -f -- "$1"; }
_secretary_tui_dirs() { compgen -d -- "$1"; }
_secretary_tui_models_or_files() { _secretary_tui_models "$1"; compgen -f -- "$1"; }""",
    "zsh": """\
_secretary_tui_files() { _files }
_secretary_tui_dirs() { _files -/ }
_secretary_tui_models_or_files() { _secretary_tui_models; _files }""",
    "fish": f"""\
function _secretary_tui_files; {_FISH_FILES}; end
function _secretary_tui_dirs; __fish_complete_directories; end
function _secretary_tui_models_or_files; _secretary_tui_models; {_FISH_FILES}; end""",
}
_TCSH = {"files": "f", "dirs": "d", "models_or_files": "f"}
_BASH_WHOLE_WORDS = """
# An id such as plugin:name is three words to bash: joined before, and cut again afterwards.
_secretary_tui() {
  local rest=$COMP_LINE word current i at=0
  local -a joined=()
  for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
    word=${COMP_WORDS[i]}
    if ((i)) && [[ $rest != [[:space:]]* ]] &&
      [[ $word == :* || ${joined[${#joined[@]}-1]} == *: ]]; then
      joined[${#joined[@]}-1]+=$word
    else
      joined+=("$word")
    fi
    ((i == COMP_CWORD)) && at=$((${#joined[@]} - 1))
    rest=${rest#"${rest%%[![:space:]]*}"}
    rest=${rest#"$word"}
  done
  current=${joined[at]}
  local -a COMP_WORDS=("${joined[@]}")
  local COMP_CWORD=$at
  _shtab_secretary_tui
  if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then
    current=${current%"${current##*:}"}
    for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${COMPREPLY[i]#"$current"}; done
  fi
}
complete -o bashdefault -F _secretary_tui secretary-tui"""


def preamble(shell: str, verbs: Iterable[str]) -> str:
    """The functions that a shell's script calls; empty for one that takes none."""
    if shell not in _FUNCTIONS:
        return ""
    lists = {**_LISTS, "verbs": f"printf '%s\\n' {' '.join(verbs)} options"}
    functions = [
        _FUNCTIONS[shell].format(what=what, command=command) for what, command in lists.items()
    ]
    return "\n".join((*functions, _PATHS[shell]))


def finished(script: str, shell: str) -> str:
    """A script as shtab made it, with what it does not know of the shell."""
    if shell == "bash":
        return script + _BASH_WHOLE_WORDS
    # Where several may stand shtab has zsh complete the first alone.
    return script.replace('"(*)::', '"*:').replace('"(*):', '"*:') if shell == "zsh" else script


def complete_with(action: argparse.Action, what: str) -> None:
    """Let shells complete an argument.

    With `agents`, `sources`, `settings`, `models`, `verbs`, `files`, `dirs` or `models_or_files`.
    """
    function = f"_secretary_tui_{what}"
    action.complete = {  # type: ignore[attr-defined]  # shtab looks for it there.
        "bash": function,
        "zsh": function,
        "fish": f"({function})",
        "tcsh": _TCSH.get(what, ""),
    }
