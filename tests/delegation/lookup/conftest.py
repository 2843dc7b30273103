"""A small project in several languages, and a look at it as a run has one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from secretary_tui.delegation.lookup.looked_up import LookedUp
from secretary_tui.delegation.lookup.lookup import ProjectLookup
from secretary_tui.delegation.lookup.project_sight import ProjectSight
from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from secretary_tui.delegation.permissions.rules import parse_rules
from secretary_tui.delegation.workspace.workspace import Workspace

FILES = {
    "README.md": "# Parcel desk\n\nPrints labels for parcels.\n\n## Setting up\n\nInstall it.\n",
    "pyproject.toml": '[project]\nname = "desk"\n[tool.pytest.ini_options]\ntestpaths = ["."]\n',
    "Dockerfile": "FROM python:3.12 AS base\nRUN pip install .\n",
    "docker-compose.yml": "services:\n  web:\n    image: desk\n    ports:\n    - 80:80\n",
    ".github/workflows/ci.yml": "jobs:\n  lint:\n    runs-on: ubuntu\n",
    "desk/labels.py": (
        '"""Labels."""\n\nMAX_WIDTH = 40\n\n\n'
        "def print_label(parcel, copies=1):\n    for _ in range(copies):\n"
        "        send(render(parcel))\n\n\n"
        "def render(parcel):\n    return parcel.name[:MAX_WIDTH]\n"
    ),
    "desk/queue.py": (
        "class PrintQueue:\n    def __init__(self):\n        self.waiting = []\n\n"
        "    def push(self, label):\n        self.waiting.append(label)\n\n"
        "    def drain(self):\n        # Give up after the retry limit.\n"
        "        for _ in range(RETRY_LIMIT):\n            self.waiting.pop()\n\n\n"
        "RETRY_LIMIT = 5\n"
    ),
    "web/src/app.ts": (
        "export function loadParcels(url: string) {\n  return fetch(url);\n}\n\n"
        "export class ParcelList {\n"
        "  render(): string {\n    return this.rows.join();\n  }\n}\n"
    ),
    "web/package.json": '{"name": "web", "scripts": {"test": "vitest run"}}\n',
    "go/cmd/main.go": "package main\n\nfunc serve(port int) error {\n\treturn nil\n}\n",
    "tests/test_labels.py": (
        "import pytest\n\n\ndef test_render():\n    assert render(P('a')) == 'a'\n"
    ),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "desk-project"
    for name, text in FILES.items():
        write(folder, name, text)
    for number in range(20):
        write(folder, f"notes/day_{number}.txt", "Nothing of note happened on this day.\n" * 30)
    return folder


@pytest.fixture
def look(project: Path) -> Callable[..., ProjectLookup]:
    """Gives a look at the project, with deny rules and the tools that are offered."""

    def make(*deny: str, offered: OfferedTools | None = None) -> ProjectLookup:
        return ProjectLookup(sight_of(project, *deny, offered=offered))

    return make


def sight_of(folder: Path, *deny: str, offered: OfferedTools | None = None) -> ProjectSight:
    rules = [rule for text in deny for rule in parse_rules(text)]
    tools = offered or OfferedTools(("Read", "Glob", "Grep"))
    return ProjectSight(Workspace.at(folder), tools, rules)


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def titles(found: LookedUp) -> list[str]:
    return [excerpt.title for excerpt in found.excerpts]


def git(folder: Path, *arguments: str) -> None:
    who = {
        f"GIT_{role}_{key}": "x" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")
    }
    subprocess.run(["git", *arguments], cwd=folder, check=True, env={**os.environ, **who})


def commit_all(folder: Path, message: str) -> None:
    if not (folder / ".git").exists():
        git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", message)
