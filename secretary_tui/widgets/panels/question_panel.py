"""Clarifying questions: at most three, with options, *Other*, back, and a review at the end.

Space marks, Enter goes on, the same every time; nothing is sent before the review of several
questions was confirmed; Esc skips them all, which goes on with a best effort.
"""

from __future__ import annotations

import textwrap
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Static

from secretary_tui.people import Answer, Question
from secretary_tui.widgets.key_bar import KeyHint
from secretary_tui.widgets.panels.panel import Panel, clickable
from secretary_tui.widgets.panels.questionnaire import Questionnaire

_BOXES = {True: ("[ ]", "[x]"), False: ("○", "●")}
"""How an option looks, by whether several may be marked, then by whether it is."""

HANG = 8
"""Columns that the second line of a description is indented by."""


class QuestionPanel(Panel[tuple[Answer, ...]]):
    """Gives one answer for each question, or an empty tuple when all were skipped."""

    SEVERAL: ClassVar[frozenset[str]] = frozenset("123456789jk")

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.form = Questionnaire()
        """The questions, and what is marked."""
        self._other = Input(placeholder="your own answer", id="question-other", compact=True)
        self._other.display = False

    def compose(self) -> ComposeResult:
        """The text and the input of *Other*."""
        yield Static(id="question-text", markup=False)
        yield self._other

    async def ask(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Wait for the answers."""
        self.form = Questionnaire(questions)
        self._paint()
        return await self.wait()

    @property
    def typing(self) -> bool:
        """Whether *Other* is open."""
        return bool(self._other.display)

    @property
    def hints(self) -> tuple[KeyHint, ...]:
        """The keys of the current step."""
        if self.typing:
            return (KeyHint("Enter", "accept", "enter"), KeyHint("Esc", "back", "escape"))
        if self.form.reviewing:
            return (
                KeyHint("Enter", "continue", "enter"),
                KeyHint("←", "back", "left"),
                KeyHint("Esc", "skip all, go on", "escape"),
            )
        back = (KeyHint("←", "back", "left"),) if self.form.at else ()
        last = len(self.form.question.options) + 1
        return (
            KeyHint(f"1-{last}", "choose", "1"),
            KeyHint("Enter", "next", "enter"),
            *back,
            KeyHint("Esc", "skip, go on", "escape"),
        )

    # -------------------------------------------------------------------- keys

    def take_key(self, key: str) -> bool:
        """Arrows or j/k move, Space or a number marks, Enter goes on, ← back, Esc skips."""
        if key == "escape":
            self.answer(())
        elif key in ("left", "backspace"):
            self.form.back()
            self._paint()
        elif self.form.reviewing:
            if key != "enter":
                return False
            self.answer(self.form.answers)
        else:
            return self._take_option_key(key)
        return True

    def take_click(self, key: str) -> None:
        """A click marks an option, as Space does; Enter goes on."""
        self.form.put_cursor(int(key))
        self._mark()

    def _take_option_key(self, key: str) -> bool:
        if key in ("up", "k", "down", "j"):
            self.form.move(-1 if key in ("up", "k") else 1)
            self._paint()
        elif key == "space" or (key.isdigit() and self.form.put_cursor(int(key) - 1)):
            self._mark()
        elif key == "enter":
            self._next()
        else:
            return False
        return True

    def _mark(self) -> None:
        if self.form.is_on_other:
            self._open_other()
            return
        self.form.mark()
        self._paint()

    def _next(self) -> None:
        form = self.form
        if form.takes_cursor:
            if form.is_on_other:
                self._open_other()
                return
            form.mark()
        if form.go_on():
            self.answer(form.answers)
            return
        self._paint()

    # ------------------------------------------------------------------- other

    def _open_other(self) -> None:
        self._other.value = self.form.draft.other
        self._other.display = True
        self._other.focus()
        self.post_message(self.Changed())

    def _close_other(self) -> None:
        self._other.display = False
        self.focus()
        self._paint()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep the typed answer."""
        event.stop()
        self.form.put_other(event.value.strip())
        self._close_other()

    def take_typing_key(self, key: str) -> bool:
        """Esc inside *Other* goes back to the options."""
        if key == "escape":
            self._close_other()
        return key == "escape"

    # ---------------------------------------------------------------- painting

    def on_resize(self) -> None:
        """Descriptions are broken to the new width."""
        if self.is_open:
            self._paint()

    def _paint(self) -> None:
        form, width = self.form, max(20, self.content_size.width)
        page = _review(form) if form.reviewing else _question(form, width)
        self.query_one("#question-text", Static).update(page)
        self.post_message(self.Changed())


def _question(form: Questionnaire, width: int) -> Content:
    question, draft, count = form.question, form.draft, len(form.questions)
    step = f"  {form.at + 1} of {count}" if count > 1 else ""
    several = "  select all that apply" if question.multi_select else ""
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
        row = Content.assemble(
            ("› " if here else "  ", "bold $accent"),
            (text, "bold" if here or marked else ""),
            (_hang(description, cell_len(text) + 4, width), "$foreground 60%"),
        )
        parts += (clickable(row, str(position)), "\n")
    return Content.assemble(*parts).rstrip()


def _review(form: Questionnaire) -> Content:
    parts: list[str | tuple[str, str]] = [("Your answers\n", "bold $accent")]
    for question, answer in zip(form.questions, form.answers, strict=True):
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
