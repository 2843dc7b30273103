"""Ask the embedded model one thing: chat messages in, text out, bound by a grammar where wanted.

llama.cpp's `/v1/chat/completions` takes a GBNF grammar and tells in its stream how far the prompt
was read; its `/v1/messages` does neither. Beside them, a slot's state can be kept in a file: what
was read once needs not be read again.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from secretary_tui.engines.base import EngineError
from secretary_tui.engines.local.local_process import LocalAddress
from secretary_tui.engines.prompt_reading import ReadingProgress
from secretary_tui.events import Usage

if TYPE_CHECKING:
    import httpx2

READ_TIMEOUT_S = 600.0
"""Reading a full context takes minutes on a small machine, and nothing is sent meanwhile."""
_CHAT = "/v1/chat/completions"


@dataclass(frozen=True, slots=True)
class Completion:
    """One question to a small model."""

    system: str
    """What is the same for every question of a run; kept on disk once it was read."""
    messages: Sequence[Mapping[str, str]]
    """`role` (user or assistant) and `content`, the user's last."""
    max_tokens: int
    grammar: str = ""
    """A GBNF grammar that the answer follows; empty for free text."""


@dataclass(frozen=True, slots=True)
class CompletionEnd:
    """How an answer ended."""

    usage: Usage
    is_whole: bool
    """False where it was cut off at `max_tokens`."""


class CompletionClient:
    """Talks to one running child. Close it in any case."""

    def __init__(self, address: LocalAddress) -> None:
        import httpx2

        self._http: httpx2.AsyncClient = httpx2.AsyncClient(
            base_url=address.url,
            headers={"authorization": f"Bearer {address.api_key}"},
            # llama.cpp hangs up on an idle connection after 5 s.
            limits=httpx2.Limits(max_keepalive_connections=0),
            timeout=httpx2.Timeout(READ_TIMEOUT_S, connect=10.0),
            follow_redirects=False,
            trust_env=False,  # No proxy stands between this machine and itself.
        )

    async def stream(
        self, asked: Completion, tell: Callable[[ReadingProgress], None]
    ) -> AsyncGenerator[str | CompletionEnd, None]:
        """Give the pieces of the answer as they come, and how it ended.

        Closing the iterator stops the model at once. `tell` hears how far the prompt was read.

        Raises:
            EngineError: the server refused it.
            httpx2.HTTPError, ValueError: the connection broke, or what came can't be read.
        """
        body: dict[str, Any] = {
            "messages": [{"role": "system", "content": asked.system}, *asked.messages],
            "max_tokens": asked.max_tokens,
            "stream": True,
            "return_progress": True,
            "stream_options": {"include_usage": True},
            "cache_prompt": True,
        }
        if asked.grammar:
            body["grammar"] = asked.grammar
        usage, finish = Usage(), ""
        async with self._http.stream("POST", _CHAT, json=body) as response:
            if response.status_code != 200:
                raise _refused(await response.aread())
            async for line in response.aiter_lines():
                if not line.startswith("data: ") or line == "data: [DONE]":
                    continue
                chunk = json.loads(line.removeprefix("data: "))
                if "error" in chunk:
                    raise _refused(line.removeprefix("data: ").encode())
                if progress := chunk.get("prompt_progress"):
                    tell(_reading(progress))
                if counted := chunk.get("usage"):
                    usage = _usage(counted)
                for choice in chunk.get("choices") or ():
                    finish = choice.get("finish_reason") or finish
                    if piece := (choice.get("delta") or {}).get("content"):
                        yield str(piece)
        if not finish:
            raise ValueError("the stream ended before the answer did")
        yield CompletionEnd(usage, finish != "length")

    async def read(
        self, system: str, tell: Callable[[ReadingProgress], None], message: str = ""
    ) -> int:
        """Have the model read a prompt, or only its constant part; gives its length in tokens."""
        messages = ({"role": "user", "content": message},)
        tokens = 0
        async for piece in self.stream(Completion(system, messages, 0), tell):
            if isinstance(piece, CompletionEnd):
                tokens = piece.usage.prompt_tokens
        return tokens

    async def keep(self, name: str, tokens: int) -> None:
        """Write the state of what the model has read to a file in the folder of kept prompts.

        Raises:
            EngineError: it can't be written, or is not of these `tokens`: another was read since.
        """
        saved = await self._slot("save", name)
        if abs(int(saved.get("n_saved") or 0) - tokens) > 1:
            raise EngineError("The local model has read something else meanwhile.")

    async def restore(self, name: str) -> None:
        """Load the state that `keep` wrote to a file.

        Raises:
            EngineError: it can't be used.
        """
        await self._slot("restore", name)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _slot(self, action: str, name: str) -> Mapping[str, Any]:
        response = await self._http.post(
            "/slots/0", params={"action": action}, json={"filename": name}
        )
        if response.status_code != 200:
            raise _refused(response.content)
        told: Mapping[str, Any] = response.json()
        return told


def _refused(data: bytes) -> EngineError:
    try:
        words = str(json.loads(data)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        words = data.decode("utf-8", "replace")
    return EngineError(f"The local model refused this: {words[:200].strip().rstrip('.')}.")


def _reading(progress: Mapping[str, Any]) -> ReadingProgress:
    total, done, known = (int(progress[key]) for key in ("total", "processed", "cache"))
    elapsed_s = float(progress.get("time_ms") or 0) / 1000
    fresh = done - known
    left_s = elapsed_s / fresh * (total - done) if fresh > 0 else None
    return ReadingProgress(done, total, elapsed_s, left_s)


def _usage(counted: Mapping[str, Any]) -> Usage:
    cached = int((counted.get("prompt_tokens_details") or {}).get("cached_tokens") or 0)
    prompt = int(counted.get("prompt_tokens") or 0)
    return Usage(prompt - cached, int(counted.get("completion_tokens") or 0), cached)
