"""Definition files for tests."""

import os
from pathlib import Path

from secretary_tui.registry.definition.parse import ParseResult, read_agent
from secretary_tui.registry.definition.spec import Source, SourceKind


def write_agent(
    folder: Path, name: str, *, file: str = "", body: str = "Do it.", **fields: str
) -> Path:
    """Write a valid definition, old enough to be trusted by the parse cache."""
    lines = [f"name: {name}", f"description: {fields.pop('description', f'Use {name} for it')}"]
    lines += [f"{key}: {value}" for key, value in fields.items()]
    path = folder / (file or f"{name}.md")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("---\n" + "\n".join(lines) + f"\n---\n\n{body}\n", encoding="utf-8")
    os.utime(path, (1_000_000_000, 1_000_000_000))
    return path


def read(folder: Path, text: str | bytes, file: str = "agent.md") -> ParseResult:
    """Read a definition with this content."""
    path = folder / file
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_agent(path, Source(SourceKind.PROJECT, folder))
