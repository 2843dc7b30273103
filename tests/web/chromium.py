"""A headless Chromium, driven through its DevTools protocol: no driver has to be installed."""

from __future__ import annotations

import asyncio
import base64
import itertools
import os
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import aiohttp

from tests.web.tab import Picture

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
KEYS = {
    "Enter": {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"},
    "Escape": {"key": "Escape", "code": "Escape", "windowsVirtualKeyCode": 27},
    "Tab": {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9},
}
WAIT_S = 20.0
CONTROL = 2
"""DevTools' bit for the Ctrl key."""


def find() -> str | None:
    """The browser, or None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Page:
    """One page: what it asked for, what it complained about, and what its websocket painted."""

    def __init__(self, websocket: aiohttp.ClientWebSocketResponse, session: str) -> None:
        self._websocket, self._session = websocket, session
        self._numbers = itertools.count(10)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._news = asyncio.Event()
        self.picture = Picture(100, 30)
        self.asked_for: list[str] = []
        self.complaints: list[str] = []
        self.opened: list[str] = []

    async def listen(self) -> None:
        async for message in self._websocket:
            told = message.json()
            if "id" in told:
                self._waiting.pop(told["id"]).set_result(told)
            else:
                self._hear(told["method"], told["params"])
            self._news.set()

    def _hear(self, method: str, params: dict[str, Any]) -> None:
        match method:
            case "Network.webSocketFrameReceived" if params["response"]["opcode"] == 2:
                self.picture.feed(base64.b64decode(params["response"]["payloadData"]))
            case "Network.requestWillBeSent":
                self.asked_for.append(params["request"]["url"])
            case "Network.webSocketCreated":
                self.asked_for.append(params["url"])
                size = parse_qs(urlsplit(params["url"]).query)
                self.picture.resize(int(size["width"][0]), int(size["height"][0]))
            case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                self.complaints.append(params["entry"]["text"])
            case "Runtime.exceptionThrown":
                self.complaints.append(params["exceptionDetails"]["text"])
            case "Page.windowOpen":
                self.opened.append(params["url"])

    async def command(self, method: str, **params: Any) -> Any:
        number = next(self._numbers)
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        order = {"id": number, "method": method, "params": params, "sessionId": self._session}
        await self._websocket.send_json(order)
        told = await answer
        assert "error" not in told, told
        return told["result"]

    async def evaluate(self, expression: str) -> Any:
        done = await self.command(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        return done["result"].get("value")

    async def type(self, text: str) -> None:
        for letter in text:
            await self.command("Input.dispatchKeyEvent", type="keyDown", text=letter, key=letter)
            await self.command("Input.dispatchKeyEvent", type="keyUp", key=letter)

    async def press(self, key: str, modifiers: int = 0) -> None:
        named = KEYS.get(key) or {
            "key": key,
            "code": f"Key{key.upper()}",
            "windowsVirtualKeyCode": ord(key.upper()),
        }
        await self.command("Input.dispatchKeyEvent", type="keyDown", modifiers=modifiers, **named)
        await self.command("Input.dispatchKeyEvent", type="keyUp", modifiers=modifiers, **named)

    async def shows(self, pattern: str, within_s: float) -> bool:
        """Whether a regular expression comes into the terminal of the page."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while not re.search(pattern, self.picture.text()):
                    self._news.clear()
                    await self._news.wait()
        return re.search(pattern, self.picture.text()) is not None

    async def wait_for(self, pattern: str) -> None:
        """Wait until a regular expression is in the terminal of the page."""
        assert await self.shows(pattern, WAIT_S), self.picture.text()

    async def press_until(self, key: str, pattern: str) -> None:
        """Press a key again and again until it worked: panels ignore the first half second."""
        for _ in range(20):
            await self.press(key)
            if await self.shows(pattern, 1.0):
                return
        raise AssertionError(self.picture.text())

    async def click(self, text: str) -> None:
        """Click on a text of the terminal."""
        rows = self.picture.text().split("\n")
        y = next(number for number, row in enumerate(rows) if text in row)
        box = await self.evaluate(
            "(({width, height}) => [width, height])"
            "(document.querySelector('.xterm-screen').getBoundingClientRect())"
        )
        columns, lines = self.picture.size
        place = {
            "x": box[0] * (rows[y].index(text) + 1.5) / columns,
            "y": box[1] * (y + 0.5) / lines,
        }
        await self.command("Input.dispatchMouseEvent", type="mouseMoved", **place)
        for kind in ("mousePressed", "mouseReleased"):
            await self.command(
                "Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place
            )

    async def wait_until_opened(self, url: str) -> None:
        """Wait until the page opened an address in a tab of its own."""
        async with asyncio.timeout(WAIT_S):
            while url not in self.opened:
                self._news.clear()
                await self._news.wait()

    async def wait_until(self, expression: str) -> None:
        """Wait until some JavaScript of the page is true."""
        look = f"const look = async () => (await ({expression})) ? done() : setTimeout(look, 50)"
        async with asyncio.timeout(WAIT_S):
            await self.evaluate(f"new Promise(done => {{ {look}; look() }})")

    async def screenshot(self) -> bytes:
        done = await self.command("Page.captureScreenshot", format="png")
        return base64.b64decode(done["data"])


@asynccontextmanager
async def chromium(program: str, profile: Path) -> AsyncIterator[Page]:
    """A browser with one empty page; it reaches nothing but this machine."""
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    process = await asyncio.create_subprocess_exec(
        program,
        *("--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}"),
        *("--no-first-run", "--disable-background-networking", "--disable-component-update"),
        *("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--window-size=1000,700"),
        *("--enable-unsafe-swiftshader", "--disable-dev-shm-usage", *sandbox, "about:blank"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert process.stderr is not None
        address = ""
        while not address:
            line = (await process.stderr.readline()).decode()
            assert line, "the browser ended"
            address = line.partition("DevTools listening on ")[2].strip()
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(address, max_msg_size=0) as websocket,
        ):
            page = await _first_page(websocket)
            listener = asyncio.create_task(page.listen())
            for domain in ("Page", "Runtime", "Network", "Log"):
                await page.command(f"{domain}.enable")
            yield page
            listener.cancel()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, 9)
        await process.communicate()


async def _first_page(websocket: aiohttp.ClientWebSocketResponse) -> Page:
    async def ask(number: int, method: str, **params: Any) -> Any:
        await websocket.send_json({"id": number, "method": method, "params": params})
        while (told := await websocket.receive_json()).get("id") != number:
            pass
        return told["result"]

    targets = await ask(1, "Target.getTargets")
    target = next(one for one in targets["targetInfos"] if one["type"] == "page")
    attached = await ask(2, "Target.attachToTarget", targetId=target["targetId"], flatten=True)
    return Page(websocket, attached["sessionId"])
