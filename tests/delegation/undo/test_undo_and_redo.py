"""Every change of a run can be taken back, and nothing that somebody changed since is lost."""

from __future__ import annotations

import contextlib
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.sandbox.sandbox import sandbox_status
from secretary_tui.delegation.undo import file_states, project_scan, restoring, snapshots
from secretary_tui.delegation.undo.restoring import Undo, total_diff
from secretary_tui.delegation.undo.snapshots import Snapshots
from secretary_tui.delegation.undo.undo_status import UndoError, UndoStatus
from secretary_tui.delegation.undo.undo_store import UndoStore, drop_oldest, undo_dir
from secretary_tui.delegation.workspace.workspace import Workspace
from secretary_tui.people import ToolDecision
from tests.delegation.conftest import Runner, ScriptedPerson
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use

EDITS = PermissionMode.ACCEPT_EDITS


async def run_tools(runner: Runner, *calls: Any) -> None:
    """Let the agent make these calls, one a turn; commands are allowed once."""
    steps = [answer(call) for call in calls]
    person = ScriptedPerson(*[ToolDecision.ONCE] * len(calls))
    with ScriptedServer(*steps, answer(text("Done."))) as server:
        await runner.run(server, person, permission_mode=EDITS)


def write(path: str, content: str) -> Any:
    return tool_use("Write", {"file_path": path, "content": content})


def bash(command: str) -> Any:
    return tool_use("Bash", {"command": command})


def statuses() -> dict[str, str]:
    return {file.path: str(file.status) for file in Undo.of("r1").files()}


def tree(root: Path) -> dict[str, tuple[object, ...]]:
    """Everything below a folder: kind, permissions, content."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        mode = stat.S_IMODE(path.lstat().st_mode)
        if path.is_symlink():
            found[name] = ("link", str(path.readlink()))
        elif path.is_file():
            found[name] = ("file", mode, path.read_bytes())
        else:
            found[name] = ("folder", mode)
    return found


async def test_edits_and_new_files_are_taken_back_and_done_again(runner: Runner) -> None:
    work = runner.workspace
    (work / "a.py").write_text("one\ntwo\n")
    (work / "a.py").chmod(0o750)
    before = tree(work)
    edit = {"file_path": "a.py", "old_string": "two", "new_string": "2"}
    await run_tools(
        runner, tool_use("Edit", edit), write("new/deep/b.txt", "b\n"), write("a.py", "3\n")
    )
    after = tree(work)
    assert statuses() == {"a.py": "changed", "new/deep/b.txt": "changed"}
    undo = Undo.of("r1")
    assert "-two\n+3\n" in undo.diff("a.py").replace("-one\n", "")
    assert "+b" in total_diff(undo, undo.files())
    undo.restore_all()
    assert tree(work) == before
    assert statuses() == {"a.py": "undone", "new/deep/b.txt": "undone"}
    for file in undo.files():
        undo.redo(file.path)
    assert tree(work) == after


async def test_what_a_command_did_is_taken_back(runner: Runner) -> None:
    work = runner.workspace
    (work / "keep").mkdir()
    (work / "keep" / "a.txt").write_text("a\n")
    (work / "gone.bin").write_bytes(b"\x00\x01\xff" * 100)
    (work / "run.sh").write_text("echo\n")
    (work / "run.sh").chmod(0o644)
    (work / "link").symlink_to("keep/a.txt")
    before = tree(work)
    await run_tools(
        runner,
        bash(
            "rm -r keep gone.bin && chmod 755 run.sh && ln -sfn run.sh link && mkdir -p x/y && "
            "echo hi > x/y/z && echo more >> run.sh"
        ),
        bash("cat run.sh"),
    )
    assert set(statuses()) == {"keep/a.txt", "gone.bin", "run.sh", "link", "x/y/z"}
    Undo.of("r1").restore_all()
    assert tree(work) == before


async def test_what_somebody_changed_since_is_never_overwritten(runner: Runner) -> None:
    work = runner.workspace
    (work / "a.txt").write_text("original\n")
    await run_tools(runner, write("a.txt", "by the run\n"), write("new.txt", "new\n"))
    (work / "a.txt").write_text("by the user\n")
    (work / "new.txt").write_text("new\nand more\n")
    undo = Undo.of("r1")
    assert statuses() == {"a.txt": "conflict", "new.txt": "conflict"}
    for path in ("a.txt", "new.txt"):
        with pytest.raises(UndoError, match="left alone"):
            undo.restore(path)
    undo.restore_all()
    assert (work / "a.txt").read_text() == "by the user\n"
    assert (work / "new.txt").exists()
    assert "+by the run" in undo.diff("a.txt")
    assert "-by the run\n+by the user" in undo.later_diff("a.txt")
    assert undo.put_beside("a.txt") == "a.txt.before-r1"
    assert undo.put_beside("a.txt") == "a.txt.before-r1-2"
    assert (work / "a.txt.before-r1").read_text() == "original\n"
    with pytest.raises(UndoError, match="no original"):
        undo.put_beside("new.txt")


async def test_an_edit_of_the_users_in_the_middle_of_a_run_is_a_conflict(runner: Runner) -> None:
    work = runner.workspace
    (work / "a.txt").write_text("1\n")
    await run_tools(runner, write("a.txt", "2\n"))
    (work / "a.txt").write_text("mine\n")
    await run_tools(runner, write("a.txt", "3\n"))
    assert statuses() == {"a.txt": "conflict"}


async def test_a_change_that_was_refused_or_failed_is_none(runner: Runner) -> None:
    (runner.workspace / "a.txt").write_text("1\n")
    with ScriptedServer(answer(write("a.txt", "2\n")), answer(text("ok"))) as server:
        await runner.run(server, ScriptedPerson(ToolDecision.DENY))
    with pytest.raises(UndoError, match="changed no files"):
        Undo.of("r1")


async def test_a_folder_that_became_a_link_is_not_followed(runner: Runner, tmp_path: Path) -> None:
    work = runner.workspace
    (work / "src").mkdir()
    (work / "src" / "a.txt").write_text("1\n")
    await run_tools(runner, write("src/a.txt", "2\n"))
    elsewhere = tmp_path / "elsewhere"
    (work / "src").rename(elsewhere)
    (work / "src").symlink_to(elsewhere)
    with pytest.raises(UndoError):
        Undo.of("r1").restore("src/a.txt")
    assert (elsewhere / "a.txt").read_text() == "2\n"


async def test_a_journal_that_names_a_place_outside_is_not_obeyed(runner: Runner) -> None:
    await run_tools(runner, write("a.txt", "1\n"))
    store = UndoStore("r1")
    row = next(r for r in store.rows() if r.get("path") == "a.txt")
    for path in ("../out.txt", "/etc/passwd", "a/../../b", ""):
        store.append({**row, "path": path})
    assert set(statuses()) == {"a.txt"}


async def test_originals_are_private_and_lie_outside_the_project(runner: Runner) -> None:
    (runner.workspace / "a.txt").write_text("secret\n")
    await run_tools(runner, write("a.txt", "2\n"))
    assert not undo_dir().is_relative_to(runner.workspace)
    for path in undo_dir().rglob("*"):
        assert path.stat().st_mode & 0o077 == 0
    assert not list(undo_dir().rglob("baseline*"))


async def test_a_file_too_large_to_be_kept_is_said(runner: Runner) -> None:
    (runner.workspace / "big.bin").write_bytes(b"x" * 1_200_000)
    await run_tools(runner, bash("echo more >> big.bin"))
    undo = Undo.of("r1")
    assert [file.status for file in undo.files()] == [UndoStatus.LOST]
    assert any("too large" in note for note in undo.changes.notes)
    with pytest.raises(UndoError, match="not kept"):
        undo.restore("big.bin")


LARGE = os.urandom(1_200_000)


@pytest.mark.parametrize("chosen", ["data.bin", "new/renamed.bin", None])
async def test_a_large_file_that_a_command_renamed_gets_its_name_back(
    runner: Runner, chosen: str | None
) -> None:
    work = runner.workspace
    (work / "data.bin").write_bytes(LARGE)
    (work / "data.bin").chmod(0o640)
    before = tree(work)
    await run_tools(
        runner, bash("mkdir new && mv data.bin new/renamed.bin"), bash("chmod 600 n*/*")
    )
    after = tree(work)
    undo = Undo.of("r1")
    assert statuses() == {"data.bin": "changed", "new/renamed.bin": "changed"}
    undo.restore(chosen) if chosen else undo.restore_all()
    if chosen is None:
        assert tree(work) == before
    assert (work / "data.bin").read_bytes() == LARGE
    assert statuses() == {"data.bin": "undone", "new/renamed.bin": "undone"}
    for name in ("data.bin", "new/renamed.bin"):
        undo.redo(name)
    assert (work / "new" / "renamed.bin").read_bytes() == LARGE
    assert tree(work).keys() == after.keys()


async def test_a_large_file_whose_old_name_was_taken_gets_it_back(runner: Runner) -> None:
    work = runner.workspace
    (work / "data.bin").write_bytes(LARGE)
    await run_tools(runner, bash("mv data.bin old.bin && echo small > data.bin"))
    Undo.of("r1").restore_all()
    assert (work / "data.bin").read_bytes() == LARGE
    assert not (work / "old.bin").exists()


@pytest.mark.parametrize("began", ["node_modules/x.bin", "elsewhere.bin"])
async def test_the_only_copy_of_a_large_file_is_never_deleted(runner: Runner, began: str) -> None:
    work = runner.workspace
    (work / began).parent.mkdir(exist_ok=True)
    (work / began).write_bytes(LARGE)
    await run_tools(runner, bash(f"cp {began} here.bin && rm {began} && echo small > a.txt"))
    undo = Undo.of("r1")
    undo.restore_all()
    assert not (work / "a.txt").exists()
    with pytest.raises(UndoError, match="only copy"):
        undo.restore("here.bin")
    assert (work / "here.bin").read_bytes() == LARGE
    assert undo.file("here.bin").status is UndoStatus.LOST


async def test_a_small_file_that_became_large_is_not_overwritten(runner: Runner) -> None:
    work = runner.workspace
    (work / "a.bin").write_bytes(b"small")
    (work / "data.bin").write_bytes(LARGE)
    await run_tools(runner, bash("cat data.bin > a.bin"))
    undo = Undo.of("r1")
    with pytest.raises(UndoError, match="overwrite the only copy"):
        undo.restore("a.bin")
    assert (work / "a.bin").read_bytes() == LARGE
    assert undo.put_beside("a.bin") == "a.bin.before-r1"


async def test_two_files_that_swapped_names_are_left_alone(runner: Runner) -> None:
    work = runner.workspace
    (work / "a.bin").write_bytes(LARGE)
    (work / "b.bin").write_bytes(LARGE[::-1])
    await run_tools(runner, bash("mv a.bin c && mv b.bin a.bin && mv c b.bin"))
    Undo.of("r1").restore_all()
    kept = {path.read_bytes() for path in work.glob("*.bin")}
    assert kept == {LARGE, LARGE[::-1]}


@pytest.mark.parametrize(
    "state",
    [
        {"kind": "file", "mode": 1e400},
        {"kind": "file", "mode": float("nan")},
        {"kind": "file", "mode": 2**70},
        {"kind": "file", "mode": -1},
        {"kind": "file", "size": 1e400},
        {"kind": "folder", "mode": "0"},
    ],
)
async def test_a_tampered_journal_does_nothing(runner: Runner, state: dict[str, object]) -> None:
    await run_tools(runner, write("a.txt", "1\n"))
    store = UndoStore("r1")
    digest = store.keep(b"EVIL")
    before = {"digest": digest, **state}
    store.append({"path": "x", "before": before, "after": {"kind": "absent"}, "by": "Write"})
    Undo.of("r1").restore_all()
    assert list(runner.workspace.iterdir()) == []


@pytest.mark.parametrize("root", ["\0", "x" * 5000, "relative"])
def test_a_journal_of_a_folder_that_can_not_be_is_a_sentence(home: Path, root: str) -> None:
    UndoStore("r1").append({"root": root})
    with pytest.raises(UndoError):
        Undo.of("r1")


@pytest.mark.parametrize(
    "changes",
    [
        {"root": "/elsewhere", "places": {}},
        {"root": None, "places": {}},
        {"places": {"a.txt": {"kind": "file"}}},
        {"places": []},
        {"mode": 2**70},
        {"offset": 10**9},
        {"offset": -1},
        {"size": 2.5},
        {"stamp": [1, 2]},
    ],
)
def test_a_tampered_baseline_deletes_nothing(workspace: Path, changes: dict[str, Any]) -> None:
    (workspace / "a.txt").write_text("1\n")
    Snapshots(Workspace.at(workspace), "r1").begin_command()
    index = undo_dir() / "r1" / "baseline.json"
    data = json.loads(index.read_text())
    for name, value in changes.items():
        (data if name in data else data["places"]["a.txt"])[name] = value
    index.write_text(json.dumps(data))
    (workspace / "a.txt").write_text("2\n")
    undo = Undo.of("r1")
    assert undo.restore_all() == ()
    assert (workspace / "a.txt").read_text() == "2\n"


async def test_unsandboxed_commands_say_what_is_not_known(runner: Runner) -> None:
    await run_tools(runner, bash("echo 1 > a.txt"))
    said = any("outside the sandbox" in note for note in Undo.of("r1").changes.notes)
    assert said is (sandbox_status()[0] != "bubblewrap")


def test_a_command_that_a_kill_cut_off_is_taken_in_afterwards(workspace: Path) -> None:
    (workspace / "a.txt").write_text("1\n")
    Snapshots(Workspace.at(workspace), "r1").begin_command()
    (workspace / "a.txt").write_text("2\n")  # By the command; then the program is killed.
    undo = Undo.of("r1")
    assert any("stopped while a command ran" in note for note in undo.changes.notes)
    undo.restore("a.txt")
    assert (workspace / "a.txt").read_text() == "1\n"


def test_a_change_within_one_tick_of_the_clock_is_seen(workspace: Path) -> None:
    (workspace / "a.txt").write_text("1\n")
    snapshots = Snapshots(Workspace.at(workspace), "r1")
    status = (workspace / "a.txt").stat()
    snapshots.begin_command()
    (workspace / "a.txt").write_text("2\n")
    os.utime(workspace / "a.txt", ns=(status.st_atime_ns, status.st_mtime_ns))
    snapshots.end_command("c1", sandboxed=True)
    assert statuses() == {"a.txt": "changed"}


def test_the_oldest_originals_go_first_and_never_those_of_this_run(home: Path) -> None:
    for run_id in ("20260101-1", "20260102-1", "20260103-1"):
        UndoStore(run_id).keep(b"x" * 1000 + run_id.encode())
    assert drop_oldest("20260101-1", limit=1500) == ("20260102-1", "20260103-1")
    assert [path.name for path in undo_dir().iterdir()] == ["20260101-1"]


NAMES = st.sampled_from(["a", "b", "d/c", "d/e/f"])
STEPS = st.lists(
    st.tuples(st.sampled_from(["write", "remove", "link", "mode"]), NAMES, st.binary(max_size=9)),
    max_size=6,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=STEPS, commands=st.lists(STEPS, max_size=3))
def test_whatever_commands_did_all_of_it_is_taken_back(
    tmp_path_factory: pytest.TempPathFactory, before: Any, commands: Any
) -> None:
    base = tmp_path_factory.mktemp("any")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(base / "state"))
        work = base / "work"
        (work / "d" / "e").mkdir(parents=True)
        _act(work, before)
        was = tree(work)
        snapshots = Snapshots(Workspace.at(work), "r1")
        for number, command in enumerate(commands):
            snapshots.begin_command()
            _act(work, command)
            snapshots.end_command(f"c{number}", sandboxed=True)
        snapshots.close()
        left = tree(work)
        if left == was:
            return
        undo = Undo.of("r1")
        undo.restore_all()
        assert tree(work) == was
        for file in undo.files():
            undo.redo(file.path)
        assert tree(work) == left


RENAMES = st.lists(
    st.tuples(
        st.sampled_from(["write", "remove", "rename", "copy"]),
        NAMES,
        NAMES,
        st.sampled_from([b"a", b"large-1", b"large-2"]),
    ),
    max_size=5,
)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=RENAMES, commands=st.lists(RENAMES, max_size=3), redo=st.booleans())
def test_undoing_never_loses_what_stands_there(
    tmp_path_factory: pytest.TempPathFactory, before: Any, commands: Any, redo: bool
) -> None:
    base = tmp_path_factory.mktemp("none")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(base / "state"))
        for module in (file_states, project_scan, restoring, snapshots):
            patch.setattr(module, "MAX_KEPT_BYTES", 3)
        work = base / "work"
        (work / "d" / "e").mkdir(parents=True)
        _rename(work, before)
        watching = Snapshots(Workspace.at(work), "r1")
        for number, command in enumerate(commands):
            watching.begin_command()
            _rename(work, command)
            watching.end_command(f"c{number}", sandboxed=True)
        watching.close()
        left = _contents(work)
        if not (undo_dir() / "r1").exists():
            return
        undo = Undo.of("r1")
        undo.restore_all()
        assert left <= _contents(work) | _contents(undo_dir())
        undone = _contents(work)
        for file in undo.files() if redo else ():
            with contextlib.suppress(UndoError):
                undo.redo(file.path)
        assert left | undone <= _contents(work) | _contents(undo_dir())


def _contents(folder: Path) -> set[bytes]:
    return {path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _rename(work: Path, steps: Any) -> None:
    for verb, name, other, data in steps:
        path, source = work / name, work / other
        path.parent.mkdir(parents=True, exist_ok=True)
        if verb == "write":
            path.write_bytes(data)
        elif verb == "remove":
            path.unlink(missing_ok=True)
        elif verb == "rename" and source.exists():
            source.replace(path)
        elif verb == "copy" and source.exists():
            path.write_bytes(source.read_bytes())


def _act(work: Path, steps: Any) -> None:
    for verb, name, data in steps:
        path = work / name
        if verb in ("write", "link", "remove"):
            path.unlink(missing_ok=True)
        if verb == "write":
            path.write_bytes(data)
        elif verb == "link":
            path.symlink_to(f"to-{data.hex()}")
        elif verb == "mode" and path.is_file() and not path.is_symlink():
            path.chmod(0o600 if len(data) % 2 else 0o755)
