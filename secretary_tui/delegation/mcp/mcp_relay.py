"""Stand between an agent that starts MCP servers itself and a server that we hold.

Started by path with nothing of the program imported: `python -I -S mcp_relay.py PORT`, with a word
in `SECRETARY_TUI_RELAY` that only the agent was told. What comes in is passed on, both ways.
"""

from __future__ import annotations

import os
import socket
import sys
import threading

WORD = "SECRETARY_TUI_RELAY"
_CHUNK = 1 << 16


def main() -> None:
    """Pass on until one side has ended."""
    link = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    link.sendall(os.environ.get(WORD, "").encode() + b"\n")
    # It may stand in a read for ever, and must not keep the process.
    threading.Thread(target=_tell, args=(link,), daemon=True).start()
    while chunk := link.recv(_CHUNK):
        while chunk:
            chunk = chunk[os.write(1, chunk) :]


def _tell(link: socket.socket) -> None:
    try:
        while chunk := os.read(0, _CHUNK):
            link.sendall(chunk)
        link.shutdown(socket.SHUT_WR)
    except OSError:
        """The other side is gone, and the answer ends, too."""


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"The tools can't be reached: {error.strerror}.")
