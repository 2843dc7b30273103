"""The seed's workflows, recognised by how a request opens (seed 000 Interface 6).

Only names: what a library has for them is found by `workflows`. Imports next to nothing, since the
hook comes through here.
"""

from __future__ import annotations

import re

from secretary_tui.people import WorkflowMatch

WORKFLOWS = ("brainstorm", "implement", "create-plan")

# The seed's phrases count where a request begins: "plan wants to destroy half of it" and "the
# build is red" are about plans and builds, and ask for neither.
_LEAD = (
    r"^(?:please|pls|can you|could you|let'?s|help me(?: to)?|"
    r"(?:i|we)(?:'d| would)? (?:want|need|like|have)(?: you)?(?: to)?|orchestrate|\W)*\s*"
)
_ARTICLE = r"(?:an?\s+|the\s+|some\s+)?"
_NO_STATE = (
    r"(?!\s+(?:is|was|are|were|has|had|wants?|shows?|says?|fail(?:s|ed)?|breaks?|broke|errors?|"
    r"logs?|times?|takes?)\b)"
)
# A feature flag is no feature, and building an image is no implementing.
_NOT_OF = (
    r"(?!\s+(?:flags?|toggles?|gates?|branch(?:es)?|requests?|files?|tests?|lists?|stores?|"
    r"vectors?|engineering|extraction|selection|matrix)\b)"
)
_NOT_MADE = (
    r"(?!\s+(?:(?:the|this|our|my|an?)\s+)?(?:\w+\s+)?(?:project|repo(?:sitory)?|image|container|"
    r"wheel|packages?|binary|binaries|releases?|artifacts?|docs|documentation|everything|all|it|"
    r"again|locally|and|with|from|for)\b)"
)
_PATTERNS = (
    (
        "create-plan",
        r"(?:(?:create|make|write|draft|prepare)\s+)?"
        rf"{_ARTICLE}(?:implementation\s+)?plan\b{_NO_STATE}",
    ),
    ("brainstorm", rf"(?:(?:add|create|build|design)\s+)?{_ARTICLE}new\s+features?\b{_NOT_OF}"),
    (
        "brainstorm",
        rf"(?:add|create)\s+(?:[\w-]+\s+){{0,4}}?(?:features?|capabilit(?:y|ies))\b{_NOT_OF}",
    ),
    ("brainstorm", r"brainstorm\b"),
    ("implement", rf"(?:implement|build{_NOT_MADE}|code\s+this)\b{_NO_STATE}"),
)
_COMPILED = tuple((name, re.compile(_LEAD + pattern, re.I)) for name, pattern in _PATTERNS)
_READ = 400


def workflow_match(request: str) -> str | None:
    """The workflow that a request opens with, None for most."""
    opening = request[:_READ].lstrip()
    return next((name for name, pattern in _COMPILED if pattern.match(opening)), None)


def default_workflow(request: str) -> WorkflowMatch | None:
    """The same as a value, for who knows no library: a name that can't be run."""
    name = workflow_match(request)
    return None if name is None else WorkflowMatch(name, reason=opens_like(name))


def opens_like(name: str) -> str:
    """Why a workflow was recognised."""
    return f"the request opens like “{name}”"
