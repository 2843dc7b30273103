"""Write a text in the user's own editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from textual.app import App, SuspendNotSupported


def edit_text(app: App[None], text: str) -> str | None:
    """Open $VISUAL or $EDITOR (else vi) on the text; None when nothing was changed or it failed."""
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    with tempfile.TemporaryDirectory(prefix="secretary-") as folder:
        path = Path(folder) / "request.md"
        path.write_text(text, encoding="utf-8")
        try:
            with app.suspend():
                subprocess.run([*command, str(path)], check=True)
            changed = path.read_text(encoding="utf-8").strip()
        except SuspendNotSupported:
            app.notify("An editor can't be opened in this terminal.", severity="warning")
            return None
        except (OSError, subprocess.CalledProcessError, UnicodeDecodeError) as error:
            app.notify(f"The editor failed: {error}. Set EDITOR.", severity="warning", markup=False)
            return None
    return changed if changed != text else None
