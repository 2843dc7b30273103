"""What the user allowed of MCP servers: to start, and with exactly which tools.

Both are asked once and kept in the user's state folder by fingerprint: another command, another
address, other walls, a program in the project that changed, and a tool whose description or schema
changed are asked about again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shlex
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from secretary_tui import paths
from secretary_tui.delegation.mcp.mcp_program import Program, program_in
from secretary_tui.delegation.mcp.mcp_servers import McpServer
from secretary_tui.delegation.permissions.folder_trust import trust_root
from secretary_tui.delegation.workspace.diffs import unified_diff
from secretary_tui.engines.profiles.profiles import is_loopback
from secretary_tui.people import People, ToolDecision, ToolRequest
from secretary_tui.sanitize import clean_line, oddities, reveal
from secretary_tui.tool_table import MCP_SERVER, MCP_TOOLS

_MAX_BYTES = 8_000_000
"""What the two questions are about, as their `ToolRequest.tool` says."""


@dataclass(frozen=True, slots=True)
class RemoteTool:
    """A tool as its server describes it."""

    name: str
    """As the server calls it."""
    description: str
    schema: Mapping[str, Any]

    @property
    def text(self) -> str:
        """All that the model would read, as people read it."""
        schema = json.dumps(self.schema, indent=2, sort_keys=True, ensure_ascii=False)
        return f"{self.name}\n{self.description}\n{schema}\n"


@dataclass(frozen=True, slots=True)
class ApprovalQuestion:
    """What both questions have in common."""

    agent: str
    workspace: Path
    people: People


class Approvals:
    """The record of what was allowed in one project."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._root = str(trust_root(workspace))

    def may_start(
        self, server: McpServer, confinement: str, program: Program | None = None
    ) -> bool:
        """Whether this server, exactly so, was allowed for good.

        `program`: what it is started from in the project; looked up when not given.
        """
        entry = self._entry(server)
        if entry.get("fingerprint") != server.fingerprint(confinement):
            return False
        now = program or program_in(self._workspace, server)
        return can_be_kept(server, now) and entry.get("program", "") == now.digest

    def program(self, server: McpServer) -> str:
        """The hash of what it was started from in the project when it was allowed."""
        return str(self._entry(server).get("program", ""))

    def pinned(self, server: McpServer) -> str | None:
        """The tools as they were allowed, as text; None when they never were."""
        text = self._entry(server).get("tools")
        return text if isinstance(text, str) else None

    def keep(self, server: McpServer, **facts: str) -> None:
        """Remember an answer.

        Raises:
            OSError: it can't be stored.
        """
        with _locked():
            record = _record()
            project = record.setdefault(self._root, {})
            project[server.name] = {**self._entry(server), **facts}
            text = json.dumps({"projects": record}, indent=2, ensure_ascii=False)
            paths.write_atomic(_file(), text + "\n", mode=0o600)

    def _entry(self, server: McpServer) -> Mapping[str, Any]:
        entry = _record().get(self._root, {}).get(server.name)
        return entry if isinstance(entry, dict) else {}


def can_be_kept(server: McpServer, program: Program) -> bool:
    """Whether *always* may hold: not for what agents can change, once its walls were opened.

    What a program loads besides the files that its command names is seen by no hash.
    """
    needs = server.needs
    is_open = needs.network or needs.writes or not needs.walls
    return program == Program() or (program.is_known and not is_open)


async def may_start(
    server: McpServer,
    confinement: str,
    asked: ApprovalQuestion,
    environ: Mapping[str, str] = os.environ,
) -> bool:
    """Whether a server may be started (or spoken to): by an earlier answer, or by asking."""
    approvals = Approvals(asked.workspace)
    # Variables may stand for paths.
    program = await asyncio.to_thread(program_in, asked.workspace, server.filled_in(environ))
    if approvals.may_start(server, confinement, program):
        return True
    detail = describe(server, confinement)
    warnings = oddities(detail)
    if program != Program():
        warnings = (*_about_program(server, program, approvals.program(server)), *warnings)
    if server.headers and not _is_encrypted(server.filled_in(environ).url):
        warnings = ("its headers, which may hold a token, go there unencrypted", *warnings)
    if not server.needs.walls and server.command:
        warnings = ("nothing confines it: it runs with all your rights", *warnings)
    answer = await asked.people.allow_tool(
        replace(
            _request(server, asked, MCP_SERVER, _what(server), detail, warnings),
            once_only=not can_be_kept(server, program),
        )
    )
    if answer.decision is ToolDecision.ALWAYS:
        facts = {"fingerprint": server.fingerprint(confinement), "program": program.digest}
        approvals.keep(server, **facts)
    return answer.decision is not ToolDecision.DENY


async def may_offer(
    server: McpServer, tools: Sequence[RemoteTool], asked: ApprovalQuestion
) -> bool:
    """Whether the model may get these tools: they are as they were allowed, or the user says so.

    Their descriptions are shown whole: the model obeys what stands in them.
    """
    approvals = Approvals(asked.workspace)
    now = "\n".join(tool.text for tool in sorted(tools, key=lambda tool: tool.name))
    before = approvals.pinned(server)
    if before == now:
        return True
    raw = now if before is None else unified_diff(server.name, before, now)
    names = ", ".join(clean_line(tool.name) for tool in tools)
    summary = f"{clean_line(server.name)} offers {names}"
    warnings = list(oddities(raw))
    if before is not None:
        summary = f"{clean_line(server.name)} changed its tools"
        warnings.insert(0, "they are not the tools that you allowed: this is what changed")
    answer = await asked.people.allow_tool(
        _request(server, asked, MCP_TOOLS, summary, raw, tuple(warnings))
    )
    if answer.decision is ToolDecision.ALWAYS:
        approvals.keep(server, tools=now)
    return answer.decision is not ToolDecision.DENY


def _is_encrypted(url: str) -> bool:
    """Whether traffic to an address can't be read on the way: https, or this machine."""
    try:
        address = urlsplit(url)
        return address.scheme == "https" or is_loopback(address.hostname or "")
    except ValueError:
        return False


def _about_program(server: McpServer, program: Program, before: str) -> tuple[str, ...]:
    if before and before != program.digest:
        return ("its program in the project changed since you allowed it",)
    lies = "its program lies in the project, where agents can change it"
    if can_be_kept(server, program):
        return (f"{lies}: always holds while its files stay as they are",)
    return (f"{lies}: it is asked about at each start",)


def describe(server: McpServer, confinement: str) -> str:
    """All that the user must know before a server is started, a line for each fact."""
    lines = [shlex.join(server.command)] if server.command else [f"connect to {server.url}"]
    lines += [f"{name}={value}" for name, value in server.env.items()]
    lines += [f"{name}: {value}" for name, value in server.headers.items()]
    lines += ["", f"described in {server.origin}"]
    if server.variables:
        lines.append(f"gets from your environment: {', '.join(server.variables)}")
    if server.command:
        lines.append(confinement)
        if server.needs.walls:
            name = clean_line(server.name)
            lines.append(
                f"what it needs beside that: `mcp_servers: {{{name}: {{network: true, writes: "
                "true}}` in your settings"
            )
    return "\n".join(lines)


def _what(server: McpServer) -> str:
    first = shlex.join(server.command) if server.command else server.url
    return f"{clean_line(server.name)}: {clean_line(first)}"[:200]


def _request(
    server: McpServer,
    asked: ApprovalQuestion,
    tool: str,
    summary: str,
    detail: str,
    warnings: tuple[str, ...],
) -> ToolRequest:
    key = hashlib.sha256(f"{tool} {server.name}".encode()).hexdigest()[:12]
    return ToolRequest(
        f"mcp_{key}",
        asked.agent,
        tool,
        summary,
        reveal(detail),
        str(asked.workspace),
        sandboxed=server.needs.walls,
        warnings=warnings,
    )


def _file() -> Path:
    return paths.state_dir() / "mcp.json"


def _record() -> dict[str, dict[str, Any]]:
    """Read the record; what can't be read allows nothing."""
    try:
        record = json.loads(paths.read_small(_file(), _MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    projects = record.get("projects") if isinstance(record, dict) else None
    if not isinstance(projects, dict):
        return {}
    return {name: entry for name, entry in projects.items() if isinstance(entry, dict)}


def _locked() -> AbstractContextManager[None]:
    return paths.locked(paths.state_dir() / "mcp.lock")
