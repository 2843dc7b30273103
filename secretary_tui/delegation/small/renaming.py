"""A rename that a task spells out, done word by word: no model is needed for it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

_NAME = r"[`\"']?([A-Za-z_$][\w$.#-]*?(?:\(\))?)[`\"']?"
_RENAME = re.compile(
    rf"\brename\s+(?:(?:the|all|every|each|uses?|usages?|of)\s+)*(?:\w+\s+)??{_NAME}\s+"
    rf"(?:to|into|as|->|→|=>)\s+{_NAME}(?=[.,;:!?)]*(?:\s|\Z))",
    re.I,
)
_CALL = re.compile(r"\(\)\Z")


@dataclass(frozen=True, slots=True)
class Rename:
    """One name that becomes another one."""

    old: str
    new: str

    def pattern(self) -> re.Pattern[str]:
        """Match the old name as a whole word."""
        return re.compile(rf"(?<![\w$-]){re.escape(self.old)}(?![\w$-])")

    def apply(self, text: str) -> str:
        """Give the text with the new name."""
        return self.pattern().sub(lambda _: self.new, text)


def rename_in(task: str, files: Collection[str]) -> Rename | None:
    """Read a rename of a name in code or configuration; None where none is spelled out.

    Of a dotted name (`Item.total`) the last part is renamed. To rename one of the project's
    `files` is something else.
    """
    found = _RENAME.search(task)
    if found is None:
        return None
    old, new = (_CALL.sub("", name) for name in found.groups())
    if old in files or any(path.endswith(f"/{old}") for path in files):
        return None
    rename = Rename(old.rpartition(".")[2], new.rpartition(".")[2])
    return rename if rename.old and rename.new and rename.old != rename.new else None
