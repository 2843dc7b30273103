"""Who may see anything of the server: whoever holds the token, from the server's own page.

Whoever gets in runs agents as the user, and any program or web page on the machine can reach a port
on loopback. So every request, known path or not, passes here first:

- its `Host` is an address or a name of ours, so that no foreign name that was rebound to this
  machine is answered;
- its `Origin` is ours; a websocket, which browsers open across sites, must name one;
- it brings the token (once, in the address) or the cookie that the token was changed into;
- a websocket brings the key besides, which browsers keep for this very port. Cookies they send to
  every port of a host: an agent that is allowed the network could serve a page and collect them.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import secrets
from collections.abc import Collection
from typing import cast
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

TOKEN_BYTES = 32
"""256 bits of randomness, in the token and in the cookie."""
NEEDS_ENTRY = (
    "This page needs the token: open the address that `secretary-tui serve` printed when it started"
)
FOREIGN_HOST = "This server does not answer to that name: open the address that it printed"
FOREIGN_ORIGIN = "Another page asked for this; only the page of this server itself may"
MOST_STRANGERS = 128
"""Connections at once; a browser opens six."""
PATIENCE_S = 10.0
"""How long one of them may take to show the token or the cookie."""
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",  # The terminal writes its colours as a style sheet.
        "font-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self' {websocket}",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Server": "secretary-tui",
}


class Gate:
    """Lets requests in.

    Args:
        names: Host names, in lower case, that the server answers to beside bare IP addresses, which
            nobody can rebind, and `localhost`.
        secure: Whether browsers reach it over https, through a proxy.
    """

    def __init__(self, names: Collection[str] = (), *, secure: bool = False) -> None:
        self.token = secrets.token_urlsafe(TOKEN_BYTES)
        self._names = {"localhost", *names}
        self._scheme = "https" if secure else "http"
        self._secure = secure
        # Cookies are not kept apart by port: two servers on one machine need two names.
        self._cookie = f"secretary-tui-{secrets.token_hex(8)}"
        self._pass = secrets.token_urlsafe(TOKEN_BYTES)
        self._key = secrets.token_urlsafe(TOKEN_BYTES)

    def middleware(self) -> Middleware:
        """What every request goes through."""

        @web.middleware
        async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
            refusal = self._refusal(request)
            if refusal is None and _same(request.query.get("token", ""), self.token):
                return self._let_in(request)
            if refusal is None and not _same(request.cookies.get(self._cookie, ""), self._pass):
                refusal = NEEDS_ENTRY
            if refusal is not None:
                return web.Response(status=403, text=f"{refusal}.\n")
            return await handler(request)

        return guard

    async def add_headers(self, request: web.Request, response: web.StreamResponse) -> None:
        """Tell the browser what the page may do: nothing beyond this server."""
        response.headers.update(HEADERS)
        response.headers["Content-Security-Policy"] = POLICY.format(
            websocket=self.websocket_origin(request) if self._knows(request.host) else ""
        ).replace("'self' ;", "'self';")

    def websocket_origin(self, request: web.Request) -> str:
        """Where the page of this request finds the websocket: `ws://127.0.0.1:8000`."""
        return f"{'wss' if self._secure else 'ws'}://{request.host}"

    def fits(self, key: str) -> bool:
        """Whether this is the key that the page was handed when it came with the token."""
        return _same(key, self._key)

    def _refusal(self, request: web.Request) -> str | None:
        if not self._knows(request.host):
            return FOREIGN_HOST
        origin = request.headers.get("Origin")
        if origin is None:
            is_websocket = "upgrade" in request.headers.get("Connection", "").lower()
            return FOREIGN_ORIGIN if is_websocket else None
        return None if origin == f"{self._scheme}://{request.host}" else FOREIGN_ORIGIN

    def _knows(self, host: str) -> bool:
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port
        except ValueError:
            return False
        shown = f"[{name}]" if ":" in name else name
        if host.lower() not in (shown, f"{shown}:{port}"):  # A part of it is something else.
            return False
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name if "%" not in name else "")  # A zone is any text.
        except ValueError:
            return False
        return True

    def _let_in(self, request: web.Request) -> web.Response:
        # What stands behind the # is told to the page alone, which takes it away.
        page = f"/#{self._key}"
        response = web.Response(status=303, headers={"Location": page})
        if request.headers.get("Sec-Fetch-Site") == "cross-site":
            # A redirect would count as the other site's, and the strict cookie would stay behind.
            response = web.Response(headers={"Refresh": f"0; url={page}"})
        response.set_cookie(
            self._cookie,
            self._pass,
            path="/",
            httponly=True,
            samesite="Strict",
            secure=self._secure,
        )
        return response


def _same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), secret.encode())


class Doorway:
    """Connections that have not shown the token are few, and soon gone.

    Any program of the machine can connect to a port on loopback, ask half a question and stay;
    enough of them, and there is no descriptor left for the tabs.
    """

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
