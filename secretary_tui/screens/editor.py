"""Write, open and read texts in the user's own editor and pager."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from textual.app import App, SuspendNotSupported

_GO_TO_LINE = frozenset({"vi", "vim", "nvim", "nano", "emacs", "micro", "hx", "helix", "kak"})
"""Editors that take `+LINE` before the file."""


def edit_text(app: App[None], text: str) -> str | None:
    """Open $VISUAL or $EDITOR (else vi) on the text; None when nothing was changed or it failed."""
    with tempfile.TemporaryDirectory(prefix="secretary-") as folder:
        path = Path(folder) / "request.md"
        path.write_text(text, encoding="utf-8")
        if not edit_file(app, path):
            return None
        try:
            changed = path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            app.notify(f"The text can't be read back: {error}.", severity="warning", markup=False)
            return None
    return changed if changed != text else None


def view_text(app: App[None], text: str) -> None:
    """Open a copy of a text in the editor; what is changed there changes nothing here."""
    with _copy_of(text) as path:
        edit_file(app, path)


def page_text(app: App[None], text: str) -> None:
    """Show a text in $PAGER, else in less or more."""
    pager = os.environ.get("PAGER") or shutil.which("less") or shutil.which("more") or "less"
    with _copy_of(text) as path:
        _run(app, [*shlex.split(pager), str(path)], "pager", "PAGER")


@contextlib.contextmanager
def _copy_of(text: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="secretary-") as folder:
        path = Path(folder) / "transcript.md"
        path.write_text(text + "\n", encoding="utf-8")
        yield path


def edit_file(app: App[None], path: Path, line: int | None = None) -> bool:
    """Open a file in the editor, at a line where the editor can; whether it ended well."""
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    if line and command and Path(command[0]).name in _GO_TO_LINE:
        command.append(f"+{line}")
    return _run(app, [*command, str(path)], "editor", "EDITOR")


def _run(app: App[None], command: list[str], what: str, variable: str) -> bool:
    """Give the terminal to a program until it ends; whether it ended well."""
    try:
        with app.suspend():
            subprocess.run(command, check=True)
    except SuspendNotSupported:
        where = "a browser: use a terminal for that" if app.is_web else "this terminal"
        app.notify(f"The {what} can't be opened in {where}.", severity="warning")
        return False
    except (OSError, subprocess.CalledProcessError) as error:
        app.notify(f"The {what} failed: {error}. Set {variable}.", severity="warning", markup=False)
        return False
    return True
