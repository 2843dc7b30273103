"""A parser that says in one sentence what is wrong with a command line.

argparse prints a page of usage first and words its faults for programmers. Imported by `--help` and
`--version`, so it must stay light.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection, Sequence
from typing import NoReturn

from secretary_tui.verbs.options import UsageError

_CHOICE = re.compile(r"invalid choice: (?P<given>.+?) \(choose from (?P<known>.*)\)", re.DOTALL)
_OF_ARGUMENT = re.compile(r"argument (?P<name>[^:]+): (?P<what>.*)", re.DOTALL)
_REQUIRED = "the following arguments are required: "
_AGAINST = "not allowed with argument "


class CalmParser(argparse.ArgumentParser):
    """Raises a `UsageError` where argparse would print and leave; its verbs do the same."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and where the help is.

        Raises:
            UsageError: always.
        """
        words = self.prog.partition(" ")[2]
        if message.startswith(_REQUIRED):
            wrong = f"{words} needs {self._described(message.removeprefix(_REQUIRED))}"
        else:
            wrong = _in_words(message, words)
        raise UsageError(f"{wrong}; {_pointer(words)}")

    def parse_args(  # type: ignore[override]  # argparse's other overloads are used nowhere.
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Parse, and say which word is one too many.

        Raises:
            UsageError: what was typed doesn't follow the grammar.
        """
        known, rest = self.parse_known_args(args, namespace)
        if rest:
            raise UsageError(_too_much(rest, list(args or ()), getattr(known, "verb", None) or ""))
        return known

    def _described(self, names: str) -> str:
        """The arguments that are missing; where only some words will do, these."""
        for action in self._actions:
            if action.choices and names == (action.metavar or action.dest):
                return _either([str(choice) for choice in action.choices], "or")
        return names


def near_to(word: str, known: Collection[str]) -> str:
    """`; did you mean …?` with the nearest word; empty when none is near."""
    import difflib

    near = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _in_words(message: str, words: str) -> str:
    """A fault in the words of argparse as one in ours."""
    argument = _OF_ARGUMENT.fullmatch(message)
    if argument is None:
        return message
    name, what = argument["name"], argument["what"]
    if choice := _CHOICE.fullmatch(what):
        known = re.findall(r"[\w.-]+", choice["known"])
        if name == "VERB":
            return f"{words} has no verb {choice['given']}, only {_either(known, 'and')}"
        return f"{name} is {_either(known, 'or')}, not {choice['given']}"
    if what.startswith(_AGAINST):
        return f"{name} and {what.removeprefix(_AGAINST)} don't go together"
    if what.startswith("expected "):
        return f"{name} needs a value after it"
    if what.startswith("ignored explicit argument"):
        return f"{name} takes no value"
    return f"{name}: {what}"


def _too_much(rest: Sequence[str], typed: Sequence[str], verb: str) -> str:
    """What to say of words that nothing takes."""
    first = rest[0]
    if not first.startswith("-") or first == "-":
        several = " (quote a request of several words)" if verb in ("match", "run") else ""
        return f"{first!r} is an unexpected argument for {verb}{several}; {_pointer(verb)}"
    option = first.partition("=")[0]
    if verb and first in typed and typed.index(first) < typed.index(verb):
        return f"unknown option {option} before the verb; options of {verb} go after it"
    return f"unknown option {option}; {_pointer(verb)}"


def _either(words: Sequence[str], between: str) -> str:
    *most, last = words
    return f"{', '.join(most)} {between} {last}" if most else last


def _pointer(words: str) -> str:
    return f"see `secretary-tui help{f' {words}' if words else ''}`"
