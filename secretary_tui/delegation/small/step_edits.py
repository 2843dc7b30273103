"""Turns what the model wrote for a step into a call of Edit or Write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from secretary_tui.delegation.lookup.definitions import definitions_in
from secretary_tui.delegation.small.change_steps import ChangeStep, StepKind
from secretary_tui.delegation.small.doc_comments import with_comment
from secretary_tui.delegation.small.edit_blocks import (
    lines_to_be_unique,
    read_block,
    read_code,
)
from secretary_tui.delegation.small.syntax import syntax_fault
from secretary_tui.tool_table import EDIT, WRITE

_MAIN = "if __name__ == "
_IMPORTS = ("import ", "from ")


class UnusableBlockError(Exception):
    """What the model wrote can't be applied; the message tells it why."""


@dataclass(frozen=True, slots=True)
class StepEdit:
    """One change of a file, as a call of a tool."""

    tool: str
    input: Mapping[str, Any]


def edit_for(step: ChangeStep, answer: str, text: str) -> StepEdit:
    """Give the call that a step's answer amounts to; `text` is all of the file as it is.

    Raises:
        UnusableBlockError: the answer was cut off, changes nothing or breaks the file.
    """
    if step.kind is StepKind.CREATE:
        made = read_code(answer).rstrip() + "\n"
        _check(step.path, made, "")
        return StepEdit(WRITE, {"file_path": step.path, "content": made})
    match step.kind:
        case StepKind.COMMENT if step.shown:
            old = step.shown.text
            new = with_comment(step.path, old, answer) or old
        case StepKind.ADD:
            old, new = _added(step, answer, text)
        case _:
            old, new = _replaced(answer, text)
    if old == new:
        raise UnusableBlockError("It changes nothing.")
    if new.endswith("\n") and text.count(old.removesuffix("\n")) == 1:
        # The last line of a file may have no end.
        old, new = old.removesuffix("\n"), new.removesuffix("\n")
    _check(step.path, text.replace(old, new, 1), text)
    given = {"file_path": step.path, "old_string": old, "new_string": new}
    return StepEdit(EDIT, given)


def _replaced(answer: str, text: str) -> tuple[str, str]:
    block = read_block(answer, text)
    if block is None:
        raise UnusableBlockError("It was too long. Replace fewer lines.")
    return block.old, block.new


def _added(step: ChangeStep, answer: str, text: str) -> tuple[str, str]:
    """Put new code at the end of the file, but above `if __name__ == "__main__"`."""
    code = _only_new(step, read_code(answer), text)
    if not code:
        raise UnusableBlockError(f"It holds no definition of {step.name}.")
    lines = text.removesuffix("\n").split("\n")
    at = next((n for n, line in enumerate(lines) if line.startswith(_MAIN)), len(lines))
    if at < len(lines):
        anchor = f"{lines[at]}\n"
        return anchor, f"{code}\n\n\n{anchor}"
    backwards = range(len(lines) - 1, -1, -1)
    first = next((n for n in backwards if lines_to_be_unique(lines, n)), 0)
    anchor = "\n".join(lines[first:]) + "\n"
    return anchor, f"{anchor.rstrip()}\n\n\n{code}\n"


def _only_new(step: ChangeStep, code: str, text: str) -> str:
    """Leave out what the file has: models like to write all of it again."""
    lines = code.rstrip().split("\n")
    known = {one.name for one in definitions_in(step.path, text.split("\n"))}
    found = [
        one for one in definitions_in(step.path, lines) if not lines[one.first - 1][:1].isspace()
    ]
    if not any(one.name == step.name for one in found):
        return ""
    gone = {
        number for one in found if one.name in known for number in range(one.first - 1, one.last)
    }
    held = set(text.split("\n"))
    gone |= {n for n, line in enumerate(lines) if line.startswith(_IMPORTS) and line in held}
    return "\n".join(line for n, line in enumerate(lines) if n not in gone).strip("\n")


def _check(path: str, after: str, before: str) -> None:
    """Refuse a text that breaks a file which was sound."""
    if not after.strip():
        raise UnusableBlockError("It would leave the file empty.")
    fault = syntax_fault(path, after)
    if fault and not (before and syntax_fault(path, before)):
        raise UnusableBlockError(f"The file would be broken: {fault}.")
