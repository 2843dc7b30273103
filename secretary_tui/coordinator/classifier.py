"""The offline classifier of intents: rules over words, and how sure each is (seed 001).

A specialist should do nearly everything that is asked of a library of agents, so *delegate* is
the rule and the others must be said clearly: searching, analysing and comparing are about
libraries and repositories, not about the code at hand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from secretary_tui.coordinator.companion import is_about_us
from secretary_tui.coordinator.context import resolve
from secretary_tui.coordinator.conversation import Exchange
from secretary_tui.coordinator.dispatch_values import IntentClassification
from secretary_tui.coordinator.resolved import Resolved
from secretary_tui.people import Answer, Intent
from secretary_tui.routing.recommend.interpreter import Signal, interpret
from secretary_tui.routing.words.languages import in_english

_POLITE = r"^\W*(?:(?:please|pls|can you|could you|would you|i(?:'d| would)? (?:want|need|like)" \
    r"(?: you)?(?: to)?|let'?s|help me(?: to)?|hey|hi)[,\s]+)*"  # fmt: skip
_THINGS = (
    r"(?:librar(?:y|ies)|packages?|repos?|repositor(?:y|ies)|frameworks?|projects?|alternatives?|"
    r"crates?|gems?|sdks?|plugins?|tools|modules)\b"
)
_SEARCH = re.compile(
    _POLITE + r"(?:find|search|look|show|list|recommend|suggest|discover)\b(?:\s+for)?"
    rf"(?:\s+[\w.+#/-]+){{0,6}}?\s+{_THINGS}",
    re.I,
)
_SEARCH_QUESTION = re.compile(
    rf"^\W*(?:what|which|are there(?: any)?|any)\b(?:\s+[\w.+#/-]+){{0,6}}?\s+{_THINGS}", re.I
)
_COMPARE = re.compile(
    _POLITE + r"(?:compare\s+\S.*(?:\bvs\b|\bversus\b|\band\b|\bwith\b|\bto\b|\bagainst\b)"
    r"|which (?:one )?is (?:better|faster|more \w+)\b|what(?:'s| is| are) the differences?\b"
    r"|differences? between\b)",
    re.I | re.S,
)
_VERSUS = re.compile(r"^\W*[\w./+#-]+\s+(?:vs\.?|versus)\s+[\w./+#-]+\W*$", re.I)
_ANALYZE = re.compile(
    _POLITE + r"(?:analy[sz]e|do a deep dive into|deep dive into|take a (?:deep|close) look at|"
    r"what(?:'s| is) the quality of|how good is|evaluate)\s+(?P<what>\S.*?)\W*$",
    re.I | re.S,
)
_A_REPOSITORY = re.compile(
    r"^(?:the\s+)?(?:(?:repo(?:sitory)?|library|package|project)\s+\S+|[\w.-]+/[\w.-]+"
    r"|[A-Z][\w.+-]*(?:\s+[A-Z][\w.+-]*)?|[\w-]+\.js|\S+\s+(?:repo(?:sitory)?|library|package))$"
)
_ABOUT_US = re.compile(
    r"^\W*(?:what can (?:you|i) do(?: here)?|what do you do|who are you|"
    r"what is this|how does this work|that'?s (?:helpful|great|all)|got it|"
    r"how do i use (?:this|you))\W*$",
    re.I,
)

_READ = 300
"""Characters of a message that say what sort it is; a longer one describes work."""
_SURE, _LIKELY, _UNSURE = 0.95, 0.85, 0.5


def classify(
    request: str,
    exchanges: Sequence[Exchange] = (),
    answers: Sequence[Answer] = (),
    data: Mapping[str, Any] | None = None,
) -> tuple[IntentClassification, Resolved]:
    """Classify a message in its conversation, and fill in what it refers to.

    `data` is the `StructuredData` of the last answer.
    """
    resolved = resolve(request, exchanges, data)
    if any(not answer.skipped for answer in answers):
        found = _classification(Intent.DELEGATE, _LIKELY, "The questions about it were answered.")
        return found, resolved
    return _classify(request, resolved), resolved


def threshold_applied(found: IntentClassification, threshold: float) -> IntentClassification:
    """Override an unsure intent by *clarify* (seed 001, Confidence-Based Routing)."""
    if found.confidence >= threshold or found.intent is Intent.CLARIFY:
        return found
    reason = f"Taken for {found.intent}, but {found.confidence:.2f} is below {threshold:.2f}: " \
        f"{found.reasoning}"  # fmt: skip
    return IntentClassification(Intent.CLARIFY, found.confidence, reason)


def _classify(request: str, resolved: Resolved) -> IntentClassification:
    signals = interpret(request).signals
    opening = in_english(request[:_READ])
    if Signal.CHAT in signals or _ABOUT_US.match(opening) or is_about_us(opening):
        return _classification(Intent.CHAT, _SURE, "It asks for no work.")
    if resolved.unresolved:
        reason = f"Nothing said before tells what “{resolved.unresolved}” is."
        return _classification(Intent.CLARIFY, _LIKELY, reason)
    wanted = (resolved.deed or resolved.text).strip()
    opening = in_english(wanted.partition("\n")[0][:_READ])
    for intent, found in ((Intent.COMPARE, _compares), (Intent.ANALYZE, _analyzes),
                          (Intent.SEARCH, _searches)):  # fmt: skip
        if found(opening):
            return _classification(intent, _LIKELY, _REASONS[intent])
    if Signal.EMPTY in signals:
        return _classification(Intent.CLARIFY, _SURE, "Nothing was asked.")
    if signals and not resolved.follows_up:
        listed = ", ".join(signals)
        return _classification(Intent.DELEGATE, _UNSURE, f"It may mean several things: {listed}.")
    return _classification(Intent.DELEGATE, _LIKELY, "It asks for a specialist's work.")


_REASONS = {
    Intent.COMPARE: "It asks for a comparison.",
    Intent.ANALYZE: "It asks what a library or repository is like.",
    Intent.SEARCH: "It looks for libraries, tools or repositories.",
}


def _compares(text: str) -> bool:
    return bool(_COMPARE.match(text) or _VERSUS.match(text))


def _analyzes(text: str) -> bool:
    found = _ANALYZE.match(text)
    return found is not None and _A_REPOSITORY.match(found["what"].strip()) is not None


def _searches(text: str) -> bool:
    return bool(_SEARCH.match(text) or _SEARCH_QUESTION.match(text))


def _classification(intent: Intent, confidence: float, why: str) -> IntentClassification:
    return IntentClassification(intent, confidence, why)
