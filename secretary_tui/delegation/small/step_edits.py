"""Turns what the model wrote for a step into a call of Edit or Write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from secretary_tui.delegation.lookup.definitions import definitions_in
from secretary_tui.delegation.small.change_steps import ChangeStep, StepKind
from secretary_tui.delegation.small.doc_comments import with_comment
from secretary_tui.delegation.small.edit_blocks import read_block, read_code
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
    lines = text.removesuffix("\n").split("\n")
    match step.kind:
        case StepKind.COMMENT if step.shown:
            old = step.shown.text.split("\n")
            at, count = step.shown.first_line - 1, len(old)
            new = with_comment(step.path, old, answer)
        case StepKind.ADD:
            at, count, new = _added(step, answer, lines)
        case _:
            at, count, new = _replaced(step, answer, lines)
    if lines[at : at + count] == new:
        raise UnusableBlockError("It changes nothing.")
    edit = replacing(step.path, lines, at, count, new)
    _check(step.path, text.replace(edit.input["old_string"], edit.input["new_string"], 1), text)
    return edit


def replacing(path: str, lines: Sequence[str], at: int, count: int, new: Sequence[str]) -> StepEdit:
    """Replace `count` of a file's lines from `at` (from 0) on.

    Lines around them go along where they would not name one place.
    """
    first, behind, whole = at, at + count, "\n".join(lines)
    while True:
        # What ends the last line of a file isn't known.
        end = [""] if behind < len(lines) else []
        old_string = "\n".join([*lines[first:behind], *end])
        new_string = "\n".join([*lines[first:at], *new, *lines[at + count : behind], *end])
        is_all = first == 0 and behind == len(lines)
        leaves_a_line = not (new or end) and first == at
        if is_all or (whole.find(old_string) == whole.rfind(old_string) and not leaves_a_line):
            given = {"file_path": path, "old_string": old_string, "new_string": new_string}
            return StepEdit(EDIT, given)
        first, behind = (first - 1, behind) if first else (first, behind + 1)


def _replaced(step: ChangeStep, answer: str, lines: list[str]) -> tuple[int, int, list[str]]:
    """Which lines a block replaces, from where (from 0) and how many, and by what."""
    block = read_block(answer)
    if block is None:
        raise UnusableBlockError("It was too long. Replace fewer lines.")
    old, new = (part.split("\n")[:-1] for part in (block.old, block.new))
    first = step.shown.first_line - 1 if step.shown else 0
    for at in range(first, len(lines)):
        if lines[at : at + len(old)] == old:
            return at, len(old), new
    raise UnusableBlockError("The file has no such lines.")


def _added(step: ChangeStep, answer: str, lines: list[str]) -> tuple[int, int, list[str]]:
    """Put new code at the end of the file, but above `if __name__ == "__main__"`."""
    code = _only_new(step, read_code(answer), lines)
    if not code:
        raise UnusableBlockError(f"It holds no definition of {step.name}.")
    for at, line in enumerate(lines):
        if line.startswith(_MAIN):
            return at, 1, [*code, "", "", line]
    last = max((at for at, line in enumerate(lines) if line.strip()), default=0)
    return last, len(lines) - last, [lines[last], "", "", *code]


def _only_new(step: ChangeStep, code: str, held: list[str]) -> list[str]:
    """Leave out what the file has: models like to write all of it again."""
    lines = code.rstrip().split("\n")
    known = {one.name for one in definitions_in(step.path, held)}
    found = [
        one for one in definitions_in(step.path, lines) if not lines[one.first - 1][:1].isspace()
    ]
    if not any(one.name == step.name for one in found):
        return []
    gone = {
        number for one in found if one.name in known for number in range(one.first - 1, one.last)
    }
    gone |= {n for n, line in enumerate(lines) if line.startswith(_IMPORTS) and line in held}
    kept = [line for n, line in enumerate(lines) if n not in gone]
    return "\n".join(kept).strip("\n").split("\n")


def _check(path: str, after: str, before: str) -> None:
    """Refuse a text that breaks a file which was sound."""
    if not after.strip():
        raise UnusableBlockError("It would leave the file empty.")
    fault = syntax_fault(path, after)
    if fault and not (before and syntax_fault(path, before)):
        raise UnusableBlockError(f"The file would be broken: {fault}.")
