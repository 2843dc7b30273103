"""`serve`: the screen in a browser, protected by a token."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import html
import ipaddress
import os
import signal
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from secretary_tui import paths
from secretary_tui.lines.output import note, say
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options, UsageError

INSTALL_HINT = "install it with `pip install 'secretary-tui[web]'`"


def run(args: argparse.Namespace, options: Options) -> int:
    """Serve until Ctrl-C or a signal; gives 0 after Ctrl-C.

    Raises:
        UsageError: the extra is missing, or cannot listen on that place.
    """
    try:
        from secretary_tui.web.gate import Gate
        from secretary_tui.web.server import Place, WebServer
        from secretary_tui.web.window import Window
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("secretary_tui"):
            raise
        raise UsageError(f"serving a browser needs the extra `web`; {INSTALL_HINT}") from None
    public, name = _public_url(args.public_url), args.host.lower()
    secure = public.startswith("https:")
    here = is_loopback(name)
    gate = Gate(_names(name, public), secure=secure)
    window = Window(
        str(options.project),
        tuple(map(str, options.agents_dirs)),
        options.agents,
        options.offline,
        can_copy=secure or (here and not public),
    )
    server = WebServer(window, gate, f"secretary: {options.project.name or options.project}")
    if not here:
        note(
            f"Other machines can reach {name}. Without TLS everything can be read on the way, the "
            "token too: put a TLS proxy in front and name it with --public-url https://…"
        )
    with contextlib.ExitStack() as stack:

        def started(address: str) -> None:
            url = f"{_reachable(address)}/?token={gate.token}"
            say(f"Open {url}")
            note("Anyone with this address acts as you. Ctrl+C stops the server and all its tabs.")
            if args.open:
                stack.enter_context(_opened(url))

        try:
            ended_by = asyncio.run(server.run(Place(args.host, args.port, public), started))
        except OSError as error:
            where = f"{args.host}, port {args.port}" if args.port else args.host
            raise UsageError(
                f"cannot listen on {where}: {error.strerror or error}. Take another "
                "--port (0 for a free one) or --host"
            ) from None
    return ExitCode.DONE if ended_by is signal.SIGINT else 128 + ended_by


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host by this name."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _public_url(given: str | None) -> str:
    if given is None:
        return ""
    try:
        parts = urlsplit(given)
        named = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        named = False
    if not named or parts.path.strip("/") or parts.query or parts.fragment or parts.username:
        raise UsageError(
            f"--public-url: {given} is not the address of a host, such as https://my.host"
        )
    return f"{parts.scheme}://{parts.netloc.lower()}"


def _names(host: str, public: str) -> set[str]:
    """The names that browsers may call the server by."""
    names = {host} if is_loopback(host) else {host, socket.gethostname().lower()}
    return names | {urlsplit(public).hostname or host}


def _reachable(address: str) -> str:
    """The address to open: all addresses of a machine are none to go to."""
    parts = urlsplit(address)
    try:
        everywhere = ipaddress.ip_address(parts.hostname or "").is_unspecified
    except ValueError:
        everywhere = False
    return f"{parts.scheme}://{socket.gethostname()}:{parts.port}" if everywhere else address


@contextlib.contextmanager
def _opened(url: str) -> Iterator[None]:
    """Open the browser by a file of the user's own: the list of processes shows its name alone.

    Opening the address itself would show the token to everybody on the machine for a moment.
    """
    import webbrowser

    folder = paths.state_dir()
    paths.make_private_folder(folder)
    descriptor, name = tempfile.mkstemp(".html", "open-", folder)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(
            '<!DOCTYPE html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
            f'<meta http-equiv="refresh" content="0; url={html.escape(url)}">\n'
        )
    try:
        if not webbrowser.open(Path(name).as_uri()):
            note("No browser found: open the address yourself.")
        yield
    finally:
        Path(name).unlink(missing_ok=True)
