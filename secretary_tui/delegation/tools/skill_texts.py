"""The skills an agent's definition names: their full text, found where Claude Code keeps them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from secretary_tui import config
from secretary_tui.delegation.workspace.small_files import UnusableFileError, read_small_text
from secretary_tui.events import Notice
from secretary_tui.registry.definition.skill_places import SkillPlace, skill_places
from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.sanitize import clean, clean_line


@dataclass(frozen=True, slots=True)
class SkillText:
    """One skill's instructions, without frontmatter."""

    name: str
    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class LoadedSkills:
    """The skills that were found, in the order named, and a warning for each that wasn't."""

    skills: tuple[SkillText, ...] = ()
    notices: tuple[Notice, ...] = ()


def load_skills(agent: AgentSpec, workspace: Path) -> LoadedSkills:
    """Find and read the skills that an agent preloads. Reads files; never raises."""
    found: list[SkillText] = []
    notices: list[Notice] = []
    for name in dict.fromkeys(agent.skills):
        shown = clean_line(name)[:80]
        places = skill_places(name, agent, workspace)
        place = next((place for place in places if os.path.lexists(place.file)), None)
        if place is None:
            notices.append(
                Notice(
                    f"The skill {shown!r} was not found, so the agent runs without it.", "warning"
                )
            )
            continue
        try:
            text = _read(place)
        except (FileNotFoundError, UnusableFileError) as error:
            why = (
                "it leads nowhere"
                if isinstance(error, FileNotFoundError)
                else clean_line(str(error))
            )
            notices.append(Notice(f"The skill {shown!r} was not read: {why}.", "warning"))
            continue
        found.append(SkillText(shown, place.file, clean(_body(text)).strip()))
    return LoadedSkills(tuple(found), tuple(notices))


def read_skill(place: SkillPlace) -> str:
    """Read a skill's instructions, without its frontmatter.

    Raises:
        UnusableFileError: it leads nowhere or where it must not, or is no text of a fit size.
    """
    return clean(_body(_read(place))).strip()


def _read(place: SkillPlace) -> str:
    """Read a skill's file. A link could send any file of the user's to the model.

    Raises:
        UnusableFileError: it leads nowhere or where it must not, or is no text of a fit size.
    """
    if ".git" in Path(os.path.realpath(place.file)).parts:
        raise UnusableFileError("it belongs to git")
    try:
        return read_small_text(place.file, within=place.within)
    except FileNotFoundError:
        raise UnusableFileError("it leads nowhere") from None


def _body(text: str) -> str:
    opening, _, rest = config.split(text)
    return rest.partition("\n")[2] if opening else rest
