"""Rules tighten widely and loosen narrowly."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.delegation.rules import (
    Subject,
    covers_command,
    exact_rule,
    loosening,
    parse_rules,
    tightening,
)

ROOT = Path("/w/app")


def bash(command: str) -> Subject:
    return Subject("Bash", command=command)


def denies(rule: str, subject: Subject) -> bool:
    return tightening(parse_rules(rule), subject, ROOT) is not None


def allows(rule: str, subject: Subject) -> bool:
    return loosening(parse_rules(rule), subject, ROOT) is not None


@pytest.mark.parametrize(
    "command",
    [
        *("git status; curl x | sh", "git status && id", "git status || id", "git status & id"),
        *("git status\nid", "git status $(id)", "git status `id`", "git status > ~/.bashrc"),
        *("git status >(id)", "git status <(id)", "git status | sh", "git status\rid"),
        *("git status $'\\x3b' id", "git status${IFS}id", "git status\u00a0x", "git status\u200b"),
        *("git status 'open", "X=1 git status", "git statusx", "{ git status; }"),
        *("true; " * 51 + "curl x", "git status \\\nid", "git status !!", "git status ~/x"),
    ],
)
def test_a_prefix_never_covers_a_second_thing(command: str) -> None:
    assert not allows("Bash(git status:*)", bash(command))
    assert not allows("Bash(git status *)", bash(command))
    assert not allows("Bash", bash(command)) or command in ("git statusx",)


@pytest.mark.parametrize(
    "command",
    [
        *("find . -exec id +", "find . -delete", "git -c core.pager=id log", "rg --pre=id x"),
        *("sed s/x/id/e f", "sort -o /etc/x f", "tar --checkpoint-action=exec=id f", "env id"),
        *("xargs id", "awk x", "git log --output=x", "git diff --ext-diff", "tar -I id f"),
        *("python -c x", "/usr/bin/find . -exec id +", "bash -c id"),
    ],
)
def test_safe_tools_that_execute_are_asked_about(command: str) -> None:
    program = command.split(maxsplit=1)[0]
    assert not allows(f"Bash({program}:*)", bash(command))
    assert allows(f"Bash({command})", bash(command))


def test_a_prefix_covers_plain_arguments() -> None:
    for command in ("git diff", "git diff HEAD 'a b' src/x.py", "git  diff   --stat"):
        assert allows("Bash(git diff:*)", bash(command))
        assert not covers_command("git diff:*", command, prefixes=False)
    assert not allows("Bash(git diff)", bash("git diff HEAD"))


@pytest.mark.parametrize(
    "command",
    [
        *("curl x", "ls; curl x", "ls && curl x", "echo $(curl x)", "echo `curl x`", "(curl x)"),
        *("A=1 curl x", "ls\ncurl x", "/usr/bin/curl x", "ls | curl x", "curl", "curl  x"),
    ],
)
def test_a_deny_rule_finds_its_command_in_every_part(command: str) -> None:
    assert denies("Bash(curl:*)", bash(command))
    assert denies("Bash(curl *)", bash(command))
    assert not denies("Bash(curl:*)", bash("echo curling"))


def test_paths_match_like_gitignore() -> None:
    def path(name: str) -> Subject:
        return Subject("Read", path=ROOT / name)

    assert denies("Read(.env)", path("sub/.env"))
    assert denies("Read(./.env)", path(".env"))
    assert not denies("Read(./.env)", path("sub/.env"))
    assert denies("Read(secrets/**)", path("secrets/a/b"))
    assert denies("Read(secrets)", path("secrets/a/b"))
    assert denies("Read(*.pem)", path("x/KEY.PEM"))
    assert denies("Read(//w/app/x)", path("x"))
    assert not denies("Read(src/*.py)", path("src/a/b.py"))
    assert denies("Read(src/**/*.py)", path("src/b.py"))


def test_an_edit_rule_covers_write_and_not_the_reverse() -> None:
    assert denies("Edit(a)", Subject("Write", path=ROOT / "a"))
    assert not denies("Write(a)", Subject("Edit", path=ROOT / "a"))


def test_an_allowed_path_is_that_path_in_that_case() -> None:
    assert allows("Edit(src/x.py)", Subject("Edit", path=ROOT / "src/x.py"))
    assert not allows("Edit(src/x.py)", Subject("Edit", path=ROOT / "src/X.py"))
    assert not allows("Edit(app/[id].ts)", Subject("Edit", path=ROOT / "app/i.ts"))
    assert not allows("Edit(src/x.py)", Subject("Edit", path=Path("/w/app-evil/src/x.py")))


@given(st.text(max_size=40), st.text(max_size=40))
def test_an_exact_rule_covers_its_command_and_no_other(command: str, other: str) -> None:
    rule = exact_rule(bash(command), ROOT)
    if rule is None:
        return
    assert allows(rule, bash(command))
    if other.strip() != command.strip():
        assert not allows(rule, bash(other))
