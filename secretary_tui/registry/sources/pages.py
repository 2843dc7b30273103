"""Skills and commands: markdown files whose frontmatter is all optional.

A skill is `<folder>/<name>/SKILL.md` and named by its folder; a command is any markdown file below
`commands/`, and its sub-folders are part of its name.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from secretary_tui.registry.definition.definition_file import read_definition
from secretary_tui.registry.definition.fields import safe_name
from secretary_tui.registry.definition.misspelt import WORKFLOW_KEYS, Keys
from secretary_tui.registry.definition.parse import first_sentence, load_values, take_apart
from secretary_tui.registry.definition.spec import PRIORITY, Command, Finding, Skill, Source
from secretary_tui.registry.sources.boundary import keeper
from secretary_tui.registry.sources.places import PageFolder
from secretary_tui.registry.sources.scan import SETTLED_NS, Signature, list_tree, signature
from secretary_tui.sanitize import clean_line

SKILL_FILE = "SKILL.md"
_MAX_DESCRIPTION = 5_000


@dataclass(frozen=True, slots=True)
class NamedPage:
    """What a skill's or command's file says about itself."""

    description: str = ""
    argument_hint: str = ""
    findings: tuple[Finding, ...] = ()
    readable: bool = True


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of a page folder, not yet read."""

    path: Path
    signature: Signature | None
    id: str


class PageReader:
    """Reads pages and remembers each by its signature."""

    def __init__(self) -> None:
        self._read: dict[Path, tuple[Signature | None, NamedPage]] = {}

    def skills(self, places: Iterable[PageFolder]) -> tuple[list[Skill], list[Path], list[Finding]]:
        """The skills of all folders, the folders to watch, and what can't be read."""
        pages, folders, problems = self._collect(places, find_skills)
        skills = [
            Skill(file.id, page.description, source, file.path, page.findings)
            for file, source, page in pages
        ]
        return sorted(skills, key=_skill_order), folders, problems

    def commands(
        self, places: Iterable[PageFolder]
    ) -> tuple[list[Command], list[Path], list[Finding]]:
        """The commands of all folders, the folders to watch, and what can't be read."""
        pages, folders, problems = self._collect(places, find_commands)
        commands = [
            Command(
                *(file.id, page.description, source, file.path, page.argument_hint, page.findings)
            )
            for file, source, page in pages
        ]
        return sorted(commands, key=_command_order), folders, problems

    def _collect(
        self,
        places: Iterable[PageFolder],
        find: Callable[[PageFolder], tuple[list[PageFile], list[Path]]],
    ) -> tuple[list[tuple[PageFile, Source, NamedPage]], list[Path], list[Finding]]:
        found: dict[Path, tuple[PageFile, Source, NamedPage]] = {}
        folders: list[Path] = []
        problems: list[Finding] = []
        for place in places:
            files, watched = find(place)
            folders += watched
            for file in files:
                page = self._page(file, problems)
                if page.readable:
                    found.setdefault(file.path, (file, place.source, page))
        return list(found.values()), folders, problems

    def _page(self, file: PageFile, problems: list[Finding]) -> NamedPage:
        known = self._read.get(file.path)
        if known is None or known[0] is None or known[0] != file.signature:
            page = read_page(file.path)
            stamp = file.signature
            settled = stamp is not None and time.time_ns() - stamp[0] > SETTLED_NS
            known = (stamp if settled else None, page)
            self._read[file.path] = known
        if not known[1].readable:
            problems += known[1].findings
        return known[1]


def find_skills(place: PageFolder) -> tuple[list[PageFile], list[Path]]:
    """The skills of a folder, and the folders to watch; a folder with a SKILL.md is one itself."""
    folder = place.folder
    own = signature(folder / SKILL_FILE)
    if own is not None:
        return list(_named(place, [(folder / SKILL_FILE, own, folder.name)])), [folder]
    try:
        below = sorted(path for path in folder.iterdir() if path.name[0] != "." and path.is_dir())
    except OSError:
        return [], []
    found = [(path / SKILL_FILE, signature(path / SKILL_FILE), path.name) for path in below]
    there = [(path, stamp, name) for path, stamp, name in found if stamp is not None]
    return list(_named(place, there)), [folder, *below]


def find_commands(place: PageFolder) -> tuple[list[PageFile], list[Path]]:
    """The commands of a folder at any depth, and the folders to watch."""
    folder = place.folder
    if folder.suffix.lower() == ".md" and (own := signature(folder)) is not None:
        return list(_named(place, [(folder, own, folder.stem)])), [folder.parent]
    listing = list_tree(folder, keeper(place.source))
    found = []
    for name, stamp in sorted(listing.files.items()):
        path = Path(name)
        parts = path.relative_to(folder).with_suffix("").parts
        found.append((path, stamp, ":".join(filter(None, map(safe_name, parts)))))
    return list(_named(place, found)), list(map(Path, listing.folders))


def read_page(path: Path) -> NamedPage:
    """Read what a page says about itself. Never raises."""
    definition = read_definition(path)
    if isinstance(definition, Finding):
        return NamedPage(findings=(definition,), readable=False)
    page = take_apart(path, definition.text)
    if isinstance(page, Finding):
        return NamedPage(findings=(page,), readable=False)
    values = load_values(page) if page else None
    if page is None or isinstance(values, Finding):
        findings = (values,) if isinstance(values, Finding) else ()
        return NamedPage(first_sentence(definition.text), findings=findings)
    values = values or {}
    description = values.get("description")
    return NamedPage(
        str(description).strip()[:_MAX_DESCRIPTION]
        if isinstance(description, (str, int, float))
        else first_sentence(page.body),
        _hint(values.get("argument-hint")),
        (
            *definition.findings,
            *page.findings,
            *Keys(values, WORKFLOW_KEYS).findings(path, page.line_of),
        ),
    )


def _hint(value: object) -> str:
    """An argument hint as its author wrote it: YAML takes `[number]` for a list."""
    if isinstance(value, list):
        value = f"[{', '.join(map(str, value))}]"
    return clean_line(str(value or ""))[:200]


def _skill_order(skill: Skill) -> tuple[int, int, str, str]:
    return PRIORITY[skill.source.kind], skill.source.depth, skill.id.casefold(), str(skill.path)


def _command_order(command: Command) -> tuple[int, int, str, str]:
    source = command.source
    return PRIORITY[source.kind], source.depth, command.id.casefold(), str(command.path)


def _named(
    place: PageFolder, files: Iterable[tuple[Path, Signature | None, str]]
) -> Iterator[PageFile]:
    for path, stamp, name in files:
        shown = name if ":" in name else safe_name(name)
        if shown:
            yield PageFile(path, stamp, f"{place.namespace}:{shown}" if place.namespace else shown)
