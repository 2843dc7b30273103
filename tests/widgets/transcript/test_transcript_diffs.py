"""Diffs: one column on narrow screens, two on wide ones."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from secretary_tui.widgets.transcript.diff_lines import SIDE_BY_SIDE, split_diff_lines
from secretary_tui.widgets.transcript.transcript_palette import Palette
from secretary_tui.widgets.transcript.transcript_parts import DiffPart

DIFF = """\
--- a/report.py
+++ b/report.py
@@ -9,4 +9,4 @@
 def report(clock):
-    day = clock.now()
-    return day
+    return clock.now()
--- not a header
++++ nor this
"""


def rows(source: str, width: int = 101) -> list[str]:
    lines = split_diff_lines(source, width, Palette())
    return ["".join(segment.text for segment in line).rstrip() for line in lines]


def test_removed_and_added_lines_stand_next_to_each_other_with_their_numbers() -> None:
    assert [row.split("│") for row in rows(DIFF)] == [
        ["--- a/report.py"],
        ["+++ b/report.py"],
        ["@@ -9,4 +9,4 @@"],
        [" 9  def report(clock):".ljust(50), " 9  def report(clock):"],
        ["10 -    day = clock.now()".ljust(50), "10 +    return clock.now()"],
        ["11 -    return day".ljust(50), ""],
        ["12 --- not a header".ljust(50), "11 ++++ nor this"],
    ]


@pytest.mark.parametrize(("width", "columns"), [(SIDE_BY_SIDE + 2, 2), (SIDE_BY_SIDE + 1, 1)])
def test_the_width_decides_between_one_column_and_two(width: int, columns: int) -> None:
    lines = DiffPart(DIFF).lines(width, Palette())
    text = "\n".join("".join(segment.text for segment in line) for line in lines)
    assert ("│" in text) == (columns == 2)


texts = st.lists(st.text(st.sampled_from("ab+- @é日"), max_size=60), max_size=12)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(before=texts, after=texts, width=st.integers(SIDE_BY_SIDE, 140))
def test_every_line_of_both_sides_is_shown_and_none_is_too_long(
    before: list[str], after: list[str], width: int
) -> None:
    source = "\n".join(difflib.unified_diff(before, after, "a", "b", lineterm="", n=99))
    lines = split_diff_lines(source, width, Palette())
    for line in lines:
        assert sum(segment.cell_length for segment in line) <= width
    shown = "".join(segment.text for line in lines for segment in line).replace(" ", "")
    for text in [*before, *after] if source else []:
        assert text.replace(" ", "")[:20] in shown


@given(st.text(st.sampled_from("@-+ 1,9a\n"), max_size=80))
def test_whatever_calls_itself_a_diff_is_shown_whole(source: str) -> None:
    lines = split_diff_lines(source, 120, Palette())
    shown = "".join(segment.text for line in lines for segment in line)
    for text in source.split("\n"):
        assert text.strip() in shown
