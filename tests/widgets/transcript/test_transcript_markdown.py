"""Markdown as lines, and the cutting of text that is still arriving."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from secretary_tui.sanitize import clean
from secretary_tui.widgets.transcript.markdown_lines import markdown_lines
from secretary_tui.widgets.transcript.markdown_stream import (
    MAX_ROWS,
    MarkdownSplitter,
    Piece,
    TextSplitter,
)
from secretary_tui.widgets.transcript.transcript_layout import split
from secretary_tui.widgets.transcript.transcript_palette import Palette
from secretary_tui.widgets.transcript.transcript_parts import MarkdownPart

DOCUMENT = """\
# Title

First paragraph with **bold**, `code` and a [link](https://example.org/a).

1. one
1. two
   - nested
1. three

- loose

- items

```python
def f():

    return 1
```

| a | b |
|---|--:|
| 1 | 2 |

> quoted
> twice

Last words"""


def rows(source: str, width: int = 80, number: int | None = None, marks: bool = False) -> list[str]:
    lines = markdown_lines(source, width, Palette(marks=marks), number=number)
    return ["".join(segment.text for segment in line).rstrip() for line in lines]


def streamed(text: str, size: int) -> list[Piece]:
    splitter = MarkdownSplitter()
    pieces = []
    for start in range(0, len(text), size):
        pieces += splitter.feed(text[start : start + size])
    return pieces + splitter.tail()


def test_every_kind_of_markdown_reads_well_as_plain_text() -> None:
    shown = rows(DOCUMENT)
    assert "Title" in shown
    assert "First paragraph with bold, code and a link (https://example.org/a)." in shown
    assert shown[shown.index("1. one") :][:4] == ["1. one", "2. two", "   • nested", "3. three"]
    assert " def f():" in shown
    assert "▌ quoted" in shown
    assert any(row.split() == ["1", "2"] for row in shown)


def test_task_lists_keep_their_boxes() -> None:
    assert rows("- [x] done\n- [ ] open") == ["• [x] done", "• [ ] open"]


def test_a_short_line_breaks_where_its_author_broke_it_and_a_long_one_is_wrapped_anew() -> None:
    assert rows("short\nlines") == ["short", "lines"]
    wrapped = "word " * 14 + "\n" + "more words"
    assert rows(wrapped, width=100) == ["word " * 14 + "more words"]


def test_html_and_console_markup_are_shown_as_written() -> None:
    assert rows("<b>x</b> [@click=app.bell]x[/] [/") == ["<b>x</b> [@click=app.bell]x[/] [/"]


def test_a_link_definition_stays_visible() -> None:
    assert rows("see [1]\n\n[1]: https://example.org") == [
        "see [1]",
        "",
        "[1]: https://example.org",
    ]


def test_backticks_stay_where_there_is_no_colour() -> None:
    assert rows("run `ls`", marks=True) == ["run `ls`"]
    assert rows("run `ls`") == ["run ls"]


def test_code_in_a_known_language_is_coloured_and_keeps_its_text() -> None:
    from rich.style import Style

    palette = Palette({"code-keyword": Style(bold=True)})
    lines = markdown_lines("```python\nreturn 1\n```", 40, palette)
    bold = [s.text for line in lines for s in line if s.style and s.style.bold]
    assert bold == ["return"]


def test_a_line_with_hundreds_of_bars_is_not_parsed_as_a_table() -> None:
    bars = "|a" * 300 + "\n" + "|-" * 300 + "\n" + "|\n" * 900
    assert "|a|a|a" in rows(bars)[0]


@pytest.mark.parametrize("size", [1, 3, 7, 50, 1000])
def test_streaming_in_any_portions_gives_the_same_lines_as_the_whole_text(size: int) -> None:
    whole = [row for piece in streamed(DOCUMENT, 10_000) for row in _rows_of(piece)]
    assert [row for piece in streamed(DOCUMENT, size) for row in _rows_of(piece)] == whole


def _rows_of(piece: Piece) -> list[str]:
    return [row for row in rows(piece.source, number=piece.number) if row]


def test_items_of_a_streamed_list_keep_counting() -> None:
    shown = [row for piece in streamed("1. a\n1. b\n1. c\n1. d\n", 2) for row in _rows_of(piece)]
    assert shown == ["1. a", "2. b", "3. c", "4. d"]


def test_only_the_last_block_stays_open() -> None:
    splitter = MarkdownSplitter()
    done = splitter.feed("# A\n\nparagraph\n\n- one\n- two\n- thr")
    assert [piece.source.strip() for piece in done] == ["# A", "paragraph", "- one"]
    assert splitter.tail()[0].source == "- two\n- thr"


def test_a_long_open_code_block_is_frozen_in_parts_and_loses_no_line() -> None:
    code = [f"line_{number} = {number}" for number in range(400)]
    splitter = MarkdownSplitter()
    pieces: list[Piece] = []
    for line in ["```python", *code]:
        pieces += splitter.feed(line + "\n")
        assert splitter.tail()[0].source.count("\n") <= MAX_ROWS + 25
    pieces += splitter.feed("```\n\nafter\n") + splitter.tail()
    shown = [row.strip() for piece in pieces for row in _rows_of(piece)]
    assert shown == [*code, "after"]


def test_a_long_open_table_keeps_its_head_in_every_part() -> None:
    table = "| n | m |\n|---|---|\n" + "".join(f"| {n} | x |\n" for n in range(200))
    pieces = streamed(table, 100)
    assert len(pieces) > 2
    assert all(piece.source.startswith("| n | m |") for piece in pieces)
    shown = [row for piece in pieces for row in _rows_of(piece)]
    assert [row.split()[0] for row in shown if row.endswith("x")] == [str(n) for n in range(200)]


def test_a_paragraph_or_a_code_line_without_end_is_cut_and_loses_no_character() -> None:
    words = "word " * 20_000
    assert "".join(piece.source for piece in streamed(words, 2_000)) == words
    code = "```\n" + "x" * 100_000
    shown = "".join("".join(_rows_of(piece)) for piece in streamed(code, 2_000))
    assert shown.count("x") == 100_000


@settings(max_examples=150)
@given(
    st.text(st.sampled_from("ab *_`#->|[]()!\n\t1.~<&\\é日👍"), max_size=300), st.integers(12, 90)
)
def test_no_line_is_longer_than_the_screen_whatever_the_text(text: str, width: int) -> None:
    for piece in split(MarkdownSplitter(), clean(text)):
        for row in rows(piece.source, width):
            assert cell_len(row) <= max(width, 24), row


@settings(max_examples=150)
@given(st.text(st.sampled_from("ab \n`#-1.>|"), max_size=400), st.integers(1, 40))
def test_no_letter_of_a_stream_is_lost(text: str, size: int) -> None:
    letters = [c for c in text if c in "ab"]
    pieces = "".join(piece.source for piece in streamed(text, size))
    assert [c for c in pieces if c in "ab"] == letters or "|" in text


@given(st.text(max_size=5_000), st.integers(1, 3_000))
@settings(max_examples=50)
def test_plain_text_is_cut_at_line_ends_and_stays_whole(text: str, size: int) -> None:
    splitter = TextSplitter()
    pieces = []
    for start in range(0, len(text), size):
        pieces += splitter.feed(text[start : start + size])
    joined = "".join(p.source for p in [*pieces, *splitter.tail()])
    assert joined.replace("\n", "") == text.replace("\n", "")


@pytest.mark.parametrize("language", ["python", "html", "json", "diff", "nonsense", ""])
@pytest.mark.parametrize(
    "code", ["", "\n", "a\n\nb\n", "x = 1\n\n\n", '"""\nopen', "\n\n<b>\n" * 40]
)
@pytest.mark.parametrize("width", [12, 40])
def test_a_height_without_colours_is_the_height_with_them(
    language: str, code: str, width: int
) -> None:
    piece = Piece(
        f"text\n\n```{language}\n{code}```\n\n> - quoted\n>\n>   ```{language}\n>   a\n>   ```"
    )
    part = MarkdownPart(piece)
    assert part.height(width, Palette()) == len(part.lines(width, Palette()))
