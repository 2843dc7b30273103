"""Read every source of a project, parsing only what changed since the last time."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path

from secretary_tui.registry.definition.command_line_agents import (
    COMMAND_LINE,
    GivenAgentsError,
    load_given,
)
from secretary_tui.registry.definition.findings import refused
from secretary_tui.registry.definition.skill_places import (
    line_of_key,
    missing_skill_finding,
    missing_skills,
)
from secretary_tui.registry.definition.spec import (
    Command,
    Finding,
    RemotePlugin,
    Skill,
    Source,
    SourceKind,
)
from secretary_tui.registry.sources.library_options import LibraryOptions
from secretary_tui.registry.sources.pages import PageReader
from secretary_tui.registry.sources.scan import signature
from secretary_tui.registry.sources.source_files import (
    SourceFiles,
    SourceFileState,
    SourceRead,
    order_of,
)
from secretary_tui.registry.sources.sources import SourceMemory


@dataclass(frozen=True, slots=True)
class Collected:
    """What all sources gave, and where to watch for changes."""

    sources: tuple[SourceRead, ...] = ()
    findings: tuple[Finding, ...] = ()
    folders: tuple[Path, ...] = ()
    awaited: tuple[Path, ...] = ()
    skills: tuple[Skill, ...] = ()
    commands: tuple[Command, ...] = ()
    not_installed: tuple[RemotePlugin, ...] = ()
    disabled_sources: Mapping[Source, str] = field(default_factory=dict)
    disabled_agents: frozenset[str] = frozenset()
    skills_told: int = 0
    """Counts how often agents were told of other missing skills than before."""

    @property
    def agents(self) -> list[SourceFileState]:
        """Every agent, by source priority, then plugin, then name."""
        found = [state for read in self.sources for state in read.agents]
        found.sort(key=attrgetter("order"))
        return found

    @property
    def problems(self) -> tuple[Finding, ...]:
        """What is wrong with sources and with files that gave no agent, each said once."""
        found = [*self.findings, *(problem for read in self.sources for problem in read.problems)]
        return tuple(dict.fromkeys(found))


class Collector:
    """Reads the sources of one project; remembers each parsed file by its signature."""

    def __init__(self, project: Path, options: LibraryOptions) -> None:
        self.project = project
        self.options = options
        self._sources = SourceMemory(project)
        self._files: dict[Source, SourceFiles] = {}
        self._reader = PageReader()
        self._given: tuple[object, _Given] | None = None
        self._last: Collected | None = None
        self._page_folders: frozenset[str] = frozenset()
        self._skills_told = 0

    def collect(self) -> Collected:
        """Read all sources. Never raises."""
        found = self._sources.find(self.options)
        files = {}
        for source in found.sources:
            state = self._files.get(source) or SourceFiles(source, self.options.cache)
            state.only = found.only.get(source)
            state.look()
            files[source] = state
        self._files = files
        skills, skill_folders, skill_problems = self._reader.skills(found.skills)
        commands, command_folders, command_problems = self._reader.commands(found.commands)
        pages = dict.fromkeys((*skill_folders, *command_folders))
        self._page_folders = frozenset(map(str, pages))
        given = self._read_given()
        given_file = self._given[1].file if self._given else None
        folders = dict.fromkeys(path for state in files.values() for path in state.folder_paths)
        scanned = (finding for state in files.values() for finding in state.findings)
        self._last = Collected(
            (*((given,) if given else ()), *(state.read for state in files.values())),
            (*found.findings, *scanned, *skill_problems, *command_problems),
            tuple(folders | pages),
            (*((given_file,) if given_file else ()), *found.awaited),
            tuple(skills),
            tuple(commands),
            found.not_installed,
            found.disabled,
            self.options.disabled_agents,
        )
        return self._tell_missing_skills(self._last)

    def update(self, changed: Collection[str]) -> Collected | None:
        """Look at these files alone; None when one of them may change more than itself."""
        if self._last is None:
            return None
        by_folder: dict[str, list[SourceFiles]] = {}
        for state in self._files.values():
            for folder in state.folders:
                by_folder.setdefault(folder, []).append(state)
        for name in changed:
            folder = str(Path(name).parent)
            owners = by_folder.get(folder)
            if not owners or folder in self._page_folders:
                return None
            if not all(owner.update(name) for owner in owners):
                return None
        own = len(self._last.sources) - len(self._files)
        reads = (*self._last.sources[:own], *(state.read for state in self._files.values()))
        self._last = replace(self._last, sources=reads)
        return self._tell_missing_skills(self._last)

    def save(self) -> None:
        """Store what was read for the next start. Never raises."""
        for state in tuple(self._files.values()):
            state.save()

    def _read_given(self) -> SourceRead | None:
        """The agents of `--agents`, read again when the text or its file changed."""
        if not self.options.given:
            return None
        file = self._given[1].file if self._given else None
        key = (self.options.given, signature(file) if file else None)
        if self._given is None or self._given[0] != key:
            self._given = (key, _load_given(self.options.given))
            if file := self._given[1].file:
                self._given = ((self.options.given, signature(file)), self._given[1])
        return self._given[1].read

    def _tell_missing_skills(self, collected: Collected) -> Collected:
        """Add to each agent the warnings about skills that are nowhere."""
        known = {str(skill.path) for skill in collected.skills}
        for read in collected.sources:
            for state in read.agents:
                spec = state.spec
                if spec is None or (state.shown is spec and not spec.skills):
                    continue
                missing = missing_skills(spec, self.project, known)
                if state.shown is None or missing != state.missing:
                    self._skills_told += state.shown is not None
                    line = line_of_key(spec.path, "skills") if missing else None
                    told = tuple(missing_skill_finding(spec, name, line) for name in missing)
                    state.shown = replace(spec, findings=(*spec.findings, *told)) if told else spec
                    state.missing = missing
        self._last = replace(collected, skills_told=self._skills_told)
        return self._last


@dataclass(frozen=True, slots=True)
class _Given:
    read: SourceRead
    file: Path | None = None


def _load_given(text: str) -> _Given:
    try:
        given = load_given(text)
    except GivenAgentsError as error:
        read = SourceRead(Source(SourceKind.GIVEN, COMMAND_LINE))
        read.problems.append(refused(COMMAND_LINE, f"{error}; no agent is taken from it"))
        return _Given(read)
    read = SourceRead(Source(SourceKind.GIVEN, given.file or COMMAND_LINE))
    for result in given.results:
        if result.spec:
            order = order_of(result.spec)
            read.agents.append(
                SourceFileState(result.spec.path, None, result, result.spec, order=order)
            )
        else:
            read.problems += result.findings
    return _Given(read, given.file)
