"""Skill: the instructions of one of the library's skills, when the agent asks for them."""

from __future__ import annotations

from secretary_tui.delegation.permissions.rules import Subject, covers_topic
from secretary_tui.delegation.tools.sdk import ToolError
from secretary_tui.delegation.tools.skill_texts import read_skill
from secretary_tui.delegation.tools.tool_calls import ToolCall
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.tools.tool_inputs import SkillInput
from secretary_tui.delegation.workspace.small_files import UnusableFileError
from secretary_tui.people import ToolRequest
from secretary_tui.registry.definition.skill_places import SkillPlace
from secretary_tui.registry.definition.spec import Skill
from secretary_tui.sanitize import clean_line, reveal
from secretary_tui.tool_table import SKILL

_MAX_LIST = 4_000
"""Characters of the list of skills in the tool's description."""
_MAX_LINE = 140


class SkillTool:
    """Gives the skills of the library to one run."""

    def __init__(self, context: ToolContext, skills: tuple[Skill, ...]) -> None:
        self._context = context
        groups = context.offered.patterns(SKILL)
        self._skills: dict[str, Skill] = {}
        for skill in skills:
            if all(covers_topic(group, skill.id) for group in groups):
                # The nearest one of a name comes first.
                self._skills.setdefault(skill.id, skill)

    @property
    def about(self) -> str:
        """The skills, a line each."""
        lines: list[str] = []
        room = _MAX_LIST
        for skill in self._skills.values():
            line = f"- {clean_line(skill.id)}: {clean_line(skill.description)}"[:_MAX_LINE]
            room -= len(line) + 1
            if room < 0:
                lines.append(f"- and {len(self._skills) - len(lines)} more")
                break
            lines.append(line)
        return "Available skills:\n" + ("\n".join(lines) or "none")

    async def run(self, call: ToolCall, asked: SkillInput) -> str:
        """Give the skill's text.

        Raises:
            ToolError: there is no such skill, it can't be read, or a rule forbids it.
        """
        skill = self._skills.get(asked.skill)
        if skill is None:
            raise ToolError(f"There is no skill {clean_line(asked.skill)[:80]!r} in the list.")
        request = ToolRequest(
            call.id,
            self._context.agent,
            SKILL,
            skill.id,
            reveal(f"{skill.id}: {skill.description}"),
            str(self._context.workspace.root),
            input=call.input,
        )
        subject = Subject(SKILL, topic=skill.id)
        verdict = await self._context.permissions.check_by_rules(request, subject)
        if not verdict.allowed:
            raise ToolError(verdict.reason)
        try:
            text = read_skill(SkillPlace(skill.path, skill.source.root))
        except UnusableFileError as error:
            raise ToolError(f"The skill {skill.id!r} can't be read: {error}.") from None
        about = f"\n\nApply it to: {asked.args}" if asked.args.strip() else ""
        return f"# Skill: {skill.id}\n\n{text}{about}"
