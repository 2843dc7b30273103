"""Give results to the tool calls that a killed program left without one, before a run goes on.

A call that ended has its own; one that may have had its effect is asked about, never repeated
blindly: without an answer the model is told that the outcome is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from secretary_tui.people import SAFE, Choice, People
from secretary_tui.sanitize import clean_line
from secretary_tui.sessions.recovery import CallState, OpenCall

_DONE, _NOT_DONE = "d", "n"
_CHOICES = (
    Choice(_DONE, "It was done"),
    Choice(_NOT_DONE, "It was not done"),
    Choice(SAFE, "Not known: let the agent look first"),
)
NOT_BEGUN = "The program was stopped before this began, so it had no effect. Call it again."
UNKNOWN = (
    "The program was stopped while this ran, so its outcome is unknown: it may have been done "
    "wholly, in part or not at all. Find out what is there before you repeat it."
)
_SAID = {
    _DONE: ("The program was stopped while this ran. The user says that it was done.", False),
    _NOT_DONE: (
        "The program was stopped while this ran. The user says that it was not done.",
        True,
    ),
}


async def results_of(calls: Sequence[OpenCall], people: People) -> list[dict[str, Any]]:
    """Make a result, in API form, for each of the calls."""
    return [_result(call, *(await _outcome(call, people))) for call in calls]


async def _outcome(call: OpenCall, people: People) -> tuple[str, bool]:
    if call.state is CallState.FINISHED:
        return call.output, call.is_error
    if call.state is CallState.NOT_BEGUN:
        return NOT_BEGUN, True
    what = clean_line(f"{call.name} {call.summary}")[:120]
    key = await people.choose(
        f"The program was stopped while this ran: {what}",
        "Whether it was done is not known. The agent is told what you say.",
        _CHOICES,
    )
    return _SAID.get(key, (UNKNOWN, True))


def _result(call: OpenCall, text: str, is_error: bool) -> dict[str, Any]:
    return {
        "type": "tool_result",
        "tool_use_id": call.id,
        "content": text or "[no output]",
        "is_error": is_error,
    }
