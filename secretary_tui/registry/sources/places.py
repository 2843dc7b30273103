"""What is gathered while sources are looked for, and the JSON files that name them."""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from secretary_tui.registry.definition.findings import refused
from secretary_tui.registry.definition.spec import Finding, RemotePlugin, Source

_MAX_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class PageFolder:
    """A folder of skills or of commands."""

    source: Source
    folder: Path
    namespace: str = ""


@dataclass(slots=True)
class JsonFiles:
    """Reads JSON files, each again only when it changed."""

    _read: dict[Path, tuple[tuple[int, int, int], object, Finding | None]] = field(
        default_factory=dict
    )

    def load(self, path: Path, findings: list[Finding]) -> object:
        """The content; None when the file is missing or, after a finding, unusable."""
        try:
            info = path.stat()
        except (OSError, ValueError):
            self._read.pop(path, None)
            return None
        signature = (info.st_mtime_ns, info.st_size, info.st_ino)
        known = self._read.get(path)
        if known is None or known[0] != signature:
            if stat.S_ISREG(info.st_mode):
                known = (signature, *_load(path))
            else:  # Opening a named pipe would wait for ever.
                known = (signature, None, refused(path, "this is not a regular file; remove it"))
            self._read[path] = known
        if known[2]:
            findings.append(known[2])
        return known[1]


@dataclass(slots=True)
class Places:
    """Where agents, skills and commands are looked for, gathered step by step."""

    sources: list[Source] = field(default_factory=list)
    only: dict[Source, tuple[Path, ...]] = field(default_factory=dict)
    """For a source that names its files one by one: those files."""
    skills: list[PageFolder] = field(default_factory=list)
    commands: list[PageFolder] = field(default_factory=list)
    remote: list[RemotePlugin] = field(default_factory=list)
    awaited: list[Path] = field(default_factory=list)
    """Files and folders whose coming, change or going changes the sources."""
    findings: list[Finding] = field(default_factory=list)
    enabled: Mapping[str, tuple[bool, Path]] = field(default_factory=dict)
    """`enabledPlugins` of Claude Code's settings: on or off, and the file that says so."""
    disabled: dict[Source, str] = field(default_factory=dict)
    """Sources that are switched off, and by which setting."""
    files: JsonFiles = field(default_factory=JsonFiles)

    def load_json(self, path: Path) -> object:
        """The content of a JSON file; None when missing or unusable, which is a finding."""
        return self.files.load(path, self.findings)


def inside(base: Path, relative: object) -> Path | str:
    """`base / relative` when that stays inside `base`, else why it is refused."""
    if relative is None or relative == "":
        return "is missing; write a path that starts with ./"
    if not isinstance(relative, str) or not relative.strip() or "\0" in relative:
        return "is not a path; write one that starts with ./"
    path = Path(relative)
    if path.is_absolute() or relative.startswith("~") or ".." in path.parts or "\\" in relative:
        return "leads out of its folder and is refused; write one that starts with ./"
    try:
        target = (base / path).resolve()
        if not target.is_relative_to(base.resolve()):
            return "is a link that leads out of its folder and is refused"
    except (OSError, RuntimeError, ValueError):
        return "can't be followed; check the path"
    return base / path


def _load(path: Path) -> tuple[object, Finding | None]:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise ValueError("larger than 8 MB")
        return json.loads(data.decode("utf-8-sig")), None
    except FileNotFoundError:
        return None, None
    except json.JSONDecodeError as error:
        message = f"not valid JSON ({error.msg}), so it is ignored; repair it"
        return None, refused(path, message, error.lineno)
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        return None, refused(path, f"can't be read ({reason}), so it is ignored")
