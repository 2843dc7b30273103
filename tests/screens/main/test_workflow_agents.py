"""Commands and skills on the match panel, and the explanation of a ranking."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.screens.desk import REQUEST, ROUTED, Desk, at_desk, routing
from tests.servers.anthropic_server import ScriptedServer, answer, json_answer, text

Serve = Callable[..., ScriptedServer]
DONE = answer(text("All is well."))
COMMANDS = {
    "fix-issue": (
        "---\ndescription: Fix a numbered issue of the tracker\nargument-hint: [number]\n"
        "allowed-tools: Read, Edit\n---\nFix the issue number $1 after !`git log`.\n"
    ),
    "settings": "---\ndescription: Print all settings of the shop\n---\nPrint them.\n",
}
FITS = json_answer(
    {
        "clear": True,
        "intent": "fix issue 12",
        "questions": [],
        "matches": [{"agent": "code-critic", "confidence": 55, "reason": "It could."}],
        "recommendation": None,
        "workflow": "fix-issue",
    }
)


@pytest.fixture
def shop(project: Path) -> Path:
    folder = project / ".claude" / "commands"
    folder.mkdir()
    for name, said in COMMANDS.items():
        (folder / f"{name}.md").write_text(said)
    return project


async def ended(desk: Desk) -> None:
    await desk.sees("All is well.")
    await desk.finished()


def run_request(server: ScriptedServer) -> dict[str, object]:
    return server.requests[-1].body


async def test_a_fitting_command_is_a_row_and_w_runs_it_with_exactly_its_tools(
    shop: Path, serve: Serve
) -> None:
    server = serve(FITS, DONE)
    async with at_desk(shop) as desk:
        await desk.matched("fix issue 12")
        await desk.sees("w       • /fix-issue", "its arguments: [number]", "are not run beforehand")
        await desk.sees("w command")
        assert len(server.requests) == 1
        await desk.press("w")
        await ended(desk)
        body = run_request(server)
        assert [tool["name"] for tool in body["tools"]] == ["Read", "Edit"]
        system = json.dumps(body["system"])
        assert "Fix the issue number [argument 1: see the task]" in system
        assert "fix issue 12" in json.dumps(body["messages"])


async def test_arrows_reach_the_command_and_enter_takes_it(shop: Path, serve: Serve) -> None:
    server = serve(FITS, DONE)
    async with at_desk(shop) as desk:
        await desk.matched("fix issue 12")
        await desk.press("up")
        assert "w Enter • /fix-issue" in desk.match_text
        await desk.press("enter")
        await ended(desk)
        assert "Fix the issue number" in json.dumps(run_request(server)["system"])


async def test_a_typed_name_waits_for_confirmation_and_asks_no_model(
    shop: Path, serve: Serve
) -> None:
    server = serve(DONE)
    async with at_desk(shop) as desk:
        await desk.matched("/fix-issue 12")
        await desk.sees("you named it")
        assert server.requests == []
        await desk.press("enter")
        await ended(desk)
        assert "Fix the issue number 12 after" in json.dumps(run_request(server)["system"])


async def test_our_own_command_wins_over_one_of_the_library(shop: Path, serve: Serve) -> None:
    serve()
    async with at_desk(shop) as desk:
        await desk.send("/settings")
        await desk.until(lambda: type(desk.app.screen).__name__ == "SettingsScreen")


async def test_an_unknown_command_names_those_of_the_library(shop: Path, serve: Serve) -> None:
    serve()
    async with at_desk(shop) as desk:
        await desk.send("/fix")
        await desk.says("Unknown command /fix.")
        await desk.says("The library has /fix-issue.")


async def test_other_takes_a_command_behind_a_slash(shop: Path, serve: Serve) -> None:
    server = serve(ROUTED, DONE)
    async with at_desk(shop) as desk:
        await desk.matched()
        await desk.press("o")
        await desk.type("/fix")
        await desk.until(lambda: "/fix-issue" in desk.match_text)
        await desk.press("enter")
        await ended(desk)
        assert "Fix the issue number" in json.dumps(run_request(server)["system"])


async def test_a_name_that_the_library_has_nothing_for_can_not_be_run(
    project: Path, serve: Serve
) -> None:
    serve(routing(("code-critic", 55)))
    async with at_desk(project) as desk:
        await desk.matched("new feature: dark mode")
        before = desk.match_text
        await desk.press("w")
        assert desk.main.panels.match.is_open
        assert "w  " not in before


async def test_a_close_call_is_said_with_what_tells_the_two_apart(
    project: Path, serve: Serve
) -> None:
    serve(routing(("security-auditor", 80), ("code-critic", 74)))
    async with at_desk(project) as desk:
        await desk.matched()
        said = " ".join(desk.match_text.split())
        assert "Close: security-auditor “" in said
        assert "”, code-critic “security slips and readability”." in said


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_question_mark_explains_the_ranking_and_goes_back(
    size: tuple[int, int], project: Path, serve: Serve
) -> None:
    serve(ROUTED)
    async with at_desk(project, size) as desk:
        await desk.matched()
        await desk.press("?")
        await desk.sees("security-auditor is recommended", "score ")
        await desk.press("enter", "end")
        assert desk.main.panels.match.is_open
        await desk.sees("By the words some agent fits")
        await desk.press("home")
        await desk.sees("security-auditor is recommended")
        await desk.press("escape")
        assert desk.main.panels.match.is_open
        await desk.sees(f"task  {REQUEST}")


async def test_while_the_ranking_is_explained_a_sentence_can_be_begun(
    project: Path, serve: Serve
) -> None:
    serve(ROUTED)
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("?")
        await desk.type("also")
        assert desk.main.request.text == "also"
        assert desk.main.panels.match.is_open
