"""MCP servers that an agent names: where each is described, and as what. Starts nothing.

A name is looked up in the user's settings (`mcp_servers`), in Claude Code's `~/.claude.json` and in
the project's `.mcp.json`. What a server may reach is said in the user's settings alone: a
repository can't open its own walls.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from secretary_tui import paths
from secretary_tui.delegation.workspace.small_files import UnusableFileError, read_small_text
from secretary_tui.registry.definition.spec import AgentSpec, SourceKind
from secretary_tui.sanitize import clean_line

PROJECT_FILE = ".mcp.json"
MAX_SERVERS = 10
_MAX_USER_BYTES = 20_000_000
"""Claude Code keeps much else in its file."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_. -]{0,59}")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_HTTP = frozenset(("http", "streamable-http", "streamable_http"))
_SSE = "sse"


class McpServerError(Exception):
    """A server can't be used; the message says why, in a sentence."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What the user lets a server reach; nothing by default."""

    network: bool = False
    writes: bool = False
    """Whether it may write in the project."""
    walls: bool = True
    """False runs it with all of the user's rights."""
    environment: tuple[str, ...] = ()
    """Variables of the user's that it gets."""


@dataclass(frozen=True, slots=True)
class McpServer:
    """A server as it is described; nothing in it is filled in yet."""

    name: str
    origin: str
    """Where it is described, for people."""
    command: tuple[str, ...] = ()
    """Program and arguments; empty for a server that is only spoken to."""
    env: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    sse: bool = False
    """Whether it speaks the older way over HTTP, with one stream for all it says."""
    needs: Needs = Needs()

    @property
    def prefix(self) -> str:
        """What the names of its tools begin with: `mcp__docs__`."""
        return f"mcp__{api_name(self.name)}__"

    @property
    def variables(self) -> tuple[str, ...]:
        """The user's variables that it gets to know, by name."""
        texts = (*self.command, *self.env.values(), self.url, *self.headers.values())
        named = (match[1] for text in texts for match in _VARIABLE.finditer(text))
        return tuple(dict.fromkeys((*self.needs.environment, *named)))

    def fingerprint(self, confinement: str) -> str:
        """The identity of what an approval is about: all of it, and what confines it."""
        facts = {
            "command": list(self.command),
            "env": dict(self.env),
            "url": self.url,
            "headers": dict(self.headers),
            "needs": [self.needs.network, self.needs.writes, self.needs.walls],
            "environment": list(self.needs.environment),
            "confinement": confinement,
            # Left out where it isn't so, and what was approved before stays so.
            **({"sse": True} if self.sse else {}),
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def filled_in(self, environ: Mapping[str, str]) -> McpServer:
        """Give the server with `${NAME}` and `${NAME:-default}` replaced.

        Raises:
            McpServerError: a variable is not set and has no default.
        """

        def fill(text: str) -> str:
            return _VARIABLE.sub(lambda match: self._value(match, environ), text)

        return replace(
            self,
            command=tuple(map(fill, self.command)),
            env={name: fill(value) for name, value in self.env.items()},
            url=fill(self.url),
            headers={name: fill(value) for name, value in self.headers.items()},
        )

    def _value(self, match: re.Match[str], environ: Mapping[str, str]) -> str:
        value = environ.get(match[1], match[2])
        if value is None:
            raise McpServerError(f"{self.name} needs the environment variable {match[1]}.")
        return value


@dataclass(frozen=True, slots=True)
class FoundServers:
    """The servers an agent names, as far as they are described."""

    servers: tuple[McpServer, ...] = ()
    problems: tuple[str, ...] = ()
    """One sentence for each that can't be used."""


def api_name(name: str) -> str:
    """Give a name in the form that tools' names may have."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)


def named_servers(agent: AgentSpec) -> tuple[str, ...]:
    """Name the servers of an agent: its `mcpServers`, and those of the tools it lists."""
    inline = (name for name, _ in _entries(agent))
    listed = (
        entry.partition("(")[0].strip().removeprefix("mcp__").split("__")[0]
        for entry in agent.tools or ()
        if entry.strip().startswith("mcp__")
    )
    return tuple(dict.fromkeys((*inline, *(name for name in listed if name and name != "*"))))


def find_servers(
    agent: AgentSpec, workspace: Path, own: Mapping[str, Mapping[str, Any]]
) -> FoundServers:
    """Look up the servers that an agent names; `own` is the user's setting `mcp_servers`.

    Reads settings files. Never raises: see `problems`.
    """
    inline = dict(_entries(agent))
    names = named_servers(agent)
    if inline and agent.source.kind is SourceKind.PLUGIN:
        # Claude Code's rule: what a plugin brings may not bring programs to start.
        return FoundServers(
            (), (f"{agent.id} comes with a plugin, so its mcpServers don't count.",)
        )
    servers: list[McpServer] = []
    problems: list[str] = []
    files = tuple(_files(workspace, problems)) if names else ()
    for name in names[:MAX_SERVERS]:
        try:
            servers.append(_find(name, agent, inline.get(name), own, files))
        except McpServerError as error:
            problems.append(str(error))
    if len(names) > MAX_SERVERS:
        problems.append(f"{agent.id} names {len(names)} MCP servers; {MAX_SERVERS} are the most.")
    return FoundServers(tuple(servers), tuple(problems))


def _find(
    name: str,
    agent: AgentSpec,
    inline: Mapping[str, Any] | None,
    own: Mapping[str, Mapping[str, Any]],
    files: Iterable[tuple[str, Mapping[str, Any]]],
) -> McpServer:
    shown = clean_line(name)[:60]
    if not _NAME.fullmatch(name):
        raise McpServerError(f"{shown!r} can't be the name of an MCP server.")
    if "__" in api_name(name):
        # `mcp__docs__evil__x` would be a tool of `docs`, too, and a rule for that allow it.
        raise McpServerError(
            f"{shown!r} can't be the name of an MCP server: it holds two underscores."
        )
    mine = next((one for key, one in own.items() if api_name(key) == api_name(name.lower())), {})
    needs = _needs(shown, mine)
    if "command" in mine or "url" in mine:
        return _read(name, "your settings", mine, needs)
    if inline is not None:
        return _read(name, paths.shown(agent.path), inline, needs)
    for origin, described in files:
        for key, one in described.items():
            if api_name(key) == api_name(name):
                return _read(key, origin, one, needs)
    raise McpServerError(
        f"The MCP server {shown} is described neither in your settings, nor in ~/.claude.json, "
        f"nor in the project's {PROJECT_FILE}; the agent runs without it."
    )


def _entries(agent: AgentSpec) -> Iterator[tuple[str, Mapping[str, Any] | None]]:
    """Read `mcpServers`: names, and tables of a name and a description."""
    listed: Any = agent.metadata.get("mcpServers")
    if isinstance(listed, str):
        listed = [part.strip() for part in listed.split(",")]
    if not isinstance(listed, list | tuple):
        listed = [listed] if isinstance(listed, Mapping) else []
    for entry in listed:
        if isinstance(entry, str) and entry:
            yield entry, None
        elif isinstance(entry, Mapping):
            for name, one in entry.items():
                yield str(name), one if isinstance(one, Mapping) else None


def _files(workspace: Path, problems: list[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The descriptions in files, the user's own before the project's."""
    claude = Path.home() / ".claude.json"
    try:
        known = json.loads(paths.read_small(claude, _MAX_USER_BYTES))
    except FileNotFoundError:
        known = {}
    except (OSError, ValueError, RecursionError):
        known = {}
        problems.append("~/.claude.json can't be read, so no MCP server of it is known.")
    if isinstance(known, dict):
        projects = known.get("projects")
        local = projects.get(str(workspace)) if isinstance(projects, dict) else None
        for part in (local, known):
            servers = part.get("mcpServers") if isinstance(part, dict) else None
            if isinstance(servers, dict):
                yield "~/.claude.json", servers
    for folder in dict.fromkeys((workspace, paths.repository_root(workspace))):
        file = folder / PROJECT_FILE
        try:
            data = json.loads(read_small_text(file, within=folder))
            servers = data.get("mcpServers") if isinstance(data, dict) else None
        except FileNotFoundError:
            continue
        except (UnusableFileError, ValueError, RecursionError):
            problems.append(f"{paths.shown(file)} can't be read, so no MCP server of it is known.")
            continue
        if isinstance(servers, dict):
            yield paths.shown(file), servers


def _needs(name: str, mine: Mapping[str, Any]) -> Needs:
    flags = {}
    for key, default in (("network", False), ("writes", False), ("walls", True)):
        value = mine.get(key, default)
        if not isinstance(value, bool):
            raise McpServerError(f"The setting `mcp_servers` ({name}): {key} is true or false.")
        flags[key] = value
    listed = mine.get("environment", ())
    if not isinstance(listed, list | tuple) or not all(isinstance(one, str) for one in listed):
        raise McpServerError(
            f"The setting `mcp_servers` ({name}): environment must be a list of variables."
        )
    return Needs(**flags, environment=tuple(listed))


def _read(name: str, origin: str, one: Any, needs: Needs) -> McpServer:
    """Check a description.

    Raises:
        McpServerError: it is none, or of a kind that isn't spoken here.
    """
    shown = clean_line(name)[:60]

    def wrong(what: str) -> McpServerError:
        return McpServerError(f"The MCP server {shown} of {origin} can't be used: {what}.")

    if not isinstance(one, Mapping):
        raise wrong("it is no table")
    kind = str(one.get("type") or one.get("transport") or ("http" if "url" in one else "stdio"))
    if kind == "stdio":
        command, args = one.get("command"), one.get("args") or ()
        if isinstance(command, list | tuple):
            command, *first = command or (None,)
            args = (*first, *args)
        env = _table(one.get("env"))
        if not isinstance(command, str) or not command or not isinstance(args, list | tuple):
            raise wrong("it names no command")
        argv = (command, *map(str, args))
        if env is None or any("\x00" in part for part in (*argv, *env.values())):
            raise wrong("its env must be a table of texts")
        return McpServer(name, origin, argv, env, needs=needs)
    if kind in _HTTP or kind == _SSE:
        url, headers = one.get("url"), _table(one.get("headers"))
        if not isinstance(url, str) or not re.match(r"https?://[^\s/]", url) or headers is None:
            raise wrong("it names no http address")
        return McpServer(name, origin, url=url, headers=headers, sse=kind == _SSE, needs=needs)
    raise wrong(f"its type {clean_line(kind)[:20]!r} is none of stdio, http and sse")


def _table(value: Any) -> dict[str, str] | None:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        return None
    return {str(key): str(text) for key, text in value.items() if text is not None}


def environment_of(server: McpServer, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What a filled-in server gets beside what every command gets: its own, and what was let in."""
    let_in = {name: environ[name] for name in server.needs.environment if name in environ}
    return {**let_in, **server.env}
