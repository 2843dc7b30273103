"""Our side of ACP: what an agent tells becomes events, what it asks goes through the permissions.

Imported only for a run on an ACP engine: the library takes half a second to load.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import shlex
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from acp import RequestError
from acp.schema import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    AllowedOutcome,
    DeniedOutcome,
    FileEditToolCallContent,
    PermissionOption,
    ReadTextFileResponse,
    RequestPermissionResponse,
    TextContentBlock,
    ToolCallProgress,
    ToolCallStart,
    ToolCallUpdate,
    UsageUpdate,
    WriteTextFileResponse,
)

from secretary_tui.delegation.permissions.rules import Subject
from secretary_tui.delegation.tools.sdk import ToolError
from secretary_tui.delegation.tools.tool_calls import ToolCall
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.tools.toolbox import Toolbox
from secretary_tui.delegation.workspace.diffs import unified_diff
from secretary_tui.delegation.workspace.protected import is_program_state
from secretary_tui.delegation.workspace.workspace import WorkspaceError
from secretary_tui.events import (
    RunEvent,
    TextDelta,
    ThinkingDelta,
    Todo,
    TodosChanged,
    ToolFinished,
    ToolStarted,
)
from secretary_tui.people import ToolRequest
from secretary_tui.sanitize import clean, clean_line, oddities, reveal
from secretary_tui.tool_table import ACP_ACTION, BASH, EDIT, GLOB, GREP, READ, WEB_FETCH, WRITE

if TYPE_CHECKING:
    from secretary_tui.delegation.acp.acp_servers import AcpServers, RelayedCall

OTHER = ACP_ACTION
"""What a tool of the agent's own is called that is like none of ours."""
_TOOLS: dict[str | None, tuple[str, ...]] = {
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
_NOWHERE = "domain:"


class AcpClient:
    """Takes the agent's messages of one session."""

    def __init__(
        self,
        parts: ToolContext,
        toolbox: Toolbox,
        *,
        confined: bool,
        missing_is_empty: bool = False,
        servers: AcpServers | None = None,
    ) -> None:
        self._parts = parts
        self._toolbox = toolbox
        self._servers = servers
        """The MCP servers that it reaches through us."""
        self._confined = confined
        self._missing_is_empty = missing_is_empty
        self._emit: Callable[[RunEvent], None] = parts.emit
        self._writing = asyncio.Lock()
        self._known: dict[str, dict[str, Any]] = {}
        """What was told of the calls that go on; later messages tell only what is new."""
        self._open: dict[str, tuple[str, float]] = {}
        """Those of them that are shown: the name, and when it began."""
        self._output: dict[str, str] = {}
        self._writes = 0
        self.on_cost: Callable[[], None] = lambda: None
        """Called when the agent told what its session cost."""
        self.text = ""
        """What the agent said since the last prompt."""
        self._cost_usd: float | None = None
        """What the session cost so far, where the agent said so since it was taken."""
        self._paid = 0.0

    # ------------------------------------------------------------------ it tells

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """Show what the agent does."""
        match update:
            case AgentMessageChunk(content=TextContentBlock(text=text)) if text:
                self.text += clean(text)
                self._emit(TextDelta(clean(text)))
            case AgentThoughtChunk(content=TextContentBlock(text=text)) if text:
                self._emit(ThinkingDelta(clean(text)))
            case UsageUpdate(cost=cost) if cost is not None and cost.currency == "USD":
                if 0 <= cost.amount < math.inf:
                    self._cost_usd = cost.amount
                    self.on_cost()
            case AgentPlanUpdate(entries=entries):
                steps = (Todo(clean_line(one.content), str(one.status)) for one in entries)
                self._emit(TodosChanged(tuple(steps)))
            case ToolCallStart() | ToolCallProgress():
                self._tell_call(update)

    @property
    def untaken_usd(self) -> float:
        """The dollars that came to what was taken before, as far as it told."""
        return max(0.0, (self._cost_usd or self._paid) - self._paid)

    def take_cost(self) -> float | None:
        """Give the dollars that came to what was taken before; None when it told of none."""
        if self._cost_usd is None:
            return None
        fresh, self._paid, self._cost_usd = self._cost_usd - self._paid, self._cost_usd, None
        return max(0.0, fresh)

    def end_calls(self) -> None:
        """Close the calls whose end was never told."""
        for call_id in tuple(self._known):
            self._announce(call_id)
        for call_id in tuple(self._open):
            self._finish(call_id, "Stopped before it finished.", is_error=True)

    def _tell_call(self, update: ToolCallStart | ToolCallProgress) -> None:
        call_id = update.tool_call_id
        if call_id not in self._known and not isinstance(update, ToolCallStart):
            return
        known = self._learn(call_id, update)
        # Some announce a call before they know what with, and tell that a moment later.
        if known.get("raw_input") or update.status not in (None, "pending"):
            self._announce(call_id)
        if said := _said(update.content):
            self._output[call_id] = said
        if update.status in ("completed", "failed"):
            output = self._output.get(call_id) or _raw(update.raw_output)
            self._finish(call_id, output, is_error=update.status == "failed")

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
        name, given = _tool_of(known.get("kind"))[0], known.get("raw_input")
        given = given if isinstance(given, dict) else {}
        if meant := self._meant(known.get("title"), given or _told_as_text(known.get("content"))):
            name = meant.name
        self._open[call_id] = (name, time.monotonic())
        title = clean_line(known.get("title") or "")
        if " " not in title:  # Only the tool's name.
            told = (given[key] for key in _TELLING if isinstance(given.get(key), str))
            title = clean_line(next(told, title))
        self._emit(ToolStarted(call_id, name, title.removeprefix(f"{name} ")[:200], given))

    def _finish(self, call_id: str, output: str, *, is_error: bool) -> None:
        name, began = self._open.pop(call_id)
        self._known.pop(call_id, None)
        self._output.pop(call_id, None)
        elapsed = time.monotonic() - began - self._parts.permissions.take_wait_s(call_id)
        self._emit(ToolFinished(call_id, name, clean(output[:_MAX_OUTPUT]), is_error, elapsed))

    # ------------------------------------------------------------------- it asks

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        """Answer whether a call may happen: our rules first, then the user."""
        # What was told before need not be told again with the question.
        known = self._learn(tool_call.tool_call_id, tool_call)
        self._announce(tool_call.tool_call_id)
        allowed = await self._may(tool_call.model_copy(update=known))
        # An agent that may always do it would never ask again, and the user said less.
        kinds = ("allow_once",) if allowed else ("reject_once", "reject_always")
        for kind in kinds:
            for option in options:
                if option.kind == kind:
                    chosen = AllowedOutcome(outcome="selected", option_id=option.option_id)
                    return RequestPermissionResponse(outcome=chosen)
        return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))

    async def _may(self, call: ToolCallUpdate) -> bool:
        parts = self._parts
        command = _command(call)
        meant = self._meant(call.title, call.raw_input or _told_as_text(call.content))
        meant = None if command else meant
        wanted = _tool_of(call.kind) if meant is None else ()
        known = [name for name in wanted if name in parts.offered.names]
        if meant is None and call.kind in _TOOLS and not known:
            return False  # The agent's definition doesn't have such a tool.
        tool = known[0] if known else OTHER
        if tool == BASH and not command:
            tool = OTHER  # No rule can say anything about it.
        paths = [one.path for one in call.locations or ()]
        paths += [
            one.path for one in call.content or () if isinstance(one, FileEditToolCallContent)
        ]
        try:
            places = [parts.workspace.resolve(path) for path in dict.fromkeys(paths)]
        except WorkspaceError:
            return False
        if tool in (READ, GREP, GLOB):
            return not any(parts.permissions.refused_reading(tool, place) for place in places)
        detail = _detail(call, command)
        request = ToolRequest(
            call.tool_call_id,
            parts.agent,
            tool,
            clean_line(command or call.title or tool)[:200],
            reveal(detail),
            str(parts.workspace.root),
            sandboxed=self._confined,
            warnings=oddities(detail),
            input=call.raw_input if isinstance(call.raw_input, dict) else {},
        )
        topic = _topic(tool, call)
        asked: list[Path | None] = [*places] or [None]
        for place in asked:
            # An edit of nobody knows what, or an address that isn't told, is asked about each time.
            protected = (
                parts.workspace.is_protected(place) or is_program_state(place)
                if place is not None
                else tool in (EDIT, WRITE) or topic == _NOWHERE
            )
            subject = Subject(tool, command=command, path=place, topic=topic)
            verdict = await parts.permissions.check(request, subject, protected=protected)
            if not verdict.allowed:
                return False
        if parts.settled is not None:
            await parts.settled()
        if meant is not None and self._servers is not None:
            self._servers.answer(meant)
        return True

    def _meant(self, title: str | None, given: Any) -> RelayedCall | None:
        """The call of an MCP server's tool that it speaks of, if it is one."""
        return self._servers.meant(title, given) if self._servers is not None else None

    # ---------------------------------------------------------------- its files

    async def read_text_file(
        self,
        session_id: str,
        path: str,
        line: int | None = None,
        limit: int | None = None,
        **_: Any,
    ) -> ReadTextFileResponse:
        """Read a file of the project for the agent."""
        parts = self._parts
        if READ not in parts.offered.names:
            raise _refused("This agent may not read files.")
        try:
            place = parts.workspace.resolve(path)
            if reason := parts.permissions.refused_reading(READ, place):
                raise _refused(reason)
            data = await asyncio.to_thread(parts.workspace.read_bytes, place)
        except (WorkspaceError, OSError) as error:
            raise _refused(str(error)) from None
        if data is None:
            if self._missing_is_empty:
                return ReadTextFileResponse(content="")
            raise RequestError.resource_not_found(path)
        lines = data.decode("utf-8", "replace").splitlines(keepends=True)
        first = max(0, (line or 1) - 1)
        return ReadTextFileResponse(content="".join(lines[first:][:limit]))

    async def write_text_file(
        self, session_id: str, path: str, content: str, **_: Any
    ) -> WriteTextFileResponse:
        """Write a file of the project, as the tool Write does it: asked, shown, kept for undo."""
        if WRITE not in self._parts.offered.names:
            raise _refused("This agent may not write files.")
        async with self._writing:
            self._writes += 1
            given = {"file_path": path, "content": content}
            self._toolbox.expect([ToolCall(f"acp_write_{self._writes}", WRITE, given)])
            try:
                await self._toolbox.run(WRITE, given)
            except ToolError as error:
                raise _refused(str(error)) from None
        return WriteTextFileResponse()

    # ------------------------------------------------------- what we don't offer

    def on_connect(self, conn: Any) -> None:
        """Nothing is to be done."""

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Refuse what is not of the protocol."""
        raise RequestError.method_not_found(method)

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """Pass over what is not of the protocol."""


def _tool_of(kind: str | None) -> tuple[str, ...]:
    return _TOOLS.get(kind, (OTHER,))


def _command(call: ToolCallUpdate) -> str:
    if call.kind != "execute" or not isinstance(call.raw_input, dict):
        return ""
    command = call.raw_input.get("command")
    if isinstance(command, list):
        return shlex.join(map(str, command))
    return command if isinstance(command, str) else ""


def _topic(tool: str, call: ToolCallUpdate) -> str:
    """Say what a call is about where neither a command nor a file says it.

    Its title is the agent's choice: another action may have the same.
    """
    given = call.raw_input if isinstance(call.raw_input, dict) else {}
    if tool == WEB_FETCH:
        try:
            return f"{_NOWHERE}{urlsplit(str(given.get('url', ''))).hostname or ''}"
        except ValueError:
            return _NOWHERE
    if tool != OTHER:
        return ""
    fields = call.model_dump(mode="json", exclude={"tool_call_id", "status", "field_meta"})
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def _detail(call: ToolCallUpdate, command: str) -> str:
    """All that is known of a call."""
    diffs = [
        unified_diff(one.path, one.old_text, one.new_text)
        for one in call.content or ()
        if isinstance(one, FileEditToolCallContent)
    ]
    if diffs:
        return "\n".join(diffs)
    return command or f"{call.title or ''}\n{_said(call.content)}\n{_raw(call.raw_input)}".strip()


def _said(content: Sequence[Any] | None) -> str:
    texts = []
    for one in content or ():
        if isinstance(one, FileEditToolCallContent):
            texts.append(unified_diff(one.path, one.old_text, one.new_text))
        elif isinstance(block := getattr(one, "content", None), TextContentBlock):
            texts.append(_unfenced(block.text))
    return "\n".join(texts)


def _told_as_text(content: Sequence[Any] | None) -> Any:
    """The input of a call that is told as its content only; None when it is none."""
    try:
        return json.loads(_said(content))
    except (ValueError, RecursionError):
        return None


def _unfenced(text: str) -> str:
    """Take away the fence that some put around an output, as it is shown as code anyway."""
    lines = text.strip().splitlines()
    fenced = len(lines) > 2 and lines[0].startswith("```") and lines[-1] == "```"
    return "\n".join(lines[1:-1]) if fenced else text


def _raw(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


def _refused(reason: str) -> RequestError:
    return RequestError.invalid_params({"reason": reason})
