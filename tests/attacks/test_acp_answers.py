"""An answer to an ACP agent covers the action that was shown, by whatever name (row 33)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.permissions.permissions import Permissions
from secretary_tui.delegation.permissions.settings_rules import load_rules
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.workspace.workspace import Workspace
from secretary_tui.people import ToolDecision
from tests.delegation.conftest import ScriptedPerson

client_module = pytest.importorskip(
    "secretary_tui.delegation.acp.acp_client", reason="needs the extra acp", exc_type=ImportError
)
schema = pytest.importorskip("acp.schema", reason="needs the extra acp")

DOCS, EVIL = "https://docs.example.org/a", "https://evil.example/?leak"


class Asking:
    """An agent that asks, and a person who says the same each time."""

    def __init__(
        self,
        workspace: Path,
        decision: ToolDecision,
        mode: PermissionMode = PermissionMode.ASK,
        offers: tuple[str, ...] = ("allow_once", "allow_always", "reject_once"),
    ) -> None:
        self.person = ScriptedPerson(*[decision] * 20)
        self._root = workspace
        self._offers = [
            schema.PermissionOption(option_id=kind, name=kind, kind=cast(Any, kind))
            for kind in offers
        ]
        permissions = Permissions(
            workspace, mode, load_rules(workspace), self.person, lambda _: None
        )
        parts = ToolContext(
            *("agent", "agent", Workspace.at(workspace)),
            *(OfferedTools(("Bash", "Write", "Edit", "WebFetch")), permissions),
            *(self.person, lambda _: None),
        )
        self._client = client_module.AcpClient(parts, cast(Any, None), confined=True)

    async def ask(self, kind: str, title: str, *names: str, **given: object) -> tuple[str, bool]:
        """What was chosen for a call, and whether the person was asked."""
        before = len(self.person.requests)
        call = schema.ToolCallUpdate(
            tool_call_id=f"c{before}",
            kind=cast(Any, kind),
            title=title,
            locations=[schema.ToolCallLocation(path=str(self._root / name)) for name in names],
            raw_input=given,
        )
        answer = await self._client.request_permission("s", call, self._offers)
        chosen = getattr(answer.outcome, "option_id", "nothing")
        return chosen, len(self.person.requests) > before


@pytest.mark.parametrize("decision", [ToolDecision.RUN, ToolDecision.ALWAYS])
async def test_row_33_an_answer_to_an_acp_agent_covers_no_other_action(
    decision: ToolDecision, workspace: Path
) -> None:
    agent = Asking(workspace, decision)
    for kind, title, name, given in (
        ("delete", "Delete a", "a", {}),
        ("delete", "Delete b", "b", {}),
        ("delete", "Delete b", "c", {}),
        ("move", "Move c", "c", {}),
        ("other", "Go on", "", {"x": "ls"}),
        ("other", "Go on", "", {"x": "rm"}),
        ("fetch", "Fetch", "", {"url": DOCS}),
        ("fetch", "Fetch", "", {"url": EVIL}),
        ("fetch", "docs.example.org,domain:other.example", "", {}),
        ("fetch", "docs.example.org,domain:other.example", "", {}),
    ):
        names = (name,) if name else ()
        assert await agent.ask(kind, title, *names, **given) == ("allow_once", True), title
    # What was answered holds for just that.
    assert await agent.ask("fetch", "Another title", url=DOCS) == ("allow_once", False)
    if decision is ToolDecision.RUN:
        assert await agent.ask("other", "Go on", x="rm") == ("allow_once", False)
    stored = [rule.text for rule in load_rules(workspace).allow]
    always = decision is ToolDecision.ALWAYS
    hosts = ("docs.example.org", "evil.example") if always else ()
    assert stored == [f"WebFetch(domain:{host})" for host in hosts]


async def test_row_33_an_acp_agent_is_never_told_always(workspace: Path) -> None:
    agent = Asking(workspace, ToolDecision.ONCE, offers=("allow_always", "reject_once"))
    assert await agent.ask("other", "Go on") == ("nothing", True)


async def test_an_edit_of_no_known_file_asks_even_where_edits_pass(workspace: Path) -> None:
    agent = Asking(workspace, ToolDecision.ONCE, PermissionMode.ACCEPT_EDITS)
    assert await agent.ask("edit", "Edit") == ("allow_once", True)
    assert await agent.ask("edit", "Edit", "a.txt") == ("allow_once", False)


async def test_a_denied_host_is_denied_to_an_acp_agent(workspace: Path, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"permissions": {"deny": ["WebFetch(domain:evil.example)"]}}))
    agent = Asking(workspace, ToolDecision.ONCE)
    assert await agent.ask("fetch", "Docs", url=EVIL) == ("reject_once", False)
    assert await agent.ask("fetch", "Docs") == ("reject_once", False)
    assert await agent.ask("fetch", "Docs", url=DOCS) == ("allow_once", True)
