"""The form of a new agent as it was left, for each project: Esc and a crash lose nothing.

Not worth a failure: a folder that can't be written costs the draft, not the session.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path

from secretary_tui import paths
from secretary_tui.codec import from_json, to_json
from secretary_tui.sessions.run_log import project_runs_dir


@dataclass(frozen=True, slots=True)
class AgentDraft:
    """What stands in the fields of the form."""

    name: str = ""
    description: str = ""
    tools: str = ""
    model: str = ""
    request: str = ""
    """The request that was tried."""


def load_agent_draft(project: Path) -> AgentDraft | None:
    """The form as it was left; None when there is none or its file is damaged."""
    try:
        return from_json(AgentDraft, json.loads(_file(project).read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError):
        return None


def save_agent_draft(project: Path, draft: AgentDraft | None) -> None:
    """Keep the form; None removes it."""
    with contextlib.suppress(OSError):
        if draft is None:
            _file(project).unlink(missing_ok=True)
        else:
            paths.write_atomic(_file(project), json.dumps(to_json(draft)), mode=0o600)


def _file(project: Path) -> Path:
    return paths.state_dir() / "projects" / project_runs_dir(project).name / "new-agent.json"
