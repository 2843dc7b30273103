"""The menu for the `/…` or `@…` that is being typed: when it opens, what its keys do."""

from __future__ import annotations

import asyncio

from secretary_tui.registry.agent_index import AgentIndex
from secretary_tui.screens.controller_host import FlowHost
from secretary_tui.screens.main import suggestions
from secretary_tui.screens.main.request_search import RequestSearch
from secretary_tui.screens.main.suggestions import Candidate, UnfinishedWord, unfinished_word
from secretary_tui.secretary import Secretary
from secretary_tui.widgets.request.completion_menu import Suggestion
from secretary_tui.widgets.request.request_box import RequestBox


class CompletionController:
    """Looks after each key at what stands before the cursor, so that Enter is never ahead of it.

    Texts that were put into the box, such as earlier requests, open no menu: only typing does.
    """

    def __init__(
        self,
        screen: FlowHost,
        request: RequestBox,
        secretary: Secretary,
        searching: RequestSearch,
    ) -> None:
        self._screen = screen
        self._request = request
        self._secretary = secretary
        self._searching = searching
        self._menu = searching.menu
        self._index: AgentIndex | None = None
        self._agents: list[Candidate] = []
        self._commands: list[Candidate] = []
        self._files: list[Candidate] = []
        self._closed_at: int | None = None
        """Where the word begins whose menu the user closed."""

    @property
    def is_open(self) -> bool:
        """Whether there is something to choose from."""
        return self._menu.is_open

    def look(self, *, typed: bool = True) -> None:
        """Bring the menu in line with the box; `typed` is whether the user changed the text."""
        if self._searching.is_open:
            return  # The menu lists earlier requests.
        word = self._word() if typed or self.is_open else None
        if word is None or word.start != self._closed_at:
            self._closed_at = None
        if word is None or self._closed_at is not None:
            self._menu.show(())
        else:
            self._menu.show(self._found(word))
        self._screen.show_keys()

    def take_key(self, key: str) -> bool:
        """What the menu does with a key of the box; False leaves it to the box."""
        word = self._word() if key in ("tab", "enter", "up", "down", "escape") else None
        if word is None:
            return False
        marked = self._menu.marked
        if marked is None:
            return key == "tab" and self._reopen(word)
        if key in ("up", "down"):
            self._menu.move(-1 if key == "up" else 1)
        elif key == "escape":
            self._closed_at = word.start
            self._menu.show(())
            self._screen.show_keys()
            return self._request.was_typed  # Else Esc means what put it there, too.
        else:
            return self._take(word, marked, send=key == "enter")
        return True

    def _take(self, word: UnfinishedWord, marked: Suggestion, *, send: bool) -> bool:
        """Put the marked one in the place of the word; Enter sends what is whole already."""
        whole = self._request.shown[word.start :].casefold() == marked.text.casefold()
        if send and whole and not (word.kind == "@" and word.first):
            self._menu.show(())
            return False
        self._request.replace_word(word.start, marked.text + ("" if send and marked.runs else " "))
        self._menu.show(())
        self._screen.show_keys()
        return not (send and marked.runs)  # The box sends the command.

    def _reopen(self, word: UnfinishedWord) -> bool:
        """Tab on an unfinished word never leaves the box."""
        self._closed_at = None
        self.look()
        return self.is_open or word.first

    def _word(self) -> UnfinishedWord | None:
        request = self._request
        row, column = request.cursor_location
        after = request.document[row][column:]
        if after and not after[0].isspace():
            return None
        return unfinished_word(request.text_before_cursor)

    def _found(self, word: UnfinishedWord) -> list[Suggestion]:
        index = self._secretary.index
        if index is not self._index:
            self._index = index
            self._agents, self._commands = suggestions.agents(index), suggestions.commands(index)
        if word.kind == "/":
            return suggestions.fitting(self._commands, word.typed)
        if not word.typed or not self._files:
            self._screen.run_worker(self._look_for_files, exclusive=True, group="files")
        return suggestions.suggestions(word, self._agents, self._files)

    async def _look_for_files(self) -> None:
        """List the project anew at each `@`; until then the menu has what was there before."""
        found = await asyncio.to_thread(suggestions.files, self._secretary.project)
        changed, self._files = found != self._files, found
        if changed and self._screen.is_whole:
            self.look(typed=self._request.was_typed)

    def close(self) -> None:
        """Show nothing: the box was left."""
        self._menu.show(())
