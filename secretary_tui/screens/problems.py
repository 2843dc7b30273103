"""Every finding about the library, by file and line; Enter opens the file there."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from secretary_tui import paths
from secretary_tui.registry.index import AgentIndex
from secretary_tui.registry.spec import Finding, Severity
from secretary_tui.registry.validate import Validation, validate_index
from secretary_tui.screens.editor import edit_file
from secretary_tui.screens.filtered_list import FilteredListScreen


class ProblemsScreen(FilteredListScreen[None]):
    """The same checks as `agents validate`, over everything the index shows."""

    HEADING = "Problems"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "check", "Check again", show=False),
    ]

    def __init__(self, index: AgentIndex) -> None:
        super().__init__()
        self._index = index
        self._found: Validation | None = None
        self._shown: list[Finding] = []

    def on_mount(self) -> None:
        """Check in a thread: comparing descriptions takes a moment."""
        self.query_one(OptionList).focus()
        self.say(Content("checking…"))
        self.action_check()

    @work(exclusive=True)
    async def action_check(self) -> None:
        """Check the library (again)."""
        self._found = await asyncio.to_thread(validate_index, self._index)
        self.show_rows()

    def show_rows(self) -> None:
        """Show the findings that fit the filter."""
        if self._found is None:
            return
        words = self.words
        found = [f for f in self._found.findings if all(w in str(f).lower() for w in words)]
        self._shown = sorted(found, key=lambda f: f.severity is not Severity.ERROR)
        errors = self._found.count(Severity.ERROR)
        text = f"{errors} errors, {self._found.count(Severity.WARNING)} warnings"
        if self._found.silent:
            text += f"; Claude Code skips {self._found.silent} of these files silently"
        self.fill(
            [Option(describe_finding(f)) for f in self._shown],
            Content.assemble(
                ("Enter", "bold $accent"),
                (" opens the file  ", "$foreground 60%"),
                ("/", "bold $accent"),
                (" filter  ", "$foreground 60%"),
                ("Esc", "bold $accent"),
                (f" close   {text}", "$foreground 60%"),
            ),
        )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the file at the finding."""
        finding = self._shown[event.option_index]
        edit_file(self.app, finding.path, finding.line)


def describe_finding(finding: Finding) -> Content:
    """Two lines: where, and what; with whether Claude Code skips the file."""
    error = finding.severity is Severity.ERROR
    glyph, style = ("✗", "$text-error") if error else ("!", "$text-warning")
    line = f":{finding.line}" if finding.line else ""
    silent = "  Claude Code skips it silently" if finding.silent else ""
    return Content.assemble(
        (f"{glyph} ", style),
        (f"{paths.shown(finding.path)}{line}", "bold"),
        (f"  {finding.action}{silent}\n", "$foreground 60%"),
        f"  {finding.message}",
    )
