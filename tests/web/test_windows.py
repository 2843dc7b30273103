"""Each tab is a process of its own; none outlives its tab or the server, and their number ends."""

from __future__ import annotations

import json
import os
import signal

import aiohttp
import pytest

from secretary_tui.web.server import MOST_WINDOWS
from tests.waiting import until_it_holds
from tests.web.served import Served
from tests.web.tab import opened, visitor

READY = "4 agents|security-auditor"


async def test_a_tab_shows_the_app_at_its_size_and_ends_with_it(served: Served) -> None:
    async with visitor(served) as session:
        async with opened(served, session) as tab, opened(served, session) as other:
            await tab.wait_for(READY)
            await other.wait_for(READY)
            assert len(served.apps()) == 2
            await tab.websocket.send_json(["resize", {"width": 60, "height": 20}])
            tab.picture.resize(60, 20)
            await tab.wait_for(READY)
            await tab.type("\x11")
            await tab.wait_for_the_end()
            await until_it_holds(lambda: len(served.apps()) == 1)
            await other.type("still there")
            await other.wait_for("still there")
        await until_it_holds(lambda: not served.apps())


@pytest.mark.parametrize(
    ("name", "status"),
    [(signal.SIGINT, 0), (signal.SIGTERM, 128 + 15), (signal.SIGHUP, 128 + 1)],
)
async def test_the_apps_end_with_the_server(
    served: Served, name: signal.Signals, status: int
) -> None:
    async with visitor(served) as session, opened(served, session) as tab:
        await tab.wait_for(READY)
        assert await served.end(name) == status
        assert served.apps() == []
        await tab.wait_for_the_end()
    assert "Traceback" not in served.printed


async def test_the_apps_end_when_the_server_is_killed(served: Served) -> None:
    async with visitor(served) as session, opened(served, session) as tab:
        await tab.wait_for(READY)
        served.process.kill()
        served.process.communicate()
        await until_it_holds(lambda: not served.apps())


async def test_a_tab_whose_app_was_killed_says_so(served: Served) -> None:
    async with visitor(served) as session, opened(served, session) as tab:
        await tab.wait_for(READY)
        (app,) = served.apps()
        os.kill(app, signal.SIGKILL)
        await tab.wait_for_the_end()


async def test_what_a_tab_sends_wrongly_ends_that_tab_alone(served: Served) -> None:
    async with visitor(served) as session, opened(served, session) as good:
        await good.wait_for(READY)
        async with opened(served, session) as bad:
            await bad.websocket.send_str("{")
            await bad.wait_for_the_end()
        await good.type("alive")
        await good.wait_for("alive")
        size = {"width": 10**12, "height": "many"}
        await good.websocket.send_json(["resize", size])
        await good.websocket.send_json(["resize", {"width": 100, "height": 30}])
        await good.type(" and well")
        await good.wait_for("alive and well")


async def test_a_long_paste_and_half_a_character_end_no_tab(served: Served) -> None:
    async with visitor(served) as session, opened(served, session) as tab:
        await tab.wait_for(READY)
        await tab.type("look at ")
        await tab.wait_for("look at")
        pasted = "\x1b[200~" + "长" * 750_000 + "\x1b[201~"
        sent = json.dumps(["stdin", pasted])
        assert len(sent) > 4 * 1024 * 1024  # What websockets take unless told.
        await tab.websocket.send_str(sent)
        await tab.wait_for("Pasted text #1")
        await tab.websocket.send_str('["stdin", "\\ud83d"]')
        await tab.type(" still here")
        await tab.wait_for("still here")


async def test_there_are_only_so_many_tabs(served: Served) -> None:
    async with visitor(served) as session:
        tabs = [
            await session.ws_connect(f"{served.origin}/ws/{served.key}", origin=served.origin)
            for _ in range(MOST_WINDOWS)
        ]
        async with session.get(f"{served.origin}/") as answer:
            assert answer.status == 503
            assert "Close one and load this page again." in await answer.text()
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await session.ws_connect(f"{served.origin}/ws/{served.key}", origin=served.origin)
        assert refused.value.status == 503
        for tab in tabs:
            await tab.close()
    await until_it_holds(lambda: not served.apps())
