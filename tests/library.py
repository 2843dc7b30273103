"""A small library of agents of our own, for tests that need somebody to choose from."""

from __future__ import annotations

from pathlib import Path

from secretary_tui.delegation.permissions.folder_trust import trust
from secretary_tui.sessions import ui_state

AGENTS = {
    "security-auditor": (
        "Audits code for security vulnerabilities such as injection, broken authentication and "
        "leaked secrets. Use before a release or when authentication changes.",
        "Read, Grep, Glob",
        "red",
    ),
    "code-critic": (
        "Reviews code changes for bugs, security slips and readability. Use before merging.",
        "Read, Grep, Glob, Bash",
        "blue",
    ),
    "schema-smith": (
        "Designs database schemas and writes migrations. Use when tables or indexes change.",
        "Read, Write, Edit",
        "green",
    ),
    "release-scribe": (
        "Writes changelogs and release notes from commits. Use when cutting a release.",
        "Read, Write, Bash",
        "yellow",
    ),
}


def make_library(project: Path) -> Path:
    """Write the agents into a project's `.claude/agents`; gives that folder."""
    folder = project / ".claude" / "agents"
    folder.mkdir(parents=True, exist_ok=True)
    for name, (description, tools, color) in AGENTS.items():
        (folder / f"{name}.md").write_text(agent_file(name, description, tools, color))
    return folder


def make_ready(project: Path) -> Path:
    """Fill a project: the agents, one file, trusted, the set-up screen already seen."""
    make_library(project)
    (project / "login.py").write_text("def login(name, password):\n    return True\n")
    trust(project)
    ui_state.remember(onboarded=True)
    return project


def agent_file(name: str, description: str, tools: str, color: str = "blue") -> str:
    """The text of a definition file."""
    return (
        f"---\nname: {name}\ndescription: {description}\ntools: {tools}\ncolor: {color}\n---\n\n"
        f"You are {name}. Do what the task says and report briefly.\n"
    )
