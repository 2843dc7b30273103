"""One call of the model through the SDK's tool runner, and the tools that its answer calls.

A runner serves one call. Faults can then be retried from the last whole message, and no tool runs
unless the answer that called it is complete. Which classes a broken stream raises was measured:
the SDK lets errors of its HTTP stack, its parser and its assertions through.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anthropic
import httpx2
from anthropic.types.beta import BetaToolUseBlock

from secretary_tui.delegation.loop.unicode import PairJoiner, well_formed
from secretary_tui.delegation.tools.tool_calls import ToolCall
from secretary_tui.delegation.tools.toolbox import Toolbox
from secretary_tui.delegation.tools.web_search import served_search
from secretary_tui.engines.base import EngineError
from secretary_tui.engines.prompt_reading import ReadingProgress, TellsReading
from secretary_tui.events import PromptRead, RunEvent, TextDelta, ThinkingDelta, Usage
from secretary_tui.sanitize import clean

if TYPE_CHECKING:
    from anthropic.lib.streaming import BetaAsyncMessageStream
    from anthropic.lib.tools import BetaAsyncStreamingToolRunner

FAULTS: tuple[type[Exception], ...] = (
    anthropic.AnthropicError,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    httpx2.StreamError,
    EngineError,
    AssertionError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What asking a model can raise; `engines.faults.explain_fault` has the words for it."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What is the same in every turn of a run."""

    client: anthropic.AsyncAnthropic
    model: str
    max_tokens: int
    system: str
    cached: bool
    """Whether to mark what may be cached (pointless for a local model)."""
    reader: TellsReading | None = None
    """Who can tell how far the prompt was read."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A whole answer of the model."""

    content: tuple[Mapping[str, Any], ...]
    """Blocks in API form, JSON types only; every text can be encoded."""
    calls: tuple[ToolCall, ...]
    """The tool calls in it, to be run only when `stop_reason` is tool_use."""
    stop_reason: str | None
    stop_details: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The answer's text, safe to show."""
        return clean("".join(b["text"] for b in self.content if b["type"] == "text"))


class ModelCall:
    """One call of the model, from the request to the results of its tools. Close it in any case."""

    def __init__(
        self,
        request: ModelRequest,
        messages: Sequence[Mapping[str, Any]],
        toolbox: Toolbox,
        emit: Callable[[RunEvent], None],
    ) -> None:
        self._request = request
        self._messages = messages
        self._toolbox = toolbox
        self._emit = emit
        self._runner: BetaAsyncStreamingToolRunner[None] | None = None
        self._following: asyncio.Task[None] | None = None
        self.text = ""
        """The text that arrived so far, safe to show."""
        self.streamed = False
        """Whether anything was shown."""
        self.usage = Usage()
        """What was counted so far; a stream reports its input first."""

    async def ask(self) -> ModelReply:
        """Stream the model's answer, emitting what can be shown.

        Raises:
            Exception: one of `FAULTS`; a stream that ended early among them.
        """
        request = self._request
        system: dict[str, Any] = {"type": "text", "text": well_formed(request.system)}
        if request.cached:
            system["cache_control"] = {"type": "ephemeral"}
        params: dict[str, Any] = {
            "model": request.model,
            "max_tokens": request.max_tokens,
            "system": [system],
            "messages": _with_cache_mark(self._messages) if request.cached else self._messages,
            "tools": [*self._toolbox.offered(), *self._toolbox.served()],
        }
        self._runner = request.client.beta.messages.tool_runner(
            **params, stream=True, thread=False, max_iterations=1
        )
        self._follow_reading(params)
        try:
            stream = await anext(self._runner)
            await self._consume(stream)
        finally:
            self._stop_following()
        message = await stream.get_final_message()
        called = [block for block in message.content if isinstance(block, BetaToolUseBlock)]
        for block in called:
            block.input = well_formed(block.input)
            block.name = well_formed(block.name)
            block.toolset_name = None
        self.usage = _usage(message.usage)
        details = message.stop_details
        return ModelReply(
            tuple(_blocks(message.content)),
            tuple(ToolCall(block.id, block.name, block.input) for block in called),
            message.stop_reason,
            well_formed(details.to_dict()) if details is not None else {},
        )

    async def run_tools(self, calls: Sequence[ToolCall]) -> list[dict[str, Any]]:
        """Run the calls of the answer, in order; give their results in API form."""
        assert self._runner is not None, "ask first"
        # The runner would warn on the terminal about a name that it doesn't know.
        self._runner.add_tools(*self._toolbox.expect(calls))
        response = await self._runner.generate_tool_call_response()
        content = response["content"] if response else []
        return [dict(well_formed(block)) for block in content if isinstance(block, dict)]

    def take_usage(self) -> Usage:
        """Give what was counted and not yet taken."""
        usage, self.usage = self.usage, Usage()
        return usage

    async def close(self) -> None:
        """Close the connection if the answer still comes; may be called at any time."""
        if self._runner is not None:
            await self._runner.close()

    def _follow_reading(self, params: Mapping[str, Any]) -> None:
        """Tell how far the prompt was read, where the engine knows."""
        reader = self._request.reader
        if reader is None:
            return

        def tell(reading: ReadingProgress) -> None:
            self._emit(PromptRead(reading.tokens, reading.total, reading.elapsed_s, reading.left_s))

        tools = [one if isinstance(one, dict) else one.to_dict() for one in params["tools"]]
        body = {**params, "tools": tools}
        self._following = asyncio.create_task(reader.follow_reading(body, tell))

    def _stop_following(self) -> None:
        if self._following is not None:
            self._following.cancel()

    async def _consume(self, stream: BetaAsyncMessageStream[None]) -> None:
        """Show the stream, and make sure that it said how the answer ended.

        The SDK takes a stream that just ends for a whole answer, and has only assertions, which
        `python -O` drops, against one that never began.
        """
        began = complete = False
        text, thinking = PairJoiner(), PairJoiner()
        async for event in stream:
            if event.type == "message_start":
                began = True
                self._stop_following()
                self.usage = _usage(event.message.usage)
            elif event.type == "content_block_delta":
                if event.delta.type == "text_delta":
                    self._show(clean(text.feed(event.delta.text)))
                elif event.delta.type == "thinking_delta":
                    self.streamed = True
                    self._emit(ThinkingDelta(clean(thinking.feed(event.delta.thinking))))
            elif event.type == "content_block_stop" and began:
                for told in served_search(getattr(event, "content_block", None)):
                    self.streamed = True
                    self._emit(told)
            elif event.type == "message_delta":
                complete = complete or event.delta.stop_reason is not None
            elif event.type == "message_stop":
                complete = True
        if not began:
            raise ValueError("no stream of message events")
        if not complete:
            raise httpx2.RemoteProtocolError(
                "the stream ended before the answer did", request=stream.response.request
            )

    def _show(self, piece: str) -> None:
        if piece:
            self.streamed = True
            self.text += piece
            self._emit(TextDelta(piece))


async def sum_up(request: ModelRequest, prompt: str, text: str) -> tuple[str, Usage]:
    """Let the model sum up a text, without tools; an empty answer when it can't."""
    try:
        message = await request.client.messages.create(
            model=request.model,
            max_tokens=min(request.max_tokens, 2_000),
            system=prompt,
            messages=[{"role": "user", "content": well_formed(text)}],
        )
    except FAULTS:
        return "", Usage()
    summary = "".join(block.text for block in message.content if block.type == "text")
    return clean(well_formed(summary)), _usage(message.usage)


def _with_cache_mark(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Mark the end of the conversation, so that the next turn reads it from the cache."""
    if not messages or messages[-1]["role"] != "user":
        return list(messages)
    content = messages[-1]["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    if blocks:
        blocks[-1] = {**blocks[-1], "cache_control": {"type": "ephemeral"}}
    return [*messages[:-1], {"role": "user", "content": blocks}]


def _blocks(content: Sequence[Any]) -> list[dict[str, Any]]:
    """Give the blocks in the form in which they may be sent again."""
    blocks: list[dict[str, Any]] = []
    for block in content:
        if block.type == "text":
            # An empty text block is refused when it is sent back.
            data = {"type": "text", "text": block.text} if block.text.strip() else None
        elif block.type == "tool_use":
            name, given = block.name, block.input if isinstance(block.input, dict) else {}
            data = {"type": "tool_use", "id": block.id, "name": name, "input": given}
        else:
            data = block.to_dict(mode="json", exclude_none=True)
        if data is not None:
            blocks.append(well_formed(data))
    return blocks


def _usage(usage: Any) -> Usage:
    return Usage(
        usage.input_tokens or 0,
        usage.output_tokens or 0,
        usage.cache_read_input_tokens or 0,
        usage.cache_creation_input_tokens or 0,
        served.web_search_requests or 0 if (served := usage.server_tool_use) else 0,
    )
