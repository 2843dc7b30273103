"""How the public collections of agent files are read: a row for each, and the total.

    python -m benchmarks.corpora [FOLDER]

FOLDER holds one folder a collection; without it, three are made up, one in bad order. Columns:
markdown files; loaded as agents; of these rescued (frontmatter that is not valid YAML) and warned
about; documents (no frontmatter); refused; then, with the collection as the project, the agents in
the index and the milliseconds to build it and to look again when nothing changed.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import astuple, dataclass
from pathlib import Path

from benchmarks.sample_library import write_collections
from secretary_tui.registry.agent_index import LiveIndex
from secretary_tui.registry.definition.parse import read_agent
from secretary_tui.registry.definition.spec import Source, SourceKind

HEADINGS = ("files", "loaded", "rescued", "warned", "documents", "refused")


@dataclass(slots=True)
class Count:
    files: int = 0
    loaded: int = 0
    rescued: int = 0
    warned: int = 0
    documents: int = 0
    refused: int = 0

    def add(self, other: Count) -> None:
        for name in HEADINGS:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def count(collection: Path) -> Count:
    """Read every markdown file of a collection, wherever it lies."""
    source = Source(SourceKind.AGENTS_DIR, collection)
    total = Count()
    for path in sorted(collection.rglob("*.md")):
        result = read_agent(path, source)
        total.files += 1
        total.loaded += result.spec is not None
        total.rescued += result.rescued
        total.warned += bool(result.spec and result.findings)
        total.documents += result.is_documentation
        total.refused += result.spec is None and bool(result.findings)
    return total


def time_index(project: Path) -> tuple[int, float, float]:
    """Agents found with the collection as project; cold and unchanged times in milliseconds."""
    started = time.perf_counter()
    live = LiveIndex(project, bundled=False)
    agents = len(live.snapshot.entries)
    cold = time.perf_counter() - started
    unchanged = min(_time_refresh(live) for _ in range(5))
    return agents, cold * 1000, unchanged * 1000


def _time_refresh(live: LiveIndex) -> float:
    started = time.perf_counter()
    live.refresh()
    return time.perf_counter() - started


def report(folder: Path) -> None:
    """Print the row of each collection, and the total."""
    heads = (*HEADINGS, "indexed", "cold ms", "again ms")
    print(f"{'collection':44}" + "".join(f"{head:>10}" for head in heads))
    total = Count()
    for collection in sorted(path for path in folder.iterdir() if path.is_dir()):
        row = count(collection)
        total.add(row)
        agents, cold, again = time_index(collection)
        cells = "".join(f"{cell:>10}" for cell in (*astuple(row), agents))
        print(f"{collection.name:44}{cells}{cold:>10.1f}{again:>10.1f}")
    print(f"{'total':44}" + "".join(f"{cell:>10}" for cell in astuple(total)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", help="holds one folder a collection")
    folder = parser.parse_args().folder
    if folder is None:
        with tempfile.TemporaryDirectory() as made:
            print("No FOLDER: three made-up collections, the last in bad order.")
            report(write_collections(Path(made)))
    elif folder.is_dir():
        report(folder)
    else:
        raise SystemExit(f"{folder} is not a folder; name the one that holds the collections")


if __name__ == "__main__":
    main()
