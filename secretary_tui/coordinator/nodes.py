"""The nodes of the dispatch graph, as plain functions of its state, and the edges between them.

They know nothing of LangGraph: `graph.py` wires them, and `open_flow` walks them up to the first
stop, so that the match panel is there before the library is loaded. Nothing here waits for a
user or a model; where an answer is needed, the flow stops: to ask, to confirm, to reply.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from secretary_tui.codec import from_json, to_json
from secretary_tui.coordinator.classifier import classify, threshold_applied
from secretary_tui.coordinator.companion import offline_reply
from secretary_tui.coordinator.continuation import continuation_of
from secretary_tui.coordinator.conversation import Conversation
from secretary_tui.coordinator.cue_words import AGREEING
from secretary_tui.coordinator.dispatch_values import AgentState, IntentClassification
from secretary_tui.people import Answer, Continuation, Intent, Question, Recommendation
from secretary_tui.routing.recommend.interpreter import names_a_matter
from secretary_tui.routing.recommend.questions import earlier_question, goal_question

SKIPPED = "You skipped the questions, so this is a best effort."
HANDED_OVER: Mapping[Intent, str] = {
    Intent.SEARCH: "A search: handed over to the best agent of your library.",
    Intent.ANALYZE: "An analysis: handed over to the best agent of your library.",
    Intent.COMPARE: "A comparison: handed over to the best agent of your library.",
}
BRANCHES: Mapping[str, str] = {
    Intent.SEARCH: "search_team",
    Intent.ANALYZE: "auditor",
    Intent.COMPARE: "comparator",
    Intent.CHAT: "companion",
    Intent.CLARIFY: "clarifier",
    Intent.DELEGATE: "delegate",
}
"""The node of each intent (seed 001, Conditional edge routing)."""


class Services(Protocol):
    """What the nodes need of the rooms below."""

    @property
    def threshold(self) -> float:
        """The confidence below which it is asked, 0–1; read anew each time."""
        ...

    @property
    def can_refine(self) -> bool:
        """Whether a model looks at the ranking afterwards."""
        ...

    @property
    def agents(self) -> int:
        """How many agents the library has."""
        ...

    @property
    def on_screen(self) -> bool:
        """Whether the user sits at the screen, and not at a command line."""
        ...

    def route_local(
        self, request: str, answers: Sequence[Answer] = (), typed: str = ""
    ) -> Recommendation:
        """Rank on this machine; `typed` is the request without what it refers to."""
        ...

    def can_go_on(self, conversation: Conversation, request: str) -> bool:
        """Whether the last run of a conversation can go on: its agent and its log are there."""
        ...


class Node(Protocol):
    """A node of the graph: what it gives changes the state."""

    def __call__(self, state: AgentState) -> AgentState:
        """Do its part."""
        ...


class Nodes:
    """The nodes over the services of one session."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self.ranking: Mapping[str, Node] = {
            "search_team": self.search_team,
            "auditor": self.auditor,
            "comparator": self.comparator,
            "clarifier": self.clarifier,
            "delegate": self.delegate,
        }
        """The nodes that end in a ranking, by name."""

    def classify(self, state: AgentState) -> AgentState:
        """Find the intent, with the last messages as context."""
        if state.get("recommendation"):  # The user named the agent: nothing is to be found out.
            return {
                "intent": Intent.DELEGATE.value,
                "original_intent": Intent.DELEGATE.value,
                "confidence": 1.0,
                "reasoning": "The agent was named.",
            }
        request, conversation = state["request"], conversation_of(state)
        answers = given_answers(state)
        data = state.get("structured_data")
        found, resolved = classify(request, conversation.exchanges, answers, data)
        threshold = self._services.threshold
        applied = threshold_applied(found, threshold)
        going_on = None if answers else self._going_on(state, found.intent)
        if going_on is not None:  # What it may be else is no question any more.
            applied = replace(found, intent=Intent.DELEGATE, reasoning=going_on.reason)
        return {
            "intent": applied.intent.value,
            "original_intent": found.intent.value,
            "confidence": found.confidence,
            "reasoning": applied.reasoning,
            "context_summary": resolved.text,
            "continuation": to_json(going_on) if going_on else None,
            "metadata": {
                **state.get("metadata", {}),
                "threshold": threshold,
                "unresolved": "" if going_on else resolved.unresolved,
                "follows_up": resolved.follows_up,
            },
        }

    def _going_on(self, state: AgentState, intent: Intent) -> Continuation | None:
        """The run that the message goes on with; thanks and greetings go to nobody."""
        request, conversation = state["request"], conversation_of(state)
        is_talk = intent is Intent.CHAT and not AGREEING.match(request)
        if is_talk or not conversation.run or not self._services.can_go_on(conversation, request):
            return None
        typed = self._services.route_local(request)
        return continuation_of(request, conversation, typed.ranking, state["asked_at"])

    def delegate(self, state: AgentState) -> AgentState:
        """Rank the agents for the request."""
        if state.get("recommendation"):
            return {}
        return self._ranked(state)

    def search_team(self, state: AgentState) -> AgentState:
        """Search: handed over to the best agent of the library, and said so."""
        return self._ranked(state)

    def auditor(self, state: AgentState) -> AgentState:
        """Analyse: handed over to the best agent of the library, and said so."""
        return self._ranked(state)

    def comparator(self, state: AgentState) -> AgentState:
        """Compare: handed over to the best agent of the library, and said so."""
        return self._ranked(state)

    def clarifier(self, state: AgentState) -> AgentState:
        """Find a concrete question with options; the original intent is kept."""
        recommendation = self._recommendation(state)
        if not _asked(state) and self._services.agents:
            unresolved = str(state.get("metadata", {}).get("unresolved", ""))
            if unresolved and not _is_found(recommendation):
                open_word = _what_is(unresolved, conversation_of(state), recommendation.questions)
                recommendation = replace(recommendation, questions=open_word)
        return _stored(recommendation, state)

    def companion(self, state: AgentState) -> AgentState:
        """Answer small talk without a model: by saying what can be done here."""
        services = self._services
        reply, suggestions = offline_reply(state["request"], services.agents, services.on_screen)
        return {"reply": reply, "suggestions": [{"text": text} for text in suggestions]}

    def _ranked(self, state: AgentState) -> AgentState:
        recommendation = self._recommendation(state)
        intent = Intent(state.get("original_intent", Intent.DELEGATE))
        if (notice := HANDED_OVER.get(intent)) and recommendation.matches:
            recommendation = replace(
                recommendation, notice=" ".join(filter(None, (notice, recommendation.notice)))
            )
        return _stored(recommendation, state)

    def _recommendation(self, state: AgentState) -> Recommendation:
        request = state["request"]
        wanted = state.get("context_summary") or request
        found = self._services.route_local(wanted, given_answers(state), request)
        if not state.get("continuation"):
            return replace(found, request=request)
        # The run that goes on knows what the message refers to.
        going_on = from_json(Continuation, state["continuation"])
        task = request.strip()
        return replace(found, request=request, task=task, questions=(), continuation=going_on)

    # ------------------------------------------------------------------- edges

    def after_classify(self, state: AgentState) -> str:
        """The node of the intent."""
        return BRANCHES[state["intent"]]

    def after_ranking(self, state: AgentState) -> str:
        """Ask first where something is open that no model will look at, else confirm."""
        recommendation = recommendation_of(state)
        unresolved = bool(state.get("metadata", {}).get("unresolved"))
        settled = not unresolved or _is_found(recommendation)
        waits = self._services.can_refine and bool(recommendation.ranking) and settled
        if recommendation.questions and not waits and not _asked(state):
            return "ask"
        return "confirm"

    # ----------------------------------------------------- what an answer brings

    def refined(self, state: AgentState, refined: Recommendation) -> tuple[AgentState, str]:
        """Take a model's view of the ranking; gives what changes, and the node that comes."""
        going_on = refined.continuation
        if going_on is not None:
            refined = replace(refined, questions=())
        failed = refined.engine == "local"
        metadata = {**state.get("metadata", {}), "refined": True}
        update: AgentState = {**_stored(refined, state), "metadata": metadata}
        if not failed:
            update["reasoning"] = refined.reasoning or state.get("reasoning", "")
            update["confidence"] = refined.intent_confidence
            found = IntentClassification(
                refined.intent, refined.intent_confidence, refined.reasoning
            )
            intent = threshold_applied(found, self._services.threshold).intent
            update["original_intent"] = found.intent.value
            update["intent"] = intent.value
            if intent is Intent.CHAT and not (refined.matches or going_on):
                return update, "companion"
        if refined.questions and not _asked(state):
            return update, "ask"
        return update, "confirm"

    def answered(self, state: AgentState, answers: Sequence[Answer]) -> AgentState:
        """Take the answers to the questions; they count like words of the request."""
        about = {asked.question: asked.about for asked in recommendation_of(state).questions}
        given = [
            to_json(replace(answer, about=about.get(answer.question)))
            for answer in answers
            if not answer.skipped
        ]
        metadata = {**state.get("metadata", {}), "asked": True, "answers": given, "unresolved": ""}
        if not given:  # Nothing new to rank by: a model isn't asked a second time either.
            settled: AgentState = {**state, "metadata": metadata}
            return {"metadata": metadata, **_stored(recommendation_of(state), settled)}
        metadata["refined"] = False
        return {"metadata": metadata, "recommendation": None}


def new_state(request: str, conversation: Conversation) -> AgentState:
    """The state in which the flow of a request begins."""
    return {
        "request": request,
        "conversation": to_json(conversation),
        "asked_at": time.time(),
    }


def open_flow(nodes: Nodes, state: AgentState) -> tuple[AgentState, str]:
    """Walk from the start to the first stop; gives the state there and the stop."""
    state = {**state, **nodes.classify(state)}
    at = nodes.after_classify(state)
    if at == "companion":
        return {**state, **nodes.companion(state)}, at
    state = {**state, **nodes.ranking[at](state)}
    return state, nodes.after_ranking(state)


def first_look(
    services: Services, request: str, conversation: Conversation | None = None
) -> Recommendation:
    """What the flow shows first, for who only wants to know; a reply stands in the notice."""
    nodes = Nodes(services)
    state, at = open_flow(nodes, new_state(request, conversation or Conversation()))
    if at != "companion":
        return recommendation_of(state)
    return Recommendation(
        request,
        request,
        (),
        None,
        notice=state["reply"],
        intent=Intent.CHAT,
        intent_confidence=state["confidence"],
        reasoning=state["reasoning"],
    )


def recommendation_of(state: AgentState) -> Recommendation:
    """The recommendation in a state.

    Raises:
        ValueError: there is none, or it was tampered with.
    """
    return from_json(Recommendation, state.get("recommendation"))


def _stored(recommendation: Recommendation, state: AgentState) -> AgentState:
    classified = _classification(state)
    if _asked(state):
        skipped = "" if given_answers(state) else SKIPPED
        notice = " ".join(filter(None, (skipped, recommendation.notice)))
        recommendation = replace(recommendation, questions=(), notice=notice)
    if recommendation.engine == "local":
        recommendation = replace(
            recommendation,
            intent=classified.intent,
            intent_confidence=classified.confidence,
            reasoning=classified.reasoning,
        )
    return {"recommendation": to_json(recommendation)}


def _classification(state: AgentState) -> IntentClassification:
    return IntentClassification(
        Intent(state.get("intent", Intent.DELEGATE)),
        state.get("confidence", 1.0),
        state.get("reasoning", ""),
    )


def conversation_of(state: AgentState) -> Conversation:
    """What was said before the request; nothing in the state of an earlier version."""
    return (
        from_json(Conversation, state["conversation"])
        if "conversation" in state
        else Conversation()
    )


def given_answers(state: AgentState) -> tuple[Answer, ...]:
    """The answers given so far; empty when all were skipped."""
    given = state.get("metadata", {}).get("answers", [])
    return tuple(from_json(Answer, answer) for answer in given)


def _is_found(recommendation: Recommendation) -> bool:
    """Whether the words beside an open "it" are enough to know who is meant."""
    workflow = recommendation.workflow
    if recommendation.recommended is not None or (workflow is not None and workflow.named):
        return True
    return bool(recommendation.matches) and names_a_matter(recommendation.request)


def _asked(state: AgentState) -> bool:
    return bool(state.get("metadata", {}).get("asked"))


def _what_is(
    unresolved: str, conversation: Conversation, others: tuple[Question, ...]
) -> tuple[Question, ...]:
    """Ask what a word stands for: one of the earlier requests; else what is open beside it."""
    earlier = dict.fromkeys(each.said for each in reversed(conversation.exchanges))
    asked = earlier_question(unresolved, tuple(earlier))
    return (asked,) if asked is not None else others or (goal_question(unresolved),)
