"""The *always* answers that were really given here, one file a project, in our own state folder.

A project's folder comes from anywhere (a clone, an archive), so a rule that stands in it proves
nothing about who wrote it. A rule there allows something only while it stands here too.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from secretary_tui import paths
from secretary_tui.delegation.workspace.small_files import UnusableFileError, read_small_text
from secretary_tui.sessions.run_log import project_runs_dir


def grants_file(project: Path) -> Path:
    """Where the answers for a project are kept."""
    return paths.state_dir() / "projects" / project_runs_dir(project).name / "allowed.json"


def granted_rules(project: Path) -> frozenset[str]:
    """Give the rules that were allowed for a project; none when the record can't be read."""
    try:
        record = json.loads(read_small_text(grants_file(project)))
    except (OSError, UnusableFileError, ValueError, RecursionError):
        return frozenset()
    # The folder's name holds a short hash: another project could be made to share it.
    if not isinstance(record, dict) or record.get("project") != str(project.resolve()):
        return frozenset()
    rules = record.get("allow")
    if not isinstance(rules, list):
        return frozenset()
    return frozenset(rule for rule in rules if isinstance(rule, str))


def record_grant(project: Path, rule: str) -> None:
    """Add one rule, in a file that only the user can read.

    Raises:
        OSError: it can't be written.
    """
    path = grants_file(project)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        path.chmod(0o600)
    allowed = sorted({*granted_rules(project), rule})
    record = {"project": str(project.resolve()), "allow": allowed}
    paths.write_atomic(path, json.dumps(record, indent=2, ensure_ascii=False) + "\n", mode=0o600)
