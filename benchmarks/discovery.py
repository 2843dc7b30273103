"""How quickly a library of agents is found, beside the least that any program would have to do.

    python -m benchmarks.discovery [--sizes 200 10000] [--runs 5] [--saves 40] [--quick]

Each library is generated here, in our own words, in the sizes that real ones have. In one run:

- cold: everything read and parsed, against the floor (`os.scandir`, read, `yaml.CSafeLoader` on
  the frontmatter);
- warm: looked at again, against `os.scandir` and `stat`;
- start: a new process's first look with the cache of the last one, complete with every prompt;
- save: one file saved to the change of the index, through the system's notifications;
- filter: the slowest key of several filters, typed letter by letter, and the first letter of all
  when nothing was prepared (the list does that while nobody types);
- memory: what a process holds once the index is there;
- workers: the cold read in two processes and in four threads, for comparison;
- hostile: the slowest of the files of `tests/registry/hostile.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import yaml

from benchmarks.quick import add_quick
from secretary_tui.registry.agent_index import AgentIndex, LiveIndex
from secretary_tui.registry.definition.parse import read_agent
from secretary_tui.registry.definition.spec import Source, SourceKind
from secretary_tui.registry.sources.library_options import LibraryOptions
from secretary_tui.registry.watch import watch_index
from secretary_tui.widgets.library.index_rows import LibraryRows

VOCABULARY = (
    "review code plan design test write fix build deploy measure check service request database "
    "schema index screen library report table query error path value field format document "
    "release version the a of for with when to and"
)


def generate(folder: Path, count: int) -> None:
    """Write definitions of ordinary size: a description of 40 words, a body of some 5 kB."""
    chance = random.Random(count)
    words = VOCABULARY.split()

    def sentence(length: int) -> str:
        return " ".join(chance.choice(words) for _ in range(length)).capitalize() + "."

    for number in range(count):
        team = folder / f"team-{number % 40:02d}"
        team.mkdir(parents=True, exist_ok=True)
        description = " ".join(sentence(13) for _ in range(3))
        parts = (f"## {sentence(3)}\n\n{sentence(14)} {sentence(90)}" for _ in range(8))
        text = (
            f"---\nname: agent-{number:05d}\ndescription: {description}\n"
            f"tools: Read, Grep, Glob\nmodel: sonnet\ncolor: blue\n---\n\n" + "\n\n".join(parts)
        )
        path = team / f"agent-{number:05d}.md"
        path.write_text(text + "\n", encoding="utf-8")
        os.utime(path, (1_700_000_000, 1_700_000_000))


def floor_cold(root: Path) -> int:
    """List, read, and parse the frontmatter: nothing else."""
    count = 0
    waiting = [str(root)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    waiting.append(entry.path)
                    continue
                with Path(entry.path).open("rb") as file:
                    text = file.read().decode()
                yaml.load(text.split("---", 2)[1], Loader=yaml.CSafeLoader)
                count += 1
    return count


def floor_warm(root: Path) -> int:
    """List and look at each file."""
    count = 0
    waiting = [str(root)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    waiting.append(entry.path)
                else:
                    entry.stat()
                    count += 1
    return count


def best(runs: int, *works: Callable[[], object]) -> list[float]:
    """Milliseconds of each work, the best of interleaved runs: other programs only add."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(runs):
        for work, taken in zip(works, times, strict=True):
            started = time.perf_counter()
            made = work()
            taken.append((time.perf_counter() - started) * 1000)
            del made  # Not a part of the work.
    return [min(taken) for taken in times]


def options(cache: Path | None) -> LibraryOptions:
    return LibraryOptions(bundled=False, cache=cache)


def look(project: Path) -> LiveIndex:
    live = LiveIndex(project, options=options(None))
    live.refresh()
    return live


def start_in_a_new_process(project: Path, cache: Path) -> tuple[float, float]:
    """Milliseconds to the complete index, imports apart, and resident MB with it."""
    code = (
        "import gc, json, sys, time\nfrom pathlib import Path\n"
        "from secretary_tui.registry.agent_index import LiveIndex\n"
        "from secretary_tui.registry.sources.library_options import LibraryOptions\n"
        "wanted = LibraryOptions(bundled=False, cache=Path(sys.argv[2]))\n"
        "live = LiveIndex(Path(sys.argv[1]), options=wanted)\n"
        "started = time.perf_counter()\nindex = live.snapshot\n"
        "taken = (time.perf_counter() - started) * 1000\ngc.collect()\n"
        "status = Path('/proc/self/status').read_text()\n"
        "rss = int(status.partition('VmRSS:')[2].split()[0]) / 1024\n"
        "print(json.dumps([taken, rss, len(index.active)]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(project), str(cache)],
        capture_output=True,
        text=True,
        check=True,
    )
    taken, rss, _ = json.loads(done.stdout)
    return taken, rss


async def save_times(project: Path, saves: int) -> list[float]:
    """Milliseconds from the end of saving one file to the change that tells of it."""
    live = LiveIndex(project, options=options(None))
    live.refresh()
    files = sorted((project / ".claude" / "agents").rglob("*.md"))
    chance = random.Random(1)
    stop = asyncio.Event()
    changes: asyncio.Queue[tuple[float, tuple[Path, ...]]] = asyncio.Queue()

    async def follow() -> None:
        async for change in watch_index(live, stop):
            changes.put_nowait((time.perf_counter(), change.updated))

    task = asyncio.create_task(follow())
    await asyncio.sleep(1)  # Until the watch stands; nothing tells of that.
    times = []
    for _ in range(saves):
        path = chance.choice(files)
        path.write_text(path.read_text(encoding="utf-8") + "More.\n", encoding="utf-8")
        saved = time.perf_counter()
        seen, updated = await changes.get()
        if updated != (path,):
            raise SystemExit(f"{path} was saved, the change tells of {updated}")
        times.append((seen - saved) * 1000)
        await asyncio.sleep(0.3)
    stop.set()
    await task
    return times


SETTLED_S = 2.5
"""Until the folders just made are so old that their time stamps can be trusted."""
FILTERS = ("review", "agnt", "schema field", "a0", "xyzzyq", "desgn tst")


def filter_times(index: AgentIndex) -> tuple[float, float]:
    """Processor milliseconds of the slowest key (the best of five), and of a first key unprepared.

    It is one thread's work without any waiting, so other programs needn't be in the figure.
    """
    library = LibraryRows(index)
    library.rows()

    def take(key: str) -> float:
        started = time.process_time()
        library.rows(key)
        return (time.process_time() - started) * 1000

    first = take("r")
    keys = [text[:end] for text in FILTERS for end in range(1, len(text) + 1)]
    return max(min(take(key) for _ in range(5)) for key in keys), first


def read_one(name: str) -> object:
    path = Path(name)
    return read_agent(path, Source(SourceKind.AGENTS_DIR, path.parent))


def measure_workers(root: Path) -> None:
    names = [str(path) for path in root.rglob("*.md")]
    [alone] = best(2, lambda: [read_one(name) for name in names])

    def threads() -> None:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(read_one, names, chunksize=100))

    def processes() -> None:
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            list(pool.map(read_one, names, chunksize=500))

    in_threads, in_processes = best(2, threads, processes)
    print(
        f"parsing {len(names):,} files: alone {alone:.0f} ms, four threads {in_threads:.0f} ms, "
        f"two processes {in_processes:.0f} ms ({os.cpu_count()} processors)"
    )


def measure_hostile(folder: Path) -> None:
    from tests.registry.hostile import HOSTILE

    path = folder / "hostile.md"
    times = {}
    for kind, text in HOSTILE.items():
        path.write_text(text, encoding="utf-8")
        [times[kind]] = best(3, lambda: read_one(str(path)))
    slow = sorted(times, key=lambda kind: -times[kind])[:3]
    named = ", ".join(f"{kind} {times[kind]:.0f} ms" for kind in slow)
    print(f"hostile files, {len(times)} kinds, the slowest: {named} (limit 100 ms)")


def measure(project: Path, cache: Path, runs: int, saves: int) -> float:
    """Print the table of one size; gives the resident MB."""
    root = project / ".claude" / "agents"
    live = LiveIndex(project, options=options(None))
    count = len(live.snapshot.active)
    floor, cold = best(runs, lambda: floor_cold(root), lambda: look(project))
    time.sleep(SETTLED_S)
    stat, warm = best(runs * 3, lambda: floor_warm(root), live.refresh)
    stored = LiveIndex(project, options=options(cache))
    stored.refresh()
    stored.save_cache()
    size = sum(path.stat().st_size for path in cache.iterdir()) / 2**20
    starts = [start_in_a_new_process(project, cache) for _ in range(runs)]
    start, memory = min(taken for taken, _ in starts), min(rss for _, rss in starts)
    saved = asyncio.run(save_times(project, saves))
    p95 = statistics.quantiles(saved, n=20)[-1]
    print(f"\n{count:,} agents")
    print(f"  cold            {cold:8.1f} ms   floor {floor:.1f}   {cold / floor:.2f}× (aim 2×)")
    print(f"  warm            {warm:8.1f} ms   floor {stat:.1f}   {warm / stat:.2f}× (aim 1.5×)")
    print(f"  start, cached   {start:8.1f} ms   {start / stat:.1f}× scandir + stat, {size:.1f} MB")
    print(
        f"  one saved file  {p95:8.1f} ms   p95 of {saves}; median {statistics.median(saved):.1f}"
    )
    slowest, first = filter_times(live.snapshot)
    print(f"  filter, a key   {slowest:8.1f} ms   the slowest; unprepared {first:.1f} (aim 30)")
    print(f"  memory          {memory:8.1f} MB")
    return memory


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[200, 10_000])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--saves", type=int, default=40)
    add_quick(parser, sizes=[200, 1_000], runs=2, saves=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        home = Path(name) / "home"
        home.mkdir()
        os.environ["HOME"] = str(home)
        memories = []
        for size in args.sizes:
            project = Path(name) / str(size)
            (project / ".git").mkdir(parents=True)
            generate(project / ".claude" / "agents", size)
            memories.append(measure(project, Path(name) / f"cache-{size}", args.runs, args.saves))
        print(f"\nmemory of the largest over the smallest: {memories[-1] - memories[0]:.1f} MB")
        measure_workers(Path(name) / str(args.sizes[-1]))
        measure_hostile(Path(name))


if __name__ == "__main__":
    main()
