"""Taking a setting out of a file: its lines go, and nothing that somebody wrote goes with them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui import config_file
from secretary_tui.config_file import ConfigError, unset

COMMENTED = """\
---
# Mine.
theme: secretary-light  # for the beamer
# How sure it must be.
recommend_above: 80

disabled_agents:
- poet
- "odd: one"
# What others read.
other_tool: {a: 1}
model_aliases:
  fast: "claude-haiku-5-5"

  # An inner comment.
  slow: 'x'
show_above: 60
---

# Notes

theme: this is text
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "config.md"
    path.write_text(COMMENTED)
    return path


@pytest.mark.parametrize(
    ("key", "lines"),
    [
        ("theme", "theme: secretary-light  # for the beamer\n"),
        ("recommend_above", "recommend_above: 80\n"),
        ("disabled_agents", 'disabled_agents:\n- poet\n- "odd: one"\n'),
        ("show_above", "show_above: 60\n"),
        (
            "model_aliases",
            "model_aliases:\n  fast: \"claude-haiku-5-5\"\n\n  # An inner comment.\n  slow: 'x'\n",
        ),
    ],
)
def test_the_lines_of_a_setting_go_and_every_other_stays(file: Path, key: str, lines: str) -> None:
    assert unset(file, key)
    assert lines in COMMENTED
    assert file.read_text() == COMMENTED.replace(lines, "", 1)


def test_what_does_not_stand_there_changes_nothing(file: Path, tmp_path: Path) -> None:
    assert not unset(file, "engine")
    assert file.read_text() == COMMENTED
    assert not unset(tmp_path / "none.md", "engine")


def test_a_file_with_nothing_left_is_removed_and_one_with_a_comment_kept(tmp_path: Path) -> None:
    path = tmp_path / "config.md"
    path.write_text("---\ntheme: x\n---\n")
    assert unset(path, "theme")
    assert not path.exists()
    path.write_text("---\n# Mine.\ntheme: x\n---\n")
    assert unset(path, "theme")
    assert path.read_text() == "---\n# Mine.\n---\n"


def test_what_can_not_be_cut_out_by_lines_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "config.md"
    path.write_text("---\n{theme: x, show_above: 60}\n---\n")
    with pytest.raises(ConfigError, match="was left as it is"):
        unset(path, "theme")
    assert path.read_text() == "---\n{theme: x, show_above: 60}\n---\n"


def test_a_setting_that_is_none_names_the_nearest(file: Path) -> None:
    with pytest.raises(ConfigError, match="Did you mean theme"):
        unset(file, "teme")


@given(st.text(alphabet="ab:# -\n\"'|", max_size=40))
def test_whatever_the_value_looks_like_the_rest_reads_as_before(
    tmp_path_factory: pytest.TempPathFactory, value: str
) -> None:
    path = tmp_path_factory.mktemp("c") / "config.md"
    text = f"---\nshow_above: 60\ntheme: {value}\nrecommend_above: 80\n---\nbody\n"
    path.write_text(text)
    try:
        gone = unset(path, "theme")
    except ConfigError:
        gone = False
    if not gone:
        assert path.read_text() == text
        return
    left = config_file.read_layer(path)
    assert "theme" not in left
    assert left["show_above"] == 60
    assert path.read_text().endswith("---\nbody\n") or "body" in path.read_text()
