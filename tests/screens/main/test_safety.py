"""Agent files and models are strangers: what they write is shown literally and obeyed never."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.drivers.headless_driver import HeadlessDriver
from textual.widgets import Static

from tests.screens.desk import at_desk, routing
from tests.servers.anthropic_server import ScriptedServer, answer, text

Serve = Callable[..., ScriptedServer]

OSC52 = "\x1b]52;c;ZXZpbA==\x07"
C1 = "\x9b31m\x9d52;c;ZXZpbA==\x9c"
BIDI = "\u202eevil\u2066"
MARKUP = "[@click=app.bell]x[/] [/ [red]"
PAYLOAD = f"{OSC52}{C1}{BIDI}{MARKUP}"
POINTER = re.compile(r"\x1b\](?:22;[a-z-]+|11;\?)\x07")
"""How the app asks for another shape of the mouse pointer, and for the background."""
BELL = "\x07"
FORBIDDEN = ("\x1b]52", "\x9b", "\x9d", "\u202e", "\u2066", BELL)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Everything that the app writes to the terminal: what it paints, rings and copies."""
    pieces: list[str] = []

    def write(self: HeadlessDriver, data: str) -> None:
        pieces.append(data)

    monkeypatch.setattr(HeadlessDriver, "write", write)
    # Else the app would not paint at all.
    monkeypatch.setattr(HeadlessDriver, "is_headless", property(lambda self: False))
    return pieces


def hostile_agent(project: Path) -> None:
    path = project / ".claude" / "agents" / "hostile.md"
    path.write_text(
        f"---\nname: evil{MARKUP.replace(' ', '')}{OSC52}\n"
        f"description: Bakes cakes {PAYLOAD} and tarts\n"
        f"tools: Read, {MARKUP}{OSC52}\nmodel: {OSC52}[/red]\n---\nYou bake. {PAYLOAD}\n"
    )


def assert_harmless(written: list[str], *, rung: bool = False) -> None:
    everything = POINTER.sub("", "".join(piece for piece in written if piece != BELL or not rung))
    assert "request" in everything
    for forbidden in FORBIDDEN:
        assert forbidden not in everything, ascii(forbidden)


async def test_a_hostile_agent_file_is_harmless_in_the_list_and_on_its_page(
    project: Path, written: list[str]
) -> None:
    hostile_agent(project)
    async with at_desk(project, size=(140, 50)) as desk:
        await desk.press("f5", "slash")
        await desk.type("bakes")
        await desk.press("enter")
        page = str(desk.main.query_one("#details-page", Static).content)
        assert "[@click=app.bell]x[/] [/ [red]" in page
        await desk.sees("[@click=app.bell]x[/]")
    assert_harmless(written)


async def test_a_hostile_agent_file_is_harmless_in_the_match_panel(
    project: Path, written: list[str]
) -> None:
    hostile_agent(project)
    async with at_desk(project, size=(140, 50)) as desk:
        await desk.matched(f"bake cakes and tarts {MARKUP}")
        assert "evil[@click=app.bell]x" in desk.match_text
        await desk.sees(MARKUP)
        await desk.press("o")
        await desk.type("evil")
        await desk.sees("evil[@click=app.bell]x")
        await desk.press("escape", "enter")
        await desk.sees("there is no model to run it", "evil[@click=app.bell]x")
    assert_harmless(written)


async def test_the_best_match_beside_the_box_takes_names_literally(
    project: Path, written: list[str]
) -> None:
    hostile_agent(project)
    (project / ".claude" / "secretary.local.md").write_text("---\nactivation_mode: aware\n---\n")
    async with at_desk(project, size=(140, 50)) as desk:
        await desk.type("bake cakes and tarts")
        await desk.sees("best match: evil[@click=app.bell]x")
    assert_harmless(written)


@pytest.fixture
def evil(home: Path, project: Path) -> Path:
    """The project in a folder whose name is a payload."""
    return project.rename(home / f"shop[@click=app.bell]x\u202e{OSC52}")


async def test_a_hostile_project_name_and_problem_are_harmless(
    evil: Path, written: list[str]
) -> None:
    (evil / ".claude" / "agents" / "b\x1b]52;c;ZXZpbA==\x07[x.md").write_bytes(b"\x00" * 99)
    async with at_desk(evil, size=(140, 50)) as desk:
        await desk.sees("[@click=app.bell]x")
        await desk.sees("▾ problems 1")
        await desk.send("/problems")
        await desk.sees("binary file")
        await desk.press("escape", "f3")
        await desk.sees("No runs in this project yet")
    assert_harmless(written)


async def test_what_a_model_says_is_harmless_in_panel_questions_and_answer(
    project: Path, serve: Serve, written: list[str]
) -> None:
    question: dict[str, Any] = {
        "question": f"Which? {PAYLOAD}",
        "header": f"{OSC52}[/red]",
        "options": [
            {"label": f"One {MARKUP}", "description": PAYLOAD},
            {"label": f"Two{OSC52}", "description": BIDI},
        ],
        "multi_select": False,
    }
    serve(
        routing(("security-auditor", 60), questions=[question]),
        routing(("security-auditor", 92), intent=f"audit {PAYLOAD}"),
        answer(text(f"Done. {PAYLOAD}")),
    )
    async with at_desk(project, size=(140, 50)) as desk:
        await desk.send("make it safe")
        await desk.sees(f"○ One {MARKUP}")
        await desk.press("1", "enter")
        await desk.panel_settled()
        await desk.press("enter")
        await desk.sees("Done.", "done · 1 turn")
        await desk.finished()
        await desk.press("f3")
        await desk.sees("security-auditor  done")
    assert_harmless(written)


async def test_a_hostile_command_is_shown_with_what_it_hides(
    project: Path, serve: Serve, written: list[str]
) -> None:
    from tests.servers.anthropic_server import tool_use

    command = f"echo {OSC52}{BIDI} # {MARKUP}"
    serve(
        routing(("release-scribe", 92)),
        answer(tool_use("Bash", {"command": command})),
        answer(text("Done.")),
    )
    async with at_desk(project, size=(140, 50)) as desk:
        await desk.matched("write release notes")
        await desk.press("enter")
        await desk.sees("\\x1b]52", "\\u202e", MARKUP, "contains invisible characters")
        await desk.press("v")
        await desk.sees("\\x1b]52", MARKUP)
        await desk.press("escape")
        await desk.press("escape")
        await desk.finished()
    assert_harmless(written, rung=True)
