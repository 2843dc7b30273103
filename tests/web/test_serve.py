"""The verb: what it says, how it opens the browser, and what a closed tab leaves behind."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from secretary_tui import paths
from secretary_tui.verbs.serve import is_loopback
from tests.servers.anthropic_server import ScriptedServer, answer, hang, text
from tests.verbs.command_line import cli
from tests.waiting import until_it_holds
from tests.web import chromium
from tests.web.served import Served
from tests.web.tab import opened, visitor

WITHOUT_THE_EXTRA = """\
import sys
sys.modules["textual_serve"] = None
from secretary_tui.cli import main
sys.exit(main(["serve"]))
"""


def is_private(path: Path) -> bool:
    return path.stat().st_mode & 0o077 == 0


def files_of(folder: Path, pattern: str) -> list[Path]:
    return list(folder.glob(pattern))


def test_without_the_extra_it_says_how_to_install_it(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_EXTRA],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == (
        "secretary-tui: serving a browser needs the extra `web`; install it with "
        "`pip install 'secretary-tui[web]'`.\n"
    )


def test_a_port_that_is_taken_is_a_sentence(project: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = cli("serve", "--port", str(port), cwd=project)
    assert done.status == 2
    assert f"cannot listen on 127.0.0.1, port {port}: " in done.err
    assert "Take another --port (0 for a free one) or --host." in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--port", "70000"), "'70000' is not a port, a number from 0 to 65535"),
        (("--host", "no.such.host.invalid"), "cannot listen on no.such.host.invalid"),
        (("--public-url", "my.host"), "--public-url: my.host is not the address of a host"),
        (("--public-url", "https://my.host/path"), "is not the address of a host, such as https:"),
        (("--public-url", "ftp://my.host"), "is not the address of a host"),
    ],
)
def test_what_can_not_be_served_is_a_sentence(
    project: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = cli("serve", *arguments, cwd=project)
    assert done.status == 2
    assert said in done.err


@pytest.mark.parametrize(
    ("host", "answer"),
    [
        *(("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True)),
        *(("0.0.0.0", False), ("::", False), ("192.0.2.1", False), ("my.host", False)),
    ],
)
def test_only_loopback_is_taken_for_loopback(host: str, answer: bool) -> None:
    assert is_loopback(host) is answer


async def test_other_machines_are_warned_about_and_a_proxy_is_answered(project: Path) -> None:
    with Served(project, "--host", "0.0.0.0", "--public-url", "https://my.host") as server:
        assert server.origin == "https://my.host"
        assert await server.end(signal.SIGTERM) == 128 + signal.SIGTERM
    assert "Other machines can reach 0.0.0.0. Without TLS everything can be read" in server.printed


async def test_the_browser_is_opened_by_a_file_so_that_no_list_of_processes_shows_the_token(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = chromium.find()
    if program is None:
        pytest.skip(f"there is no Chromium here (looked for {', '.join(chromium.NAMES)})")
    seen = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {seen}.new && mv {seen}.new {seen}\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(browser))
    with Served(project, "--open") as server:
        await until_it_holds(seen.exists)
        address = seen.read_text()
        assert server.token not in address
        page = Path(address.removeprefix("file://"))
        assert is_private(page)
        async with chromium.chromium(program, tmp_path / "profile") as tab:
            await tab.command("Page.navigate", url=address)
            await tab.wait_for("security-auditor")
            assert await tab.evaluate("location.href") == f"{server.origin}/"
        assert await server.end(signal.SIGINT) == 0
    assert not files_of(paths.state_dir(), "open-*")


async def test_a_run_whose_tab_is_closed_is_in_the_history(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(hang(), answer(text("unused"))) as model:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "for-the-test")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", model.url)
        with Served(project) as server:
            async with visitor(server) as session, opened(server, session) as tab:
                await tab.wait_for("security-auditor")
                await tab.type("@security-auditor look at the login code")
                await tab.wait_for("look at the login code")
                await tab.type("\r")
                await tab.wait_for("Enter accept")
                await tab.type_until("\r", "Esc interrupt")
                assert await asyncio.to_thread(model.wait_for_requests, 1, 20), tab.picture.text()
            await until_it_holds(lambda: not server.apps())
    listed = cli("sessions", "--json", cwd=project).json["sessions"]
    assert [(run["agent"], run["outcome"]) for run in listed] == [
        ("security-auditor", "interrupted")
    ]
