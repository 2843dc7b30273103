"""Every setting, its value and where it comes from; a change goes to the right file at once."""

from __future__ import annotations

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from secretary_tui import paths
from secretary_tui.config import SETTINGS, Config, Setting, SettingSource, parse_value
from secretary_tui.screens.host import host_of


class SettingsScreen(ModalScreen[None]):
    """Enter or Space changes a value: the next choice, or a line to type it."""

    CSS_PATH = paths.bundled("styles") / "screens.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", "Close"),
        Binding("space", "change", "Change", show=False),
        Binding("left", "step(-1)", "Previous", show=False),
        Binding("right", "step(1)", "Next", show=False),
        Binding("u", "scope", "User or project", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._project_scope = True

    def compose(self) -> ComposeResult:
        """Title, the list, the explanation, and a line for typed values."""
        yield Static("Settings", id="settings-title", markup=False)
        yield OptionList(id="settings-list", markup=False)
        typed = Input(id="settings-input", compact=True)
        typed.display = False
        yield typed
        yield Static(id="settings-help", markup=False)
        yield Static(id="settings-foot", markup=False)

    def on_mount(self) -> None:
        """Fill the list once; later only rows change."""
        options = self.query_one(OptionList)
        options.add_options([Option(self._row(s), id=s.key) for s in SETTINGS])
        options.highlighted = 0
        options.focus()
        self._explain()

    @property
    def _config(self) -> Config:
        return host_of(self).secretary.config

    def _selected(self) -> Setting:
        return SETTINGS[self.query_one(OptionList).highlighted or 0]

    def _row(self, setting: Setting) -> Content:
        value = shown_value(getattr(self._config, setting.key))
        source = self._config.source(setting.key)
        changed = source is not SettingSource.DEFAULT
        return Content.assemble(
            f"{setting.key:<24}",
            (f"{value:<26.26}", "bold $accent" if changed else ""),
            (f" {source}", "$foreground 60%"),
        )

    def refresh_rows(self) -> None:
        """Show the values in force."""
        options = self.query_one(OptionList)
        for setting in SETTINGS:
            options.replace_option_prompt(setting.key, self._row(setting))
        self._explain()

    def _explain(self) -> None:
        setting = self._selected()
        choices = f"\n{' | '.join(setting.choices)}" if setting.choices else ""
        path = self._target(setting)
        wrong = [f"\n{p.message}." for p in self._config.problems if p.key == setting.key]
        self.query_one("#settings-help", Static).update(
            Content.assemble(
                setting.help, (choices, "$text-accent"), ("".join(wrong), "$text-warning")
            )
        )
        scope = "" if setting.user_only else "  u user/project"
        self.query_one("#settings-foot", Static).update(
            Content.assemble(
                ("←→ Enter change", "bold $accent"),
                (f"{scope}  Esc closes  ", "$foreground 60%"),
                (f"writes {path}", "$foreground 60%"),
            )
        )

    def _in_project(self, setting: Setting) -> bool:
        return self._project_scope and not setting.user_only

    def _target(self, setting: Setting) -> str:
        if self._in_project(setting):
            return str(paths.PROJECT_CONFIG)
        return paths.shown(paths.user_config())

    # ----------------------------------------------------------------- actions

    def on_option_list_option_highlighted(self) -> None:
        """Explain the setting under the cursor."""
        self._explain()

    def on_option_list_option_selected(self) -> None:
        """Enter changes the value."""
        self.action_change()

    def action_change(self) -> None:
        """The next choice, or a line to type in."""
        setting = self._selected()
        if setting.key == "theme":
            host_of(self).action_change_theme()
        elif setting.choices or isinstance(setting.default, bool):
            self.action_step(1)
        elif isinstance(setting.default, (int, float, str, tuple)):
            typed = self.query_one("#settings-input", Input)
            typed.value = shown_value(getattr(self._config, setting.key), empty="")
            typed.display = True
            typed.focus()
        else:
            self.notify(
                f"{setting.key} is a table: edit {paths.shown(paths.user_config())}.", markup=False
            )

    def action_step(self, step: int) -> None:
        """The next or the previous choice."""
        setting = self._selected()
        value: Any = getattr(self._config, setting.key)
        if isinstance(setting.default, bool):
            self._save(setting, not value)
        elif setting.choices:
            # A name of the user's own stands before the first choice.
            at = setting.choices.index(str(value)) if value in setting.choices else -1
            self._save(setting, setting.choices[(at + step) % len(setting.choices)])

    def action_scope(self) -> None:
        """Write to the project's file or to the user's."""
        self._project_scope = not self._project_scope
        self._explain()

    def action_back(self) -> None:
        """Close the line, then the screen."""
        typed = self.query_one("#settings-input", Input)
        if typed.display:
            typed.display = False
            self.query_one(OptionList).focus()
        else:
            self.dismiss()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take a typed value if it fits."""
        setting = self._selected()
        try:
            value = parse_value(setting, event.value)
        except ValueError as error:
            self.notify(f"{error}.", severity="error", markup=False)
            return
        event.input.display = False
        self.query_one(OptionList).focus()
        self._save(setting, value)

    def _save(self, setting: Setting, value: Any) -> None:
        host_of(self).change_setting(setting.key, value, project=self._in_project(setting))


def shown_value(value: object, empty: str = "–") -> str:
    """A setting's value on one line."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (tuple, list)):
        return ", ".join(map(str, value)) or empty
    if isinstance(value, dict):
        return ", ".join(value) or empty
    return f"{value:g}" if isinstance(value, float) else str(value) or empty
