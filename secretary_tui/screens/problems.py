"""Every finding about the library, by file and line; Enter opens the file there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from secretary_tui import paths
from secretary_tui.registry.agent_index import AgentIndex
from secretary_tui.registry.check.validate import Validation, validate_index
from secretary_tui.registry.definition.spec import Finding, Severity
from secretary_tui.registry.unlisted import Unlisted, find_unlisted
from secretary_tui.screens.editor import edit_file
from secretary_tui.screens.filtered_list import FilteredListScreen
from secretary_tui.secretary import Secretary
from secretary_tui.widgets.key_bar import key_hints
from secretary_tui.widgets.lists.choice_list import ChoiceList

FOLLOW_S = 0.25
"""How often the screen looks whether the library has changed."""
_GLYPHS = {
    Severity.ERROR: ("✗", "$text-error"),
    Severity.WARNING: ("!", "$text-warning"),
    Severity.NOTE: ("·", "$foreground 60%"),
}
_ORDER = {severity: place for place, severity in enumerate(_GLYPHS)}
"""The worst first."""
_DONE = {"skip": "not loaded", "repair": "loaded, read differently", "keep": "loaded"}
"""What was done with the file, by `Finding.action`."""


class ProblemsScreen(FilteredListScreen[None]):
    """The same checks as `agents validate`, over everything the index shows."""

    HEADING = "Problems"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "check", "Check again", show=False),
    ]

    def __init__(self, secretary: Secretary) -> None:
        super().__init__()
        self._secretary = secretary
        self._checked: AgentIndex | None = None
        """The index that the findings are about."""
        self._found: Validation | None = None
        self._unlisted: Unlisted | None = None
        self._shown: list[Finding] = []

    def on_mount(self) -> None:
        """Check now, and again whenever the library has changed."""
        self.query_one(ChoiceList).focus()
        self.set_interval(FOLLOW_S, self._follow)
        self.action_check()

    def _follow(self) -> None:
        if self._secretary.index is not self._checked:
            self.action_check()

    @work(exclusive=True)
    async def action_check(self) -> None:
        """Check the library as it is now, in a thread: comparing descriptions takes a moment."""
        index, aliases = self._secretary.index, tuple(self._secretary.config.model_aliases)
        self._checked = index
        if self._found is None:
            self.say(Content("Checking…"))
        self._found = await asyncio.to_thread(validate_index, index, aliases)
        self._unlisted = await asyncio.to_thread(find_unlisted, self._secretary.project, index)
        if self in self.app.screen_stack:  # Else it is being taken down, its parts first.
            self.show_rows()

    def show_rows(self) -> None:
        """Show the findings that fit the filter."""
        if self._found is None:
            return
        words = self.words
        before = self._under_cursor()
        found = [f for f in self._found.findings if all(w in str(f).lower() for w in words)]
        self._shown = sorted(found, key=lambda f: _ORDER[f.severity])
        self.query_one(".title", Static).update(describe_counts(self._found, self._unlisted))
        self.fill(
            [Option(describe_finding(f, self._secretary.project)) for f in self._shown],
            key_hints(("Enter", "open file"), ("/", "filter"), ("r", "check again")),
            self._shown.index(before) if before in self._shown else 0,
        )

    def _under_cursor(self) -> Finding | None:
        position = self.query_one(ChoiceList).highlighted
        return self._shown[position] if position is not None and self._shown else None

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the file at the finding."""
        finding = self._shown[event.option_index]
        edit_file(self.app, finding.path, finding.line)


def describe_counts(found: Validation, unlisted: Unlisted | None = None) -> Content:
    """The heading: how much there is to mend, and what is not even read."""
    if unlisted is not None:
        more = f"; {unlisted.count:,} agent files are not listed (F5, a)"
        return Content.assemble(describe_counts(found), (more, "$text-warning"))
    if not found.findings:
        return Content.assemble("Problems", ("   no problems", "$foreground 60%"))
    counts = [
        f"{count} {word}" + "s" * (count != 1)
        for count, word in (
            (found.count(Severity.ERROR), "error"),
            (found.count(Severity.WARNING), "warning"),
            (found.count(Severity.NOTE), "note"),
        )
        if count or word != "note"
    ]
    text = f"   {', '.join(counts)}"
    if found.silent:
        files = "1 file" if found.silent == 1 else f"{found.silent} files"
        text += f"; Claude Code skips {files} silently"
    return Content.assemble("Problems", (text, "$foreground 60%"))


def describe_finding(finding: Finding, project: Path) -> Content:
    """Two lines: where and what became of the file, then what is wrong and what to do."""
    glyph, style = _GLYPHS[finding.severity]
    path = finding.path
    where = str(path.relative_to(project)) if path.is_relative_to(project) else paths.shown(path)
    line = f":{finding.line}" if finding.line else ""
    done = _DONE.get(finding.action, finding.action)
    if finding.silent and finding.action != "keep":  # Else that is what the message says.
        done += ", Claude Code skips it silently"
    return Content.assemble(
        (f"{glyph} ", style),
        (f"{where}{line}", "bold"),
        (f"  {done}\n", "$foreground 60%"),
        f"  {finding.message[:1].upper()}{finding.message[1:]}",
    )
