"""A real tool loop with a model that can hold one: opt-in, it needs a gigabyte and some seconds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from secretary_tui.config import Config
from secretary_tui.engines.local.local_engine import LocalEngine

ENVIRONMENT = "SECRETARY_TUI_TEST_QWEN"


@pytest.mark.model
@pytest.mark.skipif(
    not os.environ.get(ENVIRONMENT), reason=f"{ENVIRONMENT} names no Qwen2.5-Coder 1.5B file"
)
@pytest.mark.parametrize(
    ("task", "read", "expected"),
    [
        ("Read README.md and tell me the version.", "README.md", "4.2.1"),
        ("What does README.md say the tool does?", "README.md", "zebra"),
        ("Read src/main.py and say whether add is right.", "src/main.py", "not"),
    ],
)
async def test_the_model_reads_a_file_and_answers_from_it(
    task: str, read: str, expected: str
) -> None:
    from anthropic import beta_async_tool

    files = {
        "README.md": "# Zebra\nA tool that counts zebras. Version 4.2.1.",
        "src/main.py": "def add(a, b):\n    return a - b\n",
    }
    calls: list[str] = []

    @beta_async_tool
    async def Read(file_path: str) -> str:
        """Read a file.

        Args:
            file_path: The file to read.
        """
        calls.append(file_path)
        return files.get(file_path.removeprefix("./"), "Error: there is no such file.")

    engine = LocalEngine(Config(local_model=str(Path(os.environ[ENVIRONMENT]))))
    client = await engine.client()
    runner = client.beta.messages.tool_runner(
        model=engine.model_name,
        max_tokens=300,
        max_iterations=4,
        stream=True,
        thread=engine.supports_threads,
        system="You are a careful coding agent. You work in the current folder.",
        tools=[Read],
        messages=[{"role": "user", "content": task}],
    )
    async for stream in runner:
        message = await stream.get_final_message()
    await engine.aclose()
    assert calls == [read]
    assert message.stop_reason == "end_turn"
    assert expected in message.content[0].text.lower()
