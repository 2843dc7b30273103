"""Get one page of the web: https only, public addresses only, in bounds, as nobody in particular.

No cookies, no proxy, no credentials, no redirect to another host. Permission is somebody else's
matter (`web_fetch`); nothing here is looked up before it was given.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import ssl
import zlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import httpx2

from secretary_tui import __version__
from secretary_tui.delegation.web.addresses import Address, Resolve, is_public, resolve
from secretary_tui.sanitize import clean_line

MAX_BYTES = 3_000_000
TIMEOUT_S = 30.0
_MAX_REDIRECTS = 5
_MAX_URL = 2_000
_MAX_PORT = 65_535
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_.])?|\[?[0-9a-f:.]+\]?")
_NUMBER = re.compile(r"0x[0-9a-f]*|\d+")
_HEADERS = {
    "user-agent": f"secretary-tui/{__version__}",
    "accept": "text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.1",
    "accept-encoding": "identity",
}


_EITHER = zlib.MAX_WBITS | 32
"""With the header of gzip or of zlib."""
_DAMAGED = "The page is damaged: it can't be unpacked."


class WebError(Exception):
    """A page can't be had; the message is what the model reads."""


@dataclass(frozen=True, slots=True)
class Target:
    """An address that may be asked for."""

    url: httpx2.URL

    @property
    def host(self) -> str:
        """The host in ASCII, lower case, without a dot at the end."""
        return self.url.raw_host.decode("ascii").lower().rstrip(".")

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port."""
        return self.url.scheme, self.host, self.port

    @property
    def port(self) -> int:
        """The port, the scheme's own when none is named."""
        return self.url.port or (443 if self.url.scheme == "https" else 80)


@dataclass(frozen=True, slots=True)
class WebPage:
    """What came back."""

    url: str
    content_type: str
    """Without parameters, lower case."""
    charset: str
    """As the server names it; may be empty or nonsense."""
    body: bytes
    cut: bool
    """Whether there was more than `MAX_BYTES`."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The page sends us to another host, which would have to be asked about anew."""

    url: str


def read_url(text: str, *, upgrade: bool = True) -> Target:
    """Read an address; http becomes https.

    Raises:
        WebError: it is none, names a password, or another protocol.
    """
    if len(text) > _MAX_URL:
        raise WebError(f"The address is longer than {_MAX_URL} characters.")
    try:
        url = httpx2.URL(text.strip())
    except (httpx2.InvalidURL, UnicodeError, ValueError) as error:
        raise WebError(f"That is not an address: {clean_line(str(error))[:200]}") from None
    if url.scheme not in ("http", "https") or not url.raw_host:
        raise WebError("The address must begin with https:// and name a host.")
    if url.userinfo:
        raise WebError("An address with a user name or password is not fetched.")
    host = url.raw_host.decode("ascii").lower()
    if not _HOST.fullmatch(host) or _is_odd_number(host) or url.port == 0:
        raise WebError("The address names no host that there can be.")
    if (url.port or 1) > _MAX_PORT:
        raise WebError("The address names no port that there can be.")
    if upgrade and url.scheme == "http":
        url = url.copy_with(scheme="https", port=None if url.port in (None, 80) else url.port)
    return Target(url.copy_with(fragment=None))


def _is_odd_number(host: str) -> bool:
    """Whether a host is an IPv4 address in a spelling that no rule would recognise: 134744072."""
    if _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]) is None:
        return False
    try:
        ipaddress.IPv4Address(host)
    except ValueError:
        return True
    return False


class Fetcher:
    """Gets pages. What it may connect to can be changed for a test's own server."""

    def __init__(
        self,
        resolve: Resolve = resolve,
        is_allowed: Callable[[Address], bool] = is_public,
        *,
        upgrade: bool = True,
        timeout_s: float = TIMEOUT_S,
        verify: ssl.SSLContext | bool = True,
    ) -> None:
        self._resolve = resolve
        self._is_allowed = is_allowed
        self.upgrade = upgrade
        self._timeout_s = timeout_s
        self._verify = verify

    async def get(self, target: Target) -> WebPage | Elsewhere:
        """Get a page, following redirects on its own host.

        Raises:
            WebError: it can't be had.
        """
        try:
            async with asyncio.timeout(self._timeout_s):
                address = await self._address(target)
                for _ in range(_MAX_REDIRECTS + 1):
                    found = await self._get_once(target, address)
                    if isinstance(found, WebPage):
                        return found
                    if found.origin != target.origin:
                        return Elsewhere(str(found.url))
                    target = found
        except TimeoutError:
            raise WebError(f"{target.host} took longer than {self._timeout_s:g} s.") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError) as error:
            why = clean_line(str(error))[:200] or type(error).__name__
            raise WebError(f"{target.host} could not be fetched: {why}.") from None
        raise WebError(f"{target.host} redirects again and again.")

    async def _address(self, target: Target) -> Address:
        try:
            found = await self._resolve(target.host.strip("[]"), target.port)
        except OSError:
            raise WebError(f"There is no host {target.host}, or no network.") from None
        if not found or not all(self._is_allowed(address) for address in found):
            raise WebError(
                f"{target.host} is not on the public internet; such addresses are not fetched."
            )
        return found[0]

    async def _get_once(self, target: Target, address: Address) -> WebPage | Target:
        host = target.url.netloc.decode("ascii")
        pinned = target.url.copy_with(host=str(address))
        # A client for each request: none keeps a cookie.
        async with (
            httpx2.AsyncClient(
                trust_env=False,
                follow_redirects=False,
                timeout=self._timeout_s,
                verify=self._verify,
            ) as client,
            client.stream(
                "GET",
                pinned,
                headers={**_HEADERS, "host": host},
                extensions={"sni_hostname": target.host},
            ) as response,
        ):
            if response.has_redirect_location:
                place = target.url.join(response.headers["location"])
                return read_url(str(place), upgrade=self.upgrade)
            if not response.is_success:
                raise WebError(f"{target.host} answers with HTTP {response.status_code}.")
            kind, _, parameters = response.headers.get("content-type", "").partition(";")
            body, cut = await _read(response)
            _, _, charset = parameters.partition("charset=")
            return WebPage(
                *(str(target.url), kind.strip().lower(), charset.strip(" \"'").lower(), body, cut)
            )


async def _read(response: httpx2.Response) -> tuple[bytes, bool]:
    """Read at most `MAX_BYTES`, unpacked by ourselves: a small answer may unpack to gigabytes."""
    body = bytearray()
    async for piece in _unpacked(response):
        body += piece
        if len(body) > MAX_BYTES:
            return bytes(body[:MAX_BYTES]), True
    return bytes(body), False


async def _unpacked(response: httpx2.Response) -> AsyncIterator[bytes]:
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding in ("", "identity"):
        async for piece in response.aiter_raw():
            yield piece
        return
    if encoding not in ("gzip", "deflate"):
        raise WebError(f"The page is packed in a way unknown here ({clean_line(encoding)[:40]}).")
    unpacker, begun, whole = zlib.decompressobj(_EITHER), False, False
    is_raw = encoding == "deflate"
    async for received in response.aiter_raw():
        packed = received
        while packed:
            if unpacker.eof:  # A file may be several that were packed one by one.
                unpacker, begun = zlib.decompressobj(_EITHER), False
            try:
                piece = unpacker.decompress(packed, MAX_BYTES + 1)
            except zlib.error:
                if is_raw:  # Some servers leave the header away that the name promises.
                    unpacker, is_raw = zlib.decompressobj(-zlib.MAX_WBITS), False
                    continue
                if whole and not begun:
                    return  # What stands behind it is nothing of it.
                raise WebError(_DAMAGED) from None
            begun, is_raw, whole = True, False, whole or unpacker.eof
            yield piece
            packed = unpacker.unused_data
    if not unpacker.eof:
        raise WebError(_DAMAGED)
