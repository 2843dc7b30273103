"""Nobody without the token sees anything, and no page but the server's own acts for who has it."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from secretary_tui import paths
from secretary_tui.web.gate import MOST_STRANGERS, Doorway, Gate
from tests.web.served import Served
from tests.web.tab import opened, visitor

INSIDE = b"You are in."
PATHS = (
    *(
        "/",
        "/?token=",
        "/?token=wrong",
        "/ws",
        "/page.js",
        "/page.css",
        "/download/key",
        "/nothing",
    ),
    *("/static/js/textual.js", "/static/", "/../../etc/passwd", "/static/../../server.py"),
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> object:
    folder = tmp_path_factory.mktemp("shop")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        with Served(folder) as server:
            yield server


def files_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def first_visit(served: Served, **headers: str) -> aiohttp.ClientResponse:
    async with aiohttp.ClientSession() as session:
        return await session.get(served.url, headers=headers, allow_redirects=False)


async def test_every_path_answers_403_with_a_sentence_to_whoever_has_no_token(
    shared: Served,
) -> None:
    async with aiohttp.ClientSession() as session:
        for path in PATHS:
            async with session.get(shared.origin + path, allow_redirects=False) as answer:
                said = await answer.text()
                assert (answer.status, path) == (403, path)
                assert said.startswith("This page needs the token: open the address that")
                assert "Set-Cookie" not in answer.headers


async def test_the_websocket_is_refused_without_the_cookie_and_from_another_page(
    shared: Served,
) -> None:
    async def status(session: aiohttp.ClientSession, key: str = "", **headers: str) -> int:
        key = key or shared.key or "any"
        try:
            await session.ws_connect(f"{shared.origin}/ws/{key}", headers=headers)
        except aiohttp.WSServerHandshakeError as error:
            return error.status
        return 101

    async with aiohttp.ClientSession() as stranger:
        assert await status(stranger, Origin=shared.origin) == 403
        assert await status(stranger, Origin=shared.origin, Authorization=shared.token) == 403
    async with visitor(shared) as session:
        assert await status(session, Origin="http://evil.example") == 403
        assert await status(session, Origin="null") == 403
        assert await status(session, Origin=shared.origin.replace("http:", "https:")) == 403
        assert await status(session) == 403
        # The cookie alone, which browsers send to every port of the host, opens nothing.
        assert await status(session, "guessed", Origin=shared.origin) == 403
        assert await status(session, shared.token, Origin=shared.origin) == 403
    assert shared.apps() == []


async def test_the_token_becomes_a_strict_cookie_and_leaves_the_address(shared: Served) -> None:
    answer = await first_visit(shared)
    page, key = answer.headers["Location"].split("#")
    assert (answer.status, page) == (303, "/")
    assert len(key) >= 43
    cookie = answer.headers["Set-Cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    assert shared.token not in cookie
    assert key not in cookie
    assert len(shared.token) >= 43  # 256 bits in base 64.


async def test_who_comes_from_another_site_or_file_arrives_with_the_cookie(shared: Served) -> None:
    answer = await first_visit(shared, **{"Sec-Fetch-Site": "cross-site"})
    assert answer.status == 200
    assert answer.headers["Refresh"].startswith("0; url=/#")
    assert "Set-Cookie" in answer.headers


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "127.0.0.1.evil.example", "evil.example:80", "localhost.evil.example"),
        *("127.0.0.1:1;x", "a@127.0.0.1", "", "127.0.0.1/x", "[::1"),
    ],
)
async def test_a_foreign_host_name_is_refused_even_with_the_cookie(
    shared: Served, host: str
) -> None:
    async with visitor(shared) as session:
        answer = await session.get(f"{shared.origin}/", headers={"Host": host})
        assert answer.status == 403
        assert "does not answer to that name" in await answer.text()
        assert ";x" not in answer.headers["Content-Security-Policy"]


async def test_a_request_of_another_page_is_refused_even_with_the_cookie(shared: Served) -> None:
    async with visitor(shared) as session:
        headers = {"Origin": "http://127.0.0.1:1"}
        async with session.get(f"{shared.origin}/page.js", headers=headers) as answer:
            assert answer.status == 403


async def test_every_answer_forbids_what_is_not_of_this_server(shared: Served) -> None:
    async with visitor(shared) as session:
        for path in ("/", "/page.js", "/static/js/textual.js", "/nothing"):
            async with session.get(shared.origin + path) as answer:
                policy = answer.headers["Content-Security-Policy"]
                assert "default-src 'none'" in policy
                assert "script-src 'self';" in policy
                assert "frame-ancestors 'none'" in policy
                assert answer.headers["Referrer-Policy"] == "no-referrer"
                assert answer.headers["Cache-Control"] == "no-store"
                assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize(
    "sent",
    [
        b"GARBAGE \x00\xff\r\n\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
        b"GET /?token=%ff%fe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /?token=\xc3\xa9 HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: a=\xff\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\n\r\nx",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
    ],
)
async def test_no_request_by_hand_is_let_in_or_breaks_the_server(
    served: Served, sent: bytes
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(served.origin.split(":")[2]))
    writer.write(sent)
    status = (await reader.readline()).split(b" ")[1]
    writer.close()
    assert status in (b"400", b"403")
    assert await served.end(signal.SIGINT) == 0
    assert "Traceback" not in served.printed


async def test_the_websocket_s_path_is_for_websockets(shared: Served, home: Path) -> None:
    async with (
        visitor(shared) as session,
        session.get(f"{shared.origin}/ws/{shared.key}") as answer,
    ):
        assert answer.status == 400
    assert not (paths.state_dir() / "secretary-tui.log").exists()


async def test_a_zone_in_a_host_writes_nothing_into_the_policy(shared: Served) -> None:
    async with visitor(shared) as session:
        hostile = {"Host": "[fe80::1%;script-src *]"}
        async with session.get(f"{shared.origin}/", headers=hostile) as answer:
            assert answer.status == 403
            assert "script-src *" not in answer.headers["Content-Security-Policy"]


async def test_strangers_who_ask_half_a_question_leave_room_for_the_tabs(served: Served) -> None:
    port = int(served.origin.split(":")[2])
    async with visitor(served) as session, opened(served, session) as tab:
        await tab.wait_for("security-auditor")
        strangers = []
        for _ in range(MOST_STRANGERS + 8):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            with suppress(ConnectionError):
                writer.write(b"GET / HT")
                await writer.drain()
            strangers.append((reader, writer))
        with suppress(ConnectionError):
            assert await strangers[-1][0].read() == b""
        await tab.type("still here")
        await tab.wait_for("still here")
        for _, writer in strangers:
            writer.close()


async def inside(request: web.Request) -> web.Response:
    return web.Response(body=INSIDE)


async def test_a_stranger_is_shown_out_and_a_visitor_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secretary_tui.web.gate.PATIENCE_S", 1.0)
    door, gate = Doorway(), Gate()
    app = web.Application(middlewares=[gate.middleware(), door.middleware()])
    app.router.add_get("/", inside)
    runner = web.AppRunner(app)
    await runner.setup()
    handlers = runner.server
    assert handlers is not None
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: door.enter(handlers()), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    stranger, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")  # Refused, and kept alive.
    visiting, asking = await asyncio.open_connection("127.0.0.1", port)
    asking.write(f"GET /?token={gate.token} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    head = (await visiting.readuntil(b"\r\n\r\n")).decode()
    cookie = head.partition("Set-Cookie: ")[2].partition(";")[0]
    ask = f"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n".encode()
    asking.write(ask)
    assert b"200 OK" in await visiting.readuntil(b"\r\n")
    with suppress(ConnectionError):
        assert b"403" in await stranger.read()  # To its end: it was closed.
    await visiting.readuntil(INSIDE)
    asking.write(ask)
    assert b"200 OK" in await visiting.readuntil(b"\r\n")
    asking.close()
    writer.close()
    server.close()
    await runner.cleanup()


async def test_two_servers_on_one_machine_keep_their_visitors_apart(
    shared: Served, project: Path
) -> None:
    with Served(project) as other:
        async with visitor(shared) as session:
            async with session.get(f"{other.origin}/") as answer:
                assert answer.status == 403
            async with session.get(f"{other.origin}/?token={shared.token}") as answer:
                assert answer.status == 403
            async with session.get(other.url) as answer:
                assert answer.status == 200
            async with session.get(f"{shared.origin}/") as answer:
                assert answer.status == 200


async def test_the_token_is_printed_once_and_stands_in_no_log(served: Served, home: Path) -> None:
    async with visitor(served) as session:
        await session.get(f"{served.origin}/?token={served.token}&x=1")
    assert await served.end(signal.SIGINT) == 0
    assert served.printed.count(served.token) == 1
    assert not [path for path in files_of(home) if served.token.encode() in path.read_bytes()]
