"""Which addresses of the network a tool may talk to: public ones, resolved once.

A name is resolved before the connection is made and the connection goes to that very address, so
a name that answers differently the second time (DNS rebinding) leads nowhere else.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve: TypeAlias = Callable[[str, int], Awaitable[Sequence[Address]]]
"""Gives the addresses of a host and port; raises OSError when there are none."""

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_ENDS_IN_IPV4 = (
    _NAT64,
    ipaddress.IPv6Network("::/96"),  # IPv4-compatible, of old.
    ipaddress.IPv6Network("::ffff:0:0:0/96"),  # IPv4-translated.
)
_ISATAP = (0x00005EFE, 0x02005EFE)
"""Before the IPv4 address, in the second half of an address."""
_NOT_THE_INTERNET = (
    # Python 3.11 counts them as global: relays of 6to4, segment routing, documentation.
    ipaddress.ip_network("192.88.99.0/24"),
    ipaddress.ip_network("5f00::/16"),
    ipaddress.ip_network("3fff::/20"),
)
_OF_THE_CLOUD = frozenset(
    # Public by their numbers, but answered by the machine's own provider: Azure, Alibaba.
    map(ipaddress.ip_address, ("168.63.129.16", "100.100.100.200"))
)


async def resolve(host: str, port: int) -> Sequence[Address]:
    """Ask the system for a host's addresses.

    Raises:
        OSError: it has none.
    """
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError:
        raise OSError("no such name") from None
    texts = dict.fromkeys(str(sockaddr[0]).partition("%")[0] for *_, sockaddr in found)
    return [ipaddress.ip_address(text) for text in texts]


def is_public(address: Address) -> bool:
    """Whether an address belongs to the open internet, also one that is wrapped in another."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = _wrapped(address)
        if inner is not None:
            return is_public(inner)
        if address.is_site_local:
            return False
    if address in _OF_THE_CLOUD or any(address in network for network in _NOT_THE_INTERNET):
        return False
    return address.is_global and not address.is_multicast


def _wrapped(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if any(address in network for network in _ENDS_IN_IPV4) or (
        int(address) >> 32 & 0xFFFFFFFF in _ISATAP
    ):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)
