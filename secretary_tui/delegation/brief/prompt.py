"""What a delegate reads before it starts: the task (seed 000, Interface 5) and its system prompt.

Not the conversation that led to the delegation.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

from secretary_tui.delegation.brief.environment import environment_facts
from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.mcp.mcp_servers import api_name, named_servers
from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.permissions.permissions import effective_mode
from secretary_tui.delegation.tools.memory import MAIN_NOTE, memory_of
from secretary_tui.delegation.tools.skill_texts import load_skills
from secretary_tui.delegation.workspace.instructions import (
    MAX_INSTRUCTIONS,
    MAX_INSTRUCTIONS_LOCAL,
    project_instructions,
)
from secretary_tui.events import Notice
from secretary_tui.registry.workflow_agent import left_undone
from secretary_tui.sanitize import clean

_TASK = "Task: "
_CLOSING = "Return your findings in structured format."
_BEHIND_TASK = re.compile(rf"\n\n(?:Context:\n|Requirements:\n- |{re.escape(_CLOSING)}\Z)")
_READS = (
    "\nThis run only reads: edits and commands are refused. Describe what you would change instead."
)


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """The system prompt of a run, and what is worth a warning about it."""

    text: str
    notices: tuple[Notice, ...] = ()


def delegation_prompt(delegation: Delegation) -> str:
    """Write the user message of a new run (seed 000, Interface 5); what is empty is left out."""
    task, request = clean(delegation.task).strip(), clean(delegation.request).strip()
    context = [clean(line) for line in delegation.context if line.strip()]
    if request and not task.startswith(request):
        context.insert(0, f"The user's words: {request}")
    requirements = [clean(line).removeprefix("- ") for line in delegation.requirements]
    parts = [f"{_TASK}{task}"]
    if context:
        parts.append("Context:\n" + "\n".join(context))
    if any(requirements):
        parts.append("Requirements:\n" + "\n".join(f"- {line}" for line in requirements if line))
    return "\n\n".join((*parts, _CLOSING))


def follow_up_prompt(delegation: Delegation) -> str:
    """Write the message with which a run goes on: the user's words, and what was looked up."""
    said = clean(delegation.follow_up).strip()
    context = "\n".join(clean(line) for line in delegation.context) if said else ""
    return f"{said}\n\nContext:\n{context}" if context and delegation.messages else said


def task_in(prompt: str) -> str:
    """The task that a `delegation_prompt` was made of."""
    text = prompt
    while text.startswith(_TASK):
        text = _BEHIND_TASK.split(text.removeprefix(_TASK), maxsplit=1)[0]
    return text.strip()


async def system_prompt(
    delegation: Delegation, offered: OfferedTools, *, local: bool
) -> SystemPrompt:
    """Put the system prompt together; `local` keeps it short and the same from run to run."""
    agent = delegation.agent
    loaded = await asyncio.to_thread(load_skills, agent, delegation.workspace)
    parts = [clean(agent.prompt).strip()]
    parts += [f"# Skill: {skill.name}\n\n{skill.text}" for skill in loaded.skills]
    memory = memory_of(agent, delegation.workspace)
    if memory is not None and (notes := await asyncio.to_thread(memory.opening)):
        parts.append(f"# Your notes ({MAIN_NOTE})\n\n{notes}")
    if delegation.claude_md and not agent.metadata.get("omitClaudeMd"):
        limit = MAX_INSTRUCTIONS_LOCAL if local else MAX_INSTRUCTIONS
        notes = await asyncio.to_thread(project_instructions, delegation.workspace, limit)
        parts.append(f"# Instructions of the project\n\n{notes}" if notes else "")
    mode = effective_mode(delegation.permission_mode, agent)
    listed = [*offered.names]
    if mode is not PermissionMode.PLAN:
        servers = named_servers(agent)
        listed += [f"mcp__{api_name(one)}__* (where that server started)" for one in servers]
    names = ", ".join(listed) or "none: answer in text"
    facts = await environment_facts(delegation.workspace, brief=local)
    reads = _READS if mode is PermissionMode.PLAN else ""
    parts.append(f"# Environment\n\n{facts}\nYour tools: {names}. There are no others.{reads}")
    undone = tuple(Notice(f"In {agent.id} {left}.") for left in left_undone(agent))
    return SystemPrompt("\n\n".join(part for part in parts if part), (*loaded.notices, *undone))
