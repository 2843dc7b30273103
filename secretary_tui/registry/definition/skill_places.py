"""Which file a skill's name means to an agent: for the run itself, and to tell beforehand.

The agent's own plugin, for `plugin:skill` another plugin of the same collection, else
`.claude/skills` from the project up to the repository's root, and the user's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from secretary_tui import paths
from secretary_tui.registry.definition.findings import noted, quoted
from secretary_tui.registry.definition.spec import AgentSpec, Finding, Source, SourceKind


def missing_skills(agent: AgentSpec, project: Path, known: Collection[str]) -> tuple[str, ...]:
    """The skills an agent names that a run in `project` would not find.

    `known` holds the paths of SKILL.md files that are there; others are looked for.
    """
    return tuple(
        name
        for name in dict.fromkeys(agent.skills)
        if not any(
            str(place.file) in known or place.file.is_file()
            for place in skill_places(name, agent, project)
        )
    )


def missing_skill_finding(agent: AgentSpec, name: str, line: int | None) -> Finding:
    """The warning for a skill that isn't there."""
    message = f"the skill {quoted(name)} is not found, so the agent runs without it; install it"
    return noted(agent.path, message, line, kind="missing-skill")


class SkillPlace(NamedTuple):
    """A file that a skill's name may mean."""

    file: Path
    within: Path
    """Where it must really lie, links followed: a link could lead to any file of the user's."""


def skill_places(name: str, agent: AgentSpec, project: Path) -> Iterator[SkillPlace]:
    """Give the files a skill's name may mean to an agent that works in `project`, nearest first."""
    plugin, _, bare = name.rpartition(":")
    parts = Path(bare).parts
    if not bare or len(parts) != 1 or parts[0] in (".", "..") or "\0" in name:
        return
    root = plugin_root(agent)
    if root is not None and plugin in ("", agent.source.plugin):
        yield SkillPlace(root / "skills" / bare / "SKILL.md", root)
    if plugin:
        # Another plugin of the same collection.
        if root is not None and Path(plugin).parts == (plugin,) and plugin != "..":
            yield SkillPlace(root.parent / plugin / "skills" / bare / "SKILL.md", root.parent)
        return
    top = paths.repository_root(project)
    for folder in (project, *project.parents):
        yield SkillPlace(folder / ".claude" / "skills" / bare / "SKILL.md", top)
        if folder == top:
            break
    # The user's own may be links, as people who keep their settings under version control do.
    yield SkillPlace(Path.home() / ".claude" / "skills" / bare / "SKILL.md", Path.home())


def plugin_root(agent: AgentSpec) -> Path | None:
    """Find the plugin that an agent's file belongs to; None for an agent of no plugin."""
    return plugin_root_of(agent.path, agent.source)


def plugin_root_of(path: Path, source: Source) -> Path | None:
    """Find the plugin that a file of a source belongs to; None outside plugins."""
    if source.kind is not SourceKind.PLUGIN:
        return None
    for folder in path.parents:
        if (folder / ".claude-plugin").is_dir() or (folder / "skills").is_dir():
            return folder
        if folder.name in ("agents", "commands"):
            return folder.parent
    return source.root


def line_of_key(path: Path, key: str) -> int | None:
    """The line of a top-level key near the top of a file."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            for number, text in enumerate(file, 1):
                if text.startswith(f"{key}:"):
                    return number
                if number >= 500:
                    break
    except (OSError, ValueError):
        pass
    return None
