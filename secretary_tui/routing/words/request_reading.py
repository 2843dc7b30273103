"""A request as the matcher reads it: in English, and with what a pasted error tells.

An error or a stack trace hardly ever names its technology: `TS2345`, `goroutine 1 [running]` and
`OrderService.java:41` name a language to whoever knows them. The frames themselves are left out:
they are names of code, and each would count like a word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from secretary_tui.routing.words.knowledge import SHARES, knowledge
from secretary_tui.routing.words.languages import in_english
from secretary_tui.routing.words.terms import go_as_golang, words

_MARKS: tuple[tuple[str, str], ...] = (
    ("python", r"Traceback \(most recent call last\)|File \".{1,300}?\.py\", line \d"
               r"|ModuleNotFoundError|IndentationError"),
    ("java", r"\.java:\d|\bjava\.lang\.|NullPointerException|ClassNotFoundException"),
    ("kotlin", r"\.kt:\d"),
    ("spring", r"\borg\.springframework\b"),
    ("rust", r"\berror\[E\d{4}\]|\.rs:\d|RUST_BACKTRACE|\bcargo (?:build|check|test)\b"),
    ("golang", r"\bgoroutine \d|\.go:\d|\bpanic: runtime error"),
    ("typescript", r"\bTS\d{4,5}\b|\.tsx?[:(]\d"),
    ("react", r"\buse(?:Effect|State|Memo|Callback|Ref|Context|Reducer)\b|\breact-dom\b"
              r"|\bunique \"key\" prop\b"),
    ("javascript", r"\.[cm]?js:\d|\bnpm ERR!|Cannot read propert(?:y|ies) of|\bnode:internal\b"
                   r"|\bERR_[A-Z]+_[A-Z_]+"),
    ("node", r"\bnpm ERR!|\bnode:internal\b|\bERR_[A-Z]+_[A-Z_]+"),
    ("csharp dotnet", r"\.cs:line \d|\bSystem\.\w+Exception|\bCS\d{4}:"),
    ("php", r"\.php(?: on line |:|\()\d|\bPHP (?:Fatal|Parse|Warning)"),
    ("ruby", r"\.rb:\d|\bNoMethodError\b|\bActiveRecord::"),
    ("cpp c++", r"\.(?:cpp|cc|cxx|hpp):\d|\bstd::\w|\bundefined reference to\b"),
    ("c", r"\.[ch]:\d|\bundefined reference to\b"),
    ("swift ios", r"\.swift:\d|\bEXC_BAD_ACCESS\b"),
    ("flutter", r"\bpackage:flutter/"),
    ("elixir", r"\*\* \(\w+(?:\.\w+)*Error\)|\.exs?:\d"),
    ("powershell", r"\bAt line:\d+ char:\d|\bFullyQualifiedErrorId\b"),
    ("sql database query", r"\bSQLSTATE\b|\bORA-\d{5}|\bERROR \d{4} \(\w{5}\)"
                           r"|\bSELECT\b.{1,300}\bFROM\b|\b[Dd]eadlock (?:found|detected)"),
    ("wordpress", r"\bwp-(?:content|includes)/"),
    ("terraform", r"\bError acquiring the state lock|\bterraform (?:apply|init|plan)\b"),
    ("git", r"^fatal: .*(?:git|merge|branch|remote|histor|repositor)"),
    ("kubernetes", r"\b(?:CrashLoopBackOff|ImagePullBackOff|ErrImagePull|OOMKilled"
                   r"|FailedScheduling)\b"),
)  # fmt: skip
_KNOWN = tuple((words, re.compile(pattern, re.M)) for words, pattern in _MARKS)
_PACKAGE = re.compile(
    r"(?:site-packages/|node_modules/@?|/gems/|/vendor/)([A-Za-z]{3,})(?=[/\d_.-])"
)
_FRAME = re.compile(
    r"^[ \t]*(?:at \S{1,99}\.\S{1,99}\(.*|at .{1,99}\(.{1,300}:\d+\)|at \S+:\d+"
    r"|File \".*\", line \d.*"
    r"|\d+: [\w:<>{}]+|from \S+:\d+:in .*|\S+\.go:\d+.*|#\d+\s.*)[ \t]*\r?$\n?",
    re.M,
)
_READ = 20_000
_MOST_PACKAGES = 3


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """What is compared with agents and with earlier requests."""

    text: str
    """Mostly the request itself."""
    spelled: bool = False
    """Whether unknown words are of another language, and not mistyped."""
    hints: tuple[tuple[str, str, float], ...] = ()
    """Words that it only hints at: where each is from, and how much it counts, 0–1."""


def read_request(request: str) -> ReadRequest:
    """Read a request; one in English without errors in it is read as it stands."""
    english = in_english(request)
    hints = tuple(
        (hint.key, word, SHARES[hint.topic])
        for hint in knowledge().hints(f"{request}\n{english}" if english != request else request)
        for word in words(hint.words)
    )
    told = technologies(request)
    if told:  # Ahead, since only so many words are read.
        return ReadRequest(f"{told}\n{without_frames(english)}", english != request, hints)
    return ReadRequest(go_as_golang(english), english != request, hints)


def technologies(text: str) -> str:
    """The technologies that errors in a text belong to, as words; empty where there are none."""
    text = text[:_READ]
    named = [technology for technology, pattern in _KNOWN if pattern.search(text)]
    packages = dict.fromkeys(_PACKAGE.findall(text))
    return " ".join((*named, *list(packages)[:_MOST_PACKAGES]))


def without_frames(text: str) -> str:
    """Leave the frames of stack traces out; a text of nothing else stays as it is."""
    rest = _FRAME.sub("", text[:_READ])
    return rest if re.search(r"\w", rest) else text
