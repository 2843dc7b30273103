"""A server for one file over real HTTP: ranges, cuts in the middle, wrong content, refusals."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


class FileServer:
    """Serves `content` at any path of a free port of 127.0.0.1.

    `cuts` gives, request by request, after how many bytes the connection breaks; later requests
    are answered whole. `hold_after` keeps a request open after that many bytes until closing.
    """

    def __init__(
        self,
        content: bytes,
        *,
        cuts: Sequence[int] = (),
        ranges: bool = True,
        status: int = 200,
        hold_after: int | None = None,
    ) -> None:
        self.content = content
        self.cuts = list(cuts)
        self.ranges = ranges
        self.status = status
        self.hold_after = hold_after
        self.closing = threading.Event()
        self.requested: list[str] = []
        """The Range header of each request, empty without one."""
        handler = type("Handler", (_Handler,), {"served": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def url(self) -> str:
        """Where the file is."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/model.gguf"

    def __enter__(self) -> FileServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()


class _Handler(BaseHTTPRequestHandler):
    served: FileServer

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent."""

    def do_GET(self) -> None:
        served = self.served
        wanted = self.headers.get("range", "")
        served.requested.append(wanted)
        found = re.fullmatch(r"bytes=(\d+)-", wanted) if served.ranges else None
        start = int(found[1]) if found else 0
        data = served.content[start:]
        status = served.status if served.status != 200 else (206 if found else 200)
        self.send_response(status)
        if found:
            total = len(served.content)
            self.send_header("content-range", f"bytes {start}-{total - 1}/{total}")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if served.cuts:
            data = data[: served.cuts.pop(0)]
        if served.hold_after is not None:
            self.wfile.write(data[: served.hold_after])
            self.wfile.flush()
            served.closing.wait()
            return
        self.wfile.write(data)
