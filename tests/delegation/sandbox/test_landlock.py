"""Behind the kernel's own walls a command reaches no more than behind bubblewrap's, but slower."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from secretary_tui.delegation.sandbox import landlock, sandbox
from secretary_tui.delegation.sandbox.landlock import (
    MIN_ABI,
    allowed_below,
    landlock_abi,
    left_open,
)
from secretary_tui.delegation.tools import bash as bash_module
from secretary_tui.delegation.tools.bash import run_bash

pytestmark = pytest.mark.skipif(landlock_abi() < MIN_ABI, reason="the kernel offers no Landlock")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture(autouse=True)
def behind_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bash_module, "sandbox_status", lambda: ("landlock", ""))


def texts_in(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.rglob("*") if path.is_file()}


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*")}


def is_there(name: str) -> bool:
    return Path(name).exists()


def make_repository(folder: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)


async def test_only_the_workspace_is_written_and_only_it_is_seen(
    workspace: Path, tmp_path: Path, home: Path
) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine")
    (home / ".netrc").write_text("password")
    (workspace / "link").symlink_to(outside)
    result = await run_bash(
        f"echo a > new; echo b > {outside}; cat link ~/.netrc; mkdir d && mv new d/ && cat d/new;"
        f"ln {outside} hard; truncate -s 0 {outside}; rm {outside}; echo > {tmp_path}/made",
        workspace,
    )
    assert (workspace / "d" / "new").read_text() == "a\n"
    assert outside.read_text() == "mine"
    assert not (workspace / "hard").exists()
    assert not (tmp_path / "made").exists()
    assert "password" not in result.output
    assert "mine" not in result.output


async def test_what_is_protected_stays_as_it_is(workspace: Path) -> None:
    for name in (".git/hooks/pre-commit", ".git/config", "sub/.claude/settings.json", ".envrc"):
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    await run_bash(
        "for f in .git/hooks/pre-commit .git/config sub/.claude/settings.json .envrc; do"
        " echo x > $f; rm -f $f; mv $f $f.old; done; mv .git g; mv sub s; mkdir .claude;"
        " echo > .mcp.json; ln .git/config src; echo > .git/hooks/post-commit",
        workspace,
    )
    assert texts_in(workspace) == dict.fromkeys(
        ("pre-commit", "config", "settings.json", ".envrc"), "mine"
    )


async def test_what_is_new_and_protected_is_moved_aside(workspace: Path) -> None:
    result = await run_bash("mkdir -p src/.git .claude && touch src/.ENVRC", workspace)
    assert not {".git", ".claude", ".ENVRC"} & names_in(workspace)
    assert "Moved aside" in result.text


async def test_why_nothing_new_can_be_made_at_the_top_is_said(workspace: Path) -> None:
    (workspace / ".git").mkdir()
    (workspace / "src").mkdir()
    (workspace / "README").write_text("a\n")
    result = await run_bash("echo b >> README; touch src/ok; touch new", workspace)
    assert "make nothing new directly in a folder that holds .git" in result.text
    assert (workspace / "README").read_text() == "a\nb\n"
    assert (workspace / "src" / "ok").exists()


@pytest.mark.skipif(shutil.which("python3") is None, reason="python3 is not installed")
async def test_there_is_no_network_of_any_kind(workspace: Path, tmp_path: Path) -> None:
    (workspace / "try.py").write_text(
        "import socket\n"
        "for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX):\n"
        "    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):\n"
        "        try:\n"
        "            socket.socket(family, kind)\n"
        "        except PermissionError:\n"
        "            print('refused')\n"
        "socket.socketpair()\n"
        "print('pair')\n"
    )
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.setblocking(False)
        port = listener.getsockname()[1]
        result = await run_bash(f"echo x > /dev/udp/127.0.0.1/{port}; python3 try.py", workspace)
        with pytest.raises(BlockingIOError):
            listener.recv(1)
    assert result.output.count("refused") == 6
    assert "pair" in result.output


async def test_other_programs_are_neither_read_nor_stopped(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "sk-ant-secret")
    other = await asyncio.create_subprocess_exec("sleep", "100")
    try:
        result = await run_bash(
            f"kill -9 {other.pid}; cat /proc/{other.pid}/environ /proc/{os.getpid()}/environ; env",
            workspace,
        )
        assert other.returncode is None
        assert "sk-ant-secret" not in result.output
        os.kill(other.pid, 0)
    finally:
        other.kill()
        await other.wait()


WRONG = '{"folder": "/", "abi": 3, "read": [3], "write": []}'


@pytest.mark.parametrize("plan", ["", "{}", '{"folder": "/nowhere", "abi": 3}', "gone", WRONG])
def test_when_the_walls_can_t_be_put_up_nothing_is_run(plan: str, tmp_path: Path) -> None:
    file, made = tmp_path / "plan.json", tmp_path / "made"
    if plan != "gone":
        file.write_text(plan)
    launcher = Path(landlock.__file__).with_name("landlock_launcher.py")
    command = [shutil.which("touch") or "touch", str(made)]
    done = subprocess.run(
        [sys.executable, "-I", "-S", launcher, file, *command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "nothing was run" in done.stderr
    assert not made.exists()


async def test_pipes_and_devices_work(workspace: Path) -> None:
    result = await run_bash(
        "cat <(echo a) /dev/null; echo b > /dev/stderr; head -c 2 /dev/urandom | wc -c", workspace
    )
    assert result.output.split() == ["a", "b", "2"]


async def test_nothing_of_the_sandbox_is_left_behind(workspace: Path) -> None:
    result = await run_bash("echo x > $TMPDIR/x && echo $TMPDIR", workspace)
    assert result.exit_code == 0
    assert not is_there(result.output.strip())
    assert names_in(workspace) == set()


@needs_git
async def test_git_looks_but_does_not_commit(workspace: Path) -> None:
    make_repository(workspace)
    (workspace / "a").write_text("x")
    result = await run_bash("git -c safe.directory='*' status --short; git add a", workspace)
    assert "?? a" in result.output
    assert result.is_error


def test_a_folder_is_allowed_whole_unless_it_holds_what_is_excluded(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for name in ("a/x", "b/c/secret/y", "b/c/z", "b/d"):
        (root / name).mkdir(parents=True)
    (root / "b" / "link").symlink_to(root / "a")
    secret = root / "b" / "c" / "secret"
    found = allowed_below(root, {secret, tmp_path})
    assert {path.relative_to(root).as_posix() for path in found} == {"a", "b/c/z", "b/d"}
    assert list(allowed_below(root / "a", {secret})) == [root / "a"]


def test_what_the_walls_leave_open_is_said() -> None:
    assert "UDP" in left_open(7, "riscv64")
    assert "the network" in left_open(3, "riscv64")
    assert "network" not in left_open(3, "x86_64")
    assert "signals" in left_open(5, "x86_64")
    assert "signals" not in left_open(6, "x86_64")


def test_without_bubblewrap_the_kernel_s_walls_are_taken_and_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    kind, sentence = sandbox.sandbox_status.__wrapped__()
    assert kind == "landlock"
    assert "not installed" in sentence
    assert "leave open" in sentence
    monkeypatch.setattr(sandbox, "landlock_abi", lambda: 2)
    kind, sentence = sandbox.sandbox_status.__wrapped__()
    assert kind == "none"
    assert "always asks" in sentence
    assert "too old" in sentence
