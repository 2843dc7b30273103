"""An agent's notes: in its prompt at the start, changed only after asking, nowhere else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.tools.memory import MAX_LINES, memory_of
from secretary_tui.events import RunStarted, ToolFinished
from secretary_tui.people import ToolDecision
from secretary_tui.registry.definition.spec import Source, SourceKind
from secretary_tui.tool_table import answer_scope
from tests.delegation.conftest import Runner, ScriptedPerson, make_agent, only
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use

PLACES = {
    "project": ".claude/agent-memory/tester",
    "local": ".claude/agent-memory-local/tester",
}


def agent(scope: str, **fields: Any) -> dict[str, Any]:
    own = {"source": Source(SourceKind.USER, Path("agents"))} if scope == "user" else {}
    return {"tools": ("Read",), "metadata": {"memory": scope}, **own, **fields}


async def note(
    runner: Runner, scope: str, person: ScriptedPerson | None = None, **given: Any
) -> tuple[ToolFinished, str]:
    """Call Memory once; give its end and the system prompt."""
    with ScriptedServer(answer(tool_use("Memory", given)), answer(text("ok"))) as server:
        events = await runner.run(server, person or ScriptedPerson(), agent=agent(scope))
        system = server.requests[0].body["system"][0]["text"]
    return only(events, ToolFinished)[0], system


@pytest.mark.parametrize("scope", ["user", "project", "local"])
async def test_a_note_is_kept_where_the_definition_says_and_read_the_next_time(
    runner: Runner, home: Path, scope: str
) -> None:
    root = home if scope == "user" else runner.workspace
    folder = root / PLACES.get(scope, ".claude/agent-memory/tester")
    person = ScriptedPerson(ToolDecision.ONCE)
    end, _ = await note(runner, scope, person, content="Tests run with `make`.\n")
    assert not end.is_error, end.output
    assert (folder / "MEMORY.md").read_text() == "Tests run with `make`.\n"
    assert "+Tests run with `make`." in person.requests[0].detail
    assert any("later runs" in warning for warning in person.requests[0].warnings)
    end, system = await note(runner, scope)
    assert end.output == "Tests run with `make`.\n"
    assert "# Your notes (MEMORY.md)\n\nTests run with `make`." in system


async def test_the_prompt_holds_the_first_lines_only(runner: Runner) -> None:
    folder = runner.workspace / PLACES["project"]
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("".join(f"line {n}\n" for n in range(MAX_LINES + 50)))
    _, system = await note(runner, "project")
    assert f"line {MAX_LINES - 1}\n[cut: the note is longer]" in system
    assert f"line {MAX_LINES}\n" not in system


@pytest.mark.parametrize("name", ["../x.md", "/etc/x.md", "x.txt", ".x.md", "a/b.md", "x.md\x00"])
async def test_a_note_is_a_plain_file_of_its_folder(runner: Runner, name: str) -> None:
    person = ScriptedPerson()
    end, _ = await note(runner, "project", person, name=name, content="x")
    assert end.is_error
    assert person.requests == []


@pytest.mark.parametrize("link", [".claude", ".claude/agent-memory", PLACES["project"]])
async def test_links_lead_out_of_no_folder(runner: Runner, tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    deep = outside / "agent-memory" / "tester"
    deep.mkdir(parents=True)
    for folder in (outside, outside / "agent-memory", outside / "tester", deep):
        folder.mkdir(exist_ok=True)
        (folder / "MEMORY.md").write_text("SECRET")
    place = runner.workspace / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(outside)
    person = ScriptedPerson(ToolDecision.ONCE)
    end, system = await note(runner, "project", person, content="hacked")
    assert end.is_error
    assert "SECRET" not in system
    assert "hacked" not in "".join(path.read_text() for path in outside.rglob("*.md"))


async def test_a_note_that_is_a_link_is_neither_read_nor_replaced(
    runner: Runner, tmp_path: Path
) -> None:
    (tmp_path / "secret.md").write_text("SECRET")
    folder = runner.workspace / PLACES["project"]
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").symlink_to(tmp_path / "secret.md")
    end, system = await note(runner, "project")
    assert end.is_error
    assert "SECRET" not in system + end.output
    end, _ = await note(runner, "project", ScriptedPerson(ToolDecision.ONCE), content="x")
    assert (tmp_path / "secret.md").read_text() == "SECRET"


@pytest.mark.parametrize("mode", [PermissionMode.PLAN, PermissionMode.DENY])
async def test_a_run_that_only_reads_keeps_no_notes(runner: Runner, mode: PermissionMode) -> None:
    call = tool_use("Memory", {"content": "x"})
    with ScriptedServer(answer(call), answer(text("ok"))) as server:
        events = await runner.run(server, agent=agent("project"), permission_mode=mode)
    assert only(events, ToolFinished)[0].is_error
    assert not (runner.workspace / ".claude").exists()


@pytest.mark.parametrize("scope", ["", "everything", "true"])
async def test_without_a_known_scope_there_is_no_memory(runner: Runner, scope: str) -> None:
    with ScriptedServer(answer(text("ok"))) as server:
        events = await runner.run(server, agent=agent(scope))
    assert only(events, RunStarted)[0].tools == ("Read",)


def test_an_agents_name_cannot_lead_out_of_the_folder(workspace: Path) -> None:
    for name in ("../../x", "..", "plugin:sub:x", "a/b", "\x1b[2J"):
        found = memory_of(
            make_agent(workspace, name=name, metadata={"memory": "project"}), workspace
        )
        assert found is not None
        assert found.folder.parent == workspace.resolve() / ".claude" / "agent-memory"
        assert found.folder.name.strip(".")


SOURCES = [
    Source(SourceKind.PROJECT, Path("/repo/.claude/agents")),
    Source(SourceKind.PROJECT, Path("/other/.claude/agents")),
    Source(SourceKind.PLUGIN, Path("/repo/plugins/x/agents"), plugin="x"),
    Source(SourceKind.PLUGIN, Path("/m/x/1.0/agents"), plugin="x", depth=1, marketplace="m"),
    Source(SourceKind.PLUGIN, Path("/n/x/1.0/agents"), plugin="x", depth=1, marketplace="n"),
    Source(SourceKind.USER, Path("/home/agents")),
]


def folder_of(workspace: Path, name: str, source: Source) -> Path:
    fields = {"name": name, "source": source, "metadata": {"memory": "user"}}
    found = memory_of(make_agent(workspace, **fields), workspace)
    assert found is not None
    return found.folder


def test_agents_of_other_places_and_of_other_names_share_no_notes(workspace: Path) -> None:
    names = ("code-reviewer", "code reviewer", "code:reviewer", "code/reviewer", "../code-reviewer")
    names += (".code-reviewer-", "CODE-REVIEWER", "code-reviewer\u200b", "a" * 80, "a" * 81, "a.")
    found = [folder_of(workspace, name, source) for name in names for source in SOURCES]
    assert len(set(found)) == len(found)
    assert len({path.parent for path in found}) == 1
    assert folder_of(workspace, "code-reviewer", SOURCES[-1]).name == "code-reviewer"


def test_a_plugin_keeps_its_notes_over_its_versions(workspace: Path) -> None:
    newer = replace(SOURCES[3], root=Path("/m/x/2.0/agents"))
    assert folder_of(workspace, "a", newer) == folder_of(workspace, "a", SOURCES[3])


async def test_a_repositorys_agent_does_not_read_the_notes_of_the_users_own(
    runner: Runner, home: Path
) -> None:
    own = home / ".claude" / "agent-memory" / "tester"
    own.mkdir(parents=True)
    for name in ("MEMORY.md", "private.md"):
        (own / name).write_text("CANARY")
    brought = {**agent("user"), "source": SOURCES[0]}
    call = tool_use("Memory", {"name": "private.md"})
    with ScriptedServer(answer(call), answer(text("ok"))) as server:
        events = await runner.run(server, agent=brought)
        sent = str([request.body for request in server.requests])
    assert "CANARY" not in sent
    assert "private.md." not in sent
    assert only(events, ToolFinished)[0].is_error
    end, system = await note(runner, "user", name="private.md")
    assert end.output == "CANARY"
    assert "CANARY" in system


@pytest.mark.parametrize("given", [ToolDecision.RUN, ToolDecision.ALWAYS])
async def test_each_change_of_a_note_asks_whatever_was_answered_before(
    runner: Runner, given: ToolDecision
) -> None:
    assert answer_scope("Memory") == ("", "")
    person = ScriptedPerson(given, given, ToolDecision.DENY)
    notes = [tool_use("Memory", {"name": "n.md", "content": f"{n}"}, id=f"t{n}") for n in range(3)]
    with ScriptedServer(*map(answer, notes), answer(text("ok"))) as server:
        await runner.run(server, person, agent=agent("project"))
    assert len(person.requests) == 3
    assert (runner.workspace / PLACES["project"] / "n.md").read_text() == "1"
    assert not (runner.workspace / ".claude" / "settings.local.json").exists()


async def test_no_rule_changes_a_note_unasked(runner: Runner, home: Path) -> None:
    (home / ".claude").mkdir()
    rules = {"permissions": {"allow": ["Memory", "Memory(n.md)"]}}
    (home / ".claude" / "settings.json").write_text(json.dumps(rules))
    person = ScriptedPerson(ToolDecision.DENY)
    end, _ = await note(runner, "user", person, name="n.md", content="x")
    assert end.is_error
    assert len(person.requests) == 1


def test_a_linked_folder_of_notes_shows_no_names(workspace: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "acme-takeover.md").write_text("x")
    place = workspace / PLACES["project"]
    place.mkdir(parents=True)
    (place / "inside.md").write_text("x")
    (place / "acme.md").symlink_to(outside / "acme-takeover.md")
    found = memory_of(make_agent(workspace, metadata={"memory": "project"}), workspace)
    assert found is not None
    assert found.names() == ["inside.md"]
    place.rename(workspace / "elsewhere")
    place.symlink_to(outside)
    assert found.names() == []
