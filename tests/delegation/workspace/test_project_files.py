"""The files of a project by name."""

from __future__ import annotations

import time
from pathlib import Path

from secretary_tui.delegation.workspace.project_files import ProjectFiles, list_files


def touch(project: Path, *paths: str) -> None:
    for path in paths:
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).touch()


def test_those_near_the_top_come_first_and_what_is_ignored_is_left_out(tmp_path: Path) -> None:
    touch(tmp_path, "a/b/deep.py", "z.py", ".env", ".git/config", "node_modules/x/index.js")
    touch(tmp_path, "out/a.js", "a/out/b.js", "a/x.log", "gen/one.py", "a/gen/two.py")
    (tmp_path / ".gitignore").write_text("# made\nout/\n*.log\n/gen\n!kept\n\n")
    assert list_files(tmp_path) == (".env", ".gitignore", "z.py", "a/b/deep.py", "a/gen/two.py")


def test_names_that_cannot_be_shown_and_links_that_lead_elsewhere_are_left_out(
    tmp_path: Path,
) -> None:
    touch(tmp_path, "ok.py", "line\nbreak.py", "es\x1bcape.py", "real/x.py")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert set(list_files(tmp_path)) == {"ok.py", "real/x.py"}


def test_the_listing_ends_at_its_limit_and_when_time_is_up(tmp_path: Path) -> None:
    touch(tmp_path, *(f"{n}.py" for n in range(20)), "below/x.py")
    assert len(list_files(tmp_path, limit=5)) == 5
    assert list_files(tmp_path, within_s=-1.0) == ()
    assert list_files(tmp_path / "nowhere") == ()


def test_a_hostile_gitignore_is_none(tmp_path: Path) -> None:
    touch(tmp_path, "x.py")
    (tmp_path / ".gitignore").write_bytes(b"[\xff" * 10)
    assert "x.py" in list_files(tmp_path)
    (tmp_path / ".gitignore").write_text("[[[\n" + "*a*a*a*a*a*a*a*a*b\n" * 500)
    touch(tmp_path, "a" * 200)
    begun = time.monotonic()
    assert "x.py" in list_files(tmp_path)
    assert time.monotonic() - begun < 2


def test_the_listing_is_kept_for_a_while(tmp_path: Path) -> None:
    touch(tmp_path, "one.py")
    files = ProjectFiles(tmp_path)
    assert files.paths() == ("one.py",)
    touch(tmp_path, "two.py")
    assert files.paths() == ("one.py",)
    assert ProjectFiles(tmp_path).paths() == ("one.py", "two.py")


def test_a_folder_of_a_repository_is_part_of_it(tmp_path: Path) -> None:
    assert not ProjectFiles(tmp_path).is_repository
    (tmp_path / ".git").mkdir()
    (tmp_path / "below").mkdir()
    assert ProjectFiles(tmp_path / "below").is_repository
