"""A folder is trusted by the user's own word, kept with the user, and only while it is that one."""

from __future__ import annotations

import json
import shutil
import stat
from pathlib import Path

import pytest

from secretary_tui import paths
from secretary_tui.config import Config
from secretary_tui.delegation.permissions.folder_trust import (
    TrustAnswer,
    UntrustedError,
    ask_for_trust,
    forget,
    is_trusted,
    trust,
    trust_root,
    trusted_folders,
)
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.people import SAFE
from secretary_tui.secretary import Secretary
from secretary_tui.sessions.store import list_runs
from tests.delegation.conftest import Runner, ScriptedPerson


def test_nothing_is_trusted_at_first_and_trust_can_be_taken_back(workspace: Path) -> None:
    assert not is_trusted(workspace)
    trust(workspace)
    assert is_trusted(workspace)
    assert [one.path for one in trusted_folders()] == [workspace]
    assert forget(workspace)
    assert not is_trusted(workspace)
    assert not forget(workspace)


def test_trust_is_about_the_repository_and_stays_out_of_it(workspace: Path) -> None:
    (workspace / ".git").mkdir()
    sub = workspace / "src" / "deep"
    sub.mkdir(parents=True)
    before = sorted(workspace.rglob("*"))
    trust(sub)
    assert is_trusted(workspace)
    assert is_trusted(sub)
    assert sorted(workspace.rglob("*")) == before
    record = paths.state_dir() / "trusted.json"
    assert stat.S_IMODE(record.stat().st_mode) == 0o600


def test_a_repository_inside_a_trusted_folder_is_asked_about(workspace: Path) -> None:
    trust(workspace)
    inner = workspace / "vendor"
    (inner / ".git").mkdir(parents=True)
    assert not is_trusted(inner)


def test_a_repository_of_the_whole_home_folder_says_nothing_about_what_lies_below(
    home: Path,
) -> None:
    (home / ".git").mkdir()
    shop = home / "shop"
    shop.mkdir()
    assert trust_root(shop) == shop
    trust(home)
    assert not is_trusted(shop)


def test_another_folder_at_the_same_place_is_asked_about(workspace: Path) -> None:
    trust(workspace)
    shutil.rmtree(workspace)
    workspace.mkdir()
    assert not is_trusted(workspace)
    assert [one.stands for one in trusted_folders()] == [False]


def test_a_folder_is_the_same_through_a_link_and_another_after_a_move(
    workspace: Path, tmp_path: Path
) -> None:
    trust(workspace)
    (tmp_path / "link").symlink_to(workspace)
    assert is_trusted(tmp_path / "link")
    moved = workspace.rename(tmp_path / "moved")
    assert not is_trusted(moved)


@pytest.mark.parametrize("record", ["", "[]", "{", '{"folders": []}', '{"folders": {"x": 1}}'])
def test_a_record_that_can_t_be_read_trusts_nothing(workspace: Path, record: str) -> None:
    trust(workspace)
    (paths.state_dir() / "trusted.json").write_text(record)
    assert not is_trusted(workspace)


def test_a_record_in_the_repository_is_no_record(workspace: Path) -> None:
    trust(workspace)
    record = (paths.state_dir() / "trusted.json").read_text()
    forget(workspace)
    for name in ("trusted.json", ".claude/trusted.json", ".claude/secretary-tui/trusted.json"):
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(record)
    local = workspace / ".claude" / "secretary.local.md"
    local.write_text("---\ntrusted: true\ntrust: true\n---\n")
    (workspace / ".env").write_text(f"XDG_STATE_HOME={workspace}\n")
    (workspace / ".claude" / "settings.json").write_text(
        json.dumps({"hasTrustDialogAccepted": True, "permissions": {"defaultMode": "x"}})
    )
    assert not is_trusted(workspace)


async def test_the_question_names_the_folder_and_what_it_brings(workspace: Path) -> None:
    (workspace / "CLAUDE.md").write_text("x")
    (workspace / ".mcp.json").write_text("{}")
    person = ScriptedPerson()
    assert await ask_for_trust(workspace, person) is TrustAnswer.NO
    ((title, text, choices),) = person.choices
    assert workspace.name in title
    assert "CLAUDE.md" in text
    assert ".mcp.json" in text
    assert choices[-1].key == SAFE
    assert not is_trusted(workspace)


async def test_a_run_asks_once_and_may_be_let_in_to_read(runner: Runner, home: Path) -> None:
    secretary = Secretary(runner.workspace, Config())
    person = ScriptedPerson()
    with pytest.raises(UntrustedError, match="not trusted"):
        await secretary.admit(runner.delegation(), person)
    person.ways = ["r", "t"]
    reading = await secretary.admit(runner.delegation(), person)
    assert reading.permission_mode is PermissionMode.PLAN
    assert not secretary.is_trusted
    admitted = await secretary.admit(runner.delegation(), person)
    assert admitted.permission_mode is PermissionMode.ASK
    assert secretary.is_trusted
    await secretary.admit(runner.delegation(), ScriptedPerson())
    assert len(person.choices) == 3


async def test_no_way_into_a_run_leads_past_the_question(runner: Runner) -> None:
    """Whoever forgets to ask is refused by the service itself."""
    secretary = Secretary(runner.workspace, Config(), environ={"ANTHROPIC_API_KEY": "k"})
    with pytest.raises(UntrustedError):
        async for _ in secretary.run(runner.delegation(), ScriptedPerson()):
            pytest.fail("it began")
    assert not list_runs(None)


@pytest.mark.parametrize("inside", ["", "HEAD", "config"])
def test_a_folder_with_the_mark_of_a_placeholder_is_one_only_when_empty(
    workspace: Path, inside: str
) -> None:
    nested = workspace / "nested"
    (nested / ".git").mkdir(parents=True)
    (workspace / ".git").mkdir()
    (workspace / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    trust(workspace)
    if inside:
        # git takes a link that leads nowhere for a HEAD of a branch without a commit.
        (nested / ".git" / inside).symlink_to("refs/heads/unborn")
    (nested / ".git").chmod(0o1755)
    assert trust_root(nested) == (nested if inside else workspace)
    assert is_trusted(nested) == (not inside)
