"""The program as a process, and a small library of agents to point it at."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

AGENTS = {
    "security-reviewer": (
        "Reviews code for security vulnerabilities: injection, authentication, secrets.",
        "tools: Read, Grep, Glob\n",
        "You review code for security vulnerabilities and rate each finding.",
    ),
    "kubernetes-operator": (
        "Deploys and debugs Kubernetes clusters, manifests and Helm charts.",
        "tools: Read, Write, Edit, Bash\n",
        "You debug kubernetes deployments: pods, services, ingress, helm.",
    ),
    "docs-writer": (
        "Writes documentation, tutorials and README files.",
        "model: haiku\ntools: Read, Write\n",
        "You write documentation that a newcomer can follow.",
    ),
}
_NOT_OURS = (
    *("PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"),
    *("NO_COLOR", "COLUMNS", "LINES"),
)
"""How whoever runs the tests has set up a shell must not change what is printed."""
CLEAR_REQUEST = "Review the authentication code for security vulnerabilities"


@contextlib.contextmanager
def obeying_ctrl_c() -> Iterator[None]:
    """Start a process in here so that SIGINT reaches it.

    A test run in the background of a shell ignores the signal, and so would its children.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@dataclass(frozen=True)
class Finished:
    """What a process left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def json_lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a process is started with; a model has all the time it wants for the ranking."""
    inherited = {name: value for name, value in os.environ.items() if name not in _NOT_OURS}
    fixed = {"SECRETARY_TUI_BUNDLED_AGENTS": "false", "SECRETARY_TUI_ROUTING_TIMEOUT_S": "60"}
    return {**inherited, **fixed, **(extra or {})}


def cli(
    *arguments: str | Path,
    cwd: Path,
    stdin: str | bytes = "",
    env: Mapping[str, str] | None = None,
) -> Finished:
    """Run `secretary-tui` without a terminal."""
    done = subprocess.run(
        [sys.executable, "-m", "secretary_tui", *map(str, arguments)],
        cwd=cwd,
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        env=environment(env),
        capture_output=True,
        timeout=60,
        check=False,
    )
    finished = Finished(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in finished.err + finished.out, finished.err
    return finished


def write_agent(folder: Path, name: str, description: str, extra: str = "", body: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.md"
    path.write_text(
        f"---\nname: {name}\ndescription: {description!r}\n{extra}---\n{body or 'You help.'}\n",
        encoding="utf-8",
    )
    return path


def write_library(project: Path) -> Path:
    for name, (description, extra, body) in AGENTS.items():
        write_agent(project / ".claude" / "agents", name, description, extra, body)
    return project
