"""What an agent plans, asks and hands on, as the user meets it on the screen."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from secretary_tui.widgets.panels.permission_panel import PermissionPanel
from secretary_tui.widgets.panels.question_panel import QuestionPanel
from tests.screens.desk import Desk, at_desk, routing
from tests.servers.anthropic_server import Block, ScriptedServer, answer, text, tool_use

Serve = Callable[..., ScriptedServer]

ROUTED = routing(("schema-smith", 92))
DONE = answer(text("All is well."))
QUESTION = {
    "question": "Which engine?",
    "header": "Engine",
    "options": [{"label": "Fast", "description": "less safe"}, {"label": "Safe"}],
}


def give_tools(project: Path, tools: str) -> None:
    """Let the agent of the test have other tools."""
    (file,) = project.rglob("schema-smith.md")
    head, _, rest = file.read_text().partition("tools: ")
    file.write_text(f"{head}tools: {tools}\n{rest.partition(chr(10))[2]}")


async def started(desk: Desk) -> None:
    await desk.matched("add a table for invoices")
    await desk.press("enter")


def steps(*done: str) -> Block:
    names = ("Look", "Write", "Test")
    todos = [{"content": n, "status": "completed" if n in done else "pending"} for n in names]
    return tool_use("TodoWrite", {"todos": todos})


async def test_the_list_of_steps_stands_in_one_place_and_is_brought_up_to_date(
    project: Path, serve: Serve
) -> None:
    give_tools(project, "TodoWrite, Glob")
    look = tool_use("Glob", {"pattern": "*"})
    serve(ROUTED, answer(steps(), look), answer(steps("Look", "Write"), text("Nearly.")), DONE)
    async with at_desk(project) as desk:
        await started(desk)
        await desk.sees("All is well.", "Steps 2 of 3 done", "✓ Look", "○ Test")
        await desk.finished()


async def test_a_question_of_the_agents_is_answered_in_the_panel(
    project: Path, serve: Serve
) -> None:
    give_tools(project, "AskUserQuestion")
    server = serve(ROUTED, answer(tool_use("AskUserQuestion", {"questions": [QUESTION]})), DONE)
    async with at_desk(project) as desk:
        await started(desk)
        panel = desk.main.query_one(QuestionPanel)
        await desk.until(lambda: panel.is_open and panel.has_focus)
        await desk.sees("schema-smith asks", "Which engine?", "Fast", "Other")
        await desk.press("2", "enter")
        await desk.sees("All is well.")
        await desk.finished()
    assert "Which engine? -> Safe" in json.dumps(server.requests[-1].body["messages"][-1])


async def test_skipping_a_question_tells_the_agent_to_decide(project: Path, serve: Serve) -> None:
    give_tools(project, "AskUserQuestion")
    server = serve(ROUTED, answer(tool_use("AskUserQuestion", {"questions": [QUESTION]})), DONE)
    async with at_desk(project) as desk:
        await started(desk)
        panel = desk.main.query_one(QuestionPanel)
        await desk.until(lambda: panel.is_open and panel.has_focus)
        await desk.press("escape")
        await desk.sees("All is well.")
        await desk.finished()
    assert "Decide yourself" in json.dumps(server.requests[-1].body["messages"][-1])


async def test_a_called_agents_question_for_permission_names_both_agents(
    project: Path, serve: Serve
) -> None:
    give_tools(project, "Write, Agent")
    call = {"description": "write it", "prompt": "Write x.", "subagent_type": "release-scribe"}
    serve(
        ROUTED,
        answer(tool_use("Agent", call)),
        answer(tool_use("Write", {"file_path": "x.txt", "content": "hello\n"})),
        answer(text("Written.")),
        DONE,
    )
    async with at_desk(project) as desk:
        await started(desk)
        panel = desk.main.query_one(PermissionPanel)
        await desk.until(lambda: panel.is_open and panel.has_focus)
        await desk.sees("release-scribe (called by schema-smith) wants to use Write")
        await desk.press("y")
        await desk.sees("All is well.", "Agent release-scribe: write it", "1 tool")
        await desk.finished()
    assert (project / "x.txt").read_text() == "hello\n"
