"""The calls of an ACP agent's own tools: what it tells of them in pieces, shown as events."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from acp.schema import (
    FileEditToolCallContent,
    TextContentBlock,
    ToolCallProgress,
    ToolCallStart,
    ToolCallUpdate,
)

from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.workspace.diffs import unified_diff
from secretary_tui.events import ToolFinished, ToolStarted
from secretary_tui.sanitize import clean, clean_line
from secretary_tui.tool_table import ACP_ACTION, BASH, EDIT, GLOB, GREP, READ, WEB_FETCH, WRITE

if TYPE_CHECKING:
    from secretary_tui.delegation.acp.acp_servers import AcpServers

OTHER = ACP_ACTION
"""What a tool of the agent's own is called that is like none of ours."""
TOOLS: dict[str | None, tuple[str, ...]] = {
    "read": (READ,),
    "search": (GREP, GLOB),
    "edit": (EDIT, WRITE),
    "delete": (BASH,),
    "move": (BASH,),
    "execute": (BASH,),
    "fetch": (WEB_FETCH,),
}
"""The tools of ours of which the agent must have one for a call of that kind."""
_TELLING = ("command", "file_path", "filePath", "absolute_path", "path", "pattern", "query", "url")
"""Which part of a call's input says most about it, in the words of several agents."""
_MAX_OUTPUT = 60_000


class AcpCalls:
    """Shows the calls of one session; later messages of a call tell only what is new."""

    def __init__(self, context: ToolContext, servers: AcpServers | None) -> None:
        self._context = context
        self._servers = servers
        self._known: dict[str, dict[str, Any]] = {}
        """What was told of the calls that go on."""
        self._open: dict[str, tuple[str, float]] = {}
        """Those of them that are shown: the name, and when it began."""
        self._output: dict[str, str] = {}

    def hear(self, update: ToolCallStart | ToolCallProgress) -> None:
        """Take what a message tells of a call, and show what is new."""
        call_id = update.tool_call_id
        if call_id not in self._known and not isinstance(update, ToolCallStart):
            return
        known = self._learn(call_id, update)
        # Some announce a call before they know what with, and tell that a moment later.
        if known.get("raw_input") or update.status not in (None, "pending"):
            self._announce(call_id)
        if said := said_in(update.content):
            self._output[call_id] = said
        if update.status in ("completed", "failed"):
            output = self._output.get(call_id) or as_text(update.raw_output)
            self._finish(call_id, output, is_error=update.status == "failed")

    def complete(self, call: ToolCallUpdate) -> ToolCallUpdate:
        """Show a call that the agent asks about; gives it with all that was told of it before."""
        known = self._learn(call.tool_call_id, call)
        self._announce(call.tool_call_id)
        return call.model_copy(update=known)

    def end(self) -> None:
        """Close the calls whose end was never told."""
        for call_id in tuple(self._known):
            self._announce(call_id)
        for call_id in tuple(self._open):
            self._finish(call_id, "Stopped before it finished.", is_error=True)

    def _learn(self, call_id: str, told: Any) -> dict[str, Any]:
        """Add what a message tells of a call to what is known of it."""
        known = self._known.setdefault(call_id, {})
        for name in ("title", "kind", "raw_input", "content", "locations"):
            if value := getattr(told, name):
                known[name] = value
        return known

    def _announce(self, call_id: str) -> None:
        """Show a call, once."""
        if call_id in self._open or call_id not in self._known:
            return
        known = self._known[call_id]
        title, given = known.get("title"), known.get("raw_input")
        given = given if isinstance(given, dict) else {}
        name = TOOLS.get(known.get("kind"), (OTHER,))[0]
        if self._servers is not None:
            relayed = self._servers.meant(title, given or input_in(known.get("content")))
            name = relayed.name if relayed is not None else name
        self._open[call_id] = (name, time.monotonic())
        title = clean_line(title or "")
        if " " not in title:  # Only the tool's name.
            told = (given[key] for key in _TELLING if isinstance(given.get(key), str))
            title = clean_line(next(told, title))
        summary = title.removeprefix(f"{name} ")[:200]
        self._context.emit(ToolStarted(call_id, name, summary, given))

    def _finish(self, call_id: str, output: str, *, is_error: bool) -> None:
        name, began = self._open.pop(call_id)
        self._known.pop(call_id, None)
        self._output.pop(call_id, None)
        elapsed = time.monotonic() - began - self._context.permissions.take_wait_s(call_id)
        output = clean(output[:_MAX_OUTPUT])
        self._context.emit(ToolFinished(call_id, name, output, is_error, elapsed))


def said_in(content: Sequence[Any] | None) -> str:
    """The content of a call as text, edits as diffs."""
    texts = []
    for one in content or ():
        if isinstance(one, FileEditToolCallContent):
            texts.append(unified_diff(one.path, one.old_text, one.new_text))
        elif isinstance(block := getattr(one, "content", None), TextContentBlock):
            texts.append(_unfenced(block.text))
    return "\n".join(texts)


def input_in(content: Sequence[Any] | None) -> Any:
    """The input of a call, read from its content where that is all there is; None without one."""
    try:
        return json.loads(said_in(content))
    except (ValueError, RecursionError):
        return None


def as_text(value: Any) -> str:
    """A JSON value as people read it."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


def _unfenced(text: str) -> str:
    """Take away the fence that some put around an output, as it is shown as code anyway."""
    lines = text.strip().splitlines()
    fenced = len(lines) > 2 and lines[0].startswith("```") and lines[-1] == "```"
    return "\n".join(lines[1:-1]) if fenced else text
