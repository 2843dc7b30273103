"""A request as the matcher reads it: in English, and with what a pasted error tells."""

from __future__ import annotations

from dataclasses import dataclass

from secretary_tui.routing.words.languages import in_english
from secretary_tui.routing.words.terms import go_as_golang
from secretary_tui.routing.words.traces import technologies, without_frames


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """What is compared with agents and with earlier requests."""

    text: str
    """Mostly the request itself."""
    spelled: bool = False
    """Whether unknown words are none that were mistyped, but of another language."""


def read_request(request: str) -> ReadRequest:
    """Read a request; one in English without errors in it is read as it stands."""
    told = technologies(request)
    if told:  # Ahead, since only so many words are read.
        return ReadRequest(f"{told}\n{without_frames(request)}")
    english = in_english(request)
    return ReadRequest(go_as_golang(english), spelled=english != request)
