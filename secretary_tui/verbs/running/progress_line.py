"""A download's progress: one line that renews itself on a terminal, a few lines in a log."""

from __future__ import annotations

import shutil
import sys

from secretary_tui.engines.local.progress import Phase, Progress
from secretary_tui.lines.output import file_size, note, shorten
from secretary_tui.lines.plain_mode import prefers_lines
from secretary_tui.sanitize import clean_line

_BAR = 24
_STEP = 10
"""Per cent between two lines of a log."""


class ProgressLine:
    """Shows `Progress` on the error output."""

    def __init__(self) -> None:
        self._on_terminal = sys.stderr.isatty() and not prefers_lines()
        self._line_is_open = False
        self._told: tuple[Phase, int] | None = None

    def show(self, progress: Progress) -> None:
        """Take the next look at the download."""
        if progress.note:
            self.close()
            note(clean_line(progress.note))
        percent = int(100 * progress.done / progress.total) if progress.total else 0
        if self._on_terminal:
            width = shutil.get_terminal_size().columns - 1
            line = shorten(f"{_bar(percent)} {_facts(progress, percent)}", width)
            sys.stderr.write(f"\r{line.ljust(width)}")
            sys.stderr.flush()
            self._line_is_open = True
            return
        step = (progress.phase, percent // _STEP)
        if step != self._told:
            self._told = step
            note(_facts(progress, percent))

    def close(self) -> None:
        """End the line, so that what follows begins on one of its own."""
        if self._line_is_open:
            sys.stderr.write("\n")
            sys.stderr.flush()
            self._line_is_open = False


def _bar(percent: int) -> str:
    full = _BAR * percent // 100
    return "[" + "#" * full + "-" * (_BAR - full) + "]"


def _facts(progress: Progress, percent: int) -> str:
    parts = [f"{progress.phase} {percent} %"]
    if progress.phase is Phase.DOWNLOADING:
        parts.append(f"{file_size(progress.done)} of {file_size(progress.total)}")
        if progress.eta_s is not None:
            parts.append(f"{file_size(progress.bytes_per_s)}/s, {_duration(progress.eta_s)} left")
        if progress.source:
            parts.append(f"from {clean_line(progress.source)}")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
