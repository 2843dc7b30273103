"""The skills an agent's definition names: their full text, found where Claude Code keeps them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from secretary_tui import config, paths
from secretary_tui.delegation.small_files import UnusableFileError, read_small_text
from secretary_tui.events import Notice
from secretary_tui.registry.skills import plugin_root
from secretary_tui.registry.spec import AgentSpec
from secretary_tui.sanitize import clean, clean_line


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill's instructions, without frontmatter."""

    name: str
    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class LoadedSkills:
    """The skills that were found, in the order named, and a warning for each that wasn't."""

    skills: tuple[Skill, ...] = ()
    notices: tuple[Notice, ...] = ()


def load_skills(agent: AgentSpec, workspace: Path) -> LoadedSkills:
    """Find and read the skills that an agent preloads. Reads files; never raises."""
    found: list[Skill] = []
    notices: list[Notice] = []
    for name in dict.fromkeys(agent.skills):
        shown = clean_line(name)[:80]
        path, within = next(
            (place for place in _places(name, agent, workspace) if os.path.lexists(place[0])),
            (None, workspace),
        )
        if path is None:
            notices.append(
                Notice(
                    f"The skill {shown!r} was not found, so the agent runs without it.", "warning"
                )
            )
            continue
        try:
            text = _read(path, within)
        except (FileNotFoundError, UnusableFileError) as error:
            why = (
                "it leads nowhere"
                if isinstance(error, FileNotFoundError)
                else clean_line(str(error))
            )
            notices.append(Notice(f"The skill {shown!r} was not read: {why}.", "warning"))
            continue
        found.append(Skill(shown, path, clean(_body(text)).strip()))
    return LoadedSkills(tuple(found), tuple(notices))


def _read(path: Path, within: Path) -> str:
    """Read a skill's file. A link could send any file of the user's to the model.

    Raises:
        UnusableFileError: it leads nowhere, out of `within`, or is no text of a fit size.
    """
    if ".git" in Path(os.path.realpath(path)).parts:
        raise UnusableFileError("it belongs to git")
    try:
        return read_small_text(path, within=within)
    except FileNotFoundError:
        raise UnusableFileError("it leads nowhere") from None


def _places(name: str, agent: AgentSpec, workspace: Path) -> Iterator[tuple[Path, Path]]:
    """Give the files a skill's name may mean, nearest first, and where each must really lie."""
    plugin, _, bare = name.rpartition(":")
    parts = Path(bare).parts
    if not bare or len(parts) != 1 or parts[0] in (".", "..") or "\x00" in name:
        return
    root = plugin_root(agent)
    if root is not None and plugin in ("", agent.source.plugin):
        yield root / "skills" / bare / "SKILL.md", root
    if plugin:
        # Another plugin of the same collection.
        if root is not None and Path(plugin).parts == (plugin,) and plugin != "..":
            yield root.parent / plugin / "skills" / bare / "SKILL.md", root.parent
        return
    top = paths.repository_root(workspace)
    for folder in (workspace, *workspace.parents):
        yield folder / ".claude" / "skills" / bare / "SKILL.md", top
        if folder == top:
            break
    # The user's own may be links, as people who keep their settings under version control do.
    yield Path.home() / ".claude" / "skills" / bare / "SKILL.md", Path.home()


def _body(text: str) -> str:
    opening, _, rest = config.split(text)
    return rest.partition("\n")[2] if opening else rest
