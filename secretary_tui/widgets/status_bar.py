"""One line at the bottom: mode, engine, tokens, cost, folder, and what is going on."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from secretary_tui.number_format import cents


class StatusBar(Widget):
    """Shows the state of the session; drops what does not fit from the right."""

    mode: reactive[str] = reactive("manual")
    engine: reactive[str] = reactive("…")
    tokens: reactive[int] = reactive(0)
    cost: reactive[float | None] = reactive(0.0)
    today: reactive[str] = reactive("")
    """What all projects have cost today, such as `today $0.42`."""
    folder: reactive[str] = reactive("")
    library: reactive[str] = reactive("reading agents…")
    activity: reactive[str] = reactive("")
    """What is running, such as `debugger · 12 s`."""
    progress: reactive[str] = reactive("")
    """What it waits for, such as `reading the prompt 43 %`."""

    def render(self) -> Content:
        """Lay the pieces out, the more important ones first."""
        spent = f"{format_tokens(self.tokens)} {cents(self.cost)}" if self.tokens else ""
        pieces = [
            (self.activity, "bold $accent"),
            (self.progress, ""),
            (self.mode, "bold"),
            (self.engine, ""),
            (self.library, "$foreground 60%"),
            (spent, "$foreground 60%"),
            (self.today, "$foreground 60%"),
            (self.folder, "$foreground 60%"),
        ]
        parts: list[str | tuple[str, str]] = []
        room = self.size.width - 2
        for text, style in pieces:
            if not text or cell_len(text) + 3 > room:
                continue
            if parts:
                parts.append((" │ ", "$foreground 30%"))
                room -= 3
            parts.append((text, style))
            room -= cell_len(text)
        return Content.assemble(*parts)


def format_tokens(count: int) -> str:
    """`950 tok`, `12.3k tok`, `1.2M tok`."""
    if count < 1000:
        return f"{count} tok"
    return f"{count / 1000:.1f}k tok" if count < 1_000_000 else f"{count / 1_000_000:.1f}M tok"
