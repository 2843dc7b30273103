"""`mode`: shows and changes what the secretary does unasked (seed 000 §4)."""

from pathlib import Path

import pytest

from secretary_tui import config
from secretary_tui.settings import ActivationMode
from tests.verbs.command_line import cli

SETTINGS = Path(".claude") / "secretary.local.md"


def test_without_a_file_the_defaults_are_named(tmp_path: Path) -> None:
    done = cli("mode", cwd=tmp_path)
    assert (done.status, done.out) == (0, "Config not found. Using defaults (manual mode).\n")
    assert not (tmp_path / SETTINGS).exists()


def test_the_first_switch_creates_a_file_and_the_switch_back_removes_it(tmp_path: Path) -> None:
    done = cli("mode", "aware", cwd=tmp_path)
    first, second = done.out.splitlines()
    assert first == "Config created at .claude/secretary.local.md"
    assert second.startswith("Mode changed from manual to aware: ")
    assert (tmp_path / SETTINGS).read_text() == "---\nactivation_mode: aware\n---\n"
    assert cli("mode", "manual", cwd=tmp_path).out.startswith("Mode changed from aware to manual")
    assert not (tmp_path / SETTINGS).exists()


def test_a_switch_keeps_comments_unknown_keys_and_the_text_below(tmp_path: Path) -> None:
    path = tmp_path / SETTINGS
    path.parent.mkdir()
    path.write_text(
        "---\n# ours\nactivation_mode: manual # for now\nother_tool: [1, 2]\n---\n\nNotes: é\n"
    )
    done = cli("mode", "proactive", cwd=tmp_path)
    assert done.status == 0
    assert "Config created" not in done.out
    assert path.read_text() == (
        "---\n# ours\nactivation_mode: proactive # for now\nother_tool: [1, 2]\n---\n\nNotes: é\n"
    )


def test_the_mode_in_force_is_shown_with_its_origin(tmp_path: Path) -> None:
    cli("mode", "proactive", cwd=tmp_path)
    done = cli("mode", cwd=tmp_path)
    assert done.out.startswith("Mode is proactive (.claude/secretary.local.md): ")


def test_the_same_mode_again_changes_nothing(tmp_path: Path) -> None:
    cli("mode", "aware", cwd=tmp_path)
    assert cli("mode", "aware", cwd=tmp_path).out.startswith("Mode is aware as before: ")


def test_an_unknown_mode_is_a_usage_error_and_changes_nothing(tmp_path: Path) -> None:
    done = cli("mode", "loud", cwd=tmp_path)
    assert done.status == 2
    assert "manual" in done.err
    assert not (tmp_path / SETTINGS).exists()


def test_an_environment_that_wins_is_named(tmp_path: Path) -> None:
    env = {"SECRETARY_TUI_ACTIVATION_MODE": "proactive"}
    done = cli("mode", "aware", cwd=tmp_path, env=env)
    assert "SECRETARY_TUI_ACTIVATION_MODE in the environment stands above it." in done.err


def test_a_broken_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / SETTINGS
    path.parent.mkdir()
    path.write_text("---\na: [\n---\n")
    done = cli("mode", "aware", cwd=tmp_path)
    assert done.status == 1
    assert "not valid YAML" in done.err
    assert path.read_text() == "---\na: [\n---\n"


@pytest.mark.parametrize("mode", list(ActivationMode))
def test_every_mode_can_be_set(tmp_path: Path, mode: ActivationMode) -> None:
    cli("mode", mode, cwd=tmp_path)
    assert config.load(tmp_path).activation_mode is mode
