"""Have a page read as text by a process that can be stopped (`page_reader`).

A page is written by strangers, and a few megabytes of tags keep a parser busy for minutes: a
thread could not be stopped, and would hold up the screen.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from pathlib import Path

from secretary_tui.delegation.web.web_page import WebError, WebPage

TIMEOUT_S = 20.0
_READER = Path(__file__).with_name("page_reader.py")
_TOO_MUCH = "The page is too complicated to be read as text."


async def read_page(page: WebPage, timeout_s: float = TIMEOUT_S) -> str:
    """Give a page's text. Cancelling, and the end of the time, end the process.

    Raises:
        WebError: it is no text, or takes too much time or memory to read.
    """
    told = {
        "url": page.url,
        "content_type": page.content_type,
        "charset": page.charset,
        "cut": page.cut,
        # The program may lie where only this process looks; never the working folder.
        "import_from": [place for place in sys.path if os.path.isabs(place)],  # noqa: PTH117
    }
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", str(_READER)),
            cwd="/",
            env={},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError as error:
        raise WebError(f"No process could be started to read the page: {error.strerror}.") from None
    try:
        async with asyncio.timeout(timeout_s):
            said, _ = await process.communicate(json.dumps(told).encode() + b"\n" + page.body)
    except TimeoutError:
        raise WebError(_TOO_MUCH) from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await asyncio.shield(process.wait())
    if process.returncode != 0:
        raise WebError(_TOO_MUCH)
    answer = json.loads(said)
    if "error" in answer:
        raise WebError(answer["error"])
    return str(answer["text"])
