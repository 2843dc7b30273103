"""One routing decision as two lines of a list, and as a page."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from secretary_tui.figures import dollars, duration
from secretary_tui.people import RouteAction
from secretary_tui.sessions.decisions import Decision
from secretary_tui.sessions.past import became
from secretary_tui.sessions.statistics.report import moment

_GLYPHS: dict[str, tuple[str, str]] = {
    RouteAction.ACCEPT: ("✓", "$text-success"),
    RouteAction.ALTERNATIVE: ("→", "$text-warning"),
    RouteAction.OTHER: ("→", "$text-warning"),
    RouteAction.WORKFLOW: ("→", "$text-success"),
    RouteAction.CANCEL: ("✗", "$text-error"),
}
_DIM = "$foreground 60%"


def describe_decision(decision: Decision) -> Content:
    """Two lines: when, what became of it, what it took; and what was asked."""
    glyph, style = _GLYPHS.get(decision.action or "", ("·", _DIM))
    facts = [duration(decision.latency_ms)]
    if decision.cost_usd:
        facts.append(dollars(decision.cost_usd))
    facts.append(decision.engine)
    return Content.assemble(
        (f"{glyph} ", style),
        (f"{moment(decision.at)}  ", _DIM),
        (became(decision), "bold"),
        (f"  {' · '.join(facts)}\n", _DIM),
        f"  {' '.join(decision.request.split())[:200]}",
    )


def decision_page(decision: Decision) -> Content:
    """All that is known of a decision."""
    cost = "unknown" if decision.cost_usd is None else dollars(decision.cost_usd)
    shown = "\n".join(f"{s.confidence:>3}  {s.agent}  {s.path}" for s in decision.shown)
    rows = (
        ("Asked", decision.request),
        ("When", moment(decision.at)),
        ("Taken for", f"{decision.intent}, {decision.intent_confidence:.2f}"),
        ("Why", decision.reasoning or "–"),
        ("Shown", shown or "none"),
        ("Recommended", decision.recommended or "none"),
        ("Then", became(decision)),
        ("Run", decision.run_id or "–"),
        ("Ranked by", decision.engine),
        ("It took", f"{duration(decision.latency_ms)}, {decision.tokens:,} tokens, {cost}"),
        ("Conversation", decision.conversation),
        ("Id", decision.id),
    )
    parts: list[str | tuple[str, str]] = []
    for label, text in rows:
        parts += [(f"{label}\n", "bold $primary"), f"{text}\n\n"]
    return Content.assemble(*parts).rstrip()


def fits(decision: Decision, words: Sequence[str]) -> bool:
    """Whether a decision holds all words of a filter, in lower case."""
    shown = " ".join(s.agent for s in decision.shown)
    facts = (decision.request, became(decision), shown, decision.intent, decision.engine)
    text = " ".join((*facts, decision.conversation, decision.id)).lower()
    return all(word in text for word in words)
