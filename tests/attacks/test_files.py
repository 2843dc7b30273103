"""Paths that lead elsewhere, and files that make other programs run something (rows 6–10, 24)."""

from __future__ import annotations

import contextlib
import json
import pickle
import shutil
import threading
from pathlib import Path

import pytest

from secretary_tui import paths
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.sandbox.sandbox import sandbox_status
from secretary_tui.delegation.tools.bash import run_bash
from secretary_tui.delegation.workspace.workspace import Workspace, WorkspaceError
from secretary_tui.events import ToolFinished
from secretary_tui.people import ToolDecision
from secretary_tui.sessions.store import list_runs
from tests.delegation.conftest import Runner, ScriptedPerson, only
from tests.servers.anthropic_server import Block, ScriptedServer, answer, text, tool_use

KIND, SENTENCE = sandbox_status()
confined_only = pytest.mark.skipif(KIND == "none", reason=f"no sandbox here: {SENTENCE}")
PROTECTED = (
    *(".git/hooks/pre-commit", ".git/config", ".claude/settings.json", ".claude/agents/x.md"),
    *(".mcp.json", ".envrc", "sub/.envrc", "sub/.git/config", ".claude/secretary.local.md"),
)


async def told(runner: Runner, person: ScriptedPerson, block: Block, **options: object) -> str:
    with ScriptedServer(answer(block), answer(text("end"))) as server:
        events = await runner.run(server, person, **options)
    return only(events, ToolFinished)[0].output


def looking(path: str) -> list[Block]:
    return [
        tool_use("Read", {"file_path": path}),
        tool_use("Grep", {"pattern": "KEY", "path": path}),
        tool_use("Write", {"file_path": path, "content": "x"}),
        tool_use("Edit", {"file_path": path, "old_string": "KEY", "new_string": "x"}),
    ]


@pytest.mark.parametrize(
    "path",
    [
        *("link/id_rsa", "link/../.ssh/id_rsa", "../home/.ssh/id_rsa", "~/.ssh/id_rsa"),
        *("../work-evil/x", "a\x00b", "/proc/self/environ", "/proc/self/root/etc/passwd"),
        *("/dev/stdin", "/sys/kernel/notes", "dangling", "loop", "//etc/passwd"),
    ],
)
async def test_rows_6_to_8_a_path_out_of_the_project_is_refused_unasked(
    path: str, runner: Runner, workspace: Path, home: Path, tmp_path: Path
) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id_rsa").write_text("KEY")
    (tmp_path / "work-evil").mkdir()
    (tmp_path / "work-evil" / "x").write_text("KEY")
    (workspace / "link").symlink_to(home / ".ssh")
    (workspace / "dangling").symlink_to(tmp_path / "made")
    (workspace / "loop").symlink_to("loop")
    for block in looking(path):
        person = ScriptedPerson()
        output = await told(runner, person, block, permission_mode=PermissionMode.ACCEPT_EDITS)
        assert "KEY" not in output
        assert not person.requests
    assert (home / ".ssh" / "id_rsa").read_text() == "KEY"
    assert not (tmp_path / "made").exists()


def test_row_7_a_folder_swapped_for_a_link_again_and_again_is_never_followed(
    workspace: Path, tmp_path: Path
) -> None:
    outside, inside, aside = tmp_path / "outside", workspace / "d", workspace / "aside"
    outside.mkdir()
    inside.mkdir()
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            inside.rename(aside)
            # Meanwhile the write may have made the folder anew.
            with contextlib.suppress(FileExistsError):
                inside.symlink_to(outside)
                inside.unlink()
            while aside.exists():
                with contextlib.suppress(OSError):
                    aside.rename(inside)
                    break
                shutil.rmtree(inside, ignore_errors=True)

    swapping = threading.Thread(target=swap)
    swapping.start()
    written = 0
    try:
        for number in range(300):
            space = Workspace(workspace)
            try:
                space.replace(space.resolve(f"d/{number}"), None, "x")
                written += 1
            except WorkspaceError:
                continue
    finally:
        stop.set()
        swapping.join()
    assert list(outside.iterdir()) == []
    assert written


@pytest.mark.parametrize("name", PROTECTED)
@pytest.mark.parametrize("case", [str, str.upper, str.title])
async def test_rows_9_and_10_a_protected_path_always_asks_before_it_exists(
    name: str, case: type[str], runner: Runner, workspace: Path
) -> None:
    path = case(name)
    person = ScriptedPerson(ToolDecision.DENY)
    block = tool_use("Write", {"file_path": path, "content": "evil"})
    await told(runner, person, block, permission_mode=PermissionMode.ACCEPT_EDITS)
    (request,) = person.requests
    assert "protected path" in request.warnings[0]
    assert not (workspace / path).exists()


@pytest.mark.parametrize(
    "name", ["CLAUDE.md", "sub/claude.MD", "CLAUDE.local.md", "AGENTS.md", "docs/rules.md"]
)
async def test_row_38_what_later_runs_are_told_is_asked_about_each_time(
    name: str, runner: Runner, workspace: Path
) -> None:
    if name == "AGENTS.md":
        (workspace / "CLAUDE.md").symlink_to(name)
    if name == "docs/rules.md":
        (workspace / "CLAUDE.md").write_text(f"@{name}")
        (workspace / "docs").mkdir(exist_ok=True)
        (workspace / name).write_text("Use tabs.")
    allowed, denied = ToolDecision.ALWAYS, ToolDecision.DENY
    for decision in (allowed, denied):
        person = ScriptedPerson(decision)
        block = tool_use("Write", {"file_path": name, "content": str(decision)})
        await told(runner, person, block, permission_mode=PermissionMode.ACCEPT_EDITS)
        (request,) = person.requests
        assert "protected path" in request.warnings[0]
        assert request.reach == ("", ""), "no answer that would not hold is offered"
    assert (workspace / name).read_text() == str(allowed)


@confined_only
@pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
async def test_rows_9_and_10_a_command_leaves_no_protected_path_behind(
    kind: str, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "bubblewrap" != KIND:
        pytest.skip(SENTENCE)
    if kind != KIND:
        from secretary_tui.delegation.sandbox.landlock import MIN_ABI, landlock_abi
        from secretary_tui.delegation.tools import bash

        if landlock_abi() < MIN_ABI:
            pytest.skip("the kernel offers no Landlock")
        monkeypatch.setattr(bash, "sandbox_status", lambda: (kind, ""))
    names = [case(name) for name in PROTECTED for case in (str, str.upper, str.title)]
    making = "; ".join(f"mkdir -p $(dirname {name}); echo evil > {name}" for name in names)
    await run_bash(f"{making}; mkdir -p deep/er; echo x > deep/er/.MCP.json", workspace)
    assert protected_in(workspace) == []


async def test_row_9_our_own_settings_ask_even_in_a_project_that_holds_them(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = Runner(home)
    ours = (paths.state_dir(), paths.config_dir(), paths.data_dir(), paths.cache_dir())
    for folder in ours:
        person = ScriptedPerson(ToolDecision.DENY)
        block = tool_use("Write", {"file_path": str(folder / "trusted.json"), "content": "{}"})
        await told(runner, person, block, permission_mode=PermissionMode.ACCEPT_EDITS)
        assert "protected path" in person.requests[0].warnings[0]
    for engine in runner.engines:
        await engine.aclose()


def protected_in(folder: Path) -> list[Path]:
    names = (".git", ".claude", ".mcp.json", ".envrc")
    return [path for path in folder.rglob("*") if path.name.casefold() in names]


class Sprung:
    """What a pickle would call."""

    def __init__(self, trap: Path) -> None:
        self._trap = trap

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self._trap,))


def test_row_24_a_poisoned_record_of_ours_is_read_as_json_only(workspace: Path, trap: Path) -> None:
    from secretary_tui.delegation.permissions.folder_trust import is_trusted
    from secretary_tui.delegation.permissions.settings_rules import granted_rules, grants_file
    from secretary_tui.sessions.run_log import project_runs_dir

    poison = pickle.dumps(Sprung(trap))
    rebuilt = json.dumps({"py/object": "os.system", "__reduce__": ["touch", str(trap)]}).encode()
    log = project_runs_dir(workspace) / "20260101-000000-abcdef.jsonl"
    for content in (poison, rebuilt, b"!!python/object/apply:os.system ['touch x']"):
        for path in (log, grants_file(workspace), paths.state_dir() / "trusted.json"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        list_runs(None)
        assert granted_rules(workspace) == frozenset()
        assert not is_trusted(workspace)
        assert not trap.exists()
    (workspace / "sanity").write_bytes(poison)
    pickle.loads(poison)
    assert trap.exists(), "the poison works where it is let in"
