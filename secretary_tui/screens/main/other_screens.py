"""The screens that open from the main one; each is imported when it is opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textual.app import App

from secretary_tui.screens.editor import edit_text
from secretary_tui.secretary import Secretary
from secretary_tui.widgets.library.library_pane import LibraryPane
from secretary_tui.widgets.request.request_box import RequestBox


@dataclass(eq=False)
class OtherScreens:
    """Opens them."""

    _app: App[Any]
    _secretary: Secretary
    _library: LibraryPane
    _request: RequestBox

    def open_settings(self) -> None:
        """Show and change the settings."""
        from secretary_tui.screens.setup.settings_screen import SettingsScreen

        self._app.push_screen(SettingsScreen())

    def open_themes(self) -> None:
        """Choose the colours from a list that shows each at once."""
        from secretary_tui.screens.setup.theme import ThemeScreen

        self._app.push_screen(ThemeScreen())

    def open_setup(self) -> None:
        """Choose where models answer."""
        from secretary_tui.screens.setup.setup import SetupScreen

        self._app.push_screen(SetupScreen())

    def offer_setup(self) -> None:
        """At the first start, offer that choice when no model answers, and what finds agents."""
        from secretary_tui.sessions import ui_state

        secretary = self._secretary
        if secretary.engines.offline or ui_state.load().onboarded:
            return
        if secretary.engine is None:
            from secretary_tui.screens.setup.setup import SetupScreen

            self._app.push_screen(SetupScreen(), lambda _: self._offer_sentences())
        else:
            ui_state.remember(onboarded=True)
            self._offer_sentences()

    def _offer_sentences(self) -> None:
        from secretary_tui.routing.sentences.sentence_model import find_sentence_model
        from secretary_tui.screens.setup.sentence_offer import SentenceOffer, fetch_sentence_model

        if self._secretary.config.semantic == "off" or find_sentence_model() is not None:
            return

        def answered(wanted: bool | None) -> None:
            if wanted:
                fetching = fetch_sentence_model(self._app, self._secretary)
                self._app.run_worker(fetching, group="sentences", exclusive=True)

        self._app.push_screen(SentenceOffer(), answered)

    def open_stats(self) -> None:
        """Show what the choices add up to."""
        from secretary_tui.screens.past.stats_screen import StatsScreen

        self._app.push_screen(StatsScreen(self._secretary.project))

    def open_problems(self) -> None:
        """Check the whole library."""
        from secretary_tui.screens.problems import ProblemsScreen

        self._app.push_screen(ProblemsScreen(self._secretary))

    def open_new_agent(self) -> None:
        """Write a new agent; the list goes to it."""
        from secretary_tui.screens.new_agent import NewAgentScreen

        then = self._library.index.highlight_when_there
        self._app.push_screen(NewAgentScreen(self._secretary), then)

    def open_editor(self) -> None:
        """Write the request in $VISUAL or $EDITOR."""
        text = edit_text(self._app, self._request.text)
        if text is not None:
            self._request.replace_text(text)
