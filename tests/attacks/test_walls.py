"""Ways out of the walls: own settings, sockets of others, keys of the kernel (rows 30–32)."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import platform
import shutil
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from secretary_tui.delegation.sandbox import system_calls
from secretary_tui.delegation.sandbox.landlock import MIN_ABI, landlock_abi
from secretary_tui.delegation.sandbox.program_files import ProgramFiles
from secretary_tui.delegation.sandbox.sandbox import Confinement, sandbox_status
from secretary_tui.engines.acp.acp_profiles import KNOWN_AGENTS

SHELL = shutil.which("bash") or "/bin/sh"
PYTHON = shutil.which("python3", path="/usr/bin:/bin")
CALLS = {"x86_64": (248, 249, 250), "aarch64": (217, 218, 219)}.get(platform.machine())
CANARY = "canary"
KINDS = [
    pytest.param(
        "bubblewrap",
        marks=pytest.mark.skipif(sandbox_status()[0] != "bubblewrap", reason="no bubblewrap here"),
    ),
    pytest.param(
        "landlock", marks=pytest.mark.skipif(landlock_abi() < MIN_ABI, reason="no Landlock here")
    ),
]
walled = pytest.mark.skipif(sandbox_status()[0] != "bubblewrap", reason="no bubblewrap here")
with_python = pytest.mark.skipif(PYTHON is None, reason="no Python of the system's here")


async def behind_walls(
    argv: list[str],
    workspace: Path,
    *,
    network: bool = False,
    own: ProgramFiles | None = None,
    kind: str = "bubblewrap",
) -> str:
    """Run a command behind the walls and give all it printed."""
    walls = Confinement(argv, workspace, network=network, program_files=own, kind=kind)
    try:
        process = await asyncio.create_subprocess_exec(
            *await asyncio.to_thread(walls.enter),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        out, _ = await process.communicate()
    finally:
        await asyncio.to_thread(walls.leave)
    return out.decode()


@walled
async def test_row_30_an_acp_agent_does_not_change_the_settings_it_starts_with(
    workspace: Path, home: Path
) -> None:
    profile = KNOWN_AGENTS["claude-code"]
    claude = home / ".claude"
    (claude / "agents").mkdir(parents=True)
    (claude / "settings.json").write_text("{}")
    (claude / ".credentials.json").write_text("old")
    (home / ".claude.json").write_text("{}")
    evil = (
        "cd; cat .claude/.credentials.json; echo new > .claude/.credentials.json;"
        "echo '{\"hooks\": 1}' > .claude/settings.json; cat .claude/settings.json;"
        "echo x > .claude/agents/evil.md; mkdir .claude/hooks; echo x > .claude/CLAUDE.md;"
        "echo '{}x' > .claude.json; mv .claude .old; rm -rf .claude .claude.json; true"
    )
    own = ProgramFiles(
        [home / name for name in profile.home], [home / name for name in profile.keeps]
    )
    said = await behind_walls([SHELL, "-c", evil], workspace, network=True, own=own)
    assert "old" in said
    assert '{"hooks": 1}' in said  # It may change its copy.
    assert (claude / "settings.json").read_text() == "{}"
    assert (home / ".claude.json").read_text() == "{}"
    assert sorted(path.name for path in claude.rglob("*")) == [
        ".credentials.json",
        "agents",
        "settings.json",
    ]
    assert (claude / ".credentials.json").read_text() == "new\n"


@pytest.mark.parametrize("name", sorted(KNOWN_AGENTS))
def test_what_an_acp_agent_keeps_are_single_files(name: str) -> None:
    for kept in KNOWN_AGENTS[name].keeps:
        assert Path(kept).suffix == ".json"
        assert len(Path(kept).parts) > 1
        assert kept not in KNOWN_AGENTS[name].home


@contextlib.contextmanager
def listening(address: str) -> Iterator[None]:
    """A program of the user's that answers everyone on a socket."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()

        def answer() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection:
                        connection.sendall(CANARY.encode())

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


def speak(address: str) -> list[str]:
    code = (
        f"import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect({address!r})\n"
        "print(s.recv(99).decode())"
    )
    return [str(PYTHON), "-c", code]


@with_python
@pytest.mark.parametrize("network", [False, True])
@walled
async def test_row_31_sockets_in_the_project_are_not_reached(
    network: bool, workspace: Path
) -> None:
    address = str(workspace / "s.sock")
    with listening(address):
        said = await behind_walls(speak(address), workspace, network=network)
        # They are hidden, not taken away.
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(address)
            assert client.recv(99).decode() == CANARY
    assert "Error" in said
    assert CANARY not in said


@with_python
@pytest.mark.parametrize("abi", [0, landlock_abi()])
@pytest.mark.skipif(CALLS is None, reason="the calls of this machine aren't known")
@walled
async def test_row_31_sockets_without_a_path_are_not_reached_where_the_network_is_open(
    abi: int, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_calls, "landlock_abi", lambda: abi)
    address = f"\0secretary-{os.getpid()}-{abi}"
    with listening(address), socket.create_server(("127.0.0.1", 0)) as server:
        said = await behind_walls(speak(address), workspace, network=True)
        port = server.getsockname()[1]
        code = f"import socket; socket.create_connection(('127.0.0.1', {port})); print('open')"
        assert "open" in await behind_walls([str(PYTHON), "-c", code], workspace, network=True)
    assert "PermissionError" in said
    assert CANARY not in said


@with_python
@pytest.mark.skipif(CALLS is None, reason="the calls of this machine aren't known")
@pytest.mark.parametrize("kind", KINDS)
async def test_row_32_a_key_of_the_session_is_not_read(kind: str, workspace: Path) -> None:
    assert CALLS is not None
    add, request, keyctl = CALLS
    mine = ctypes.CDLL(None, use_errno=True)
    mine.syscall(keyctl, 1, f"secretary-{os.getpid()}".encode())
    key = mine.syscall(add, b"user", b"secretary-test", CANARY.encode(), len(CANARY), -3)
    if key < 0:
        pytest.skip("the kernel offers no keys here")
    code = (
        "import ctypes\n"
        "calls, space = ctypes.CDLL(None), ctypes.create_string_buffer(99)\n"
        f"found = calls.syscall({request}, b'user', b'secretary-test', None, -3)\n"
        f"for key in (found, {key}):\n"
        f"    calls.syscall({keyctl}, 11, key, space, 99)\n"
        "    print('read', space.value.decode())\n"
    )
    said = await behind_walls([str(PYTHON), "-c", code], workspace, kind=kind)
    assert said.split() == ["read", "read"]
