"""What a run changed, file by file, and back again: restore one, restore all, or look closely.

Restoring needs no question, since it can be taken back the same way. A file that somebody changed
since is shown with both diffs and left alone; its original can be put beside it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import PurePath
from typing import Any, ClassVar

from textual import events, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static
from textual.widgets.option_list import Option

from secretary_tui import paths
from secretary_tui.delegation.undo.restoring import Undo
from secretary_tui.delegation.undo.undo_status import UndoError, UndoFile, UndoStatus
from secretary_tui.sanitize import clean_line, reveal
from secretary_tui.screens.filtered_list import FilteredListScreen
from secretary_tui.screens.viewer import ViewerScreen
from secretary_tui.widgets.key_bar import key_hints
from secretary_tui.widgets.lists.choice_list import ChoiceList

WIDE = 110
"""Columns from which on the diff stands beside the list."""
MAX_LINES = 1_500
"""Lines of a diff in the pane; `v` shows all of them."""
GLYPHS = {
    UndoStatus.CHANGED: ("●", "$text-accent", ""),
    UndoStatus.UNDONE: ("↶", "$text-success", "undone"),
    UndoStatus.CONFLICT: ("!", "$text-warning", "changed since"),
    UndoStatus.LOST: ("✗", "$text-error", "can't be undone"),
}
_DIM = "$foreground 60%"
_DIFF_STYLES = {"+": "$text-success", "-": "$text-error", "@": "$text-accent"}


_LONGEST_REQUEST = 60


async def open_undo(app: App[Any], run_id: str, agent: str, request: str = "") -> None:
    """Show what a run changed, or say why there is nothing to show."""
    try:
        undo = await asyncio.to_thread(Undo.of, run_id)
    except UndoError as error:
        app.notify(str(error), markup=False)
        return
    about = " ".join(request.split())[:_LONGEST_REQUEST]
    title = " · ".join(filter(None, ("Undo", agent or run_id, about)))
    app.push_screen(UndoScreen(undo, title))


class UndoScreen(FilteredListScreen[None]):
    """Enter or u restores the highlighted file, or does it again; U restores all that can be."""

    CSS_PATH: ClassVar[list[str | PurePath]] = [
        paths.bundled("styles") / "screens.tcss",
        paths.bundled("styles") / "undo.tcss",
    ]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "restore", "Restore", show=False),
        Binding("U,shift+u", "restore_all", "Restore all", show=False),
        Binding("b", "beside", "Original beside it", show=False),
        Binding("v", "view", "Whole diff", show=False),
        Binding("tab", "app.focus_next", "Next pane", show=False),
    ]

    def __init__(self, undo: Undo, title: str) -> None:
        super().__init__()
        self._undo = undo
        self._one_at_a_time = asyncio.Lock()
        self._title = clean_line(title)
        self._files: tuple[UndoFile, ...] = ()
        self._shown: list[UndoFile] = []

    def compose(self) -> ComposeResult:
        """Title and notes, the list and the diff, and a line at the foot."""
        yield Static(self._title, classes="title", markup=False)
        box = Input(placeholder="filter", classes="filter", compact=True)
        box.display = False
        yield box
        with Container(id="undo-body"):
            yield ChoiceList(classes="list", markup=False)
            with VerticalScroll(id="undo-scroll"):
                yield Static(id="undo-diff", markup=False)
        yield Static(id="undo-notes", markup=False)
        yield Static(classes="foot", markup=False)

    def on_mount(self) -> None:
        """Look at the files in a thread."""
        notes = self._undo.changes.notes
        self.query_one("#undo-notes", Static).update("\n".join(map(clean_line, notes)))
        self.query_one("#undo-notes", Static).display = bool(notes)
        self.query_one(ChoiceList).focus()
        self._read()

    def on_resize(self, event: events.Resize) -> None:
        """The diff below the list, or beside it."""
        self.set_class(event.size.width >= WIDE, "wide")

    @work(exclusive=True, group="read")
    async def _read(self) -> None:
        await self._reload()

    async def _reload(self) -> None:
        self._files = await asyncio.to_thread(self._undo.files)
        if self.query(ChoiceList):
            self.show_rows()

    def show_rows(self) -> None:
        """Show the files that fit the filter."""
        words = self.words
        cursor = self.query_one(ChoiceList).highlighted or 0
        self._shown = [f for f in self._files if all(word in f.path.lower() for word in words)]
        count = len(self._files)
        self.fill(
            [Option(describe_file(file)) for file in self._shown],
            key_hints(
                ("Enter", "undo, redo"),
                ("U", "all"),
                ("b", "original beside it"),
                ("v", "view"),
                ("/", f"{len(self._shown)} of {count}"),
            ),
            min(cursor, max(0, len(self._shown) - 1)),
        )
        self._show_diff()

    @property
    def _file(self) -> UndoFile | None:
        # The screen may be closing: its parts go before it.
        at = next((options.highlighted for options in self.query(ChoiceList)), None)
        return self._shown[at] if at is not None and at < len(self._shown) else None

    def on_option_list_option_highlighted(self) -> None:
        """Show the diff of the file under the cursor."""
        self._show_diff()

    def on_option_list_option_selected(self) -> None:
        """Enter."""
        self.action_restore()

    @work(exclusive=True, group="diff")
    async def _show_diff(self) -> None:
        file = self._file
        if file is not None:
            page = await asyncio.to_thread(diff_page, self._undo, file, MAX_LINES)
        else:
            page = Content("" if self._files else "The run changed no files.")
        for pane in self.query("#undo-diff").results(Static):
            pane.update(page)
        for scroll in self.query("#undo-scroll").results(VerticalScroll):
            scroll.scroll_home(animate=False)

    def action_restore(self) -> None:
        """Put the file back, or do again what was undone."""
        file = self._file
        if file is None:
            return
        redo = file.status is UndoStatus.UNDONE
        act = self._undo.redo if redo else self._undo.restore
        self._carry_out(lambda: f"{act(file.path).path}: {'redone' if redo else 'undone'}.")

    def action_restore_all(self) -> None:
        """Put back all that can be."""

        def act() -> str:
            before = sum(file.status is UndoStatus.CHANGED for file in self._undo.files())
            after = self._undo.restore_all()
            left = sum(file.status is UndoStatus.CONFLICT for file in after)
            rest = f" {left} left alone: changed since." if left else ""
            return f"{before} file{'s' * (before != 1)} undone.{rest}"

        self._carry_out(act)

    def action_beside(self) -> None:
        """Write the original next to a file that was changed since."""
        file = self._file
        if file is not None:
            self._carry_out(lambda: f"Wrote {self._undo.put_beside(file.path)}.")

    @work(group="act")
    async def _carry_out(self, act: Callable[[], str]) -> None:
        """Do one thing after the other; it is said when the rows show it."""
        async with self._one_at_a_time:
            tell = partial(self.notify, timeout=3)
            try:
                said = await asyncio.to_thread(act)
            except UndoError as error:
                said, tell = str(error), partial(self.notify, severity="warning")
            await self._reload()
        tell(said, markup=False)

    @work(exclusive=True, group="view")
    async def action_view(self) -> None:
        """Show the whole diff on the full screen."""
        file = self._file
        if file is not None:
            page = await asyncio.to_thread(diff_page, self._undo, file, None)
            self.app.push_screen(ViewerScreen(clean_line(file.path), page))


def describe_file(file: UndoFile) -> Content:
    """One line: how it stands, what was done to it, and by what."""
    glyph, style, standing = GLYPHS[file.status]
    facts = " · ".join(filter(None, (file.verb, ", ".join(file.change.by), standing)))
    return Content.assemble((f"{glyph} ", style), clean_line(file.path), (f"  {facts}", _DIM))


def diff_page(undo: Undo, file: UndoFile, most_lines: int | None) -> Content:
    """What the run did to a file and, where somebody changed it since, what they did."""
    parts: list[Content] = []
    if file.reason:
        hint = "  b puts its original beside it." if file.status is UndoStatus.CONFLICT else ""
        parts.append(Content.styled(f"{file.reason}{hint}\n", "$text-warning"))
    try:
        later = undo.later_diff(file.path)
        if later:
            parts.append(Content.styled("What the run did:", "bold $primary"))
        parts.append(_coloured(undo.diff(file.path), most_lines))
        if later:
            parts.append(Content.styled("\nWhat changed since:", "bold $primary"))
            parts.append(_coloured(later, most_lines))
    except UndoError as error:
        parts.append(Content.styled(str(error), "$text-warning"))
    return Content("\n").join(parts)


def _coloured(diff: str, most_lines: int | None) -> Content:
    lines = reveal(diff).splitlines()
    shown = lines if most_lines is None else lines[:most_lines]
    rows = [Content.styled(line, _DIFF_STYLES.get(line[:1], "")) for line in shown]
    if len(shown) < len(lines):
        rest = f"… {len(lines) - len(shown):,} more lines: v shows all of them"
        rows.append(Content.styled(rest, _DIM))
    return Content("\n").join(rows)
