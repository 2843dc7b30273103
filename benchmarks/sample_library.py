"""A made-up library of agents, for measuring where no real one is at hand.

    python -m benchmarks.sample_library [FOLDER] [--agents 200] [--seed 1]

Writes `FOLDER/.claude/agents`, or lists the agents when no folder is named. A seed always gives
the same files: definitions of 4 to 6 kB, one for each pair of a subject and a role, with tools,
colours and, for every third, `<example>` dialogues. Beyond 200 agents the pairs repeat for other
teams. `write_labelled` adds requests and the agents that are right for them. Nobody ever
asked those: figures on them compare with one another, not with figures on real requests.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path

WRITTEN_AT = 1_700_000_000
"""Time stamp of the files: old enough that a cache trusts it."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What agents know about."""

    name: str
    things: tuple[str, ...]
    """What a description and a body speak of."""
    asks: tuple[str, str]
    """A thing to work on and a fault, as a user says them."""


def _subject(name: str, things: str, thing: str, fault: str) -> Subject:
    return Subject(name, tuple(things.split(", ")), (thing, fault))


SUBJECTS = (
    _subject("postgres", "query plans, indexes, vacuum, replication, partitioned tables",
             "the orders table", "the report query takes twelve seconds since the table grew"),
    _subject("react", "components, hooks, state, rendering, suspense boundaries",
             "the settings page", "the list draws itself again with every letter typed"),
    _subject("kubernetes", "deployments, pods, ingress, autoscaling, helm charts",
             "our cluster manifests", "the pods restart every few minutes and nobody knows why"),
    _subject("security", "authentication, injection, secrets, permissions, threat models",
             "the login form", "a scanner says that the search field is open to injection"),
    _subject("python", "type hints, asyncio, packaging, generators, dataclasses",
             "the import script", "the worker hangs as soon as two coroutines share a session"),
    _subject("rust", "ownership, lifetimes, traits, crates, unsafe blocks",
             "the parser crate", "the borrow checker refuses the cache since it holds references"),
    _subject("android", "activities, compose screens, background services, play store releases",
             "the phone app's start screen", "the app loses its form when the phone is turned"),
    _subject("billing", "invoices, subscriptions, refunds, taxes, payment webhooks",
             "the invoice module", "customers are charged twice when the payment page times out"),
    _subject("storefront", "carts, discount codes, product pages, loading times, checkout pages",
             "the shopping cart", "the checkout page takes ten seconds to load"),
    _subject("search", "tokenizers, relevance, ranking, facets, synonyms",
             "the product search", "people who misspell a brand find nothing"),
    _subject("pipeline", "spark jobs, streaming, warehouse models, schemas, backfills",
             "the nightly import", "yesterday's numbers in the warehouse are doubled"),
    _subject("machine-learning", "training runs, features, embeddings, evaluation, drift",
             "the churn model", "the model predicts worse every week since the spring"),
    _subject("accessibility", "screen readers, contrast, focus order, aria roles, captions",
             "the booking dialog", "a blind user can't reach the button with the keyboard"),
    _subject("documentation", "tutorials, reference pages, changelogs, diagrams, style guides",
             "the installation guide", "newcomers give up at the second step of the guide"),
    _subject("api", "endpoints, versioning, pagination, rate limits, openapi contracts",
             "the orders endpoint", "clients break whenever a field of the answer is renamed"),
    _subject("observability", "traces, metrics, dashboards, alerts, log retention",
             "the on-call dashboard", "the pager rings all night over nothing"),
    _subject("network", "dns, load balancers, firewalls, tls certificates, routing tables",
             "the vpn setup", "connections to the office drop every hour"),
    _subject("game", "sprites, collision, frame budgets, shaders, level editors",
             "the platform level", "the player falls through the floor when the frame rate drops"),
    _subject("embedded", "firmware, interrupts, registers, power budgets, bootloaders",
             "the sensor firmware", "the battery is empty after a day instead of a month"),
    _subject("compiler", "parsers, intermediate code, register allocation, optimizer passes",
             "the expression grammar", "the optimizer removes a loop that has a side effect"),
    _subject("marketing", "campaigns, landing pages, newsletters, audiences, conversion",
             "the spring newsletter", "hardly anybody opens our mails any more"),
    _subject("legal", "contracts, licences, privacy notices, data processing agreements",
             "the privacy notice", "a customer asks what we store about them and for how long"),
    _subject("finance", "budgets, forecasts, ledgers, cash flow, audits",
             "the yearly budget", "the ledger and the bank statement differ by nine cents"),
    _subject("graphql", "resolvers, schemas, federation, persisted queries, subscriptions",
             "the product graph", "one page sends four hundred calls to the resolver"),
    _subject("terraform", "modules, state files, providers, drift, workspaces",
             "our cloud modules", "the plan wants to destroy the production database"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Role:
    """What agents do with what they know."""

    name: str
    does: str
    tools: str
    asked: str
    """A request for it; `{}` is the thing to work on."""


ROLES = (
    Role("reviewer", "Reviews changes and names each fault with its line",
         "Read, Grep, Glob", "please review {} before we merge it"),
    Role("debugger", "Finds the cause of faults and proves it with the smallest example",
         "Read, Grep, Glob, Bash", "find the cause of the trouble with {}"),
    Role("architect", "Designs how parts fit together and writes down what was decided",
         "Read, Write, Grep", "design how {} should be built for ten times the load"),
    Role("tester", "Writes automated tests and keeps them quick and honest",
         "Read, Write, Edit, Bash", "write automated tests for {}"),
    Role("optimizer", "Measures first, then makes the slow part faster",
         "Read, Edit, Bash", "measure {} and make it faster"),
    Role("migrator", "Moves what exists to a new version step by step, with a way back",
         "Read, Write, Edit, Bash", "move {} to the new version step by step"),
    Role("trainer", "Explains to beginners with short examples and exercises",
         "Read, WebFetch", "explain {} to somebody who is new here"),
    Role("builder", "Implements new functions from a short order and keeps to the house style",
         "Read, Write, Edit, Bash, Grep", "add an export button to {}"),
)  # fmt: skip
TEAMS = ("", "platform", "mobile", "growth", "partner", "research", "field", "core", "edge", "labs")
COLORS = ("red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan")
FOREIGN = (
    "what shall I cook for six people tonight",
    "translate my grandmother's letter from Polish",
    "book a table near the opera for Friday",
    "which trees keep their leaves in winter",
    "write a birthday poem for my uncle",
    "how do I get red wine out of a carpet",
    "plan a week of hiking in Norway",
    "who won the chess match yesterday",
)
"""Requests that no agent is for."""
_VERBS = (
    "check", "name", "measure", "compare", "write down", "repeat", "explain", "leave alone",
    "read", "count", "draw", "split", "keep", "remove", "question", "record",
)  # fmt: skip
_ENDS = (
    "before anything is changed", "and say what was left out", "with the figures beside it",
    "as the team does it already", "until two people agree", "when the order says so",
    "in the smallest step that can be undone", "and never guess",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SampleAgent:
    """One made-up agent."""

    subject: Subject
    role: Role
    team: str

    @property
    def name(self) -> str:
        """Such as `postgres-reviewer`, with the team ahead for a repeated pair."""
        return "-".join(filter(None, (self.team, self.subject.name, self.role.name)))

    def request(self, reworded: bool = False) -> str:
        """What a user would ask of it; `reworded` gives another one for the same work."""
        thing, fault = self.subject.asks
        if self.role.name == "debugger":
            return f"find the bug in {self.subject.things[-1]}" if reworded else f"{fault}, why?"
        return self.role.asked.format(self.subject.things[-1] if reworded else thing)

    def text(self, seed: int) -> str:
        """The definition file."""
        chance = random.Random(f"{seed} {self.name}")
        things = list(self.subject.things)
        chance.shuffle(things)
        subject = self.subject.name.replace("-", " ")
        description = (
            f"{self.role.does}, for {subject} work: {', '.join(things[:-1])} and {things[-1]}. "
            f"Use when {things[0]} or {things[1]} need a {self.role.name}"
            + (f" of the {self.team} team." if self.team else ".")
        )
        if chance.random() < 1 / 3:
            said = f"user: '{self.request(reworded=True)}'\\nassistant: 'I'll ask {self.name}.'"
            description += f"\\n\\n<example>\\n{said}\\n</example>"
        lines = (
            f'name: {self.name}\ndescription: "{description}"\ntools: {self.role.tools}\n'
            f"model: {chance.choice(('sonnet', 'opus', 'haiku', 'inherit'))}\n"
            f"color: {chance.choice(COLORS)}"
        )
        return f"---\n{lines}\n---\n\n{self._body(chance)}\n"

    def _body(self, chance: random.Random) -> str:
        def sentence() -> str:
            thing = chance.choice(self.subject.things)
            return f"{chance.choice(_VERBS).capitalize()} the {thing} {chance.choice(_ENDS)}."

        subject = self.subject.name.replace("-", " ")
        parts = [f"You are a {self.role.name} for {subject}. {self.role.does}."]
        for thing in self.subject.things:
            rows = "\n".join(f"- {sentence()}" for _ in range(5))
            told = " ".join(sentence() for _ in range(chance.randint(8, 14)))
            parts.append(f"## {thing.capitalize()}\n\n{told}\n\n{rows}")
        asked = [self.role.asked.format(thing) for thing in (*self.subject.things, subject)]
        parts.append("## Example Interactions\n\n" + "\n".join(f'- "{said}"' for said in asked))
        return "\n\n".join(parts)


def sample_agents(
    count: int, subjects: Sequence[Subject] = SUBJECTS, seed: int = 1
) -> list[SampleAgent]:
    """Draw `count` different agents; the teams' numbers go on when all pairs are used up."""
    found: list[SampleAgent] = []
    pairs = list(product(subjects, ROLES))
    random.Random(seed).shuffle(pairs)
    for repeat in range(-(-count // len(pairs))):
        number = repeat // len(TEAMS)
        team = TEAMS[repeat % len(TEAMS)] + (str(number) if number else "")
        found += (SampleAgent(subject, role, team) for subject, role in pairs)
    return found[:count]


def write_agents(folder: Path, agents: Sequence[SampleAgent], seed: int = 1) -> list[Path]:
    """Write definition files, a folder for each role; gives their paths."""
    written = []
    for agent in agents:
        path = folder / agent.role.name / f"{agent.name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(agent.text(seed), encoding="utf-8")
        os.utime(path, (WRITTEN_AT, WRITTEN_AT))
        written.append(path)
    return written


def write_project(folder: Path, count: int = 200, seed: int = 1) -> Path:
    """Make a project with a library of `count` agents; gives its folder."""
    (folder / ".git").mkdir(parents=True, exist_ok=True)
    write_agents(folder / ".claude" / "agents", sample_agents(count, seed=seed), seed)
    return folder


@contextmanager
def project_or_sample(given: Path | None, count: int = 200) -> Iterator[Path]:
    """The project that was named, or else a made-up one that is gone afterwards."""
    if given is not None:
        yield given.resolve()
        return
    with tempfile.TemporaryDirectory() as folder:
        print(f"No --project: measured on a made-up library of {count} agents.")
        yield write_project(Path(folder) / "project", count)


@contextmanager
def labelled_or_sample(labels: Path | None, corpora: Path | None) -> Iterator[tuple[Path, Path]]:
    """The labels and collections that were named, or made-up ones that are gone afterwards.

    Raises:
        SystemExit: only one of the two was named, or there is no such file.
    """
    if labels is None and corpora is None:
        with tempfile.TemporaryDirectory() as folder:
            print("No --labels: made-up requests to made-up libraries; nobody ever asked those.")
            yield write_labelled(Path(folder))
        return
    if labels is None or corpora is None:
        raise SystemExit("--labels and --corpora go together; name both, or neither.")
    if not labels.is_file() or not corpora.is_dir():
        raise SystemExit(f"There are no labels at {labels}, or no collections at {corpora}.")
    yield labels.resolve(), corpora.resolve()


def write_labelled(folder: Path) -> tuple[Path, Path]:
    """Write two libraries and labelled requests for them; gives the labels and the collections.

    The libraries share some subjects. Each agent gets one request, every third another one, and
    each library some that no agent is for.
    """
    corpora, labels = folder / "corpora", folder / "labels.jsonl"
    index: dict[str, list[dict[str, str]]] = {}
    rows: list[dict[str, object]] = []
    for owner, subjects in (("north", SUBJECTS[:16]), ("south", SUBJECTS[8:])):
        corpus = f"{owner}/agents"
        home = corpora / corpus.replace("/", "__")
        agents = sample_agents(len(subjects) * len(ROLES), subjects)
        paths = write_agents(home / ".claude" / "agents", agents)
        index[owner] = [
            {"id": f"{agent.role.name}:{agent.name}", "path": str(path.relative_to(home))}
            for agent, path in zip(agents, paths, strict=True)
        ]
        ids = [entry["id"] for entry in index[owner]]
        asked = [(agent.request(), [own]) for agent, own in zip(agents, ids, strict=True)]
        asked += [
            (agent.request(reworded=True), [own])
            for agent, own in list(zip(agents, ids, strict=True))[::3]
        ]
        asked += [(request, []) for request in FOREIGN]
        rows += (
            {
                "id": f"{owner}-{number}",
                "corpus": corpus,
                "request": request,
                "gold": gold,
                "kind": "made up" if gold else "foreign",
            }
            for number, (request, gold) in enumerate(asked)
        )
    labels.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    (folder / "agents_index.json").write_text(json.dumps(index), encoding="utf-8")
    return labels, corpora


def write_collections(folder: Path) -> Path:
    """Write three collections: the two labelled libraries, and one that is in bad order."""
    _, corpora = write_labelled(folder)
    rough = corpora / "rough"
    paths = write_agents(
        rough / ".claude" / "agents", sample_agents(64, SUBJECTS[:8], seed=2), seed=2
    )
    for number, path in enumerate(paths):
        text = path.read_text(encoding="utf-8")
        if number % 4 == 0:  # A colon within an unquoted text: no valid YAML.
            text = text.replace('description: "', "description: Note: ").replace('."\n', ".\n", 1)
        elif number % 4 == 1:
            text = text.replace("tools: Read", "tools: Raed", 1)
        elif number % 8 == 2:
            text = text.split("---\n", 2)[2]
        elif number % 8 == 6:
            text = text.replace("name:", "title:", 1).replace("description:", "summary:", 1)
        path.write_text(text, encoding="utf-8")
    return corpora


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", help="write the library here")
    parser.add_argument("--agents", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.folder:
        write_project(options.folder, options.agents, options.seed)
        print(f"{options.agents} agents in {options.folder / '.claude' / 'agents'}")
        return
    for agent in sample_agents(options.agents, seed=options.seed):
        print(f"{agent.name:36} {agent.request()}")


if __name__ == "__main__":
    main()
