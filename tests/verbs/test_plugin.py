"""The Claude Code plugin that ships in the package."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import secretary_tui
from secretary_tui.verbs.grammar.arguments import build_parser
from tests.verbs.command_line import cli, environment

PLUGIN = Path(secretary_tui.__file__).parent / "plugin"


def read(name: str) -> dict[str, object]:
    data = json.loads((PLUGIN / name).read_text())
    assert isinstance(data, dict)
    return data


def hook_commands() -> dict[str, str]:
    hooks = read("hooks/hooks.json")["hooks"]
    assert isinstance(hooks, dict)
    return {event: entries[0]["hooks"][0]["command"] for event, entries in hooks.items()}


def test_the_manifest_has_the_version_of_the_package() -> None:
    assert read(".claude-plugin/plugin.json")["version"] == secretary_tui.__version__


def test_the_marketplace_lists_the_plugin_beside_it() -> None:
    plugins = read(".claude-plugin/marketplace.json")["plugins"]
    assert isinstance(plugins, list)
    (plugin,) = plugins
    assert plugin["name"] == read(".claude-plugin/plugin.json")["name"]
    assert (PLUGIN / plugin["source"]).resolve() == PLUGIN.resolve()


def test_both_hooks_call_verbs_that_exist() -> None:
    commands = hook_commands()
    assert set(commands) == {"SessionStart", "UserPromptSubmit"}
    for command in commands.values():
        words = shlex.split(command.partition(" 2>")[0])
        assert words[0] == "secretary-tui"
        assert build_parser().parse_args(words[1:]).verb == "hook"


def test_session_start_has_the_matcher_of_the_seed() -> None:
    hooks = read("hooks/hooks.json")["hooks"]
    assert isinstance(hooks, dict)
    assert hooks["SessionStart"][0]["matcher"] == "startup|resume|clear|compact"


def test_a_hook_without_the_program_does_no_harm(tmp_path: Path) -> None:
    for command in hook_commands().values():
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            env={"PATH": str(tmp_path)},
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_hook_command_answers_as_claude_code_would_see_it(tmp_path: Path) -> None:
    program = tmp_path / "secretary-tui"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m secretary_tui "$@"\n')
    program.chmod(0o755)
    env = environment({"SECRETARY_TUI_ACTIVATION_MODE": "aware"})
    done = subprocess.run(
        ["/bin/sh", "-c", hook_commands()["SessionStart"]],
        env={**env, "PATH": f"{tmp_path}:{env['PATH']}"},
        input=json.dumps({"cwd": str(tmp_path)}).encode(),
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["hookSpecificOutput"]["hookEventName"] == "SessionStart"


def test_the_command_is_a_definition_with_every_case_of_the_seed() -> None:
    text = (PLUGIN / "commands" / "secretary.md").read_text()
    assert text.startswith("---\ndescription: ")
    for part in (
        "$ARGUMENTS",
        "secretary-tui help",
        "secretary-tui mode",
        "AskUserQuestion",
        "Task",
    ):
        assert part in text


def test_the_command_may_run_nothing_that_runs_an_agent() -> None:
    text = (PLUGIN / "commands" / "secretary.md").read_text()
    (line,) = (line for line in text.splitlines() if line.startswith("allowed-tools: "))
    bash = [part for part in line.partition(": ")[2].split(", ") if part.startswith("Bash")]
    assert bash == [f"Bash(secretary-tui {verb}:*)" for verb in ("help", "mode", "match")]


def test_config_path_says_where_the_plugin_is(tmp_path: Path) -> None:
    assert cli("config", "path", "plugin", cwd=tmp_path).out == f"{PLUGIN}\n"
