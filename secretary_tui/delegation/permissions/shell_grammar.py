"""What bash would do with a command: its simple commands and redirects, or that it can't be told.

Two readers must agree before anything counts as understood. tree-sitter's grammar of bash says
where the words, redirects and operators are; then the text between the words must be nothing but
blanks and operators, and `shlex` must find the same words. Whatever else a shell can do
(variables, substitutions, wildcards, groups, loops, functions, here-documents, escapes, jobs) is
named as unclear, never guessed at.
"""

from __future__ import annotations

import functools
import re
import shlex
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_LENGTH = 8_000
"""Longer commands are not looked into: the worst ones of this length take half a second."""
_MAX_UNCLEAR = 200
_PARSING = threading.Lock()
"""A parser keeps its state between calls, and prompts are prepared in threads."""
_WORD, _REDIRECT = "\x01", "\x02"
_BARE = re.compile(r"[A-Za-z0-9_@%+=:,./^-]+")
_ITEM = f"[{_WORD}{_REDIRECT}](?:[ \t]+[{_WORD}{_REDIRECT}])*"
_SKELETON = re.compile(
    rf"[ \t\n]*{_ITEM}(?:[ \t]*(?:&&|\|\||\||;|\n)[ \t\n]*{_ITEM})*[ \t]*(?:;[ \t]*)?\n*[ \t\n]*"
)
_SEPARATOR = re.compile(r"&&|\|\||[|;\n]")
_REDIRECT_FORM = re.compile(r"([0-9]?(?:>>|>\||>|<)|&>>|&>)[ \t]*([^ \t<>&|].*)", re.S)
_DUPLICATE = re.compile(r"[0-9]?>&[0-9-]")
_INSIDE = frozenset(("program", "list", "pipeline", "redirected_statement"))
_OPERATORS = frozenset(("&&", "||", ";", "|", "\n"))
_CHANGING = {"raw_string": re.compile(r"\n"), "string": re.compile(r"[$`\\!\n]")}
"""Per kind of quote: what keeps a quoted text from being taken as it stands."""
_RESERVED = frozenset(
    (
        *("if", "then", "elif", "else", "fi", "while", "until", "do", "done", "for", "select"),
        *("case", "esac", "in", "function", "coproc", "time", "{", "}", "!", "[[", "]]"),
    )
)
_UNCLEAR = {
    "ERROR": "it is no whole command",
    "simple_expansion": "a variable",
    "expansion": "a variable",
    "arithmetic_expansion": "a calculation",
    "command_substitution": "a command inside another",
    "process_substitution": "a command inside another",
    "ansi_c_string": "an escaped string",
    "translated_string": "a translated string",
    "brace_expression": "a wildcard",
    "variable_assignment": "a variable is set",
    "variable_assignments": "a variable is set",
    "declaration_command": "a variable is set",
    "unset_command": "a variable is changed",
    "heredoc_redirect": "a here-document",
    "heredoc_body": "a here-document",
    "herestring_redirect": "a here-string",
    "subshell": "a group of commands",
    "compound_statement": "a group of commands",
    "negated_command": "a negation",
    "function_definition": "a function is made",
    "comment": "a comment",
    "test_command": "a condition",
    "if_statement": "a condition",
    "case_statement": "a condition",
    "for_statement": "a loop",
    "c_style_for_statement": "a loop",
    "while_statement": "a loop",
    "&": "it runs in the background",
    "|&": "a pipe for errors",
}


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One program and its arguments, as it will get them. Offsets are characters of the text."""

    words: tuple[str, ...]
    quoted: bool
    """Whether a quoted word holds characters that mean something to a shell."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Redirect:
    """A file that a command reads from or writes to."""

    target: str
    writes: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Unclear:
    """A part of which can't be told what it does."""

    why: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Script:
    """A command, read; whole only when nothing is unclear."""

    commands: tuple[SimpleCommand, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    unclear: tuple[Unclear, ...] = ()


@functools.lru_cache(maxsize=64)
def read_script(command: str) -> Script:
    """Read a command; microseconds, but the first call loads the grammar (some 25 ms)."""
    if len(command) > MAX_LENGTH:
        return _all_unclear(command, "it is too long to be looked into")
    if odd := next(_odd_characters(command), None):
        return Script(unclear=(Unclear("a hidden or control character", odd.start(), odd.end()),))
    reader = _ShellReader(command)
    script = reader.read()
    if not script.unclear and not reader.agrees(script):
        return _all_unclear(command, "it can be read in two ways")
    return script


def _all_unclear(command: str, why: str) -> Script:
    return Script(unclear=(Unclear(why, 0, len(command)),))


def _odd_characters(command: str) -> Iterator[re.Match[str]]:
    for match in re.finditer(r"[^\x20-\x7e\n\t]", command):
        if not match[0].isprintable():
            yield match


@functools.cache
def _parser() -> Parser:
    # A fifth of what a run imports anyway, and nothing that only looks needs it.
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


class _ShellReader:
    """Walks the tree of one command."""

    def __init__(self, command: str) -> None:
        self._command = command
        self._bytes = command.encode()
        self._is_ascii = command.isascii()
        self._commands: list[SimpleCommand] = []
        self._redirects: list[Redirect] = []
        self._unclear: list[Unclear] = []
        self._places: list[tuple[int, int, str]] = []
        """Start, end and kind of every word and redirect, in order."""

    def read(self) -> Script:
        with _PARSING:
            root = _parser().parse(self._bytes).root_node
        self._visit(root)
        if root.has_error and not self._unclear:
            self._unclear.append(Unclear("it is no whole command", 0, len(self._command)))
        if not self._commands and not self._redirects and not self._unclear:
            self._unclear.append(Unclear("it is no command", 0, len(self._command)))
        return Script(
            tuple(self._commands), tuple(self._redirects), tuple(self._unclear[:_MAX_UNCLEAR])
        )

    def agrees(self, script: Script) -> bool:
        """Whether a second, simpler look at the text finds the same words and nothing between."""
        left, pieces = 0, []
        for start, end, kind in sorted(self._places):
            if start < left:
                return False
            pieces += [self._command[left:start], kind]
            left = end
        pieces.append(self._command[left:])
        skeleton = "".join(pieces)
        if not _SKELETON.fullmatch(skeleton):
            return False
        # The grammar may take a line break in a pipeline for a blank: `a | b | c\nd && e`.
        sizes = [part.count(_WORD) for part in _SEPARATOR.split(skeleton) if _WORD in part]
        if sizes != [len(command.words) for command in script.commands]:
            return False
        words = [word for command in script.commands for word in command.words]
        found: list[str] = []
        for start, end, kind in sorted(self._places):
            if kind == _WORD:
                try:
                    found += shlex.split(self._command[start:end])
                except ValueError:
                    return False
        return found == words

    def _visit(self, node: Node) -> None:
        """Take statements apart, from the first to the last."""
        stack = [node]
        while stack:
            current = stack.pop()
            kind = current.type
            if kind in _INSIDE:
                stack.extend(reversed(current.children))
            elif kind == "command":
                self._take_command(current)
            elif kind == "file_redirect":
                self._take_redirect(current)
            elif kind not in _OPERATORS or current.is_missing:
                self._miss(current)

    def _take_command(self, node: Node) -> None:
        words: list[str] = []
        ends: list[int] = []
        start, quoted, whole = -1, False, True
        for child in node.children:
            if child.type == "file_redirect":
                self._take_redirect(child)
                continue
            part = child.children[0] if child.type == "command_name" and child.children else child
            value = self._value(part)
            if value is None:
                whole = False
                continue
            place = self._place(part)
            start = place[0] if start < 0 else start
            ends.append(place[1])
            self._places.append((*place, _WORD))
            quoted |= not _BARE.fullmatch(value)
            words.append(value)
        if not words or not whole:
            if whole:
                self._miss(node)
            return
        if words[0] in _RESERVED or "=" in words[0]:
            self._miss(node, "a word of the shell's own")
            return
        self._commands.append(SimpleCommand(tuple(words), quoted, start, ends[-1]))

    def _take_redirect(self, node: Node) -> None:
        start, end = self._place(node)
        text = self._command[start:end]
        if _DUPLICATE.fullmatch(text):
            self._places.append((start, end, _REDIRECT))
            return
        form = _REDIRECT_FORM.fullmatch(text)
        target = node.child_by_field_name("destination")
        if form is None or target is None or self._place(target) != (start + form.start(2), end):
            self._miss(node, "a redirect")
            return
        value = self._value(target)
        if value is not None:
            self._places.append((start, end, _REDIRECT))
            self._redirects.append(Redirect(value, not form[1].endswith("<"), start, end))

    def _value(self, node: Node) -> str | None:
        """Give what a word stands for, or note why that can't be told."""
        start, end = self._place(node)
        text = self._command[start:end]
        if node.type in ("word", "number"):
            if _BARE.fullmatch(text):
                return text
            self._miss(node, "a wildcard or an escape")
        elif node.type in _CHANGING and not _CHANGING[node.type].search(text):
            return text[1:-1]
        elif node.type == "concatenation":
            parts = [self._value(child) for child in node.children]
            return None if None in parts else "".join(filter(None, parts))
        else:
            inner = next((c for c in node.children if c.type in _UNCLEAR), node)
            self._miss(inner, _UNCLEAR.get(inner.type, "a quoted text that the shell changes"))
        return None

    def _miss(self, node: Node, why: str = "") -> None:
        why = why or _UNCLEAR.get(node.type, "the shell's own language")
        if len(self._unclear) <= _MAX_UNCLEAR:
            self._unclear.append(Unclear(why, *self._place(node)))

    def _place(self, node: Node) -> tuple[int, int]:
        if self._is_ascii:
            return node.start_byte, node.end_byte
        return (
            len(self._bytes[: node.start_byte].decode(errors="replace")),
            len(self._bytes[: node.end_byte].decode(errors="replace")),
        )
