"""Clarifying questions: marked, typed, gone back over, reviewed or skipped."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.widgets import Static

from secretary_tui.widgets.panels.panel import Panel
from secretary_tui.widgets.panels.question_panel import QuestionPanel
from tests.screens.desk import ROUTED, Desk, at_desk, routing
from tests.servers.anthropic_server import ScriptedServer

Serve = Callable[..., ScriptedServer]

SCOPE = {
    "question": "What shall be audited?",
    "header": "Scope",
    "options": [
        {"label": "Login", "description": "the login form"},
        {"label": "Payment", "description": "everything with money"},
    ],
    "multi_select": False,
}
DEPTH = {
    "question": "Which kinds of holes?",
    "header": "Kinds",
    "options": [
        {"label": "Injection", "description": "SQL and shell"},
        {"label": "Secrets", "description": "keys in the code"},
        {"label": "Access", "description": "who may do what"},
    ],
    "multi_select": True,
}


def asking(*questions: object) -> object:
    return routing(("security-auditor", 60), questions=questions)


def panel(desk: Desk) -> QuestionPanel:
    return desk.main.query_one(QuestionPanel)


def shown(desk: Desk) -> str:
    return str(desk.main.query_one("#question-text", Static).content)


async def asked(desk: Desk) -> None:
    await desk.send("make it safe")
    await desk.until(lambda: panel(desk).is_open)


def told(server: ScriptedServer) -> str:
    """The prompt of the second routing call: the request with the answers."""
    return json.dumps(server.requests[1].body["messages"], ensure_ascii=False)


async def test_one_question_is_marked_with_space_and_sent_with_enter(
    project: Path, serve: Serve
) -> None:
    server = serve(asking(SCOPE), ROUTED)
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.sees("Scope", "What shall be audited?", "› 1 ○ Login", "3 ○ Other")
        await desk.press("down", "space")
        assert "› 2 ● Payment" in shown(desk)
        await desk.press("enter")
        await desk.panel_settled()
        assert "Payment" in told(server)
        assert "Login" not in told(server)


async def test_enter_takes_the_option_under_the_cursor_when_none_is_marked(
    project: Path, serve: Serve
) -> None:
    server = serve(asking(SCOPE), ROUTED)
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.press("j", "enter")
        await desk.panel_settled()
        assert "Payment" in told(server)


async def test_several_options_of_a_multiple_choice_are_all_told(
    project: Path, serve: Serve
) -> None:
    server = serve(asking(DEPTH), ROUTED)
    async with at_desk(project) as desk:
        await asked(desk)
        assert "select all that apply" in shown(desk)
        await desk.press("1", "3", "2", "2")
        assert "1 [x] Injection" in shown(desk)
        assert "2 [ ] Secrets" in shown(desk)
        await desk.press("enter")
        await desk.panel_settled()
        assert "Injection and Access" in told(server)


async def test_other_takes_a_typed_answer(project: Path, serve: Serve) -> None:
    server = serve(asking(SCOPE), ROUTED)
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.press("3")
        await desk.type("the 1st login form")
        await desk.press("enter")
        assert "3 ● Other  the 1st login form" in shown(desk)
        await desk.press("enter")
        await desk.panel_settled()
        assert "the 1st login form" in told(server)


async def test_esc_in_other_goes_back_to_the_options(project: Path, serve: Serve) -> None:
    serve(asking(SCOPE), ROUTED)
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.press("3")
        await desk.type("abc")
        await desk.press("escape")
        assert panel(desk).is_open
        assert panel(desk).has_focus
        assert "abc" not in shown(desk)


async def test_several_questions_are_reviewed_and_can_be_gone_back_to(
    project: Path, serve: Serve
) -> None:
    server = serve(asking(SCOPE, DEPTH), ROUTED)
    async with at_desk(project) as desk:
        await asked(desk)
        assert "1 of 2" in shown(desk)
        await desk.press("1", "enter", "2", "enter")
        assert "Your answers" in shown(desk)
        assert len(server.requests) == 1
        await desk.press("left", "left")
        assert "1 ● Login" in shown(desk)
        await desk.press("2", "enter", "enter")
        assert "Payment" in shown(desk)
        assert "Secrets" in shown(desk)
        await desk.press("enter")
        await desk.panel_settled()
        assert "Payment" in told(server)
        assert "Secrets" in told(server)


async def test_skipping_goes_on_with_a_best_effort_and_says_so(project: Path, serve: Serve) -> None:
    server = serve(asking(SCOPE))
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.press("escape")
        await desk.panel_settled()
        await desk.sees("You skipped the questions, so this is a best")
        assert (
            len(server.requests) == 1
        )  # Nothing new was said, so nothing new is asked of the model.


async def test_a_second_round_of_questions_is_not_asked(project: Path, serve: Serve) -> None:
    serve(asking(SCOPE), asking(DEPTH))
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.press("1", "enter")
        await desk.panel_settled()
        assert not panel(desk).is_open


async def test_keys_typed_before_the_question_was_visible_go_to_the_request_box(
    project: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(asking(SCOPE), ROUTED)
    monkeypatch.setattr(Panel, "GRACE_S", 3600.0)
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.press("enter", "1", "2")
        assert panel(desk).is_open
        assert "●" not in shown(desk)
        assert desk.main.request.text == "12"


async def test_without_a_model_an_ambiguous_request_is_asked_about_here(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.send("I need help with my code")
        await desk.until(lambda: panel(desk).is_open)
        assert "What should be done?" in shown(desk)
        await desk.press("4", "enter")
        await desk.panel_settled()
        assert "code-reviewer" in desk.match_text
        assert "task  I need help with my code · Review it." in desk.match_text


async def test_a_click_does_not_answer(project: Path, serve: Serve) -> None:
    server = serve(asking(SCOPE), ROUTED)
    async with at_desk(project) as desk:
        await asked(desk)
        await desk.pilot.click("#question-text", offset=(4, 3))
        assert panel(desk).is_open
        assert len(server.requests) == 1
