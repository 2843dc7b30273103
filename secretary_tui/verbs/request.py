"""Requests as the command line gives them: an argument, standard input, or a file of many."""

from __future__ import annotations

import sys
from pathlib import Path

from secretary_tui.sanitize import clean
from secretary_tui.verbs.options import UsageError

LONGEST = 200_000
"""Characters a request may have; more is no request but a wrong file."""


def read_request(argument: str, what: str = "request") -> str:
    """Give the text of an argument, or of standard input for `-`, cleaned and stripped.

    Raises:
        UsageError: it is empty, or far too long.
    """
    text = _read_stdin() if argument == "-" else argument
    text = clean(text).strip()
    if not text:
        where = "on standard input" if argument == "-" else "here"
        raise UsageError(f"the {what} is empty {where}; type a task")
    if len(text) > LONGEST:
        raise UsageError(f"the {what} has {len(text):,} characters; max {LONGEST:,}")
    return text


def read_batch(name: str) -> list[str]:
    """Give one request for each line of a file (or standard input for `-`) that is not blank.

    Raises:
        UsageError: the file can't be read.
    """
    try:
        text = _read_stdin() if name == "-" else Path(name).read_text("utf-8-sig", "replace")
    except OSError as error:
        raise UsageError(f"--batch: {name} can't be read: {error.strerror}") from None
    return [request for line in text.split("\n") if (request := clean(line).strip())]


def _read_stdin() -> str:
    return sys.stdin.buffer.read().decode("utf-8-sig", "replace")
