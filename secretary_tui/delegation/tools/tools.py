"""The tools of one run: what the runner calls, with every rule of ours between call and effect.

A call goes: offered? → input fits? → inside the workspace? → agent's own patterns → permission →
effect → events. Whatever refuses answers the model with a sentence and touches nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from secretary_tui.delegation.permissions.rules import Subject, covers_command, covers_path
from secretary_tui.delegation.sandbox.sandbox import sandbox_status
from secretary_tui.delegation.tools.bash import DEFAULT_TIMEOUT_S, run_bash
from secretary_tui.delegation.tools.beside import Beside
from secretary_tui.delegation.tools.file_changes import FileChange, plan_edit, plan_write
from secretary_tui.delegation.tools.looking import Looking
from secretary_tui.delegation.tools.repeated_calls import RepeatedCalls
from secretary_tui.delegation.tools.sdk import BetaAsyncBuiltinFunctionTool, ToolError
from secretary_tui.delegation.tools.tool_calls import (
    Tool,
    ToolCall,
    check_input,
    describe_blocks,
    listed,
    summarize,
)
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.tools.tool_inputs import (
    SCHEMAS,
    BashInput,
    EditInput,
    GlobInput,
    GrepInput,
    ReadInput,
    WriteInput,
    input_schema,
)
from secretary_tui.delegation.tools.web_search import DEFINITION as WEB_SEARCH_DEFINITION
from secretary_tui.delegation.undo.snapshots import Snapshots, watched_command
from secretary_tui.delegation.workspace.diffs import is_shortened
from secretary_tui.delegation.workspace.protected import is_ours
from secretary_tui.delegation.workspace.threads import in_daemon_thread
from secretary_tui.delegation.workspace.workspace import WorkspaceError
from secretary_tui.events import Notice, ToolFinished, ToolStarted
from secretary_tui.people import ToolRequest
from secretary_tui.sanitize import clean, clean_line, oddities, reveal
from secretary_tui.tool_table import BASH, READ, WEB_SEARCH

if TYPE_CHECKING:
    from anthropic.types.beta import BetaToolParam

Result = TypeVar("Result")

_PLANNING_S = 20.0
_UNCHANGED = "The file already is like that; nothing was written."


class RunnableTool(BetaAsyncBuiltinFunctionTool):
    """A tool in the form the SDK's runner takes; all it does is hand the call to the toolbox."""

    def __init__(self, name: str, definition: BetaToolParam, toolbox: Toolbox) -> None:
        self._name = name
        self._definition = definition
        self._toolbox = toolbox

    @property
    def name(self) -> str:
        """The name that the model calls it by."""
        return self._name

    def to_dict(self) -> BetaToolParam:
        """Give the definition that the model reads."""
        return self._definition

    async def call(self, input: object) -> Any:
        """Run the next expected call."""
        return await self._toolbox.run(self._name, input)


class ForeignTool(Protocol):
    """A tool that a server brings along, with a definition of its own."""

    @property
    def definition(self) -> BetaToolParam:
        """What the model reads of it."""
        ...

    async def run(self, call: ToolCall, asked: Any) -> str:
        """Carry out a call; `asked` is its input as it came (`Tool.run`)."""
        ...


class Toolbox:
    """The tools of one run."""

    def __init__(
        self,
        parts: ToolContext,
        more: Mapping[str, Tool] | None = None,
        snapshots: Snapshots | None = None,
        settled: Callable[[], Awaitable[object]] | None = None,
        foreign: Mapping[str, ForeignTool] | None = None,
    ) -> None:
        self._workspace = parts.workspace
        self._offered = parts.offered
        self._permissions = parts.permissions
        self._agent = parts.agent
        self._emit = parts.emit
        self._more = more or {}
        """The tools on neither files nor commands, by name."""
        self._foreign = foreign or {}
        """The tools of MCP servers, by name."""
        self._snapshots = snapshots
        self._settled = settled
        """Waits until all that was told is logged: nothing has an effect before."""
        self._ours = tuple(name for name in self._offered.names if name != WEB_SEARCH)
        self._looking = Looking(parts.workspace, takes_media=parts.takes_media)
        self._beside = Beside(parts.beside, takes_media=parts.takes_media) if parts.beside else None
        self._repeated = RepeatedCalls()
        self._expected: deque[ToolCall] = deque()
        self.results: dict[str, tuple[str, bool]] = {}
        """What the calls of this turn gave so far, by id: the text, and whether it is an error."""

    def offered(self) -> list[RunnableTool]:
        """Give the tools to offer to the model."""
        return [RunnableTool(name, self._definition(name), self) for name in self._ours]

    def served(self) -> list[dict[str, object]]:
        """Give the definitions of what the server itself carries out."""
        return [dict(WEB_SEARCH_DEFINITION)] if WEB_SEARCH in self._offered.names else []

    @property
    def is_stuck(self) -> bool:
        """Whether the model makes one failing call again and again."""
        return self._repeated.is_stuck

    def expect(self, calls: Sequence[ToolCall]) -> list[RunnableTool]:
        """Announce the calls of a turn, in their order.

        Gives a tool for every name among them that is not offered; running it refuses the call.
        """
        self._expected = deque(calls)
        self.results = {}
        strange = dict.fromkeys(call.name for call in calls if call.name not in self._ours)
        empty: Mapping[str, object] = {"type": "object"}
        return [
            RunnableTool(name, {"name": name, "description": "", "input_schema": dict(empty)}, self)
            for name in strange
        ]

    async def run(self, name: str, given: object) -> Any:
        """Run one call and report it.

        Raises:
            ToolError: it was refused or failed; the message is what the model reads.
        """
        call = self._expected.popleft()
        summary = summarize(name, given)
        shown = given if isinstance(given, dict) else {"input": given}
        self._emit(ToolStarted(call.id, clean_line(name), summary, shown))
        started = time.monotonic()
        is_error, result = True, "Stopped before it finished."
        try:
            result = await self._carry_out(call, summary)
            is_error = False
            self._repeated.succeeded()
        except (WorkspaceError, ToolError, OSError) as error:
            result = "\n\n".join(filter(None, (str(error), self._repeated.failed(call))))
            raise ToolError(result) from error
        finally:
            text = result if isinstance(result, str) else describe_blocks(result)
            self.results[call.id] = (text, is_error)
            elapsed = time.monotonic() - started - self._permissions.take_wait_s(call.id)
            self._emit(ToolFinished(call.id, clean_line(name), clean(text), is_error, elapsed))
        return result

    async def _carry_out(self, call: ToolCall, summary: str) -> Any:
        if call.name not in self._ours:
            names = ", ".join(self._ours) or "none"
            raise ToolError(
                f"There is no tool {clean_line(call.name)[:60]!r} for this agent. "
                f"Available, spelled exactly so: {names}."
            )
        if (foreign := self._foreign.get(call.name)) is not None:
            return await foreign.run(call, call.input)
        asked = check_input(call)
        match asked:
            case ReadInput():
                if (found := await self._read_beside(asked)) is not None:
                    return found
                path = self._visible(call.name, asked.file_path)
                return await self._looking.read(str(path), asked.offset, asked.limit)
            case GlobInput() | GrepInput():
                where = self._visible(call.name, asked.path) if asked.path else None
                look = self._looking.glob if isinstance(asked, GlobInput) else self._looking.grep
                hidden = functools.partial(self._is_hidden, call.name)
                return await look(asked.pattern, str(where) if where else None, hidden)
            case WriteInput() | EditInput():
                return await self._change(call, asked)
            case BashInput():
                return await self._bash(call, asked, summary)
        if self._settled is not None:
            await self._settled()
        return await self._more[call.name].run(call, asked)

    async def _read_beside(self, asked: ReadInput) -> Any:
        """Read a file of the skill that is carried out; None when another one is meant."""
        path = self._beside.find(asked.file_path) if self._beside else None
        # An agent that may only read certain files of the project may read those.
        if self._beside is None or path is None or self._offered.patterns(READ):
            return None
        if reason := self._permissions.refused_reading(READ, path):
            raise ToolError(reason)
        return await self._beside.read(path, asked.offset, asked.limit)

    def _visible(self, tool: str, text: str) -> Path:
        """Resolve a path to look at, and refuse it where a rule or the agent's patterns do."""
        path = self._workspace.resolve(text)
        # Of a folder, only what the patterns cover is shown.
        if tool == READ or not path.is_dir():
            self._refuse_by_pattern(tool, path)
        if reason := self._permissions.refused_reading(tool, path):
            raise ToolError(reason)
        return path

    def _is_hidden(self, tool: str, name: str) -> bool:
        try:
            path = self._workspace.resolve(name)
        except WorkspaceError:
            return True
        groups = self._offered.patterns(tool)
        if not all(covers_path(patterns, path, self._workspace.root) for patterns in groups):
            return True
        return bool(self._permissions.refused_reading(tool, path))

    async def _change(self, call: ToolCall, asked: WriteInput | EditInput) -> str:
        path = self._workspace.resolve(asked.file_path)
        if path == self._workspace.root:
            raise ToolError("That is the working directory itself; name a file in it.")
        self._refuse_by_pattern(call.name, path)
        subject = Subject(call.name, path=path)
        protected = self._workspace.is_protected(path, asked.file_path) or is_ours(path)
        # Before any work on the texts: what is refused anyway must cost nothing.
        known = self._permissions.without_asking(subject, protected=protected)
        if known is not None and not known.allowed:
            self._permissions.report(call.id, known)
            raise ToolError(known.reason)
        change = await _aside(lambda: self._plan(path, asked))
        if change.is_empty:
            return _UNCHANGED
        name = self._workspace.shown(path)
        # Nobody looks at the difference where nobody is asked.
        diff = await _aside(lambda: change.diff(name)) if known is None else ""
        warnings = list(oddities(diff))
        if is_shortened(diff):
            warnings.insert(0, "the change is too large to be shown whole")
        if protected:
            warnings.insert(0, "protected path: other programs run or obey what stands there")
        if path != self._workspace.root / asked.file_path:
            warnings.append(f"the path leads to {name}")
        request = ToolRequest(
            call.id,
            self._agent,
            call.name,
            clean_line(name),
            reveal(diff),
            str(self._workspace.root),
            warnings=tuple(warnings),
            input=call.input,
        )
        await self._permit(request, subject, protected=protected)
        # The file may have become a link while the user was reading.
        if self._workspace.resolve(asked.file_path) != path:
            raise ToolError(f"{name} leads elsewhere now, so nothing was written.")
        await asyncio.to_thread(self._apply, call, change)
        if change.replacements:
            return f"Edited {name} ({change.replacements} replaced)."
        return f"{'Created' if change.before is None else 'Replaced'} {name}."

    def _apply(self, call: ToolCall, change: FileChange) -> None:
        after = change.after.encode("utf-8", "replace")
        keeping = (
            self._snapshots.writing(call.id, call.name, change.path, change.before, after)
            if self._snapshots is not None
            else contextlib.nullcontext()
        )
        with keeping:
            self._workspace.replace(change.path, change.before, change.after)

    def _plan(self, path: Path, asked: WriteInput | EditInput) -> FileChange:
        if isinstance(asked, WriteInput):
            return plan_write(self._workspace, path, asked.content)
        return plan_edit(
            self._workspace,
            path,
            asked.old_string,
            asked.new_string,
            replace_all=asked.replace_all,
        )

    async def _bash(self, call: ToolCall, asked: BashInput, summary: str) -> str:
        command = asked.command
        if "\x00" in command:
            raise ToolError("The command holds a NUL character.")
        for patterns in self._offered.patterns(BASH):
            if not any(covers_command(pattern, command) for pattern in patterns):
                raise ToolError(
                    f"This agent may only run commands that match {listed(patterns)}, "
                    "one at a time."
                )
        sandboxed = sandbox_status()[0] != "none"
        request = ToolRequest(
            call.id,
            self._agent,
            BASH,
            summary,
            reveal(command),
            str(self._workspace.root),
            sandboxed=sandboxed,
            warnings=oddities(command),
            input=call.input,
        )
        await self._permit(request, Subject(BASH, command=command), protected=False)
        seconds = asked.timeout / 1000 if asked.timeout else DEFAULT_TIMEOUT_S
        async with watched_command(self._snapshots, call.id, sandboxed=sandboxed) as problem:
            if problem:
                self._emit(Notice(problem, "warning"))
            result = await run_bash(command, self._workspace.root, timeout_s=seconds)
        if result.is_error:
            raise ToolError(result.text)
        return result.text

    async def _permit(self, request: ToolRequest, subject: Subject, *, protected: bool) -> None:
        verdict = await self._permissions.check(request, subject, protected=protected)
        if not verdict.allowed:
            raise ToolError(verdict.reason)
        if self._settled is not None:
            await self._settled()

    def _refuse_by_pattern(self, tool: str, path: Path) -> None:
        root = self._workspace.root
        for allowed in self._offered.patterns(tool):
            if not covers_path(allowed, path, root):
                raise ToolError(f"This agent may only use {tool} on {listed(allowed)}.")

    def _definition(self, name: str) -> BetaToolParam:
        if (foreign := self._foreign.get(name)) is not None:
            return foreign.definition
        return {
            "name": name,
            "description": self._description(name),
            "input_schema": input_schema(name),
        }

    def _description(self, tool: str) -> str:
        groups = self._offered.patterns(tool)
        limits = "".join(f" Only for: {listed(patterns)}." for patterns in groups)
        about = self._more[tool].about if tool in self._more else ""
        return SCHEMAS[tool].description + (f"\n{about}" if about else "") + limits


async def _aside(work: Callable[[], Result]) -> Result:
    """Work on the texts of a change, off the event loop and not for ever."""
    try:
        return await in_daemon_thread(work, _PLANNING_S)
    except TimeoutError:
        raise ToolError("The change is too large to be worked out; make smaller ones.") from None
