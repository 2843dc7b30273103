"""What the command line says to every verb and to the screen."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from secretary_tui import paths

if TYPE_CHECKING:
    from secretary_tui.config import Config
    from secretary_tui.secretary import Secretary


class UsageError(Exception):
    """The command line can't be carried out as typed; the message says what to type instead."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options that go before or after any verb."""

    project: Path
    """Absolute; the working directory unless `--project` names another."""
    agents_dirs: tuple[Path, ...] = ()
    """Absolute folders from `--agents-dir`, in the order given."""
    agents: str = ""
    """Agents as JSON, or the path of a JSON file, from `--agents`."""
    offline: bool = False

    @classmethod
    def parse(cls, args: Namespace) -> Options:
        """Read them from parsed arguments.

        Raises:
            UsageError: a folder does not exist, or `--agents` can't be read.
        """
        before: list[str] = getattr(args, "agents_dir", None) or []
        after: list[str] = getattr(args, "agents_dir_after", None) or []
        return cls(
            project=_folder(getattr(args, "project", None) or ".", "--project"),
            agents_dirs=tuple(_folder(name, "--agents-dir") for name in (*before, *after)),
            agents=_given_agents(getattr(args, "agents_json", None) or ""),
            offline=getattr(args, "offline", False),
        )

    def secretary(self, settings: Config, project: Path | None = None) -> Secretary:
        """Make the service over the library that is named here, for this project or another."""
        from secretary_tui.secretary import Secretary  # `--help` does without.

        return Secretary(
            project or self.project,
            settings,
            agents_dirs=self.agents_dirs,
            agents=self.agents,
            offline=self.offline,
        )


def _given_agents(given: str) -> str:
    if not given:
        return ""
    from secretary_tui.registry.definition.command_line_agents import GivenAgentsError, load_given

    try:
        read = load_given(given)
    except GivenAgentsError as error:
        raise UsageError(f"--agents: {error}") from None
    # A file can be read again when it is edited, a pipe (`<(…)`) only once.
    return str(read.file) if read.file and read.file.is_file() else read.text


def _folder(name: str, option: str) -> Path:
    path = paths.with_home(name)
    try:
        path = path.resolve()
        found = path.is_dir()
    except (OSError, ValueError):  # A name too long, or with a NUL.
        found = False
    if not found:
        raise UsageError(f"{option}: there is no folder {name}")
    return path
