"""Calls and tokens of the same tasks through a hosted model, before and after.

    python -m benchmarks.hosted_context --product DIR [--tasks FOLDER] [--only ID,…] [--limit N]

The scripted server plays a competent model by one policy for both checkouts, that of `--product`
and this one: once the text that the task is about is in its prompt, it answers; else it looks for
the file (`git diff`, Grep, Glob), then reads it. What a task is about follows from its form: what
its change adds; else the definitions, lines of a trace and files that the request names; else the
likeliest line, if it asks for a place; else, for a question, the README. Input tokens are the
characters of system prompt, tools and messages divided by 3.5, summed over all calls.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchmarks.task_set import Task, add_task_options, chosen_tasks, clean_environ, command, git
from tests.servers.anthropic_server import Request, ScriptedServer, Step, answer, text, tool_use

ANSWER = "This is what was asked for, with the place it stands in and the reason. " * 6
_CHARACTERS = 3.5
_ALLOWED = '{"permissions": {"allow": ["Bash(git diff:*)", "Bash(git show:*)"]}}'
"""What the user, who can't be asked here, would allow."""
_NAMES = re.compile(
    r"`(\w+)`|\b(\w+)\(|\b([a-zA-Z0-9]+_\w+)|\b(\w*[a-z][A-Z]\w*)|\w\.(\w+)"
    r"|(?:function|class|method|type|struct) (\w+)|(\w+) (?:function|class|method)"
)
_DEFINITION = r"^[ \t]*(?:\w+ )*?(?:def|class|func|function|const|let|type|interface) (?:\(.*?\) )?"
_TRACE = re.compile(r"""([\w./-]+\.\w+)(?:", line |:)(\d+)""")

Call = tuple[str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class Need:
    """A piece of a file that the right answer rests on."""

    path: str
    lines: list[str]
    look_up: Call
    """The call that finds the file where its path isn't known."""

    def is_in(self, prompt: str) -> bool:
        lines = [_quoted(line) for each in self.lines if len(line := each.strip()) > 3]
        return sum(line in prompt for line in lines) >= 0.9 * len(lines)

    def calls(self, prompt: str) -> Iterator[Call]:
        """The calls that get it, in order."""
        if self.look_up[0] == "Bash" or self.path not in prompt:
            yield self.look_up
        yield "Read", {"file_path": self.path}


def needs_of(task: Task, root: Path) -> list[Need]:
    if change := task.change or dict(*task.commits[-1:]):
        base, shown = ("HEAD", "diff HEAD") if task.change else ("HEAD~1", "show HEAD")
        look_up: Call = ("Bash", {"command": f"git {shown}"})
        old = {path: git(root, "show", f"{base}:{path}").splitlines() for path in change}
        return [
            Need(path, [line for line in new.splitlines() if line not in old[path]], look_up)
            for path, new in change.items()
            if path != "message"
        ]
    paths = git(root, "ls-files").splitlines()
    files = {path: (root / path).read_text("utf-8").splitlines() for path in paths}
    named = [path for path in paths if re.search(rf"\b{re.escape(_name(path))}\b", task.request)]
    needs = [
        Need(path, lines[max(0, int(number) - 3) : int(number) + 2], _glob(path))
        for suffix, number in _TRACE.findall(task.request)
        for path, lines in files.items()
        if suffix.endswith(path)
    ]
    needs = needs or [*_definitions(task.request, {path: files[path] for path in named} or files)]
    covered = {need.path for need in needs}
    whole = {*named, *task.files} & {*paths} - covered
    needs += [Need(path, files[path], _glob(path)) for path in whole]
    if not needs and task.kind == "find":
        needs = [_likeliest_line(task.request, files)]
    if not needs and task.kind in ("explain", "summarise") and "README.md" in files:
        needs = [Need("README.md", files["README.md"][:15], _glob("README.md"))]
    return needs


def _quoted(value: object) -> str:
    """A value as it stands inside a request's body."""
    return json.dumps(value, ensure_ascii=False)[1:-1]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _glob(path: str) -> Call:
    return "Glob", {"pattern": f"**/{_name(path)}"}


def _definitions(request: str, files: Mapping[str, list[str]]) -> Iterator[Need]:
    for name in {name for found in _NAMES.findall(request) for name in found if name}:
        for path, lines in files.items():
            for number, line in enumerate(lines):
                if re.match(rf"{_DEFINITION}{name}\b", line):
                    yield Need(path, lines[number : number + 5], ("Grep", {"pattern": name}))


def _likeliest_line(request: str, files: Mapping[str, list[str]]) -> Need:
    """The line that holds the most of the request, word by word."""
    words = re.findall(r"\w{4,}", request.lower())
    lines = ((path, line) for path, lines in files.items() for line in lines)
    path, line = max(lines, key=lambda each: sum(len(w) for w in words if w in each[1].lower()))
    longest = max((word for word in words if word in line.lower()), key=len, default=".")
    return Need(path, [line], ("Grep", {"pattern": longest}))


class Cost(NamedTuple):
    """What one task took, or many."""

    calls: int
    input_tokens: int
    output_tokens: int

    def __str__(self) -> str:
        return f"{self.calls:3} calls {self.input_tokens:7,} + {self.output_tokens:5,} tokens"


class CompetentModel(ScriptedServer):
    """Answers by the policy, and counts."""

    def __init__(self, needs: list[Need]) -> None:
        super().__init__()
        self._needs = needs
        self.input_tokens = self.output_tokens = 0

    def take(self, request: Request) -> Step:
        body = request.body
        self.requests.append(request)
        prompt = _quoted([body.get("system"), body["messages"]])
        self.input_tokens += round((len(prompt) + len(_quoted(body.get("tools")))) / _CHARACTERS)
        tools = {tool.get("name") for tool in body.get("tools", ())}
        made = [
            (block["name"], block["input"])
            for message in body["messages"]
            for block in message["content"]
            if isinstance(block, dict) and block["type"] == "tool_use"
        ]
        calls: list[Call] = []
        for need in self._needs:
            options = [] if need.is_in(prompt) else need.calls(prompt)
            left = (call for call in options if call[0] in tools and call not in made)
            calls += [call for call in [next(left, None)] if call and call not in calls]
        self.output_tokens += round(len(_quoted(calls) if calls else ANSWER) / _CHARACTERS)
        return answer(*(tool_use(*call) for call in calls)) if calls else answer(text(ANSWER, 80))


def run_task(task: Task, tasks: Path, product: Path | None) -> Cost:
    with tempfile.TemporaryDirectory() as folder:
        root = task.lay_out(tasks, Path(folder))
        settings = Path(folder) / ".claude" / "settings.json"
        settings.parent.mkdir()
        settings.write_text(_ALLOWED)
        model = CompetentModel(needs_of(task, root))
        with model:
            there = {"ANTHROPIC_API_KEY": "sk-ant-test-key", "ANTHROPIC_BASE_URL": model.url}
            environ = clean_environ(Path(folder), **there)
            words = command(product, task, "anthropic")
            done = subprocess.run(words, cwd=root, env=environ, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{task.id}: {done.stdout[-500:]!r} {done.stderr[-500:]!r}")
    return Cost(len(model.requests), model.input_tokens, model.output_tokens)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_task_options(parser)
    parser.add_argument("--product", type=Path, required=True, metavar="DIR", help="before")
    options = parser.parse_args()
    pairs = []
    for task in chosen_tasks(options):
        pairs.append([run_task(task, options.tasks, each) for each in (options.product, None)])
        print(f"{task.id:<20} {pairs[-1][0]}   ->  {pairs[-1][1]}", flush=True)
    for name, costs in zip(("before", "after"), zip(*pairs, strict=True), strict=True):
        at_once = sum(cost.calls == 1 for cost in costs)
        total = Cost(*map(sum, zip(*costs, strict=True)))
        print(f"{name:<20} {total}; {at_once} of {len(costs)} answered at once")


if __name__ == "__main__":
    main()
