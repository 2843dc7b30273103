"""The definition files of one source: each read once, and again only when it changed."""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path

from secretary_tui.registry.definition.dialects import DEEPAGENTS_FILE
from secretary_tui.registry.definition.fields import safe_name
from secretary_tui.registry.definition.findings import refused
from secretary_tui.registry.definition.parse import ParseResult, read_agent
from secretary_tui.registry.definition.spec import (
    PRIORITY,
    AgentSpec,
    Dialect,
    Finding,
    IndexEntry,
    Source,
)
from secretary_tui.registry.sources.boundary import keeper
from secretary_tui.registry.sources.cache import Record, Shelf, Stored, dump_result
from secretary_tui.registry.sources.scan import (
    SETTLED_NS,
    Listing,
    Place,
    Signature,
    is_definition,
    list_tree,
    signature,
)

STORED_NS = 2_000_000_000
"""Younger files are not stored for the next start: they might change with the same time stamp."""

_MANY_FILES = 500

Order = tuple[int, int, str, str, str]


@dataclass(slots=True)
class SourceFileState:
    """A definition file as it was read last."""

    path: Path
    signature: Signature | None
    """None when it has to be read again at the next look."""
    result: ParseResult
    spec: AgentSpec | None = None
    """The agent it gives: the last good one while the file is broken."""
    stale: Finding | None = None
    """Why it can't be read now, when `spec` is from before."""
    order: Order = (0, 0, "", "", "")
    missing: tuple[str, ...] = ()
    """The skills that were found missing, told in `shown`."""
    shown: AgentSpec | None = None
    """`spec` with what only the whole library can tell."""
    entry: IndexEntry | None = None
    """Its place in the last index, used again while nothing about it changes."""


@dataclass(slots=True)
class SourceRead:
    """The agents that were read from one source, and what was wrong there."""

    source: Source
    agents: list[SourceFileState] = field(default_factory=list)
    problems: list[Finding] = field(default_factory=list)
    rescued: int = 0
    passed: list[Path] = field(default_factory=list)
    """Files without frontmatter."""


class SourceFiles:
    """Reads one source and remembers each file by its signature."""

    def __init__(self, source: Source, cache: Path | None) -> None:
        self.source = source
        self.only: tuple[Path, ...] | None = None
        """For a plugin that names its files one by one: those files."""
        self.read = SourceRead(source)
        self.folders: tuple[str, ...] = ()
        self.folder_paths: tuple[Path, ...] = ()
        self.findings: tuple[Finding, ...] = ()
        self._may_enter = keeper(source)
        self._place: Place | None = None
        self._files: dict[str, SourceFileState] = {}
        self._shelf = Shelf(cache, source.root) if cache else None
        self._stored: dict[str, Stored] | None = None
        self._unsaved: set[str] = set()

    def look(self) -> None:
        """List the source's files and read those that are new or changed."""
        if self.only is None:
            listing = list_tree(self.source.root, self._may_enter, self._place)
            self._place = listing.place
        else:
            listing = _listed(self.only)
        found = listing.files
        if self.source.dialect is Dialect.DEEPAGENTS:
            found = {name: stamp for name, stamp in found.items() if self._counts(Path(name))}
        self.findings = tuple(listing.findings)
        if (folders := tuple(listing.folders)) != self.folders:
            self.folders = folders
            self.folder_paths = tuple(map(Path, folders))
        known = self._files
        changed = [
            name
            for name, stamp in found.items()
            if (state := known.get(name)) is None or stamp is None or state.signature != stamp
        ]
        gone = known.keys() - found.keys() if len(found) - len(changed) < len(known) else ()
        for name in gone:
            del known[name]
        with _collector_resting(len(changed)):
            if changed and self._shelf and self._stored is None:
                self._stored = self._shelf.load()
            again = [self._take(name, found[name]) for name in changed]
        self._stored = {} if self._stored is not None else None
        if gone or any(again):
            self._summarize()

    def update(self, name: str) -> bool:
        """Look at one file of a folder of this source; False when a whole look is needed."""
        path = Path(name)
        if path.is_symlink() or path.is_dir():
            return False
        stamp = signature(path)
        if stamp is None:
            if name in self._files:
                del self._files[name]
                self._summarize()
                return True
            return name not in self.folders
        if self._counts(path) and self._take(name, stamp):
            self._summarize()
        return True

    def _counts(self, path: Path) -> bool:
        """Whether a file of the source's folders is one of its definitions."""
        if self.only is not None:
            return str(path) in self._files
        if self.source.dialect is Dialect.DEEPAGENTS:  # What lies beside it is the agent's own.
            return path.name == DEEPAGENTS_FILE and path.parent.parent == self.source.root
        return is_definition(path)

    def save(self) -> None:
        """Store what was read since the last time for the next start."""
        if self._shelf is None or not self._unsaved:
            return
        now = time.time_ns()
        unsaved, self._unsaved = self._unsaved, set()  # A refresh may go on meanwhile.
        news = self._records(unsaved, now)
        if news and not self._shelf.add(news, len(self._files)):
            self._shelf.replace(self._records(tuple(self._files), now))

    def _records(self, names: Iterable[str], now: int) -> dict[str, Record]:
        records = {}
        for name in names:
            state = self._files.get(name)
            if state and state.signature and now - state.signature[0] > STORED_NS:
                record = dump_result(state.signature, state.result)
                if record is not None:
                    records[name] = record
        return records

    def _take(self, name: str, stamp: Signature | None) -> bool:
        """Read a file; whether it gives something else than before."""
        before = self._files.get(name)
        path = before.path if before else Path(name)
        namespace = self._namespace(path)
        stored = self._stored.get(name) if self._stored else None
        result = None
        if stored and stored.signature == stamp:
            result = stored.result(path, self.source, namespace)
        now = time.time_ns()
        if result is None:
            result = read_agent(path, self.source, namespace)
            self._unsaved.add(name)
        settled = stamp is not None and now - stamp[0] > SETTLED_NS
        if before and before.result == result:
            before.signature = stamp if settled else None
            return False
        state = SourceFileState(path, stamp if settled else None, result, result.spec)
        if result.spec is None and before and before.spec:
            state.stale = _why_stale(path, result, stamp)
            state.spec = before.spec if state.stale else None
        if state.spec:
            state.order = order_of(state.spec)
        self._files[name] = state
        return True

    def _namespace(self, path: Path) -> str:
        """`plugin`, with sub-folders `plugin:sub`; empty for agents that belong to no plugin."""
        plugin = self.source.plugin
        if plugin is None:
            return ""
        if self.only is not None:
            return plugin
        below = path.parent.relative_to(self.source.root).parts
        return ":".join((plugin, *filter(None, map(safe_name, below))))

    def _summarize(self) -> None:
        read = SourceRead(self.source)
        for state in self._files.values():
            if state.spec:
                read.agents.append(state)
                read.rescued += state.result.rescued
            if state.stale:
                read.problems.append(state.stale)
            elif state.result.spec is None:
                read.problems += state.result.findings
                if not state.result.findings:
                    read.passed.append(state.path)
        read.agents.sort(key=attrgetter("order"))  # Put together with others it is quicker so.
        read.problems.sort(key=lambda finding: (str(finding.path), finding.line or 0))
        self.read = read


@contextlib.contextmanager
def _collector_resting(files: int) -> Iterator[None]:
    """Without garbage collection while many files are read: it would take as long as reading.

    What was read stays, so later collections need not look at it: for 10,000 agents each full one
    would stop the program, and whoever types in it, for a tenth of a second.
    """
    if files < _MANY_FILES or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _listed(files: Iterable[Path]) -> Listing:
    """The listing of a source that names its files one by one."""
    paths = tuple(files)
    return Listing(
        {str(path): signature(path) for path in paths},
        dict.fromkeys(str(path.parent) for path in paths),
    )


def order_of(spec: AgentSpec) -> Order:
    """What the index is sorted by: the source's priority, its plugin or dialect, the name."""
    source = spec.source
    owner = (source.plugin or source.dialect or "").casefold()
    return PRIORITY[source.kind], source.depth, owner, spec.name.casefold(), str(spec.path)


def _why_stale(path: Path, result: ParseResult, stamp: Signature | None) -> Finding | None:
    """Why the last good reading stays; None when the file went or is no definition any more."""
    if stamp is None:
        return None
    if result.findings:
        found = result.findings[0]
        message = f"{found.message}. Until then the agent is used as it was before"
        return replace(found, message=message, action="keep")
    if stamp[1] == 0:
        message = "the file is empty; the agent is used as it was before until that is mended"
        return refused(path, message)
    return None
