"""What a small model asks for before it answers: a file, a definition or a search.

A grammar binds it, so that it can only name files that exist.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

MOST_FILES = 60
"""Files that are listed for the model, and that it can ask for."""
_NEED = re.compile(r"NEED (FILE|SYMBOL|SEARCH) (.+)")


NEED_FORM = (
    "If you can't do this without something of the project that is not shown, write only one "
    "line: NEED FILE path, NEED SYMBOL name, or NEED SEARCH words."
)
_MISSING = re.compile(
    r"\bI (?:can ?not|can't|am unable|do not|don't|need|would need)\b(?! to change)"
    r"|\b(?:is|are|was|were)(?: not|n't) (?:shown|provided|given|included|visible)\b"
    r"|\bnot enough (?:information|context|code)\b|\bplease (?:provide|share|show|paste)\b"
    r"|\bwithout (?:seeing|more|access)\b",
    re.I,
)
_READ = 240
"""Characters at the beginning of an answer in which it says that something is missing."""


class NeedOf(StrEnum):
    """The kinds of what can be missing."""

    FILE = "FILE"
    SYMBOL = "SYMBOL"
    SEARCH = "SEARCH"


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that the model asks for."""

    kind: NeedOf
    name: str


def need_grammar(files: Sequence[str], *, must: bool = False) -> str:
    """Give the grammar of an answer, or of one need; with `must` only of a need."""
    paths = " | ".join(json.dumps(path, ensure_ascii=False) for path in files[:MOST_FILES])
    kinds = ['"SYMBOL " [A-Za-z_] [A-Za-z0-9_.]*', '"SEARCH " [^ \\t\\n] [^\\n]*']
    if paths:
        kinds.insert(0, f'"FILE " ({paths})')
    need = f'need ::= "NEED " ({" | ".join(kinds)})'
    answer = 'answer ::= ([^N] | "N" [^E]) [^\\x00]*'
    return need.replace("need", "root", 1) if must else f"root ::= need | answer\n{need}\n{answer}"


def read_need(answer: str) -> Need | None:
    """Read what an answer says is missing; None where it answers."""
    found = _NEED.match(answer.strip())
    return Need(NeedOf(found[1]), found[2].strip()) if found else None


def but_needs(answer: str) -> str:
    """Return what the user sees of an answer so far: nothing where it asks for something."""
    return "" if answer.startswith("NEED ") or "NEED ".startswith(answer) else answer


def says_missing(answer: str) -> bool:
    """Whether an answer begins by saying that it can't be given from what is shown."""
    return bool(_MISSING.search(answer[:_READ]))
