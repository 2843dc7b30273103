"""What the server tells the app process of a tab."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """One tab: the command line's options, and what its browser can do."""

    project: str
    agents_dirs: tuple[str, ...] = ()
    agents: str = ""
    offline: bool = False
    can_copy: bool = True
    """Whether the browser lets pages write to its clipboard: over https and on loopback alone."""
    width: int = 80
    height: int = 24

    def to_json(self) -> str:
        """Write it for the command line of the process."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Window:
        """Read what `to_json` wrote."""
        return cls(**json.loads(text))
