"""Where models answer: a key, the local model, or routing only; and what finds agents better.

Offered once, later by F4.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, ProgressBar, Static
from textual.widgets.option_list import Option

from secretary_tui import paths
from secretary_tui.sanitize import clean_line
from secretary_tui.screens.host import host_of
from secretary_tui.sessions import ui_state
from secretary_tui.widgets.lists.choice_list import ChoiceList

if TYPE_CHECKING:
    from secretary_tui.config import Config
    from secretary_tui.engines.choose import EngineOffer
    from secretary_tui.engines.local.catalogue import ModelWeights
    from secretary_tui.engines.local.progress import Progress
    from secretary_tui.engines.local.weights import ModelStatus

_USE = "Use the local model"
_FINDERS = ("Find agents by meaning too", "Find agents by meaning, larger and slower")
TYPICAL_BYTES_S = 12_000_000
"""For the time named before a download; the real speed is shown while it goes."""

KEY_HELP = """\
Set the key in the shell you start secretary-tui from, then start it again:

    export ANTHROPIC_API_KEY=…

The key is read from the environment only. It is never written anywhere and never sent to
another host than the API's (or the one in your own ANTHROPIC_BASE_URL)."""


class SetupScreen(ModalScreen[None]):
    """The choices and, for models, a download that can be stopped and resumed."""

    CSS_PATH = paths.bundled("styles") / "screens.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "back", "Close")]

    def __init__(self) -> None:
        super().__init__()
        self._cancel = asyncio.Event()
        self._downloading = False
        self._others: tuple[EngineOffer, ...] = ()
        """The engines beside the API and the local model."""

    def compose(self) -> ComposeResult:
        """The state, the choices, and room for what a choice says."""
        yield Static("Model setup", id="setup-title", markup=False)
        yield Static(id="setup-text", markup=False)
        yield ChoiceList(id="setup-list", markup=False)
        bar = ProgressBar(id="setup-bar", show_eta=False)
        bar.display = False
        yield bar
        yield Static(id="setup-progress", markup=False)
        yield Static("Enter chooses, Esc closes; /model opens this again", id="setup-foot")

    async def on_mount(self) -> None:
        """Describe what is there."""
        ui_state.remember(onboarded=True)
        await self._describe()
        self.query_one(ChoiceList).focus()

    async def _describe(self) -> None:
        from secretary_tui.engines.local.weights import model_status

        secretary = host_of(self).secretary
        choice = secretary.engines.choice
        statuses = await asyncio.to_thread(model_status, secretary.config)
        models = [each for each in statuses if not each.weights.finds_agents]
        finders = [each for each in statuses if each.weights.finds_agents]
        # What is here is used before anything is downloaded.
        models.sort(key=lambda status: (not status.in_use, status.state != "ready"))
        own = await asyncio.to_thread(_own_file, secretary.config, models)
        offers = await asyncio.to_thread(secretary.engines.offers)
        self._others = tuple(offer for offer in offers if offer.name not in ("anthropic", "local"))
        rows = (
            ("key", "Use an API key", "The Claude API, with ANTHROPIC_API_KEY."),
            *own,
            *(
                (f"model {each.weights.id}", f"{_USE} · {each.weights.title}", describe_model(each))
                for each in models[:1]
            ),
            ("none", "Routing only", "Find the right agent here, run it elsewhere."),
            *(
                (f"model {each.weights.id}", title, describe_model(each))
                for title, each in zip(_FINDERS, finders, strict=True)
            ),
            *(
                (f"model {each.weights.id}", f"{_USE} · {each.weights.title}", describe_model(each))
                for each in models[1:]
            ),
            *(
                (f"engine {offer.name}", f"Use {offer.label}", _limits(offer))
                for offer in self._others
                if not offer.problem
            ),
            ("others", "Another engine", "A server of your own, DeepSeek, Ollama, an ACP agent."),
        )
        self.query_one("#setup-text", Static).update(
            Content.assemble(
                ("Now: ", "$foreground 60%"),
                (choice.why, "bold"),
                ("\nFinding agents works without any model, on this machine.", "$foreground 60%"),
            )
        )
        options = self.query_one(ChoiceList)
        at = options.highlighted or 0
        options.clear_options()
        options.add_options(
            [
                Option(
                    Content.assemble((f"{title}\n", "bold"), (f"  {text}", "$foreground 60%")), id=i
                )
                for i, title, text in rows
            ]
        )
        options.highlighted = at

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Carry the choice out."""
        if self._downloading:
            return
        if event.option_id == "key":
            self._say(KEY_HELP)
        elif event.option_id == "others":
            self._say(describe_others(self._others))
        elif event.option_id == "none" or str(event.option_id).startswith("engine "):
            name = str(event.option_id).removeprefix("engine ")
            host_of(self).settings.change("engine", name, project=False)
            self.dismiss()
        elif event.option_id == "own":
            self._answer_here()
        else:
            self._get_model(str(event.option_id).removeprefix("model "))

    def action_back(self) -> None:
        """Stop the download, or close."""
        if self._downloading:
            self._cancel.set()
        else:
            self.dismiss()

    def on_unmount(self) -> None:
        """Stop a download when the app ends; what has come is kept."""
        self._cancel.set()

    @work(exclusive=True)
    async def _get_model(self, model_id: str) -> None:
        from secretary_tui.engines.local.local_engine import is_runtime_installed
        from secretary_tui.engines.local.weights import find_model

        weights = find_model(model_id)
        if weights.finds_agents:
            if await self._download(weights):
                await asyncio.to_thread(host_of(self).secretary.library.learn_sentences)
                self._say("Ready. Agents are found by the meaning of sentences too.")
            return
        if not is_runtime_installed():
            self._say(
                "Local models need one more package. Quit, then run:\n\n"
                "    pip install 'secretary-tui[local]'"
            )
            return
        if await self._download(weights):
            await self._renew()

    @work(exclusive=True)
    async def _answer_here(self) -> None:
        await self._renew()

    async def _renew(self) -> None:
        """Let the local model answer from now on."""
        config = await asyncio.to_thread(host_of(self).settings.read)
        if config.engine not in ("auto", "local"):
            host_of(self).settings.change("engine", "auto", project=False)
            config = host_of(self).settings.read()
        await host_of(self).settings.renew_engine(config)
        await self._describe()
        self._say("Ready: name the file or function. Not for many files, long plans or the web.")

    async def _download(self, weights: ModelWeights) -> bool:
        """Fetch a model with its progress shown; False when it was stopped or failed."""
        from secretary_tui.engines.base import EngineError
        from secretary_tui.engines.local.download import download

        self._cancel.clear()
        self._downloading = True
        bar = self.query_one(ProgressBar)
        bar.display = True
        self.query_one("#setup-foot", Static).update("Esc stops; what is downloaded is kept")
        try:
            await download(weights, self._progress, self._cancel)
        except EngineError as error:
            self._say(f"{error} {error.suggestion}")
            return False
        finally:
            self._downloading = False
            if self.is_attached and self.query("#setup-foot"):
                bar.display = False
                self.query_one("#setup-foot", Static).update("Enter chooses, Esc closes")
                await self._describe()
        if self._cancel.is_set():
            self._say("Stopped. Choose it again to resume.")
            return False
        return True

    def _progress(self, progress: Progress) -> None:
        if not self.query(ProgressBar):
            return
        bar = self.query_one(ProgressBar)
        bar.update(total=progress.total, progress=progress.done)
        self._say(describe_progress(progress))

    def _say(self, text: str) -> None:
        if not self.query("#setup-progress"):
            return
        self.query_one("#setup-progress", Static).update(Content(text))


def _own_file(config: Config, models: Sequence[ModelStatus]) -> tuple[tuple[str, str, str], ...]:
    """The row of a model file of the user's own, if one is set."""
    from secretary_tui.engines.local.weights import resolve_local_model

    used = resolve_local_model(config)
    if used is None or any(status.path == used for status in models):
        return ()
    return (("own", f"{_USE} · {clean_line(used.name)}", "A file of your own, on this machine."),)


def describe_others(offers: Sequence[EngineOffer]) -> str:
    """What each of the other engines needs before it can be used."""
    lines = [f"{offer.name}: {offer.problem or 'can be used'}" for offer in offers]
    lines.append("Add your own servers and programs in the setting `engines`.")
    return "\n".join(lines)


def _limits(offer: EngineOffer) -> str:
    limits = ", ".join(offer.limits)
    return f"{limits[:1].upper()}{limits[1:]}." if limits else "Ready to use."


def describe_model(status: ModelStatus) -> str:
    """What a model is for, how much of it is here, and how long the rest takes."""
    from secretary_tui.engines.local.weights import ModelState

    size = status.weights.size
    seconds = (size - status.bytes_here) / TYPICAL_BYTES_S
    time_ = f"{round(seconds / 60)} min" if seconds >= 60 else f"{max(1, round(seconds))} s"
    if status.state is ModelState.READY:
        return f"Downloaded. {status.weights.purpose}"
    if status.state is ModelState.PARTIAL:
        done = f"{status.bytes_here / 1e9:.2f} of {size / 1e9:.2f} GB"
        return f"{done} downloaded; about {time_} more."
    return f"{size / 1e9:.2f} GB to download, about {time_}. {status.weights.purpose}"


def describe_progress(progress: Progress) -> str:
    """What is done, how fast, how long still, from where."""
    text = f"{progress.done / 1e6:,.0f} of {progress.total / 1e6:,.0f} MB"
    if progress.eta_s is not None:
        left = time.strftime("%M:%S", time.gmtime(progress.eta_s))
        text += f" · {progress.bytes_per_s / 1e6:.1f} MB/s · {left} left"
    text += f" · {progress.phase} from {progress.source}" if progress.source else ""
    return f"{text}\n{progress.note}" if progress.note else text
