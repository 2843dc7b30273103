"""May it? The four answers, the reason, the full view, and keys that were meant for the box."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.events import Paste
from textual.widgets import Static

from secretary_tui.delegation.workspace.diffs import unified_diff
from secretary_tui.people import ToolRequest
from secretary_tui.screens.viewer import ViewerScreen
from secretary_tui.widgets.panels.panel import Panel
from secretary_tui.widgets.panels.permission_panel import PermissionPanel
from tests.screens.desk import Desk, at_desk, routing
from tests.servers.anthropic_server import ScriptedServer, Step, answer, text, tool_use, wait_for

Serve = Callable[..., ScriptedServer]

ROUTED = routing(("schema-smith", 92))
WRITE = {"file_path": "notes.md", "content": "first line\nsecond line\n"}
DONE = answer(text("All is well."))


def writing(**changes: str) -> Step:
    return answer(text("I write it."), tool_use("Write", {**WRITE, **changes}))


def panel(desk: Desk) -> PermissionPanel:
    return desk.main.query_one(PermissionPanel)


def detail(desk: Desk) -> str:
    return str(desk.main.query_one("#permission-detail", Static).content)


async def asked(desk: Desk) -> None:
    """Let schema-smith run until it wants to write."""
    await desk.matched("add a table for invoices")
    await desk.press("enter")
    await desk.until(lambda: panel(desk).is_open and panel(desk).has_focus)


async def ended(desk: Desk) -> None:
    await desk.sees("All is well.")
    await desk.finished()


def told(server: ScriptedServer) -> str:
    """What the model was told about its last tool call."""
    return json.dumps(server.requests[-1].body["messages"][-1])


async def test_the_panel_names_the_agent_the_tool_the_place_and_the_whole_change(
    project: Path, serve: Serve
) -> None:
    serve(ROUTED, writing(), DONE)
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.sees(
            "schema-smith wants to use Write  in ~/shop",
            "+first line",
            "+second line",
            "y once  r all edits of this run  a this file, always  n deny",
        )
        await desk.press("y")
        await ended(desk)


async def test_a_note_is_allowed_once_and_no_further(project: Path, serve: Serve) -> None:
    file = project / ".claude" / "agents" / "schema-smith.md"
    file.write_text(file.read_text().replace("\nname:", "\nmemory: project\nname:", 1))
    note = answer(text("I note it."), tool_use("Memory", {"content": "Use UTC.\n"}))
    serve(ROUTED, note, DONE)
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.sees("wants to use Memory", "+Use UTC.", "y once  n deny")
        await desk.press("r", "a")
        assert panel(desk).is_open
        await desk.press("y")
        await ended(desk)
    kept = project / ".claude" / "agent-memory" / "schema-smith" / "MEMORY.md"
    assert kept.read_text() == "Use UTC.\n"


@pytest.mark.parametrize("key", ["y", "r", "a"])
async def test_allowing_lets_the_tool_act(key: str, project: Path, serve: Serve) -> None:
    serve(ROUTED, writing(), DONE)
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.press(key)
        await ended(desk)
    assert (project / "notes.md").read_text() == WRITE["content"]
    assert (project / ".claude" / "settings.local.json").exists() == (key == "a")


async def test_for_this_run_covers_its_other_edits_too(project: Path, serve: Serve) -> None:
    serve(ROUTED, writing(), writing(content="other"), DONE)
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.press("r")
        await ended(desk)
    assert (project / "notes.md").read_text() == "other"


async def test_a_denial_takes_a_reason_that_the_model_reads(project: Path, serve: Serve) -> None:
    server = serve(ROUTED, writing(), DONE)
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.press("n")
        await desk.type("yet another file? no")
        await desk.press("enter")
        await ended(desk)
    assert "yet another file? no" in told(server)
    assert not (project / "notes.md").exists()


async def test_the_reason_takes_one_row_below_a_long_change(project: Path, serve: Serve) -> None:
    content = "\n".join(map(str, range(50)))
    serve(ROUTED, writing(content=content), DONE)
    async with at_desk(project, size=(80, 24)) as desk:
        await asked(desk)
        height = panel(desk).size.height
        await desk.press("n")
        await desk.sees("Reason (optional, the agent reads it); Enter denies")
        assert panel(desk).size.height == height + 1
        await desk.press("enter")
        await ended(desk)


async def test_esc_in_the_reason_goes_back_to_the_answers(project: Path, serve: Serve) -> None:
    serve(ROUTED, writing(), DONE)
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.press("n", "x", "escape")
        assert panel(desk).is_open
        await desk.press("y")
        await ended(desk)
    assert (project / "notes.md").exists()


async def test_esc_denies_and_the_run_goes_on(project: Path, serve: Serve) -> None:
    server = serve(ROUTED, writing(), DONE)
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.press("escape")
        await ended(desk)
    assert not (project / "notes.md").exists()
    assert "tool_result" in told(server)


async def test_v_shows_the_whole_change_on_the_full_screen_and_answers_nothing(
    project: Path, serve: Serve
) -> None:
    content = "\n".join(f"line {number}" for number in range(80))
    serve(ROUTED, writing(content=content), DONE)
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.press("v")
        assert isinstance(desk.app.screen, ViewerScreen)
        await desk.press("end")
        await desk.sees("+line 79")
        await desk.press("escape")
        assert panel(desk).is_open
        await desk.until(lambda: panel(desk).has_focus)
        await desk.press("y")
        await ended(desk)


async def test_the_whole_of_a_long_command_can_be_scrolled_to(project: Path, serve: Serve) -> None:
    command = "echo start\n" + "\n".join(f"echo {number}" for number in range(60))
    serve(
        routing(("release-scribe", 92)),
        answer(tool_use("Bash", {"command": command})),
        DONE,
    )
    async with at_desk(project) as desk:
        await desk.matched("write release notes")
        await desk.press("enter")
        await desk.until(lambda: panel(desk).has_focus)
        assert detail(desk) == command
        await desk.sees("echo start", "release-scribe wants to use Bash")
        await desk.press("end")
        await desk.sees("echo 59")
        await desk.press("escape")
        await ended(desk)


async def test_what_is_typed_too_early_goes_to_the_request_box(
    project: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(ROUTED, writing(), DONE)
    async with at_desk(project) as desk:
        await desk.matched("add a table for invoices")
        monkeypatch.setattr(Panel, "GRACE_S", 3600.0)
        monkeypatch.setattr(desk.main.panels.match, "GRACE_S", 0.0, raising=False)
        await desk.press("enter")
        await desk.until(lambda: panel(desk).is_open and panel(desk).has_focus)
        await desk.type("yes")
        await desk.until(lambda: desk.main.request.text == "yes")
        assert panel(desk).is_open
        assert not (project / "notes.md").exists()
        assert desk.main.focused is desk.main.request


async def test_the_last_letter_of_a_word_in_one_burst_answers_nothing(
    project: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(ROUTED, writing(), DONE)
    async with at_desk(project) as desk:
        await asked(desk)
        monkeypatch.setattr(Panel, "GRACE_S", 3600.0)
        monkeypatch.setattr(Panel, "WORD_S", 0.1)
        panel(desk).guard.end()
        await desk.type("say")
        await desk.until(lambda: desk.main.request.text == "say")
        assert panel(desk).is_open
        await desk.press("escape")
    assert not (project / "notes.md").exists()


async def test_a_paste_answers_nothing_and_goes_to_the_request_box(
    project: Path, serve: Serve
) -> None:
    serve(ROUTED, writing(), DONE)
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.until(lambda: panel(desk).has_focus)
        desk.app.post_message(Paste("y"))
        await desk.until(lambda: desk.main.request.text == "y")
        assert panel(desk).is_open
        assert desk.main.focused is desk.main.request
        await desk.press("escape")
    assert not (project / "notes.md").exists()


async def test_somebody_who_is_typing_keeps_the_focus_and_tab_leads_to_the_panel(
    project: Path, serve: Serve
) -> None:
    gate = threading.Event()
    serve(ROUTED, wait_for(gate, writing()), DONE)
    async with at_desk(project) as desk:
        await desk.matched("add a table for invoices")
        await desk.press("enter")
        await desk.until(lambda: desk.main.tabs.running)
        await desk.type("ray")
        gate.set()
        await desk.until(lambda: panel(desk).is_open)
        await desk.type("ray")
        assert desk.main.request.text == "rayray"
        assert panel(desk).is_open
        await desk.sees("Tab to the question")
        await desk.press("tab")
        assert panel(desk).has_focus
        await desk.press("y")
        await ended(desk)
        assert desk.main.request.text == "rayray"


async def test_an_interrupted_run_takes_its_question_away(project: Path, serve: Serve) -> None:
    serve(ROUTED, writing(), DONE)
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.press("ctrl+c")
        await desk.finished()
        assert not panel(desk).display
        await desk.sees("interrupted")
    assert not (project / "notes.md").exists()


async def test_the_keys_of_habit_allow_nothing(project: Path, serve: Serve) -> None:
    serve(ROUTED, writing(), DONE)
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.press("enter", "space", "1", "o")
        assert panel(desk).is_open
        assert not (project / "notes.md").exists()
        await desk.sees("Enter send at next turn", "Ctrl+U clear to answer")
        assert desk.main.request.text == "1o"
        await desk.press("ctrl+u")
        await desk.until(lambda: panel(desk).has_focus)
        await desk.press("escape")
        await ended(desk)


async def test_the_part_that_no_rule_covers_is_marked_and_named(
    project: Path, home: Path, serve: Serve
) -> None:
    own = home / ".claude" / "settings.json"
    own.parent.mkdir(exist_ok=True)
    own.write_text(json.dumps({"permissions": {"allow": ["Bash(ls:*)"]}}))
    command = "ls -l && wget http://example.com/" + "x" * 400
    serve(routing(("release-scribe", 92)), answer(tool_use("Bash", {"command": command})), DONE)
    async with at_desk(project, size=(120, 40)) as desk:
        await desk.matched("write release notes")
        await desk.press("enter")
        await desk.sees("release-scribe wants to use Bash", "no rule allows `wget`", "characters")
        content = desk.main.query_one("#permission-detail", Static).content
        marked = [content.plain[span.start : span.end] for span in content.spans]
        assert marked == [command.partition("&& ")[2]]
        await desk.press("escape")
        await desk.finished()


@pytest.mark.parametrize("size", [(60, 20), (60, 24), (80, 24), (120, 40)], ids=str)
@pytest.mark.parametrize("warnings", [0, 3])
async def test_a_long_detail_leaves_the_answers_on_the_screen(
    project: Path, size: tuple[int, int], warnings: int
) -> None:
    request = ToolRequest(
        *("t", "schema-smith", "Edit", "a.py", "+ line\n" * 60, str(project)),
        warnings=("Something about it that is longer than a line of sixty columns.",) * warnings,
    )
    async with at_desk(project, size) as desk:
        asking = asyncio.create_task(panel(desk).ask(request))
        await desk.until(lambda: panel(desk).is_open and panel(desk).has_focus)
        await desk.sees("y once", "n deny")
        asking.cancel()


async def test_80_by_24_shows_the_lines_that_an_edit_changes(project: Path) -> None:
    before = "import os\n\n\ndef login():\n    return True\n\n\n# end\n"
    diff = unified_diff("login.py", before, before.replace("True", "False"))
    request = ToolRequest("t", "schema-smith", "Edit", "login.py", diff, str(project))
    async with at_desk(project, (80, 24)) as desk:
        asking = asyncio.create_task(panel(desk).ask(request))
        await desk.sees("+++ b/login.py", "-    return True", "+    return False", "n deny")
        asking.cancel()
