"""What the user is asked where a run can't begin or has failed: the ways to go on from there."""

from __future__ import annotations

from enum import StrEnum

from secretary_tui.events import RunFailed
from secretary_tui.people import SAFE, Choice, People


class WayOut(StrEnum):
    """What the user wants; the value is the key."""

    RETRY = "r"
    ANOTHER_AGENT = "c"
    LEAVE = SAFE


class WithoutEngine(StrEnum):
    """What the user wants where there is no model; the value is the key."""

    CHOOSE_MODEL = "m"
    COPY_TASK = "c"
    LEAVE = SAFE


async def after_failure(people: People, agent: str, failed: RunFailed) -> WayOut:
    """Ask what shall follow a run of `agent` that failed."""
    key = await people.choose(
        f"{agent} failed: {failed.error}",
        failed.suggestion,
        (
            Choice(WayOut.RETRY, "Retry"),
            Choice(WayOut.ANOTHER_AGENT, "Choose another agent"),
            Choice(WayOut.LEAVE, "Cancel"),
        ),
    )
    return WayOut(key)


async def without_engine(people: People, agent: str, how_to_get_one: str) -> WithoutEngine:
    """Ask what to do with an agent that was chosen though no model can run it."""
    key = await people.choose(
        f"{agent} is chosen, but there is no model to run it.",
        how_to_get_one,
        (
            Choice(WithoutEngine.CHOOSE_MODEL, "Choose a model"),
            Choice(WithoutEngine.COPY_TASK, "Copy the task, to run it elsewhere"),
            Choice(WithoutEngine.LEAVE, "Cancel"),
        ),
    )
    return WithoutEngine(key)
