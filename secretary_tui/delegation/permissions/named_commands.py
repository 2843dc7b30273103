"""What a shell command says, read widely: every program that is named anywhere in it.

This is no shell. It errs towards naming too much, and says when it can't know (`is_opaque`).
"""

from __future__ import annotations

import functools
import itertools
import re
import shlex
from collections.abc import Iterator

_SEPARATORS = re.compile(r"&&|\|\||\|&|[;|&\n\r`(){}!]|\$\(|<\(|>\(")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
_REDIRECT = re.compile(r"(?:\d+|\{\w+\}|&)?(?:<<<|<<-?|<>|<&|>&|>>|>\||&>>?|<|>)(.*)", re.S)
_KEYWORDS = frozenset(
    (
        *("if", "then", "elif", "else", "fi", "while", "until", "do", "done", "for", "select"),
        *("case", "esac", "in", "function", "coproc", "time", "!", "{"),
    )
)
_WRAPPERS = frozenset(
    (
        *("env", "command", "builtin", "exec", "eval", "source", ".", "sudo", "doas", "su"),
        *("runuser", "nice", "ionice", "nohup", "timeout", "stdbuf", "setsid", "setarch"),
        *("chroot", "unshare", "xargs", "parallel", "watch", "time", "busybox", "toybox"),
        *("flock", "script", "strace", "find", "fd", "entr", "ssh", "systemd-run", "trap"),
        *("unbuffer", "chpst", "taskset"),
    )
)
"""Programs that start the program named by one of their words."""
_GIT_VALUES = frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"))
_UNKNOWN = re.compile(r"[$`*?\[{~]")
_COMPUTED_PROGRAM = re.compile(
    r"(?:^|[;|&\n(){}]|\b(?:then|do|else|eval|exec|env)[^\S\n])[^\S\n]*(?:\$|`)"
)
"""A substitution where a program is named: `$(echo curl) x`."""
_MAX_LENGTH = 20_000
_MAX_PARTS = 2000
_MAX_DEPTH = 3


def named_commands(command: str) -> tuple[str, ...]:
    """Give each simple command in a command, as plain words joined by blanks.

    Behind keywords, wrappers (`env`, `sudo`, `xargs`), assignments and redirects, inside quotes
    and substitutions; programs with their path and without.
    """
    return _named(command)


def named_words(command: str) -> Iterator[list[str]]:
    """Give the same commands as the words they consist of; one may come more than once."""
    for words in itertools.islice(_word_lists(command, _MAX_DEPTH), _MAX_PARTS):
        yield from _starts(words)


def is_opaque(command: str) -> bool:
    """Whether it can't be told from the text which programs a command runs."""
    if len(command) > _MAX_LENGTH or len(_SEPARATORS.findall(command)) > _MAX_PARTS:
        return True
    if "$'" in command or _split(command) is None or _COMPUTED_PROGRAM.search(command):
        return True
    lists = (_split(part) or [] for part in (command, *_SEPARATORS.split(command)))
    return any(_UNKNOWN.search(tail[0]) for words in lists for tail in _starts(words))


@functools.lru_cache(maxsize=64)
def _named(command: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for words in itertools.islice(_word_lists(command, _MAX_DEPTH), _MAX_PARTS):
        for program, *rest in _starts(words):
            for name in (program, program.rsplit("/", 1)[-1]):
                found[" ".join((name, *rest))] = None
            if program.rsplit("/", 1)[-1] == "git":
                found[" ".join(("git", *_without_globals(rest)))] = None
    return tuple(found)


def _word_lists(command: str, depth: int) -> Iterator[list[str]]:
    """Split a command in every way it might be meant."""
    for part in dict.fromkeys((command, *_SEPARATORS.split(command))):
        words = _split(part)
        if words is None:
            words = part.replace("'", " ").replace('"', " ").replace("\\", "").split()
        if not words:
            continue
        yield words
        if depth > 0:
            for word in words:
                # A whole command may stand in one word: `bash -c "curl x"`.
                if word != command and re.search(r"\s|[;|&`(]", word):
                    yield from _word_lists(word, depth - 1)


def _split(text: str) -> list[str] | None:
    """Take a text's quotes off; None when they don't match or it is too long to look at."""
    if len(text) > _MAX_LENGTH:
        return None
    # A backslash at a line's end joins the lines.
    text = text.replace("\\\n", "")
    try:
        return shlex.split(text)
    except ValueError:
        return None


def _starts(words: list[str]) -> Iterator[list[str]]:
    """Give the words from each place on where a program may be named."""
    left = list(words)
    while left:
        word = left[0]
        redirect = _REDIRECT.fullmatch(word)
        if redirect is not None:
            # The target is a part of the word or the next one.
            left = left[1:] if redirect[1] else left[2:]
        elif _ASSIGNMENT.match(word) or word in _KEYWORDS:
            left = left[1:]
        else:
            break
    if not left:
        return
    yield left
    if left[0].rsplit("/", 1)[-1] in _WRAPPERS:
        for start in range(1, min(len(left), 50)):
            yield left[start:]


def _without_globals(rest: list[str]) -> list[str]:
    left = list(rest)
    while left and left[0].startswith("-"):
        left = left[2:] if left[0] in _GIT_VALUES else left[1:]
    return left
