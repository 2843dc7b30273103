"""Every finding about the library, by file and line; Enter opens the file there."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from secretary_tui import paths
from secretary_tui.registry.index import AgentIndex
from secretary_tui.registry.spec import Finding, Severity
from secretary_tui.registry.validate import Validation, validate_index
from secretary_tui.screens.editor import edit_file


class ProblemsScreen(ModalScreen[None]):
    """The same checks as `agents validate`, over everything the index shows."""

    CSS_PATH = paths.bundled("styles") / "screens.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Close"),
        Binding("q", "dismiss", "Close", show=False),
        Binding("slash", "filter", "Filter", show=False),
        Binding("r", "check", "Check again", show=False),
        Binding("j", "move(1)", "Down", show=False),
        Binding("k", "move(-1)", "Up", show=False),
    ]

    def __init__(self, index: AgentIndex) -> None:
        super().__init__()
        self._index = index
        self._found: Validation | None = None
        self._shown: list[Finding] = []

    def compose(self) -> ComposeResult:
        """Title, filter, the list."""
        yield Static("Problems", id="problems-title", classes="title", markup=False)
        box = Input(placeholder="filter", id="problems-filter", classes="filter", compact=True)
        box.display = False
        yield box
        yield OptionList(id="problems-list", classes="list", markup=False)
        yield Static(id="problems-foot", classes="foot", markup=False)

    def on_mount(self) -> None:
        """Check in a thread: comparing descriptions takes a moment."""
        self.query_one(OptionList).focus()
        self.query_one("#problems-foot", Static).update("checking…")
        self.action_check()

    @work(exclusive=True)
    async def action_check(self) -> None:
        """Check the library (again)."""
        self._found = await asyncio.to_thread(validate_index, self._index)
        self._show()

    def _show(self) -> None:
        if self._found is None:
            return
        words = self.query_one("#problems-filter", Input).value.lower().split()
        found = [f for f in self._found.findings if all(w in str(f).lower() for w in words)]
        self._shown = sorted(found, key=lambda f: f.severity is not Severity.ERROR)
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options([Option(describe_finding(f)) for f in self._shown])
        if self._shown:
            options.highlighted = 0
        errors = self._found.count(Severity.ERROR)
        text = f"{errors} errors, {self._found.count(Severity.WARNING)} warnings"
        if self._found.silent:
            text += f"; Claude Code skips {self._found.silent} of these files silently"
        self.query_one("#problems-foot", Static).update(
            Content.assemble(
                ("Enter", "bold $accent"),
                (" opens the file  ", "$foreground 60%"),
                ("/", "bold $accent"),
                (" filter  ", "$foreground 60%"),
                ("Esc", "bold $accent"),
                (f" close   {text}", "$foreground 60%"),
            )
        )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the file at the finding."""
        finding = self._shown[event.option_index]
        edit_file(self.app, finding.path, finding.line)

    def on_input_changed(self) -> None:
        """Filter as it is typed."""
        self._show()

    def on_input_submitted(self) -> None:
        """Back to the list."""
        self.query_one(OptionList).focus()

    def action_filter(self) -> None:
        """Open the filter."""
        box = self.query_one("#problems-filter", Input)
        box.display = True
        box.focus()

    def action_move(self, step: int) -> None:
        """Move the cursor."""
        options = self.query_one(OptionList)
        if step > 0:
            options.action_cursor_down()
        else:
            options.action_cursor_up()

    def action_back(self) -> None:
        """Clear the filter, then close."""
        box = self.query_one("#problems-filter", Input)
        if box.display:
            box.value = ""
            box.display = False
            self.query_one(OptionList).focus()
        else:
            self.dismiss()


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
