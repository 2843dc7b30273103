"""The embedded model for real: llama.cpp's server in a child process, through the SDK."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
import pytest_asyncio

from secretary_tui.config import Config
from secretary_tui.engines.base import EngineError
from secretary_tui.engines.faults import FaultKind, explain_fault
from secretary_tui.engines.local.local_engine import LocalEngine
from secretary_tui.engines.structured import ask_structured
from tests.engines.gguf_file import tiny_gguf
from tests.waiting import is_alive

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "agent": {"type": "string", "enum": ["coder", "reviewer"]},
        "confidence": {"type": "integer"},
    },
    "required": ["agent", "confidence"],
}
TOOL = {"name": "pick", "description": "Pick an agent.", "input_schema": SCHEMA}
HELLO = [{"role": "user", "content": "Say hello."}]

pytestmark = [pytest.mark.model, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(smollm2: Path) -> AsyncIterator[LocalEngine]:
    engine = LocalEngine(Config(local_model=str(smollm2)))
    yield engine
    await engine.aclose()


async def test_a_structured_answer_follows_the_schema(engine: LocalEngine) -> None:
    found = await ask_structured(
        engine, system="Pick the agent.", prompt="Review my code.", schema=SCHEMA, timeout_s=60
    )
    assert set(found.data) == {"agent", "confidence"}
    assert found.data["agent"] in {"coder", "reviewer"}
    assert found.cost_usd == 0.0
    assert found.usage.output_tokens > 0
    assert found.model == engine.model_name


async def test_text_streams_through_the_sdk(engine: LocalEngine) -> None:
    client = await engine.client()
    pieces = []
    async with client.messages.stream(
        model=engine.model_name, max_tokens=20, messages=HELLO
    ) as stream:
        async for piece in stream.text_stream:
            pieces.append(piece)
        message = await stream.get_final_message()
    assert len(pieces) > 1
    assert "".join(pieces) == message.content[0].text
    assert message.usage.output_tokens == len(pieces) or message.usage.output_tokens > 1


@pytest.mark.parametrize("choice", [{"type": "any"}, {"type": "tool", "name": "pick"}])
@pytest.mark.parametrize("stream", [False, True])
async def test_a_forced_tool_is_called_with_a_valid_input(
    engine: LocalEngine, choice: dict[str, str], stream: bool
) -> None:
    client = await engine.client()
    request: dict[str, Any] = {
        "model": engine.model_name,
        "max_tokens": 100,
        "messages": [
            {"role": "user", "content": "Pick."},
            {"role": "assistant", "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "t1", "name": "pick", "input": {"agent": "coder"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "busy"},
                {"type": "text", "text": "Pick again."},
            ]},
        ],
        "tools": [TOOL],
        "tool_choice": choice,
    }  # fmt: skip
    if stream:
        async with client.messages.stream(**request) as events:
            message = await events.get_final_message()
    else:
        message = await client.messages.create(**request)
    assert message.stop_reason == "tool_use"
    (call,) = message.content
    assert call.name == "pick"
    assert call.input["agent"] in {"coder", "reviewer"}


async def test_tools_that_are_switched_off_are_not_called(engine: LocalEngine) -> None:
    client = await engine.client()
    message = await client.messages.create(
        model="m", max_tokens=10, messages=HELLO, tools=[TOOL], tool_choice={"type": "none"}
    )
    assert [block.type for block in message.content] == ["text"]


async def test_a_conversation_that_is_too_long_is_said_so(engine: LocalEngine) -> None:
    client = await engine.client()
    long = [{"role": "user", "content": "word " * 9000}]
    with pytest.raises(Exception, match="prompt is too long") as caught:
        await client.messages.create(model="m", max_tokens=10, messages=long)
    assert explain_fault(caught.value).kind is FaultKind.TOO_LONG
    with pytest.raises(EngineError, match="longer than the model can read"):
        await ask_structured(
            engine, system="", prompt=long[0]["content"], schema=SCHEMA, timeout_s=60
        )


async def test_a_forced_tool_that_is_not_offered_is_an_error(engine: LocalEngine) -> None:
    client = await engine.client()
    with pytest.raises(Exception, match="not among the tools"):
        await client.messages.create(
            model="m",
            max_tokens=10,
            messages=HELLO,
            tools=[TOOL],
            tool_choice={"type": "tool", "name": "other"},
        )


async def test_the_server_is_started_once_and_again_after_it_died(engine: LocalEngine) -> None:
    first, second = await asyncio.gather(engine.client(), engine.client())
    assert first is second
    (pid,) = _servers(os.getpid())
    os.kill(pid, signal.SIGKILL)
    await _until(lambda: not is_alive(pid))
    again = first
    while again is first:
        again = await engine.client()
        await asyncio.sleep(0.005)  # Let the event loop hear of the end.
    await again.messages.create(model="m", max_tokens=1, messages=HELLO)


async def test_a_stranger_without_the_key_is_refused(engine: LocalEngine) -> None:
    client = await engine.client()
    stranger = client.with_options(api_key="guess")
    with pytest.raises(Exception, match="401") as caught:
        await stranger.messages.create(model="m", max_tokens=1, messages=HELLO)
    assert explain_fault(caught.value).kind is FaultKind.AUTHENTICATION


async def test_a_time_out_is_a_sentence_and_the_engine_goes_on(engine: LocalEngine) -> None:
    await engine.client()
    with pytest.raises(EngineError, match=r"within 0\.05 s"):
        await ask_structured(engine, system="", prompt="Count.", schema=SCHEMA, timeout_s=0.05)
    await ask_structured(engine, system="", prompt="Pick.", schema=SCHEMA, timeout_s=60)


async def test_closing_ends_the_child(smollm2: Path) -> None:
    before = _servers(os.getpid())
    engine = LocalEngine(Config(local_model=str(smollm2)))
    await engine.client()
    (pid,) = _servers(os.getpid()) - before
    await engine.aclose()
    assert not is_alive(pid)


async def test_closing_during_the_start_leaves_no_child(smollm2: Path) -> None:
    before = _servers(os.getpid())
    engine = LocalEngine(Config(local_model=str(smollm2)))
    starting = asyncio.create_task(engine.client())
    (pid,) = await _until(lambda: _servers(os.getpid()) - before)
    await engine.aclose()
    await asyncio.wait([starting])
    assert not is_alive(pid)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
async def test_killing_the_parent_leaves_no_child(smollm2: Path) -> None:
    code = (
        "import asyncio, sys\n"
        "from secretary_tui.config import Config\n"
        "from secretary_tui.engines.local.local_engine import LocalEngine\n"
        "async def main():\n"
        "    engine = LocalEngine(Config(local_model=sys.argv[1]))\n"
        "    await engine.client()\n"
        "    print('ready', flush=True)\n"
        "    await asyncio.Event().wait()\n"
        "asyncio.run(main())\n"
    )
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(smollm2), stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    assert await parent.stdout.readline() == b"ready\n"
    (child,) = _servers(parent.pid)
    parent.kill()
    await parent.wait()
    await _until(lambda: not is_alive(child))


async def test_a_project_cannot_lend_its_modules_to_the_child(
    smollm2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json.py", "xllamacpp.py", "secretary_tui.py"):
        (tmp_path / name).write_text("raise SystemExit('code of the project ran')")
    monkeypatch.chdir(tmp_path)
    engine = LocalEngine(Config(local_model=str(smollm2)))
    client = await engine.client()
    assert client.base_url.host == "127.0.0.1"
    await engine.aclose()


async def test_a_damaged_model_is_a_sentence(smollm2: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    with smollm2.open("rb") as file:
        cut.write_bytes(file.read(20_000_000))
    with pytest.raises(EngineError, match="corrupted or incomplete") as caught:
        await LocalEngine(Config(local_model=str(cut))).client()
    assert "secretary-tui model" in caught.value.suggestion


async def test_a_file_that_is_no_model_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_text("hello")
    with pytest.raises(EngineError, match="no GGUF model file"):
        await LocalEngine(Config(local_model=str(path))).client()


async def test_a_missing_model_is_a_sentence() -> None:
    with pytest.raises(EngineError, match=r"/nowhere/m\.gguf is missing"):
        await LocalEngine(Config(local_model="/nowhere/m.gguf")).client()
    with pytest.raises(EngineError, match="no local model yet"):
        await LocalEngine(Config()).client()


async def test_a_missing_runtime_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(tiny_gguf())
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(EngineError) as caught:
        await LocalEngine(Config(local_model=str(path))).client()
    assert "pip install 'secretary-tui[local]'" in caught.value.suggestion


T = TypeVar("T")


async def _until(condition: Callable[[], T]) -> T:
    """Wait until the condition holds and give what it gave."""
    while True:
        found = condition()
        if found:
            return found
        await asyncio.sleep(0.005)


def _servers(parent: int) -> set[int]:
    """The server processes below `parent`."""
    found = set()
    for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
        with contextlib.suppress(OSError):
            if b"local_server" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.add(int(pid))
    return found
