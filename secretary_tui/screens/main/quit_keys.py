"""What stops something: Esc, Ctrl+C and Ctrl+D."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.screen import Screen

    from secretary_tui.flow.tab_controller import TabController
    from secretary_tui.screens.main.composer import Composer
    from secretary_tui.screens.main.panels import Panels
    from secretary_tui.screens.main.panes import Panes
    from secretary_tui.widgets.library.library_pane import LibraryPane
    from secretary_tui.widgets.request.request_box import RequestBox


class QuitKeys:
    """Ctrl+C and Ctrl+D, from the first paint on."""

    def __init__(
        self,
        screen: Screen[Any],
        request: RequestBox,
        end: Callable[[], Coroutine[Any, Any, None]],
    ) -> None:
        self._screen = screen
        self._request = request
        self._end = end
        self._is_armed = False
        """Whether the next Ctrl+C quits."""
        self.stop_first: Callable[[], bool] = lambda: False
        """Stops what goes on; whether there was something that Ctrl+C had to stop first."""
        self.holds_keys: Callable[[], bool] = lambda: False
        """Whether something else takes the keys of the request box."""

    def disarm(self) -> None:
        """Somebody goes on typing: one Ctrl+C is not enough any more."""
        self._is_armed = False

    def interrupt(self) -> None:
        """Ctrl+C: copy or interrupt, then clear, then quit on the second press."""
        selected = self._screen.get_selected_text()
        if selected:
            self._screen.app.copy_to_clipboard(selected)
            self._screen.clear_selection()
        elif self.stop_first():
            return
        elif self._request.text:
            self._request.clear()
        elif self._is_armed:
            self.quit()
        else:
            self._is_armed = True
            self._screen.notify("Press Ctrl+C again to quit.", timeout=3)

    def leave(self) -> None:
        """Ctrl+D: quit from an empty box, else delete to the right."""
        if self.holds_keys():
            return
        if self._screen.focused is self._request and self._request.text:
            self._request.action_delete_right()
        else:
            self.quit()

    def quit(self) -> None:
        """End the run in order, keep the draft, leave."""
        self._screen.run_worker(self._end(), exclusive=True, group="leave")


@dataclass(eq=False)
class StepBack:
    """Esc: one step back, from the innermost; a run is interrupted from the request box."""

    _request: RequestBox
    _library: LibraryPane
    _panes: Panes
    _panels: Panels
    _tabs: TabController[Any]
    _composer: Composer
    _in_the_box: Sequence[Callable[[], bool]]
    """Ends what goes on in the request box; each says whether there was something to end."""

    def step_back(self) -> None:
        """Do one step."""
        if self._stop_in_the_box() or self._composer.stop_editing():
            return
        if self._tabs.route.take_back():
            return
        asks = self._panels.open is not None
        if not asks and self._composer.stop_handing_on():
            return
        if self._library.close_filter():
            return
        if self._request.screen.focused is not self._request and not asks:
            self._request.focus()
            self._panes.show_library(not (self._tabs.run_id or self._tabs.running))
        elif self._panels.match.is_open:  # Before a run that goes on behind it.
            self._panels.match.take_key("escape")
        else:
            self._tabs.step_back()

    def stop_first(self) -> bool:
        """Stop what goes on, for Ctrl+C; whether there was something to stop."""
        tabs = self._tabs
        if self._stop_in_the_box():
            return True
        if tabs.routing and not tabs.holding:
            tabs.cancel()
            return True
        if tabs.step_back():
            return True
        busy = tabs.busy
        if busy:
            tabs.cancel()
        return busy

    def _stop_in_the_box(self) -> bool:
        return any(end() for end in self._in_the_box)
