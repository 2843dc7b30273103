"""Chooses how the embedded model does a task: it answers, changes files, or calls tools.

By rules over the task's words in English and the agent's tools; a wrong choice costs little: what
is changed is shown and asked about first, and an answer can be followed by "do it".
"""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum

from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.permissions.offered_tools import offered_tools
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.permissions.permissions import effective_mode
from secretary_tui.tool_table import BASH, EDIT, GIT_COMMIT, WRITE

_READ = 400
"""Characters at the beginning of a task that are looked at."""


class Way(StrEnum):
    """What is asked of the model."""

    ANSWER = "answer"
    """A text, from what it is shown."""
    CHANGE = "change"
    """Blocks that say what to change in which file."""
    TOOLS = "tools"
    """Turns of tool calls, as larger models take them: for running commands."""


_LEAD = (
    r"(?:^|[.;:!,]\s+|\b(?:and|then|please|to|you|now|just|also)\s+|\n\s*(?:[-*]|\d+[.)])?\s*)"
    r"(?:(?:please|just|now|also|then|kindly)\s+)*"
)
_RUNS = re.compile(
    _LEAD + r"(?:(?:re-?)?run|execute|start|launch|build|compile|install|deploy|commit|push|stage"
    r"|merge|rebase|check\s?out|lint|format|benchmark|profile)\s+(?!message|into\b)",
    re.I,
)
_CHANGES = re.compile(
    _LEAD + r"(?:add|insert|append|rename|fix|repair|correct|change|edit|modify|replace|remove"
    r"|delete|drop|update|upgrade|bump|set|make|create|generate|implement|build\s+an?|refactor"
    r"|rework|move|extract|split|convert|migrate|rewrite|reword|simplify|wrap|handle|put|turn|use|switch"
    r"|allow|support|raise|lower|increase|decrease|let|ensure|enable|disable|port|inline|apply"
    r"|write\s+(?:\w+\s+){0,4}(?:tests?|file|function|class|module|script|method|into|to))\b",
    re.I,
)
_QUESTION = re.compile(
    r"^\W*(?:(?:so|and|but|ok(?:ay)?|hi|hey|hello)\W+)*(?:what|why|where|when|who|whose|which|how"
    r"|is|are|was|were|does|do|did|has|have|should|will|would\s+(?!you\b)|(?:can|could)\s+(?!you\b))",
    re.I,
)
_SENTENCE = re.compile(r"[^.!?\n]*(?:[.!?](?!\s|\Z)[^.!?\n]*)*[.!?]?")
_TEXTS = re.compile(
    r"\b(?:commit[ -]message|regex(?:p|es)?|regular expression|pull request (?:text|description)"
    r"|pr description|release notes?|one-liner|shell command|translation)\b"
    r"|\btranslate\b|\bin(?:to)? (?:french|german|spanish|italian|portuguese|dutch|polish|russian"
    r"|turkish|chinese|japanese|korean|swedish|czech|english)\b",
    re.I,
)
_TELLS = re.compile(
    r"^\W*(?:(?:please|can you|could you|would you|i want you to|i'd like you to)\W+)*"
    r"(?:explain|describe|summari[sz]e|sum up|review|audit|check|analy[sz]e|find|show|list|tell"
    r"|give|suggest|propose|draft|compare|look|walk|outline|name|point|locate|search|count"
    r"|help me understand|i (?:need|want) (?:to|an? (?:explanation|overview|summary|list|answer)))"
    r"\b",
    re.I,
)
_IN_PLACE = re.compile(
    r"\b(?:in place|in the file|to the file|into (?:the )?(?:file|code)|save|write it|put it"
    r"|and (?:fix|apply|change|update|correct|repair)|fix (?:it|that|this|them))\b",
    re.I,
)


def way_for(delegation: Delegation) -> Way:
    """Choose the way for what a run was told last."""
    agent = delegation.agent
    tools = offered_tools(agent).names
    if effective_mode(delegation.permission_mode, agent) is PermissionMode.PLAN:
        tools = ()
    return way_of(delegation.follow_up or delegation.english or delegation.task, tools)


def way_of(task: str, tools: Collection[str]) -> Way:
    """Choose the way for a task, in English, of an agent that is offered `tools`."""
    text = task.strip()[:_READ]
    changes = EDIT in tools or WRITE in tools
    is_question = _is_question(text)
    if not is_question and {BASH, GIT_COMMIT} & set(tools) and _RUNS.search(text):
        asked_text = _TEXTS.search(text) or (changes and _CHANGES.match(text))
        if not asked_text:
            return Way.TOOLS
    if not changes or is_question:
        return Way.ANSWER
    if _IN_PLACE.search(text):
        return Way.CHANGE
    if _TEXTS.search(text) or _TELLS.match(text):
        return Way.ANSWER
    return Way.CHANGE


def is_text(task: str) -> bool:
    """Whether a task asks for a text to be used as it is: a commit message, a pattern."""
    return bool(_TEXTS.search(task)) or bool(re.search(r"\bdoc[- ]?(?:string|comment)", task, re.I))


def _is_question(text: str) -> bool:
    """Whether it asks, and doesn't also tell to change something."""
    if _IN_PLACE.search(text):
        return False
    if _QUESTION.match(text):
        text = text.partition("\n")[0]  # What stands below it was pasted.
    sentences = [found for one in _SENTENCE.findall(text) if (found := one.strip())]
    told = [one for one in sentences if not _QUESTION.match(one)]
    return len(told) < len(sentences) and not _CHANGES.search("\n".join(told))
