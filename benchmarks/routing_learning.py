"""What remembered choices bring: `python -m benchmarks.routing_learning [--labels F --corpora D]`

The labels have about one request an agent, so choices must be simulated. Five ways, each honest
about something else; every agent that has requests remembers them, not only the right ones, and
no tested request is ever among the remembered:

- *other hands*: the labelled requests, after remembering requests that the authors of other
  collections wrote into the `<example>` blocks of agents of the same file name.
- *own examples*: the labelled requests, after remembering lines of the agent's own section of
  example interactions (which the index holds too, as part of the body).
- *other labels*: the labelled requests whose right agent has other requests, after all the others
  were given to one of their right agents.
- *same hand*: a held-out line of each agent's example interactions, that section cut from all
  bodies, after remembering other lines of it: what comes closest to one person's habits.
- *asked again*: the labelled requests with every third word left out, after the whole ones were
  given to a right agent.

Then what mining descriptions brings alone, what remembering does to requests that nobody fits,
and what it costs. Figures are means over random choices of what is remembered.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.routing import Benchmark, Labelled, load, places
from benchmarks.sample_library import labelled_or_sample
from secretary_tui.registry.definition.parse import read_agent
from secretary_tui.registry.definition.spec import AgentSpec, Source, SourceKind
from secretary_tui.routing.match.lessons import Example, Lesson, Origin, written_requests
from secretary_tui.routing.match.matcher import LocalMatcher

SEEDS = 5
COUNTS = (0, 1, 3, 10)
_SECTION = re.compile(
    r"^#+ *Example (?:Interactions|Use Cases|Prompts)[^\n]*\n(.*?)(?=^#|\Z)", re.S | re.M
)
_LINE = re.compile(r'^\s*[-*]\s*"?(.+?)"?\s*$', re.M)


@dataclass(frozen=True, slots=True)
class Asked:
    """A request and the files that are right for it."""

    request: str
    gold: frozenset[str]


Requests = Mapping[str, Sequence[str]]
"""Requests by the path of the agent they are for."""


def chosen(spec: AgentSpec, request: str) -> Lesson:
    return Lesson(spec.id, spec.path.stem, Example(request, Origin.CHOSEN, 1.0))


def remember(matcher: LocalMatcher, known: Requests, count: int, rng: random.Random) -> int:
    """Give each agent up to `count` of the requests known for it; says how many on average."""
    lessons = []
    agents = 0
    for spec, *_ in matcher.groups:
        requests = known.get(str(spec.path), ())
        taken = rng.sample(requests, min(count, len(requests)))
        agents += bool(requests)
        lessons += [chosen(spec, request) for request in taken]
    matcher.learn(tuple(lessons))
    return round(10 * len(lessons) / max(1, agents))


def shares(matcher: LocalMatcher, asked: Sequence[Asked]) -> tuple[float, float]:
    """The share of requests whose first, and whose first three, hold a right agent."""
    ranks = []
    for each in asked:
        rows = matcher.rank(each.request, limit=3)
        ranks.append(next((n for n, row in enumerate(rows) if places(row) & each.gold), 9))
    return statistics.fmean(rank == 0 for rank in ranks), statistics.fmean(r < 3 for r in ranks)


def table_row(
    name: str, matcher: LocalMatcher, asked: Sequence[Asked], known: Requests, counts: Sequence[int]
) -> None:
    cells = []
    for count in counts:
        found = []
        each = 0
        for seed in range(SEEDS if count else 1):
            each = remember(matcher, known, count, random.Random(seed))
            found.append(shares(matcher, asked))
        top1, top3 = (statistics.fmean(column) for column in zip(*found, strict=True))
        held = f" ({each / 10:.1f})" if count and each < 10 * count else ""
        cells.append(f"{count}{held}: {top1:.1%} / {top3:.1%}")
    matcher.learn(())
    print(f"  {name:32} n={len(asked):3}  " + "   ".join(cells))


def by_other_hands(corpora: Path, library: str, agents: Iterable[AgentSpec]) -> Requests:
    """Requests in the examples of other collections' agents, by our agent of the same file name."""
    found: dict[str, list[str]] = defaultdict(list)
    for folder in sorted(path for path in corpora.iterdir() if path.is_dir()):
        if folder.name == library.replace("/", "__"):
            continue
        for path in sorted(folder.rglob("*.md")):
            if "<example" in path.read_text(encoding="utf-8", errors="replace"):
                spec = read_agent(path, Source(SourceKind.AGENTS_DIR, folder)).spec
                found[path.stem] += written_requests(spec.description) if spec else ()
    return {str(spec.path): list(dict.fromkeys(found[spec.path.stem])) for spec in agents}


def own_examples(agents: Iterable[AgentSpec]) -> Requests:
    """The lines of the agents' sections of example interactions."""
    return {
        str(spec.path): [
            line
            for section in _SECTION.finditer(spec.prompt)
            for line in _LINE.findall(section[1])
            if len(line) < 300
        ]
        for spec in agents
    }


def held_out(agents: Sequence[AgentSpec], least: int) -> tuple[LocalMatcher, list[Asked], Requests]:
    """A library without its example interactions, one line of each to test, and the others.

    Agents with fewer lines than `least` are asked nothing. Files of one name are all right.
    """
    matcher = LocalMatcher([replace(s, prompt=_SECTION.sub("", s.prompt)) for s in agents])
    lines = own_examples(agents)
    right: dict[str, set[str]] = defaultdict(set)
    for spec in agents:
        right[spec.path.stem].add(str(spec.path))
    asked, known = [], {}
    for spec, *_ in matcher.groups:
        own = list(lines[str(spec.path)])
        random.Random(str(spec.path.stem)).shuffle(own)
        if len(own) >= least:
            asked.append(Asked(own[0], frozenset(right[spec.path.stem])))
            known[str(spec.path)] = [line for line in own[1:] if line != own[0]]
    return matcher, asked, known


def other_labels(matcher: LocalMatcher, asked: Sequence[Asked]) -> None:
    """Each labelled request after all the others were given to one of their right agents."""
    by_path = {str(spec.path): spec for group in matcher.groups for spec in group}
    before, after = [], []
    for seed in range(SEEDS):
        rng = random.Random(seed)
        lessons = [chosen(by_path[rng.choice(sorted(a.gold))], a.request) for a in asked]
        given = [lesson.agent for lesson in lessons]
        for number, each in enumerate(asked):
            right = {by_path[path].id for path in each.gold}
            if right.isdisjoint(agent for n, agent in enumerate(given) if n != number):
                continue
            matcher.learn(())
            before.append(shares(matcher, [each]))
            matcher.learn(tuple(lessons[:number] + lessons[number + 1 :]))
            after.append(shares(matcher, [each]))
    matcher.learn(())
    if not after:
        return
    cells = (
        f"{a:.1%} / {b:.1%}"
        for a, b in (map(statistics.fmean, zip(*rows, strict=True)) for rows in (before, after))
    )
    print(f"  {'other labels':32} n={len(after) // SEEDS:3}  0: " + "   1 and more: ".join(cells))


def asked_again(matcher: LocalMatcher, asked: Sequence[Asked]) -> None:
    """Requests with every third word left out, before and after the whole ones were given away."""
    by_path = {str(spec.path): spec for group in matcher.groups for spec in group}
    shorter = [
        replace(
            each,
            request=" ".join(word for n, word in enumerate(each.request.split()) if n % 3 != 2),
        )
        for each in asked
    ]
    known: dict[str, list[str]] = defaultdict(list)
    rng = random.Random(0)
    for each in asked:
        first = by_path[rng.choice(sorted(each.gold))]
        group = next(group for group in matcher.groups if first in group)
        known[str(group[0].path)].append(each.request)
    table_row("asked again", matcher, shorter, known, (0, 10))


def mining(name: str, agents: Sequence[AgentSpec], asked: Sequence[Asked]) -> None:
    """A library with and without the requests in its descriptions, the tested line taken out."""

    def without(text: str) -> str:
        return re.sub(r"<example>.*?(?:</example>|\Z)", " ", text, flags=re.S | re.I)

    mined = shares(LocalMatcher(agents), asked)
    plain = shares(
        LocalMatcher([replace(s, description=without(s.description)) for s in agents]), asked
    )
    print(
        f"  {name:32} n={len(asked):3}  without {plain[0]:.1%} / {plain[1]:.1%}"
        f"   mined {mined[0]:.1%} / {mined[1]:.1%}"
    )


def mined_collection(folder: Path) -> tuple[list[AgentSpec], list[Asked]]:
    """A collection, and for each agent with two requests or more its last one, taken out."""
    agents, asked = [], []
    seen: set[str] = set()
    for path in sorted(folder.rglob("*.md")):
        spec = read_agent(path, Source(SourceKind.AGENTS_DIR, folder)).spec
        if spec is None or spec.id in seen:
            continue
        seen.add(spec.id)
        requests = written_requests(spec.description)
        if len(requests) > 1:
            parts = re.split(r"(?=<example>)", spec.description)
            left = [part for part in parts if requests[-1] not in written_requests(part)]
            spec = replace(spec, description="".join(left))
            if requests[-1] not in written_requests(spec.description):
                asked.append(Asked(requests[-1], frozenset({str(path)})))
        agents.append(spec)
    return agents, asked


def foreign(matcher: LocalMatcher, requests: Sequence[Labelled], known: Requests) -> None:
    """Requests that nobody fits, before and after everything was remembered."""
    shown = []
    for count in (0, 10):
        remember(matcher, known, count, random.Random(0))
        shown.append(sum(matcher.rank(r.request)[0].confidence >= 50 for r in requests))
    matcher.learn(())
    print(
        f"  none fits, shown all the same      n={len(requests):3}  0: {shown[0]}   10: {shown[1]}"
    )


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def costs(matcher: LocalMatcher, requests: Sequence[Labelled], known: Requests) -> None:
    texts = [row.request for row in requests]
    cells = []
    for count in (0, 1, 3, 10):
        remember(matcher, known, count, random.Random(0))
        first = timed(lambda: matcher.rank(texts[0]))
        each = statistics.median(timed(lambda text=text: matcher.rank(text)) for text in texts)
        lessons = matcher._lessons
        matcher.learn((*lessons, chosen(matcher.groups[0][0], "one more request")))
        more = timed(lambda: matcher.rank(texts[0]))
        cells.append(f"{len(lessons)}: {each:.2f} ms, first {first:.1f}, one more {more:.1f}")
    matcher.learn(())
    print("  a query with so many examples      " + "   ".join(cells))


def report(benchmark: Benchmark, corpora: Path) -> None:
    """Run everything and print it."""
    for library, agents in benchmark.libraries.items():
        rows = [row for row in benchmark.requests if row.corpus == library]
        asked = [Asked(row.request, row.gold) for row in rows if row.gold]
        matcher = LocalMatcher(agents)
        others, own = by_other_hands(corpora, library, agents), own_examples(agents)
        print(f"{library}: top-1 / top-3 with so many remembered (on average) an agent")
        has = [a for a in asked if any(others[path] for path in a.gold)]
        table_row("other hands", matcher, asked, others, (0, 1, 3, 10))
        table_row("  of these, right agent has some", matcher, has, others, (0, 1, 3, 10))
        if sum(map(bool, own.values())) > len(agents) // 4:
            table_row("own examples", matcher, asked, own, COUNTS)
            for least in (8, 11):
                cut, held, known = held_out(agents, least)
                if len(held) > 5:
                    table_row(f"same hand, {least} lines or more", cut, held, known, COUNTS)
        other_labels(matcher, asked)
        asked_again(matcher, asked)
        everything = {path: [*others[path], *own[path]] for path in others}
        foreign(matcher, [row for row in rows if not row.gold], everything)
        costs(matcher, rows, everything)
        print()
    print("requests in descriptions alone, top-1 / top-3")
    for library, agents in benchmark.libraries.items():
        rows = [row for row in benchmark.requests if row.corpus == library and row.gold]
        mining(library[:32], agents, [Asked(row.request, row.gold) for row in rows])
    for name in ("davila7__claude-code-templates", "laywill__awesome-claude-code-subagents"):
        if (corpora / name).is_dir():
            agents, asked = mined_collection(corpora / name)
            mining(name[:32], agents, asked)


def main() -> None:
    """Read the arguments and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--labels", type=Path, help="labelled requests; made-up ones without it")
    parser.add_argument("--corpora", type=Path, help="the collections that they speak of")
    arguments = parser.parse_args()
    with labelled_or_sample(arguments.labels, arguments.corpora) as (labels, corpora):
        report(load(labels, corpora), corpora)


if __name__ == "__main__":
    main()
