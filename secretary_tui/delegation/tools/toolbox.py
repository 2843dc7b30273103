"""The tools of one run: what the runner calls, with every rule of ours between call and effect.

A call goes: offered? → input fits? → inside the workspace? → agent's own patterns → permission →
effect → events. Whatever refuses answers the model with a sentence and touches nothing.
"""

from __future__ import annotations

import json
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from secretary_tui.delegation.call_limits import Lineage
from secretary_tui.delegation.permissions.visible_files import listed
from secretary_tui.delegation.tools.bash import BashTool
from secretary_tui.delegation.tools.file_changes import ChangeTool
from secretary_tui.delegation.tools.file_search import FileSearch
from secretary_tui.delegation.tools.git_commit import GitCommitTool
from secretary_tui.delegation.tools.memory_tool import MemoryTool
from secretary_tui.delegation.tools.read_only_tools import ReadTool, SearchTool
from secretary_tui.delegation.tools.sdk import BetaAsyncBuiltinFunctionTool, ToolError
from secretary_tui.delegation.tools.skill_tool import SkillTool
from secretary_tui.delegation.tools.subagents import AgentTool, Start
from secretary_tui.delegation.tools.tool_calls import (
    Tool,
    ToolCall,
    check_input,
    describe_blocks,
    summarize,
)
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.tools.tool_inputs import SCHEMAS, input_schema
from secretary_tui.delegation.tools.user_tools import AskUserTool, TodoTool
from secretary_tui.delegation.tools.web_fetch import WebFetchTool
from secretary_tui.delegation.tools.web_search import DEFINITION as WEB_SEARCH_DEFINITION
from secretary_tui.delegation.undo.snapshots import Snapshots
from secretary_tui.delegation.workspace.workspace import WorkspaceError
from secretary_tui.events import ToolFinished, ToolStarted
from secretary_tui.sanitize import clean, clean_line
from secretary_tui.tool_table import (
    AGENT,
    ASK_USER,
    BASH,
    EDIT,
    GIT_COMMIT,
    GLOB,
    GREP,
    MEMORY,
    READ,
    SKILL,
    TODO_WRITE,
    WEB_FETCH,
    WEB_SEARCH,
    WRITE,
)

if TYPE_CHECKING:
    from anthropic.types.beta import BetaToolParam

WARNED_FROM_FAILURES = 3
"""After this many failures of the same call the model is told to do something else."""
MAX_FAILURES = 5
"""So many failures of one call end the run."""


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


class ForeignTool(Tool, Protocol):
    """A tool that a server brings along; `run` gets the input of a call as it came."""

    @property
    def definition(self) -> BetaToolParam:
        """What the model reads of it."""
        ...


class RepeatedCalls:
    """The calls of one run that failed since the last one that did not.

    A small model may repeat a failing call until its turns are used. A success between them clears
    the count: a test that fails five times while its code is being edited is work.
    """

    def __init__(self) -> None:
        self._failures: Counter[tuple[str, str]] = Counter()

    @property
    def is_stuck(self) -> bool:
        """Whether one call failed so often that the run shall end."""
        return any(count >= MAX_FAILURES for count in self._failures.values())

    def succeeded(self) -> None:
        """Take note of a call that worked: there is progress."""
        self._failures.clear()

    def failed(self, call: ToolCall) -> str:
        """Count a failed call; gives the warning that the model gets, mostly empty."""
        same = (call.name, json.dumps(call.input, sort_keys=True, default=str))
        self._failures[same] += 1
        count = self._failures[same]
        if count < WARNED_FROM_FAILURES:
            return ""
        return (
            f"This very call failed {count} times now, and will fail again. Do something else: "
            "other input, another tool, or an answer that says what is missing. After "
            f"{MAX_FAILURES} failures the run ends."
        )


class Toolbox:
    """The tools of one run."""

    def __init__(
        self,
        context: ToolContext,
        more: Mapping[str, Tool] | None = None,
        snapshots: Snapshots | None = None,
        foreign: Mapping[str, ForeignTool] | None = None,
        *,
        in_few_words: bool = False,
    ) -> None:
        """`in_few_words`: the model is small, and told of each tool only what it must know."""
        self._in_few_words = in_few_words
        self._offered = context.offered
        self._permissions = context.permissions
        self._emit = context.emit
        self._settled = context.settled
        self._more = more or {}
        """The tools on neither files nor commands, by name."""
        self._tools = {**workspace_tools(context, snapshots), **self._more}
        self._foreign = foreign or {}
        """The tools of MCP servers, by name."""
        self._ours = tuple(name for name in self._offered.names if name != WEB_SEARCH)
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
            result = await self._carry_out(call)
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

    async def _carry_out(self, call: ToolCall) -> Any:
        if call.name not in self._ours:
            names = ", ".join(self._ours) or "none"
            raise ToolError(
                f"There is no tool {clean_line(call.name)[:60]!r} for this agent. "
                f"Available, spelled exactly so: {names}."
            )
        if (foreign := self._foreign.get(call.name)) is not None:
            return await foreign.run(call, call.input)
        asked = check_input(call)
        if call.name in self._more and self._settled is not None:
            await self._settled()
        return await self._tools[call.name].run(call, asked)

    def _definition(self, name: str) -> BetaToolParam:
        if (foreign := self._foreign.get(name)) is not None:
            return foreign.definition
        return {
            "name": name,
            "description": self._description(name),
            "input_schema": input_schema(name, described=not self._in_few_words),
        }

    def _description(self, tool: str) -> str:
        groups = self._offered.patterns(tool)
        limits = "".join(f" Only for: {listed(patterns)}." for patterns in groups)
        about = self._tools[tool].about if tool in self._tools else ""
        description = SCHEMAS[tool].description
        if self._in_few_words:
            description = f"{description.partition('. ')[0].rstrip('.')}."
        return description + (f"\n{about}" if about else "") + limits


def workspace_tools(context: ToolContext, snapshots: Snapshots | None) -> dict[str, Tool]:
    """Make the tools on files and commands, by name."""
    search = FileSearch(context.workspace)
    change = ChangeTool(context, snapshots)
    return {
        READ: ReadTool(context),
        WRITE: change,
        EDIT: change,
        GLOB: SearchTool(context, search.glob),
        GREP: SearchTool(context, search.grep),
        BASH: BashTool(context, snapshots),
    }


def more_tools(context: ToolContext, lineage: Lineage, start: Start) -> Mapping[str, Tool]:
    """Make the offered tools that work on neither files nor commands."""
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
