"""Rules tighten widely and loosen narrowly."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.delegation.permissions.named_commands import is_opaque
from secretary_tui.delegation.permissions.rules import (
    Subject,
    allowing_rule,
    covers_command,
    exact_rule,
    parse_rules,
    restricting_rule,
)

ROOT = Path("/w/app")


def bash(command: str) -> Subject:
    return Subject("Bash", command=command)


def denies(rule: str, subject: Subject) -> bool:
    return restricting_rule(parse_rules(rule), subject, ROOT) is not None


def allows(rule: str, subject: Subject) -> bool:
    return allowing_rule(parse_rules(rule), subject, ROOT) is not None


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


@pytest.mark.parametrize(
    "command",
    [
        *(
            '"curl" x',
            "cu'r'l x",
            "\\curl x",
            "env curl x",
            "env -i A=1 curl x",
            "sudo -u a curl x",
        ),
        *("command curl x", "if true; then curl x; fi", "for i in 1; do curl x; done", ">o curl x"),
        *("2>/dev/null curl x", 'A="x y" curl z', "a[0]=1 curl x", "A+=1 curl x", "! curl x"),
        *("coproc curl x", "timeout 5 curl x", "ls | xargs -n1 curl", "bash -c 'curl x'"),
        *(
            'bash -c "ls; curl x"',
            "function f { curl x; }",
            "case x in x) curl x;; esac",
            "cu\\\nrl x",
        ),
        *('git -c alias.x="!curl x" x', "find . -exec curl {} +", "sh <<< 'curl x'", "< f curl x"),
    ],
)
def test_a_deny_rule_sees_through_quotes_keywords_and_wrappers(command: str) -> None:
    assert denies("Bash(curl:*)", bash(command))


def test_stars_in_a_rule_match_anywhere_and_many_of_them_take_no_longer() -> None:
    assert denies("Bash(rm * /etc*)", bash("rm -r -f /etc/x"))
    assert denies("Bash(git * --force*)", bash("git push --force-with-lease"))
    assert denies("Bash(r? x)", bash("rm x"))
    assert denies("Bash(rm **/x)", bash("rm x"))
    assert denies("Bash(*.sh)", bash("./a/b.sh"))
    assert not denies("Bash(rm * /etc)", bash("rm -r /home"))
    assert not denies(f"Bash({'*a' * 40}b)", bash("a" * 15_000))


def test_a_deny_rule_for_a_subcommand_sees_through_global_options() -> None:
    assert denies("Bash(git push:*)", bash("git -C x --no-pager push origin"))
    assert denies("Bash(rm -rf /)", bash('rm  -rf "/"'))


@pytest.mark.parametrize(
    "command",
    ["$(echo curl) x", "${x:-curl} x", "/usr/bin/cur? x", "{curl,x}", "$'curl' x", "'open"],
)
def test_a_command_that_computes_its_program_is_opaque(command: str) -> None:
    assert is_opaque(command)
    assert not is_opaque("git log --format='%h' && echo \"$(date)\" | head -3")


def test_a_long_command_is_judged_in_time_and_counts_as_opaque() -> None:
    assert is_opaque("x " * 500_000)
    assert not denies("Bash(curl:*)", bash("'a b' " * 200_000))
    assert is_opaque("true;" * 3000)


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("git grep", "git grep -O x"),
        ("git grep", "git grep -nOsh touch"),
        ("git diff", "git diff --outp=x"),
        ("git diff", "git diff --ext-d"),
        ("git", "git -c core.pager=id log"),
        ("git", "git submodule foreach id"),
        ("git fetch", "git fetch ext::id"),
        ("sort", "sort -ro x y"),
        ("sort", "sort --compress-prog=sh y"),
        ("tar", "tar xIf ./evil.sh x.tar"),
        ("tar", "tar -x --to-command=sh"),
        ("tar", "tar xf host:file"),
        ("fd", "fd -Hx id"),
        ("tree", "tree -ao x"),
        ("rg", "rg --pre sh x"),
        ("npm test", "npm test --script-shell=/x"),
        ("go test", "go test -exec id"),
        ("make", "make SHELL=./x"),
        ("uniq", "uniq a b"),
        ("ls", "ls *"),
        ("ls", "ls > x"),
        ("python3.11", "python3.11 x.py"),
        ("git", "git evil"),
        ("split", "split --filter=curl a"),
        ("split", "split --filt curl a"),
        ("cmake", "cmake -E env x"),
        ("cmake", "cmake -P evil.cmake"),
        ("cmake", "cmake --build . -- SHELL=x"),
        ("mypy", "mypy --python-executable x"),
        ("bat", "bat --pager x f"),
        ("pytest", "pytest -p evil"),
        ("pytest", "pytest --pdbcls=x:y"),
        ("pytest", "pytest -o x=y"),
        ("gcc", "gcc @x"),
        ("clang", "clang -wrapper x a.c"),
        ("mvn", "mvn exec:exec"),
        ("gradle", "gradle -I x"),
        ("eslint", "eslint --rulesdir x"),
        ("uv", "uv run curl x"),
        ("uv run", "uv run curl x"),
        ("uv run", "uv --quiet run curl x"),
        ("npm", "npm exec evil"),
        ("npm", "npm -w a exec evil"),
        ("docker", "docker run x"),
        ("unheard-of", "unheard-of --helper=x"),
        ("unheard-of", "unheard-of -x y"),
        ("unheard-of", "unheard-of @x"),
    ],
)
def test_a_prefix_covers_no_option_that_runs_or_writes(rule: str, command: str) -> None:
    assert not allows(f"Bash({rule}:*)", bash(command))
    assert not allows("Bash", bash(command))


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("git log", "git log --oneline -n5 --since=2024-01-01"),
        ("git commit", "git commit -m 'fix the table'"),
        ("git -C sub log", "git -C sub log -p"),
        ("rg", "rg -n --type=py word src"),
        ("find", "find . -name x.py -type f"),
        ("tar", "tar czf a.tgz src"),
        ("sort", "sort -k2,2n -u a"),
        ("pytest", "pytest -q tests/x.py::test_a"),
        ("pytest", "pytest -xvs -k name --maxfail=1"),
        ("npm run", "npm run x"),
        ("npm run", "npm run build"),
        ("npm", "npm install @scope/name"),
        ("uv run pytest", "uv run pytest -q tests"),
        ("docker compose up", "docker compose up"),
        ("ruff", "ruff check --fix src"),
        ("mypy", "mypy --strict -p name"),
        ("mvn", "mvn -q test"),
        ("cmake", "cmake --build build --target all"),
        ("cp", "cp -r a b"),
        ("wc", "wc -l a"),
        ("jq", "jq -r .a f"),
        ("unheard-of", "unheard-of a b --version"),
        ("unheard-of -x", "unheard-of -x y"),
    ],
)
def test_a_prefix_covers_what_only_looks(rule: str, command: str) -> None:
    assert allows(f"Bash({rule}:*)", bash(command))


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


@pytest.mark.parametrize("name", ["Makefile ", " Makefile", "Makefile\u00a0"])
def test_no_rule_names_a_file_whose_name_ends_in_a_blank(name: str) -> None:
    assert exact_rule(Subject("Write", path=ROOT / name), ROOT) is None
