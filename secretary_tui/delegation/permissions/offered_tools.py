"""Which of our tools an agent gets: the many names in real files, and those that exist here.

Real libraries spell tools in the manner of several products (`read_file`, `run_in_terminal`,
`MultiEdit`). A name that means one of ours is mapped; any other is reported, never dropped
silently and never replaced by something wider.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from secretary_tui.delegation.permissions.web_rules import unclear_parts
from secretary_tui.events import Notice
from secretary_tui.registry.definition.known_tools import is_known_tool, suggest_tool
from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.sanitize import clean_line
from secretary_tui.tool_table import (
    ALL_TOOLS,
    BASH,
    GIT_COMMIT,
    GLOB,
    GREP,
    INHERITED_TOOLS,
    MEMORY,
    READ,
    WEB_FETCH,
    canonical_names,
)

_NEGATIONS = ("-", "!", "~")
_LEADING = re.compile(r"[A-Za-z]\w*", re.A)
_EVERYTHING = frozenset(("*", "all"))
_PATTERN = re.compile(r"\s*([^()\s][^()]*?)\s*(?:\((.*)\))?\s*", re.S)


@dataclass(frozen=True, slots=True)
class OfferedTools:
    """The tools an agent gets, and what limits them."""

    names: tuple[str, ...]
    """Canonical names, in the order of `ALL_TOOLS`."""
    unknown: tuple[str, ...] = ()
    """Entries of the definition that mean none of our tools, as written."""
    restrictions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Per tool: the patterns of which a call must match one, as in `Bash(git diff:*)`."""
    denied: tuple[str, ...] = ()
    """Rules of what is refused, from patterns in `disallowedTools`, as `Bash(rm:*)`."""

    outer: tuple[Mapping[str, tuple[str, ...]], ...] = ()
    """Per caller, its restrictions: a call must fit those too."""

    def patterns(self, tool: str) -> tuple[tuple[str, ...], ...]:
        """Give the patterns for a tool, in groups; a call must match one of each group.

        Those of Read hold for searching too.
        """
        groups = []
        for restrictions in (self.restrictions, *self.outer):
            own = restrictions.get(tool, ())
            if not own and tool in (GLOB, GREP):
                own = restrictions.get(READ, ())
            if own:
                groups.append(own)
        return tuple(groups)

    def within(self, caller: OfferedTools) -> OfferedTools:
        """Give these tools as far as a caller has them too."""
        return replace(
            self,
            names=tuple(name for name in self.names if name in caller.names),
            denied=(*self.denied, *caller.denied),
            outer=(*self.outer, caller.restrictions, *caller.outer),
        )

    @property
    def notice(self) -> Notice | None:
        """One warning that names what isn't available; None when everything is."""
        if not self.unknown:
            return None
        names = ", ".join(clean_line(name)[:60] for name in self.unknown[:12])
        more = f" and {len(self.unknown) - 12} more" if len(self.unknown) > 12 else ""
        verb = "is" if len(self.unknown) == 1 else "are"
        return Notice(
            f"{names}{more} {verb} not available here; the agent runs without.", "warning"
        )


def offered_tools(spec: AgentSpec) -> OfferedTools:
    """Decide which tools an agent gets: what it lists, less what it disallows, and no others.

    No list and `*` mean `INHERITED_TOOLS`; an empty list means none. Who may run `git commit` gets
    GitCommit, since the sandbox keeps Bash from it. What can't be understood takes away.
    """
    removed, denied, _ = _read(spec.disallowed_tools)
    listed, restrictions, unknown = _read(("*",) if spec.tools is None else spec.tools)
    for _, meant in unclear_denials(spec.disallowed_tools):
        removed.update(meant)
    for entry in unknown:
        if entry.startswith(_NEGATIONS):
            removed.update(_meant_tools(entry.lstrip("".join(_NEGATIONS))))
    names = tuple(
        name
        for name in ALL_TOOLS
        if (
            name in listed
            or name in restrictions
            or _comes_along(name, listed, restrictions)
            or (name == MEMORY and bool(spec.metadata.get("memory")))
        )
        and name not in removed
        and (name != GIT_COMMIT or name in listed or BASH not in removed)
    )
    return OfferedTools(
        names,
        unknown,
        {name: patterns for name, patterns in restrictions.items() if name not in listed},
        tuple(f"{name}({one})" for name, patterns in denied.items() for one in patterns),
    )


def unclear_denials(entries: Iterable[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Give the denials that can't be understood, each with the tools it was probably about.

    `Bash(rm`, `Bash:rm` and `Bahs` are taken for the whole of Bash. A tool that is only elsewhere,
    and one of a server, is understood: it isn't here, or others see to it.
    """
    found = []
    for entry in filter(None, (text.strip() for text in entries)):
        match = _PATTERN.fullmatch(entry)
        if match and (names := canonical_names(match[1])):
            if WEB_FETCH not in names or not unclear_parts(match[2]):
                continue
        elif entry.lower() in _EVERYTHING or is_known_tool(entry):
            continue
        found.append((entry, _meant_tools(entry)))
    return tuple(found)


def _meant_tools(entry: str) -> tuple[str, ...]:
    """Guess which of our tools an entry that can't be read is about; empty when none is near."""
    leading = _LEADING.match(entry)
    if leading and (names := canonical_names(leading[0])):
        return names
    meant = suggest_tool(entry)
    return canonical_names(meant) if meant else ()


def _comes_along(
    name: str, listed: Iterable[str], restrictions: Mapping[str, tuple[str, ...]]
) -> bool:
    if name != GIT_COMMIT:
        return False
    patterns = (re.sub(r"[:*]", " ", pattern) for pattern in restrictions.get(BASH, ()))
    return BASH in listed or any(
        pattern.split() in (["git"], ["git", "commit"]) for pattern in patterns
    )


def _read(entries: Iterable[str]) -> tuple[set[str], dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Sort entries into tools named outright, patterns per tool, and unknown ones."""
    whole: set[str] = set()
    patterns: dict[str, tuple[str, ...]] = {}
    unknown: list[str] = []
    for entry in entries:
        match = _PATTERN.fullmatch(entry)
        names = canonical_names(match[1]) if match else ()
        if entry.strip().lower() in _EVERYTHING:
            whole.update(INHERITED_TOOLS)
        elif match is None or not names:
            unknown.extend([entry.strip()] if entry.strip() else [])
        elif match[2] is None or match[2].strip() in ("", "*"):
            whole.update(names)
        else:
            for name in names:
                patterns[name] = (*patterns.get(name, ()), match[2].strip())
    return whole, patterns, tuple(dict.fromkeys(unknown))
