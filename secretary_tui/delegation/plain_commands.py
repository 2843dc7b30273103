"""Which commands a prefix rule may cover: one program, plain words, no option that does more.

A prefix speaks for arguments that nobody has seen. So it covers only what can be read at a glance;
anything else is asked about, which costs a question and no more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_PLAIN_WORD = re.compile(r"[A-Za-z0-9_@%+=:,./^ -]*")
_TAKES_TEXT = frozenset(
    (
        *("grep", "egrep", "fgrep", "rg", "find", "fd", "fdfind", "git", "echo", "ls", "cat"),
        *("head", "tail", "wc", "cut", "tr", "diff", "basename", "dirname", "stat"),
    )
)
"""Programs to which a quoted word is text, whatever stands in it."""
_ALWAYS_EXACT = re.compile(
    r"""(?x)
    (?: python | pypy | perl | ruby | php | lua | luajit | node | tclsh | [gmn]?awk )[\d.]*
    | sed | ed | ex | vi | vim | nvim | view | emacs | less | more | man | gdb | deno
    | bun | osascript
    | (?:ba|da|z|k|c|tc|fi)?sh | eval | exec | command | builtin | source | \. | trap | ssh
    | scp | sftp
    | sudo | doas | su | runuser | env | nice | ionice | nohup | parallel | time | timeout | watch
    | xargs | setsid | stdbuf | chroot | unshare | nsenter | flock | script | strace
    | ltrace | expect
    | busybox | toybox | npx | bunx | pnpx | uvx | pipx | systemd-run | entr | nc | ncat | socat
    """
)
"""Programs whose arguments are programs: a prefix says nothing about what they do."""
_GIT_EXACT = frozenset(
    (
        *("bisect", "submodule", "filter-branch", "difftool", "mergetool", "config", "hook"),
        *("daemon", "shell", "instaweb", "web--browse", "send-email", "credential", "rebase"),
        *("upload-pack", "receive-pack", "fast-import", "for-each-repo", "maintenance"),
    )
)
"""Subcommands of git that start other programs by their plain arguments."""
_GIT_OPTIONS = (
    r"--(?:stat|shortstat|numstat|cached|staged|name-only|name-status|oneline|graph|all|decorate"
    r"|patch|no-patch|short|branch|branches|tags|follow|no-color|color|word-diff|porcelain|list"
    r"|abbrev-commit|no-merges|merges|since|until|after|before|author|grep|max-count|format|pretty"
    r"|reverse|first-parent|no-ext-diff|no-textconv|show-current|message|amend|no-edit|quiet|raw"
    r"|verbose|summary|count|line-number|ignore-case|untracked-files|ignored|date|unified|minimal"
    r"|exit-code|diff-filter|dry-run|set-upstream|update|remotes|merged|no-merged|contains)(?:=.*)?"
    r"|-(?:[pwnbsailvrqmuA]|vv|sb|am|\d+|n\d+|U\d+)"
)
_OPTIONS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(options)
    for name, options in {
        "git": _GIT_OPTIONS,
        "find": (
            r"-(?:i?name|i?path|i?regex|type|maxdepth|mindepth|size|[mac]time|[mac]min|newer|not|a"
            r"|o|and|or|print0?|empty|perm|user|group|prune|depth|mount|xdev|L|H|P|ls|\d+|links)"
        ),
        "fd": r"-[eEtdHIisgalp0]+|--(?:extension|type|max-depth|hidden|no-ignore|glob)(?:=.*)?",
        "fdfind": r"-[eEtdHIisgalp0]+",
        "rg": (
            r"-[nilcwSsvoegtTABCFUuLNx]+\d*|-t\w+|--(?:files|hidden|no-ignore|glob|type|count|json"
            r"|ignore-case|line-number|files-with-matches|word-regexp|fixed-strings|max-count"
            r"|context|multiline|smart-case|no-heading|color)(?:=.*)?"
        ),
        "sort": r"-[nrufhVbsgMcz]+|-k[\d.,bdfghinrMVR]*|--(?:unique|reverse|numeric-sort)",
        "tar": r"-[cxtvfzjJkp]+|-C|--(?:exclude|strip-components)(?:=.*)?",
        "tree": r"-[adfhsCpugDiLIP]+|--(?:dirsfirst|noreport|gitignore)",
        "npm": r"--|--(?:silent|if-present|workspaces?)|-[sw]",
        "pnpm": r"--|--silent|-s",
        "yarn": r"--|--silent|-s",
        "make": r"-[jknBs]\d*",
        "go": r"-(?:v|race|short|count(?:=\d+)?|run|cover|bench|timeout(?:=\w+)?)",
        "cargo": r"-[vqp]|--(?:release|all|workspace|all-targets|all-features|quiet|verbose|lib)",
        "curl": r"-[sSLIfi]+",
        "wget": r"-q",
        "diff": r"-[uNrqbwBi]+\d*|--(?:brief|recursive|unified)(?:=\d+)?",
        "date": r"-[uIR]|--(?:utc|iso-8601)(?:=\w+)?",
        "uniq": r"-[cdui]+",
        "zip": r"-[rq9]+",
        "unzip": r"-[lqo]+",
        "rsync": r"-[avzn]+",
        "docker": r"--(?:all|no-trunc)",
        "podman": r"--(?:all|no-trunc)",
        "ctags": r"-R",
        "gcc": r"-(?:Wall|Wextra|O\d|g|c)",
        "g++": r"-(?:Wall|Wextra|O\d|g|c)",
    }.items()
}
"""Programs that can run another or write where it isn't seen, and their options that don't."""


def covered_by_prefix(prefix: str, words: Sequence[str]) -> bool:
    """Whether a prefix (empty: any program) may speak for one simple command."""
    start = prefix.split()
    if not words or "=" in words[0] or list(words[: len(start)]) != start:
        return False
    program = words[0].rsplit("/", 1)[-1]
    if not _PLAIN_WORD.fullmatch(words[0]) or _ALWAYS_EXACT.fullmatch(program):
        return False
    if program not in _TAKES_TEXT and any(not _PLAIN_WORD.fullmatch(word) for word in words):
        return False
    return _is_plain(program, list(words[1:]), list(words[max(1, len(start)) :]))


def _is_plain(program: str, arguments: list[str], rest: list[str]) -> bool:
    """Whether the words behind the prefix ask for nothing but what the program is known for."""
    if program == "git":
        named = next((word for word in arguments if not word.startswith("-")), "")
        # `ext::` addresses are commands; a global option stands before the subcommand.
        if named in _GIT_EXACT or any("::" in word for word in rest):
            return False
        if rest == arguments and rest and rest[0].startswith("-"):
            return False
    if program == "tar" and not _is_plain_tar(arguments):
        return False
    if program == "make" and any("=" in word for word in rest):
        return False
    if program == "uniq" and sum(not word.startswith("-") for word in rest) > 1:
        return False
    options = _OPTIONS.get(program)
    return options is None or all(
        options.fullmatch(word) for word in rest if word.startswith("-") and word not in ("-", "--")
    )


def _is_plain_tar(arguments: list[str]) -> bool:
    # The first word is options even without a dash; `host:file` would start a remote shell.
    first = arguments[0].removeprefix("-") if arguments else ""
    return re.fullmatch(r"[cxtvfzjJkp]+", first) is not None and not any(
        ":" in word for word in arguments
    )
