"""The files of a project that a run may look at, by the same checks as Read and Grep."""

from __future__ import annotations

import itertools
import os
import re
import time
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, partial

from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from secretary_tui.delegation.permissions.permissions import refused_reading
from secretary_tui.delegation.permissions.rules import Rule
from secretary_tui.delegation.permissions.visible_files import VisibleFiles
from secretary_tui.delegation.sandbox.hidden import SECRETS
from secretary_tui.delegation.workspace.project_files import UNWATCHED, list_files
from secretary_tui.delegation.workspace.protected import has_protected_name, is_program_state
from secretary_tui.delegation.workspace.workspace import Workspace, WorkspaceError
from secretary_tui.sanitize import clean
from secretary_tui.tool_table import GREP, READ

MAX_SEARCHED_BYTES = 256 * 1024
"""Of a larger file, nothing is searched."""
SEARCH_S = 0.4
"""Seconds that one search through all files may take, those nearest to the top first."""
MAX_DOTTED, MAX_DOTTED_FOLDERS = 200, 20
LISTING_S = 1.0
"""Seconds that listing the files may take; of a larger project, the top is seen."""
_SECRET_NAMES = {name.split("/")[0] for name in SECRETS}
_SECRET = re.compile(
    r"\.env(?!\.(?:example|sample|template|dist)$)(?:\..+)?|id_(?:rsa|dsa|ecdsa|ed25519)"
    r"|\.htpasswd|.+\.(?:env|tfstate|pem|key|p12|pfx|jks|keystore|kdbx|ppk)|(?:.*[._-])?(?:credentials?|secrets?)"
    r"(?:\.(?:json|ya?ml|toml|ini|env|txt))?",
    re.I,
)
_GENERATED = re.compile(
    r".*(?:\.min\.\w+|\.lock|-lock\.\w+|\.map|\.svg|\.jsonl|\.csv|\.ipynb|go\.sum)", re.I
)


class ProjectSight:
    """The files of one workspace that a run may look at."""

    def __init__(self, workspace: Workspace, offered: OfferedTools, deny: Sequence[Rule]) -> None:
        self.workspace = workspace
        self.may_read = READ in offered.names
        """Whether it may see any content at all."""
        refused = partial(refused_reading, deny, workspace.root)
        self._visible = VisibleFiles(workspace, offered, refused)

    @cached_property
    def listed(self) -> tuple[str, ...]:
        """Paths outside hidden folders, nearest to the top first, before `may_show`."""
        return list_files(self.workspace.root, within_s=LISTING_S)

    @cached_property
    def dotted(self) -> tuple[str, ...]:
        """Files in folders like `.github`, which are seen where they are named exactly."""
        with os.scandir(self.workspace.root) as entries:
            # A link may lead to where names are no one's business.
            names = sorted(
                entry.name
                for entry in entries
                if entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)
            )
        seen = [
            name
            for name in names
            if not (name in UNWATCHED or has_protected_name(name) or name in _SECRET_NAMES)
        ][:MAX_DOTTED_FOLDERS]
        each_s = LISTING_S / MAX_DOTTED_FOLDERS
        return tuple(
            f"{name}/{path}"
            for name in seen
            for path in list_files(self.workspace.root / name, MAX_DOTTED, each_s)
        )

    def is_file(self, path: str) -> bool:
        """Whether there is such a file in the project, though it may be hidden."""
        try:
            return self.workspace.resolve(path).is_file()
        except (WorkspaceError, OSError):
            return False

    def may_show(self, path: str, *, found: bool = False) -> bool:
        """Whether a file may be read; `found`: by a search, not by its name."""
        parts = path.split("/")
        if not self.may_read or any(has_protected_name(p) or p in _SECRET_NAMES for p in parts):
            return False
        if _SECRET.fullmatch(parts[-1]) or self._visible.is_hidden(READ, path):
            return False
        if found and self._visible.is_hidden(GREP, path):
            return False
        real = self.workspace.resolve(path)
        shown = self.workspace.shown(real)
        return not is_program_state(real) and (shown == path or self.may_show(shown))

    def text(self, path: str, *, found: bool = False) -> str | None:
        """Read a file as cleaned text; None where it may not, or can't, be read.

        `found`: by a search, not by its name.
        """
        source = self.source(path, found=found)
        return clean(source.removeprefix("\ufeff")) if source is not None else None

    def source(self, path: str, *, found: bool = False) -> str | None:
        """Read a file like `text`, as it is: with its line ends and whatever hides in it."""
        if not self.may_show(path, found=found):
            return None
        try:
            data = self.workspace.read_bytes(self._visible.resolve(READ, path))
            return data.decode("utf-8") if data is not None else None
        except (WorkspaceError, UnicodeDecodeError):
            return None

    def holding(self, needles: Collection[str]) -> dict[str, frozenset[str]]:
        """Search all files for texts, in any letter case: which file holds which of them.

        Generated files are left out, and those for which no time is left (`SEARCH_S`). Whether the
        run may read a file isn't checked here: read it by `text`.
        """
        parts: dict[str, list[str]] = {}
        for text in sorted(needles, key=len):
            # What holds another one is looked for only where that is.
            parts.setdefault(next((part for part in parts if part in text), text), []).append(text)
        sought = {text: text.encode().lower() for text in needles}
        found: dict[str, frozenset[str]] = {}
        for path, data in self._contents() if parts and self.may_read else ():
            held = [
                text
                for part, texts in parts.items()
                if sought[part] in data
                for text in texts
                if sought[text] in data
            ]
            if held:
                found[path] = frozenset(held)
        return found

    def _contents(self) -> Iterator[tuple[str, bytes]]:
        """Read file after file in small letters, each by its folder's descriptor, without links."""
        deadline = time.monotonic() + SEARCH_S
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        by_folder = itertools.groupby(self.listed, key=lambda path: path.rpartition("/")[0])
        for folder, paths in by_folder:
            if time.monotonic() > deadline:
                return
            try:
                with self.workspace.folder_of(self.workspace.root / folder / "_") as opened:
                    for path in paths:
                        if time.monotonic() > deadline:
                            return
                        if _GENERATED.fullmatch(path):
                            continue
                        try:
                            handle = os.open(path.rpartition("/")[2], flags, dir_fd=opened)
                        except OSError:
                            continue
                        with os.fdopen(handle, "rb", buffering=0) as file:
                            data = file.read(MAX_SEARCHED_BYTES + 1)
                        if data and len(data) <= MAX_SEARCHED_BYTES and b"\0" not in data[:1024]:
                            yield path, data.lower()
            except OSError:
                continue
