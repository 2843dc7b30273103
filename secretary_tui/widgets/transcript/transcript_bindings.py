"""The keys of the transcript; those that scroll it are in `line_view`.

Their ids let a user's keymap change them.
"""

from __future__ import annotations

from collections.abc import Iterator

from textual.binding import Binding


def _pair(forward: str, backward: str, what: str, words: str) -> Iterator[Binding]:
    """The two keys that move by one kind of thing."""
    for key, step, word in ((forward, 1, "Next"), (backward, -1, "Previous")):
        yield Binding(
            key,
            f"next_{what}({step})",
            f"{word} {what}",
            tooltip=f"{word} {words}",
            show=False,
            id=f"transcript.{word.lower()}-{what}",
        )


KEYS = (
    *_pair("right_curly_bracket", "left_curly_bracket", "turn", "request of yours"),
    *_pair("right_parenthesis", "left_parenthesis", "block", "block"),
    *_pair("right_square_bracket", "left_square_bracket", "fold", "block that folds"),
    *_pair("n", "N", "hit", "place where the searched text stands"),
    Binding("slash", "search", "Search", tooltip="Search a text", id="transcript.search"),
    Binding(
        "enter,space",
        "toggle_current",
        "Fold",
        tooltip="Fold or unfold the block under the cursor",
        id="transcript.toggle",
    ),
    *(
        Binding(key, f"screen.do('{action}')", title, tooltip=tip, id=f"transcript.{key}")
        for key, action, title, tip in (
            ("c", "copy_code", "Copy code", "Copy a code block; again: the one before"),
            ("v", "page_block", "View", "Show the block, or all of it, in $PAGER"),
            ("e", "edit_block", "Edit", "Open the block, or all of it, in $EDITOR"),
            ("o", "open_link", "Open link", "Choose a link on the screen and open it"),
            ("z", "zoom", "Zoom", "The transcript alone on the screen, or all panes"),
        )
    ),
)
"""Keys whose actions begin with `screen.` are the screen's: they leave the transcript."""
