"""What a run costs to begin: the tokens of its first request, guessed from the text it will hold.

Nothing is sent for it: no tokenizer of the API's models runs here, so this is a guess by the
number of characters, and is shown as one. What the answer and the later turns cost, nobody knows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from secretary_tui.delegation.brief.small_prompt import small_system_prompt
from secretary_tui.delegation.brief.way import Way
from secretary_tui.delegation.lookup.looked_up import tokens_of
from secretary_tui.delegation.permissions.offered_tools import offered_tools
from secretary_tui.delegation.tools.skill_texts import load_skills
from secretary_tui.delegation.workspace.instructions import (
    MAX_INSTRUCTIONS,
    MAX_INSTRUCTIONS_LOCAL,
    project_instructions,
)
from secretary_tui.engines.base import Engine, WireProtocol
from secretary_tui.events import Usage
from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.tool_table import AGENT

CHARACTERS_PER_TOKEN = 3.5
"""Of English prose and code together; JSON schemas have fewer."""
CHARACTERS_PER_SCHEMA_TOKEN = 3.0
TOOL_USE_TOKENS = 350
"""What the API adds by itself as soon as there are tools."""
FIXED_CHARACTERS = 500
"""The frame of the task and the facts about the environment."""
MIN_CACHED_TOKENS = 1_024
"""A shorter beginning isn't written to the cache, which costs a quarter more."""
_AGENT_LINE, _AGENT_NAME, _AGENT_LIST = 90, 30, 6_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the first request of a run holds and costs, about."""

    tokens: int
    cost_usd: float | None
    """Of reading them; None when the price is unknown."""

    @property
    def sentence(self) -> str:
        """As the match panel says it: `~2.1k tokens, $0.006 to begin`."""
        count = f"{self.tokens / 1000:.1f}k" if self.tokens >= 1000 else str(self.tokens)
        if self.cost_usd is None:
            price = "price unknown"
        elif self.cost_usd == 0:
            price = "free"
        else:
            price = f"${max(self.cost_usd, 0.001):.3f} to begin"
        return f"~{count} tokens, {price}"


def estimate_start(
    agent: AgentSpec,
    task: str,
    workspace: Path,
    engine: Engine,
    *,
    others: int = 0,
    context: Sequence[str] = (),
) -> Estimate:
    """Guess what a run costs to begin; `others` are the agents that it could call.

    `context` are the lines given with the task, as of what was looked up for it.
    Reads the agent's skills and the project's instructions.
    """
    if engine.wire_protocol is WireProtocol.COMPLETIONS:  # It gets the definition cut.
        told = tokens_of("\n".join((task, *context)))
        return Estimate(tokens_of(small_system_prompt(agent, Way.ANSWER)) + told, 0.0)
    text = len(agent.prompt) + len(task) + sum(map(len, context)) + FIXED_CHARACTERS
    text += sum(len(skill.text) for skill in load_skills(agent, workspace).skills)
    if not agent.metadata.get("omitClaudeMd"):
        limit = MAX_INSTRUCTIONS_LOCAL if engine.is_local else MAX_INSTRUCTIONS
        text += len(project_instructions(workspace, limit))
    names = offered_tools(agent).names
    tokens = text / CHARACTERS_PER_TOKEN + _tool_tokens(names, others)
    count = round(tokens)
    cached = not engine.is_local and count >= MIN_CACHED_TOKENS
    usage = Usage(cache_write_tokens=count) if cached else Usage(input_tokens=count)
    return Estimate(count, engine.price(engine.resolve_model(agent.model).id, usage))


def _tool_tokens(names: tuple[str, ...], others: int) -> float:
    if not names:
        return 0.0
    # Its schemas are made by pydantic, which no start should wait for.
    from secretary_tui.delegation.tools.tool_inputs import SCHEMAS, input_schema

    known = [name for name in names if name in SCHEMAS]
    schemas = sum(len(json.dumps(input_schema(name))) + len(name) for name in known)
    prose = sum(len(SCHEMAS[name].description) for name in known)
    if AGENT in names:
        beyond = max(0, others - _AGENT_LIST // _AGENT_LINE)
        prose += min(_AGENT_LIST, _AGENT_LINE * others) + min(_AGENT_LIST, _AGENT_NAME * beyond)
    tokens = schemas / CHARACTERS_PER_SCHEMA_TOKEN + prose / CHARACTERS_PER_TOKEN
    return TOOL_USE_TOKENS + tokens
