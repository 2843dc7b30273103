"""The way to the undo screen, from the transcript and from the history."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.screen import Screen

_LONGEST_REQUEST = 60


async def open_undo(screen: Screen[Any], run_id: str, agent: str, request: str = "") -> None:
    """Show what a run changed, or say why there is nothing to show."""
    from secretary_tui.delegation.undo.restoring import Undo
    from secretary_tui.delegation.undo.undo_status import UndoError
    from secretary_tui.screens.past.undo_screen import UndoScreen

    try:
        undo = await asyncio.to_thread(Undo.of, run_id)
    except UndoError as error:
        screen.notify(str(error), markup=False)
        return
    about = " ".join(request.split())[:_LONGEST_REQUEST]
    title = " · ".join(filter(None, ("Undo", agent or run_id, about)))
    screen.app.push_screen(UndoScreen(undo, title))
