"""Text as the matcher reads it: words, stems, and a description or body without its noise."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

import Stemmer  # type: ignore[import-not-found]  # PyStemmer ships no type stubs.

from secretary_tui.registry.definition.describe import clean_description

_STOP_WORDS = """
    a about after again all also am an and any anything are aren as at be because been before being
    best between both but by can cannot could couldn did didn do does doesn doing don done dont down
    during each either else etc ever every everything few for from further get gets getting go goes
    going gonna got had has hasn have having he help hello her here hey hi him his how i id if im in
    into is isn isnt it its just know let lets like ll lot many may maybe me might more most much
    must my need needed needs no nor not nothing now of off ok on once one only or other our ours
    out over own per please rather re really right s same shall she should so some somebody someone
    something stuff such t than thanks that thats the their them then there these they thing things
    this those though through till to too under until up upon us ve very via want wants was wasnt we
    were what when where whether which while who whom whose why will with within without won wont
    would yes yet you your yours
    arent cant couldnt didnt doesnt hasnt havent hes heres hows ive shouldnt theres theyre wasnt
    werent whats wheres whos wouldnt youre
    agent agents expert experts expertise specialist specialists specialize specializes specializing
    use used uses using proactive proactively invoke invoked subagent when master masters mastering
    senior
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that say nothing about what an agent can do; agent files add a handful of their own."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_CONTRACTION = re.compile(r"['’](?:s|t|re|ve|ll|d|m)\b")
_TOKEN = re.compile(r"[^\W_]+(?:\+\+|#)?")
_FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n(.*?)(?:^\1[`~]*[ \t]*$|\Z)", re.S | re.M)
_KEPT_FENCE = 300
"""Characters up to which a code block is text: a command to run says what an agent does."""

# The language Go has the name of a stop word.
_GO_PHRASES = "ahead|back|beyond|deep|deeper|down|further|live|over|through|to|up"
_GO_THINGS = (
    "api|app|backend|binary|build|channels?|cli|code|compiler|developer|doc|fmt|generics|get"
    "|handlers?|interfaces?|lib|library|microservices?|mod|modules?|package|programs?|programmer"
    "|project|routines?|run|server|services?|structs?|tests?|tooling|toolchain|vet|worker"
)
_GO = re.compile(
    rf"(?:(?<=[\w,;)*-] )|(?<=[(/`]))Go(?=[\s,.;:!?/)`]|$)(?! (?:{_GO_PHRASES})\b)"
    rf"|\b[Gg]o(?= (?:{_GO_THINGS})\b)"
    r"|(?<=\bin )go\b(?=\s*(?:$|[,.;:!?)]))"
)
_IN_A_NAME = re.compile(r"(?<![^\W_])go(?![^\W_])(?!-to)", re.I)


def words(text: str) -> list[str]:
    """Lower-case words of a text; `c++` and `c#` stay, snake_case and kebab-case are split.

    A camelCase word gives itself and its parts.
    Stop words and single characters are left out (but for `c` and `r`, which are languages).
    """
    return [word for token in _tokens(text) for word in _token_words(token)]


def count_words(text: str, most: int | None = None) -> dict[str, int]:
    """How often each of the `words` of a text occurs; much faster than counting that list.

    Of a text with more than `most` words and numbers, stop words included, the first ones count.
    """
    counts: dict[str, int] = {}
    for token, count in Counter(_tokens(text)[:most]).items():
        for word in _token_words(token):
            counts[word] = counts.get(word, 0) + count
    return counts


def stem_all(unstemmed: Iterable[str]) -> list[str]:
    """The English stems of words, in order."""
    # A stemmer must not be shared by threads, and making one costs microseconds.
    return list(Stemmer.Stemmer("english").stemWords(list(unstemmed)))


def description_text(description: str) -> str:
    """A description without `<example>` blocks: what the agent is for, not a made-up dialogue."""
    return clean_description(description)


def body_text(prompt: str) -> str:
    """A body without its long code blocks, which are about the code and not about the task."""
    if "```" not in prompt and "~~~" not in prompt:
        return prompt
    return _FENCE.sub(lambda m: m[2] if len(m[2]) <= _KEPT_FENCE else " ", prompt)


def go_as_golang(text: str) -> str:
    """Write `golang` for Go where a text means the language: within a sentence, or `go test`."""
    return _GO.sub("golang", text) if "go" in text or "Go" in text else text


def golang_in_name(name: str) -> str:
    """The same for an agent's name: `go-reviewer`, but not `go-to-market`."""
    return _IN_A_NAME.sub("golang", name)


def _tokens(text: str) -> list[str]:
    if "'" in text or "’" in text:
        text = _CONTRACTION.sub("", text)
    return _TOKEN.findall(text)


@lru_cache(maxsize=1 << 16)
def _token_words(token: str) -> tuple[str, ...]:
    parts = [token.lower()]
    if not (token.islower() or token.isupper()):
        inner = _CAMEL.sub(" ", token).lower().split()
        # The whole word too: people type `typescript` and `graphql`, files say TypeScript, GraphQL.
        parts += inner if len(inner) > 1 else []
    return tuple(part for part in parts if _counts(part))


def _counts(word: str) -> bool:
    return word not in STOP_WORDS and (len(word) > 1 or word in "cr" or not word.isascii())
