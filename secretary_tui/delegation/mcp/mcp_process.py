"""How the process of an MCP server is confined, and with what environment it runs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from secretary_tui.delegation.mcp.mcp_servers import McpServer, McpServerError, environment_of
from secretary_tui.delegation.sandbox.sandbox import (
    Confinement,
    command_environment,
    sandbox_status,
)


def confinement_of(server: McpServer) -> str:
    """Say in a sentence what would confine a server on this machine.

    Raises:
        McpServerError: it can't be confined as its needs say; then it must not run.
    """
    if not server.command:
        return ""
    kind, needs = sandbox_status()[0], server.needs
    if not needs.walls:
        return "without walls: it runs with all your rights"
    if kind == "none":
        raise McpServerError(
            f"Nothing can confine the MCP server {server.name} on this machine, so it was not "
            f"started. To run it with all your rights: `mcp_servers: {{{server.name}: {{walls: "
            "false}}` in your settings."
        )
    if needs.network and kind != "bubblewrap":
        raise McpServerError(
            f"The MCP server {server.name} needs the network, and only bubblewrap can confine it "
            "then. Install bubblewrap, or set `walls: false` for it in your settings."
        )
    network = "the network is open" if needs.network else "no network"
    project = "writes in the project" if needs.writes else "the project read-only"
    return f"behind walls ({kind}): {network}, {project}, your home folder out of sight"


class ServerProcess:
    """The command line and environment of a server, from `enter` to `leave`; both use the disk."""

    def __init__(
        self, server: McpServer, workspace: Path, environ: Mapping[str, str] = os.environ
    ) -> None:
        self._server = server.filled_in(environ)
        self._environ = environ
        needs = server.needs
        self._walls = (
            Confinement(
                list(self._server.command),
                workspace,
                writable=needs.writes,
                network=needs.network,
            )
            if needs.walls
            else None
        )

    def enter(self) -> tuple[list[str], dict[str, str]]:
        """Give the command line and the environment to start it with.

        Raises:
            OSError: the walls can't be put up; then nothing may run.
        """
        environment = {
            **command_environment(self._environ),
            **environment_of(self._server, self._environ),
        }
        if self._walls is None:
            return [*tied_to_parent(), *self._server.command], environment
        argv = self._walls.enter()
        return argv, {**environment, **self._walls.environment}

    def leave(self) -> tuple[str, ...]:
        """Take the walls down; gives what they undid, one sentence each."""
        return self._walls.leave() if self._walls is not None else ()


def tied_to_parent() -> list[str]:
    """Give what lets a process, and all it starts, end with this program: by bubblewrap."""
    if sandbox_status()[0] != "bubblewrap":
        return []
    program = shutil.which("bwrap") or "bwrap"
    return [
        *(program, "--dev-bind", "/", "/", "--proc", "/proc"),
        *("--unshare-pid", "--die-with-parent", "--"),
    ]
