"""How well requests find their agent: `python -m benchmarks.routing [--labels F --corpora DIR]`.

Labels are JSON lines with `id`, `corpus` (owner/name, a folder `owner__name` below the corpora),
`request` and `gold` (ids of every acceptable agent, empty when none fits); `agents_index.json`
beside them maps ids to files, by the corpus owner's name. Without labels, requests and libraries
are made up (`sample_library`). Prints, for every method and library,
the share of requests whose first, first three and first ten agents hold an acceptable one, and the
mean reciprocal rank; and for ours whether its confidences mean what they say, what it does when
none fits, and what it costs. Ours is measured by words alone and, where the sentence model is here
(`secretary-tui model get semantic`), by the meaning of sentences too.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.sample_library import labelled_or_sample
from secretary_tui.people import AgentMatch
from secretary_tui.registry.definition.parse import read_agent
from secretary_tui.registry.definition.spec import AgentSpec, Source, SourceKind
from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.match.sentence_indexer import SentenceIndexer
from secretary_tui.routing.words.terms import description_text, stem_all, words

Ranker = Callable[[str], Sequence[AgentSpec]]


@dataclass(frozen=True, slots=True)
class Labelled:
    """One request and the files of all agents that are right for it."""

    id: str
    corpus: str
    request: str
    gold: frozenset[str]
    kind: str


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Labelled requests and the libraries they were written against."""

    libraries: Mapping[str, tuple[AgentSpec, ...]]
    requests: tuple[Labelled, ...]

    def of(self, corpus: str) -> tuple[Labelled, ...]:
        """The requests that were written against one library."""
        return tuple(labelled for labelled in self.requests if labelled.corpus == corpus)


def load(labels: Path, corpora: Path) -> Benchmark:
    """Read the labels and the agents they speak of."""
    index = json.loads((labels.parent / "agents_index.json").read_text(encoding="utf-8"))
    libraries: dict[str, tuple[AgentSpec, ...]] = {}
    paths: dict[str, dict[str, str]] = {}
    requests = []
    for line in labels.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        corpus = row["corpus"]
        if corpus not in libraries:
            folder = corpora / corpus.replace("/", "__")
            entries = index[corpus.partition("/")[0].lower()]
            paths[corpus] = {entry["id"]: str(folder / entry["path"]) for entry in entries}
            libraries[corpus] = tuple(_read(paths[corpus]))
        gold = frozenset(paths[corpus][agent] for agent in row["gold"])
        requests.append(Labelled(row["id"], corpus, row["request"], gold, row.get("kind", "")))
    return Benchmark(libraries, tuple(requests))


def _read(paths: Mapping[str, str]) -> Iterable[AgentSpec]:
    for agent, path in paths.items():
        plugin = agent.partition(":")[0]
        source = Source(SourceKind.PLUGIN, Path(path).parent, plugin)
        spec = read_agent(Path(path), source, plugin).spec
        if spec is None:
            raise SystemExit(f"{path} gives no agent")
        yield spec


def places(match: AgentMatch) -> set[str]:
    """Every file a match stands for."""
    return {match.path, *match.copies}


def word_overlap(agents: Sequence[AgentSpec]) -> Callable[[str], list[str]]:
    """The seed's method (seed 000 §2.3): distinct words shared with the description."""
    texts = [(set(words(spec.description)), spec) for spec in agents]

    def rank(request: str) -> list[str]:
        asked = set(words(request))
        order = sorted(texts, key=lambda row: (-len(asked & row[0]), row[1].id))
        return [str(spec.path) for held, spec in order if asked & held]

    return rank


def plain_bm25(agents: Sequence[AgentSpec]) -> Callable[[str], list[str]]:
    """BM25 (k1 1.2, b .75) over stems of name and description as one text."""
    texts = [
        Counter(stem_all(words(f"{spec.name} {description_text(spec.description)}")))
        for spec in agents
    ]
    average = statistics.fmean(sum(text.values()) for text in texts)
    held = Counter(stem for text in texts for stem in text)

    def score(text: Counter[str], stems: Sequence[str]) -> float:
        length = 1 - 0.75 + 0.75 * sum(text.values()) / average
        return sum(
            math.log(1 + (len(texts) - held[stem] + 0.5) / (held[stem] + 0.5))
            * text[stem]
            / (text[stem] + 1.2 * length)
            for stem in stems
        )

    def rank(request: str) -> list[str]:
        stems = stem_all(dict.fromkeys(words(request)))
        scored = [(score(text, stems), spec) for text, spec in zip(texts, agents, strict=True)]
        scored.sort(key=lambda row: (-row[0], row[1].id))
        return [str(spec.path) for value, spec in scored if value > 0]

    return rank


def figures(benchmark: Benchmark, rankings: Mapping[str, Sequence[set[str]]]) -> str:
    """Top-1, top-3, hit@10 in per cent and MRR over the requests that have an answer."""
    ranks = []
    for labelled in benchmark.requests:
        if labelled.gold:
            rows = rankings[labelled.id]
            hits = (place for place, row in enumerate(rows, 1) if row & labelled.gold)
            ranks.append(next(hits, math.inf))
    shares = [statistics.fmean(rank <= n for rank in ranks) for n in (1, 3, 10)]
    mrr = statistics.fmean(1 / rank for rank in ranks)
    return " / ".join(f"{share:.1%}" for share in shares) + f"   MRR {mrr:.3f}   n={len(ranks)}"


def distinct(order: Iterable[str], groups: Mapping[str, frozenset[str]]) -> list[set[str]]:
    """Rows of a ranking with copies collapsed."""
    return [set(group) for group in dict.fromkeys(groups[path] for path in order)]


def reliability(rows: Iterable[tuple[int, bool]]) -> str:
    """For each band of shown confidence: how many, their mean, and the share that was right."""
    bands: dict[int, list[tuple[int, bool]]] = {}
    for sure, right in rows:
        bands.setdefault(min(sure // 10, 9), []).append((sure, right))
    lines = ["  confidence      n   mean  right"]
    for band, members in sorted(bands.items()):
        mean = statistics.fmean(sure for sure, _ in members)
        share = statistics.fmean(right for _, right in members)
        lines.append(
            f"  {band * 10:3}–{band * 10 + 9:3}    {len(members):5}  {mean:4.0f}%   {share:4.0%}"
        )
    return "\n".join(lines)


def one_part(matcher: LocalMatcher, part: str) -> Callable[[str], list[str]]:
    """Ours with half of the score: `lexical` (BM25F with repaired typos) or `products` (vectors).

    Agents that the half says nothing for are left out.
    """

    def rank(request: str) -> list[str]:
        scores: Sequence[float] = getattr(matcher.index.score(request), part)
        scored = [
            (float(score), specs[0]) for score, specs in zip(scores, matcher.groups, strict=True)
        ]
        scored.sort(key=lambda row: (-row[0], row[1].id))
        return [str(spec.path) for score, spec in scored if score > 0]

    return rank


OURS = "ours, .4 BM25F + .6 vectors"
SEMANTIC = "ours, with sentences"


class Measured:
    """What one of our two ways to rank gave for each request, and what it cost."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[AgentMatch, ...]] = {}
        self.build_ms: dict[str, float] = {}
        self.query_ms: list[float] = []

    def ask(self, matcher: LocalMatcher, requests: Iterable[Labelled]) -> None:
        """Rank each request."""
        for labelled in requests:
            started = time.perf_counter()
            self.rows[labelled.id] = matcher.rank(labelled.request)
            self.query_ms.append((time.perf_counter() - started) * 1000)

    def rankings(self) -> dict[str, list[set[str]]]:
        """The places of each row."""
        return {key: [places(row) for row in rows] for key, rows in self.rows.items()}

    def print_costs(self) -> None:
        """Times to build and to ask, and the memory of the whole program until now."""
        times = sorted(self.query_ms)
        print("build " + ", ".join(f"{name} {ms:.0f} ms" for name, ms in self.build_ms.items()))
        print(
            f"query median {statistics.median(times):.2f} ms, "
            f"p99 {times[int(len(times) * 0.99)]:.2f} ms, max {times[-1]:.2f} ms; "
            f"memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most"
        )


def report(benchmark: Benchmark) -> None:
    """Run everything and print it."""
    rankings: dict[str, dict[str, list[set[str]]]] = {}
    ours, semantic = Measured(), Measured()
    matchers = {}
    for corpus, agents in benchmark.libraries.items():
        started = time.perf_counter()
        matcher = matchers[corpus] = LocalMatcher(agents)
        matcher.rank("warm", limit=1)
        ours.build_ms[corpus] = (time.perf_counter() - started) * 1000
        rows = matcher.rank("all of them", limit=len(agents))
        groups = {path: frozenset(places(row)) for row in rows for path in places(row)}
        methods = {
            "word overlap (the seed's)": word_overlap(agents),
            "BM25, name + description": plain_bm25(agents),
            "BM25F + repaired typos": one_part(matcher, "lexical"),
            "word vectors": one_part(matcher, "products"),
        }
        for labelled in benchmark.of(corpus):
            for name, rank in methods.items():
                order = distinct(rank(labelled.request), groups)
                rankings.setdefault(name, {})[labelled.id] = order
        ours.ask(matcher, benchmark.of(corpus))
        print(f"{corpus}: {len(agents)} agents, {len(matcher)} distinct")
    rankings[OURS] = ours.rankings()
    print("\ncosts by words")
    ours.print_costs()
    _add_sentences(benchmark, matchers, semantic)
    if semantic.rows:
        rankings[SEMANTIC] = semantic.rankings()
        print("costs with sentences")
        semantic.print_costs()
    else:
        print("The sentence model is not here: `secretary-tui model get semantic`.")
    print("\ntop-1 / top-3 / hit@10")
    for name, ranked in rankings.items():
        print(f"  {name:30}  {figures(benchmark, ranked)}")
        for corpus in benchmark.libraries:
            print(f"    {corpus[:28]:28}  {figures(Benchmark({}, benchmark.of(corpus)), ranked)}")
    for name, measured in ((OURS, ours), (SEMANTIC, semantic)):
        if measured.rows:
            print(f"\n{name}, by kind of request")
            _report_kinds(benchmark, rankings[name])
            _report_confidence(benchmark, measured.rows)


def _add_sentences(
    benchmark: Benchmark, matchers: Mapping[str, LocalMatcher], measured: Measured
) -> None:
    """Rank again by the meaning of sentences, read from nothing, if the model is here."""
    with tempfile.TemporaryDirectory() as folder:
        indexer = SentenceIndexer(cache=Path(folder) / "directions")
        for corpus, matcher in matchers.items():
            started = time.perf_counter()
            if not indexer.build(matcher):
                return
            measured.build_ms[corpus] = (time.perf_counter() - started) * 1000
            measured.ask(matcher, benchmark.of(corpus))
            matcher.sentences = None


def _report_kinds(benchmark: Benchmark, ranked: Mapping[str, Sequence[set[str]]]) -> None:
    for kind in sorted({labelled.kind for labelled in benchmark.requests if labelled.gold}):
        part = tuple(labelled for labelled in benchmark.requests if labelled.kind == kind)
        print(f"    {kind:28}  {figures(Benchmark({}, part), ranked)}")


def _report_confidence(benchmark: Benchmark, ours: Mapping[str, tuple[AgentMatch, ...]]) -> None:
    shown = [
        (match.confidence, bool(places(match) & labelled.gold))
        for labelled in benchmark.requests
        for match in ours[labelled.id][:4]
    ]
    print("  reliability of the first four (the weights were fitted on the development labels)")
    print(reliability(shown))
    strong = [right for sure, right in shown if sure > 70]
    print(f"  above 70: {len(strong)} matches, {statistics.fmean(strong or [0]):.0%} right")
    tops = [(labelled, ours[labelled.id][0].confidence) for labelled in benchmark.requests]
    for name, low in (("shown (≥ 50)", 50), ("recommended (> 70)", 71)):
        none = [sure >= low for labelled, sure in tops if not labelled.gold]
        some = [sure < low for labelled, sure in tops if labelled.gold]
        print(
            f"  none fits, {name}: false accepts {sum(none)} of {len(none)}, "
            f"false rejects {sum(some)} of {len(some)}"
        )


def main() -> None:
    """Read the arguments and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--labels", type=Path, help="labelled requests; made-up ones without it")
    parser.add_argument("--corpora", type=Path, help="the collections that they speak of")
    arguments = parser.parse_args()
    with labelled_or_sample(arguments.labels, arguments.corpora) as (labels, corpora):
        report(load(labels, corpora))


if __name__ == "__main__":
    main()
