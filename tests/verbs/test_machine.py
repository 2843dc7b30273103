"""`doctor`, `model`, `config` and `completion`: what the program says about this machine."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from secretary_tui import __version__, paths
from secretary_tui.engines.local.progress import Phase, Progress
from secretary_tui.settings import SETTINGS
from secretary_tui.verbs.model import ProgressLine
from tests.engines.gguf_file import tiny_gguf
from tests.servers.anthropic_server import ScriptedServer, answer, error, text
from tests.verbs.command_line import cli, write_agent


def test_doctor_reports_every_subject(project: Path) -> None:
    (project / ".claude" / "agents" / "half.md").write_text("---\nname: half\n")
    found = cli("doctor", "--json", cwd=project).json
    assert found["version"] == __version__
    assert found["terminal"]["interactive"] is False
    assert found["config"]["mode"] == "manual"
    assert found["agents"]["active"] == 3
    (source,) = [s for s in found["agents"]["sources"] if s["kind"] == "project"]
    assert (source["loaded"], source["problems"]) == (3, 1)
    assert found["engine"]["kind"] == "none"
    assert "ANTHROPIC_API_KEY" in found["engine"]["why"]
    assert (found["semantic"]["setting"], found["semantic"]["in_use"]) == ("auto", False)
    assert found["sandbox"]["message"]
    assert {folder["name"] for folder in found["folders"]} >= {"config", "models", "runs"}
    assert "online" not in found


def test_doctor_says_the_same_in_words(project: Path) -> None:
    done = cli("doctor", cwd=project)
    assert done.status == 0
    headings = [line[:10].strip() for line in done.out.splitlines() if not line.startswith(" ")]
    assert headings == [
        *("version", "python", "terminal", "config"),
        *("agents", "engine", "semantic", "sandbox", "folders"),
    ]


def test_doctor_names_a_setting_that_was_skipped(project: Path) -> None:
    (project / paths.PROJECT_CONFIG).write_text("---\nactivation_mode: loud\n---\n")
    assert "activation_mode must be one of" in cli("doctor", cwd=project).out


def test_doctor_asks_the_model_only_when_told(project: Path) -> None:
    denied = error(401, "authentication_error", "bad key")
    with ScriptedServer(answer(text("Yes.")), denied) as server:
        env = {"ANTHROPIC_API_KEY": "sk-ant-test-0123456789", "ANTHROPIC_BASE_URL": server.url}
        cli("doctor", "--json", cwd=project, env=env)
        assert server.requests == []
        good = cli("doctor", "--json", "--online", cwd=project, env=env)
        bad = cli("doctor", "--json", "--online", cwd=project, env=env)
    assert (good.status, good.json["online"]["ok"]) == (0, True)
    assert (bad.status, bad.json["online"]["ok"]) == (1, False)
    assert "sk-ant" not in bad.out + bad.err


def test_doctor_online_without_an_engine_is_1(project: Path) -> None:
    done = cli("doctor", "--online", cwd=project)
    assert done.status == 1
    assert "online    no: " in done.out


def test_the_models_are_listed_with_size_and_pin(project: Path) -> None:
    models = cli("model", "list", "--json", cwd=project).json["models"]
    assert all(len(model["sha256"]) == 64 and model["bytes"] > 0 for model in models)
    table = cli("model", "list", cwd=project).out
    assert all(model["id"] in table for model in models)


def test_status_says_that_nothing_is_here_and_what_to_do(project: Path) -> None:
    done = cli("model", "status", cwd=project)
    assert "model get" in done.err
    found = cli("model", "status", "--json", cwd=project).json
    assert found["local_model"] is None
    assert {model["state"] for model in found["models"]} == {"missing"}


def test_a_file_that_is_no_model_is_refused(project: Path) -> None:
    (project / "x.gguf").write_bytes(b"no model")
    done = cli("model", "use", project / "x.gguf", cwd=project)
    assert (done.status, done.out) == (1, "")
    assert "x.gguf" in done.err
    assert not paths.user_config().exists()


def test_the_model_that_finds_agents_is_not_used_to_run_them(project: Path) -> None:
    done = cli("model", "use", "semantic", cwd=project)
    assert done.status == 2
    assert "semantic can't run agents" in done.err


def test_a_model_can_be_used_by_its_name_once_it_is_here(project: Path) -> None:
    done = cli("model", "use", "qwen2.5-coder-0.5b", cwd=project)
    assert (done.status, done.out) == (1, "")
    assert "model get qwen2.5-coder-0.5b" in done.err


def test_using_a_model_says_when_the_settings_rule_it_out(project: Path) -> None:
    (project / "mine.gguf").write_bytes(tiny_gguf())
    assert "engine" not in cli("model", "use", "mine.gguf", cwd=project).err
    none = {"SECRETARY_TUI_ENGINE": "none"}
    assert "so it is not used" in cli("model", "use", "mine.gguf", cwd=project, env=none).err


def test_an_unknown_model_names_the_known_ones(project: Path) -> None:
    done = cli("model", "get", "gpt", cwd=project)
    assert done.status == 1
    assert "qwen2.5-coder-1.5b" in done.err


def test_progress_in_a_log_is_a_few_lines(capsys: pytest.CaptureFixture[str]) -> None:
    line = ProgressLine()
    for done in range(0, 1001):
        line.show(Progress(Phase.DOWNLOADING, done * 1000, 1_000_000, 250_000.0, "host.example"))
    line.close()
    shown = capsys.readouterr().err.splitlines()
    assert len(shown) == 11
    assert shown[5] == "downloading 50 %, 500 kB of 1.0 MB, 250 kB/s, 2 s left, from host.example"


def test_config_list_names_every_setting_with_its_source(project: Path) -> None:
    (project / paths.PROJECT_CONFIG).write_text("---\nshow_above: 60\nmouse: false\n---\n")
    found = cli("config", "list", "--json", cwd=project).json
    assert set(found["settings"]) == {setting.key for setting in SETTINGS}
    shown = found["settings"]["show_above"]
    assert (shown["value"], shown["source"]) == (60, "project")
    (problem,) = found["problems"]
    assert problem["key"] == "mouse"
    assert "show_above\t60\tproject\t" in cli("config", "list", cwd=project).out


def test_config_path_names_every_place_or_one(project: Path) -> None:
    assert f"user\t{paths.user_config()}" in cli("config", "path", cwd=project).out
    one = cli("config", "path", "project", cwd=project).out
    assert one == f"{project / paths.PROJECT_CONFIG}\n"
    assert cli("config", "path", "nowhere", cwd=project).status == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh"])
def test_completion_knows_the_verbs(project: Path, shell: str) -> None:
    script = cli("completion", shell, cwd=project).out
    assert "match" in script
    assert "permission-mode" in script


def test_the_bash_completion_is_valid_bash(project: Path) -> None:
    script = cli("completion", "bash", cwd=project).out
    read = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)
    assert (read.returncode, read.stderr) == (0, "")


def test_a_library_elsewhere_is_named_by_option(project: Path, tmp_path: Path) -> None:
    write_agent(tmp_path / "more", "another", "Does more.")
    done = cli("doctor", "--json", "--agents-dir", tmp_path / "more", cwd=project)
    assert done.json["agents"]["active"] == 4
