"""Clarifying questions: at most three, with options, *Other*, back, and a review at the end.

Space marks, Enter goes on, the same every time; nothing is sent before the review of several
questions was confirmed; Esc skips them all, which goes on with a best effort.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Static

from secretary_tui.people import MAX_QUESTIONS, Answer, Question
from secretary_tui.widgets.key_bar import KeyHint
from secretary_tui.widgets.panels.panel import Panel, clickable

_BOXES = {True: ("[ ]", "[x]"), False: ("○", "●")}
"""How an option looks, by whether several may be marked, then by whether it is."""

HANG = 8
"""Columns that the second line of a description is indented by."""


@dataclass
class _Draft:
    """What is marked so far for one question."""

    marked: set[int] = field(default_factory=set)
    other: str = ""
    cursor: int = 0


class QuestionPanel(Panel[tuple[Answer, ...]]):
    """Gives one answer for each question, or an empty tuple when all were skipped."""

    SEVERAL: ClassVar[frozenset[str]] = frozenset("123456789jk")

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._questions: tuple[Question, ...] = ()
        self._drafts: list[_Draft] = []
        self._at = 0

    def compose(self) -> ComposeResult:
        """The text and the input of *Other*."""
        yield Static(id="question-text", markup=False)
        other = Input(placeholder="your own answer", id="question-other", compact=True)
        other.display = False
        yield other

    async def ask(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Wait for the answers."""
        self._questions = questions[:MAX_QUESTIONS]
        self._drafts = [_Draft() for _ in self._questions]
        self._at = 0
        self._paint()
        return await self.wait()

    @property
    def _reviewing(self) -> bool:
        return self._at >= len(self._questions)

    @property
    def typing(self) -> bool:
        """Whether *Other* is open."""
        return bool(self.query_one("#question-other", Input).display)

    @property
    def hints(self) -> tuple[KeyHint, ...]:
        """The keys of the current step."""
        if self.typing:
            return (KeyHint("Enter", "take it", "enter"), KeyHint("Esc", "back", "escape"))
        if self._reviewing:
            return (
                KeyHint("Enter", "go on", "enter"),
                KeyHint("←", "back", "left"),
                KeyHint("Esc", "skip all", "escape"),
            )
        back = (KeyHint("←", "back", "left"),) if self._at else ()
        return (
            KeyHint("Space", "mark", "space"),
            KeyHint("Enter", "next", "enter"),
            *back,
            KeyHint("Esc", "skip", "escape"),
        )

    # -------------------------------------------------------------------- keys

    def take_key(self, key: str) -> bool:
        """Arrows or j/k move, Space or a number marks, Enter goes on, ← back, Esc skips."""
        if key == "escape":
            self.answer(())
        elif key in ("left", "backspace"):
            self._at = max(0, self._at - 1)
            self._paint()
        elif self._reviewing:
            if key != "enter":
                return False
            self.answer(self._answers())
        else:
            return self._take_option_key(key)
        return True

    def take_click(self, key: str) -> None:
        """A click marks an option, as Space does; Enter goes on."""
        self._drafts[self._at].cursor = int(key)
        self._mark(int(key))

    def _take_option_key(self, key: str) -> bool:
        draft, count = self._drafts[self._at], len(self._questions[self._at].options) + 1
        if key in ("up", "k", "down", "j"):
            draft.cursor = (draft.cursor + (-1 if key in ("up", "k") else 1)) % count
            self._paint()
        elif key == "space":
            self._mark(draft.cursor)
        elif key.isdigit() and 1 <= int(key) <= count:
            draft.cursor = int(key) - 1
            self._mark(draft.cursor)
        elif key == "enter":
            self._next()
        else:
            return False
        return True

    def _mark(self, position: int) -> None:
        question, draft = self._questions[self._at], self._drafts[self._at]
        if position == len(question.options):
            self._open_other()
            return
        if question.multi_select:
            draft.marked ^= {position}
        else:
            draft.marked = set() if position in draft.marked else {position}
            draft.other = ""
        self._paint()

    def _next(self) -> None:
        """Go on; Enter on an unmarked single choice takes the option under the cursor.

        With several choices nothing is marked unasked: none means that the question is skipped.
        """
        question, draft = self._questions[self._at], self._drafts[self._at]
        if not question.multi_select and not draft.marked and not draft.other:
            if draft.cursor == len(question.options):
                self._open_other()
                return
            draft.marked = {draft.cursor}
        self._at += 1
        if self._reviewing and len(self._questions) == 1:
            self.answer(self._answers())
            return
        self._paint()

    def _answers(self) -> tuple[Answer, ...]:
        return tuple(
            Answer(
                question.question,
                tuple(question.options[i].label for i in sorted(draft.marked)),
                draft.other,
            )
            for question, draft in zip(self._questions, self._drafts, strict=True)
        )

    # ------------------------------------------------------------------- other

    def _open_other(self) -> None:
        other = self.query_one("#question-other", Input)
        other.value = self._drafts[self._at].other
        other.display = True
        other.focus()
        self.post_message(self.Changed())

    def _close_other(self) -> None:
        self.query_one("#question-other", Input).display = False
        self.focus()
        self._paint()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep the typed answer; it replaces the marks of a single choice."""
        event.stop()
        draft = self._drafts[self._at]
        draft.other = event.value.strip()
        if draft.other and not self._questions[self._at].multi_select:
            draft.marked = set()
        self._close_other()

    def take_typing_key(self, key: str) -> bool:
        """Esc inside *Other* goes back to the options."""
        if key == "escape":
            self._close_other()
        return key == "escape"

    # ---------------------------------------------------------------- painting

    def _paint(self) -> None:
        page = self._review() if self._reviewing else self._question()
        self.query_one("#question-text", Static).update(page)
        self.post_message(self.Changed())

    def _question(self) -> Content:
        question, draft = self._questions[self._at], self._drafts[self._at]
        count = len(self._questions)
        step = f"  {self._at + 1} of {count}" if count > 1 else ""
        several = "  mark as many as apply" if question.multi_select else ""
        parts: list[str | tuple[str, str] | Content] = [
            (f"{question.asker} asks  " if question.asker else "", "$foreground 60%"),
            (f"{question.header}", "bold $accent"),
            (f"{step}{several}\n", "$foreground 60%"),
            (f"{question.question}\n", "bold"),
        ]
        rows = [(option.label, option.description) for option in question.options]
        rows.append(("Other", draft.other or "type your own answer"))
        for position, (label, description) in enumerate(rows):
            marked = position in draft.marked or (position == len(rows) - 1 and bool(draft.other))
            here = position == draft.cursor
            text = f"{position + 1} {_BOXES[question.multi_select][marked]} {label}"
            hung = _hang(description, cell_len(text) + 4, max(20, self.content_size.width))
            row = Content.assemble(
                ("› " if here else "  ", "bold $accent"),
                (text, "bold" if here or marked else ""),
                (hung, "$foreground 60%"),
            )
            parts += (clickable(row, str(position)), "\n")
        return Content.assemble(*parts).rstrip()

    def on_resize(self) -> None:
        """Descriptions are broken to the new width."""
        if self.is_open:
            self._paint()

    def _review(self) -> Content:
        parts: list[str | tuple[str, str]] = [("Your answers\n", "bold $accent")]
        for question, answer in zip(self._questions, self._answers(), strict=True):
            parts.append((f"{question.question}\n", "$foreground 60%"))
            parts.append((f"  {answer.text or 'skipped'}\n", "bold"))
        return Content.assemble(*parts).rstrip()


def _hang(description: str, after: int, width: int) -> str:
    """Break a description that begins in column `after`; the lines below it are indented."""
    indent = " " * HANG
    if not description:
        return ""
    if after + HANG > width:  # Hardly room beside the label.
        return "\n" + textwrap.fill(
            description, width, initial_indent=indent, subsequent_indent=indent
        )
    text = textwrap.fill(description, width, initial_indent=" " * after, subsequent_indent=indent)
    return text[after - 2 :]
