"""What all verbs have in common: bare verbs list, JSON is an object, help is short."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.verbs.command_line import cli

CLEAR = "Review the authentication code for security vulnerabilities"


@pytest.mark.parametrize("verb", ["config", "model", "sessions", "agents"])
def test_a_verb_alone_lists(project: Path, verb: str) -> None:
    alone, listed = cli(verb, "--json", cwd=project), cli(verb, "list", "--json", cwd=project)
    assert (alone.status, alone.out) == (0, listed.out)
    assert isinstance(alone.json, dict)
    assert cli(verb, "--json", "list", cwd=project).json == alone.json


def test_an_agent_is_shown_whole(project: Path) -> None:
    shown = cli("agents", "show", "docs-writer", cwd=project)
    assert shown.status == 0
    for said in ("docs-writer.md", "haiku", "Read, Write", "Writes documentation", "a newcomer"):
        assert said in shown.out
    found = cli("agents", "show", "docs-writer", "--json", cwd=project).json
    assert (found["id"], found["status"]) == ("docs-writer", "active")
    assert found["prompt"].startswith("You write documentation")
    nobody = cli("agents", "show", "docs-writr", cwd=project)
    assert nobody.status == 1
    assert "docs-writer" in nobody.err


def test_several_agents_are_switched_at_once_or_none(project: Path) -> None:
    names = ("docs-writer", "security-reviewer")
    assert cli("agents", "disable", "docs-writer", "nobody", cwd=project).status == 1
    assert "disabled\t" not in cli("agents", cwd=project).out
    done = cli("agents", "disable", *names, cwd=project)
    assert [line.split()[0] for line in done.out.splitlines()] == list(names)
    assert cli("agents", cwd=project).out.count("disabled\t") == 2
    assert cli("agents", "enable", *names, cwd=project).status == 0
    assert "disabled\t" not in cli("agents", cwd=project).out


def test_validate_takes_json_as_the_others_do(project: Path) -> None:
    words = ("agents", "validate")
    assert (
        cli(*words, "--json", cwd=project).out == cli(*words, "--format", "json", cwd=project).out
    )


def test_trusted_folders_are_listed_as_json(project: Path) -> None:
    assert cli("trust", cwd=project).status == 0
    (folder,) = cli("trust", "--list", "--json", cwd=project).json["folders"]
    assert (folder["path"], folder["trusted"]) == (str(project), True)
    assert cli("trust", "--remove", cwd=project).status == 0
    assert cli("trust", "--list", "--json", cwd=project).json == {"folders": []}
    assert cli("trust", "--json", cwd=project).status == 2


def test_help_of_a_verb_has_examples_and_points_to_the_common_options(project: Path) -> None:
    text = cli("help", "run", cwd=project).out
    assert "examples:\n  secretary-tui run " in text
    assert "secretary-tui help options" in text
    assert "exit status: 0" not in text
    common = cli("help", "options", cwd=project).out
    for option in ("--project DIR", "--agents-dir DIR", "--agents JSON|FILE", "--offline"):
        assert option in common
        assert option not in text.partition("examples:")[0]
    assert "exit status: 0" in common


def test_help_explains_sub_verbs(project: Path) -> None:
    assert "--description TEXT" in cli("help", "agents", "new", cwd=project).out
    assert cli("help", "agents", "nonsense", cwd=project).status == 2


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("run --agent docs", "docs-writer"),
        ("log forget --agent docs", "docs-writer"),
        ("stats --agent docs", "docs-writer"),
        ("help sess", "sessions"),
        ("agents show tool : r", "review:security"),  # What bash takes `show tool:r` for.
        ("run fix --agent tool : review : s", "security"),
        ("agents disable docs-writer tool :", "review:security"),
        ("model get q", "qwen"),
        ("model use q", "qwen"),
        ("model use .cl", ".claude"),
        ("--project .cl", ".claude"),
        ("agents validate .cl", ".claude"),
        ("match --batch .cl", ".claude"),
    ],
)
def test_bash_completes_agents_and_verbs_and_paths(project: Path, words: str, found: str) -> None:
    script = cli("completion", "bash", cwd=project).out
    typed = ["secretary-tui", *words.split()]
    listed = " ".join(typed)
    asked = f"""
secretary-tui() {{
  case "$1" in
    agents) printf 'status\\tid\\nactive\\tdocs-writer\\nactive\\ttool:review:security\\n';;
    model) printf 'id\\tsize\\nqwen\\t1 GB\\n';;
  esac
}}
{script}
COMP_LINE='{listed.replace(" : ", ":").replace(" :", ":")}'
COMP_WORDS=({listed}); COMP_CWORD={len(typed) - 1}; _secretary_tui; echo "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(
        ["bash", "-c", asked], capture_output=True, text=True, check=False, cwd=project
    )
    assert found in done.stdout.split(), done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_paths_and_models(project: Path, shell: str) -> None:
    script = cli("completion", shell, cwd=project).out
    for what, least in (("files", 4), ("dirs", 10), ("models", 2), ("models_or_files", 2)):
        assert len(re.findall(rf"_secretary_tui_{what}\b", script)) >= least, what


def test_zsh_completes_each_of_several(project: Path) -> None:
    script = cli("completion", "zsh", cwd=project).out
    assert '"*:its id:_secretary_tui_agents"' in script
    assert "(*):" not in script


def test_a_named_agent_is_not_said_to_be_understood_as_something(project: Path) -> None:
    done = cli("match", "@docs-writer the readme", cwd=project)
    assert done.out.splitlines()[:2] == ["100 %  docs-writer  recommended", "       you named it"]
    assert "Understood" not in done.out


def test_a_question_is_not_ended_twice(project: Path) -> None:
    (project / "x").mkdir()
    said = cli("agents", "new", "x", "--tools", "Raed", cwd=project).err
    assert "?." not in said
    assert "did you mean Read?" in said
