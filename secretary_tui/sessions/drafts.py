"""What the user typed and did not send yet, and what was sent before, for each project.

The drafts (a request, the form of a new agent) survive a restart and a crash; the history is shared
by all windows on a project. None is worth a failure: a folder that can't be written costs the
draft, not the session.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from secretary_tui import paths
from secretary_tui.codec import from_json, to_json
from secretary_tui.sanitize import clean
from secretary_tui.sessions.run_log import project_runs_dir

HISTORY_LIMIT = 500
"""Requests that are offered again."""
SEARCHED = 10_000
"""Requests that are searched."""
_SEARCHED_BYTES = 16 * 1024 * 1024
"""The end of the file that is read for that; requests may hold long pastes."""


def load_draft(project: Path) -> str:
    """The unsent text of the last session, empty when there is none."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return clean(_draft_file(project).read_text(encoding="utf-8"))
    return ""


def save_draft(project: Path, text: str) -> None:
    """Keep the unsent text; an empty one removes the file."""
    path = _draft_file(project)
    with contextlib.suppress(OSError):
        if text.strip():
            paths.write_atomic(path, text, mode=0o600)
        else:
            path.unlink(missing_ok=True)


def load_history(project: Path, *, most: int = HISTORY_LIMIT) -> list[str]:
    """The last requests sent before, oldest first; damaged lines are left out."""
    requests: list[str] = []
    with contextlib.suppress(OSError):
        for line in _last_bytes(_history_file(project)).splitlines()[-most:]:
            with contextlib.suppress(ValueError, RecursionError):
                request = json.loads(line)
                if isinstance(request, str) and request.strip():
                    requests.append(clean(request))
    return requests


def add_to_history(project: Path, request: str) -> None:
    """Append a request that was just sent."""
    path = _history_file(project)
    with contextlib.suppress(OSError):
        paths.make_private_folder(path.parent)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        with os.fdopen(os.open(path, flags, 0o600), "a", encoding="ascii") as file:
            os.fchmod(file.fileno(), 0o600)  # Earlier versions left it open to others.
            file.write(json.dumps(request) + "\n")


def _last_bytes(path: Path) -> bytes:
    """The end of a file; its first line may be torn."""
    with path.open("rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - _SEARCHED_BYTES))
        return file.read()


def _draft_file(project: Path) -> Path:
    return _folder(project) / "draft.txt"


def _history_file(project: Path) -> Path:
    return _folder(project) / "requests.jsonl"


def _folder(project: Path) -> Path:
    return paths.state_dir() / "projects" / project_runs_dir(project).name


@dataclass(frozen=True, slots=True)
class AgentDraft:
    """The fields of the form for a new agent."""

    name: str = ""
    description: str = ""
    tools: str = ""
    model: str = ""
    request: str = ""
    """The request that was tried."""


def load_agent_draft(project: Path) -> AgentDraft | None:
    """The form for a new agent as it was left; None when there is none or its file is damaged."""
    try:
        return from_json(AgentDraft, json.loads(_form_file(project).read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError):
        return None


def save_agent_draft(project: Path, draft: AgentDraft | None) -> None:
    """Keep the form for a new agent; None removes it."""
    with contextlib.suppress(OSError):
        if draft is None:
            _form_file(project).unlink(missing_ok=True)
        else:
            paths.write_atomic(_form_file(project), json.dumps(to_json(draft)), mode=0o600)


def _form_file(project: Path) -> Path:
    return _folder(project) / "new-agent.json"
