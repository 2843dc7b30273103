"""`trust`, and what `run` does in a folder that isn't trusted."""

from __future__ import annotations

from pathlib import Path

import pytest

from secretary_tui.delegation.permissions.folder_trust import is_trusted
from tests.servers.anthropic_server import ScriptedServer, answer, text
from tests.verbs.command_line import cli, write_library

REQUEST = "Review the authentication code for security vulnerabilities"


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """A project that nobody has said anything about."""
    folder = tmp_path / "stranger"
    folder.mkdir()
    return write_library(folder)


def run(folder: Path, server: ScriptedServer, *options: str) -> tuple[int, str, str]:
    env = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": server.url}
    done = cli("run", REQUEST, "--agent", "security-reviewer", *options, cwd=folder, env=env)
    return done.status, done.out, done.err


def test_a_run_in_an_untrusted_folder_is_refused_and_sends_nothing(stranger: Path) -> None:
    with ScriptedServer(answer(text("Done."))) as server:
        for options in ((), ("--yes",), ("--permission-mode", "plan")):
            status, out, err = run(stranger, server, *options)
            assert (status, out) == (5, "")
            assert "is not trusted yet" in err
            assert "secretary-tui trust" in err
        assert not server.requests


def test_trust_for_a_single_run_is_not_remembered(stranger: Path) -> None:
    with ScriptedServer(answer(text("Done."))) as server:
        status, out, _ = run(stranger, server, "--trust")
    assert (status, out) == (0, "Done.\n")
    assert not is_trusted(stranger)


def test_trust_is_given_listed_and_taken_back(stranger: Path) -> None:
    assert "is trusted" in cli("trust", cwd=stranger).out
    assert "already trusted" in cli("trust", stranger, cwd=stranger.parent).out
    with ScriptedServer(answer(text("Done."))) as server:
        assert run(stranger, server)[0] == 0
    assert f"{stranger}" in cli("trust", "--list", cwd=stranger).out
    assert "no longer trusted" in cli("trust", "--remove", cwd=stranger).out
    assert "was not trusted" in cli("trust", "--remove", cwd=stranger).out
    assert "No folder" in cli("trust", "--list", cwd=stranger).err
    assert cli("trust", "nowhere", cwd=stranger).status == 2


def test_looking_around_needs_no_trust(stranger: Path) -> None:
    assert cli("match", REQUEST, "--offline", cwd=stranger).status == 0
    assert cli("agents", cwd=stranger).status == 0
