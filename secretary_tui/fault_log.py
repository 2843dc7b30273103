"""One calm sentence for what was not foreseen, and a log of the rest with secrets masked."""

from __future__ import annotations

import contextlib
import os
from datetime import UTC, datetime
from pathlib import Path

from secretary_tui import paths

_LARGEST = 1_000_000


def log_fault(error: BaseException, doing: str) -> Path:
    """Append an exception and its causes to the log file; never raises. Gives the file.

    `doing` names what was going on, such as `match`. The file is its user's alone; at 1 MB it
    moves aside and a new one begins.
    """
    import traceback

    from secretary_tui.redact import redact

    try:
        path = paths.log_file()
    except RuntimeError:  # No home folder.
        return Path(os.devnull)
    text = "".join(traceback.format_exception(error))
    secrets = [value for name, value in os.environ.items() if name.endswith(("_KEY", "_TOKEN"))]
    entry = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {doing}\n{redact(text, secrets)}\n"
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > _LARGEST:
            path.replace(path.with_suffix(".old.log"))
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(entry)
    return path


def explain(error: Exception, doing: str) -> str:
    """Say what happened and what to do next.

    The rooms' own exceptions speak for themselves. Anything else was not foreseen: it goes to the
    log file, and the sentence says where that is. `doing` names what was going on.
    """
    if type(error).__module__.startswith("secretary_tui."):
        suggestion = getattr(error, "suggestion", "")
        sentence = str(error)
        return f"{sentence.rstrip('.')}. {suggestion}" if suggestion else sentence
    path = log_fault(error, doing)
    return (
        f"something went wrong that should not have ({type(error).__name__}). Details are in {path}"
    )
