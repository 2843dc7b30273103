"""What a rule about the web means: the host in `WebFetch(domain:…)`, in the form a call has it.

People write hosts in many ways: with letters of their own, a port, a dot or slash at the end.
"""

from __future__ import annotations

import ipaddress
import re

_PREFIX = "domain:"
_PORT = re.compile(r":(?:\d{1,5}|\*)$")
_HOST = re.compile(r"[a-z0-9_*?](?:[a-z0-9_.*?-]*[a-z0-9_*?])?")


def meant_host(pattern: str) -> str | None:
    """Give the host, or the hosts by `*` and `?`, of one pattern; None when it can't be told.

    In ASCII and lower case, without port, slash or dot at the end: a denial holds for every port.
    """
    kind, _, rest = pattern.strip().partition(":")
    if kind.strip().lower() != _PREFIX[:-1]:
        return None
    host = rest.strip().lower().removesuffix("/")
    if (address := _address(host)) is not None:
        return address
    host = _PORT.sub("", host).strip(".")
    host = host if host.isascii() else _in_ascii(host)
    return _address(host) or (host if _HOST.fullmatch(host) else None)


def unclear_parts(pattern: str | None) -> tuple[str, ...]:
    """Give the parts of a rule's pattern of which no host can be told; none without a pattern."""
    if pattern is None or pattern.strip() in ("", "*", "**"):
        return ()
    return tuple(part.strip() for part in pattern.split(",") if meant_host(part) is None)


def _address(host: str) -> str | None:
    """Give an address in its one short form, as `::1`; also from within brackets, with a port."""
    inner = host
    if host.startswith("["):
        inner = _PORT.sub("", host).removeprefix("[").removesuffix("]")
    try:
        return str(ipaddress.ip_address(inner))
    except ValueError:
        return None


def _in_ascii(host: str) -> str:
    """Write a host with letters of other scripts as a call's address has it; empty: impossible."""
    import httpx2

    wide = "*." if host.startswith("*.") else ""
    try:
        url = httpx2.URL(f"https://{host.removeprefix(wide)}/")
    except (httpx2.InvalidURL, UnicodeError, ValueError):
        return ""
    # What would end the host, as a fullwidth slash, leaves something behind.
    if url.raw_path != b"/" or url.userinfo or url.port:
        return ""
    return wide + url.raw_host.decode("ascii").lower().rstrip(".")
