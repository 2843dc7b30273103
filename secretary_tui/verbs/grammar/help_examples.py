"""What a verb's help ends with: an example or two, and where the common options are explained.

Imported by `--help`, so it must stay light.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence

EXAMPLES: Mapping[str, Sequence[str]] = {
    "help": ("help run", "help agents new", "help options"),
    "mode": ("mode", "mode aware"),
    "agents": ("agents", "agents show docs-writer", "agents disable docs-writer"),
    "agents validate": ("agents validate", "agents validate .claude/agents --fix --dry-run"),
    "agents new": ('agents new log-reader --description "Reads logs and names the cause"',),
    "agents show": ("agents show docs-writer", "agents show docs-writer --json"),
    "agents disable": ("agents disable docs-writer poet", "agents disable --source user"),
    "match": ('match "review the login"', 'match "review the login" --top 5 --explain'),
    "run": ('run "review the login"', 'run "review the login" --agent security-reviewer'),
    "trust": ("trust", "trust --list"),
    "doctor": ("doctor", "doctor --online"),
    "model": ("model list", "model get qwen2.5-coder-0.5b"),
    "sessions": ("sessions", 'sessions resume 2026 "and the tests?"', "sessions undo 2026 --diff"),
    "sessions list": ("sessions list outcome:failed since:7d", "sessions list --all --cost 0.1"),
    "sessions search": ("sessions search migration", "sessions search '\"null pointer\"' --all"),
    "sessions export": ("sessions export 2026 --format html -o run.html",),
    "stats": ("stats --days 7", "stats --all-projects --json"),
    "log": ("log -n 5", "log forget --agent docs-writer"),
    "log forget": ("log forget --agent docs-writer", "log forget --all --all-projects"),
    "config": ("config list", "config set theme secretary-light", "config unset theme"),
    "serve": ("serve --open", "serve --port 8000", "serve --public-url https://my.host"),
    "completion": ("completion bash > ~/.local/share/bash-completion/completions/secretary-tui",),
}
"""By the words of the verb."""
COMMON = frozenset({"project", "agents_dir_after", "agents_json", "offline"})
"""Options of every verb, by the names argparse keeps them under; a verb's help leaves them out."""
POINTER = (
    "also for every verb: --project, --agents-dir, --agents, --offline;\n"
    "these and the exit status: secretary-tui help options"
)


class VerbHelp(argparse.RawDescriptionHelpFormatter):
    """The help of one verb: its own options alone."""

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None = None,
    ) -> None:
        """Leave the common options out of the usage."""
        super().add_usage(usage, _own(actions), groups, prefix)

    def add_arguments(self, actions: Iterable[argparse.Action]) -> None:
        """Leave the common options out of the list."""
        super().add_arguments(_own(actions))


def epilog(words: str) -> str:
    """What stands below the options of a verb, such as `agents new`."""
    shown = [f"  secretary-tui {line}" for line in EXAMPLES.get(words, ())]
    return "\n".join([*(["examples:", *shown, ""] if shown else []), POINTER])


def _own(actions: Iterable[argparse.Action]) -> list[argparse.Action]:
    return [action for action in actions if action.dest not in COMMON]
