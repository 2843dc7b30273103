"""Small things the screen remembers between starts; read before the first paint, so plain JSON."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from secretary_tui import paths

if TYPE_CHECKING:
    from secretary_tui.config import Config


@dataclass(frozen=True, slots=True)
class UiState:
    """What was last seen."""

    theme: str = ""
    dark: bool = True
    """Whether the terminal's background was dark, as it said."""
    glyphs: str = "auto"
    motion: str = "full"
    onboarded: bool = False
    """Whether the choice of a model was offered already."""
    mouse: bool = True
    """Whether the mouse is captured."""
    plain: bool = False
    """Whether lines take the place of the screen."""


def load() -> UiState:
    """Read the state; a missing or damaged file gives the default."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        data = json.loads(_file().read_text(encoding="utf-8"))
        if not isinstance(data, dict):
            return UiState()
        return UiState(
            theme=str(data.get("theme", "")),
            dark=bool(data.get("dark", True)),
            glyphs=str(data.get("glyphs", "auto")),
            motion=str(data.get("motion", "full")),
            onboarded=bool(data.get("onboarded")),
            mouse=bool(data.get("mouse", True)),
            plain=bool(data.get("plain")),
        )
    return UiState()


class _Changes(TypedDict, total=False):
    """Fields of `UiState`."""

    theme: str
    dark: bool
    glyphs: str
    motion: str
    onboarded: bool
    mouse: bool
    plain: bool


def remember(**changes: Unpack[_Changes]) -> UiState:
    """Change what is given, keep the rest, write it if it is new."""
    before = load()
    state = dataclasses.replace(before, **changes)
    if state == before:
        return state
    with contextlib.suppress(OSError):
        paths.write_atomic(_file(), json.dumps(dataclasses.asdict(state)))
    return state


def remember_plain(config: Config) -> None:
    """Let the next start know whether lines are wanted; a variable holds for its own start."""
    if config.source("plain") != "environment":
        remember(plain=config.plain)


def _file() -> Path:
    return paths.state_dir() / "ui.json"
