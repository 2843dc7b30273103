"""The files that a command writes to, read widely: for rules that tighten.

Behind redirects, and as words of programs that are there to write: a rule for Write holds for
`tee`, `cp` and `mv`, too.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

from secretary_tui.delegation.permissions.named_commands import named_words

_WRITES = re.compile(
    r"""(?:&>>?|>>|>\||<>|>)[ \t]*(?!&)((?:'[^']*'|"[^"]*"|\\.|[^\s;&|<>()'"\\])+)""", re.S
)
_MAX = 10_000
"""More names than a command has that is short enough to pass unasked (`shell.MAX_LENGTH`)."""
_EACH = frozenset(("tee", "touch", "truncate", "shred", "rm", "unlink", "mv", "sponge"))
"""Programs that write to, or take away, every file they name."""
_LAST = frozenset(("cp", "mv", "ln", "install", "rsync"))
"""Programs that write to the last file they name, or into that folder."""
_OUTPUT = {"sort": "o", "curl": "o", "wget": "O", "gcc": "o", "cc": "o", "clang": "o", "ld": "o"}
"""Programs with an option for the file they write."""
_WRITERS = _EACH | _LAST | frozenset(("dd", "sed", *_OUTPUT))


@functools.lru_cache(maxsize=64)
def written_files(command: str) -> tuple[str, ...]:
    """Name what stands behind every `>` in a command, its quotes taken off, and what `tee` writes.

    Also inside quotes and substitutions: naming too much only asks too often.
    """
    found = (re.sub(r"\\(.)|['\"]", r"\1", match[1]) for match in _WRITES.finditer(command))
    named = (name for words in named_words(command) for name in _of_program(words))
    return tuple(
        dict.fromkeys(itertools.chain(*(itertools.islice(x, _MAX) for x in (found, named))))
    )


def _of_program(words: Sequence[str]) -> Iterator[str]:
    program = words[0].rsplit("/", 1)[-1]
    if program not in _WRITERS:
        return
    arguments = words[1:]
    files = [word for word in arguments if not word.startswith("-")]
    in_place = program == "sed" and any(re.match("-[a-zE]*i|--in", word) for word in arguments)
    if program in _EACH or in_place:
        yield from files
    if program in _LAST and files:
        into = [files[-1], *_values(arguments, "t", "target-directory")]
        yield from into
        yield from (
            f"{folder}/{file.rstrip('/').rsplit('/', 1)[-1]}" for folder in into for file in files
        )
    if program == "dd":
        yield from (word.removeprefix("of=") for word in arguments if word.startswith("of="))
    if program in _OUTPUT:
        yield from _values(arguments, _OUTPUT[program], "output")


def _values(arguments: Iterable[str], short: str, long: str) -> Iterator[str]:
    """Give what follows an option, in its own word or the same."""
    wanted = False
    for word in arguments:
        if wanted:
            yield word
        # Long options may be shortened, short ones stand together: `-ro x`.
        name, equals, value = word.partition("=")
        named = len(name) > 3 and f"--{long}".startswith(name)
        match = re.fullmatch(rf"-[A-Za-z]*?{short}(.*)", word, re.S)
        wanted = (named and not equals) or (match is not None and not match[1])
        if named and equals:
            yield value
        if match is not None and match[1]:
            yield match[1]
