"""Read a page's text in a process of its own, which may use only so much time and memory.

Started by path: `python -I -S page_reader.py`. From its input come a line of JSON, what the page
is, and then the page; to its output goes a line of JSON. The limits stand before anything of the
page, or of the program, is read.
"""

from __future__ import annotations

import contextlib
import json
import resource
import sys

CPU_S = 10
"""Seconds; ordinary pages take less than one."""
MEMORY_BYTES = 640 * 1024 * 1024
"""Of address space, with the interpreter's own."""


def limit() -> None:
    """Let the kernel end this process when it uses too much; it can write no file."""
    for kind, most in (
        (resource.RLIMIT_CPU, CPU_S),
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        # Some systems know no limit of that kind; the time limit outside holds there, too.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, most))


def main() -> None:
    """Read one page and tell its text, or why there is none."""
    limit()
    told = json.loads(sys.stdin.buffer.readline())
    sys.path[:] = told.pop("import_from")

    from secretary_tui.delegation.web.page_text import page_text
    from secretary_tui.delegation.web.web_page import WebError, WebPage

    try:
        answer = {"text": page_text(WebPage(body=sys.stdin.buffer.read(), **told))}
    except WebError as error:
        answer = {"error": str(error)}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
