"""Small tasks with results that a program can check, for `local_tasks` and `hosted_context`.

A set is a folder with `repositories/NAME/…` and `tasks.jsonl`, an object a line (`Task`). Patterns
are searched with re.I and re.S.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from secretary_tui.codec import from_json

TASKS = Path(__file__).with_name("local_tasks")
NOT_FOUND = r"(could|can)( not|not|n't) find"
_TEST_S = 60
_NOT_OURS = ("ANTHROPIC_", "SECRETARY_TUI_", "XDG_", "PYTHON", "GIT_")
_COMMITTER = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "bench"), ("EMAIL", "bench@example.org"))
}
_CODE = re.compile(r"```[^\n`]*\n(.*?)```|`([^`\n]+)`", re.S)
_LOOKS_LIKE_PATTERN = re.compile(r"[\\^$*+?\[(|]")
_LITERAL = re.compile(
    r"""(?:^|=|re\.\w+\()\s*r?(["'])(?P<quoted>.+?)\1\s*(?:[,)]|$)|^/(?P<slashed>.+)/\w*$""", re.M
)


@dataclass(frozen=True, slots=True)
class Expected:
    """Patterns that a text must hold, and that it must not."""

    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()

    def faults(self, text: str) -> list[str]:
        found = {each: re.search(each, text, re.I | re.S) for each in self.must + self.must_not}
        return [
            *(f"lacks {pattern}" for pattern in self.must if not found[pattern]),
            *(f"has {pattern}" for pattern in self.must_not if found[pattern]),
        ]


@dataclass(frozen=True, slots=True)
class Task:
    """A request in a repository, and how its result is judged."""

    id: str
    kind: str
    repository: str
    request: str
    agent: str
    change: Mapping[str, str] = field(default_factory=dict)
    """Whole files laid over the repository and not committed."""
    commits: tuple[Mapping[str, str], ...] = ()
    """The same, each committed with its `message`."""
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    files: Mapping[str, Expected] = field(default_factory=dict)
    test: str = ""
    """A command that must exit 0 after the run."""
    regex: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Texts that the answer's first pattern `accepts`, and that it `rejects`."""

    @property
    def changes_files(self) -> bool:
        return bool(self.files or self.test)

    def lay_out(self, tasks: Path, folder: Path) -> Path:
        """Make the repository in a folder; gives its root."""
        root = folder / self.repository
        shutil.copytree(tasks / "repositories" / self.repository, root)
        git(root, "init", "-q")
        for change in ({"message": "Start"}, *self.commits):
            _write(root, change)
            git(root, "add", "-A")
            git(root, "commit", "-qm", change["message"])
        _write(root, self.change)
        return root

    def faults(self, root: Path, answer: str) -> list[str]:
        """List what is wrong with the result; empty when it is right."""
        found = Expected(self.must, (*self.must_not, NOT_FOUND)).faults(answer)
        if not (answer.strip() or self.changes_files):
            found.append("no answer")
        for path, expected in self.files.items():
            text = (root / path).read_text("utf-8") if (root / path).is_file() else ""
            found += [f"{path}: {fault}" for fault in expected.faults(text)]
        if self.regex:
            found += _pattern_faults(first_pattern(answer), self.regex)
        if self.test and not _passes(self.test, root):
            found.append(f"fails: {self.test}")
        return found


def _passes(test: str, root: Path) -> bool:
    words = ["timeout", str(_TEST_S), "sh", "-c", test]
    return subprocess.run(words, cwd=root, capture_output=True, check=False).returncode == 0


def add_task_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tasks", type=Path, default=TASKS, metavar="FOLDER")
    parser.add_argument("--only", default="", metavar="ID,…")
    parser.add_argument("--limit", type=int, help="only so many tasks, evenly spread")


def chosen_tasks(options: argparse.Namespace) -> list[Task]:
    lines = (options.tasks / "tasks.jsonl").read_text("utf-8").splitlines()
    tasks = [from_json(Task, json.loads(line)) for line in lines if line.strip()]
    if only := set(filter(None, options.only.split(","))):
        tasks = [task for task in tasks if task.id in only]
    if not tasks:
        raise SystemExit("there are no such tasks")
    count = options.limit or len(tasks)
    return tasks[:: max(1, len(tasks) // count)][:count]


def command(product: Path | None, task: Task, engine: str) -> list[str]:
    """The command of a task; `product` is another checkout, which has its own `.venv`."""
    program = product.resolve() / ".venv" / "bin" if product else Path(sys.executable).parent
    words = ["--agent", task.agent, "--engine", engine, "--trust"]
    words += ["--permission-mode", "accept-edits", "--output-format", "stream-json"]
    return [str(program / "secretary-tui"), "run", task.request, *words]


def clean_environ(home: Path, **more: str) -> dict[str, str]:
    """The environment of somebody whose home folder this is, without keys or settings."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(_NOT_OURS)}
    return {**kept, "HOME": str(home), **more}


def git(root: Path, *words: str) -> str:
    environ = clean_environ(root.parent, GIT_CONFIG_GLOBAL=os.devnull, **_COMMITTER)
    done = subprocess.run(["git", *words], cwd=root, env=environ, capture_output=True, check=False)
    if done.returncode and words[0] != "show":
        raise SystemExit(f"git {' '.join(words)}: {done.stderr.decode()}")
    return done.stdout.decode("utf-8", "replace")


def first_pattern(answer: str) -> str:
    """The first regular expression in a code span or block; the answer itself without one."""
    codes = [(found[1] or found[2] or "").strip() for found in _CODE.finditer(answer)]
    codes = [code for code in codes if code] or [answer.strip()]
    code = next(filter(_LOOKS_LIKE_PATTERN.search, codes), codes[0])
    if literal := _LITERAL.search(code):
        return next(filter(None, literal.groupdict().values()))
    return next(iter(code.splitlines()), "")


def _write(root: Path, change: Mapping[str, str]) -> None:
    for path, text in change.items():
        if path != "message":
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, "utf-8")


def _pattern_faults(pattern: str, samples: Mapping[str, tuple[str, ...]]) -> list[str]:
    try:
        return [
            f"{pattern} {verb} {text}"
            for verb, key in (("rejects", "accepts"), ("accepts", "rejects"))
            for text in samples.get(key, ())
            if (re.search(pattern, text) is None) == (key == "accepts")
        ]
    except re.error as error:
        return [f"{pattern}: {error}"]
