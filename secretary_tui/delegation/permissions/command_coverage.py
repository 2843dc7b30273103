"""What of a command is covered by allow rules, part for part, and why the rest is not.

Every simple command of a compound must match a rule, every redirect is a reading or writing of its
file, and what can't be told is covered by nothing. `with_gaps` says so in the terms of the prompt:
sentences, and marks in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from secretary_tui.delegation.permissions.rules import BLANKS, Rule, covers_words
from secretary_tui.delegation.permissions.shell_grammar import Script, SimpleCommand, read_script
from secretary_tui.people import ToolRequest
from secretary_tui.sanitize import clean_line, reveal
from secretary_tui.tool_table import BASH

_MOVES = frozenset(("cd", "pushd", "popd"))
_SHOWN = 60
_MAX_REASONS = 4

FileCheck = Callable[[str, bool], str]
"""Says why a file may not be read (False) or written (True) unasked; empty when it may."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A part of a command that nothing covers. Offsets are characters of the command."""

    why: str
    start: int
    end: int


def gaps(command: str, rules: Iterable[Rule], check_file: FileCheck) -> tuple[Gap, ...]:
    """Give the parts that no allow rule covers, in order; none when the whole command is."""
    patterns = [rule.pattern for rule in rules if rule.tool == BASH]
    if command.strip(BLANKS) in patterns:
        return ()
    if not patterns:
        return (Gap("no rule allows commands", 0, len(command)),)
    script = read_script(command)
    found = [Gap(part.why, part.start, part.end) for part in script.unclear]
    found += _of_commands(command, script, patterns, check_file)
    left_at = next((c.end for c in script.commands if c.words[0] in _MOVES), None)
    for redirect in script.redirects:
        moved = left_at is not None and redirect.start > left_at
        why = "in another folder" if moved else check_file(redirect.target, redirect.writes)
        if why:
            found.append(Gap(why, redirect.start, redirect.end))
    return tuple(sorted(found, key=lambda gap: gap.start))


def _of_commands(
    command: str, script: Script, patterns: Sequence[str | None], check_file: FileCheck
) -> Iterable[Gap]:
    moved = False
    for part in script.commands:
        if why := _why_uncovered(command, part, patterns, check_file):
            yield Gap(why, part.start, part.end)
        elif moved:
            yield Gap("in another folder", part.start, part.end)
        moved |= part.words[0] in _MOVES


def _why_uncovered(
    command: str, part: SimpleCommand, patterns: Sequence[str | None], check_file: FileCheck
) -> str:
    text = command[part.start : part.end]
    if not any(text == pattern or covers_words(pattern, part.words) for pattern in patterns):
        name = clean_line(part.words[0])[:_SHOWN]
        return (
            f"no rule allows this of `{name}`"
            if _is_named(part, patterns)
            else (f"no rule allows `{name}`")
        )
    return next(filter(None, (check_file(word, False) for word in _paths(part))), "")


def _is_named(part: SimpleCommand, patterns: Sequence[str | None]) -> bool:
    return any(pattern is None or pattern.split()[:1] == [part.words[0]] for pattern in patterns)


def _paths(part: SimpleCommand) -> Iterable[str]:
    """Give the arguments that may name a file, also behind `--option=`."""
    for word in part.words[1:]:
        if word and not word.startswith("-"):
            yield word
        if "=" in word:
            yield word.partition("=")[2]


def with_gaps(request: ToolRequest, command: str, gaps: Sequence[Gap]) -> ToolRequest:
    """Add to a request which parts of its command no rule covers, and why."""
    if not gaps or request.detail != reveal(command):
        return request
    marks = [(_shown_at(command, gap.start), _shown_at(command, gap.end)) for gap in gaps]
    reasons = [f"{gap.why}: {_excerpt(command, gap)}" for gap in gaps[:_MAX_REASONS]]
    if len(gaps) > _MAX_REASONS:
        reasons.append(f"and {len(gaps) - _MAX_REASONS} more parts")
    return replace(request, marks=tuple(marks), reasons=tuple(reasons))


def _shown_at(command: str, place: int) -> int:
    """Where a character of a command stands in what is shown: hidden ones take more room there."""
    return len(reveal(command[:place]))


def _excerpt(command: str, gap: Gap) -> str:
    text = clean_line(reveal(command[gap.start : gap.end]))
    return f"`{text if len(text) <= _SHOWN else text[: _SHOWN - 1] + '…'}`"
