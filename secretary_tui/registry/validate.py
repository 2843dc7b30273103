"""What is wrong with definition files, for `agents validate PATH…`.

Stricter than reading: reading loads whatever can be loaded, this tells an author everything that
would surprise them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from secretary_tui.registry.findings import noted, quoted, refused
from secretary_tui.registry.parse import read_agent
from secretary_tui.registry.scan import scan
from secretary_tui.registry.spec import AgentSpec, Finding, Source, SourceKind
from secretary_tui.registry.tools import is_known_tool, suggest_tool

_NEAR_FIELDS = {
    "tool": "tools", "allowed-tools": "tools", "allowedTools": "tools", "allowed_tools": "tools",
    "disallowed-tools": "disallowedTools", "disallowed_tools": "disallowedTools",
    "skill": "skills", "max_turns": "maxTurns", "max-turns": "maxTurns", "colour": "color",
    "permission-mode": "permissionMode", "permission_mode": "permissionMode", "desc": "description",
}  # fmt: skip


def validate_paths(paths: Iterable[Path]) -> tuple[Finding, ...]:
    """Check files, and folders with all below; findings by path and line. Never raises.

    In a folder a file without frontmatter is documentation; named itself it is an error.
    """
    findings: list[Finding] = []
    specs: dict[Path, AgentSpec] = {}
    for path in paths:
        place = path.expanduser().absolute()
        source = Source(SourceKind.AGENTS_DIR, place if place.is_dir() else place.parent)
        files: tuple[Path, ...] = (place,)
        if place.is_dir():
            listing = scan(place)
            files = listing.files
            findings += listing.findings
            if not files:
                findings.append(noted(place, "there is no .md file in this folder"))
        for file in files:
            if file in specs:
                continue
            result = read_agent(file, source)
            findings += result.findings
            if result.spec:
                specs[file] = result.spec
                findings += _check(result.spec)
            elif result.is_documentation and file == place:
                message = "there is no frontmatter: start the file with --- and name: and ---"
                findings.append(refused(file, message, 1))
    findings += _duplicates(specs.values())
    unique = dict.fromkeys(findings)
    return tuple(sorted(unique, key=lambda finding: (str(finding.path), finding.line or 0)))


def _check(spec: AgentSpec) -> Iterable[Finding]:
    if not spec.prompt:
        yield noted(spec.path, "there is no text below the frontmatter: the agent has no prompt")
    for key, entries in (("tools", spec.tools), ("disallowedTools", spec.disallowed_tools)):
        for entry in entries or ():
            if not is_known_tool(entry):
                meant = suggest_tool(entry)
                advice = f"did you mean {meant}?" if meant else "the agent won't get it"
                yield noted(
                    spec.path,
                    f"{key}: {quoted(entry)} is no known tool; {advice}",
                    _line(spec, key),
                )
    for key, right in _NEAR_FIELDS.items():
        if key in spec.metadata:
            message = f"the field {quoted(key)} has no effect; did you mean {right}?"
            yield noted(spec.path, message, _line(spec, key))


def _line(spec: AgentSpec, key: str) -> int | None:
    """The line of a top-level key, found by looking: a spec keeps none."""
    try:
        with spec.path.open(encoding="utf-8", errors="replace") as file:
            for number, text in enumerate(file, 1):
                if text.startswith(f"{key}:"):
                    return number
    except OSError:
        pass
    return None


def _duplicates(specs: Iterable[AgentSpec]) -> Iterable[Finding]:
    first: dict[str, AgentSpec] = {}
    for spec in specs:
        other = first.setdefault(spec.name.casefold(), spec)
        if other is not spec:
            message = f"the name {quoted(spec.name)} is taken by {other.path}; only one can be used"
            yield noted(spec.path, message, _line(spec, "name"))
