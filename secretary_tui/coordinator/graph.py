"""The dispatch flow as a LangGraph `StateGraph`, checkpointed to SQLite.

The only module that imports LangGraph, which takes a second: it is imported in a thread. Questions
and confirmations are interrupts, so a flow that waited when the process was killed waits again when
the file is opened. Everything here blocks for milliseconds; run it in a thread.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from langsmith import tracing_context

from secretary_tui.codec import from_json
from secretary_tui.coordinator.dispatch_values import AgentState
from secretary_tui.coordinator.nodes import BRANCHES, Nodes
from secretary_tui.people import Answer, Recommendation, RouteChoice


class DispatchGraph:
    """The compiled graph of one conversation, over its file."""

    def __init__(self, nodes: Nodes, file: Path) -> None:
        name = ":memory:" if file.name.startswith(":memory:") else file
        self._connection = sqlite3.connect(name, check_same_thread=False)
        # None: plain JSON types come back and none of Python's objects, whatever the file holds.
        serializer = JsonPlusSerializer(allowed_msgpack_modules=None)
        saver = SqliteSaver(self._connection, serde=serializer)
        self._graph = _build(nodes).compile(checkpointer=saver)
        self._config: Any = {"configurable": {"thread_id": file.stem}, "callbacks": []}

    def begin(self, state: AgentState) -> AgentState:
        """Run a new request up to its first stop; an earlier one that still waits is dropped."""
        return self._run(state)

    def resume(self, answer: Mapping[str, Any]) -> AgentState:
        """Answer what the flow waits for, and run it up to the next stop."""
        return self._run(Command(resume=dict(answer)))

    @property
    def state(self) -> AgentState:
        """The state as of the last checkpoint, empty before the first."""
        return cast("AgentState", dict(self._graph.get_state(self._config).values))

    @property
    def waiting(self) -> str:
        """The node at which the flow waits for an answer; empty when it is over."""
        return next(iter(self._graph.get_state(self._config).next), "")

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _run(self, given: Any) -> AgentState:
        # Nothing of a request leaves for a tracing service, whatever the environment says.
        with tracing_context(enabled=False):
            # Synchronous: what the user sees next is on disk before they see it.
            state = self._graph.invoke(given, self._config, durability="sync")
        return cast("AgentState", {k: v for k, v in state.items() if k != "__interrupt__"})


def _build(nodes: Nodes) -> StateGraph[AgentState]:
    def ask(state: AgentState) -> Command[Literal["delegate"]]:
        answer = interrupt({"type": "ask"})
        answers = [from_json(Answer, row) for row in answer["answers"]]
        return Command(update=dict(nodes.answered(state, answers)), goto="delegate")

    def confirm(state: AgentState) -> Command[Any]:
        answer = interrupt({"type": "confirm"})
        if "refined" in answer:
            refined = from_json(Recommendation, answer["refined"])
            update, following = nodes.refined(state, refined)
            return Command(update=dict(update), goto=following)
        from_json(RouteChoice, answer["choice"])
        return Command(update={"choice": answer["choice"]}, goto=END)

    def companion(state: AgentState) -> AgentState:
        answer = interrupt({"type": "reply"})
        reply = str(answer.get("reply", ""))
        return {"reply": reply, "suggestions": []} if reply else nodes.companion(state)

    graph = StateGraph(AgentState)
    graph.add_node("classify", nodes.classify)
    graph.add_node("ask", ask, destinations=("delegate",))
    graph.add_node("confirm", confirm, destinations=("ask", "confirm", "companion", END))
    graph.add_node("companion", companion)
    graph.add_edge(START, "classify")
    graph.add_conditional_edges("classify", nodes.after_classify, list(BRANCHES.values()))
    for name, ranking in nodes.ranking.items():
        graph.add_node(name, ranking)
        graph.add_conditional_edges(name, nodes.after_ranking, ["ask", "confirm"])
    graph.add_edge("companion", END)
    return graph
