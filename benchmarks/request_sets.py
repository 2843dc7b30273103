"""Our own requests against public libraries: who is right for each.

JSON lines with `id`, `library` (a folder below the corpora, or `bundled`), `request`, `kind`, and
either `gold` (paths in the library of every right agent, empty when none fits) or `ok` (names of
right agents, of the library or bundled). Library and bundled agents stand side by side, as they do
for a user; where the library has somebody (`gold`), a bundled one is not right: it comes last.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from secretary_tui.registry.definition.parse import read_agent
from secretary_tui.registry.definition.spec import AgentSpec, Source, SourceKind

BUNDLED = "bundled"
BUNDLED_AGENTS = Path(__file__).parents[1] / "agents"


@dataclass(frozen=True, slots=True)
class Labelled:
    """A request, the agents that there are, and the files of those that are right."""

    id: str
    library: str
    request: str
    kind: str
    agents: Sequence[AgentSpec]
    right: frozenset[str]
    everyday: bool
    """Whether it is a first request that anybody may type, with the bundled agents at hand."""


def read_sets(files: Sequence[Path], corpora: Path) -> Iterator[Labelled]:
    """Read labelled requests with the libraries that they speak of."""
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            library = row["library"]
            everyday = "ok" in row
            agents = library_of(library, corpora)
            if library != BUNDLED:
                agents = (*agents, *library_of(BUNDLED, corpora))
            if everyday:
                right = frozenset(str(spec.path) for spec in agents if spec.name in row["ok"])
            else:
                right = frozenset(str(_root(library, corpora) / path) for path in row["gold"])
            yield Labelled(row["id"], library, row["request"], row["kind"], agents, right, everyday)


@cache
def library_of(library: str, corpora: Path) -> tuple[AgentSpec, ...]:
    """All agents of a library, whatever folder they lie in."""
    root = _root(library, corpora)
    kind = SourceKind.BUNDLED if library == BUNDLED else SourceKind.PLUGIN
    found = []
    for path in sorted(root.rglob("*.md")):
        plugin = "" if library == BUNDLED else path.parent.name
        source = Source(kind, path.parent, plugin or None)
        spec = read_agent(path, source, plugin).spec
        if spec is not None:
            found.append(spec)
    return tuple(found)


def _root(library: str, corpora: Path) -> Path:
    return BUNDLED_AGENTS if library == BUNDLED else corpora / library
