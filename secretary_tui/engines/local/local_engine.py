"""The engine that answers on the user's own machine, with no key and no network.

llama.cpp's server runs in a child process; the client is the same SDK as for the API, with a
transport that bridges what the server does differently.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import importlib.util
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from secretary_tui.config import Config
from secretary_tui.engines.base import EngineError, ResolvedModel, StructuredOutput, WireProtocol
from secretary_tui.engines.local.completions import (
    READ_TIMEOUT_S,
    Completion,
    CompletionClient,
    CompletionEnd,
)
from secretary_tui.engines.local.cores import writing_threads
from secretary_tui.engines.local.gguf import GGUFError, read_model_info
from secretary_tui.engines.local.local_process import LocalAddress, LocalProcess
from secretary_tui.engines.local.local_server import CONTEXT_TOKENS
from secretary_tui.engines.local.prompt_store import PromptStore
from secretary_tui.engines.local.weights import resolve_local_model
from secretary_tui.engines.prompt_reading import ReadingProgress, follow
from secretary_tui.events import Usage
from secretary_tui.sanitize import clean_line

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

INSTALL_HINT = "Install it with `pip install 'secretary-tui[local]'`."


def is_runtime_installed() -> bool:
    """Whether the library that runs local models is there; doesn't load it."""
    return importlib.util.find_spec("xllamacpp") is not None


class LocalEngine:
    """Answers from a small model in a child process, started with the first question."""

    name = "local"
    wire_protocol = WireProtocol.COMPLETIONS
    is_local = True
    supports_threads = False
    max_tokens = 2048
    takes_media = False
    runs_agents = False
    server_tools = False
    lookup_tokens = 900
    limits: tuple[str, ...] = (
        "no pictures or PDFs",
        "no web search",
        "a small model: name the file or function, check what it says",
    )
    structured_output = StructuredOutput(
        "The local model", slow_hint="Raise `routing_timeout_s` in the settings to wait longer."
    )

    def __init__(self, config: Config) -> None:
        self._model = resolve_local_model(config)
        self._configured = config.local_model
        self.model_name = _model_name(self._model)
        self.label = f"local · {self.model_name}"
        self._start: asyncio.Task[_Running] | None = None
        self._asked = asyncio.Lock()
        """Held by who asks the model by `complete` or `warm_up`: it answers one at a time."""
        self._hearing: Callable[[ReadingProgress], None] = _ignore
        """Hears what is read ahead too: who waits for it, waits for that."""
        self._followed = asyncio.Lock()

    async def prepare(self) -> None:
        """Nothing: there is one model."""

    def resolve_model(self, wanted: str | None) -> ResolvedModel:
        """Give the one model there is, with a warning when another was asked for."""
        text = clean_line(wanted or "")
        if text.lower() in {"", "inherit", "default", self.model_name}:
            return ResolvedModel(self.model_name)
        return ResolvedModel(
            self.model_name,
            f"The agent asks for {text[:60]!r}; the small local model {self.model_name} answers.",
        )

    async def client(self) -> AsyncAnthropic:
        """Give a client of the local server, which is started once and again if it died.

        A caller that is cancelled meanwhile leaves the start running for the next one.

        Raises:
            EngineError: the runtime or the model is missing, or the model can't be loaded.
        """
        running = await self._running()
        if running.client is None:
            # The SDK's import takes a second that the event loop doesn't have.
            await asyncio.to_thread(importlib.import_module, "anthropic")
            running = await self._running()  # Meanwhile it may have been started again.
            running.client = running.client or _open(running.process.address)
        return running.client

    @property
    def is_up(self) -> bool:
        """Whether the model's process runs, so that nothing has to be loaded first."""
        return self._start is not None and _is_usable(self._start)

    async def complete(
        self, asked: Completion, tell: Callable[[ReadingProgress], None]
    ) -> AsyncGenerator[str | CompletionEnd, None]:
        """Give the pieces of an answer as they come, and how it ended; one answer at a time.

        Closing the generator stops the model. `tell` hears how far the prompt was read.

        Raises:
            EngineError: the model can't be started, or refused the question.
            httpx2.HTTPError, ValueError: the connection broke, or what came can't be read.
        """
        self._hearing = tell
        async with self._asked:
            await self._suit_threads()
            running = await self._running()
            await running.learn(asked.system, tell)
            async with aclosing(running.completions.stream(asked, tell)) as pieces:
                async for piece in pieces:
                    yield piece

    async def warm_up(self, system: str, message: str = "") -> None:
        """Start the model, and have it read the prompt that `complete` will be asked with.

        Raises:
            EngineError, httpx2.HTTPError, ValueError: see `complete`.
        """
        async with self._asked:
            running = await self._running()
            if system:
                await running.learn(system, self._hear)
            if message:
                await running.completions.read(system, self._hear, message)

    def _hear(self, reading: ReadingProgress) -> None:
        self._hearing(reading)

    async def follow_reading(
        self, request: Mapping[str, Any], tell: Callable[[ReadingProgress], None]
    ) -> None:
        """Tell how far a prompt was read; of several that wait, one after the other."""
        with contextlib.suppress(EngineError):
            async with self._followed:
                await follow(await self.client(), request, tell)

    def price(self, model: str, usage: Usage) -> float | None:
        """Nothing: it is the user's own machine."""
        return 0.0

    async def aclose(self) -> None:
        """End the child and close the connections; a start on its way is cancelled."""
        task, self._start = self._start, None
        if task is None:
            return
        task.cancel()
        await asyncio.wait([task])
        if _succeeded(task):
            await task.result().close()

    async def _running(self) -> _Running:
        """Give the model's process, which is started once and again if it died.

        A caller that is cancelled meanwhile leaves the start running for the next one.
        """
        task = self._start
        if task is None or (task.done() and not _is_usable(task)):
            if task is not None and _succeeded(task):
                await task.result().close()
            task = self._start = asyncio.create_task(self._launch())
            # A failure nobody waits for any more is not worth a message of the event loop's.
            task.add_done_callback(_succeeded)
        return await asyncio.shield(task)

    async def _suit_threads(self) -> None:
        """Start the process again where the machine became busy or quiet meanwhile.

        That takes a second; with a thread too many on a busy machine an answer takes thrice as
        long.
        """
        task = self._start
        if task is None or not _is_usable(task):
            return
        running = task.result()
        threads = await asyncio.to_thread(writing_threads, running.process.threads)
        if threads != running.process.threads and running.client is None:
            self._start = None
            await running.close()

    async def _launch(self) -> _Running:
        model = self._checked_model()
        prompts = PromptStore(model, f"{CONTEXT_TOKENS}")
        threads = await asyncio.to_thread(writing_threads)
        process = await LocalProcess.start(
            model, self.model_name, threads=threads, prompts=prompts.folder
        )
        return _Running(process, prompts)

    def _checked_model(self) -> Path:
        if not is_runtime_installed():
            raise EngineError("The runtime for local models is not installed.", INSTALL_HINT)
        if self._model is None:
            missing = f"The model file {clean_line(self._configured)} is missing."
            raise EngineError(
                missing if self._configured else "There is no local model yet.",
                "Get one with `secretary-tui model get`, or choose a file with "
                "`secretary-tui model use PATH`.",
            )
        try:
            read_model_info(self._model)
        except GGUFError as error:
            raise EngineError(
                str(error), "Choose another file with `secretary-tui model use PATH`."
            ) from None
        return self._model


def _model_name(path: Path | None) -> str:
    """Name a model by its file: `qwen2.5-coder-1.5b` for the downloaded ones."""
    name = clean_line(path.stem).lower().replace(" ", "-")[:60] if path else ""
    return name or "no-model"


def _ignore(_: ReadingProgress) -> None:
    pass


class _Running:
    """A child that serves, and the clients of it."""

    def __init__(self, process: LocalProcess, prompts: PromptStore) -> None:
        self.process = process
        self.completions = CompletionClient(process.address)
        self.client: AsyncAnthropic | None = None
        self._prompts = prompts
        self._learnt: set[str] = set()

    async def learn(self, system: str, tell: Callable[[ReadingProgress], None]) -> None:
        """Have a constant prompt read: from its file, or by the model, which then is kept."""
        name = self._prompts.name(system)
        if name in self._learnt:
            return
        if not (self._prompts.has(name) and await self._restored(name)):
            tokens = await self.completions.read(system, tell)
            await self._prompts.keep(name, partial(self.completions.keep, tokens=tokens))
        self._learnt.add(name)

    async def _restored(self, name: str) -> bool:
        try:
            await self.completions.restore(name)
        except EngineError:  # Damaged: it is read and written again.
            return False
        return True

    async def close(self) -> None:
        """End the child and close the connections."""
        try:
            await self.completions.aclose()
            if self.client is not None:
                await self.client.close()
        finally:  # Whoever is cancelled here must not leave a model in memory.
            await self.process.stop()


def _succeeded(task: asyncio.Task[_Running]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None


def _is_usable(task: asyncio.Task[_Running]) -> bool:
    return _succeeded(task) and task.result().process.is_running


def _open(address: LocalAddress) -> AsyncAnthropic:
    import anthropic
    import httpx2

    from secretary_tui.engines.local.bridge import BridgeTransport

    timeout = httpx2.Timeout(READ_TIMEOUT_S, connect=10.0)
    # llama.cpp hangs up on an idle connection after 5 s, when a request may just be on its way.
    fresh = httpx2.Limits(max_keepalive_connections=0)
    http_client = httpx2.AsyncClient(
        transport=BridgeTransport(httpx2.AsyncHTTPTransport(limits=fresh)),
        follow_redirects=False,
        timeout=timeout,
        trust_env=False,  # No proxy stands between this machine and itself.
    )
    return anthropic.AsyncAnthropic(
        api_key=address.api_key,
        base_url=address.url,
        max_retries=0,
        timeout=timeout,
        http_client=http_client,
    )
