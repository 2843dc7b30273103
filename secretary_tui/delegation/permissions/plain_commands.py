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
_ANY_OPTION = _TAKES_TEXT | frozenset(
    (
        *("true", "false", "pwd", "which", "whoami", "id", "uname", "nproc", "uptime", "arch"),
        *("du", "df", "comm", "join", "paste", "nl", "od", "cmp", "tac", "rev", "fold", "expand"),
        *("seq", "printf", "sleep", "realpath", "readlink", "test", "[", "hexdump", "strings"),
        *("md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum", "column", "jq", "ps"),
        *("cd", "pushd", "popd"),
    )
)
"""Programs that, without an entry below, start nothing and write no file by any option."""
_RUNNERS: Mapping[str, frozenset[str]] = {
    name: frozenset(subcommands.split())
    for name, subcommands in {
        **dict.fromkeys(("uv", "poetry", "pdm", "hatch", "rye", "pipenv", "conda"), "run tool"),
        **dict.fromkeys(
            ("npm", "pnpm", "yarn"), "exec exe ex x dlx explore init innit create node env"
        ),
        **dict.fromkeys(("docker", "podman"), "run exec compose container"),
        **dict.fromkeys(("pyenv", "rbenv", "asdf", "direnv", "bundle"), "exec"),
        "kubectl": "exec run debug",
        "mise": "exec x run",
        "rustup": "run",
        "nix": "run shell develop",
    }.items()
}
"""Programs with subcommands that start the program named behind them."""
_TAKES_SIGNS = _TAKES_TEXT | frozenset(("npm", "pnpm", "yarn", "printf"))
"""Programs to which a word that begins with `@` is no file of options."""
_FILE_OF_OPTIONS = re.compile("@")
_STRANGE_WORDS: Mapping[str, re.Pattern[str]] = {
    # Variables, which may be the shell; behind `cmake --build` they are words of make.
    "make": re.compile(".*=", re.S),
    "cmake": re.compile("[^-].*=", re.S),
    "ctest": re.compile("[^-].*=", re.S),
    # `exec:exec`: any goal of any plugin.
    "mvn": re.compile(".*:", re.S),
}
"""Words without a dash that are more than names."""
_OTHERS = re.compile(r"--(?:help|version|quiet|verbose|dry-run|no-color)")
"""Options of a program that isn't known here; any other could name a program or a file."""
_ALWAYS_EXACT = re.compile(
    r"""(?x)
    (?: python | pypy | perl | ruby | php | lua | luajit | node | nodejs | tclsh | guile
      | (?:original-|[gmn])?awk )[\d.]*(?:-dbg|-(?:x86_64|aarch64)[\w-]*)?
    | Rscript | julia | java | pwsh | tsx | ts-node | sqlite3 | m4 | dc | ld[\w.-]*\.so[\d.]*
    | sed | ed | ex | vi | vim | nvim | view | emacs | less | more | man | gdb | deno
    | bun | osascript
    | r?(?:ba|da|z|k|c|tc|fi)?sh(?:93)? | eval | exec | command | builtin | source | \. | trap | ssh
    | scp | sftp
    | sudo | doas | su | runuser | env | nice | ionice | nohup | parallel | time | timeout | watch
    | xargs | setsid | stdbuf | chroot | unshare | nsenter | flock | script | strace
    | ltrace | expect
    | busybox[\w.]* | toybox | tmux | screen | at | batch | chronic | ts | hyperfine | rlwrap
    | ccache | distcc | libtool | fakeroot | choom | prlimit | setpriv | cpulimit | sg | newgrp
    | gosu | su-exec | pkexec | bwrap | linux(?:32|64) | i[3-6]86 | x86_64 | uname26 | run-parts
    | start-stop-daemon | dbus-run-session | xvfb-run | catchsegv | mpirun | mpiexec
    | read | mapfile | readarray | getopts | let | alias | unalias | bind | complete | compgen
    | compopt | enable | hash | set | shopt | export | declare | typeset | local | readonly
    | unset | fc | history | ulimit
    | npx | bunx | pnpx | uvx | pipx | systemd-run | entr | nc | ncat | socat
    """
)
"""Programs whose arguments are programs: a prefix says nothing about what they do.

And words of the shell's own that change what the commands behind them are, as `read PATH` does.
"""
_GIT_EXACT = frozenset(
    (
        *("bisect", "submodule", "filter-branch", "difftool", "mergetool", "config", "hook"),
        *("daemon", "shell", "instaweb", "web--browse", "send-email", "credential", "rebase"),
        *("upload-pack", "receive-pack", "fast-import", "for-each-repo", "maintenance"),
    )
)
"""Subcommands of git that start other programs by their plain arguments."""
_GIT_KNOWN = frozenset(
    (
        *("add", "am", "annotate", "apply", "archive", "blame", "branch", "bundle", "cat-file"),
        *("check-attr", "check-ignore", "checkout", "cherry", "cherry-pick", "clean", "clone"),
        *("commit", "commit-tree", "count-objects", "describe", "diff", "diff-files", "diff-index"),
        *(
            "diff-tree",
            "fetch",
            "for-each-ref",
            "format-patch",
            "fsck",
            "gc",
            "grep",
            "hash-object",
        ),
        *("help", "init", "log", "ls-files", "ls-remote", "ls-tree", "merge", "merge-base", "mv"),
        *("name-rev", "notes", "pull", "push", "range-diff", "read-tree", "reflog", "remote"),
        *("reset", "restore", "rev-list", "rev-parse", "revert", "rm", "shortlog", "show"),
        *("show-branch", "show-ref", "stash", "status", "switch", "symbolic-ref", "tag"),
        *("update-index", "update-ref", "var", "verify-pack", "version", "whatchanged", "worktree"),
        *("write-tree", ""),
    )
)
"""Subcommands that are git's own, so no alias can take their names."""
_GIT_OPTIONS = (
    r"--(?:stat|shortstat|numstat|cached|staged|name-only|name-status|oneline|graph|all|decorate"
    r"|patch|no-patch|short|branch|branches|tags|follow|no-color|color|word-diff|porcelain|list"
    r"|abbrev-commit|no-merges|merges|since|until|after|before|author|grep|max-count|format|pretty"
    r"|reverse|first-parent|no-ext-diff|no-textconv|show-current|message|amend|no-edit|quiet|raw"
    r"|verbose|summary|count|line-number|ignore-case|untracked-files|ignored|date|unified|minimal"
    r"|exit-code|diff-filter|dry-run|set-upstream|update|remotes|merged|no-merged|contains)(?:=.*)?"
    r"|-(?:[pwnbsailvrqmuA]|vv|sb|am|\d+|n\d+|U\d+)"
)
_COMPILER = r"-(?:Wall|Wextra|O\d|g|c)"
_PYTEST = (
    r"-[xvqslhV]+|-k|-m|-n\w*|-r\w*|--(?:lf|ff|nf|sw|co|last-failed|failed-first|exitfirst|verbose"
    r"|quiet|collect-only|no-header|durations|maxfail|tb|stepwise|showlocals|help|version)(?:=\w+)?"
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
        **dict.fromkeys(("gcc", "g++", "cc", "c++", "clang", "clang++"), _COMPILER),
        **dict.fromkeys(("pytest", "py.test"), _PYTEST),
        "ruff": (
            r"-[qvns]+|--(?:fix|diff|check|quiet|verbose|select|ignore|extend-select|no-cache"
            r"|statistics|output-format|show-fixes|show-files|preview|unsafe-fixes|exit-zero"
            r"|line-length|target-version)(?:=[\w.,-]+)?"
        ),
        "mypy": (
            r"-[pmv]|--(?:strict|pretty|ignore-missing-imports|no-incremental|show-error-codes"
            r"|no-error-summary|check-untyped-defs|python-version|warn-unused-ignores)(?:=[\w.]+)?"
        ),
        "black": r"-[qvltS]+|--(?:check|diff|quiet|verbose|line-length|target-version)(?:=\w+)?",
        "eslint": r"--(?:fix|fix-dry-run|quiet|ext|max-warnings|no-color)(?:=[\w.,]+)?",
        "prettier": r"-[cwl]+|--(?:check|write|list-different|no-color)",
        "tsc": r"-[pwvb]|--(?:project|noEmit|strict|pretty|watch|incremental|skipLibCheck)",
        **dict.fromkeys(("pip", "pip3"), r"-[qvUre]+|--(?:upgrade|quiet|no-deps|user|outdated)"),
        "uv": r"-[qv]+|--(?:frozen|locked|all-extras|dev|no-dev|quiet)",
        "cmake": r"-[BSjG]\w*|--(?:build|target|config|preset|parallel|version)(?:=\w+)?",
        "ctest": r"-[VNjR]\d*|--output-on-failure",
        "mvn": r"-[qoBeX]+|-pl|-am|-D(?:skipTests|test)(?:=[\w.,#-]+)?",
        **dict.fromkeys(("gradle", "gradlew"), r"-q|--(?:info|offline|quiet|tests|continue)"),
        # `-v PATH` would set where the programs behind it are looked for.
        "printf": r"--",
        "bat": r"-[npA]+|--(?:plain|number|language|style)(?:=[\w,]+)?",
        "cp": r"-[rRpafnuvdiL]+|--",
        "mv": r"-[fnuvi]+|--",
        "rm": r"-[rRfvid]+|--",
        "mkdir": r"-[pv]+",
        "rmdir": r"-[pv]+",
        "touch": r"-[acm]+",
        "ln": r"-[sfnvr]+",
        "tee": r"-[ai]+",
        "chmod": r"-[Rvrwx]+",
        "split": r"-[labndx]+\w*|--(?:lines|bytes|number)=\w+",
    }.items()
}
"""Programs that can run another or write where it isn't seen, and their options that don't."""


def covered_by_prefix(prefix: str, words: Sequence[str]) -> bool:
    """Whether a prefix (empty: any program) may speak for one simple command."""
    start = prefix.split()
    if not words or "=" in words[0] or list(words[: len(start)]) != start:
        return False
    program = words[0].rsplit("/", 1)[-1]
    if _runs_another(program, words[1:]):
        # What they start must stand in the prefix, and is looked at in their place.
        named = len(start) > 2 and start[1] in _RUNNERS[program]
        return named and covered_by_prefix(" ".join(start[2:]), words[2:])
    if not _PLAIN_WORD.fullmatch(words[0]) or _ALWAYS_EXACT.fullmatch(program):
        return False
    if program not in _TAKES_TEXT and any(not _PLAIN_WORD.fullmatch(word) for word in words):
        return False
    return _is_plain(program, list(words[1:]), list(words[max(1, len(start)) :]))


def is_known(program: str) -> bool:
    """Whether it is known which options of a program could start another one."""
    return program in _ANY_OPTION or program in _OPTIONS


def _runs_another(program: str, arguments: Sequence[str]) -> bool:
    runs = _RUNNERS.get(program, frozenset())
    # Behind an option its value may stand, so the subcommand may be any word.
    told = arguments[:1] if arguments and not arguments[0].startswith("-") else arguments
    return not runs.isdisjoint(told)


def _is_plain(program: str, arguments: list[str], rest: list[str]) -> bool:
    """Whether the words behind the prefix ask for nothing but what the program is known for."""
    if program == "git":
        named = next((word for word in arguments if not word.startswith("-")), "")
        # `ext::` addresses are commands; a global option stands before the subcommand.
        if named in _GIT_EXACT or any("::" in word for word in rest):
            return False
        # Another name is an alias of the repository's, or a program: it must stand in the prefix.
        if named in rest and rest == arguments and named not in _GIT_KNOWN:
            return False
        if rest == arguments and rest and rest[0].startswith("-"):
            return False
    if program == "tar" and not _is_plain_tar(arguments):
        return False
    if program == "uniq" and sum(not word.startswith("-") for word in rest) > 1:
        return False
    strange = _STRANGE_WORDS.get(program, None if program in _TAKES_SIGNS else _FILE_OF_OPTIONS)
    if strange is not None and any(strange.match(word) for word in rest):
        return False
    options = _OPTIONS.get(program)
    if options is None and program in _ANY_OPTION:
        return True
    options = options or _OTHERS
    return all(
        options.fullmatch(word) for word in rest if word.startswith("-") and word not in ("-", "--")
    )


def _is_plain_tar(arguments: list[str]) -> bool:
    # The first word is options even without a dash; `host:file` would start a remote shell.
    first = arguments[0].removeprefix("-") if arguments else ""
    return re.fullmatch(r"[cxtvfzjJkp]+", first) is not None and not any(
        ":" in word for word in arguments
    )
