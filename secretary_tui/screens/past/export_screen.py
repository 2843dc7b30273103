"""Write a run to a file: choose what as, and where to. A file that is there is asked about."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static
from textual.widgets.option_list import Option

from secretary_tui import paths
from secretary_tui.sessions.errors import ExportExistsError, SessionError
from secretary_tui.sessions.export.export import ExportFormat, export, write_export
from secretary_tui.sessions.store import load_run
from secretary_tui.widgets.key_bar import key_hints
from secretary_tui.widgets.lists.choice_list import ChoiceList
from secretary_tui.widgets.panels.panel import Panel

_ABOUT = {
    ExportFormat.MARKDOWN: "for an issue, a wiki, a note",
    ExportFormat.HTML: "one file for a browser or a printer, no script in it",
    ExportFormat.JSON: "for programs (docs/exports.md)",
}


class ExportScreen(ModalScreen[Path | None]):
    """Gives the file that was written, or None."""

    CSS_PATH = paths.bundled("styles") / "history.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close"),
        Binding("tab", "app.focus_next", "Next", show=False),
    ]

    def __init__(self, run_id: str, title: str, folder: Path) -> None:
        super().__init__()
        self._run_id, self._title, self._folder = run_id, title, folder
        self._asked: Path | None = None
        self._asked_at = 0.0

    def compose(self) -> ComposeResult:
        """What as, where to, what is wrong with it, the keys."""
        yield Static("Export", classes="title", markup=False)
        yield Static(self._title, id="export-run", markup=False)
        yield ChoiceList(
            *(
                Option(Content.assemble(f"{form:<10}", (_ABOUT[form], "$foreground 60%")), id=form)
                for form in ExportFormat
            ),
            id="export-formats",
        )
        yield Static("File, in the project's folder unless it says otherwise", classes="label")
        yield Input(id="export-path", classes="field", compact=True)
        yield Static(id="export-fault", markup=False)
        keys = key_hints(("Enter", "write"), ("↑↓", "format"), ("Tab", "to the file's name"))
        yield Static(keys, classes="foot", markup=False)

    def on_mount(self) -> None:
        """Start with markdown, and a name that is free."""
        formats = self.query_one(ChoiceList)
        formats.highlighted = 0
        formats.focus()

    def on_option_list_option_highlighted(self) -> None:
        """Another format: another suffix, unless the name has one of its own."""
        box = self.query_one(Input)
        given = Path(box.value or f"run-{self._run_id}")
        known = {form.suffix for form in ExportFormat}
        if not box.value or given.suffix in known:
            stem = given.with_suffix("") if given.suffix in known else given
            box.value = f"{stem}{self._format.suffix}"

    def on_option_list_option_selected(self) -> None:
        """Enter on a format."""
        self._write()

    def on_input_submitted(self) -> None:
        """Enter in the name."""
        self._write()

    def on_input_changed(self) -> None:
        """Another name: what was asked is no longer asked."""
        self._asked = None
        self._say("")

    @property
    def _format(self) -> ExportFormat:
        return list(ExportFormat)[self.query_one(ChoiceList).highlighted or 0]

    @work(exclusive=True, group="export")
    async def _write(self) -> None:
        typed = self.query_one(Input).value.strip()
        if not typed:
            self._say("Type a file name.")
            return
        path = _place(self._folder, typed)
        overwrite = self._asked == path
        if overwrite and time.monotonic() - self._asked_at < Panel.GRACE_S:
            return  # That Enter was on its way before the question was there.
        form = self._format

        def write() -> None:
            write_export(path, export(load_run(self._run_id), form), overwrite=overwrite)

        try:
            await asyncio.to_thread(write)
        except ExportExistsError:
            self._asked, self._asked_at = path, time.monotonic()
            self._say(f"{path.name} exists already. Enter again overwrites it.")
        except SessionError as error:
            said = str(error)
            self._say(said[:1].upper() + said[1:])
        else:
            self.app.notify(f"Wrote {paths.shown(path)}.", timeout=4, markup=False)
            self.dismiss(path)

    def _say(self, text: str) -> None:
        self.query_one("#export-fault", Static).update(Content.styled(text, "$text-warning"))


def _place(folder: Path, typed: str) -> Path:
    return folder / paths.with_home(typed)
