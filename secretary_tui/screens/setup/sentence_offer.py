"""The offer of what finds agents by the meaning of sentences: made once, at the first start.

The download goes on while the user works; the status line shows how far it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from secretary_tui import paths
from secretary_tui.engines.local.catalogue import SENTENCE_MODEL

if TYPE_CHECKING:
    from secretary_tui.engines.local.progress import Progress
    from secretary_tui.secretary import Secretary

_OFFER = f"""\
One download of {SENTENCE_MODEL.size / 1e6:.0f} MB finds agents by what sentences mean, not by \
their words alone: the right one is among the first ten in 94 instead of 88 of 100 requests.

It runs on this machine, and nothing you type leaves it. You can work meanwhile."""


class SentenceOffer(ModalScreen[bool]):
    """One key to download, one to skip, no letters; gives whether to download."""

    CSS_PATH = paths.bundled("styles") / "screens.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "dismiss(True)", "Download"),
        Binding("escape", "dismiss(False)", "Skip"),
    ]

    def compose(self) -> ComposeResult:
        """What it is, what it costs, and the two keys."""
        with Vertical(id="offer"):
            yield Static("Find agents by meaning", classes="title", markup=False)
            yield Static(_OFFER, markup=False)
            yield Static(
                "Enter download · Esc skip; F4 offers it again", classes="foot", markup=False
            )


async def fetch_sentence_model(app: App[Any], secretary: Secretary) -> None:
    """Download it with the progress in the status line, and rank with it from then on."""
    from secretary_tui.engines.base import EngineError
    from secretary_tui.engines.local.download import download

    library = secretary.library

    def show(progress: Progress) -> None:
        library.fetching = f"{progress.phase} {SENTENCE_MODEL.id} {progress.percent} %"

    try:
        await download(SENTENCE_MODEL, show)
    except EngineError as error:
        said = f"{error} {error.suggestion} F4 tries again."
        app.notify(said, severity="warning", markup=False)
        return
    finally:
        library.fetching = ""
    library.learn_sentences()
    app.notify("Agents are found by the meaning of sentences too.")
