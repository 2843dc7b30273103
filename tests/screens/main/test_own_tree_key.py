"""A run in a git worktree of its own, from the match panel to what becomes of its changes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from secretary_tui.delegation.permissions.folder_trust import trust
from secretary_tui.screens.past.undo_screen import UndoScreen
from tests.library import agent_file
from tests.screens.conftest import Serve
from tests.screens.desk import Desk, at_desk, routing
from tests.servers.anthropic_server import answer, error, text, tool_use

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
TASK = "make the login look at the password"
EDIT = answer(
    tool_use(
        "Edit",
        {"file_path": "login.py", "old_string": "return True", "new_string": "return check()"},
    )
)
DONE = answer(text("The login looks now."))
ROUTE = routing(("schema-smith", 92))
OFFER = "The run changed 1 file in a working tree of its own."


def git(folder: Path, *words: str) -> str:
    named = ("-c", "user.name=t", "-c", "user.email=t@localhost")
    done = subprocess.run(
        ["git", *named, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


def login(repository: Path) -> str:
    """What stands in the file that the agent edits."""
    return (repository / "login.py").read_text()


def define(repository: Path, definition: str) -> None:
    (repository / ".claude/agents/schema-smith.md").write_text(definition)


@pytest.fixture
def repository(project: Path) -> Path:
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "first")
    trust(project)
    return project


async def accept(desk: Desk, *keys: str) -> None:
    """Choose the agent, with other keys before, and allow its edit."""
    await desk.matched(TASK)
    await desk.sees("own tree")
    await desk.press(*keys, "enter")
    await desk.sees("wants to use")
    await desk.press("y")


async def test_what_is_applied_is_in_the_project_and_can_be_undone(
    repository: Path, serve: Serve
) -> None:
    before = login(repository)
    serve(ROUTE, EDIT, DONE)
    async with at_desk(repository) as desk:
        await accept(desk, "t")
        await desk.sees(OFFER, "+    return check()")
        assert login(repository) == before
        await desk.press("a")
        await desk.sees("Applied.")
        await desk.finished()
        assert "check()" in login(repository)
        assert "secretary/" not in git(repository, "branch")
        await desk.send("/undo")
        await desk.until(lambda: isinstance(desk.app.screen, UndoScreen))
        await desk.sees("login.py")
        await desk.press("u")
        await desk.until(lambda: login(repository) == before)


async def test_what_a_second_try_changed_can_be_undone_once_it_is_applied(
    repository: Path, serve: Serve
) -> None:
    before = login(repository)
    refused = error(400, "invalid_request_error", "That can't be done.")
    serve(ROUTE, refused, EDIT, DONE)
    async with at_desk(repository) as desk:
        await desk.matched(TASK)
        await desk.sees("own tree")
        await desk.press("t", "enter")
        await desk.sees("r      Retry")
        await desk.press("r")
        await desk.sees("wants to use")
        await desk.press("y")
        await desk.sees(OFFER)
        await desk.press("a")
        await desk.sees("Applied.")
        await desk.finished()
        assert login(repository) != before
        await desk.send("/undo")
        await desk.until(lambda: isinstance(desk.app.screen, UndoScreen))
        await desk.sees("login.py")
        await desk.press("u")
        await desk.until(lambda: login(repository) == before)


async def test_escape_keeps_the_changes_as_a_branch(repository: Path, serve: Serve) -> None:
    before = login(repository)
    serve(ROUTE, EDIT, DONE)
    async with at_desk(repository) as desk:
        await accept(desk, "t")
        await desk.sees(OFFER)
        await desk.press("escape")
        await desk.sees("Kept as branch secretary/schema-smith-")
        branch = git(repository, "branch", "--list", "secretary/*").strip()
        assert "check()" in git(repository, "show", f"{branch}:login.py")
        assert login(repository) == before
        assert len(git(repository, "worktree", "list").splitlines()) == 1


async def test_a_reply_goes_on_in_the_tree(repository: Path, serve: Serve) -> None:
    more = answer(tool_use("Write", {"file_path": "notes.md", "content": "Why.\n"}))
    serve(ROUTE, EDIT, DONE, more, answer(text("Noted.")))
    async with at_desk(repository) as desk:
        await accept(desk, "t")
        await desk.sees(OFFER)
        desk.main.tabs.submit("write down why", reply=True)
        await desk.sees("wants to use")
        await desk.press("y")
        await desk.sees("The run changed 2 files in a working tree of its own.")
        await desk.press("d")
        await desk.sees("Dropped.")
        assert not (repository / "notes.md").exists()
        assert "secretary/" not in git(repository, "branch")


async def test_leaving_with_the_question_open_keeps_a_branch(
    repository: Path, serve: Serve
) -> None:
    serve(ROUTE, EDIT, DONE)
    async with at_desk(repository) as desk:
        await accept(desk, "t")
        await desk.sees(OFFER)
    assert "secretary/schema-smith-" in git(repository, "branch")


async def test_an_agent_whose_file_asks_for_it_gets_a_tree_without_a_key(
    repository: Path, serve: Serve
) -> None:
    own = agent_file("schema-smith", "Designs database schemas.", "Read, Edit")
    define(repository, own.replace("color: blue", "isolation: worktree"))
    serve(ROUTE, EDIT, DONE)
    async with at_desk(repository) as desk:
        await accept(desk)
        await desk.sees(OFFER)
        assert "check()" not in login(repository)
        await desk.press("d")
        await desk.sees("Dropped.")


async def test_without_a_repository_there_is_no_such_key(project: Path, serve: Serve) -> None:
    serve(ROUTE, DONE)
    async with at_desk(project) as desk:
        await desk.matched(TASK)
        trees = [w for w in desk.main.workers if w.group == "own tree"]
        await desk.until(lambda: all(worker.is_finished for worker in trees))
        assert "own tree" not in desk.text
        await desk.press("escape")
