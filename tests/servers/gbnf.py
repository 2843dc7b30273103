"""The grammars that llama.cpp binds an answer by (GBNF), as far as we write them.

grammar = Grammar('root ::= "yes" | "no" [.!]*')
grammar.allows("no!")
grammar.sample(random)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import TypeAlias

Node: TypeAlias = tuple[str, object, int, int]
"""What it is, of what it is made, and how often at least and at most."""
_TOKEN = re.compile(
    r"\s*(?:(?P<literal>\"(?:[^\"\\]|\\.)*\")|(?P<class>\[\^?(?:[^\]\\]|\\.)+\])"
    r"|(?P<many>[*+?]|\{\d+,\d+\})|(?P<mark>[()|])|(?P<name>[A-Za-z][\w-]*))"
)
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|.)", re.S)
_OFTEN = {"*": (0, 10**6), "+": (1, 10**6), "?": (0, 1)}
_LETTERS = "ab xyz019_.,:;<>=#`'\"()é\t"
_MORE = 4
"""A sample repeats nothing much more often than it must."""


class Grammar:
    """One grammar; its rules stand on lines of their own."""

    def __init__(self, text: str) -> None:
        self._rules = {}
        for line in text.splitlines():
            name, _, body = line.partition(" ::= ")
            self._rules[name] = _Parser(body).choice()

    def allows(self, text: str) -> bool:
        """Whether a whole text is one that the grammar allows."""
        return len(text) in set(self._ends(self._rules["root"], text, 0))

    def sample(self, random: Random) -> str:
        """Give any text that it allows."""
        return self._sample(self._rules["root"], random)

    def _ends(self, node: Node, text: str, at: int) -> Iterator[int]:
        """Where a node can end that begins `at`."""
        kind, what, least, most = node
        reached, count = {at}, 0
        if count >= least:
            yield at
        while reached and count < most:
            reached = {end for one in reached for end in self._once(kind, what, text, one)} - (
                reached if count >= least else set()
            )
            count += 1
            if count >= least:
                yield from reached

    def _once(self, kind: str, what: object, text: str, at: int) -> set[int]:
        if kind == "literal":
            assert isinstance(what, str)
            return {at + len(what)} if text.startswith(what, at) else set()
        if kind == "class":
            assert isinstance(what, re.Pattern)
            return {at + 1} if at < len(text) and what.match(text[at]) else set()
        if kind == "name":
            return set(self._ends(self._rules[str(what)], text, at))
        assert isinstance(what, list)
        if kind == "choice":
            return {end for one in what for end in self._ends(one, text, at)}
        reached = {at}
        for one in what:
            reached = {end for start in reached for end in self._ends(one, text, start)}
        return reached

    def _sample(self, node: Node, random: Random) -> str:
        kind, what, least, most = node
        count = random.randint(least, min(most, least + _MORE))
        return "".join(self._sample_once(kind, what, random) for _ in range(count))

    def _sample_once(self, kind: str, what: object, random: Random) -> str:
        if kind == "literal":
            return str(what)
        if kind == "class":
            assert isinstance(what, re.Pattern)
            return random.choice([one for one in _LETTERS if what.match(one)])
        if kind == "name":
            return self._sample(self._rules[str(what)], random)
        assert isinstance(what, list)
        if kind == "choice":
            return self._sample(random.choice(what), random)
        return "".join(self._sample(one, random) for one in what)


class _Parser:
    """Reads the right side of one rule."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        at = 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            assert found is not None, f"no grammar: {text[at:]}"
            self._tokens.append((str(found.lastgroup), found[found.lastgroup or 0]))
            at = found.end()

    def choice(self) -> Node:
        ways = [self._sequence()]
        while self._tokens and self._tokens[0][1] == "|":
            self._tokens.pop(0)
            ways.append(self._sequence())
        return ("choice", ways, 1, 1)

    def _sequence(self) -> Node:
        parts = []
        while self._tokens and self._tokens[0] not in (("mark", "|"), ("mark", ")")):
            parts.append(self._part())
        return ("sequence", parts, 1, 1)

    def _part(self) -> Node:
        kind, text = self._tokens.pop(0)
        what: object = text
        if kind == "literal":
            what = _ESCAPE.sub(_unescaped, text[1:-1])
        elif kind == "class":
            what = re.compile(text, re.S)
        elif kind == "mark":
            kind, what, *_ = self.choice()
            self._tokens.pop(0)
        least, most = 1, 1
        if self._tokens and self._tokens[0][0] == "many":
            many = self._tokens.pop(0)[1]
            least, most = _OFTEN.get(many) or map(int, many[1:-1].split(","))
        return (kind, what, least, most)


def _unescaped(found: re.Match[str]) -> str:
    escape = found[1]
    if escape[0] in "xu" and len(escape) > 1:
        return chr(int(escape[1:], 16))
    return {"n": "\n", "t": "\t", "r": "\r"}.get(escape, escape)
