"""`config`: one setting read, written and taken out, in the right file."""

from pathlib import Path

import pytest

from secretary_tui import paths
from tests.verbs.command_line import cli


def test_get_prints_the_value_in_force(project: Path) -> None:
    assert cli("config", "get", "recommend_above", cwd=project).out == "70\n"
    data = cli("config", "get", "mouse", "--json", cwd=project).json
    assert (data["value"], data["source"], data["default"]) == (True, "default", True)


def test_set_writes_the_users_file_or_the_projects(project: Path) -> None:
    assert cli("config", "set", "recommend_above", "80", cwd=project).status == 0
    assert "recommend_above: 80" in paths.user_config().read_text()
    done = cli("config", "set", "recommend_above", "85", "--in-project", cwd=project)
    assert "recommend_above: 85" in (project / paths.PROJECT_CONFIG).read_text()
    assert done.err == "recommend_above: 85 (Config created at .claude/secretary.local.md).\n"
    assert cli("config", "get", "recommend_above", cwd=project).out == "85\n"
    above = cli("config", "set", "recommend_above", "75", cwd=project)
    assert "stands above it here" in above.err


def test_unset_takes_it_out_again(project: Path) -> None:
    paths.user_config().parent.mkdir(parents=True, exist_ok=True)
    paths.user_config().write_text("---\n# Mine.\nshow_above: 60\nmouse: false\n---\n")
    done = cli("config", "unset", "show_above", cwd=project)
    assert done.err == "show_above: 50 (taken out of ~/.config/secretary-tui/config.md).\n"
    assert paths.user_config().read_text() == "---\n# Mine.\nmouse: false\n---\n"
    assert "does not stand in" in cli("config", "unset", "show_above", cwd=project).err


def test_tables_and_lists_are_written(project: Path) -> None:
    assert cli("config", "set", "disabled_agents", "poet, cook", cwd=project).status == 0
    assert cli("config", "get", "disabled_agents", cwd=project).out == "poet, cook\n"
    table = '{"fast": "claude-haiku-5-5"}'
    assert cli("config", "set", "model_aliases", table, cwd=project).status == 0
    assert "fast=claude-haiku-5-5" in cli("config", "get", "model_aliases", cwd=project).out


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("set", "recommend_above", "much"), "recommend_above must be a number, not 'much'"),
        (("set", "recommend_above", "101"), "must be a number from 0 to 100"),
        (("set", "permission_mode", "yolo"), "must be one of ask, accept-edits"),
        (("get", "teme"), "Did you mean theme"),
        (("set", "model_aliases", "{"), "wants a table in YAML or JSON"),
        (("set", "theme", "x", "--in-project"), "a project's file can't set theme"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(
    project: Path, command: tuple[str, ...], says: str
) -> None:
    done = cli("config", *command, cwd=project)
    assert done.status == 2
    assert says in done.err
    assert not paths.user_config().exists()


def test_the_environment_is_named_where_it_stands_above(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRETARY_TUI_SHOW_ABOVE", "40")
    done = cli("config", "set", "show_above", "60", cwd=project)
    assert "SECRETARY_TUI_SHOW_ABOVE in the environment stands above it." in done.err


def test_what_a_project_may_not_lower_is_said(project: Path) -> None:
    cli("config", "set", "show_above", "60", cwd=project)
    done = cli("config", "set", "show_above", "40", "--in-project", cwd=project)
    assert "a project can only raise show_above above 60, so it stays there." in done.err
