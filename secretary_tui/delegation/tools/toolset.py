"""The tools that work on neither files nor commands, made for one run."""

from __future__ import annotations

from collections.abc import Mapping

from secretary_tui.delegation.call_limits import Lineage
from secretary_tui.delegation.tools.git_commit import GitCommitTool
from secretary_tui.delegation.tools.memory_tool import MemoryTool
from secretary_tui.delegation.tools.skill_tool import SkillTool
from secretary_tui.delegation.tools.subagents import AgentTool, Start
from secretary_tui.delegation.tools.tool_calls import Tool
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.tools.user_tools import AskUserTool, TodoTool
from secretary_tui.delegation.tools.web_fetch import WebFetchTool
from secretary_tui.tool_table import (
    AGENT,
    ASK_USER,
    GIT_COMMIT,
    MEMORY,
    SKILL,
    TODO_WRITE,
    WEB_FETCH,
)


def more_tools(context: ToolContext, lineage: Lineage, start: Start) -> Mapping[str, Tool]:
    """Make those that are offered."""
    memory = context.memory
    made: dict[str, Tool] = {
        TODO_WRITE: TodoTool(context.emit),
        ASK_USER: AskUserTool(context.people, context.agent),
        SKILL: SkillTool(context, lineage.library.skills),
        GIT_COMMIT: GitCommitTool(context),
        WEB_FETCH: WebFetchTool(context),
        AGENT: AgentTool(context, lineage, start),
    }
    if memory is not None:
        made[MEMORY] = MemoryTool(context, memory)
    return {name: tool for name, tool in made.items() if name in context.offered.names}
