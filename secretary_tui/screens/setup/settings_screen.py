"""Every setting, its value and where it comes from; a change goes to the right file at once."""

from __future__ import annotations

import asyncio
from pathlib import PurePath
from typing import Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static
from textual.widgets.option_list import Option

from secretary_tui import paths
from secretary_tui.config import Config
from secretary_tui.screens.editor import edit_file
from secretary_tui.screens.host import host_of
from secretary_tui.screens.setup.settings_rows import (
    Layers,
    describe_setting,
    explain_setting,
    fits,
)
from secretary_tui.screens.setup.theme import ThemeScreen
from secretary_tui.setting_changes import settings_file
from secretary_tui.setting_values import shown_value, typed_value
from secretary_tui.settings import SETTINGS, Setting
from secretary_tui.widgets.key_bar import key_hints
from secretary_tui.widgets.lists.choice_list import ChoiceList

_NONE = Layers({}, {})


class SettingsScreen(ModalScreen[None]):
    """Enter or Space changes a value: the next choice, or a line to type it."""

    CSS_PATH: ClassVar[list[str | PurePath]] = [
        paths.bundled("styles") / "screens.tcss",
        paths.bundled("styles") / "settings.tcss",
    ]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Close"),
        Binding("q", "dismiss(None)", "Close", show=False),
        Binding("space", "change", "Change", show=False),
        Binding("left", "step(-1)", "Previous", show=False),
        Binding("right", "step(1)", "Next", show=False),
        Binding("u", "scope", "User or project", show=False),
        Binding("r", "reset", "Default", show=False),
        Binding("e", "edit", "Open the file", show=False),
        Binding("slash", "filter", "Filter", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._project_scope = True
        self._shown: list[Setting] = list(SETTINGS)
        self._layers = _NONE

    def compose(self) -> ComposeResult:
        """Title, filter, the list, the explanation, a line for typed values, the keys."""
        yield Static("Settings", id="settings-title", markup=False)
        words = Input(placeholder="filter", id="settings-filter", classes="filter", compact=True)
        words.display = False
        yield words
        yield ChoiceList(id="settings-list", markup=False)
        yield Static(id="settings-help", markup=False)
        typed = Input(id="settings-input", compact=True)
        typed.display = False
        yield typed
        yield Static(id="settings-fault", markup=False)
        yield Static(id="settings-foot", markup=False)

    def on_mount(self) -> None:
        """Fill the list; later only rows change."""
        self._fill()
        self._list.focus()
        self._read_layers()
        host_of(self).settings.on_change.append(self._take_change)

    def on_unmount(self) -> None:
        """Changes are none of this screen's business any more."""
        host_of(self).settings.on_change.remove(self._take_change)

    @property
    def _list(self) -> ChoiceList:
        return self.query_one("#settings-list", ChoiceList)

    @property
    def _config(self) -> Config:
        return host_of(self).secretary.config

    @property
    def _selected(self) -> Setting | None:
        at = self._list.highlighted
        return self._shown[at] if at is not None and at < len(self._shown) else None

    @work(exclusive=True, group="layers")
    async def _read_layers(self) -> None:
        self._layers = await asyncio.to_thread(Layers.read, host_of(self).secretary.project)
        if self in self.app.screen_stack:  # Else it is being taken down, its parts first.
            self._explain()

    # ------------------------------------------------------------------ showing

    def _fill(self) -> None:
        words = self.query_one("#settings-filter", Input).value.lower().split()
        before = self._selected
        config = self._config
        self._shown = [setting for setting in SETTINGS if fits(setting, config, words)]
        self._list.clear_options()
        self._list.add_options([Option(describe_setting(s, config), id=s.key) for s in self._shown])
        if self._shown:
            at = self._shown.index(before) if before in self._shown else 0
            self._list.highlighted = at
        self._explain()

    def _take_change(self, key: str, config: Config) -> None:
        """Show the values in force."""
        if self not in self.app.screen_stack:
            return  # It is being taken down, its parts first.
        for setting in self._shown:
            self._list.replace_option_prompt(setting.key, describe_setting(setting, config))
        self._read_layers()

    def _explain(self) -> None:
        setting = self._selected
        config = self._config
        changed = sum(setting.key in config.sources for setting in SETTINGS)
        counted = f"   {len(self._shown)} of {len(SETTINGS)} · {changed} changed"
        self.query_one("#settings-title", Static).update(
            Content.assemble("Settings", (counted, "$foreground 60%"))
        )
        page = "No setting matches. Esc clears the filter."
        self.query_one("#settings-help", Static).update(
            page if setting is None else explain_setting(setting, config, self._layers)
        )
        scope = () if setting is None or setting.user_only else (("u", "user/project"),)
        self.query_one("#settings-foot", Static).update(
            Content.assemble(
                key_hints(
                    *(("←→ Enter", "change"), ("r", "default"), *scope, ("e", "file")),
                    ("/", "filter"),
                ),
                ("" if setting is None else f"\nWrites {self._target(setting)}", "$foreground 60%"),
            )
        )

    def _say(self, text: str) -> None:
        self.query_one("#settings-fault", Static).update(Content.styled(text, "$text-warning"))

    def _in_project(self, setting: Setting) -> bool:
        return self._project_scope and not setting.user_only

    def _target(self, setting: Setting) -> str:
        project = host_of(self).secretary.project
        return settings_file(project, in_project=self._in_project(setting))[1]

    # ----------------------------------------------------------------- actions

    def on_option_list_option_highlighted(self) -> None:
        """Explain the setting under the cursor."""
        self._say("")
        self._explain()

    def on_option_list_option_selected(self) -> None:
        """Enter changes the value."""
        self.action_change()

    def action_filter(self) -> None:
        """Open the filter."""
        box = self.query_one("#settings-filter", Input)
        box.display = True
        box.focus()

    def action_change(self) -> None:
        """The next choice, or a line to type in."""
        setting = self._selected
        if setting is None:
            return
        if setting.key == "theme":
            self.app.push_screen(ThemeScreen())
        elif setting.choices or isinstance(setting.default, bool):
            self.action_step(1)
        elif isinstance(setting.default, (int, float, str, tuple)):
            typed = self.query_one("#settings-input", Input)
            typed.value = shown_value(getattr(self._config, setting.key), empty="")
            typed.display = True
            typed.focus()
        else:
            self._say(f"{setting.key} is a table: e opens {paths.shown(paths.user_config())}.")

    def action_step(self, step: int) -> None:
        """The next or the previous choice."""
        setting = self._selected
        if setting is None:
            return
        value: Any = getattr(self._config, setting.key)
        if isinstance(setting.default, bool):
            self._save(setting, not value)
        elif setting.choices:
            # A name of the user's own stands before the first choice.
            at = setting.choices.index(str(value)) if value in setting.choices else -1
            self._save(setting, setting.choices[(at + step) % len(setting.choices)])

    @work(exclusive=True, group="reset")
    async def action_reset(self) -> None:
        """Take the setting out of the file: what is below it holds again."""
        setting = self._selected
        if setting is None:
            return
        self._layers = await asyncio.to_thread(Layers.read, host_of(self).secretary.project)
        mine = self._layers.project if self._in_project(setting) else self._layers.user
        other = self._layers.user if self._in_project(setting) else self._layers.project
        if setting.key in mine:
            project = self._in_project(setting)
            host_of(self).settings.reset(setting.key, project=project)
        elif setting.key in other and not setting.user_only:
            name = "your own" if self._in_project(setting) else "the project's"
            self._say(f"{setting.key} is set in {name} file: press u, then r to remove it there.")
        else:
            self._say(f"{setting.key} is set in neither file.")

    def action_edit(self) -> None:
        """Open the file that a change goes to."""
        setting = self._selected
        project = setting is not None and self._in_project(setting)
        path, _ = settings_file(host_of(self).secretary.project, in_project=project)
        if path.exists():
            edit_file(self.app, path)
        else:
            self._say(f"{paths.shown(path)} is not there yet: the first change writes it.")

    def action_scope(self) -> None:
        """Write to the project's file or to the user's."""
        self._project_scope = not self._project_scope
        self._explain()

    def action_back(self) -> None:
        """Close the line, then the filter, then the screen."""
        typed = self.query_one("#settings-input", Input)
        words = self.query_one("#settings-filter", Input)
        self._say("")
        if typed.display:
            typed.display = False
            self._list.focus()
        elif words.display:
            words.value = ""
            words.display = False
            self._list.focus()
        else:
            self.dismiss()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as it is typed; another value is no longer the one that was refused."""
        if event.input.id == "settings-filter":
            self._fill()
        else:
            self._say("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Leave the filter, or take a typed value if it fits."""
        setting = self._selected
        if event.input.id == "settings-filter" or setting is None:
            self._list.focus()
            return
        try:
            value = typed_value(setting, event.value)
        except ValueError as error:
            self._say(f"{error}.")
            return
        event.input.display = False
        self._list.focus()
        self._save(setting, value)

    def _save(self, setting: Setting, value: Any) -> None:
        host_of(self).settings.change(setting.key, value, project=self._in_project(setting))
