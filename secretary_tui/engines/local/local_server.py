"""The child process that holds the embedded model.

Started as `python -m secretary_tui.engines.local.local_server`. It reads one JSON line with its
settings from standard input, loads the model into llama.cpp's own HTTP server and prints one JSON
line: `{"url": …}` or `{"error": …}`. It lives as long as standard input stays open, so it can't
outlive its parent, however that one ends. A process of its own, because loading holds the
interpreter lock for seconds.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import signal
import sys
import threading
from importlib import resources
from pathlib import Path
from typing import IO, Any

from secretary_tui.engines.local.gguf import GGUFError, read_model_info

CONTEXT_TOKENS = 8192
"""How much the embedded model reads and writes in one conversation."""
BATCH_TOKENS = 128
"""Tokens of a prompt that are read in one go, which nothing interrupts."""
PROMPT_CACHE_MIB = 256
"""Memory, at most, for prompts that were read and left for another one. Ranking agents and running
one take turns; coming back to a prompt of 750 tokens takes 0.5 s in place of 17 s."""
_PR_SET_PDEATHSIG = 1


def main() -> int:
    """Serve until standard input closes; the exit code is 1 when the model can't be loaded."""
    reply = _own_stdout()
    settings = json.loads(sys.stdin.readline())
    _die_with(settings["parent"])
    threading.Thread(target=_exit_at_end_of_input, daemon=True).start()
    try:
        server = _serve(settings)
    except (GGUFError, RuntimeError, ImportError) as error:
        _say(reply, error=str(error))
        return 1
    _say(reply, url=server.listening_address)
    threading.Event().wait()
    return 0


def _own_stdout() -> IO[str]:
    """Keep the real standard output for the reply and send what llama.cpp prints to stderr."""
    reply = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return reply


def _say(reply: IO[str], **message: str) -> None:
    with contextlib.suppress(BrokenPipeError):
        reply.write(json.dumps(message) + "\n")
        reply.flush()


def _die_with(parent: int) -> None:
    """Ask Linux for SIGKILL when the parent dies: at once, even in the middle of loading.

    To be exact, when the parent's *thread* dies that started this process; it is the one with the
    event loop.
    """
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # It died before the request took effect.
        os._exit(1)


def _exit_at_end_of_input() -> None:
    while sys.stdin.readline():
        pass
    os._exit(0)


def _serve(settings: dict[str, Any]) -> Any:
    """Load the model and start the server, which runs as long as it is referenced.

    The parameters are measured. Reading a prompt takes all cores well even on a busy machine;
    writing with all of them collapses there (24 → 6 tokens/s), so the parent says how many may.
    Repacked weights write a quarter faster, read a fifth slower and cost 600 MB.
    """
    xllamacpp = importlib.import_module("xllamacpp")  # It has no type information.
    path = Path(settings["model"])
    info = read_model_info(path)
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {settings["alias"]}
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    # Whether somebody still waits is looked at between two batches only: by default (2048) a
    # stopped run held the next one up for minutes.
    params.n_batch = params.n_ubatch = BATCH_TOKENS
    params.cpuparams.n_threads = settings["threads"]
    params.cpuparams_batch.n_threads = os.cpu_count() or 1
    params.no_extra_bufts = True
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.slot_save_path = f"{settings['prompts']}/"
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [settings["api_key"]]
    params.sampling.temp = 0.0
    params.use_jinja = True
    if info.calls_tools_in_fences:
        params.chat_template = _template("qwen2.5-coder.jinja")
    return xllamacpp.Server(params)


def _template(name: str) -> str:
    return (resources.files("secretary_tui.engines.local") / "templates" / name).read_text("utf-8")


if __name__ == "__main__":
    sys.exit(main())
