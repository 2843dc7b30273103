"""Which files of the project a run may look at: by its rules, and by its agent's patterns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from secretary_tui.delegation.permissions.rules import covers_path
from secretary_tui.delegation.workspace.workspace import Workspace, WorkspaceError
from secretary_tui.sanitize import clean_line
from secretary_tui.tool_table import READ


class VisibleFiles:
    """The files of the project that a run may look at.

    Args:
        refused_reading: Says why a tool may not look at a path; empty when it may.
    """

    def __init__(
        self,
        workspace: Workspace,
        offered: OfferedTools,
        refused_reading: Callable[[str, Path], str],
    ) -> None:
        self._workspace = workspace
        self._offered = offered
        self._refused_reading = refused_reading

    def resolve(self, tool: str, text: str) -> Path:
        """Resolve a path to look at, and refuse it where a rule or the agent's patterns do.

        Raises:
            WorkspaceError: it may not be looked at.
        """
        path = self._workspace.resolve(text)
        # Of a folder, only what the patterns cover is shown.
        if tool == READ or not path.is_dir():
            refuse_by_pattern(self._offered, tool, path, self._workspace.root)
        if reason := self._refused_reading(tool, path):
            raise WorkspaceError(reason)
        return path

    def is_hidden(self, tool: str, name: str) -> bool:
        """Whether a file is left out of what a tool finds."""
        try:
            path = self._workspace.resolve(name)
        except WorkspaceError:
            return True
        groups = self._offered.patterns(tool)
        if not all(covers_path(patterns, path, self._workspace.root) for patterns in groups):
            return True
        return bool(self._refused_reading(tool, path))


def refuse_by_pattern(offered: OfferedTools, tool: str, path: Path, root: Path) -> None:
    """Hold an agent to the files that its own list of tools names, as `Edit(docs/**)`.

    Raises:
        WorkspaceError: the file is none of them.
    """
    for allowed in offered.patterns(tool):
        if not covers_path(allowed, path, root):
            raise WorkspaceError(f"This agent may only use {tool} on {listed(allowed)}.")


def listed(patterns: Sequence[str]) -> str:
    """Name patterns in a sentence."""
    return ", ".join(f"`{clean_line(pattern)}`" for pattern in patterns)
