"""My change, the last commit, this branch: as git says it, of files that may be seen."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from secretary_tui.delegation.lookup.looked_up import tokens_of
from secretary_tui.delegation.lookup.lookup import ProjectLookup
from secretary_tui.delegation.lookup.project_changes import Change
from secretary_tui.delegation.sandbox.sandbox import sandbox_status
from tests.delegation.lookup.conftest import commit_all, git, sight_of, titles, write

Look = Callable[..., ProjectLookup]
pytestmark = pytest.mark.skipif(
    shutil.which("git") is None or sandbox_status()[0] == "none", reason="needs git and a sandbox"
)


@pytest.fixture
def repository(project: Path) -> Path:
    commit_all(project, "Print labels")
    return project


@pytest.mark.parametrize(
    ("request_text", "title"),
    [
        ("review my change", "uncommitted changes"),
        ("Can you look over my local changes?", "uncommitted changes"),
        ("explain the diff", "uncommitted changes"),
        ("what did I change?", "uncommitted changes"),
        ("write a commit message", "uncommitted changes"),
        ("Commit message, please", "uncommitted changes"),
        ("is there anything wrong with the staged code?", "staged changes"),
        ("summarise the last commit", "last commit"),
        ("what does HEAD do", "last commit"),
        ("describe this branch", "this branch"),
        ("what happened in the recent commits?", "recent commits"),
    ],
)
async def test_the_change_that_is_meant_is_shown(
    look: Look, repository: Path, request_text: str, title: str
) -> None:
    git(repository, "checkout", "-q", "-b", "wide")
    write(repository, "desk/labels.py", "MAX_WIDTH = 60\n")
    commit_all(repository, "Widen labels")
    write(repository, "desk/queue.py", "RETRY_LIMIT = 7\n")
    git(repository, "add", "desk/queue.py")
    write(repository, "new.py", "fresh = 1\n")
    found = await look().look_up(request_text, 900)
    assert titles(found) == [title]
    text = found.excerpts[0].text
    assert ("fresh = 1" in text and "new file new.py" in text) is (title == "uncommitted changes")
    assert ("+RETRY_LIMIT = 7" in text) is (title in ("uncommitted changes", "staged changes"))
    assert ("+MAX_WIDTH = 60" in text) is (title in ("last commit", "this branch"))
    assert ("Widen labels" in text) is (title not in ("uncommitted changes", "staged changes"))
    assert found.summary == title
    assert found.lines()[1].startswith(f'<git what="{title}">')


async def test_what_is_committed_already_is_the_last_commit(look: Look, repository: Path) -> None:
    assert titles(await look().look_up("explain my change", 900)) == ["last commit"]


async def test_each_file_of_a_long_change_gets_its_share(look: Look, repository: Path) -> None:
    for name in ("desk/labels.py", "desk/queue.py"):
        write(repository, name, "".join(f"line_{n} = {n}\n" for n in range(900)))
    found = await look().look_up("review my change", 600)
    text = found.excerpts[0].text
    assert "+++ b/desk/labels.py" in text
    assert "+++ b/desk/queue.py" in text
    assert text.count("[cut]") == 2
    assert tokens_of(text) <= 600
    pieces = await look().change(Change.UNCOMMITTED)
    assert [piece.path for piece in pieces] == ["desk/labels.py", "desk/queue.py"]
    assert all("+line_899 = 899" in piece.text for piece in pieces)


@pytest.mark.parametrize("denied", ["desk/labels.py", "**/labels.py"])
async def test_a_change_of_a_file_that_is_denied_is_left_out(
    look: Look, repository: Path, denied: str
) -> None:
    write(repository, "desk/labels.py", "hidden = 1\n")
    write(repository, "desk/queue.py", "shown = 1\n")
    git(repository, "mv", "-k", "web/src/app.ts", "web/src/other.ts")
    write(repository, ".env", "KEY=hidden\n")
    text = "\n".join((await look(f"Read({denied})").look_up("review my change", 900)).lines())
    assert "shown = 1" in text
    assert "rename to web/src/other.ts" in text
    assert "hidden" not in text


async def test_no_program_of_the_repository_is_started(
    look: Look, repository: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    program = f"touch {mark}; true"
    for key in ("diff.external", "core.pager", "core.fsmonitor", "diff.odd.textconv"):
        git(repository, "config", key, program)
    git(repository, "config", "diff.odd.command", program)
    write(repository, ".gitattributes", "*.py diff=odd\n")
    write(repository, "desk/labels.py", "changed = 1\n")
    found = await look().look_up("review my change", 900)
    assert "+changed = 1" in found.excerpts[0].text
    assert not mark.exists()


async def test_a_folder_of_a_repository_shows_its_own_changes(repository: Path) -> None:
    write(repository, "desk/labels.py", "one = 1\n")
    write(repository, "web/src/app.ts", "two\n")
    found = await ProjectLookup(sight_of(repository / "web")).look_up("review my change", 900)
    assert "+++ b/src/app.ts" in found.excerpts[0].text
    assert "labels" not in found.excerpts[0].text


async def test_before_the_first_commit_what_is_staged_is_the_change(
    look: Look, project: Path
) -> None:
    git(project, "init", "-q")
    git(project, "add", "desk")
    found = await look().look_up("review my change", 2000)
    assert "+MAX_WIDTH = 40" in found.excerpts[0].text


async def test_outside_of_a_repository_there_is_no_change(look: Look) -> None:
    assert await look().change() == ()
    assert titles(await look().look_up("write a commit message", 900)) == []
