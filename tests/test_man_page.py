"""The manual page names all there is, and the programs that show it have nothing to complain of."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.grammar.arguments import build_parser
from secretary_tui.verbs.grammar.help_examples import COMMON

PAGE = Path(__file__).resolve().parents[1] / "docs" / "man" / "secretary-tui.1"


def plain() -> str:
    """The page without roff's escapes."""
    text = re.sub(r"\\f[BIRP]|\\&", "", PAGE.read_text("utf-8"))
    return text.replace("\\-", "-").replace("\\(ti", "~")


def everything(parser: argparse.ArgumentParser, words: str = "") -> set[str]:
    """Every verb and every option of its own, as the page writes them."""
    found = set()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, verb in action.choices.items():
                found |= {f".SS {words}{name}", *everything(verb, f"{words}{name} ")}
        elif not words or action.dest not in COMMON:
            found |= set(action.option_strings)
    return found


def test_every_verb_option_and_exit_status_is_on_the_page() -> None:
    page = plain()
    assert {one for one in everything(build_parser()) if one not in page} == set()
    assert all(f".TP\n{code}\n" in page for code in map(int, ExitCode))


def test_the_page_is_ascii_and_holds_no_line_that_roff_would_obey_by_accident() -> None:
    lines = PAGE.read_text("utf-8").splitlines()
    assert all(line.isascii() for line in lines)
    requests = {line.split()[0] for line in lines if line.startswith((".", "'"))}
    assert requests == {".TH", ".SH", ".SS", ".TP", ".PP", ".br", ".nf", ".fi"}


@pytest.mark.parametrize(
    "command", [["groff", "-man", "-Tutf8", "-ww"], ["mandoc", "-Tlint", "-Wwarning"]]
)
def test_the_programs_that_show_it_do_not_complain(command: list[str]) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed here")
    done = subprocess.run([*command, str(PAGE)], capture_output=True, text=True, check=False)
    said = done.stderr + (done.stdout if command[0] == "mandoc" else "")
    assert [line for line in said.splitlines() if "missing date" not in line] == []
