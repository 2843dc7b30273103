"""An answer that goes in circles is stopped."""

from __future__ import annotations

import pytest

from secretary_tui.delegation.small.small_model import is_looping

SOUND = [
    "The parser reads a line, splits it at commas, and gives a list of cells.\n" * 2,
    "\n".join(f"- `{name}`: what it does" for name in ("load", "save", "open", "close", "stat")),
    "def test_add():\n" + "".join(f"    assert add({n}, 1) == {n + 1}\n" for n in range(5)),
    "=" * 40,
    " " * 400,
    "| a | b |\n|---|---|\n" + "".join(f"| {word} | yes |\n" for word in ("one", "two", "three")),
    "",
]
CIRCLES = [
    "The same again and again, and again, and so on, for ever. " * 12,
    "".join(f"    assert add({n}, 1) == {n + 1}\n" for n in range(40)),
    "Sure.\n" + "- item\n" * 40,
    "-" * 600,
]


@pytest.mark.parametrize("text", SOUND)
def test_a_sound_answer_is_none(text: str) -> None:
    assert not any(is_looping(text[:end]) for end in range(len(text) + 1))


@pytest.mark.parametrize("text", CIRCLES)
def test_one_that_goes_in_circles_is_seen_before_it_is_long(text: str) -> None:
    assert any(is_looping(text[:end]) for end in range(len(text) + 1))
    end = next(end for end in range(len(text) + 1) if is_looping(text[:end]))
    assert end < 480
