"""Who may stand in the doorway: connections that have not shown the token are few, and soon gone.

Any program of the machine can connect to a port on loopback, ask half a question and stay; enough
of them, and there is no descriptor left for the tabs.
"""

from __future__ import annotations

import asyncio
from typing import cast

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

MOST_STRANGERS = 128
"""Connections at once; a browser opens six."""
PATIENCE_S = 10.0
"""How long one of them may take to show the token or the cookie."""


class Doorway:
    """Keeps count of connections."""

    def __init__(self) -> None:
        self._strangers: set[web.RequestHandler] = set()

    def middleware(self) -> Middleware:
        """Behind the gate: whose request comes here is known, and may stay."""

        @web.middleware
        async def know(request: web.Request, handler: Handler) -> web.StreamResponse:
            self._strangers.discard(request.protocol)
            return await handler(request)

        return know

    def enter(self, handler: web.RequestHandler) -> asyncio.Protocol:
        """What speaks on a new connection: its handler, or nobody when too many stand here."""
        if len(self._strangers) >= MOST_STRANGERS:
            return _Nobody()
        self._strangers.add(handler)
        asyncio.get_running_loop().call_later(PATIENCE_S, self._show_out, handler)
        return handler

    def _show_out(self, handler: web.RequestHandler) -> None:
        if handler in self._strangers:
            self._strangers.discard(handler)
            if handler.transport is not None:
                handler.transport.abort()


class _Nobody(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast(asyncio.Transport, transport).abort()
