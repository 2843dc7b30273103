"""What every face says of a changed setting: the value, the file, and what stands above it."""

from __future__ import annotations

from pathlib import Path

import pytest

from secretary_tui import config, config_file, paths
from secretary_tui.setting_changes import SettingRefusedError, save, save_typed, take_out

MINE = "~/.config/secretary-tui/config.md"
ITS = ".claude/secretary.local.md"


def test_what_became_of_the_file_is_said(project: Path) -> None:
    first = save_typed(project, "show_above", "60", in_project=False)
    assert first == f"show_above: 60 (Config created at {MINE})"
    again = save_typed(project, "recommend_above", "80", in_project=False)
    assert again == f"recommend_above: 80 (saved in {MINE})"
    default = save_typed(project, "show_above", "50", in_project=False)
    assert default == f"show_above: 50 (as without a line in {MINE})"
    last = save_typed(project, "recommend_above", "70", in_project=False)
    assert last == "recommend_above: 70 (as without a settings file)"
    assert not paths.user_config().exists()


def test_a_mode_is_said_with_what_it_does(project: Path) -> None:
    said = save(project, "activation_mode", "aware", in_project=True)
    assert said == f"Mode aware: the best match shows while you type (Config created at {ITS})"


def test_what_is_taken_out_is_said_with_the_value_that_holds_then(project: Path) -> None:
    config_file.save(paths.user_config(), {"show_above": 60})
    save_typed(project, "show_above", "65", in_project=True)
    said = take_out(project, "show_above", in_project=True)
    assert said == f"show_above: 60 (taken out of {ITS})"
    again = take_out(project, "show_above", in_project=True)
    assert again == f"show_above does not stand in {ITS}"


def test_what_stands_above_the_file_is_named(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config_file.save(project / paths.PROJECT_CONFIG, {"show_above": 65})
    said = save_typed(project, "show_above", "60", in_project=False)
    assert said.endswith(f"{MINE}). {ITS} stands above it here")
    monkeypatch.setenv("SECRETARY_TUI_SHOW_ABOVE", "40")
    said = save_typed(project, "show_above", "66", in_project=True)
    assert said.endswith(f"{ITS}). SECRETARY_TUI_SHOW_ABOVE in the environment stands above it")


def test_the_items_of_a_list_are_parted_by_commas_alone(project: Path) -> None:
    save_typed(project, "agents_folders", "/my agents, /more", in_project=False)
    assert config.load(project).agents_folders == ("/my agents", "/more")


@pytest.mark.parametrize(
    ("key", "text", "in_project", "says"),
    [
        ("teme", "x", False, "there is no setting 'teme'. Did you mean theme"),
        ("notify", "loud", False, "notify must be one of .*, not 'loud'"),
        ("theme", "nosuch", False, "theme must be one of auto, .*, not 'nosuch'"),
        ("model_aliases", "{", False, "model_aliases wants a table in YAML or JSON"),
        ("theme", "x", True, "a project's file can't set theme: .*leave --in-project out"),
    ],
)
def test_what_does_not_fit_writes_nothing(
    project: Path, key: str, text: str, in_project: bool, says: str
) -> None:
    with pytest.raises(SettingRefusedError, match=says):
        save_typed(project, key, text, in_project=in_project)
    assert config.load(project).files == ()


def test_a_setting_that_no_project_may_bring_is_refused_however_it_is_written(
    project: Path,
) -> None:
    with pytest.raises(SettingRefusedError, match="can't set theme"):
        save(project, "theme", "x", in_project=True)
    with pytest.raises(SettingRefusedError, match="can't set theme"):
        take_out(project, "theme", in_project=True)


@pytest.mark.parametrize(
    ("value", "why"),
    [("a\udcff", "no file can hold"), ("m" * 70_000, "64,000 are read")],
    ids=["no character", "too long"],
)
@pytest.mark.parametrize("before", ["---\npermission_mode: plan\n---\n", "---\n# mine\n---\n"])
def test_a_value_that_could_not_be_read_again_takes_no_other_setting_along(
    project: Path, value: str, why: str, before: str
) -> None:
    file = paths.user_config()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(before)
    with pytest.raises(config_file.ConfigError, match=why):
        save_typed(project, "preferred_review_agents", value, in_project=False)
    with pytest.raises(config_file.ConfigError, match=why):
        save_typed(project, "preferred_review_agents", value, in_project=True)
    assert file.read_text() == before
    assert not (project / paths.PROJECT_CONFIG).exists()
