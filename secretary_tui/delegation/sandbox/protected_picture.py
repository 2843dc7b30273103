"""A picture of a project's protected things, shared by all commands that run in it at once.

What is in the picture was held since the first of them began, so no command can have put a symlink
in its way: only such paths may be mounted. What came later is new to all of them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from secretary_tui.delegation.workspace.protected import Protected, find_protected

LinkEnds: TypeAlias = dict[Path, tuple[str, bool]]
"""Where each protected link leads in the end, and whether anything is there."""


@dataclass(frozen=True, slots=True)
class ProtectedPicture:
    """What was protected when the first command began, and where its links led."""

    found: Protected
    ends: LinkEnds

    def to_json(self) -> dict[str, Any]:
        """Give the picture as plain values."""
        found = self.found
        return {
            "things": [str(path) for path in found.things],
            "repositories": [str(path) for path in found.repositories],
            "targets": [str(path) for path in found.targets],
            "unread": [str(path) for path in found.unread],
            "is_complete": found.is_complete,
            "links": {str(path): [text, *self.ends[path]] for path, text in found.links.items()},
        }


def take_picture(root: Path) -> ProtectedPicture:
    """Look at a project in which no command runs."""
    found = find_protected(root)
    return ProtectedPicture(
        found, {path: (os.path.realpath(path), path.exists()) for path in found.links}
    )


def read_picture(data: dict[str, Any]) -> ProtectedPicture:
    """Give the picture that `to_json` wrote, without what is gone meanwhile: it may come back new.

    Raises:
        KeyError, TypeError, ValueError: it is none.
    """

    def present(name: str) -> frozenset[Path]:
        return frozenset(path for path in map(Path, data[name]) if os.path.lexists(path))

    links = {Path(path): values for path, values in data["links"].items()}
    found = Protected(
        things=present("things"),
        repositories=present("repositories"),
        links={path: text for path, (text, _, _) in links.items()},
        targets=present("targets"),
        unread=present("unread"),
        is_complete=bool(data["is_complete"]),
    )
    return ProtectedPicture(
        found, {path: (real, there) for path, (_, real, there) in links.items()}
    )
