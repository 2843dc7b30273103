"""A few named ways to go on, such as after a failed run: Retry / Choose another agent / Cancel."""

from __future__ import annotations

from textual.content import Content

from secretary_tui.people import Choice
from secretary_tui.widgets.key_bar import KeyHint
from secretary_tui.widgets.panels.panel import Panel, clickable


class ChoicePanel(Panel[str]):
    """Shows a sentence and its choices; gives the key of the one taken."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._title = ""
        self._text = ""
        self._choices: tuple[Choice, ...] = ()
        self._cursor: int | None = None

    async def ask(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        """Wait for one of the choices."""
        self._title, self._text, self._choices = title, text, choices
        self._cursor = None
        self.refresh(layout=True)
        return await self.wait()

    @property
    def hints(self) -> tuple[KeyHint, ...]:
        """A hint for each choice, and for Enter when one is marked."""
        hints = tuple(KeyHint(_label(c.key), c.label, c.key) for c in self._choices)
        if self._cursor is None:
            return hints
        return (KeyHint("Enter", self._choices[self._cursor].label, "enter"), *hints)

    def take_key(self, key: str) -> bool:
        """Take a choice by its key, or by arrows and Enter.

        Enter where nothing is marked marks the first, so that no answer is given unseen.
        """
        if any(choice.key == key for choice in self._choices):
            self.answer(key)
        elif key == "enter" and self._cursor is not None:
            self.answer(self._choices[self._cursor].key)
        elif key in ("up", "down", "enter"):
            start = self._cursor if self._cursor is not None else -1 if key != "up" else 0
            self._cursor = (start + (-1 if key == "up" else 1)) % len(self._choices)
            if key == "enter":
                self.guard.restart()  # A key that is held down never answers.
            self.refresh()
            self.post_message(self.Changed())
        else:
            return False
        return True

    def take_click(self, key: str) -> None:
        """The first click marks a choice, one on the marked choice takes it."""
        position = next(at for at, choice in enumerate(self._choices) if choice.key == key)
        if position == self._cursor:
            self.answer(key)
            return
        self._cursor = position
        self.guard.restart()  # A double click never answers.
        self.refresh()
        self.post_message(self.Changed())

    def acts_on(self, letter: str) -> bool:
        """The keys of the choices."""
        return any(choice.key == letter for choice in self._choices)

    def render(self) -> Content:
        """The sentence, then the choices in one line each."""
        parts: list[str | tuple[str, str] | Content] = [(f"{self._title}\n", "bold")]
        if self._text:
            parts.append((f"{self._text}\n", "$foreground 60%"))
        for position, choice in enumerate(self._choices):
            here = position == self._cursor
            row = Content.assemble(
                ("› " if here else "  ", "bold $accent"),
                (f"{_label(choice.key):<6} ", "bold $accent"),
                (choice.label, "bold" if here else ""),
            )
            parts += (clickable(row, choice.key), "\n")
        return Content.assemble(*parts).rstrip()


def _label(key: str) -> str:
    return {"escape": "Esc", "enter": "Enter"}.get(key, key)
