"""What the user said to an agent at work and it was not told yet, above the request box."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from secretary_tui.sanitize import clean_line

SHOWN = 3
"""Messages that are shown; more are counted."""


class QueuedMessages(Widget):
    """A line for each message that waits for the next turn; gone when there is none."""

    messages: reactive[tuple[str, ...]] = reactive((), layout=True)
    """The messages, oldest first."""

    def watch_messages(self) -> None:
        """Take no room when nothing waits."""
        self.display = bool(self.messages)

    def render(self) -> Content:
        """The oldest ones, one line each, cut at the edge."""
        lines = [
            Content.assemble(("queued ", "$foreground 60%"), clean_line(message))
            for message in self.messages[:SHOWN]
        ]
        more = len(self.messages) - SHOWN
        if more > 0:
            lines.append(Content.assemble((f"and {more} more", "$foreground 60%")))
        room = max(self.size.width, 1)
        return Content("\n").join(line.truncate(room, ellipsis=True) for line in lines)
