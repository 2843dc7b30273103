"""Fetch a model from its official address, resuming where an earlier attempt ended."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import httpx2

from secretary_tui.engines.local.catalogue import ModelWeights, OfficialFile
from secretary_tui.engines.local.part_file import PartFile
from secretary_tui.engines.local.progress import Meter, Phase
from secretary_tui.engines.uninterrupted import uninterrupted

_TIMEOUT = httpx2.Timeout(30.0, connect=5.0)
_CONTENT_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+)\Z")


class SourceUnavailableError(Exception):
    """A source can't deliver; the message is half a sentence that says why."""


async def fetch_official(weights: ModelWeights, part: PartFile, meter: Meter) -> None:
    """Fetch what is missing; a broken transfer goes on as long as each attempt brings something.

    Raises:
        SourceUnavailableError: it can't be reached, or what it has is another file.
        OSError: the file can't be written.
    """
    host = urlsplit(weights.url).hostname or weights.url
    meter.enter(Phase.CONNECTING, part.size, host)
    start = 0
    async with httpx2.AsyncClient(follow_redirects=True, timeout=_TIMEOUT) as client:
        for file in weights.files:
            while part.size < start + file.size:
                before = part.size
                try:
                    await _fetch_rest(client, file, start, part, meter)
                except (httpx2.HTTPError, httpx2.InvalidURL):
                    if part.size <= before:
                        raise SourceUnavailableError(f"{host} can't be reached") from None
            start += file.size


async def _fetch_rest(
    client: httpx2.AsyncClient, file: OfficialFile, start: int, part: PartFile, meter: Meter
) -> None:
    """Fetch what is missing of the file that begins at `start`."""
    headers = {"accept-encoding": "identity"}
    if part.size > start:
        headers["range"] = f"bytes={part.size - start}-"
    async with client.stream("GET", file.url, headers=headers) as response:
        _check(response, file, start, part)
        meter.enter(Phase.DOWNLOADING, part.size)
        # As it comes from the wire: a buffer would be lost with the connection.
        async for data in response.aiter_raw():
            if part.size + len(data) > start + file.size:
                raise SourceUnavailableError(f"{response.url.host} has another file there")
            part.append(data)
            meter.update(part.size)
            if part.wants_commit:
                await uninterrupted(part.commit)
    if part.size < start + file.size:
        raise httpx2.RemoteProtocolError("the answer ended early")


def _check(response: httpx2.Response, file: OfficialFile, start: int, part: PartFile) -> None:
    """Make sure that the bytes that come continue the file that is here."""
    host = response.url.host
    if response.status_code == 200:
        part.cut(start)  # The server ignores ranges: from the start, then.
        length = response.headers.get("content-length")
        fits = length is None or length == str(file.size)
    elif response.status_code == 206:
        found = _CONTENT_RANGE.match(response.headers.get("content-range", ""))
        range_ = (part.size - start, file.size)
        fits = found is not None and (int(found[1]), int(found[2])) == range_
    else:
        raise SourceUnavailableError(f"{host} answers with HTTP {response.status_code}")
    if not fits:
        raise SourceUnavailableError(f"{host} has another file there")
