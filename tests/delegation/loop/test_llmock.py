"""The same faults by a server that others wrote: `llmock`, where it is installed.

pip install llmock, or LLMOCK=/path/to/llmock
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from secretary_tui.delegation.loop.retry_policy import MAX_ATTEMPTS
from secretary_tui.events import Retrying, RunFailed, RunFinished, ToolFinished, TurnDiscarded
from tests.delegation.conftest import Runner, only

LLMOCK = os.environ.get("LLMOCK") or shutil.which("llmock")
pytestmark = pytest.mark.skipif(LLMOCK is None, reason="needs llmock")


@contextmanager
def llmock(*options: str) -> Iterator[Any]:
    """A server on a free port, ready to answer."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(LLMOCK), "serve", "--host", "127.0.0.1", "--port", str(port), *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        url = f"http://127.0.0.1:{port}"
        try:
            while not _answers(url):
                assert process.poll() is None, "llmock ended"
            yield SimpleNamespace(url=f"{url}/anthropic")
        finally:
            process.terminate()


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=1).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


async def test_a_whole_run_with_a_tool_ends_well(runner: Runner) -> None:
    with llmock() as server:
        events = await runner.run(server, agent={"tools": ("Glob",)})
    assert isinstance(events[-1], RunFinished)
    assert only(events, ToolFinished)


@pytest.mark.parametrize("status", [429, 500, 503, 529])
async def test_a_status_that_passes_is_retried_and_then_said(runner: Runner, status: int) -> None:
    with llmock("--error-rate", f"{status}=1.0") as server:
        events = await runner.run(server)
    assert isinstance(events[-1], RunFailed)
    assert events[-1].suggestion
    assert len(only(events, Retrying)) == MAX_ATTEMPTS - 1


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422])
async def test_a_status_that_stays_is_said_at_once(runner: Runner, status: int) -> None:
    with llmock("--error-rate", f"{status}=1.0") as server:
        events = await runner.run(server)
    assert isinstance(events[-1], RunFailed)
    assert only(events, Retrying) == []


@pytest.mark.parametrize("kind", ["disconnect", "truncate", "stall", "malformed"])
async def test_a_broken_stream_runs_no_tool_and_ends_in_a_sentence(
    runner: Runner, kind: str
) -> None:
    with llmock("--stream-fault", f"{kind}=1.0", "--stream-stall-seconds", "3") as server:
        events = await runner.run(server, agent={"tools": ("Glob",)})
    assert isinstance(events[-1], RunFailed)
    assert only(events, ToolFinished) == []
    retried = len(only(events, Retrying))
    assert retried == (0 if kind == "malformed" else MAX_ATTEMPTS - 1)
    assert len(only(events, TurnDiscarded)) <= retried


async def test_a_context_that_is_too_small_is_said(runner: Runner) -> None:
    with llmock("--context-window", "10") as server:
        events = await runner.run(server)
    assert isinstance(events[-1], RunFailed)
    assert "longer than the model can read" in events[-1].error
