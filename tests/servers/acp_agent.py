"""A real ACP agent, written with the `agent-client-protocol` package: what the tests of ACP run.

    python acp_agent.py [--lock FILE] [--deaf] [--login] [--choices]

`--deaf` stays when its input has ended, `--login` wants a log-in with the key in ROBOT_KEY, and
`--choices` offers modes and models, and `chosen` says which. It does what the prompt's last line
says: `say X`, `think X`, `plan`, `read FILE`, `write FILE`, `run COMMAND` (asks first, then runs it
itself), `edit FILE` (asks first, writes by itself), `sneak FILE` (writes without asking),
`net PORT`, `look NAME`, `hang`, `crash`, `refuse`, `late FILE` (tells what a call is about after it
began), `cost DOLLARS`, `tools` (of the MCP servers that it was given), `call TOOL JSON`,
`want TOOL JSON` (asks first), `options_told` (what came with the session), `over` (its own cap).
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import acp
from acp.schema import (
    AgentCapabilities,
    AuthenticateResponse,
    AuthMethodAgent,
    Cost,
    InitializeResponse,
    NewSessionResponse,
    PermissionOption,
    PromptResponse,
    SessionConfigOptionSelect,
    SessionConfigSelectOption,
    SetSessionConfigOptionResponse,
    ToolCallLocation,
    ToolCallUpdate,
    Usage,
    UsageUpdate,
)

OPTIONS = [
    PermissionOption(option_id="always", name="Always", kind="allow_always"),
    PermissionOption(option_id="yes", name="Yes", kind="allow_once"),
    PermissionOption(option_id="no", name="No", kind="reject_once"),
]


class ScriptedAgent:
    """Does what the last line of a prompt says."""

    def __init__(self, *, login: bool = False, choices: bool = False) -> None:
        self._login = login
        self._choices = {"mode": "auto", "model": "vendor/large"} if choices else {}
        self._client: Any = None
        self._cwd = ""
        self._servers: list[Any] = []
        self._more: dict[str, Any] = {}
        self._cancelled = asyncio.Event()

    def on_connect(self, conn: Any) -> None:
        self._client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        return InitializeResponse(
            protocol_version=protocol_version,
            agent_capabilities=AgentCapabilities(),
            auth_methods=[
                AuthMethodAgent(id="browser", name="Browser"),
                AuthMethodAgent(id="robot-api-key", name="Key"),
            ],
        )

    async def authenticate(self, method_id: str, **_: Any) -> AuthenticateResponse:
        self._login = method_id != "robot-api-key" or not os.environ.get("ROBOT_KEY")
        return AuthenticateResponse()

    async def new_session(
        self, cwd: str, mcp_servers: list[Any] | None = None, **more: Any
    ) -> NewSessionResponse:
        if self._login:
            raise acp.RequestError.auth_required()
        self._cwd = cwd
        self._servers = mcp_servers or []
        self._more = more
        return NewSessionResponse(session_id="s1", config_options=self._options() or None)

    def _options(self) -> list[Any]:
        offered = {
            "mode": {"auto": "Auto", "default": "Ask"},
            "model": {
                **{"vendor/large": "Large (slow)", "vendor/small": "Small", "gpt-7": "7"},
                **{f"vendor/claude-opus-{one}": one for one in ("4-5", "5-10", "5-9", "6-fast")},
                **{"other/claude-opus-7": "Claude Opus 7", "other/claude-haiku-4-5": "Haiku"},
            },
        }
        return [
            SessionConfigOptionSelect(
                id=f"the-{name}",
                name=name,
                category=name,
                type="select",
                current_value=value,
                options=[
                    SessionConfigSelectOption(value=one, name=called)
                    for one, called in offered[name].items()
                ],
            )
            for name, value in self._choices.items()
        ]

    async def set_config_option(
        self, config_id: str, session_id: str, value: str | bool, **_: Any
    ) -> SetSessionConfigOptionResponse:
        self._choices[config_id.removeprefix("the-")] = str(value)
        return SetSessionConfigOptionResponse(config_options=self._options())

    async def _chosen(self, _: str) -> None:
        await self._say(str(self._choices))

    async def _options_told(self, _: str) -> None:
        await self._say(json.dumps(self._more))

    async def _over(self, _: str) -> None:
        raise acp.RequestError(-32603, "Internal error: Reached maximum budget ($0.5)")

    async def _cost(self, dollars: str) -> None:
        cost = Cost(amount=float(dollars), currency="USD")
        await self._tell(UsageUpdate(used=1, size=9, cost=cost, session_update="usage_update"))

    async def _late(self, name: str) -> None:
        call = acp.start_tool_call("c3", "Edit", kind="edit", status="pending")
        await self._tell(call)
        path = place(self._cwd, name)
        told = acp.update_tool_call(
            "c3",
            title=f"Edit {name}",
            raw_input={"file_path": path},
            content=[acp.tool_diff_content(path, "edited\n", None)],
            locations=[ToolCallLocation(path=path)],
        )
        await self._tell(told)
        bare = ToolCallUpdate(tool_call_id="c3")
        answer = await self._client.request_permission(
            session_id="s1", tool_call=bare, options=OPTIONS
        )
        done = getattr(answer.outcome, "option_id", "no") == "yes"
        output = acp.tool_content(acp.text_block("```\nfine\n```"))
        await self._tell(
            acp.update_tool_call("c3", status="completed" if done else "failed", content=[output])
        )

    async def cancel(self, session_id: str, **_: Any) -> None:
        self._cancelled.set()

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> PromptResponse:
        text = prompt[0].text
        lines = [line for line in text.splitlines() if line.startswith("do: ")] or ["do: say on"]
        for step in lines[-1].removeprefix("do: ").split(" && "):
            verb, _, rest = step.partition(" ")
            stop = await getattr(self, f"_{verb}")(rest)
            if stop:
                return PromptResponse(stop_reason=stop)
        usage = Usage(total_tokens=12, input_tokens=10, output_tokens=2)
        return PromptResponse(stop_reason="end_turn", usage=usage)

    async def _tell(self, update: Any) -> None:
        await self._client.session_update("s1", update)

    async def _say(self, text: str) -> None:
        await self._tell(acp.update_agent_message_text(text))

    async def _think(self, text: str) -> None:
        await self._tell(acp.update_agent_thought_text(text))

    async def _plan(self, _: str) -> None:
        entries = [acp.plan_entry("Look", status="completed"), acp.plan_entry("Mend")]
        await self._tell(acp.update_plan(entries))

    async def _read(self, name: str) -> None:
        try:
            found = await self._client.read_text_file(
                session_id="s1", path=str(Path(self._cwd, name))
            )
            await self._say(f"read {found.content}")
        except acp.RequestError as error:
            await self._say(f"refused {error.data}")

    async def _write(self, name: str) -> None:
        try:
            await self._client.write_text_file(
                session_id="s1", path=str(Path(self._cwd, name)), content="by the agent\n"
            )
            await self._say("wrote")
        except acp.RequestError as error:
            await self._say(f"refused {error.data}")

    async def _run(self, command: str) -> None:
        call = acp.start_tool_call(
            "c1", f"Run {command}", kind="execute", raw_input={"command": command}
        )
        await self._tell(call)
        if not await self._ask(call):
            await self._tell(acp.update_tool_call("c1", status="failed"))
            await self._say("not allowed")
            return
        output = acp.tool_content(acp.text_block(shell(command, self._cwd)))
        await self._tell(acp.update_tool_call("c1", status="completed", content=[output]))

    async def _edit(self, name: str) -> None:
        path = place(self._cwd, name)
        diff = acp.tool_diff_content(path, "edited\n", None)
        call = acp.start_tool_call(
            "c2",
            f"Edit {name}",
            kind="edit",
            content=[diff],
            locations=[ToolCallLocation(path=path)],
        )
        await self._tell(call)
        if await self._ask(call):
            write(path, "edited\n")
            await self._say("edited")
        else:
            await self._say("not allowed")

    async def _ask(self, call: Any) -> bool:
        fields = call.model_dump(exclude={"session_update"}, exclude_none=True)
        answer = await self._client.request_permission(
            session_id="s1", tool_call=ToolCallUpdate(**fields), options=OPTIONS
        )
        return getattr(answer.outcome, "option_id", "no") == "yes"

    async def _sneak(self, name: str) -> None:
        try:
            write(place(self._cwd, name), "unasked\n")
            await self._say("sneaked")
        except OSError as error:
            await self._say(f"held: {error}")

    async def _look(self, name: str) -> None:
        home = Path.home() / name
        found = home.read_text() if home.exists() else "nothing"
        await self._say(f"{found} {' '.join(sorted(os.environ))}")

    async def _net(self, port: str) -> None:
        try:
            socket.create_connection(("127.0.0.1", int(port)), 1).close()
            await self._say("network")
        except OSError:
            await self._say("no network")

    async def _tools(self, _: str) -> None:
        for one in self._servers:
            async with connected(one) as client:
                found = await client.list_tools()
            await self._say(f"{one.name}: {[tool.name for tool in found.tools]} ")

    async def _call(self, rest: str) -> None:
        name, _, given = rest.partition(" ")
        async with connected(self._servers[0]) as client:
            result = await client.call_tool(name, json.loads(given))
        text = " ".join(one.text for one in result.content)
        await self._say(f"{'failed' if result.is_error else 'got'}: {text} ")

    async def _want(self, rest: str) -> None:
        """Ask before a tool is called, as some agents do, and tell the answer."""
        name, _, given = rest.partition(" ")
        call = acp.start_tool_call(
            "c4", f"mcp__docs__{name}", kind="other", raw_input=json.loads(given)
        )
        await self._tell(call)
        await self._say("may " if await self._ask(call) else "may not ")

    async def _hang(self, _: str) -> str:
        await self._say("waiting")
        await self._cancelled.wait()
        return "cancelled"

    async def _refuse(self, _: str) -> str:
        return "refusal"

    async def _crash(self, _: str) -> None:
        print("the agent's own trouble", file=sys.stderr, flush=True)
        os._exit(3)


def connected(server: Any) -> Any:
    """Connect to an MCP server as agents do: start what one was told."""
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    environment = {one.name: one.value for one in server.env}
    parameters = StdioServerParameters(command=server.command, args=server.args, env=environment)
    return Client(stdio_client(parameters))


def shell(command: str, folder: str) -> str:
    done = subprocess.run(
        command, shell=True, cwd=folder, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def place(folder: str, name: str) -> str:
    return os.path.normpath(Path(folder, name))


def write(path: str, text: str) -> None:
    Path(path).write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lock")
    parser.add_argument("--deaf", action="store_true")
    parser.add_argument("--login", action="store_true")
    parser.add_argument("--choices", action="store_true")
    args = parser.parse_args()
    if args.lock:
        held = Path(args.lock).open("w")  # noqa: SIM115 (held to the end of the process)
        fcntl.flock(held, fcntl.LOCK_EX)
    asyncio.run(acp.run_agent(ScriptedAgent(login=args.login, choices=args.choices)))
    if args.deaf:
        time.sleep(600)


if __name__ == "__main__":
    main()
