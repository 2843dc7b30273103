"""A few named ways to go on, such as after a failed run: Retry / Choose another agent / Cancel."""

from __future__ import annotations

from textual.content import Content

from secretary_tui.people import Choice
from secretary_tui.widgets.key_bar import KeyHint
from secretary_tui.widgets.panel import Panel


class ChoicePanel(Panel[str]):
    """Shows a sentence and its choices; gives the key of the one taken."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._title = ""
        self._text = ""
        self._choices: tuple[Choice, ...] = ()

    async def ask(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        """Wait for one of the choices."""
        self._title, self._text, self._choices = title, text, choices
        self.refresh(layout=True)
        return await self.wait()

    @property
    def hints(self) -> tuple[KeyHint, ...]:
        """A hint for each choice."""
        return tuple(KeyHint(_label(c.key), c.label, c.key) for c in self._choices)

    def take_key(self, key: str) -> bool:
        """Take a choice by its key."""
        if any(choice.key == key for choice in self._choices):
            self.answer(key)
            return True
        return False

    def render(self) -> Content:
        """The sentence, then the choices in one line each."""
        parts: list[str | tuple[str, str]] = [(f"{self._title}\n", "bold $text-error")]
        if self._text:
            parts.append((f"{self._text}\n", "$foreground 60%"))
        for choice in self._choices:
            parts += [(f"{_label(choice.key):<6} ", "bold $accent"), f"{choice.label}\n"]
        return Content.assemble(*parts).rstrip()


def _label(key: str) -> str:
    return {"escape": "Esc", "enter": "Enter"}.get(key, key)
