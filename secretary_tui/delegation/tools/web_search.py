"""WebSearch: the API's own search, which the server runs while it answers.

Our part is to ask the user once a run, to offer it, to show what was searched, and to count it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from secretary_tui.delegation.permissions.rules import Subject
from secretary_tui.delegation.spend.ledger import SEARCH_PRICE_USD
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.events import Notice, RunEvent, ToolFinished, ToolStarted
from secretary_tui.people import ToolRequest
from secretary_tui.sanitize import clean, clean_line
from secretary_tui.tool_table import WEB_SEARCH

MAX_PER_ANSWER = 5
DEFINITION = {"type": "web_search_20250305", "name": "web_search", "max_uses": MAX_PER_ANSWER}
_DETAIL = (
    "The model words the queries and the API runs them, at most "
    f"{MAX_PER_ANSWER} for each of its answers, {SEARCH_PRICE_USD} US dollars each. What the agent "
    "knows of the project may show in a query."
)


async def ask_to_search(context: ToolContext) -> ToolContext:
    """Ask whether the run may search, if its agent would; what is refused is no longer offered."""
    if WEB_SEARCH not in context.offered.names:
        return context
    request = ToolRequest(
        f"{WEB_SEARCH}-{context.agent_id}",
        context.agent,
        WEB_SEARCH,
        "search the web in this run",
        _DETAIL,
        str(context.workspace.root),
    )
    verdict = await context.permissions.check(request, Subject(WEB_SEARCH), protected=False)
    why = "allowed" if verdict.allowed else verdict.reason or "refused"
    context.emit(ToolFinished(request.tool_use_id, WEB_SEARCH, why, not verdict.allowed, 0.0))
    if verdict.allowed:
        return context
    context.emit(Notice(f"The agent runs without WebSearch. {verdict.reason}".strip(), "warning"))
    names = tuple(name for name in context.offered.names if name != WEB_SEARCH)
    return replace(context, offered=replace(context.offered, names=names))


def served_search(block: Any) -> Iterator[RunEvent]:
    """Tell a search of the server's as the call of a tool; other blocks give nothing."""
    kind = getattr(block, "type", "")
    if kind == "server_tool_use" and block.name == "web_search":
        query = clean_line(str(block.input.get("query", "")))[:200]
        yield ToolStarted(block.id, WEB_SEARCH, query, {"query": query})
    elif kind == "web_search_tool_result":
        found = block.content
        if isinstance(found, list):
            text = "\n".join(f"{one.title} - {one.url}" for one in found) or "nothing found"
            yield ToolFinished(block.tool_use_id, WEB_SEARCH, clean(text), False, 0.0)
        else:
            why = clean_line(str(getattr(found, "error_code", "it failed")))
            yield ToolFinished(block.tool_use_id, WEB_SEARCH, why, True, 0.0)
