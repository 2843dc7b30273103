"""What the command line says where the library has nothing, or less than the project's files."""

from __future__ import annotations

import shlex
from pathlib import Path

from secretary_tui import paths
from secretary_tui.registry.unlisted import Unlisted
from secretary_tui.secretary import Secretary

NO_AGENTS = (
    "No agents found. Install plugins with agents first: run /plugin install <plugin-name> in "
    "Claude Code, put agent files into .claude/agents/, or name a folder with --agents-dir."
)
NO_MATCH = (
    "No suitable agent found for your request. Describe your task more specifically, or see "
    "`secretary-tui agents` for the list (`match --top 5` shows the closest)."
)


def explain_no_match(secretary: Secretary) -> str:
    """Give the sentence that fits the library."""
    return NO_MATCH if secretary.index.active else NO_AGENTS


def explain_unlisted(unlisted: Unlisted) -> str:
    """Name what lies there, the option that lists it once and the setting that keeps it."""
    here = Path.cwd()
    folder = unlisted.folder
    short = folder.relative_to(here) if folder.is_relative_to(here) else folder
    return (
        f"{unlisted.sentence}: `--agents-dir {shlex.quote(str(short))}` lists them this time, "
        f"the setting agents_folders in {paths.shown(paths.user_config())} always."
    )


def unlisted_as_json(unlisted: Unlisted | None) -> dict[str, object] | None:
    """The same for programs."""
    return {"path": str(unlisted.folder), "files": unlisted.count} if unlisted else None
