"""Requests that ask for a cause prefer agents whose trade is finding causes.

`why`, `crash` or `failing` say little about the area and are in few descriptions, yet a user who
uses them wants a debugger or troubleshooter rather than a builder of the same area. Their names
get a small bonus, which decides between close candidates and never brings one up from afar.
"""

from __future__ import annotations

import re

from secretary_tui.routing.words.terms import stem_all, words

INVESTIGATION_BONUS = 0.3
"""In deviations of the blended score, like the margin of a close call."""
INVESTIGATES = "finds causes"

_ASKED = re.compile(
    r"\b(?:why|debug(?:ging|s)?|trac(?:e|ing)|crash(?:es|ed|ing)?|fail(?:s|ed|ing|ures?)|"
    r"(?:find|track|hunt)(?:ing)?\s+(?:down\s+)?(?:the|a|this|that|my|our)?\s*(?:bug|cause|leak)s?|"
    r"root\s+cause|investigat(?:e|ing)|diagnos(?:e|ing)|troubleshoot(?:ing)?)\b",
    re.I,
)
_TRADES = frozenset(stem_all(("debugger", "debug", "troubleshooter", "troubleshoot")))
_TRADES |= frozenset(stem_all(("detective", "diagnostician", "diagnostics", "investigator")))
_READ = 20_000


def asks_for_a_cause(request: str) -> bool:
    """Whether a request asks why something goes wrong."""
    return _ASKED.search(request, 0, _READ) is not None


def investigates(name: str) -> bool:
    """Whether an agent's name says that it finds causes."""
    return not _TRADES.isdisjoint(stem_all(words(name)))
