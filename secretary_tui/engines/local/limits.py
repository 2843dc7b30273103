"""Recognises tasks that are too much for the local model, so that it is said before a run.

By rules about the English words of a task. One that isn't recognised gets no warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from secretary_tui.tool_table import GLOB, GREP, READ, WEB_FETCH, WEB_SEARCH

MOST_FILES = 3
"""Most files that one task may name."""
MOST_STEPS = 3
"""Most numbered steps that one task may have."""

_READ = 8_000
"""Characters of a task that are judged."""

_ELSE = "or use an engine with an API key."
_MANY = f"Many files are too much for the small local model: name one file or function, {_ELSE}"
_LONG = f"Long plans are too much for the small local model: ask for one step, {_ELSE}"
_WEB = f"The local model can't use the web: put the text it needs into the request, {_ELSE}"

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.S)
"""What is quoted as code says nothing about the task."""
_WHOLE = (
    r"(?:project|code ?base|repo(?:sitory)?|monorepo|app(?:lication)?|program|system"
    r"|source(?: code)?|code|backend|frontend|site|website|product|library|package"
    r"|test suite|documentation|docs)"
)
_PLACES = r"(?:files|modules|packages|folders|directories|services|components|places|call sites)"
_PLACE = r"(?:file|module|package|folder|directory|service|component|call site)"
_SOME = r"(?:(?:of )?(?:the|our|my|its|your|these|those) )?(?:[\w.*/-]+ ){0,2}?"
"""The words that may stand between "all" and what it is about."""
_ENDS = r"(?=\W*$|[,.;:]| (?:that|which|with|for|to|in|from|using|use|on|like|where|and|so|by)\b)"
"""What follows a noun that no other one follows: in "the project name" the name is meant."""
_MANY_FILES = re.compile(
    rf"\b(?:whole|entire|complete|full) {_WHOLE}\b"
    rf"|\b(?:all|many|several|dozens|hundreds)(?: of)? {_SOME}{_PLACES}\b"
    rf"|\ball (?:of )?(?:the|our|my) code\b"
    rf"|\b(?:every|each) (?:single )?(?:[\w.*/-]+ ){{0,2}}?{_PLACE}\b"
    rf"|\b(?:all|every|each)(?: [\w-]+){{1,4}}? (?:in|of) (?:the|our|my|this) {_WHOLE}{_ENDS}"
    rf"|\b(?:audit|refactor|clean up|lint|reformat|document|review|make)"
    rf"(?: (?:the )?[\w-]+ of)?"
    rf" (?:the|our|my|this) (?:project|code ?base|repo(?:sitory)?){_ENDS}"
    rf"|\b(?:across|throughout|all over) {_SOME}(?:{_WHOLE}|{_PLACES})\b"
    r"|\beverywhere\b|\b(?:project|code ?base|repo(?:sitory)?)-?wide\b",
    re.I,
)
_LISTS = re.compile(r"\s*(?:please |can you )?(?:list|count|name|how many)\b", re.I)
"""A list of files is one search, however many there are."""
_FILE = re.compile(r"(?<![\w/.:-])[\w./-]*\w\.(?=[a-z])[a-z0-9]{1,5}\b(?![.(/])")
_MADE = (
    r"(?:app|application|website|web ?site|web app|game|api|backend|frontend|service|platform"
    r"|framework|dashboard|cli|compiler|clone|saas|system|tool|bot|library|plugin|extension)"
)
_LONG_PLAN = re.compile(
    rf"\b(?:build|create|develop|make|write|code|implement)(?: me| us)? (?:an?|the|our|my) "
    rf"(?:(?!(?:for|of|in|to|that|the|an?|with|from|on) )[\w-]+ ){{0,3}}?{_MADE}s?{_ENDS}"
    rf"|\b(?:migrate|port|rewrite|convert|re-?architect|redesign|modernize|restructure) "
    rf"(?:the |our |my |this )?(?:\w+ ){{0,2}}?(?:{_WHOLE}|architecture)\b"
    r"|\bmigrate\b.* to \w+"
    r"|\b(?:road ?map|milestones|project plan|implementation plan|migration plan|from scratch"
    r"|end[- ]to[- ]end|full[- ]stack)\b"
    r"|\b(?:plan|design) (?:and|the) (?:build|implement|architecture|migration|rollout|system)",
    re.I,
)
_STEP = re.compile(r"^\s*\d{1,2}[.)]\s+\S", re.M)
_ADDRESS = re.compile(r"(?<![\"'(=])\b(?:https?://|www\.)(?P<host>[\w.-]+)", re.I)
_OWN_HOST = re.compile(
    r"(?:localhost|127\.|0\.0\.0\.0|10\.|192\.168\.|(?:[\w-]+\.)*example\.)", re.I
)
_ON_THE_WEB = re.compile(
    r"\b(?:latest|newest|most recent) (?:stable |released? |lts )?"
    r"(?:version|release|news|docs|documentation|prices?|cves?|advisor(?:y|ies))\b"
    r"(?! (?:of|in) (?:this|the|my|our) (?:file|function|class|code|repo|project|branch|document))"
    r"|\b(?:search|browse|surf|google|check|look (?:up|on|at)|find)(?: \w+){0,4}?"
    r" (?:the (?:web|internet|net)|online|on (?:google|stack ?overflow|github|pypi|npm))\b"
    r"|\b(?:(?:do|run|use|using|by|via) (?:a |the )?web search|google (?:for|it|this|how)"
    r"|stack ?overflow|news about|what(?:'s| is) new in (?!this|the|my|our)"
    r"|online(?=\W*$|[,.;:]))\b",
    re.I,
)
_WEB_TOOLS = frozenset((WEB_SEARCH, WEB_FETCH))
_FILE_TOOLS = frozenset((READ, GREP, GLOB))


def beyond_small_model(task: str, tools: tuple[str, ...]) -> str:
    """Say in a sentence why a task is too much for the embedded model, and what helps; else empty.

    Args:
        task: What the agent shall do.
        tools: The canonical names of the tools that it gets.
    """
    words = " ".join(_CODE.sub(" it ", task).split())[:_READ]
    if _needs_the_web(words, tools):
        return _WEB
    if _LONG_PLAN.search(words) or len(_STEP.findall(_CODE.sub("", task))) > MOST_STEPS:
        return _LONG
    named = {name for name in _FILE.findall(words) if not _LISTS.match(words)}
    if len(named) > MOST_FILES or (_MANY_FILES.search(words) and not _LISTS.match(words)):
        return _MANY
    return ""


def _needs_the_web(words: str, tools: Iterable[str]) -> bool:
    """Whether a task is about pages, or for an agent that has nothing but the web."""
    hosts = (found["host"] for found in _ADDRESS.finditer(words))
    if any(not _OWN_HOST.match(host) for host in hosts) or _ON_THE_WEB.search(words):
        return True
    given = frozenset(tools)
    return bool(given & _WEB_TOOLS) and not given & _FILE_TOOLS
