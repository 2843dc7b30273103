"""The folder of a skill that lies outside the workspace: its files can be read, and no more.

A skill's instructions name files that lie beside them (templates, references). The user chose the
skill, so the agent that carries it out may read them, wherever the skill is installed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from secretary_tui.delegation.tools.file_reading import FileReader
from secretary_tui.delegation.workspace.workspace import Workspace, WorkspaceError
from secretary_tui.registry.definition.spec import AgentSpec


def skill_folder(agent: AgentSpec) -> Path | None:
    """The folder of the skill that an agent was made of; None for all other agents."""
    return agent.path.parent if agent.metadata.get("workflow") == "skill" else None


class SkillFiles:
    """Reads in a skill's folder; links that lead out of it lead nowhere."""

    def __init__(self, folder: Path, *, takes_media: bool) -> None:
        self._folder = Workspace.at(folder)
        self._reader = FileReader(self._folder, takes_media=takes_media)

    def find(self, text: str) -> Path | None:
        """The file that is meant when its absolute path lies in the folder; else None."""
        if not Path(text).is_absolute():
            return None
        try:
            return self._folder.resolve(text)
        except WorkspaceError:
            return None

    async def read(self, path: Path, offset: int | None, limit: int | None) -> Any:
        """Read a file that `find` gave.

        Raises:
            ToolError: it can't be read; the message is for the model.
        """
        return await self._reader.read(path, offset, limit)
