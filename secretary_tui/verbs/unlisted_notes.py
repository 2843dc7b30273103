"""What the command line says about agent files in the project that no source leads to."""

from __future__ import annotations

import shlex
from pathlib import Path

from secretary_tui import paths
from secretary_tui.registry.unlisted import Unlisted


def explain_unlisted(unlisted: Unlisted) -> str:
    """Name what lies there, the option that lists it once and the setting that keeps it."""
    here = Path.cwd()
    folder = unlisted.folder
    short = folder.relative_to(here) if folder.is_relative_to(here) else folder
    return (
        f"{unlisted.sentence}: `--agents-dir {shlex.quote(str(short))}` lists them this time, "
        f"the setting agents_folders in {paths.shown(paths.user_config())} always."
    )


def as_json(unlisted: Unlisted | None) -> dict[str, object] | None:
    """The same for programs."""
    return {"path": str(unlisted.folder), "files": unlisted.count} if unlisted else None
