"""A transcript that streams sample text: to look at it, and to try its keys."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Footer

from secretary_tui import paths
from secretary_tui.events import (
    Outcome,
    PermissionAnswered,
    PermissionAsked,
    Retrying,
    RunEvent,
    RunFinished,
    RunStarted,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolStarted,
    TurnDiscarded,
    TurnStarted,
    Usage,
)
from secretary_tui.widgets.themes import ThemedApp
from secretary_tui.widgets.transcript.run_view import RunView
from secretary_tui.widgets.transcript.transcript import Transcript

SAMPLE = """\
# What I found

The test fails because `Clock.now()` is read **twice**; between the two reads the *day* may
change. See [the clock](https://example.org/clock.py) and ~~the old note~~.

## Steps

1. Read the clock once.
2. Pass the value on:
   - to `report()`
   - to `store()`
3. Run the tests again.

- [x] reproduce it
- [ ] fix it

> A clock that is asked twice
> gives two answers.

```python
def report(clock: Clock) -> str:
    \"\"\"Write one line.\"\"\"
    now = clock.now()  # once
    return f"{now:%Y-%m-%d} {now.hour + 1:02d}"
```

| file | lines | why |
|:-----|------:|-----|
| `report.py` | 12 | reads the clock |
| `store.py` | 7 | reads it again, a moment later, and so may store another day |

---

That is all. Naïve 日本語 text and 👍🏽 keep their columns.
"""
DIFF = """\
--- a/report.py
+++ b/report.py
@@ -1,4 +1,4 @@
 def report(clock):
-    day = clock.now().date()
-    return f"{day} {clock.now().hour}"
+    now = clock.now()
+    return f"{now:%Y-%m-%d} {now.hour}"
"""


def sample_events() -> Iterable[RunEvent]:
    """One run that meets every kind of block."""
    usage = Usage(18_240, 1_204, 12_000)
    yield RunStarted(
        "demo", "debugger", "agents/debugger.md", "", "Why does test_report fail at midnight?",
        "", "", "local", "demo-model", ("Read", "Edit", "Bash"), "ask", ".", "2026-01-01T00:00:00Z",
    )  # fmt: skip
    yield TurnStarted(1)
    yield from _pieces(ThinkingDelta, "The clock is read twice.\nAt midnight the day changes.\n")
    yield ToolStarted("t1", "Read", "report.py", {"file_path": "report.py", "limit": 40})
    yield ToolFinished("t1", "Read", "def report(clock):\n    ...\n" * 9, False, 0.04)
    yield ToolStarted("t2", "Bash", "pytest -q tests/test_report.py", {"command": "pytest -q"})
    yield ToolFinished("t2", "Bash", "1 failed, 3 passed\n", True, 2.31)
    yield TurnStarted(2)
    yield from _pieces(TextDelta, "I shall begin with the wr")
    yield TurnDiscarded("the stream was cut off")
    yield Retrying(2, 5, "overloaded", 4.0)
    yield TurnStarted(2)
    yield from _pieces(TextDelta, SAMPLE)
    yield ToolStarted("t3", "Edit", "report.py", {"file_path": "report.py"})
    yield PermissionAsked("t3", "Edit", "report.py", DIFF)
    yield PermissionAnswered("t3", "once", "user")
    yield ToolFinished("t3", "Edit", "edited report.py", False, 0.02)
    yield ToolStarted("t4", "Bash", "git push", {"command": "git push"})
    yield PermissionAsked("t4", "Bash", "git push", "git push")
    yield PermissionAnswered("t4", "deny", "user", "I push myself")
    yield ToolFinished("t4", "Bash", "denied: I push myself", True, 0.0)
    yield from _pieces(TextDelta, "Done: the clock is read **once** now.\n")
    yield RunFinished(Outcome.DONE, "end_turn", "", usage, 0.0421, 3, 41.2)


class TranscriptDemo(ThemedApp):
    """Streams the sample, 400 characters a second."""

    CSS_PATH = paths.bundled("styles") / "transcript.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("ctrl+o", "unfold", "Unfold all"),
        ("ctrl+t", "next_theme", "Theme"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._themes = cycle(("textual-light", "ansi-dark", "nord", "textual-dark"))
        self._events = iter(sample_events())

    def compose(self) -> ComposeResult:
        """A transcript and the keys."""
        yield Transcript()
        yield Footer()

    def on_mount(self) -> None:
        """Begin to stream."""
        self._view = RunView(self.query_one(Transcript))
        self.set_interval(0.01, self._next_event)
        self.query_one(Transcript).focus()

    def action_unfold(self) -> None:
        """Unfold or fold everything."""
        self.query_one(Transcript).toggle_all()

    def action_next_theme(self) -> None:
        """Show how it looks in another theme."""
        self.theme = next(self._themes)

    def _next_event(self) -> None:
        event = next(self._events, None)
        if event is not None:
            self._view.show(event)


def _pieces(kind: type[TextDelta] | type[ThinkingDelta], text: str) -> Iterable[RunEvent]:
    for start in range(0, len(text), 4):
        yield kind(text[start : start + 4])


if __name__ == "__main__":
    TranscriptDemo().run()
