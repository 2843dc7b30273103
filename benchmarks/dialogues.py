"""Whether a conversation goes on: `python -m benchmarks.dialogues [FILE] [--corpora DIR] [--fit]`.

FILE holds JSON lines, by default those beside this script: `library` (`bundled`, or a folder below
the corpora), `turns` (what the `user` said, the `agent` that ran, its `answer`, the `files` it
touched), `next` (the message that follows), `kind` (follow-up, topic, reference, vague) and
`expect`: whether it is meant for the agent (`continue`), and a text that the request must hold once
its references are filled in (`refers_to`). With `minutes`, the message came so long after the
answer; ours are drawn by lot, sooner for what goes on. A vague request is right when nothing said
before is put to it.

Prints the share that is right, by kind, and what the confidences are worth. `--fit` fits the
weights of `coordinator/continuation.py` anew, says what they are worth on dialogues that they were
not fitted on, and prints them.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from secretary_tui.coordinator import continuation
from secretary_tui.coordinator.context import resolve
from secretary_tui.coordinator.continuation import WEIGHTS, Cue, cues_of, reason
from secretary_tui.coordinator.conversation import Conversation, Exchange
from secretary_tui.people import AgentMatch
from secretary_tui.registry.agent_index import LiveIndex
from secretary_tui.registry.definition.parse import read_agent
from secretary_tui.registry.definition.spec import AgentSpec, Source, SourceKind
from secretary_tui.routing.match.matcher import LocalMatcher

DIALOGUES = Path(__file__).with_name("dialogues.jsonl")
NOW = 1_800_000_000.0
FOLDS = 5
_RIDGE = 0.1
"""How much large weights cost in the fit."""
_STEPS = 60
_RANKED = 20
_BINS = ((0, 20), (20, 40), (40, 60), (60, 80), (80, 90), (90, 101))


@dataclass(frozen=True, slots=True)
class Case:
    """One message after a dialogue, and what is right for it."""

    id: str
    dialogue: str
    request: str
    kind: str
    goes_on: bool
    refers_to: str
    conversation: Conversation
    cues: tuple[Cue, ...]


@dataclass(frozen=True, slots=True)
class Library:
    """The agents of a library, ready to be ranked."""

    matcher: LocalMatcher
    ids: Mapping[str, str]
    """The id of each name."""


def load(file: Path, corpora: Path | None) -> tuple[Case, ...]:
    """Read the dialogues, and rank each message as it was typed."""

    @cache
    def library(name: str) -> Library:
        return read_library(corpora / name if corpora else Path(name))

    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]
    return tuple(_case(row, library(row["library"])) for row in rows)


def read_library(folder: Path) -> Library:
    """Read a folder of agents, and the bundled ones; without the folder, those alone."""
    source = Source(SourceKind.AGENTS_DIR, folder)
    found = (read_agent(path, source).spec for path in sorted(folder.rglob("*.md")))
    bundled = LiveIndex(Path("/nonexistent")).snapshot.active
    agents: dict[str, AgentSpec] = {spec.id: spec for spec in bundled}
    agents |= {spec.id: spec for spec in found if spec is not None}
    ids = {
        name: spec.id for spec in agents.values() for name in (spec.path.stem, spec.name, spec.id)
    }
    return Library(LocalMatcher(agents.values()), ids)


def _case(row: Mapping[str, Any], library: Library) -> Case:
    turns = row["turns"]
    agents = [library.ids.get(turn["agent"], turn["agent"]) for turn in turns]
    exchanges = tuple(
        Exchange(turn["user"], agent, turn["answer"], tuple(turn.get("files", ())), agent == before)
        for turn, agent, before in zip(turns, agents, ("", *agents), strict=False)
    )
    agent = exchanges[-1].agent if exchanges else ""
    minutes = row.get("minutes")
    ended = None if minutes is None else NOW - 60 * minutes
    conversation = Conversation(exchanges, "run" if exchanges else "", agent, "", ended)
    typed: Sequence[AgentMatch] = library.matcher.rank(row["next"], limit=_RANKED)
    expected = row["expect"]
    return Case(
        id=row["id"],
        dialogue=json.dumps(turns),
        request=row["next"],
        kind=row["kind"],
        goes_on=expected["continue"],
        refers_to=expected.get("refers_to", ""),
        conversation=conversation,
        cues=cues_of(row["next"], conversation, typed, NOW) if exchanges else (),
    )


def fault_of(case: Case, probability: float) -> str:
    """What is wrong with what is made of a message; empty when it is right."""
    goes_on = bool(case.conversation.run) and probability >= continuation.SHOWN_FROM / 100
    if goes_on != case.goes_on:
        return "goes on" if goes_on else "does not go on"
    resolved = resolve(case.request, case.conversation.exchanges).text
    if case.refers_to.lower() not in resolved.lower():
        return f"read as {resolved!r}"
    if case.kind == "vague" and not case.goes_on and resolved.strip() != case.request.strip():
        return f"glued: {resolved!r}"
    return ""


def report(cases: Sequence[Case], probability: Callable[[Case], float], *, faults: bool) -> None:
    """Print the shares that are right, and the calibration."""
    by_kind: dict[str, list[bool]] = defaultdict(list)
    for case in cases:
        fault = fault_of(case, probability(case))
        by_kind[case.kind].append(not fault)
        if fault and faults:
            says = reason(case.cues)
            sure = probability(case)
            print(f"{case.id} {case.kind:10}{sure:.2f}  {case.request!r}: {fault}; {says}")
    for kind, right in by_kind.items():
        print(f"{kind:12}{sum(right):5} of{len(right):5}{100 * sum(right) / len(right):8.1f} %")
    judged = [(probability(case), case.goes_on) for case in cases if case.conversation.run]
    print("confidence   stated  observed     n")
    for low, high in _BINS:
        inside = [(sure, right) for sure, right in judged if low <= 100 * sure < high]
        if inside:
            stated = 100 * sum(sure for sure, _ in inside) / len(inside)
            observed = 100 * sum(right for _, right in inside) / len(inside)
            print(f"{low:3}–{min(high, 100):<3}{stated:12.1f}{observed:10.1f}{len(inside):6}")


def fitted(cases: Iterable[Case]) -> dict[str, float]:
    """Fit a logistic regression with a ridge, by Newton's method."""
    import numpy as np

    judged = [case for case in cases if case.conversation.run]
    names = ["start", *sorted({cue.name for case in judged for cue in case.cues})]
    rows = np.zeros((len(judged), len(names)))
    rows[:, 0] = 1
    for row, case in zip(rows, judged, strict=True):
        for cue in case.cues:
            row[names.index(cue.name)] = cue.value
    truth = np.array([case.goes_on for case in judged], dtype=float)
    ridge = np.full(len(names), _RIDGE)
    ridge[0] = 0
    weights = np.zeros(len(names))
    for _ in range(_STEPS):
        said = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (said - truth) + ridge * weights
        curve = (rows * (said * (1 - said))[:, None]).T @ rows + np.diag(ridge)
        weights -= np.linalg.solve(curve, slope)
    return {name: round(float(weight), 2) for name, weight in zip(names, weights, strict=True)}


def _probability(cues: Iterable[Cue], weights: Mapping[str, float]) -> float:
    import math

    logit = weights["start"] + sum(cue.value * weights.get(cue.name, 0.0) for cue in cues)
    return 1 / (1 + math.exp(-logit))


def cross_validated(cases: Sequence[Case]) -> Callable[[Case], float]:
    """Give each message the probability by weights that its dialogue had no part in."""
    dialogues = sorted({case.dialogue for case in cases})
    fold = {dialogue: number % FOLDS for number, dialogue in enumerate(dialogues)}
    weights = [
        fitted(case for case in cases if fold[case.dialogue] != number) for number in range(FOLDS)
    ]
    return lambda case: _probability(case.cues, weights[fold[case.dialogue]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, nargs="?", default=DIALOGUES)
    parser.add_argument("--corpora", type=Path, help="holds one folder a library")
    parser.add_argument("--fit", action="store_true", help="fit the weights anew")
    parser.add_argument("--faults", action="store_true", help="print what is wrong, one a line")
    args = parser.parse_args()
    cases = load(args.file, args.corpora)
    if args.fit:
        print(f"On dialogues that the weights were not fitted on ({FOLDS} folds):")
        report(cases, cross_validated(cases), faults=args.faults)
        print("WEIGHTS = {")
        for name, weight in fitted(cases).items():
            print(f'    "{name}": {weight},')
        print("}")
    else:
        report(cases, lambda case: _probability(case.cues, WEIGHTS), faults=args.faults)


if __name__ == "__main__":
    main()
