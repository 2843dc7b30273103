"""What the command line says where the library has nothing, or less than the project's files."""

from __future__ import annotations

import shlex
from pathlib import Path

from secretary_tui import paths
from secretary_tui.people import Recommendation
from secretary_tui.registry.unlisted import Unlisted
from secretary_tui.routing.recommend.advice import NO_MATCH, RoutingAdvice, advice_for
from secretary_tui.secretary import Secretary


def explain_no_match(found: Recommendation, secretary: Secretary) -> str:
    """Say that no agent fits, which ones come closest, and what to do."""
    return in_a_line(advice_for(found, len(secretary.index.active)) or NO_MATCH)


def in_a_line(advice: RoutingAdvice) -> str:
    """Give an advice with its suggestions as one line."""
    return " ".join((advice.message, *(f"{suggestion}." for suggestion in advice.suggestions)))


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
