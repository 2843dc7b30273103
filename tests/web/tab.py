"""A tab without a browser: the cookie, the websocket, and the screen that its bytes paint."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pyte

from tests.web.served import Served

_UNKNOWN = re.compile(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]")
"""Private-mode sequences that pyte would print."""


class Picture:
    """What a terminal would show of some bytes."""

    def __init__(self, columns: int, rows: int) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)

    def feed(self, data: bytes) -> None:
        self._stream.feed(_UNKNOWN.sub(b"", data))

    def resize(self, columns: int, rows: int) -> None:
        self._screen.resize(rows, columns)

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)


class Tab:
    """What a browser's script does with the websocket."""

    def __init__(self, websocket: aiohttp.ClientWebSocketResponse) -> None:
        self.websocket = websocket
        self.picture = Picture(100, 30)
        self.closed = False

    async def read(self) -> None:
        message = await self.websocket.receive(timeout=20)
        if message.type is aiohttp.WSMsgType.BINARY:
            self.picture.feed(message.data)
        elif message.type is not aiohttp.WSMsgType.TEXT:
            self.closed = True

    async def wait_for(self, pattern: str) -> str:
        """Wait until a regular expression is on the screen; gives the screen."""
        while not re.search(pattern, self.picture.text()):
            assert not self.closed, self.picture.text()
            await self.read()
        return self.picture.text()

    async def wait_for_the_end(self) -> None:
        while not self.closed:
            await self.read()

    async def type(self, text: str) -> None:
        await self.websocket.send_json(["stdin", text])


@asynccontextmanager
async def visitor(served: Served) -> AsyncIterator[aiohttp.ClientSession]:
    """Somebody who came with the token and has the cookie."""
    jar = aiohttp.CookieJar(unsafe=True)  # Else it keeps no cookies of bare addresses.
    async with aiohttp.ClientSession(cookie_jar=jar) as session:
        async with session.get(served.url) as page:
            assert page.status == 200
        yield session


@asynccontextmanager
async def opened(served: Served, session: aiohttp.ClientSession) -> AsyncIterator[Tab]:
    """A tab of that visitor."""
    async with session.ws_connect(
        f"{served.origin}/ws?width=100&height=30", origin=served.origin
    ) as websocket:
        yield Tab(websocket)
