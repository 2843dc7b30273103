"""Settings: layers, what a repository may not set, and files that keep their comments."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui import config_file, paths
from secretary_tui.config import Config, SettingSource, load
from secretary_tui.config_file import ConfigError
from secretary_tui.settings import BY_KEY, SETTINGS, ActivationMode

OURS = """\
---
# why: we try it for a week
activation_mode: manual # ask before changing
preferred_review_agents: [security-auditor]
house_rule: "be kind" # not ours
---

Notes below the frontmatter stay.
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / paths.PROJECT_CONFIG
    path.parent.mkdir()
    path.write_text(OURS)
    return path


def test_the_default_of_every_setting_is_the_default_of_the_config() -> None:
    config = Config()
    for setting in SETTINGS:
        assert getattr(config, setting.key) == setting.default


def test_a_change_keeps_comments_unknown_keys_and_the_text_below(file: Path) -> None:
    assert config_file.save(file, {"activation_mode": "aware"}) is False
    changed = OURS.replace("manual #", "aware  #")  # The comment keeps its column.
    assert file.read_text() == changed


def test_a_missing_project_file_is_created_with_that_setting_alone(tmp_path: Path) -> None:
    path = tmp_path / paths.PROJECT_CONFIG
    assert config_file.save(path, {"activation_mode": "proactive"}) is True
    assert path.read_text() == "---\nactivation_mode: proactive\n---\n"
    assert load(tmp_path, {}).activation_mode is ActivationMode.PROACTIVE


def test_a_file_of_comments_alone_keeps_them(file: Path) -> None:
    file.write_text("---\n# nothing yet\n---\n")
    config_file.save(file, {"activation_mode": "aware"})
    assert file.read_text() == "---\n# nothing yet\nactivation_mode: aware\n---\n"


def test_a_value_that_holds_anyway_is_taken_out_and_an_empty_file_removed(tmp_path: Path) -> None:
    path = tmp_path / paths.PROJECT_CONFIG
    assert config_file.save(path, {"activation_mode": "manual"}) is False
    assert not path.exists()
    config_file.save(path, {"activation_mode": "aware", "disabled_agents": ["x"]})
    config_file.save(path, {"activation_mode": "manual"})
    assert path.read_text() == "---\ndisabled_agents:\n- x\n---\n"
    config_file.save(path, {"disabled_agents": []})
    assert not path.exists()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("---\nactivation_mode: aware\nother: 1\n---\n", "---\nother: 1\n---\n"),
        ("---\nactivation_mode: aware\n---\n\nNotes.\n", "---\n---\n\nNotes.\n"),
        ("---\n# ours\nactivation_mode: aware\n---\n", "---\n# ours\n---\n"),
        (
            "---\nactivation_mode: aware # for now\n---\n",
            "---\nactivation_mode: manual # for now\n---\n",
        ),
        (
            "---\nactivation_mode: aware\n# below\nother: 1\n---\n",
            "---\nactivation_mode: manual\n# below\nother: 1\n---\n",
        ),
        ("---\n# nothing yet\n---\n", "---\n# nothing yet\n---\n"),
    ],
)
def test_what_else_is_in_the_file_stays_when_a_value_is_taken_out(
    file: Path, before: str, after: str
) -> None:
    file.write_text(before)
    config_file.save(file, {"activation_mode": "manual"})
    assert file.read_text() == after


def test_a_project_may_differ_from_the_user_in_either_direction(tmp_path: Path) -> None:
    path = tmp_path / paths.PROJECT_CONFIG
    config_file.save(paths.user_config(), {"activation_mode": "aware"})
    config_file.save(path, {"activation_mode": "manual"})
    assert load(tmp_path, {}).activation_mode is ActivationMode.MANUAL
    config_file.save(path, {"activation_mode": "aware"})
    assert not path.exists()
    config_file.save(path, {"disabled_agents": ["x"]})
    config_file.save(paths.user_config(), {"disabled_agents": ["x"]})
    config_file.save(path, {"disabled_agents": ["x"]})
    assert path.exists(), "lists that add up say what this file adds"


def test_broken_yaml_is_left_alone_and_named(file: Path) -> None:
    file.write_text("---\nactivation_mode: [\n---\n")
    with pytest.raises(ConfigError, match="not valid YAML"):
        config_file.save(file, {"activation_mode": "aware"})
    assert file.read_text() == "---\nactivation_mode: [\n---\n"
    (problem,) = load(file.parents[1], {}).problems
    assert "not valid YAML" in problem.message


def test_a_value_that_does_not_fit_is_reported_and_skipped(file: Path) -> None:
    file.write_text("---\nrecommend_above: 300\nactivation_mode: loud\n---\n")
    config = load(file.parents[1], {})
    assert config.recommend_above == 70
    assert config.activation_mode is ActivationMode.MANUAL
    assert [problem.key for problem in config.problems] == ["recommend_above", "activation_mode"]


def test_layers_win_in_order_and_say_where_they_came_from(file: Path) -> None:
    config_file.save(paths.user_config(), {"activation_mode": "aware", "show_above": 40})
    config_file.save(file, {"activation_mode": "proactive"})
    config = load(file.parents[1], {"SECRETARY_TUI_RECOMMEND_ABOVE": "80"})
    assert config.activation_mode is ActivationMode.PROACTIVE
    assert config.source("activation_mode") is SettingSource.PROJECT
    assert (config.show_above, config.source("show_above")) == (40, SettingSource.USER)
    assert (config.recommend_above, config.source("recommend_above")) == (
        80,
        SettingSource.ENVIRONMENT,
    )
    given_by_hand = config.override(show_above=10)
    assert given_by_hand.source("show_above") is SettingSource.COMMAND_LINE


@pytest.mark.parametrize("key", [s.key for s in SETTINGS if s.user_only])
def test_a_repository_can_not_set_what_could_loosen_anything(file: Path, key: str) -> None:
    file.write_text(f"---\n{key}: accept-edits\n---\n")
    config = load(file.parents[1], {})
    assert getattr(config, key) == BY_KEY[key].default
    assert [problem.key for problem in config.problems] == [key]


@pytest.mark.parametrize("key", ["recommend_above", "show_above"])
def test_a_repository_can_raise_a_bar_and_not_lower_it(file: Path, key: str) -> None:
    project = file.parents[1]
    config_file.save(paths.user_config(), {key: 60})
    file.write_text(f"---\n{key}: 1\n---\n")
    config = load(project, {})
    assert (getattr(config, key), config.source(key)) == (60, SettingSource.USER)
    assert [problem.key for problem in config.problems] == [key]
    file.write_text(f"---\n{key}: 90\n---\n")
    config = load(project, {})
    assert (getattr(config, key), config.problems) == (90, ())


BOMB = "a0: &a0 [x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
HOSTILE = {
    "nested": "x: " + "[" * 200_000,
    "nested in reach": "x: " + "[" * 60_000,
    "long": "x: y\n" * 20_000,
    "alias bomb": f"{BOMB}activation_mode: *a11",
    "tag": "x: !!python/object/apply:os.getcwd []",
}


@pytest.mark.parametrize("frontmatter", HOSTILE.values(), ids=HOSTILE)
def test_a_file_made_to_harm_is_a_problem_and_left_alone(file: Path, frontmatter: str) -> None:
    file.write_text(f"---\nactivation_mode: proactive\n{frontmatter}\n---\n")
    before = file.read_bytes()
    config = load(file.parents[1], {})
    assert config.activation_mode is ActivationMode.MANUAL
    assert len(config.problems) == 1
    with pytest.raises(ConfigError):
        config_file.save(file, {"activation_mode": "aware"})
    assert file.read_bytes() == before


def test_a_date_that_is_none_harms_nothing(file: Path) -> None:
    file.write_text("---\nfoo: 2026-13-45\nactivation_mode: aware\n---\n")
    assert load(file.parents[1], {}).activation_mode is ActivationMode.AWARE
    environ = {"SECRETARY_TUI_SHOW_ABOVE": "2026-13-45"}
    assert [p.key for p in load(file.parents[1], environ).problems] == ["show_above"]


@pytest.mark.parametrize("place", ["pipe", "device", "folder", "itself"])
def test_what_is_no_file_is_a_problem(file: Path, place: str) -> None:
    for path in (file, paths.user_config()):
        path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        match place:
            case "pipe":
                os.mkfifo(path)
            case "device":
                path.symlink_to("/dev/zero")
            case "folder":
                path.mkdir()
            case _:
                path.symlink_to(path)
    assert len(load(file.parents[1], {}).problems) == 2


def test_a_link_out_of_the_project_is_neither_read_nor_written(
    file: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / ".bashrc"
    outside.write_text("---\nactivation_mode: aware\n---\nalias ll=ls\n")
    before = outside.read_bytes()
    file.unlink()
    file.symlink_to(outside)
    config = load(file.parents[1], {})
    assert config.activation_mode is ActivationMode.MANUAL
    assert "leads out of the project" in config.problems[0].message
    with pytest.raises(ConfigError, match="leads out of the project"):
        config_file.save(file, {"activation_mode": "proactive"})
    assert outside.read_bytes() == before


def test_a_folder_that_leads_out_of_the_project_is_not_written_to(
    tmp_path: Path, home: Path
) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / ".claude").symlink_to(home)
    with pytest.raises(ConfigError, match="leads out of the project"):
        config_file.save(tmp_path / "project" / paths.PROJECT_CONFIG, {"activation_mode": "aware"})
    assert not (home / "secretary.local.md").exists()


def test_a_link_within_the_project_is_followed(file: Path) -> None:
    file.rename(file.parent / "shared.md")
    file.symlink_to("shared.md")
    config_file.save(file, {"activation_mode": "aware"})
    assert file.is_symlink()
    assert load(file.parents[1], {}).activation_mode is ActivationMode.AWARE


def test_an_unknown_setting_names_those_there_are(file: Path) -> None:
    with pytest.raises(ConfigError, match="activation_mode"):
        config_file.save(file, {"colour": "red"})


@given(text=st.text(max_size=300))
def test_any_file_gives_a_config(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    project = tmp_path_factory.mktemp("any")
    path = project / paths.PROJECT_CONFIG
    path.parent.mkdir()
    path.write_text(f"---\n{text}\n---\n", encoding="utf-8", errors="surrogatepass")
    assert isinstance(load(project, {}), Config)
