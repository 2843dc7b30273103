"""Small things the screen remembers between starts; read before the first paint, so plain JSON."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path

from secretary_tui import paths


@dataclass(frozen=True, slots=True)
class UiState:
    """What was last seen."""

    theme: str = ""
    onboarded: bool = False
    """Whether the choice of a model was offered already."""
    mouse: bool = True
    """Whether the mouse is captured."""


def load() -> UiState:
    """Read the state; a missing or damaged file gives the default."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        data = json.loads(_file().read_text(encoding="utf-8"))
        if not isinstance(data, dict):
            return UiState()
        return UiState(
            theme=str(data.get("theme", "")),
            onboarded=bool(data.get("onboarded")),
            mouse=bool(data.get("mouse", True)),
        )
    return UiState()


def remember(
    *, theme: str | None = None, onboarded: bool | None = None, mouse: bool | None = None
) -> UiState:
    """Change what is given, keep the rest, write it if it is new."""
    before = load()
    state = UiState(
        theme=before.theme if theme is None else theme,
        onboarded=before.onboarded if onboarded is None else onboarded,
        mouse=before.mouse if mouse is None else mouse,
    )
    if state == before:
        return state
    with contextlib.suppress(OSError):
        paths.write_atomic(_file(), json.dumps(dataclasses.asdict(state)))
    return state


def _file() -> Path:
    return paths.state_dir() / "ui.json"
