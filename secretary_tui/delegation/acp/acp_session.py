"""Open a session with an ACP agent: log in with a key that is there, choose model and mode.

How real agents behave was tried (docs/engines.md): Codex asks to be told which log-in to use even
where its key is set; which models there are is told with the session. Claude Code takes options
beside the protocol: its adapter hands `_meta.claudeCode.options` of a new session to Claude's SDK.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from acp import RequestError
from acp.schema import SessionConfigOptionSelect

from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from secretary_tui.delegation.spend.budget import Budget
from secretary_tui.engines.acp.acp_profiles import AcpProfile
from secretary_tui.engines.base import EngineError
from secretary_tui.sanitize import clean_line
from secretary_tui.tool_table import ASK_USER, BASH, EDIT, GIT_COMMIT, MEMORY, TODO_WRITE, is_mcp

if TYPE_CHECKING:
    from acp import ClientSideConnection

AUTH_REQUIRED = -32000
"""ACP's code for an agent that wants a log-in first."""
_ASKS = ("default", "read-only")
"""What Claude Code and Gemini, and Codex, call the mode in which they ask the user before they act;
in Codex's usual one another model answers instead."""
_KEY = "api-key"
_CLAUDE_TOOLS: Mapping[str, tuple[str, ...]] = {
    BASH: (BASH, "TaskOutput", "TaskStop"),
    EDIT: (EDIT, "NotebookEdit"),
    TODO_WRITE: (TODO_WRITE, "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"),
    # What only we have, or what it can't ask over the protocol.
    **dict.fromkeys((ASK_USER, GIT_COMMIT, MEMORY), ()),
}
"""What tools of ours are in Claude Code, where it isn't the one of the same name."""


@dataclass(frozen=True, slots=True)
class AcpSession:
    """An open session."""

    id: str
    model: str = ""
    """What the agent calls the model that answers; empty when it doesn't say."""
    warning: str = ""


async def open_session(
    connection: ClientSideConnection,
    profile: AcpProfile,
    folder: str,
    wanted: Sequence[str],
    *,
    login_methods: Sequence[Any] = (),
    servers: Sequence[Any] = (),
    options: Mapping[str, Any] = MappingProxyType({}),
    environ: Mapping[str, str] = os.environ,
) -> AcpSession:
    """Open one in `folder`; the first of the `wanted` models that the agent has is chosen.

    `servers`: the MCP servers that it is told to start.
    `options`: what it takes beside the protocol.

    Raises:
        RequestError: it refused; with the code `AUTH_REQUIRED`, for want of a log-in.
    """
    try:
        opened = await connection.new_session(folder, mcp_servers=list(servers), **options)
    except RequestError as error:
        method = _key_method(login_methods, profile, environ)
        if error.code != AUTH_REQUIRED or method is None:
            raise
        await connection.authenticate(method)
        opened = await connection.new_session(folder, mcp_servers=list(servers), **options)
    session = opened.session_id
    told = opened.config_options or ()
    choices = [one for one in told if isinstance(one, SessionConfigOptionSelect)]
    await _have_it_ask(connection, opened, choices)
    models = next((one for one in choices if one.category == "model"), None)
    if models is None:
        return AcpSession(session, warning=_not_chosen(profile, wanted, ""))
    value = next(filter(None, (_find(one, models) for one in wanted)), "")
    if value and value != models.current_value:
        await connection.set_config_option(models.id, session, value)
    names = dict(_choices(models))
    answers = value or models.current_value
    name = _shown(answers, names.get(answers, answers))
    return AcpSession(session, name, "" if value else _not_chosen(profile, wanted, name))


def claude_options(offered: OfferedTools, budget: Budget) -> Mapping[str, Any]:
    """Give what Claude Code's session is opened with: these tools alone, and what may be spent."""
    ours = (name for name in offered.names if not is_mcp(name))
    options: dict[str, Any] = {
        "tools": [one for name in ours for one in _CLAUDE_TOOLS.get(name, (name,))]
    }
    if (left := budget.left_usd) is not None:
        options["maxBudgetUsd"] = left
    return {"claudeCode": {"options": options}}


async def _have_it_ask(
    connection: ClientSideConnection, opened: Any, options: Sequence[SessionConfigOptionSelect]
) -> None:
    """Put the agent into the mode in which it asks, whatever its user's settings say."""
    for option in options:
        if option.category == "mode":
            if mode := _asking([value for value, _ in _choices(option)], option.current_value):
                await connection.set_config_option(option.id, opened.session_id, mode)
            return
    if (modes := opened.modes) is not None:
        names = [one.id for one in modes.available_modes]
        if mode := _asking(names, modes.current_mode_id):
            await connection.set_session_mode(mode, opened.session_id)


def _asking(modes: Sequence[str], current: str) -> str:
    """The mode to change to; empty when there is none, or it is in it."""
    mode = next((one for one in _ASKS if one in modes), "")
    return "" if mode == current else mode


def not_logged_in(profile: AcpProfile) -> EngineError:
    """Say that the agent wants a log-in, and which ways there are."""
    ways = [f"Log in with `{profile.login}`" if profile.login else "Log in to it by itself"]
    if profile.environment:
        ways.append(f"set {clean_line(profile.environment[0])}")
    return EngineError(f"{clean_line(profile.title)} is not logged in.", f"{', or '.join(ways)}.")


def _key_method(
    methods: Sequence[Any], profile: AcpProfile, environ: Mapping[str, str]
) -> str | None:
    """The way to log in that only needs a key which the agent was given."""
    if not any(environ.get(name) for name in profile.environment if name.endswith("_KEY")):
        return None
    found = (str(one.id) for one in methods if _KEY in one.id or _KEY in (one.field_meta or {}))
    return next(found, None)


def _not_chosen(profile: AcpProfile, wanted: Sequence[str], name: str) -> str:
    if not wanted:
        return ""
    what = f"its model is {name}" if name else "it takes its own"
    asked = clean_line(wanted[0])[:60]
    return f"{clean_line(profile.title)} has no model {asked!r} to choose; {what}."


def _find(wanted: str, option: SessionConfigOptionSelect) -> str:
    """The value of the model that somebody calls `wanted`; empty when there is none."""
    word = wanted.strip().lower()
    choices = [(value, value.lower(), name.lower()) for value, name in _choices(option)]
    for fits in (
        lambda value, name: word in (value, name),
        lambda value, name: word == value.rpartition("/")[2],
        lambda value, name: word in (value.partition("[")[0], name.partition(" ")[0]),
    ):
        for original, value, name in choices:
            if fits(value, name):
                return original
    return _newest(word, option)


def _newest(word: str, option: SessionConfigOptionSelect) -> str:
    """The newest Claude of a family (`opus`), of the provider that answers now before others."""
    family = re.compile(rf"claude-{re.escape(word)}-(\d{{1,2}}(?:[-.]\d{{1,2}})*)")
    provider = option.current_value.rpartition("/")[0]
    found = []
    for value, _ in _choices(option):
        where, _, model = value.rpartition("/")
        if match := family.fullmatch(model.lower()):
            version = [int(part) for part in re.split(r"[-.]", match[1])]
            found.append((where == provider, version, value))
    return max(found, default=(False, [], ""))[-1]


def _shown(value: str, name: str) -> str:
    """How people know a model: some agents call `gpt-5` only 5."""
    short = name.lower().replace(" ", "-")
    told = value if value.lower().endswith(f"-{short}") else name
    return clean_line(told)[:80]


def _choices(option: SessionConfigOptionSelect) -> Iterator[tuple[str, str]]:
    for one in option.options:
        for choice in getattr(one, "options", None) or (one,):
            yield choice.value, choice.name
