"""A scripted server that speaks as much of llama.cpp's HTTP protocol as the embedded model needs.

    with LlamaServer(Said("It doubles x."), Said("NEED FILE a.py")) as server:
        ...  # talk to server.url with server.api_key
    assert server.asked[0]["messages"][0]["role"] == "system"

It answers `/v1/chat/completions` in its order, keeps and restores slots, and holds itself to what
the real one does: an answer that the grammar sent with a question doesn't allow is a fault of the
test, and so is a conversation whose turns don't alternate. Leaving the server raises the first.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.servers.gbnf import Grammar

PROMPT, CACHED = 300, 120
"""Tokens of every prompt, and of those the ones that were known."""
STATE = b"the state behind a prompt"


@dataclass(frozen=True, slots=True)
class Said:
    """How one question is answered."""

    text: str
    ending: str = "stop"
    """stop, length (cut off at its most tokens), reset (the connection breaks behind the text),
    unfinished (it ends behind the text, and says not how),
    refused (HTTP 400 with the text), held (nothing comes behind the text until the client goes)."""
    chunk: int = 4


class LlamaServer:
    """Answers questions by a script, on a free port of 127.0.0.1, in threads of its own."""

    api_key = "secret-of-this-test"

    def __init__(self, *script: Said) -> None:
        self._script = list(script)
        self._changed = threading.Condition()
        self.asked: list[dict[str, Any]] = []
        """The body of every question, in the order of arrival."""
        self.read: list[str] = []
        """Every system prompt that was read without a question."""
        self.slots: list[tuple[str, str]] = []
        """Every `save` or `restore`, with the file's name."""
        self.folder = Path()
        """Where slots are saved."""
        self.dropped = 0
        """Answers whose client went away before the end."""
        self.faults: list[str] = []
        handler = type("Handler", (_Handler,), {"script": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def add(self, *script: Said) -> None:
        """Append to the script."""
        self._script += script

    def forget(self) -> None:
        """Drop what is left of the script."""
        self._script.clear()

    def take(self, body: dict[str, Any]) -> Said:
        """Record a question and give what answers it."""
        with self._changed:
            self.asked.append(body)
            said = self._script.pop(0) if self._script else Said("the script is over", "refused")
        self._check(body, said)
        return said

    def _check(self, body: Mapping[str, Any], said: Said) -> None:
        roles = [message["role"] for message in body["messages"]]
        turns = ["system", *("user", "assistant") * len(roles)][: len(roles)]
        if roles != turns or roles[-1] != "user":
            self.faults.append(f"the turns are {roles}")
        if not all(message["content"].strip() for message in body["messages"]):
            self.faults.append("a message is empty")
        grammar = body.get("grammar")
        if said.ending == "stop" and grammar and not Grammar(grammar).allows(said.text):
            self.faults.append(f"{said.text!r} is not what this allows: {grammar}")

    def __enter__(self) -> LlamaServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        if self._script:
            self.faults.append(f"nobody asked for {self._script}")
        assert not self.faults, self.faults[0]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: LlamaServer

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        path, _, query = self.path.partition("?")
        if self.headers.get("authorization") != f"Bearer {self.script.api_key}":
            self._send(401, {"error": {"message": "Invalid API Key"}})
        elif path == "/slots/0":
            self._slot(query.removeprefix("action="), body["filename"])
        elif path == "/v1/chat/completions":
            self._complete(body)
        else:
            self._send(404, {"error": {"message": path}})

    def _slot(self, action: str, name: str) -> None:
        self.script.slots.append((action, name))
        path = self.script.folder / name
        if action == "save":
            path.write_bytes(STATE)
        elif path.read_bytes() != STATE:
            self._send(400, {"error": {"message": "Unable to restore slot"}})
            return
        self._send(200, {"id_slot": 0, "filename": name, "n_saved": PROMPT})

    def _complete(self, body: dict[str, Any]) -> None:
        if body["max_tokens"] == 0:
            self.script.read.append(body["messages"][0]["content"])
            said = Said("", "length")
        else:
            said = self.script.take(body)
        if said.ending == "refused":
            self._send(400, {"error": {"message": said.text}})
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.send_header("connection", "close")
        self.end_headers()
        try:
            self._stream(said)
        except OSError:
            self.script.dropped += 1
        self.close_connection = True

    def _stream(self, said: Said) -> None:
        for done in (CACHED + 80, PROMPT):
            progress = {"total": PROMPT, "cache": CACHED, "processed": done, "time_ms": 50}
            self._chunk({"choices": [{"delta": {"content": None}}], "prompt_progress": progress})
        for piece in _pieces(said):
            self._chunk({"choices": [{"delta": {"content": piece}}]})
        if said.ending == "reset":
            return  # The last chunk is missing.
        if said.ending == "held":
            self.connection.settimeout(60)
            self.rfile.read(1)
            raise ConnectionError
        if said.ending != "unfinished":
            self._chunk({"choices": [{"delta": {}, "finish_reason": said.ending}]})
        usage = {
            "prompt_tokens": PROMPT,
            "completion_tokens": len(list(_pieces(said))),
            "prompt_tokens_details": {"cached_tokens": CACHED},
        }
        self._chunk({"choices": [], "usage": usage})
        self._write(b"data: [DONE]\n\n")
        self._write(b"")

    def _chunk(self, data: Mapping[str, Any]) -> None:
        self._write(f"data: {json.dumps(data)}\n\n".encode())

    def _write(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def _send(self, status: int, data: Mapping[str, Any]) -> None:
        content = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _pieces(said: Said) -> Iterator[str]:
    for at in range(0, len(said.text), said.chunk):
        yield said.text[at : at + said.chunk]
