"""Write and open texts in the user's own editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
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


def edit_file(app: App[None], path: Path, line: int | None = None) -> bool:
    """Open a file in the editor, at a line where the editor can; whether it ended well."""
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    if line and command and Path(command[0]).name in _GO_TO_LINE:
        command.append(f"+{line}")
    try:
        with app.suspend():
            subprocess.run([*command, str(path)], check=True)
    except SuspendNotSupported:
        app.notify("An editor can't be opened in this terminal.", severity="warning")
        return False
    except (OSError, subprocess.CalledProcessError) as error:
        app.notify(f"The editor failed: {error}. Set EDITOR.", severity="warning", markup=False)
        return False
    return True
