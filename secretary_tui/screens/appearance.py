"""The appearance of the screen: which theme, which glyphs, and whether anything moves.

The theme `auto` is the dark or the light one, by the terminal's background; on a terminal with
sixteen colours it is the one that is made of those. Until the terminal has told its background,
that of the last start counts, so the first paint waits for nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual.filter import LineFilter, Monochrome, NoColor
from textual.widget import Widget
from textual.widgets import Input, TextArea

from secretary_tui.sessions import ui_state
from secretary_tui.terminal.background import background_of
from secretary_tui.terminal.terminal_input import ask_background
from secretary_tui.widgets.glyphs import AsciiGlyphs, terminal_encoding, wants_ascii
from secretary_tui.widgets.themes import ANSI, AUTO, DARK, LIGHT, PLAIN

if TYPE_CHECKING:
    from textual.app import App

    from secretary_tui.config import Config
    from secretary_tui.sessions.ui_state import UiState


class Appearance:
    """Applies the settings `theme`, `glyphs` and `motion`, and NO_COLOR, to the app."""

    def __init__(self, app: App[Any], ui: UiState, environ: Mapping[str, str] = os.environ) -> None:
        self._app = app
        self._environ = environ
        self._without_colour = app.no_color
        """Whether NO_COLOR is set: no theme brings colours then."""
        known = background_of(environ)
        self._dark = ui.dark if known is None else known
        self._asked = self._applying = False
        self._no_color = NoColor()
        self._ascii = AsciiGlyphs(terminal_encoding(environ))
        self.wanted = ui.theme or AUTO
        """The name of a theme, or `auto`."""
        # Textual would turn colours into shades of grey, which are colours, too.
        app._filters[:] = [f for f in app._filters if not isinstance(f, Monochrome | NoColor)]
        self._draw(ui.glyphs, ui.motion)
        self.show(self.wanted)

    # ------------------------------------------------------------------- theme

    def show(self, name: str) -> None:
        """Show a theme, or what `auto` stands for now, without keeping it."""
        self._applying = True
        self._app.theme = self._resolved(name)
        self._app.no_color = self._app.theme == PLAIN.name
        self._applying = False

    def chosen(self) -> bool:
        """Whether the theme that just came is somebody's choice rather than shown by `show`."""
        return not self._applying

    def keep(self, name: str) -> None:
        """Take a theme from now on; an unknown name is `auto`."""
        self.wanted = name if name == AUTO or name in self._app.available_themes else AUTO
        self.show(self.wanted)
        ui_state.remember(theme=self.wanted)

    def ask_terminal(self) -> None:
        """Ask for the background when the theme follows it. Nothing waits for the answer."""
        if self.wanted == AUTO and not self._without_colour and not self._asked:
            self._asked = True
            ask_background(self._app, self._environ)

    def take_background(self, *, dark: bool) -> None:
        """Follow what the terminal says of its background, once for each time it was asked."""
        if not self._asked:
            return
        self._asked = False
        self._dark = dark
        ui_state.remember(dark=dark)
        if self.wanted == AUTO:
            self.show(AUTO)

    def _resolved(self, name: str) -> str:
        if self._without_colour:
            return PLAIN.name
        if name != AUTO and name in self._app.available_themes:
            return name
        if self._app.console.color_system == "standard":
            return ANSI.name  # The nearest of sixteen to the colours of the others aren't read.
        return DARK.name if self._dark else LIGHT.name

    # ------------------------------------------------------- glyphs and motion

    @property
    def filters(self) -> Sequence[LineFilter]:
        """What every line goes through on its way to the terminal."""
        wanted = ((self._app.no_color, self._no_color), (self.is_ascii, self._ascii))
        return tuple(each for on, each in wanted if on)

    def follow(self, config: Config) -> None:
        """Take the settings."""
        ui_state.remember(glyphs=config.glyphs, motion=config.motion)
        before = self.is_ascii
        self._draw(config.glyphs, config.motion)
        widgets = [w for screen in self._app.screen_stack for w in (screen, *screen.query("*"))]
        for widget in widgets:
            self.calm(widget)
            if self.is_ascii != before:
                widget.refresh()
        if config.theme != self.wanted:
            self.keep(config.theme)
        self.ask_terminal()

    def calm(self, widget: Widget) -> None:
        """Keep the cursor of a text widget from blinking where nothing shall move."""
        if self.is_still and isinstance(widget, TextArea | Input):
            widget.cursor_blink = False

    def _draw(self, glyphs: str, motion: str) -> None:
        self.is_ascii = wants_ascii(glyphs, self._environ)
        self.is_still = motion == "reduced"
        if self.is_still:
            self._app.animation_level = "none"
