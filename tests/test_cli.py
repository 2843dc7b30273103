"""The command line as a whole: what it imports, refuses and survives."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from secretary_tui import __version__, cli, paths
from secretary_tui.engines.base import EngineError
from secretary_tui.fault_log import explain
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.grammar.arguments import VERBS, build_parser
from tests.verbs.command_line import (
    CLEAR_REQUEST,
    environment,
    obeying_ctrl_c,
    write_agent,
    write_library,
)
from tests.verbs.command_line import cli as run

HEAVY = ("textual", "yaml", "anthropic", "pydantic", "watchfiles", "numpy", "ruamel", "rapidfuzz")
WATCH_IMPORTS = """
import json, sys
from secretary_tui.cli import main
try:
    status = main(json.loads(sys.argv[1]))
except SystemExit as leaving:
    status = leaving.code or 0
names = sorted({name.partition(".")[0] for name in sys.modules})
print("\\n" + json.dumps([status, names]))
"""


def modules_of(*arguments: str, cwd: Path, stdin: str = "") -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", WATCH_IMPORTS, json.dumps(arguments)],
        cwd=cwd,
        env=environment(),
        input=stdin,
        capture_output=True,
        text=True,
        check=True,
    )
    status, names = json.loads(done.stdout.splitlines()[-1])
    assert status == 0
    return set(names)


@pytest.mark.parametrize("argument", ["--help", "--version", "help"])
def test_help_and_version_import_nothing_heavy(argument: str, tmp_path: Path) -> None:
    assert not modules_of(argument, cwd=tmp_path) & set(HEAVY)


def test_offline_matching_imports_no_screen_and_no_sdk(tmp_path: Path) -> None:
    write_library(tmp_path)
    names = modules_of("match", "--offline", CLEAR_REQUEST, cwd=tmp_path)
    assert not names & {"textual", "anthropic", "pydantic", "watchfiles", "numpy"}


def test_version_names_the_program(tmp_path: Path) -> None:
    assert run("--version", cwd=tmp_path).out == f"secretary-tui {__version__}\n"


def test_help_lists_every_verb_and_exit_status(tmp_path: Path) -> None:
    text = run("help", cwd=tmp_path).out
    assert run("--help", cwd=tmp_path).out == text
    for verb in VERBS:
        assert f"    {verb} " in text
    for code in ExitCode:
        assert str(int(code)) in text


def test_help_explains_one_verb(tmp_path: Path) -> None:
    done = run("help", "run", cwd=tmp_path)
    assert done.status == 0
    assert "--permission-mode" in done.out


def test_help_for_an_unknown_verb_names_the_nearest(tmp_path: Path) -> None:
    done = run("help", "runn", cwd=tmp_path)
    assert (done.status, done.out) == (2, "")
    assert "did you mean `run`?" in done.err


def test_a_bare_request_is_a_usage_error_that_says_what_to_type(tmp_path: Path) -> None:
    done = run("fix the bug", cwd=tmp_path)
    assert done.status == 2
    assert "secretary-tui match 'fix the bug'" in done.err
    assert "secretary-tui run 'fix the bug'" in done.err


def test_an_unknown_verb_names_the_nearest(tmp_path: Path) -> None:
    done = run("--project", str(tmp_path), "agnets", cwd=tmp_path)
    assert done.status == 2
    assert "Did you mean `agents`?" in done.err


def test_options_are_taken_before_and_after_the_verb(tmp_path: Path) -> None:
    write_agent(tmp_path / "one", "first", "Does one thing.")
    write_agent(tmp_path / "two", "second", "Does another thing.")
    (tmp_path / "work").mkdir()
    done = run(
        *("--agents-dir", tmp_path / "one", "--project", tmp_path / "work"),
        *("agents", "--json", "--agents-dir", tmp_path / "two"),
        cwd=tmp_path,
    )
    assert {agent["id"] for agent in done.json["agents"]} == {"first", "second"}


@pytest.mark.parametrize("as_file", [False, True], ids=["text", "file"])
@pytest.mark.parametrize("is_first", [True, False], ids=["before", "after"])
def test_agents_as_json_are_taken_before_and_after_the_verb(
    as_file: bool, is_first: bool, tmp_path: Path
) -> None:
    given = '{"painter": {"description": "Paints a fence.", "prompt": "Paint."}}'
    if as_file:
        (tmp_path / "team.json").write_text(given)
        given = "team.json"
    option, verb = ("--agents", given), ("agents", "--json")
    done = run(*(option + verb if is_first else verb + option), cwd=tmp_path)
    assert [agent["id"] for agent in done.json["agents"]] == ["painter"]


def test_every_option_before_the_verb_that_takes_a_value_is_known_as_one() -> None:
    taking = {
        option
        for action in build_parser()._actions
        for option in action.option_strings
        if action.nargs is None
    }
    assert taking == set(cli._TAKES_A_VALUE)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("mode loud", "manual, aware or proactive, not 'loud'; see `secretary-tui help mode`"),
        ("agents new", "agents new needs NAME; see `secretary-tui help agents new`"),
        ("completion", "completion needs bash, zsh, fish or tcsh"),
        ("agents shw", "agents has no verb 'shw', only validate, new, list, sources, show, path"),
        ("help agents shw", "agents has no verb 'shw', only"),
        ("agents validate --format xml", "--format is text, json or github, not 'xml'"),
        ("agents validate --json --format text", "don't go together"),
        ("trust --list --remove", "--remove and --list don't go together"),
        ("match x --top 0", "--top: '0' is not a number from 1 to 10000"),
        ("match x --top", "--top needs a value after it"),
        ("agents --offline=3", "--offline takes no value"),
        (
            "match mend the tests",
            "'the' is an unexpected argument for match (quote a request of several words)",
        ),
        ("doctor --loud", "unknown option --loud; see `secretary-tui help doctor`"),
        ("--json agents", "--json before the verb goes with --plain; of agents it goes after it"),
        ("--proj . agents", "unknown option --proj before the verb; did you mean --project?"),
        ("--loud=1 agents", "unknown option --loud before the verb"),
    ],
)
def test_what_can_not_be_typed_is_said_in_one_sentence(
    typed: str, sentence: str, tmp_path: Path
) -> None:
    done = run(*typed.split(), cwd=tmp_path)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("secretary-tui: ") and done.err.count("\n") == 1
    assert sentence in done.err


def test_every_option_before_the_verb_is_known_to_what_looks_for_the_verb() -> None:
    options = {option for action in build_parser()._actions for option in action.option_strings}
    assert options == {*cli._TAKES_A_VALUE, *cli._TAKES_NONE} - {"--"}


@pytest.mark.parametrize("option", ["--project", "--agents-dir"])
def test_a_missing_folder_is_a_usage_error(option: str, tmp_path: Path) -> None:
    done = run("agents", option, tmp_path / "nowhere", cwd=tmp_path)
    assert done.status == 2
    assert f"{option}: there is no folder" in done.err


def test_an_option_is_never_guessed_from_its_beginning(tmp_path: Path) -> None:
    done = run("match", "x", "--offl", cwd=tmp_path)
    assert done.status == 2


def test_a_request_after_two_dashes_is_never_an_option(tmp_path: Path) -> None:
    write_library(tmp_path)
    done = run("match", "--offline", "--json", "--", "--project=/etc security", cwd=tmp_path)
    assert done.json["request"] == "--project=/etc security"


def test_the_screen_asks_for_a_terminal(tmp_path: Path) -> None:
    done = run(cwd=tmp_path)
    assert done.status == 2
    assert "needs a terminal" in done.err


def test_a_reader_that_leaves_early_makes_no_noise(tmp_path: Path) -> None:
    for number in range(400):
        write_agent(tmp_path / ".claude" / "agents", f"agent-{number:03d}", "Does things. " * 30)
    with subprocess.Popen(
        [sys.executable, "-m", "secretary_tui", "agents", "--json"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == ExitCode.READER_GONE


def test_ctrl_c_is_130_without_noise(tmp_path: Path) -> None:
    fifo = tmp_path / "requests"
    os.mkfifo(fifo)
    with obeying_ctrl_c():
        process = subprocess.Popen(
            [sys.executable, "-m", "secretary_tui", "match", "--batch", str(fifo)],
            cwd=tmp_path,
            env=environment(),
            stderr=subprocess.PIPE,
        )
    with process, fifo.open("w"):  # Opening waits for the reader.
        # A signal between the opening and the first read is only seen after that read: ask again.
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(2)
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 130


def test_what_was_not_foreseen_is_logged_without_secrets_and_said_calmly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STRANGE_KEY", "correct-horse-battery")
    try:
        try:
            raise ValueError("header Bearer sk-ant-api03-abcdefghijklmnop correct-horse-battery")
        except ValueError as cause:
            raise RuntimeError("it broke") from cause
    except RuntimeError as error:
        sentence = explain(error, "match")
    log = paths.log_file().read_text()
    assert sentence.startswith("something went wrong that should not have (RuntimeError)")
    assert str(paths.log_file()) in sentence
    assert "it broke" in log
    assert "match" in log
    assert "sk-ant" not in log
    assert "correct-horse-battery" not in log
    assert paths.log_file().stat().st_mode & 0o777 == 0o600


def test_a_log_that_grew_moves_aside() -> None:
    path = paths.log_file()
    path.parent.mkdir(parents=True)
    path.write_text("x" * 1_000_001)
    explain(RuntimeError("new"), "match")
    assert "new" in path.read_text()
    assert path.with_suffix(".old.log").stat().st_size == 1_000_001


def test_a_room_says_its_own_sentence_with_its_suggestion() -> None:
    sentence = explain(EngineError("The key is not valid.", "Check it."), "run")
    assert sentence == "The key is not valid. Check it."
    assert not paths.log_file().exists()


def test_main_gives_the_status_of_the_verb(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["--project", str(tmp_path), "mode"]) == 0
    assert "Using defaults" in capsys.readouterr().out


def test_the_documentation_names_every_verb_and_exit_status() -> None:
    text = (Path(__file__).parents[1] / "docs" / "command-line.md").read_text()
    for verb in VERBS:
        assert f"`{verb}" in text
    for code in ExitCode:
        assert f"| {int(code)} |" in text


WITHOUT_A_HOME = """
import os, pwd, sys
os.environ.pop("HOME", None)
for name in list(os.environ):
    if name.startswith("XDG_"):
        del os.environ[name]
def nobody(uid):
    raise KeyError(uid)
pwd.getpwuid = nobody
from secretary_tui.cli import main
raise SystemExit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "arguments", [["match", "--offline", "x"], ["config", "path"], ["sessions", "list"], ["mode"]]
)
def test_without_a_home_folder_the_way_out_is_said(tmp_path: Path, arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_A_HOME, *arguments],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("secretary-tui: there is no home folder")
    assert done.stderr.count("\n") == 1


def test_without_a_home_folder_a_hook_is_silent(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_A_HOME, "hook", "session-start"],
        cwd=tmp_path,
        env=environment(),
        input="{}",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "module", ["argparse", "pathlib", "platformdirs", "yaml", "frontmatter", "shlex"]
)
def test_no_module_of_the_project_is_imported(tmp_path: Path, module: str) -> None:
    write_library(tmp_path)
    (tmp_path / f"{module}.py").write_text("open('ran', 'w').close()")
    assert run("match", "--offline", CLEAR_REQUEST, cwd=tmp_path).status == 0
    assert not (tmp_path / "ran").exists()
