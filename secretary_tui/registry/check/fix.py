"""Mend definition files that Claude Code skips, without changing what they say.

Quotes go around values, indented frontmatter to the margin, and line ends become the usual ones;
a file that is in order otherwise keeps the line ends it has.

A repair is planned first, so that it can be shown, and is a repair only when the mended file reads
as exactly the agent that the tolerant reader made of the old one. All else is left alone.
"""

from __future__ import annotations

import dataclasses
import difflib
import tempfile
from dataclasses import dataclass
from pathlib import Path

from secretary_tui import paths
from secretary_tui.registry.definition.claude_code import why_skipped
from secretary_tui.registry.definition.definition_file import read_definition
from secretary_tui.registry.definition.findings import noted
from secretary_tui.registry.definition.parse import at_the_margin, read_agent
from secretary_tui.registry.definition.quoting import NotQuotableError, quote_frontmatter
from secretary_tui.registry.definition.spec import AgentSpec, Finding, Source, SourceKind
from secretary_tui.registry.sources.boundary import named_boundaries

OURS_TO_MEND = frozenset({SourceKind.AGENTS_DIR, SourceKind.PROJECT, SourceKind.USER})
"""Without a path `--fix` leaves plugins and packages alone: the next update would undo it."""
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Repair:
    """What would be written to one file, and why."""

    path: Path
    before: str
    after: str
    changes: tuple[str, ...]
    """What changes, each a clause, such as `description is put in quotes`."""

    @property
    def diff(self) -> str:
        """A unified diff; changed line ends are said in its head instead of on every line."""
        rows = difflib.unified_diff(
            _with_plain_ends(self.before).removesuffix("\n").split("\n"),
            self.after.removesuffix("\n").split("\n"),
            str(self.path),
            f"{self.path} ({'; '.join(self.changes)})",
            lineterm="",
            n=2,
        )
        head = (f"--- {self.path}", f"+++ {self.path} ({'; '.join(self.changes)})")
        return "\n".join(tuple(rows) or head)

    def write(self) -> Finding | None:
        """Write the file atomically; a finding when it changed since it was planned.

        Raises:
            OSError: the file can't be written.
        """
        if self.path.read_bytes() != self.before.encode():
            message = "the file changed meanwhile, so it was left as it is; run it again"
            return noted(self.path, message, kind="not-fixed")
        paths.write_atomic(self.path, self.after)
        return None


def plan_repair(path: Path) -> Repair | Finding | None:
    """Plan the repair of one file; None when there is nothing to mend.

    A finding says why a file that isn't in order has to be mended by hand.
    """
    result = read_agent(path, _source(path))
    if result.spec is None:
        return None  # Validation says why; there is no agent whose meaning could be kept.
    before = _text(path)
    if isinstance(before, Finding):
        return before
    after, line_ends = _mend_line_ends(before)
    changes = line_ends
    if why_skipped(after) is None and not result.rescued:
        return None
    if (moved := at_the_margin(after)) is not None:
        after = moved
        changes += ("the frontmatter goes to the left margin",)
    elif after[:1].isspace():
        after = after.lstrip()
        changes += ("the blank lines above the frontmatter go",)
    skip = why_skipped(after)
    if skip is not None and skip.is_yaml_fault:
        try:
            after, keys = quote_frontmatter(after)
        except NotQuotableError as error:
            return _left(path, str(error))
        changes += tuple(f"{key} is put in quotes" for key in keys)
    elif result.rescued and moved is None:
        return _left(path, "more than quotes and line ends is wrong with it")
    if after == before or changes == line_ends:
        return None
    if _reread(path, after) != _essence(result.spec):
        return _left(path, "it would read differently afterwards")
    return Repair(path, before, after, changes)


def _text(path: Path) -> str | Finding:
    """What the file holds, exactly; a finding when it must not be written."""
    if not paths.stays_inside(path, *named_boundaries(path.parent)):
        return _left(path, "it is a link that leads elsewhere; mend the file it leads to")
    definition = read_definition(path)
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return _left(path, "it is not UTF-8 text; save it as UTF-8 first")
    return definition if isinstance(definition, Finding) else text


def _mend_line_ends(text: str) -> tuple[str, tuple[str, ...]]:
    changes = []
    if text.startswith(_BYTE_ORDER_MARK):
        changes.append("the byte order mark is removed")
    windows = text.count("\r\n")
    if windows:
        changes.append(f"CR LF becomes LF on {windows:,} line{'s'[: windows != 1]}")
    if old := text.count("\r") - windows:
        changes.append(f"CR becomes LF on {old:,} line{'s'[: old != 1]}")
    plain = _with_plain_ends(text)
    if plain and not plain.endswith("\n"):
        changes.append("the last line is ended")
        plain += "\n"
    return plain, tuple(changes)


def _with_plain_ends(text: str) -> str:
    return text.removeprefix(_BYTE_ORDER_MARK).replace("\r\n", "\n").replace("\r", "\n")


def _reread(path: Path, text: str) -> AgentSpec | None:
    """What a file of this name with this text gives when it is read strictly."""
    skip = why_skipped(text)
    if skip is not None and skip.is_yaml_fault:
        return None
    with tempfile.TemporaryDirectory(prefix="secretary-") as folder:
        copy = Path(folder) / path.name
        copy.write_text(text, encoding="utf-8", newline="")
        result = read_agent(copy, _source(path))
    if result.spec is None or result.rescued:
        return None
    return _essence(dataclasses.replace(result.spec, path=path))


def _essence(spec: AgentSpec) -> AgentSpec:
    """The agent without its findings and its file's hash, for comparing what two files mean."""
    return dataclasses.replace(spec, findings=(), content_hash="")


def _source(path: Path) -> Source:
    return Source(SourceKind.AGENTS_DIR, path.parent)


def _left(path: Path, why: str) -> Finding:
    message = f"the file was left as it is, because {why}"
    return noted(path, message, kind="not-fixed")
