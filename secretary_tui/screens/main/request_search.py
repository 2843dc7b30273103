"""Ctrl+R: find an earlier request by parts of it, while what was being typed stays as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

from textual import events

from secretary_tui.sanitize import clean_line
from secretary_tui.screens.controller_host import FlowHost
from secretary_tui.sessions import drafts
from secretary_tui.widgets.request.completion_menu import CompletionMenu, Suggestion
from secretary_tui.widgets.request.request_box import RequestBox

MOST = 200
"""Requests that are listed; more letters find the rest."""
_SHOWN = 300
"""Characters of a request that a line of the list is made from."""


class EarlierRequests:
    """Requests as they are searched: the newest first, each once."""

    def __init__(self, oldest_first: Sequence[str] = ()) -> None:
        newest_first = dict.fromkeys(reversed(oldest_first))
        self._requests = [(request.casefold(), request) for request in newest_first]
        self._query = ""
        self._fitting = self._requests

    def find(self, query: str) -> list[str]:
        """Those that hold every word of the query, in any case."""
        query = query.casefold()
        # A longer query narrows what the shorter one found.
        among = self._fitting if query.startswith(self._query) else self._requests
        words = query.split()
        self._query = query
        self._fitting = [pair for pair in among if all(word in pair[0] for word in words)]
        return [request for _, request in self._fitting]


class RequestSearch:
    """Has the keys of the request box while it is open; the box itself does not change."""

    def __init__(
        self, screen: FlowHost, request: RequestBox, menu: CompletionMenu, project: Path
    ) -> None:
        self._screen = screen
        self._request = request
        self._project = project
        self.menu = menu
        """Lists what was found; at other times it completes words."""
        self._requests = EarlierRequests()
        self._found: list[str] = []
        self._query = ""
        self.is_open = False

    @property
    def title(self) -> str:
        """What the box says above itself: what is looked for, and how many were found."""
        count = f"{len(self._found):,} found" if self._found else "nothing found"
        return f"earlier requests: {clean_line(self._query)}▏ · {count}"

    def open(self) -> None:
        """Begin to search, or go on to an older request. In vi's normal mode, redo."""
        if self.is_open:
            self.menu.move(1)
            return
        if self._request.keys.redo_in_normal_mode():
            return
        self.menu.show(())
        self.is_open, self._query = True, ""
        self._take(self._request.sent.texts)
        self._request.focus()
        self._screen.run_worker(self._read, exclusive=True, group="earlier requests")

    async def _read(self) -> None:
        """Take all requests of this project, those of other windows too."""
        read = drafts.load_history
        requests = await asyncio.to_thread(read, self._project, most=drafts.SEARCHED)
        if self.is_open and self._screen.is_whole:
            self._take(requests)

    def _take(self, oldest_first: Iterable[str]) -> None:
        self._requests = EarlierRequests(tuple(oldest_first))
        self._look()

    def close(self) -> bool:
        """Leave the box as it was; whether it was searched at all."""
        if not self.is_open:
            return False
        self.is_open = False
        self._found = []
        self.menu.show(())
        self._screen.follow_flow()
        return True

    def take_key(self, event: events.Key) -> bool:
        """Use every key of the box but Tab, until the search is over."""
        if not self.is_open:
            return False
        key = event.key
        if key in ("up", "down"):
            self.menu.move(-1 if key == "up" else 1)
        elif key in ("enter", "tab"):
            self._choose()
        elif key == "escape":
            self.close()
        elif key in ("backspace", "ctrl+h"):
            self._ask(self._query[:-1])
        elif key in ("ctrl+w", "alt+backspace"):
            self._ask(self._query.rstrip().rpartition(" ")[0])
        elif key == "ctrl+u":
            self._ask("")
        elif event.is_printable and event.character:
            self._ask(self._query + event.character)
        return True

    def take_paste(self, text: str) -> bool:
        """Look for what is pasted."""
        if self.is_open:
            self._ask(self._query + clean_line(text)[:_SHOWN])
        return self.is_open

    def _choose(self) -> None:
        """Put the marked request into the box; it is not sent."""
        at = self.menu.position
        chosen = self._found[at] if at < len(self._found) else ""
        self.close()
        if chosen:
            self._request.replace_text(chosen)

    def _ask(self, query: str) -> None:
        self._query = query
        self._look()

    def _look(self) -> None:
        self._found = self._requests.find(self._query)
        rows = [Suggestion(clean_line(request[:_SHOWN]), "") for request in self._found[:MOST]]
        self.menu.show(rows)
        self._screen.follow_flow()
