"""A tab without a browser: the cookie, the websocket, and the screen that its bytes paint."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

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

    @property
    def size(self) -> tuple[int, int]:
        return self._screen.columns, self._screen.lines

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)


class Tab:
    """What a browser's script does with the websocket."""

    def __init__(self, websocket: aiohttp.ClientWebSocketResponse) -> None:
        self.websocket = websocket
        self.picture = Picture(100, 30)
        self.closed = False
        self._news = asyncio.Event()

    async def listen(self) -> None:
        async for message in self.websocket:
            if message.type is aiohttp.WSMsgType.BINARY:
                self.picture.feed(message.data)
                self._news.set()
        self.closed = True
        self._news.set()

    async def shows(self, pattern: str, within_s: float) -> bool:
        """Whether a regular expression comes onto the screen."""
        return await self._comes(lambda: re.search(pattern, self.picture.text()), within_s)

    async def wait_for(self, pattern: str) -> None:
        """Wait until a regular expression is on the screen."""
        assert await self.shows(pattern, 20), self.picture.text()

    async def wait_for_the_end(self) -> None:
        assert await self._comes(lambda: self.closed, 20), self.picture.text()

    async def type_until(self, text: str, pattern: str) -> None:
        """Type something again and again until it worked: panels ignore the first half second."""
        for _ in range(20):
            await self.type(text)
            if await self.shows(pattern, 1):
                return
        raise AssertionError(self.picture.text())

    async def _comes(self, condition: Callable[[], object], within_s: float) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while not condition():
                    self._news.clear()
                    await self._news.wait()
        return bool(condition())

    async def type(self, text: str) -> None:
        await self.websocket.send_json(["stdin", text])


@asynccontextmanager
async def visitor(served: Served) -> AsyncIterator[aiohttp.ClientSession]:
    """Somebody who came with the token and has the cookie."""
    jar = aiohttp.CookieJar(unsafe=True)  # Else it keeps no cookies of bare addresses.
    async with aiohttp.ClientSession(cookie_jar=jar) as session:
        async with session.get(served.url) as page:
            assert page.status == 200
            served.key = page.history[0].headers["Location"].removeprefix("/#")
        yield session


@asynccontextmanager
async def opened(served: Served, session: aiohttp.ClientSession) -> AsyncIterator[Tab]:
    """A tab of that visitor."""
    async with session.ws_connect(
        f"{served.origin}/ws/{served.key}?width=100&height=30", origin=served.origin
    ) as websocket:
        tab = Tab(websocket)
        listener = asyncio.create_task(tab.listen())
        yield tab
        listener.cancel()
