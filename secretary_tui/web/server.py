"""The web server: one page, the files it needs, and a websocket for each tab's app."""

from __future__ import annotations

import asyncio
import contextlib
import html
import logging
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from textual_serve.server import Server

from secretary_tui.fault_log import log_fault
from secretary_tui.web.gate import NEEDS_ENTRY, Doorway, Gate
from secretary_tui.web.window import Window
from secretary_tui.web.window_process import WindowProcess, cells

MOST_WINDOWS = 8
"""Tabs that are open at once; each is a process of 60 MB and more."""
HEARTBEAT_S = 15.0
"""A browser that doesn't answer for this long is gone."""
LONGEST_MESSAGE = 32 * 1024 * 1024
"""Bytes of a message of a tab: a longer paste ends it."""
GOODBYE_S = 2.0
"""How long a browser may take to answer that its websocket is closed."""
TOO_MANY = (
    f"{MOST_WINDOWS} tabs are open, and more would be too many processes. Close one and load this "
    "page again.\n"
)
_ROOM = Path(__file__).parent
_PAGE = _ROOM / "page.html"


@dataclass(frozen=True, slots=True)
class Place:
    """Where to serve."""

    host: str
    port: int
    """0 takes a free one."""
    public_url: str = ""
    """Where browsers reach it, such as `https://my.host`, when a proxy stands before it."""


class WebServer(Server):
    """Serves the screen; every tab has an app of its own."""

    def __init__(self, window: Window, gate: Gate, title: str) -> None:
        super().__init__("", title=title)
        self._window = window
        self._gate = gate
        self._doorway = Doorway()
        self._windows: set[WindowProcess] = set()

    async def run(self, place: Place, started: Callable[[str], None]) -> signal.Signals:
        """Serve until a signal; gives it. `started` gets the address without the token.

        Raises:
            OSError: nothing can be served there.
        """
        stopped: asyncio.Future[signal.Signals] = asyncio.get_running_loop().create_future()
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(name, self._stop, name, stopped)
        # No log of requests: the first of each browser holds the token.
        app = await self._make_app()
        runner = web.AppRunner(app, access_log=None, logger=_own_logger(), shutdown_timeout=1.0)
        await runner.setup()
        listening: asyncio.Server | None = None
        try:
            handlers = runner.server
            assert handlers is not None
            listening = await asyncio.get_running_loop().create_server(
                lambda: self._doorway.enter(handlers()), place.host, place.port
            )
            started(place.public_url or _url(place.host, listening.sockets[0].getsockname()[1]))
            return await stopped
        finally:
            if listening is not None:
                listening.close()
            await asyncio.gather(*(window.stop() for window in list(self._windows)))
            await runner.cleanup()

    def _stop(self, name: signal.Signals, stopped: asyncio.Future[signal.Signals]) -> None:
        if not stopped.done():
            stopped.set_result(name)
            return
        for window in self._windows:  # Said twice: nobody waits any longer.
            window.kill(signal.SIGKILL)

    async def _make_app(self) -> web.Application:
        app = web.Application(middlewares=[self._gate.middleware(), self._doorway.middleware()])
        app.on_response_prepare.append(self._gate.add_headers)
        app.add_routes(
            [
                web.get("/", self.handle_page),
                web.get("/ws/{key}", self.handle_websocket),
                web.get("/page.js", self.handle_file),
                web.get("/page.css", self.handle_file),
                web.static("/static", self.statics_path),
            ]
        )
        return app

    @staticmethod
    async def handle_file(request: web.Request) -> web.FileResponse:
        """A file of the page."""
        return web.FileResponse(_ROOM / request.path.removeprefix("/"))

    async def handle_page(self, request: web.Request) -> web.Response:
        """The page that holds the terminal."""
        if len(self._windows) >= MOST_WINDOWS:
            return web.Response(status=503, text=TOO_MANY)
        values = {
            "title": self.title,
            "websocket": f"{self._gate.websocket_origin(request)}/ws",
        }
        page = _PAGE.read_text(encoding="utf-8")
        for name, value in values.items():
            page = page.replace(f"{{{name}}}", html.escape(value))
        return web.Response(text=page, content_type="text/html")

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """A tab: its app starts, and ends with it."""
        if not self._gate.fits(request.match_info["key"]):
            raise web.HTTPForbidden(text=f"{NEEDS_ENTRY}.\n")
        if len(self._windows) >= MOST_WINDOWS:
            raise web.HTTPServiceUnavailable(text=TOO_MANY)
        websocket = web.WebSocketResponse(
            heartbeat=HEARTBEAT_S, timeout=GOODBYE_S, max_msg_size=LONGEST_MESSAGE
        )
        if not websocket.can_prepare(request):
            raise web.HTTPBadRequest(text="Only the page itself asks for this.\n")
        window = WindowProcess(self._window, websocket)
        self._windows.add(window)
        try:
            await websocket.prepare(request)
            width, height = request.query.get("width"), request.query.get("height")
            await window.start(cells(width, 80), cells(height, 24))
            async for message in websocket:
                if message.type is web.WSMsgType.TEXT:
                    await _take(message.json(), websocket, window)
        except ConnectionError:
            pass
        except Exception as error:  # A face: what a tab sends must not end the others.
            log_fault(error, "serve")
        finally:
            ending = asyncio.ensure_future(window.stop())
            try:
                await asyncio.shield(ending)
            finally:
                self._windows.discard(window)
                with contextlib.suppress(ConnectionError):
                    await websocket.close()
        return websocket


async def _take(said: object, websocket: web.WebSocketResponse, window: WindowProcess) -> None:
    """Carry out what the page's script says.

    Raises:
        ValueError: it says nothing of the kind.
    """
    match said:
        case ["stdin", str(typed)]:
            await window.send_bytes(typed.encode("utf-8", "replace"))  # A half character, too.
        case ["resize", {"width": width, "height": height}]:
            await window.set_terminal_size(cells(width, 80), cells(height, 24))
        case ["ping", sent]:
            await websocket.send_json(["pong", sent])
        case ["focus", *_]:
            await window.focus()
        case ["blur", *_]:
            await window.blur()
        case _:
            raise ValueError("a tab sent what its page does not send")


class _Faults(logging.Handler):
    """Keeps faults of ours. What is wrong with a request is no fault, and may hold the token."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and not isinstance(error, HttpProcessingError | ConnectionError):
            log_fault(error, "serve")


def _own_logger() -> logging.Logger:
    """What aiohttp complains to; nothing of it reaches the terminal."""
    logger = logging.getLogger("secretary_tui.web")
    logger.propagate = False
    logger.handlers = [_Faults()]
    return logger


def _url(host: str, port: int) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}"
