"""A diff is exact, and comes in bounded time whatever it is about."""

from __future__ import annotations

import random
import re

from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.delegation.workspace.diffs import MAX_SHOWN, is_shortened, unified_diff

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "d e"]), max_size=40)
TEXTS = st.tuples(LINES, st.booleans()).map(
    lambda made: "\n".join(made[0]) + ("\n" if made[1] and made[0] else "")
)
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def applied(diff: str, before: str) -> str:
    """Do what `patch` does, and insist that every line is where the diff says."""
    old, new, at, end = lines(before), [], 0, 0
    diff = diff.replace("\n\\ No newline at end of file\n", "\0\n")
    for line in lines(diff)[2:]:
        text = line[1:].replace("\0\n", "")
        if hunk := _HUNK.fullmatch(line):
            start = int(hunk[1]) - (hunk[2] != "0")
            assert at == end
            new += old[at:start]
            assert len(new) == int(hunk[3]) - (hunk[4] != "0")
            at, end = start, start + int(hunk[2] or 1)
        elif line[0] == "+":
            new.append(text)
        else:
            assert old[at] == text
            at += 1
            new += [text] if line[0] == " " else []
    return "".join([*new, *old[at:]])


@given(TEXTS, TEXTS)
def test_a_diff_applied_gives_the_new_text(before: str, after: str) -> None:
    assert applied(unified_diff("x", before, after), before) == after


def test_a_small_change_in_a_large_file_is_small() -> None:
    rows = [f"{number % 9}\n" for number in range(100_000)]
    before = "".join(rows)
    rows[50_000] = "new\n"
    diff = unified_diff("x", before, "".join(rows))
    assert diff.splitlines()[2] == "@@ -49998,7 +49998,7 @@"
    assert len(diff.splitlines()) == 11


def test_what_is_too_much_to_compare_is_exact_still() -> None:
    seed = random.Random(1)
    before = "".join(f"{seed.randrange(40)}\n" for _ in range(9_000))
    longer = "".join(f"{seed.randrange(40)}\n" for _ in range(9_500))
    same_length = before.replace("7", "8")
    for after in (longer, same_length):
        assert applied(unified_diff("x", before, after), before) == after


def test_a_change_too_large_to_read_shows_its_ends_and_says_so() -> None:
    diff = unified_diff("x", "a\n" * 300_000, "b\n" * 300_001)
    assert is_shortened(diff)
    assert len(diff) < MAX_SHOWN / 5
    assert "300000 lines become 300001" in diff
    assert diff.endswith("+b\n")
    assert not is_shortened(unified_diff("x", "a\n", "(too large to show whole: \n"))


def test_other_line_endings_are_never_an_empty_diff() -> None:
    assert unified_diff("x", "a\r\nb\n", "a\nb\r\n") == "(changes the line endings)\n"
    assert unified_diff("x", "a\n", "a\r\nb\n").startswith("(changes the line endings)\n---")
    assert unified_diff("x", "a\n", "a\n") == ""
