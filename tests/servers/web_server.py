"""A small web server for tests: each path answers as it was told, and every request is kept."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType


@dataclass(frozen=True, slots=True)
class Reply:
    """What one path answers."""

    body: bytes = b""
    content_type: str = "text/html"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    endless: bool = False
    """Whether the body is sent again and again until the client goes away."""
    hold: threading.Event | None = None
    """Nothing is sent before it is set."""


class WebServer:
    """Serves on a free port of 127.0.0.1, in threads of its own."""

    def __init__(self, pages: Mapping[str, Reply], tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[tuple[str, Mapping[str, str]]] = []
        """Path and headers (names in lower case) of every request."""
        self.arrived = threading.Event()
        """Set by the first request."""
        self._pages = pages
        parts = {"pages": pages, "requests": self.requests, "arrived": self.arrived}
        handler = type("Handler", (_Handler,), parts)
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        if tls is not None:
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True)
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._http.server_address[1])

    def __enter__(self) -> WebServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for page in self._pages.values():
            if page.hold is not None:
                page.hold.set()
        self._http.shutdown()
        self._http.server_close()


class _Handler(BaseHTTPRequestHandler):
    pages: Mapping[str, Reply]
    requests: list[tuple[str, Mapping[str, str]]]
    arrived: threading.Event
    log_message: Callable[..., None] = lambda *_: None

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.do_GET()

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.requests.append((self.path, headers))
        self.arrived.set()
        reply = self.pages.get(self.path.partition("?")[0], Reply(b"no", status=404))
        if reply.hold is not None:
            reply.hold.wait(20)
        self.send_response(reply.status)
        self.send_header("content-type", reply.content_type)
        if not reply.endless:
            self.send_header("content-length", str(len(reply.body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(reply.body)
            while reply.endless:
                self.wfile.write(reply.body)
        except OSError:
            pass
