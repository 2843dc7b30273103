"""Where a skill may lie that an agent names: the rule a run follows, told beforehand.

The places and their order are those of the run itself (`delegation/skills.py`): the agent's own
plugin, for `plugin:skill` another plugin of the same collection, else `.claude/skills` from the
project up to the repository's root, and the user's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from secretary_tui import paths
from secretary_tui.registry.findings import noted, quoted
from secretary_tui.registry.spec import AgentSpec, Finding, Source, SourceKind


def missing_skills(agent: AgentSpec, project: Path, known: Collection[str]) -> tuple[str, ...]:
    """The skills an agent names that a run in `project` would not find.

    `known` holds the paths of SKILL.md files that are there; others are looked for.
    """
    return tuple(
        name
        for name in dict.fromkeys(agent.skills)
        if not any(
            str(path) in known or path.is_file() for path in skill_places(name, agent, project)
        )
    )


def missing_skill_finding(agent: AgentSpec, name: str, line: int | None) -> Finding:
    """The warning for a skill that isn't there."""
    message = f"the skill {quoted(name)} is not found, so the agent runs without it; install it"
    return noted(agent.path, message, line, kind="missing-skill")


def skill_places(name: str, agent: AgentSpec, project: Path) -> Iterator[Path]:
    """Give the files a skill's name may mean, nearest first."""
    plugin, _, bare = name.rpartition(":")
    parts = Path(bare).parts
    if not bare or len(parts) != 1 or parts[0] in (".", "..") or "\0" in name:
        return
    root = plugin_root(agent)
    if root is not None and plugin in ("", agent.source.plugin):
        yield root / "skills" / bare / "SKILL.md"
    if plugin:
        if root is not None and Path(plugin).parts == (plugin,) and plugin != "..":
            yield root.parent / plugin / "skills" / bare / "SKILL.md"
        return
    top = paths.repository_root(project)
    for folder in (project, *project.parents):
        yield folder / ".claude" / "skills" / bare / "SKILL.md"
        if folder == top:
            break
    yield Path.home() / ".claude" / "skills" / bare / "SKILL.md"


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
