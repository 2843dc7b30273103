"""One call of a tool as the model wrote it: checked, and described in a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel, ValidationError

from secretary_tui.delegation.permissions.rules import Subject
from secretary_tui.delegation.tools.sdk import ToolError
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.tools.tool_inputs import SCHEMAS
from secretary_tui.people import ToolRequest
from secretary_tui.sanitize import clean_line
from secretary_tui.tool_table import AGENT, ASK_USER, TOOLS, is_mcp

_SUMMARY_LENGTH = 200
_USUAL_FIELDS = ("command", "file_path", "pattern", "path")
"""Which field says most about a call of a tool that the table doesn't know."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of the model's."""

    id: str
    name: str
    """As the model wrote it."""
    input: Any


class Tool(Protocol):
    """What carries out the calls of one tool in one run."""

    @property
    def about(self) -> str:
        """What the model reads behind the tool's description; may be empty."""
        ...

    async def run(self, call: ToolCall, asked: Any) -> Any:
        """Carry out a call whose input, `asked`, fits the tool's schema.

        Gives what the model reads: a text, or content blocks (pictures, PDFs).

        Raises:
            ToolError, WorkspaceError, OSError: it was refused or failed; the message is what the
                model reads.
        """
        ...


def check_input(call: ToolCall) -> BaseModel:
    """Check a call's input against the tool's schema.

    Raises:
        ToolError: it doesn't fit; the message is what the model reads.
    """
    if not isinstance(call.input, dict):
        raise ToolError(f"The input of {call.name} must be a JSON object.")
    try:
        return SCHEMAS[call.name].input.model_validate(call.input)
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}"
            for fault in error.errors(include_url=False, include_input=False)[:5]
        )
        raise ToolError(f"The input of {call.name} doesn't fit: {faults}.") from None


def summarize(tool: str, given: object) -> str:
    """One line that says what a call is about: what its tool obeys, whatever else is in it."""
    if not isinstance(given, dict):
        return clean_line(str(given))[:_SUMMARY_LENGTH]
    if tool == ASK_USER:
        return clean_line(_first_question(given))[:_SUMMARY_LENGTH]
    if is_mcp(tool):  # What its fields mean, only its server knows.
        return clean_line(json.dumps(given, ensure_ascii=False, default=str))[:_SUMMARY_LENGTH]
    row = TOOLS.get(tool)
    for key in (row.subject_field,) if row and row.subject_field else _USUAL_FIELDS:
        value = given.get(key)
        if isinstance(value, str):
            where = given.get("path") if key == "pattern" else None
            line = f"{value} in {where}" if isinstance(where, str) else value
            if tool == AGENT and isinstance(given.get("description"), str):
                line = f"{value}: {given['description']}"
            return clean_line(line)[:_SUMMARY_LENGTH]
    return ", ".join(clean_line(str(key)) for key in given)[:_SUMMARY_LENGTH]


async def permit(
    context: ToolContext, request: ToolRequest, subject: Subject, *, each_time: bool = False
) -> None:
    """Ask whether a call may have its effect, and wait until that is logged.

    `each_time`: no rule and no earlier answer speaks for it.

    Raises:
        ToolError: it may not.
    """
    verdict = await context.permissions.check(request, subject, protected=each_time)
    if not verdict.allowed:
        raise ToolError(verdict.reason)
    if context.settled is not None:
        await context.settled()


def _first_question(given: Mapping[str, Any]) -> str:
    questions = given.get("questions")
    first = questions[0] if isinstance(questions, list) and questions else {}
    return str(first.get("question", "")) if isinstance(first, dict) else ""


def describe_blocks(blocks: Any) -> str:
    """Say in a line what a result of pictures or documents is."""
    kinds = [
        f"{block['source']['media_type']}, {len(block['source']['data']) * 3 // 4} bytes"
        for block in blocks
        if isinstance(block, dict) and isinstance(block.get("source"), dict)
    ]
    return f"[{'; '.join(kinds)}]"
