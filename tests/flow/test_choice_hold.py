"""A choice can be taken back for a moment, and stands after it."""

from __future__ import annotations

import asyncio

from secretary_tui.flow.choice_hold import ChoiceHold


async def test_a_choice_stands_when_nobody_took_it_back() -> None:
    changes: list[str] = []
    hold = ChoiceHold(lambda: changes.append(hold.chosen))
    assert await hold.stands("writer")
    assert changes == ["writer", ""]
    assert not hold.is_open
    assert not hold.take_back()


async def test_a_choice_that_is_taken_back_does_not_stand() -> None:
    hold = ChoiceHold(lambda: None)
    waiting = asyncio.create_task(hold.stands("writer"))
    await asyncio.sleep(0)
    assert hold.is_open
    assert hold.chosen == "writer"
    assert hold.take_back()
    assert not await waiting
    assert not hold.is_open
