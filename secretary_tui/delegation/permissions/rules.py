"""Permission rules in Claude Code's syntax, and whether one covers a call.

Tightening (deny, ask) reads a rule as widely as it can: each part of a compound command, any case,
globs (`commands`). Loosening (allow) reads it as narrowly: a prefix never covers a command in which
the shell or the program could do a second thing (`plain_commands`), an exact rule exactly itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from secretary_tui.delegation.permissions.named_commands import named_commands
from secretary_tui.delegation.permissions.plain_commands import covered_by_prefix
from secretary_tui.delegation.permissions.shell_grammar import read_script
from secretary_tui.delegation.permissions.web_rules import meant_host
from secretary_tui.tool_table import (
    EDIT,
    TOOLS,
    RuleSubject,
    canonical_names,
    edits_files,
    is_mcp,
    runs_commands,
)

_MCP_RULE = re.compile(r"\s*(mcp__[\w.*-]+)\s*(?:\((.*)\))?\s*", re.S)
BLANKS = " \t\n"
"""What a shell passes over around a command; other blanks are letters of a name to it."""
_RULE = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\((.*)\))?\s*", re.S)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: a tool, and the pattern in its parentheses (None for a bare name)."""

    tool: str
    """Canonical name."""
    pattern: str | None
    text: str
    """As written, for the reason that the user and the model read."""
    below: bool = True
    """Whether it holds for what lies below its file, too; no answer about a file means that."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a call does, in the terms that rules speak of."""

    tool: str
    command: str = ""
    """The whole command, for Bash."""
    path: Path | None = None
    """The real path, for tools on files."""
    topic: str = ""
    """What it is about, for tools on neither: `domain:example.com`, the id of an agent, a skill."""

    @property
    def is_command(self) -> bool:
        """Whether it runs `command`."""
        return runs_commands(self.tool)

    @property
    def is_edit(self) -> bool:
        """Whether it changes the file at `path`."""
        return edits_files(self.tool)


def parse_rules(text: str) -> tuple[Rule, ...]:
    """Read one rule; more than one when the name stands for two tools, none when for none."""
    if match := _MCP_RULE.fullmatch(text):
        return (Rule(match[1], match[2], text.strip()),)
    match = _RULE.fullmatch(text)
    if match is None:
        return ()
    pattern = match[2].strip(BLANKS) if match[2] is not None else None
    pattern = None if pattern in ("", "*", "**") else pattern
    return tuple(Rule(name, pattern, text.strip()) for name in canonical_names(match[1]))


def answered_rules(text: str) -> tuple[Rule, ...]:
    """Read a rule that is an answer of the user's: the file that was shown, whatever it becomes."""
    return tuple(replace(rule, below=False) for rule in parse_rules(text))


def not_denied(tools: Iterable[str], deny: Iterable[Rule], root: Path) -> tuple[str, ...]:
    """Give the tools that no rule denies outright; of the others the model needn't know."""
    bare = [rule for rule in deny if rule.pattern is None]

    def is_denied(tool: str) -> bool:
        if restricting_rule(bare, Subject(tool), root):
            return True
        # Committing is a part of what Bash could do.
        return tool in TOOLS and bool(TOOLS[tool].part_of) and is_denied(TOOLS[tool].part_of)

    return tuple(tool for tool in tools if not is_denied(tool))


def restricting_rule(rules: Iterable[Rule], subject: Subject, root: Path) -> Rule | None:
    """Give the first deny or ask rule that touches a call, read widely."""
    for rule in rules:
        if not _speaks_of(rule, subject):
            continue
        # What a pattern means to a server's tool, nobody knows: it forbids the tool.
        if rule.pattern is None or is_mcp(rule.tool) or _touches(rule.pattern, subject, root):
            return rule
    return None


def allowing_rule(
    rules: Iterable[Rule], subject: Subject, root: Path, *, prefixes: bool = True
) -> Rule | None:
    """Give the first allow rule that covers a call, read narrowly.

    `prefixes=False` honours exact Bash rules only, for commands that would run unconfined.
    """
    for rule in rules:
        if not _speaks_of(rule, subject):
            continue
        if subject.is_command:
            covered = covers_command(rule.pattern, subject.command, prefixes=prefixes)
        elif subject.topic:
            covered = rule.pattern is None or covers_topic((rule.pattern,), subject.topic)
        else:
            covered = rule.pattern is None or _covers_path(
                rule.pattern, subject.path, root, below=rule.below
            )
        if covered:
            return rule
    return None


def covers_command(pattern: str | None, command: str, *, prefixes: bool = True) -> bool:
    """Whether an allowance for `pattern` covers a whole command, if that is one command."""
    if pattern is not None and command.strip(BLANKS) == pattern:
        return True
    if not prefixes:
        return False
    script = read_script(command)
    return (
        len(script.commands) == 1
        and not script.redirects
        and not script.unclear
        and covers_words(pattern, script.commands[0].words)
    )


def covers_words(pattern: str | None, words: Sequence[str]) -> bool:
    """Whether an allowance that ends in a star, or names the tool alone, covers a command."""
    prefix = "" if pattern is None else _prefix(pattern)
    return prefix is not None and covered_by_prefix(prefix, words)


def covers_path(patterns: Iterable[str], path: Path, root: Path) -> bool:
    """Whether a file is covered by one of an agent's own restrictions, as `Edit(docs/**)`."""
    return any(_covers_path(pattern, path, root) for pattern in patterns)


def covers_topic(patterns: Iterable[str], topic: str) -> bool:
    """Whether a domain or a name is covered: exactly, or a domain by `domain:*.example.com`.

    One pattern may hold several, as `Agent(reviewer, tester)`.
    """
    for pattern in (one.strip() for text in patterns for one in text.split(",")):
        wide, kind, domain = pattern.casefold().partition("domain:*.")
        if pattern.casefold() == topic.casefold():
            return True
        if kind and not wide and topic.casefold().endswith(f".{domain}"):
            return True
    return False


def exact_rule(subject: Subject, root: Path) -> str | None:
    """Write the rule that covers this call and no other; None when the syntax has none for it."""
    if subject.is_command:
        command = subject.command.strip(BLANKS)
        # A star is a wildcard in the rule's syntax, so such a command can't be named exactly.
        return None if not command or "*" in command else f"{subject.tool}({command})"
    if _is_named_alone(subject.tool):
        return subject.tool
    if subject.topic:
        return None if "*" in subject.topic else f"{subject.tool}({subject.topic})"
    if subject.path is None or not subject.path.is_relative_to(root):
        return None
    name = subject.path.relative_to(root).as_posix()
    if any(char in name for char in "*?\n") or name != name.strip():
        return None
    # A name without a slash would match in every folder (gitignore's rule).
    return f"{subject.tool}({name if '/' in name else './' + name})"


def _is_named_alone(tool: str) -> bool:
    """Whether *always* means every call of a tool, so that its rule has no parentheses."""
    if is_mcp(tool):
        return True
    row = TOOLS.get(tool)
    return row is not None and row.subject is RuleSubject.NONE and bool(row.scope.always)


def _speaks_of(rule: Rule, subject: Subject) -> bool:
    if is_mcp(rule.tool):
        # `mcp__docs` and `mcp__docs__*` are all tools of a server.
        return subject.tool == rule.tool or (
            rule.tool.removesuffix("*").removesuffix("__").count("__") == 1
            and subject.tool.startswith(f"{rule.tool.removesuffix('*').removesuffix('__')}__")
        )
    # An Edit rule covers every tool that changes files.
    return rule.tool == subject.tool or (rule.tool == EDIT and subject.is_edit)


def _prefix(pattern: str) -> str | None:
    for ending in (":*", " *"):
        if pattern.endswith(ending):
            return " ".join(pattern.removesuffix(ending).split())
    return None


def _touches(pattern: str, subject: Subject, root: Path) -> bool:
    if subject.topic:
        return _touches_topic(pattern, subject.topic.casefold())
    if not subject.is_command:
        return subject.path is not None and _path_matches(pattern, subject.path, root, fold=True)
    prefix = _prefix(pattern)
    wanted = _wildcards(pattern if prefix is None else f"{prefix} *")
    whole = " ".join(subject.command.split())
    return any(
        form in (pattern, prefix) or wanted.fullmatch(form)
        for form in (subject.command, whole, *named_commands(subject.command))
    )


def _touches_topic(pattern: str, topic: str) -> bool:
    """Read widely: any case, wildcards, and a domain with all that lies below it."""
    parts = pattern.split(",")
    if topic.startswith("domain:"):
        host = meant_host(topic)
        return any(host is None or _touches_host(part, host) for part in parts)
    return any(_wildcards(part.strip().casefold()).fullmatch(topic) for part in parts)


def _touches_host(pattern: str, host: str) -> bool:
    meant = meant_host(pattern)
    # Of which no host can be told, that may mean each.
    return (
        meant is None
        or _wildcards(meant).fullmatch(host) is not None
        or host.endswith(f".{meant.removeprefix('*.')}")
    )


def _covers_path(pattern: str, path: Path | None, root: Path, *, below: bool = True) -> bool:
    return path is not None and _path_matches(pattern, path, root, fold=False, below=below)


def _path_matches(pattern: str, path: Path, root: Path, *, fold: bool, below: bool = True) -> bool:
    """Match like gitignore: `//abs`, `~/home`, `./here` and `a/b` from root, `name` anywhere."""
    if pattern.startswith("//"):
        base, anchored, rest = Path("/"), True, pattern[2:]
    elif pattern.startswith("~/"):
        base, anchored, rest = Path.home().resolve(), True, pattern[2:]
    else:
        rest = pattern.removeprefix("./").removeprefix("/")
        base, anchored = root, rest != pattern or "/" in pattern.rstrip("/")
    if not path.is_relative_to(base):
        return False
    name = path.relative_to(base).as_posix()
    rest = rest.rstrip("/")
    prefix = "" if anchored else "(?:.*/)?"
    regex = _glob(rest, fold=fold)
    deeper = "(?:/.*)?" if below else ""
    full = re.compile(f"{prefix}(?:{regex.pattern}){deeper}", regex.flags)
    return full.fullmatch(name) is not None


def _glob(pattern: str, *, fold: bool) -> re.Pattern[str]:
    """Translate `*`, `**` and `?`; everything else, brackets too, stands for itself."""
    pieces = []
    for token in re.findall(r"\*\*/|\*\*|\*|\?|[^*?]+", pattern):
        pieces.append(
            {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(token, re.escape(token))
        )
    return re.compile("".join(pieces), re.S | (re.I if fold else 0))


def _wildcards(pattern: str) -> re.Pattern[str]:
    """Translate `*` and `?` for commands, where both stand for anything.

    The nearest place is always good enough, so no step is tried twice: a repository's rule with
    many stars must not hold up the program.
    """
    first, *others = (
        re.escape(part).replace(r"\?", ".") for part in re.split(r"(?:\*\*/|\*)+", pattern)
    )
    if not others:
        return re.compile(first, re.S)
    middle = "".join(f"(?>.*?{part})" for part in others[:-1])
    return re.compile(f"{first}{middle}.*{others[-1]}", re.S)
