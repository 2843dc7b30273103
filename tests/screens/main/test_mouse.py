"""The mouse: a click is a key, and obeys the same rule: nothing is answered unseen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.events import MouseScrollUp

from secretary_tui.people import Choice
from secretary_tui.widgets.panels.choice_panel import ChoicePanel
from secretary_tui.widgets.panels.panel import Panel
from secretary_tui.widgets.panels.permission_panel import PermissionPanel
from secretary_tui.widgets.panels.question_panel import QuestionPanel
from secretary_tui.widgets.transcript.transcript_blocks import AnswerBlock
from tests.screens.desk import REQUEST, ROUTED, Desk, at_desk, routing
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use

Serve = Callable[..., ScriptedServer]
WRITE = {"file_path": "notes.md", "content": "first line\n"}


def place(desk: Desk, words: str) -> tuple[int, int]:
    """Where words stand lowest on the screen, as column and row."""
    for row, line in reversed(list(enumerate(desk.text.splitlines()))):
        if words in line:
            return line.index(words), row
    raise AssertionError(f"{words} is not on\n{desk.text}")


async def click(desk: Desk, words: str) -> None:
    """Click on words of the screen."""
    await desk.sees(words)
    await desk.pilot.click(offset=place(desk, words))
    await desk.pilot.pause(0)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Panels take nothing for as long as the test lasts, unless it ends the grace."""
    monkeypatch.setattr(Panel, "GRACE_S", 600.0)


async def test_a_click_goes_to_a_match_and_one_more_takes_it(project: Path, serve: Serve) -> None:
    serve(ROUTED, answer(text("Looks fine.")))
    async with at_desk(project, (100, 40)) as desk:
        await desk.matched()
        await click(desk, "code-critic")
        await desk.sees("1 Enter")
        assert desk.main.panels.match.is_open
        await click(desk, "code-critic")
        await desk.sees("Looks fine.")
        assert desk.main.tabs.run_agent == "code-critic"
        await desk.finished()


@pytest.mark.usefixtures("slow")
async def test_a_click_on_a_panel_that_has_just_opened_answers_nothing(
    project: Path, serve: Serve
) -> None:
    serve(ROUTED)
    async with at_desk(project, (100, 40)) as desk:
        await desk.matched()
        await click(desk, "security-auditor")
        await click(desk, "security-auditor")
        assert desk.main.panels.match.is_open
        assert not desk.main.tabs.running


async def asked(desk: Desk) -> PermissionPanel:
    """Let schema-smith run until it wants to write."""
    await desk.matched("add a table for invoices")
    await desk.press("enter")
    panel = desk.main.query_one(PermissionPanel)
    await desk.until(lambda: panel.is_open and panel.has_focus)
    return panel


async def just_asked(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> PermissionPanel:
    """The same, in the pause before anything counts."""
    panel = await asked(desk)
    monkeypatch.setattr(panel, "GRACE_S", 600.0)
    panel.guard.restart()
    return panel


async def test_a_click_on_an_answer_gives_it(project: Path, serve: Serve) -> None:
    serve(routing(("schema-smith", 92)), answer(tool_use("Write", WRITE)), answer(text("Done.")))
    async with at_desk(project) as desk:
        await asked(desk)
        await click(desk, "y once")
        await desk.sees("Done.")
        await desk.finished()
        assert (project / "notes.md").read_text() == "first line\n"


async def test_a_click_on_a_permission_that_has_just_opened_answers_nothing(
    project: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(routing(("schema-smith", 92)), answer(tool_use("Write", WRITE)), answer(text("Done.")))
    async with at_desk(project) as desk:
        panel = await just_asked(desk, monkeypatch)
        await click(desk, "y once")
        await click(desk, "n deny")
        assert panel.is_open
        assert not panel.typing
        panel.guard.end()
        await click(desk, "n deny")
        assert panel.typing
        await desk.press("enter")
        await desk.finished()


async def test_a_click_that_comes_too_early_starts_the_pause_again(
    project: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(routing(("schema-smith", 92)), answer(tool_use("Write", WRITE)), answer(text("Done.")))
    async with at_desk(project) as desk:
        panel = await just_asked(desk, monkeypatch)
        began = panel.guard.quiet_since
        await click(desk, "y once")
        assert panel.guard.quiet_since > began
        assert panel.is_open
        panel.guard.end()
        await desk.press("escape")
        await desk.finished()


@pytest.mark.parametrize("button", [2, 3])
async def test_another_button_than_the_left_one_answers_nothing(
    project: Path, serve: Serve, button: int
) -> None:
    serve(routing(("schema-smith", 92)), answer(tool_use("Write", WRITE)), answer(text("Done.")))
    async with at_desk(project) as desk:
        panel = await asked(desk)
        panel.guard.end()
        await desk.sees("y once")
        await desk.pilot.click(offset=place(desk, "y once"), button=button)
        await desk.pilot.pause(0)
        assert panel.is_open
        await desk.press("escape")
        await desk.finished()
    assert not (project / "notes.md").exists()


async def test_the_answers_of_a_permission_stand_on_the_screen_once(
    project: Path, serve: Serve
) -> None:
    serve(routing(("schema-smith", 92)), answer(tool_use("Write", WRITE)), answer(text("Done.")))
    async with at_desk(project, (60, 24)) as desk:
        await asked(desk)
        await desk.sees("v view", "Esc deny")
        assert desk.text.count("y once") == 1
        assert desk.text.count("n deny") == 1
        await desk.press("escape")
        await desk.finished()


async def test_a_click_marks_an_option_and_enter_goes_on(project: Path, serve: Serve) -> None:
    question = {
        "header": "Scope",
        "question": "How much?",
        "options": [{"label": "All", "description": "x"}, {"label": "Login", "description": "y"}],
        "multi_select": False,
    }
    serve(routing(("security-auditor", 92), questions=[question]), ROUTED)
    async with at_desk(project) as desk:
        await desk.send(REQUEST)
        panel = desk.main.query_one(QuestionPanel)
        await desk.until(lambda: panel.is_open)
        await click(desk, "Login")
        assert [draft.marked for draft in panel.form.drafts] == [{1}]
        assert panel.is_open
        await desk.press("enter")
        await desk.panel_settled()


async def test_a_choice_is_marked_by_one_click_and_taken_by_the_next(project: Path) -> None:
    async with at_desk(project) as desk:
        panel = desk.main.query_one(ChoicePanel)
        choices = (Choice("r", "Retry"), Choice("escape", "Cancel"))
        asking = desk.main.run_worker(panel.ask("It failed.", "", choices))
        await desk.until(lambda: panel.is_open)
        await click(desk, "r      Retry")
        assert panel.is_open
        await click(desk, "› r")
        assert await asking.wait() == "r"


async def test_the_wheel_scrolls_the_transcript_and_leaves_the_focus_where_it_is(
    project: Path,
) -> None:
    async with at_desk(project) as desk:
        desk.main.set_class(False, "library-view")
        transcript = desk.transcript
        transcript.add(AnswerBlock("\n\n".join(f"paragraph {n}" for n in range(100))))
        await desk.sees("paragraph 99")
        top = transcript.scroll_offset.y
        await desk.pilot._post_mouse_events([MouseScrollUp], transcript, offset=(5, 5))
        await desk.until(lambda: transcript.scroll_offset.y < top)
        assert not transcript.lines.following
        assert desk.main.request.has_focus


async def test_a_click_on_an_agent_goes_to_it_and_one_more_asks_it(project: Path) -> None:
    async with at_desk(project) as desk:
        await click(desk, "• schema-smith")
        row = desk.main.library.index.highlighted
        assert row is not None
        assert row.entry is not None
        assert row.entry.id == "schema-smith"
        await click(desk, "• schema-smith")
        await desk.until(lambda: desk.main.request.text == "@schema-smith ")


async def test_a_hint_of_the_last_line_is_its_key(project: Path) -> None:
    async with at_desk(project) as desk:
        await click(desk, "F2 settings")
        await desk.until(lambda: desk.app.screen is not desk.main)
