"""What is wrong with definition files, for `agents validate` and whoever asks before using them.

Stricter than reading: reading loads whatever can be loaded, this tells an author everything that
would surprise them, and which files Claude Code passes over. Nothing here raises.
"""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from secretary_tui import paths
from secretary_tui.paths import PROJECT_CONFIG
from secretary_tui.registry.agent_index import AgentIndex
from secretary_tui.registry.check.checks import check_agent
from secretary_tui.registry.check.fix import OURS_TO_MEND, Repair, plan_repair
from secretary_tui.registry.check.overlap import find_overlaps
from secretary_tui.registry.check.owners import Owner, owner_of
from secretary_tui.registry.definition.claude_code import why_skipped
from secretary_tui.registry.definition.definition_file import read_definition
from secretary_tui.registry.definition.findings import noted, quoted, refused, skipped_silently
from secretary_tui.registry.definition.parse import ParseResult, read_agent
from secretary_tui.registry.definition.rescue import KEY
from secretary_tui.registry.definition.spec import (
    AgentSpec,
    AgentStatus,
    Finding,
    Severity,
    SourceKind,
)
from secretary_tui.registry.sources.scan import scan
from secretary_tui.settings import DEFAULT_MODEL_ALIASES

PROJECT_AGENTS = Path(".claude") / "agents"
_NO_AGENTS = frozenset({"commands", "skills", "output-styles", "hooks"})
"""Folders of a plugin or project whose markdown is something else."""


@dataclass(frozen=True, slots=True)
class Validation:
    """What a check found."""

    findings: tuple[Finding, ...]
    """By path and line, each once."""
    agents: int
    """Files that give an agent."""
    passed: tuple[Path, ...] = ()
    """Files without frontmatter, passed over."""

    def count(self, severity: Severity) -> int:
        """How many findings have exactly this severity."""
        return sum(finding.severity is severity for finding in self.findings)

    @property
    def silent(self) -> int:
        """How many files Claude Code would skip without a word."""
        return len({finding.path for finding in self.findings if finding.silent})


def validate_files(
    given: Iterable[Path], aliases: Collection[str] = tuple(DEFAULT_MODEL_ALIASES)
) -> Validation:
    """Check files, and folders with all below.

    In a folder a file without frontmatter is documentation; named itself it is an error.
    """
    check = _Check(aliases)
    for path in given:
        place = paths.with_home(path).absolute()
        if place.is_dir():
            files, findings = agent_files(place)
            check.findings += findings
            for file in files:
                check.file(file, place, named=False)
        else:
            check.file(place, place.parent, named=True)
    return check.finish()


def validate_index(
    index: AgentIndex, aliases: Collection[str] = tuple(DEFAULT_MODEL_ALIASES)
) -> Validation:
    """Check every agent of an index; of two with one id the shadowed one is told by whom."""
    check = _Check(aliases)
    check.findings += index.problems
    check.findings += [finding for skill in index.skills for finding in skill.findings]
    check.findings += [finding for command in index.commands for finding in command.findings]
    for entry in index.entries:
        spec = entry.spec
        active = entry.status is AgentStatus.ACTIVE
        check.agent(spec, spec.findings, can_be_chosen=active)
        if entry.status is AgentStatus.SHADOWED:
            message = f"the agent is hidden by {entry.shadowed_by}, which has the same name"
            line = field_line(spec.path, "name")
            check.findings.append(noted(spec.path, message, line, kind="shadowed"))
    check.passed = [path for report in index.sources for path in report.passed]
    return check.finish()


def validate_agents(
    specs: Iterable[AgentSpec], aliases: Collection[str] = tuple(DEFAULT_MODEL_ALIASES)
) -> Validation:
    """Check agents that were read or made elsewhere, alone and against each other."""
    check = _Check(aliases)
    for spec in specs:
        check.agent(spec, spec.findings)
    return check.finish()


def agent_files(folder: Path) -> tuple[tuple[Path, ...], list[Finding]]:
    """The files below a folder that may be agents, a project's `.claude/agents` included."""
    listing = scan(folder)
    inner = scan(folder / PROJECT_AGENTS)
    files = {
        file
        for file in listing.files
        if file.name != PROJECT_CONFIG.name  # Our own settings.
        and (
            "agents" in (below := file.relative_to(folder).parts[:-1])
            or not _NO_AGENTS.intersection(below)
        )
    }
    findings = [*listing.findings, *inner.findings]
    if not listing.files and not inner.files and not findings:
        findings = [noted(folder, "there is no .md file in this folder")]
    return tuple(sorted(files | set(inner.files))), findings


def field_line(path: Path, key: str) -> int | None:
    """The line of a top-level field, found by looking: a spec keeps none."""
    definition = read_definition(path)
    if isinstance(definition, Finding):
        return None
    return _lines_of(definition.text).get(key)


def _lines_of(text: str) -> dict[str, int]:
    """The line (from 1) of every field of the frontmatter; of one given twice, the first."""
    lines: dict[str, int] = {}
    fences = 0
    for number, row in enumerate(text.split("\n"), 1):
        fences += row.strip().startswith("---")
        if fences > 1:
            break
        if match := KEY.match(row.lstrip()):
            lines.setdefault(match[1], number)
    return lines


@dataclass(slots=True)
class _Check:
    """Gathers findings over all files, then those between files."""

    aliases: Collection[str]
    findings: list[Finding] = field(default_factory=list)
    agents: int = 0
    passed: list[Path] = field(default_factory=list)
    _compared: list[AgentSpec] = field(default_factory=list)
    _seen: set[Path] = field(default_factory=set)
    _owners: dict[Path, Owner] = field(default_factory=dict)
    _duplicates: list[tuple[Owner, AgentSpec]] = field(default_factory=list)

    def file(self, file: Path, named_folder: Path, *, named: bool) -> None:
        if file in self._seen:
            return
        self._seen.add(file)
        owner = self._owners.get(file.parent)
        if owner is None:
            owner = self._owners[file.parent] = owner_of(file.parent, named_folder)
        result = read_agent(file, owner.source, owner.namespace)
        if result.spec:
            self.agent(result.spec, result.findings)
            self._duplicates.append((owner, result.spec))
        elif result.findings:
            self.findings += result.findings if owner.dialect else _marked(file, result)
        elif named:
            message = "there is no frontmatter: start the file with --- and name: and ---"
            self.findings.append(refused(file, message, 1))
        else:
            self.passed.append(file)

    def agent(
        self, spec: AgentSpec, findings: Iterable[Finding], *, can_be_chosen: bool = True
    ) -> None:
        self.agents += 1
        if can_be_chosen:
            self._compared.append(spec)
        self.findings += findings
        definition = read_definition(spec.path)
        if isinstance(definition, Finding):  # Given as JSON, made in code, or gone since.
            self.findings += check_agent(spec, lambda _: None, self.aliases)
            return
        self.findings += check_agent(spec, _lines_of(definition.text).get, self.aliases)
        if spec.source.kind is SourceKind.GIVEN or spec.source.dialect:
            return  # Not Claude Code's to read.
        if skip := why_skipped(definition.text):
            mends = isinstance(plan_repair(spec.path), Repair)
            path = "" if spec.source.kind in OURS_TO_MEND else f" {shlex.quote(str(spec.path))}"
            advice = f"; `agents validate --fix{path}` can mend it" if mends else ""
            message = f"Claude Code skips this file without a word, because {skip.reason}{advice}"
            self.findings.append(skipped_silently(spec.path, message, skip.line))

    def finish(self) -> Validation:
        self.findings += _taken_names(self._duplicates)
        self.findings += _overlaps(self._compared)
        unique = dict.fromkeys(self.findings)
        ordered = sorted(unique, key=lambda found: (str(found.path), found.line or 0))
        return Validation(tuple(ordered), self.agents, tuple(self.passed))


def _marked(file: Path, result: ParseResult) -> Iterator[Finding]:
    """The reasons why a file gives no agent; Claude Code says nothing about such a file."""
    definition = read_definition(file)
    silent = not isinstance(definition, Finding) and why_skipped(definition.text) is not None
    for finding in result.findings:
        yield dataclasses.replace(finding, silent=silent)


def _taken_names(agents: Iterable[tuple[Owner, AgentSpec]]) -> Iterator[Finding]:
    first: dict[tuple[Path, str], AgentSpec] = {}
    for owner, spec in agents:
        other = first.setdefault((owner.root, spec.id.casefold()), spec)
        if other is not spec and other.path.resolve() != spec.path.resolve():
            message = f"the name {quoted(spec.name)} is taken by {other.path}; only one can be used"
            line = field_line(spec.path, "name")
            yield noted(spec.path, message, line, kind="duplicate-name")


def _overlaps(specs: Iterable[AgentSpec]) -> Iterator[Finding]:
    for overlap in find_overlaps(specs):
        spec, other = overlap.spec, overlap.other
        message = (
            f"the description says nothing that {quoted(other.id)} ({other.path}) does not say: "
            "no request can tell them apart; name what only this agent is for"
        )
        line = field_line(spec.path, "description")
        yield noted(spec.path, message, line, kind="overlap")
