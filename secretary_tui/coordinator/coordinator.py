"""One conversation: requests go in, steps for a face come out.

The graph is the truth of what is open; it runs in a thread of its own and is loaded when the first
request comes (or `warm` was called before). So that nobody waits for that, the first step of a
request is found by walking the same nodes at once; what follows waits for the graph.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from secretary_tui.codec import from_json, to_json
from secretary_tui.coordinator.context import data_of_answer
from secretary_tui.coordinator.conversation import Conversation
from secretary_tui.coordinator.conversation_file import ConversationFile
from secretary_tui.coordinator.dispatch_values import (
    AgentState,
    Asking,
    Confirming,
    Decided,
    Replied,
    Step,
)
from secretary_tui.coordinator.list_places import ordinal_alone
from secretary_tui.coordinator.nodes import (
    Nodes,
    Services,
    conversation_of,
    given_answers,
    new_state,
    open_flow,
    recommendation_of,
)
from secretary_tui.coordinator.record import Record
from secretary_tui.coordinator.summary import summarise
from secretary_tui.people import AgentMatch, Answer, Intent, Option, Recommendation, RouteChoice

if TYPE_CHECKING:
    from secretary_tui.coordinator.graph import DispatchGraph

Result = TypeVar("Result")

GRAPH = "secretary_tui.coordinator.graph"
PANEL_FIRST_S = 0.08
"""Seconds in which the panel is drawn before the graph wants the interpreter too."""
_SURE = 70
"""Confidence of a continuation above which no model is asked about the alternatives."""


class ModelServices(Services, Protocol):
    """The services, with those that ask a model."""

    @property
    def project(self) -> Path:
        """The project's folder."""
        ...

    async def refine(self, local: Recommendation, answers: Sequence[Answer]) -> Recommendation:
        """Judge a local ranking by a model; on a fault the local one comes back with a notice."""
        ...

    async def reply(self, request: str) -> str:
        """Answer small talk by a model; empty when it can't."""
        ...


class Coordinator:
    """One conversation of a session; one request at a time."""

    def __init__(self, services: ModelServices, file: ConversationFile | None = None) -> None:
        self._services = services
        self._nodes = Nodes(services)
        self._file = file or _new_file(services.project)
        self._record = Record(services.project, self._file.conversation)
        self._thread = ThreadPoolExecutor(1, "coordinator")
        self._opened: DispatchGraph | None = None
        self._settling: asyncio.Future[AgentState] | None = None
        self._state: AgentState = {}
        self._at = ""

    @property
    def conversation(self) -> str:
        """The conversation's id, which the log of decisions names."""
        return self._file.conversation

    @property
    def request(self) -> str:
        """The request that is under way, or was the last."""
        return self._state.get("request", "")

    @property
    def said_before(self) -> tuple[str, ...]:
        """What was said before the request and bears on it, in at most five lines."""
        before = conversation_of(self._state).exchanges
        exchanges = [(each.said, each.answer) for each in before]
        goes_back = self._state.get("context_summary", self.request) != self.request
        return summarise(self.request, exchanges, goes_back=goes_back)

    # ------------------------------------------------------------------ requests

    async def begin(
        self,
        request: str,
        named: Recommendation | None = None,
        conversation: Conversation | None = None,
    ) -> Step:
        """Take a new request up to its first stop; `named` is an agent that was named in it.

        `conversation` is what was said and answered before it, where it is sent from. An earlier
        request that still waits is dropped.
        """
        await self._settle()
        before = conversation or Conversation()
        answered = before.exchanges[-1].answer if before.exchanges else ""
        data = data_of_answer(self._state.get("original_intent", ""), answered)
        given: AgentState = {
            **new_state(request, before),
            "structured_data": data,
            "conversation_id": self.conversation,
            "recommendation": to_json(named) if named else None,
            "metadata": {"named": named is not None},
            "context_summary": request,
            "continuation": None,
            "suggestions": [],
            "error": "",
            "reply": "",
            "choice": None,
        }
        self._state, self._at = await asyncio.to_thread(open_flow, self._nodes, given)
        self._settling = self._later(lambda: self._begin_behind_the_panel(given))
        self._record.routed(self._state, self._recommendation())
        return await self._step()

    async def refine(self) -> Step:
        """Let a model look at the ranking that waits for confirmation."""
        refined = await self._services.refine(self._recommendation(), given_answers(self._state))
        step = await self._resume({"refined": to_json(refined)})
        self._record.routed(self._state, refined, again=True)
        return step

    async def answer(self, answers: Sequence[Answer]) -> Step:
        """Answer the questions; none, or only skipped ones, means a best effort."""
        step = await self._resume({"answers": [to_json(answer) for answer in answers]})
        self._record.routed(self._state, self._recommendation(), again=True)
        return step

    def pointed_at(self, message: str) -> AgentMatch | None:
        """The agent of the panel just left open that a message like "the second one" means."""
        place = ordinal_alone(message)
        if place is None or self._state.get("choice") or not self._state.get("recommendation"):
            return None
        matches = self._recommendation().matches
        return matches[place] if -1 <= place < len(matches) and matches else None

    async def choose(self, choice: RouteChoice) -> None:
        """Take the user's choice, or that they cancelled; the flow of this request is over."""
        self._record.chose(choice)
        await self._resume({"choice": to_json(choice)})

    def ran(self, choice: RouteChoice, run_id: str = "") -> None:
        """Note that a choice was carried out, by a run here or elsewhere: it is learnt from now."""
        self._record.began(choice, run_id)

    # ------------------------------------------------------------------- keeping

    def warm(self) -> None:
        """Begin to load what the first request needs; returns at once."""
        if self._opened is None:
            self._thread.submit(_load_graph)

    def abandon(self) -> None:
        """The user turned away from what waits: the next start does not bring it back."""
        self._at = ""

    @classmethod
    async def restore(cls, services: ModelServices) -> tuple[Coordinator, Step] | None:
        """Find a conversation whose process ended with a panel open, and the step it waits at.

        Others that were left behind are removed.
        """

        def left_behind() -> list[ConversationFile]:
            return list(ConversationFile.left_behind(services.project))

        found: tuple[Coordinator, Step] | None = None
        for file in await asyncio.to_thread(left_behind):
            coordinator = cls(services, file)
            step = await coordinator._reopen() if found is None else None
            if step is None:
                await coordinator.aclose(keep=False)
            else:
                found = coordinator, step
        return found

    async def aclose(self, *, keep: bool = True) -> None:
        """Close the file. It stays for the next start while a panel is open, unless told not to."""
        with contextlib.suppress(sqlite3.Error, ValueError):
            await self._settle()
        opened, self._opened = self._opened, None
        if opened is not None:
            await self._run(opened.close)
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._file.release(keep=keep and opened is not None and self._at in ("ask", "confirm"))

    # ------------------------------------------------------------------- private

    async def _step(self) -> Step:
        if self._at == "companion":
            return await self._reply()
        recommendation = self._recommendation()
        if self._at == "ask":
            return Asking(recommendation.questions)
        if self._at == "confirm":
            metadata = self._state.get("metadata", {})
            waits = not (metadata.get("named") or metadata.get("refined"))
            going_on = recommendation.continuation
            waits = waits and (going_on is None or going_on.confidence <= _SURE)
            refining = waits and self._services.can_refine and bool(recommendation.ranking)
            return Confirming(recommendation, refining)
        return Decided(from_json(RouteChoice, self._state.get("choice")), recommendation)

    async def _reply(self) -> Replied:
        request = self.request
        text = await self._services.reply(request) if self._services.can_refine else ""
        offline = self._nodes.companion(self._state)
        suggestions = () if text else tuple(Option(row["text"]) for row in offline["suggestions"])
        self._at = ""
        self._settling = self._later(lambda: self._graph().resume({"reply": text}))
        return Replied(text or offline["reply"], suggestions)

    async def _reopen(self) -> Step | None:
        # Whatever is in the file was written by another version or tampered with, or is fine. What
        # the library raises for the former is beyond listing, and no old file may stop a start.
        with contextlib.suppress(Exception):
            graph = await self._run(self._graph)
            self._at = await self._run(lambda: graph.waiting)
            self._state = await self._run(lambda: graph.state)
            if self._at in ("ask", "confirm"):
                step = await self._step()
                found = self._recommendation()
                await asyncio.to_thread(self._record.reopened, self._state, found)
                return step
        return None

    async def _resume(self, answer: dict[str, Any]) -> Step:
        await self._settle()
        self._state = await self._run(lambda: self._graph().resume(answer))
        self._at = await self._run(lambda: self._graph().waiting)
        return await self._step()

    async def _settle(self) -> None:
        """Wait until the graph is where the face already is."""
        if self._settling is not None:
            # Whoever waits may be cancelled; what is being written is not.
            self._state = await asyncio.shield(self._settling)
            self._settling = None

    def _recommendation(self) -> Recommendation:
        if self._state.get("recommendation"):
            return recommendation_of(self._state)
        intent = Intent(self._state.get("intent", Intent.DELEGATE))
        return Recommendation(self.request, self.request, (), None, intent=intent)

    def _begin_behind_the_panel(self, given: AgentState) -> AgentState:
        time.sleep(PANEL_FIRST_S)
        return self._graph().begin(given)

    def _graph(self) -> DispatchGraph:
        if self._opened is None:
            self._opened = _load_graph().DispatchGraph(self._nodes, self._file.path)
        return self._opened

    def _later(self, work: Callable[[], Result]) -> asyncio.Future[Result]:
        return asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def _run(self, work: Callable[[], Result]) -> Result:
        return await asyncio.shield(self._later(work))


def _load_graph() -> ModuleType:
    # Set before the import, which reads them.
    os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
    os.environ["LANGSMITH_TRACING"] = os.environ["LANGCHAIN_TRACING_V2"] = "false"
    return import_module(GRAPH)


def _new_file(project: Path) -> ConversationFile:
    try:
        return ConversationFile.create(project)
    except OSError:
        return ConversationFile.in_memory()
