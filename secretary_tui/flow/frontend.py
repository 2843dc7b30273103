"""What the flow needs of the face it plays on: small protocols, and `Frontend` with all of them.

A face implements `Frontend`; each part of the flow is handed the protocol that it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from secretary_tui.coordinator.dispatch_values import Replied
from secretary_tui.events import Notice, RunEvent
from secretary_tui.people import Answer, People, Question, Recommendation, RouteChoice
from secretary_tui.secretary import Secretary

if TYPE_CHECKING:
    from secretary_tui.delegation.delegation import Delegation


class RunSink(Protocol):
    """Where the runs of a tab are shown."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was shown there yet."""
        ...

    def show(self, event: RunEvent) -> None:
        """Show one event of a run."""
        ...

    def show_diff(self, diff: str) -> None:
        """Show a unified diff that no tool call stands for."""
        ...

    def clear(self) -> None:
        """Begin afresh."""
        ...


ViewT = TypeVar("ViewT", bound=RunSink)
"""The views of a face."""


class RouteAsker(Protocol):
    """Whom the steps from a request to a choice are put to."""

    @property
    def secretary(self) -> Secretary:
        """The service."""
        ...

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Ask clarifying questions."""
        ...

    def present(self, recommendation: Recommendation, *, refining: bool) -> None:
        """Show who fits; `refining` is whether a model still looks at it."""
        ...

    def refine(self, recommendation: Recommendation) -> None:
        """Show what the model made of it."""
        ...

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        """Wait for the choice."""
        ...

    def paid(self, tokens: int, cost_usd: float | None) -> None:
        """Count what routing cost."""
        ...


class TabViews(Protocol[ViewT]):
    """Where the views of the tabs are."""

    def new_view(self) -> ViewT:
        """Make a transcript for another tab."""
        ...

    def show_view(self, view: ViewT) -> None:
        """Put a tab's transcript on the screen, in the place of the one before."""
        ...

    def drop_view(self, view: ViewT) -> None:
        """Remove a tab's transcript."""
        ...

    def flow_changed(self) -> None:
        """The state of the flow changed: status line and keys."""
        ...


class Frontend(People, RouteAsker, TabViews[ViewT], Protocol[ViewT]):
    """A face: all that the flow needs of it."""

    def show_event(self, event: Notice) -> None:
        """Tell something that belongs to no run."""
        ...

    def reply(self, request: str, replied: Replied) -> None:
        """Show what the secretary answers itself."""
        ...

    def begin_run(self) -> None:
        """Make the transcript visible for a new run."""
        ...

    def ring(self, text: str, elapsed_s: float) -> None:
        """Call the user back: a run of that many seconds ended or asks."""
        ...

    def give_back(self, text: str) -> None:
        """Put a text back into the request box if nothing else was typed there."""
        ...

    def return_messages(self, texts: tuple[str, ...]) -> None:
        """Put messages that nobody was told before what stands in the request box."""
        ...

    def copy_task(self, delegation: Delegation) -> None:
        """Copy the delegation prompt, for use elsewhere."""
        ...

    def open_setup(self) -> None:
        """Let the user choose where models answer."""
        ...

    def report(self, error: Exception) -> None:
        """Say calmly that something unforeseen happened, and log it."""
        ...
