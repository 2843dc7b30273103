"""A scripted server that speaks the Anthropic Messages protocol over real HTTP and real SSE.

    steps = error(529, "overloaded_error", "Overloaded"), answer(text("Hello"))
    with ScriptedServer(*steps) as server:
        ...  # talk to server.url
    assert len(server.requests) == 2

Each step answers one `POST /v1/messages`, in order. A request beyond the script gets HTTP 500
`script_exhausted`, unless `repeat_last=True`. A test of the terminal runs it as a process of its
own: `python -m tests.servers.anthropic_server --script FILE.json` prints the address; FILE holds a
list such as `[{"step": "answer", "blocks": [{"block": "text", "text": "Hello"}]}]`.
"""

from __future__ import annotations

import argparse
import json
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

MODEL = "claude-scripted-1"
USAGE: Mapping[str, int] = {
    "input_tokens": 12,
    "output_tokens": 7,
    "cache_read_input_tokens": 0,
    "cache_creation_input_tokens": 0,
}


@dataclass(frozen=True, slots=True)
class Block:
    """One content block, and the pieces in which a stream delivers it."""

    start: Mapping[str, Any]
    """What `content_block_start` announces."""
    deltas: tuple[Mapping[str, Any], ...]
    whole: Mapping[str, Any]
    """The block as it stands in an answer that isn't streamed."""


def _pieces(content: str, chunk: int) -> list[str]:
    return [content[i : i + chunk] for i in range(0, len(content), chunk)]


def text(content: str, chunk: int = 4) -> Block:
    """A text block, streamed in pieces of `chunk` characters."""
    deltas = tuple({"type": "text_delta", "text": piece} for piece in _pieces(content, chunk))
    return Block({"type": "text", "text": ""}, deltas, {"type": "text", "text": content})


def thinking(content: str, chunk: int = 8) -> Block:
    """A thinking block with a signature."""
    pieces = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(content, chunk)]
    signature = {"type": "signature_delta", "signature": "c2lnbmF0dXJl"}
    return Block(
        {"type": "thinking", "thinking": "", "signature": ""},
        (*pieces, signature),
        {"type": "thinking", "thinking": content, "signature": signature["signature"]},
    )


_ids = iter(range(1, 1_000_000))


def tool_use(name: str, input: Any, *, id: str | None = None, raw: str | None = None) -> Block:
    """A tool call. `raw` is streamed as the input's JSON instead, for broken or cut input."""
    tool_id = id or f"toolu_{next(_ids):06d}"
    pieces = _pieces(json.dumps(input) if raw is None else raw, 16)
    head = {"type": "tool_use", "id": tool_id, "name": name}
    return Block(
        {**head, "input": {}},
        tuple({"type": "input_json_delta", "partial_json": piece} for piece in pieces),
        {**head, "input": input},
    )


def raw_block(start: Mapping[str, Any], *deltas: Mapping[str, Any]) -> Block:
    """A block of any type, known to the SDK or not."""
    return Block(start, deltas, start)


@dataclass(frozen=True, slots=True)
class Step:
    """How one request is answered; the fields after `blocks` bend a good answer into a fault."""

    blocks: tuple[Block, ...] = ()
    stop_reason: str | None = "end_turn"
    usage: Mapping[str, int] = field(default_factory=lambda: dict(USAGE))
    stop_details: Mapping[str, Any] | None = None
    status: int = 200
    body: bytes | None = None
    """Sent as it is, in place of an answer."""
    headers: Mapping[str, str] = field(default_factory=dict)
    ending: str = "complete"
    """complete, cut (clean end without message_stop), chunk_cut (the last chunk is missing), reset
    (TCP RST), no_message_stop, error, stall or hang (nothing at all is sent)."""
    stream_error: Mapping[str, str] | None = None
    stall_s: float = 0.0
    delay_s: float = 0.0
    """Pause before each event."""
    gate: threading.Event | None = None
    """Held before the last event of the first block until it is set."""
    ping_s: float = 0.0
    """Pings are sent this often while the gate is shut or the stream stalls."""


def answer(
    *blocks: Block,
    stop_reason: str | None = None,
    usage: Mapping[str, int] | None = None,
    stop_details: Mapping[str, Any] | None = None,
) -> Step:
    """A good answer; `stop_reason` is tool_use when a block is one, else end_turn."""
    calls = any(block.whole.get("type") == "tool_use" for block in blocks)
    return Step(
        blocks,
        stop_reason or ("tool_use" if calls else "end_turn"),
        usage={**USAGE, **(usage or {})},
        stop_details=stop_details,
    )


def json_answer(obj: Any, **kwargs: Any) -> Step:
    """An answer whose text is a JSON value, as structured output comes."""
    return answer(text(json.dumps(obj), chunk=24), **kwargs)


def error(status: int, type: str, message: str, retry_after: float | str | None = None) -> Step:
    """An HTTP error in Anthropic's shape."""
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    payload = {"type": "error", "error": {"type": type, "message": message}}
    return Step(status=status, body=json.dumps(payload).encode(), headers=headers)


def stream_error(type: str, after: str = "partial text", message: str = "It broke.") -> Step:
    """HTTP 200, then `event: error` in the stream; with `after=""` as the very first event."""
    blocks = (text(after),) if after else ()
    return Step(blocks, ending="error", stream_error={"type": type, "message": message})


def cut(partial: str, clean: bool = True) -> Step:
    """A stream that ends early: the body ended cleanly without message_stop, or a TCP reset."""
    return Step((text(partial),), ending="cut" if clean else "reset")


def chunk_cut(partial: str) -> Step:
    """A stream whose connection closes in the middle of the chunked body."""
    return Step((text(partial),), ending="chunk_cut")


def no_message_stop(step: Step) -> Step:
    """A good answer whose last event, message_stop, is missing."""
    return replace(step, ending="no_message_stop")


def stall(partial: str, seconds: float) -> Step:
    """A stream that falls silent for `seconds` after some text, then closes."""
    return Step((text(partial),), ending="stall", stall_s=seconds)


def hang() -> Step:
    """No answer at all, until the client goes away or the server closes."""
    return Step(ending="hang")


def slow(step: Step, delay_per_event: float) -> Step:
    """The same answer with a pause before each event."""
    return replace(step, delay_s=delay_per_event)


def wait_for(gate: threading.Event, step: Step, ping_s: float = 0.0) -> Step:
    """The same answer, held in the middle of its first block until the test sets `gate`."""
    return replace(step, gate=gate, ping_s=ping_s)


def raw(
    body: str | bytes, content_type: str = "text/event-stream", status: int = 200, **headers: str
) -> Step:
    """Any body: HTML, malformed events, nothing. Header names take `_` for `-`."""
    data = body.encode() if isinstance(body, str) else body
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Step(status=status, body=data, headers={"content-type": content_type, **named})


@dataclass(frozen=True, slots=True)
class Request:
    """One request as the server saw it."""

    method: str
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Any
    """Parsed JSON, None when there was none."""


class ScriptedServer:
    """Answers requests by a script, on a free port of 127.0.0.1, in threads of its own."""

    def __init__(
        self, *steps: Step, repeat_last: bool = False, host: str = "127.0.0.1", port: int = 0
    ) -> None:
        self._steps = list(steps)
        self._next = 0
        self._repeat_last = repeat_last
        self._changed = threading.Condition()
        self.closing = threading.Event()
        self.requests: list[Request] = []
        """Every `POST /v1/messages`, in the order of arrival."""
        self.connections_dropped = 0
        """Streams whose client went away before the end."""
        handler = type("Handler", (_Handler,), {"script": self})
        self._http = ThreadingHTTPServer((host, port), handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def url(self) -> str:
        """The base URL, without a slash at the end."""
        host, port = self._http.server_address[:2]
        return f"http://{host!s}:{port}"

    def add(self, *steps: Step) -> None:
        """Append steps to the script."""
        with self._changed:
            self._steps.extend(steps)

    def wait_until(
        self, condition: Callable[[ScriptedServer], bool], timeout: float = 10.0
    ) -> bool:
        """Block until `condition(server)` holds; looked at whenever something arrives or drops."""
        with self._changed:
            return self._changed.wait_for(lambda: condition(self), timeout)

    def wait_for_requests(self, count: int, timeout: float = 3600.0) -> bool:
        """Block until `count` requests have arrived."""
        return self.wait_until(lambda server: len(server.requests) >= count, timeout)

    def take(self, request: Request) -> Step:
        """Record a request and give the step that answers it."""
        with self._changed:
            self.requests.append(request)
            index, self._next = self._next, self._next + 1
            self._changed.notify_all()
            if index < len(self._steps):
                return self._steps[index]
            if self._repeat_last and self._steps:
                return self._steps[-1]
        return error(500, "script_exhausted", f"the script has {len(self._steps)} steps")

    def dropped(self) -> None:
        """Count a client that went away."""
        with self._changed:
            self.connections_dropped += 1
            self._changed.notify_all()

    def __enter__(self) -> ScriptedServer:
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
    protocol_version = "HTTP/1.1"
    script: ScriptedServer

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent."""

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def do_GET(self) -> None:
        self._send_body(404, b'{"type":"error","error":{"type":"not_found_error","message":"GET"}}')

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(data)
        except ValueError:
            body = None
        if self.path.split("?")[0] != "/v1/messages":
            self._send_body(404, b'{"type":"error","error":{"type":"not_found_error"}}')
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        step = self.script.take(Request("POST", self.path, headers, body))
        try:
            self._answer(step, body if isinstance(body, dict) else {})
        except OSError:
            self.close_connection = True
            if not self.script.closing.is_set():
                self.script.dropped()

    def _answer(self, step: Step, body: Mapping[str, Any]) -> None:
        if step.ending == "hang":
            self._stay_silent(None, 0.0)
        elif step.body is not None:
            self._send_body(step.status, step.body, step.headers)
        elif body.get("stream"):
            self._stream(step, str(body.get("model") or MODEL))
        else:
            self._whole(step, str(body.get("model") or MODEL))

    def _send_body(
        self, status: int, body: bytes, headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _whole(self, step: Step, model: str) -> None:
        if step.stream_error is not None:
            payload = {"type": "error", "error": dict(step.stream_error)}
            self._send_body(529, json.dumps(payload).encode())
        elif step.ending in ("cut", "chunk_cut", "reset"):
            self._reset()
        elif step.ending == "stall":
            self._stay_silent(None, step.stall_s)
        else:
            if step.gate is not None:
                self._stay_silent(step.gate, 0.0)
            message = _message(model, step.usage) | {
                "content": [dict(block.whole) for block in step.blocks],
                "stop_reason": step.stop_reason,
                "stop_details": step.stop_details,
            }
            self._send_body(200, json.dumps(message).encode())

    def _stream(self, step: Step, model: str) -> None:
        self.send_response(step.status)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for name, data in _events(step, model):
            if name == "gate":
                self._stay_silent(step.gate, 0.0, step.ping_s)
                continue
            if step.delay_s:
                self._stay_silent(None, step.delay_s)
            self._chunk(f"event: {name}\ndata: {json.dumps(data)}\n\n")
        if step.ending == "stall":
            self._stay_silent(None, step.stall_s, step.ping_s)
            self._reset()
        elif step.ending == "reset":
            self._reset()
        elif step.ending == "chunk_cut":
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, content: str) -> None:
        data = content.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def _stay_silent(
        self, gate: threading.Event | None, seconds: float, ping_s: float = 0.0
    ) -> None:
        """Wait for the gate, the time or the end of the server; notice when the client leaves."""
        end = time.monotonic() + seconds if seconds else None
        next_ping = time.monotonic() + ping_s
        self.connection.settimeout(0.02)
        try:
            while not self.script.closing.is_set():
                if gate is not None and gate.is_set():
                    return
                if end is not None and time.monotonic() >= end:
                    return
                if ping_s and time.monotonic() >= next_ping:
                    next_ping += ping_s
                    self._chunk('event: ping\ndata: {"type": "ping"}\n\n')
                try:
                    if self.connection.recv(1, socket.MSG_PEEK) == b"":
                        raise ConnectionResetError("the client went away")
                except TimeoutError:
                    continue
        finally:
            self.connection.settimeout(None)

    def _reset(self) -> None:
        """Close with a TCP RST instead of an orderly end."""
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        # The server's own orderly shutdown would send a FIN first; closing both files sends RST.
        self.rfile.close()
        self.connection.close()


def _message(model: str, usage: Mapping[str, int]) -> dict[str, Any]:
    return {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": dict(usage),
    }


def _events(step: Step, model: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The events of a stream in order; the name `gate` stands for the place to wait."""
    if step.stream_error is None or step.blocks:
        usage = {**step.usage, "output_tokens": 1}
        yield "message_start", {"type": "message_start", "message": _message(model, usage)}
    faulty = step.ending in ("cut", "chunk_cut", "reset", "stall", "error")
    for index, block in enumerate(step.blocks):
        yield (
            "content_block_start",
            {"type": "content_block_start", "index": index, "content_block": dict(block.start)},
        )
        for number, delta in enumerate(block.deltas):
            if step.gate is not None and index == 0 and number == len(block.deltas) - 1:
                yield "gate", {}
            yield (
                "content_block_delta",
                {"type": "content_block_delta", "index": index, "delta": dict(delta)},
            )
        if not faulty:
            yield "content_block_stop", {"type": "content_block_stop", "index": index}
    if step.stream_error is not None:
        yield "error", {"type": "error", "error": dict(step.stream_error)}
    if faulty:
        return
    delta = {
        "stop_reason": step.stop_reason,
        "stop_sequence": None,
        "stop_details": step.stop_details,
    }
    yield "message_delta", {"type": "message_delta", "delta": delta, "usage": dict(step.usage)}
    if step.ending != "no_message_stop":
        yield "message_stop", {"type": "message_stop"}


_BLOCKS: Mapping[str, Callable[..., Block]] = {
    "text": text,
    "thinking": thinking,
    "tool_use": tool_use,
}


def step_from_json(data: Mapping[str, Any]) -> Step:
    """Build a step from a script file's object.

    `{"step": "answer", "blocks": [{"block": "text", "content": "…"}, {"block": "tool_use",
    "name": "Read", "input": {}}]}`; `json_answer` takes `obj`; `error`, `stream_error`, `cut`,
    `chunk_cut`, `stall` and `hang` take the arguments of the functions of their names (`text` and
    `thinking` blocks accept `text` for `content`). `delay_s` slows any step down; `wait_for_file`
    holds it until that file exists.
    """
    values = dict(data)
    kind = values.pop("step", "answer")
    delay = float(values.pop("delay_s", 0.0))
    wait_path = values.pop("wait_for_file", None)
    if kind == "answer":
        blocks = [_block_from_json(block) for block in values.pop("blocks", [])]
        step = answer(*blocks, **values)
    else:
        makers: Mapping[str, Callable[..., Step]] = {
            "json_answer": json_answer,
            "error": error,
            "stream_error": stream_error,
            "cut": cut,
            "chunk_cut": chunk_cut,
            "stall": stall,
            "hang": hang,
            "raw": raw,
        }
        step = makers[kind](**values)
    step = slow(step, delay) if delay else step
    if wait_path is not None:
        gate = threading.Event()
        threading.Thread(target=_watch, args=(Path(wait_path), gate), daemon=True).start()
        step = wait_for(gate, step)
    return step


def _block_from_json(data: Mapping[str, Any]) -> Block:
    values = dict(data)
    kind = values.pop("block", "text")
    if kind != "tool_use" and "text" in values:
        values["content"] = values.pop("text")
    return _BLOCKS[kind](**values)


def _watch(path: Path, gate: threading.Event) -> None:
    while not path.exists():
        time.sleep(0.02)
    gate.set()


def main(argv: list[str] | None = None) -> int:
    """Serve a script file until standard input closes or the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--script", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--repeat-last", action="store_true")
    parser.add_argument("--log", type=Path, help="append each request's body as a line of JSON")
    options = parser.parse_args(argv)
    steps = [step_from_json(item) for item in json.loads(options.script.read_text("utf-8"))]
    with ScriptedServer(*steps, repeat_last=options.repeat_last, port=options.port) as server:
        print(server.url, flush=True)
        seen = 0
        while True:
            server.wait_for_requests(seen + 1)
            for request in server.requests[seen:]:
                seen += 1
                if options.log:
                    with options.log.open("a", encoding="utf-8") as file:
                        file.write(json.dumps({"body": request.body}) + "\n")


if __name__ == "__main__":
    sys.exit(main())
