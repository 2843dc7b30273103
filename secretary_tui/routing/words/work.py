"""What kind of work a request asks for, and which kinds an agent's name says it does.

Apart from what both are about: "a runbook for the payment service" is for who writes runbooks.
Both are read from words alone, and neither decides by itself: how much a kind speaks for a role
is learnt (`routing/match/reranker`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from secretary_tui.routing.words.terms import stem_all

_READ = 1_500
_HEAD = 6
"""Words at the beginning of a request that say most about what is to be done."""


def _any(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words.split())})\b", re.I)


KINDS: Mapping[str, re.Pattern[str]] = {
    "explain": re.compile(
        r"\b(?:explain|understand|describe|summar\w+|overview|tell me|meaning|walk me|tl;?dr"
        r"|how (?:does|do|is|are|did)|what (?:does|is|are|do|did|happens|kind|changed))\b",
        re.I,
    ),
    "find": re.compile(
        r"\b(?:where|find|locate|look for|show me|list (?:all|every|the)|who (?:calls|uses)"
        r"|(?:which|what) (?:files?|class\w*|modules?|functions?|tests?|lines?))\b",
        re.I,
    ),
    "why": re.compile(
        r"\b(?:why|debug\w*|crash\w*|fail\w*|broken|breaks?|hangs?|stuck|errors?|bugs?|wrong"
        r"|doesn'?t|not working|stopped|leak\w*|flak\w*|investigat\w*|diagnos\w*|root cause)\b",
        re.I,
    ),
    "review": re.compile(
        r"\b(?:review\w*|audit|check|inspect|second pair|look over|look at|feedback|critique"
        r"|verify|validate|assess|evaluate|sanity|holes|lgtm|before (?:i|we) (?:merge|push))\b",
        re.I,
    ),
    "test": _any("tests? testing coverage e2e unit regression qa"),
    "run": re.compile(
        r"\b(?:run|execute|start|stop|restart|launch|install|rename|move|delete|remove|copy"
        r"|replace|bump|format|lint|kill|download|unzip|sort|convert|turn (?:this|the)|update)\b",
        re.I,
    ),
    "git": _any(
        r"git commit\w* push pull merge rebase stash branch\w* checkout cherry-?pick squash tag diff"
        " pr blame revert"
    ),
    "docs": _any(
        r"docs? document\w* readme changelog guide tutorials? manual runbook docstrings? handbook"
        " reference comments?"
    ),
    "write": _any(
        "write draft copy blog posts? articles? e-?mail newsletter announcement headline story"
        " script letter one-?pager press speech caption pitch memo brief talk"
    ),
    "design": _any(
        "design mock-?ups? wireframes? logo layout palette colou?rs? icons? ui ux prototypes?"
        " illustration brand"
    ),
    "plan": _any(
        r"plan roadmap architecture architect estimate prioriti\w* milestones? spec requirements?"
        r" rfc adr proposal strategy steps stor(?:y|ies) backlog schedule tickets?"
    ),
    "data": _any(
        r"data datasets? quer(?:y|ies) sql charts? dashboard metrics? numbers analy[sz]\w* cohort"
        r" csv spreadsheet reports? forecast statistic\w* json log logs"
    ),
    "research": re.compile(
        r"\b(?:research|compare|vs|versus|alternatives?|competitors?|market|find out|trends?"
        r"|best practices?|sources?|papers?|evidence|which (?:one|library|tool|framework))\b",
        re.I,
    ),
    "refactor": re.compile(
        r"\b(?:refactor\w*|clean ?up|simplify|restructure|untangle|legacy|moderni[sz]e|migrat\w*"
        r"|port|upgrade|dedup\w*|rewrite|split)\b",
        re.I,
    ),
    "optimize": re.compile(
        r"\b(?:slow\w*|faster|speed|latency|optimi[sz]e|performance|memory|cpu|cheaper|costs?"
        r"|bill|p9\d|takes? (?:forever|\d+)|bottleneck|throughput)\b",
        re.I,
    ),
    "operate": _any(
        r"deploy\w* pipeline ci cd cluster servers? prod production rollout rollback infra\w*"
        r" provision containers? dockeri[sz]e monitor\w* alert\w* backups? outage dns"
    ),
    "secure": _any(
        r"secur\w* vulnerab\w* exploits? attack\w* pentest threat secrets? injection xss cve gdpr"
        r" breach encrypt\w* permissions?"
    ),
    "build": _any(
        r"build implement add create make set-?up wire integrate code develop hook endpoint"
        r" feature fix"
    ),
    "business": _any(
        r"customers? pricing prices? sales revenue contract invoice investors? board hire hiring"
        r" campaign marketing churn legal tax budget deal clients? seo ads?"
    ),
    "trace": re.compile(r"(?:\n\s*at |Traceback|Exception|ERROR|error:|panic:|Error:)"),
}
"""Kinds of work, and what in a request asks for them."""

_ROLES: Mapping[str, str] = {
    "review": "review audit auditor critic inspector checker verifier validator assessor compliance",
    "debug": "debug debugger troubleshoot troubleshooter detective investigator incident fixer"
    " resolver responder error bug",
    "build": "developer dev engineer coder builder implementer programmer creator maker generator",
    "craft": "pro specialist expert master guru",
    "test": "test tester testing qa quality e2e tdd automator coverage",
    "docs": "doc docs documentation documenter tutorial readme changelog reference",
    "write": "writer writing copywriter editor blogger content storyteller author scribe"
    " ghostwriter newsletter social script journalist technical",
    "design": "design designer ux ui visual brand illustrator artist image creative",
    "plan": "architect planner plan architecture pm manager product project scrum coordinator"
    " orchestrator lead strategist strategy roadmap prioritizer",
    "data": "data analyst analytics scientist statistic bi sql quant dashboard metrics ml",
    "research": "researcher research search scout discovery trend competitive market",
    "survey": "surveyor explorer explain explainer analyzer archaeologist onboarding teacher tutor"
    " mentor educator guide finder",
    "do": "worker executor runner assistant general generalist task",
    "git": "git commit commits pr branch release",
    "refactor": "refactor refactorer refactoring simplifier cleaner modernizer migration migrator"
    " legacy cleanup",
    "optimize": "optimizer optimization performance profiler tuner efficiency cost",
    "operate": "devops sre deployment deploy infrastructure cloud platform kubernetes terraform"
    " docker network monitoring observability admin administrator sysadmin operator",
    "secure": "security secure pentest penetration threat vulnerability hacker",
    "business": "business sales marketing finance legal hr support customer growth account"
    " accountant advisor consultant lawyer recruiter seo coach",
}
ROLES: Mapping[str, frozenset[str]] = {
    role: frozenset(stem_all(names.split())) for role, names in _ROLES.items()
}
"""What agents do, and the stems in their names that say so."""

_HEAD_END = re.compile(
    r"[,.;:!?\n]|\b(?:about|on|for|of|why|that|which|because|in|with|from|so|when|where|after"
    r"|before|to|by|into|since|if)\b",
    re.I,
)
_OPENING = re.compile(
    r"\W*(?:(?:hi|hey|hello|please|pls|can|could|would|you|i|we|need|want|to|an?|the|some|me|us"
    r"|my|our|help|someone|somebody|who|write|make|create|draft|give|get|like|have|there|is|any"
    r"|let|lets|d|ll|just|now)\b[\s,']*)+",
    re.I,
)


def kinds_of_work(request: str) -> frozenset[str]:
    """The kinds of work in a request in English, and those in its opening as `kind!`."""
    text = request[:_READ]
    opening = f"{' '.join(text.split()[:_HEAD])}\n{asked_for(text)}"
    said = {kind for kind, pattern in KINDS.items() if pattern.search(text)}
    return frozenset(said | {f"{kind}!" for kind in said if KINDS[kind].search(opening)})


def asked_for(request: str) -> str:
    """The words that say what is asked for, before those that say what it is about."""
    line = request.strip()[:_READ].partition("\n")[0]
    line = _OPENING.sub("", line, count=1) if _OPENING.match(line) else line
    end = _HEAD_END.search(line, 1) if line else None
    return line[: end.start()].strip() if end else line


@lru_cache(maxsize=1 << 14)
def roles_of(name: str) -> frozenset[str]:
    """What an agent of that name does; empty when the name names its area only."""
    stems = frozenset(stem_all(re.findall(r"[a-z0-9]+", _apart(name))))
    return frozenset(role for role, named in ROLES.items() if named & stems)


def _apart(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower()
