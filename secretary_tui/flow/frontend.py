"""What the flow on the main screen needs of the screen, and the values that pass in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from secretary_tui.coordinator.dispatch_values import Replied
from secretary_tui.events import Notice, RunEvent
from secretary_tui.people import (
    Answer,
    Choice,
    Question,
    Recommendation,
    RouteChoice,
    ToolAnswer,
    ToolRequest,
)
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


class Frontend(Protocol[ViewT]):
    """What the flow needs of the screen it plays on."""

    @property
    def secretary(self) -> Secretary:
        """The service."""
        ...

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Ask through the question panel."""
        ...

    def present(self, recommendation: Recommendation, *, refining: bool) -> None:
        """Fill the match panel."""
        ...

    def refine(self, recommendation: Recommendation) -> None:
        """Refine the match panel in place."""
        ...

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        """Wait for the match panel."""
        ...

    async def allow_tool(self, request: ToolRequest) -> ToolAnswer:
        """Ask through the permission panel."""
        ...

    async def choose(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        """Ask through the choice panel."""
        ...

    def show_event(self, event: Notice) -> None:
        """Tell something that belongs to no run."""
        ...

    def reply(self, request: str, replied: Replied) -> None:
        """Show what the secretary answers itself."""
        ...

    def paid(self, tokens: int, cost_usd: float | None) -> None:
        """Count what routing cost."""
        ...

    def new_view(self) -> ViewT:
        """Make a transcript for another tab."""
        ...

    def show_view(self, view: ViewT) -> None:
        """Put a tab's transcript on the screen, in the place of the one before."""
        ...

    def drop_view(self, view: ViewT) -> None:
        """Remove a tab's transcript."""
        ...

    def begin_run(self) -> None:
        """Make the transcript visible for a new run."""
        ...

    def ring(self, text: str, elapsed_s: float) -> None:
        """Call the user back: a run of that many seconds ended or asks."""
        ...

    def flow_changed(self) -> None:
        """The state of the flow changed: status line and keys."""
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


@dataclass(frozen=True, slots=True)
class Routed:
    """What the user chose, and from what."""

    choice: RouteChoice
    recommendation: Recommendation
