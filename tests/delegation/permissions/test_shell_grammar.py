"""What is understood of a command is what bash does with it; the rest is unclear, never guessed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from secretary_tui.delegation.permissions.command_coverage import gaps
from secretary_tui.delegation.permissions.rules import Rule, parse_rules
from secretary_tui.delegation.permissions.shell_grammar import MAX_LENGTH, read_script
from secretary_tui.delegation.permissions.written_files import written_files

BASH = shutil.which("bash")
needs_bash = pytest.mark.skipif(BASH is None, reason="bash is not installed")


def whys(command: str) -> set[str]:
    return {part.why for part in read_script(command).unclear}


def test_a_compound_is_taken_apart() -> None:
    script = read_script("git status && ls -la 'a b' | grep -n \"x|y\" > out.txt 2>&1; wc\nid || x")
    assert not script.unclear
    assert [command.words for command in script.commands] == [
        ("git", "status"),
        ("ls", "-la", "a b"),
        ("grep", "-n", "x|y"),
        ("wc",),
        ("id",),
        ("x",),
    ]
    assert [(one.target, one.writes) for one in script.redirects] == [("out.txt", True)]
    assert [one.writes for one in read_script("wc < a &> b").redirects] == [False, True]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("a $x", "a variable"),
        ('a "${x}"', "a variable"),
        ("a $(b)", "a command inside another"),
        ("a `b`", "a command inside another"),
        ("a <(b)", "a command inside another"),
        ("$x a", "a variable"),
        ("X=1 a", "a variable is set"),
        ("export X=1", "a variable is set"),
        ("a & b", "it runs in the background"),
        ("a <<E\nb\nE", "a here-document"),
        ("a <<< b", "a here-string"),
        ("a *.py", "a wildcard or an escape"),
        ("a {b,c}", "a wildcard or an escape"),
        ("a ~/b", "a wildcard or an escape"),
        ("a\\ b", "a wildcard or an escape"),
        ("a $'\\x3b' b", "an escaped string"),
        ("(a)", "a group of commands"),
        ("{ a; }", "a group of commands"),
        ("! a", "a negation"),
        ("a() { b; }; a", "a function is made"),
        ("if a; then b; fi", "a condition"),
        ("for x in 1; do a; done", "a loop"),
        ("time a", "a word of the shell's own"),
        ("coproc a", "a word of the shell's own"),
        ("a # b", "a comment"),
        ("a\rb", "a hidden or control character"),
        ("a\u00a0b", "a hidden or control character"),
        ("a\u200bb", "a hidden or control character"),
        ("a \\\n b", "it can be read in two ways"),
        ("a>b", "it can be read in two ways"),
        ("a > b c", "a redirect"),
        ("a >&b", "a redirect"),
        ("a 'b", "it is no whole command"),
        ("", "it is no command"),
        ("a " * MAX_LENGTH, "it is too long to be looked into"),
    ],
)
def test_what_can_t_be_told_is_named(command: str, why: str) -> None:
    assert why in whys(command)


def test_the_place_of_what_is_unclear_is_given_in_characters() -> None:
    (part,) = read_script("echo 'ü€' $x").unclear
    assert (part.start, part.end) == (10, 12)


def uncovered(command: str, *rules: str, refused: tuple[str, ...] = ()) -> list[str]:
    parsed: list[Rule] = [rule for text in rules for rule in parse_rules(text)]

    def check(path: str, writes: bool) -> str:
        return "no" if path in refused or (writes and not path.startswith("ok")) else ""

    return [command[gap.start : gap.end] for gap in gaps(command, parsed, check)]


def test_every_part_of_a_compound_needs_a_rule() -> None:
    rules = ("Bash(git status:*)", "Bash(ls:*)", "Bash(grep:*)", "Bash(make test)")
    assert uncovered("git status && ls -l | grep -n 'a|b'; make test", *rules) == []
    assert uncovered("git status && curl x | ls", *rules) == ["curl x"]
    assert uncovered("make test && make install", *rules) == ["make install"]
    assert uncovered("true; " * 51 + "curl x", "Bash(true)") == ["curl x"]
    assert uncovered("git status; find . -exec id +", *rules, "Bash(find:*)") == [
        "find . -exec id +"
    ]


def test_without_rules_nothing_is_covered_and_nothing_is_read() -> None:
    assert uncovered("ls $(id)") == ["ls $(id)"]


def test_redirects_and_denied_files_are_gaps() -> None:
    assert uncovered("ls > ok.txt 2>&1", "Bash(ls:*)") == []
    assert uncovered("ls > x.txt", "Bash(ls:*)") == ["> x.txt"]
    assert uncovered("ls < secret", "Bash(ls:*)", refused=("secret",)) == ["< secret"]
    assert uncovered("cat a secret", "Bash(cat:*)", refused=("secret",)) == ["cat a secret"]
    assert uncovered("ls --x=secret", "Bash(ls:*)", refused=("secret",)) == ["ls --x=secret"]


def test_after_cd_nothing_is_covered() -> None:
    rules = ("Bash(cd:*)", "Bash(git status)")
    assert uncovered("git status && cd sub", *rules) == []
    assert uncovered("cd sub && git status > ok", *rules) == ["git status", "> ok"]


def test_an_exact_rule_covers_what_no_prefix_may() -> None:
    assert uncovered("X=1 make $(y) > z", "Bash(X=1 make $(y) > z)") == []


def test_quoted_text_is_covered_only_where_it_is_text() -> None:
    assert uncovered("rg 'a(b|c)$' src", "Bash(rg:*)") == []
    assert uncovered("find . -name '*.py'", "Bash(find:*)") == []
    assert uncovered("mysql -e '\\! id'", "Bash(mysql:*)") != []
    assert uncovered("make 'x$(shell id)'", "Bash(make:*)") != []


def test_files_behind_redirects_are_found_everywhere() -> None:
    command = "a>b; (c) >> 'd e' | bash -c \"x &> y\" 2>|z; echo $(f > g) 2>&1 h\\>i"
    assert {"b", "d e", "y", "z", "g"} <= set(written_files(command))
    assert written_files("a >&2 2>&1") == ()


@pytest.mark.parametrize(
    "command",
    [
        *("tee -a 'd e'", "ls | sudo tee x 'd e'", "cp a b 'd e'", "mv 'd e' b", "rm -f 'd e'"),
        *("dd if=a of='d e'", "cp -t 'd e' a", "cp --target-dir='d e' a", "sort -ro 'd e' a"),
        *("sort --output='d e' a", "sed -i s/a/b/ 'd e'", "bash -c \"tee 'd e'\"", "ln -s a 'd e'"),
        *("/usr/bin/tee 'd e'", "true && install a 'd e'", "cp 'x/d e' ."),
    ],
)
def test_files_that_programs_write_are_found(command: str) -> None:
    assert {"d e", "./d e"} & set(written_files(command))


def test_files_that_are_only_read_are_not_taken_for_written() -> None:
    for command in ("cat a", "cp a b", "grep -o a f", "sed s/a/b/ a", "dd if=a of=b", "sort a"):
        assert "a" not in written_files(command)


PRELUDE = """
shopt -u expand_aliases
command_not_found_handle() { printf '%s\\0' "$#" "$@" >> "$LOG"; }
"""


def run_by_bash(command: str, folder: Path) -> list[tuple[str, ...]]:
    """What bash starts for a command, with no program within reach: each call with its words."""
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    log, prelude = folder / "log", folder / "prelude"
    log.write_bytes(b"")
    prelude.write_text(PRELUDE)
    assert BASH is not None
    subprocess.run(
        [BASH, "--noprofile", "--norc", "-c", "--", command],
        cwd=work,
        env={"PATH": "/nowhere", "BASH_ENV": str(prelude), "LOG": str(log), "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=10,
        check=False,
    )
    fields = log.read_bytes().decode("utf-8", "surrogateescape").split("\0")[:-1]
    calls = []
    while fields:
        count = int(fields.pop(0))
        calls.append(tuple(fields[:count]))
        del fields[:count]
    return calls


words = st.sampled_from(
    [
        *(
            "p1",
            "p2",
            "p3",
            "-x",
            "a=b",
            "1",
            "2",
            "'q r'",
            '"s;t"',
            "'u'\"v\"w",
            "é",
            "'é'",
            "x#y",
        ),
        *("$x", "${x}", "`p4`", "$(p4)", "$'\\x3bp5'", "\\;", "*", "{a,b}", "~", "#c", "\\\n", "!"),
        *(
            '"a\\"b"',
            "''",
            "[a]",
            "2>&1",
            ">f",
            "> f",
            ">>'g h'",
            "<f",
            "<<<p5",
            "&>f",
            "1>f",
            "f>",
        ),
        *("'", '"', "\r", "\u00a0", "\u200b", "time", "if", "then", "fi", "{", "}", "(", ")", "[["),
    ]
)
glue = st.sampled_from(
    [" ", " ", " ", " ", "\t", "", "\n", ";", " && ", "||", " | ", "&", ";;", "|&"]
)
plain = st.sampled_from(["p1", "p2", "-x", "a=b", "'q r'", '"s;t"', "> f", "2>&1", "12", "'é'"])
mostly_plain = st.one_of(plain, plain, plain, plain, plain, words)
usual_glue = st.sampled_from([" ", " ", " ; ", "&&", "\n", " || ", " | ", "\t"])
commands = st.lists(
    st.one_of(
        st.tuples(mostly_plain, usual_glue),
        st.tuples(plain, usual_glue),
        st.tuples(mostly_plain, glue),
    ),
    min_size=1,
    max_size=8,
).map(lambda parts: "p0 " + "".join(word + between for word, between in parts))
odd_text = st.text(st.sampled_from("p01 \t\n;&|<>()'\"\\$`{}!#=*~-\r\u00a0é"), max_size=24)


@pytest.mark.parametrize("command", ["echo a | cat | cat\nrm x && ls", "a | b | c\nd || e"])
def test_a_line_break_that_the_grammar_takes_for_a_blank_is_not_understood(command: str) -> None:
    assert read_script(command).unclear


@needs_bash
@settings(
    max_examples=int(os.environ.get("SHELL_EXAMPLES", "250")),
    suppress_health_check=[HealthCheck.too_slow],
)
@given(st.one_of(commands, commands, commands, odd_text))
@example("p0 a2>f b")
@example("p0 () (p1)")
@example("p0 a\n\n p1;")
@example("p0 &>f p1")
@example("p0 1 2>f 3")
@example("p0 | p1 | p1\np1 && p1")
def test_bash_starts_nothing_but_what_was_understood(command: str) -> None:
    """Each call with exactly its words, each file named; `||` may leave some out."""
    script = read_script(command)
    if script.unclear or "\0" in command:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        started = run_by_bash(command, folder)
        made = {path.name for path in (folder / "work").iterdir()}
    understood = [part.words for part in script.commands]
    assert set(started) <= set(understood)
    assert len(started) <= len(understood)
    if "|" not in command and "<" not in command and "&" not in command:
        assert started == understood
    assert made <= {one.target for one in script.redirects if one.writes}


@needs_bash
@given(st.one_of(commands, commands, commands, odd_text))
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_understood_bash_accepts(command: str) -> None:
    if not read_script(command).unclear:
        assert BASH is not None
        checked = subprocess.run(
            [BASH, "-n", "-c", "--", command], capture_output=True, check=False, timeout=10
        )
        assert checked.returncode == 0


def test_no_command_that_may_pass_unasked_names_more_files_than_are_looked_at() -> None:
    command = ("tee " + "".join(f"{number} " for number in range(MAX_LENGTH)))[:MAX_LENGTH]
    command = f"{command.rpartition(' ')[0][:-6].rpartition(' ')[0]} last"
    assert "last" in written_files(command)
