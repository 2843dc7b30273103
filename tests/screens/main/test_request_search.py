"""Ctrl+R: an earlier request by parts of it; what was being typed is never lost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.screens.main.request_search import EarlierRequests
from secretary_tui.sessions import drafts
from secretary_tui.widgets.request.completion_menu import CompletionMenu
from tests.screens.desk import Desk, at_desk, routing
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use, wait_for

SENT = ("audit the login", "draw a schema", "Audit the cart", "audit the login")


def marked(desk: Desk) -> str:
    chosen = desk.main.query_one(CompletionMenu).marked
    return chosen.text if chosen else ""


def remember(project: Path, *requests: str) -> None:
    for request in requests:
        drafts.add_to_history(project, request)


async def test_the_newest_comes_first_and_each_request_once(project: Path) -> None:
    remember(project, *SENT)
    async with at_desk(project) as desk:
        await desk.press("ctrl+r")
        await desk.sees("› audit the login", "earlier requests: ▏ · 3 found")
        await desk.press("ctrl+r")
        assert marked(desk) == "Audit the cart"
        await desk.press("ctrl+r")
        assert marked(desk) == "draw a schema"


async def test_typed_words_narrow_and_enter_takes_without_sending(project: Path) -> None:
    remember(project, *SENT)
    async with at_desk(project) as desk:
        await desk.type("half a thought")
        await desk.press("ctrl+r")
        await desk.type("cart aud")
        await desk.sees("1 found", "› Audit the cart")
        assert desk.main.request.text == "half a thought"
        await desk.press("enter")
        assert desk.main.request.text == "Audit the cart"
        assert not desk.main.tabs.busy
        assert not desk.main.searching.is_open


async def test_esc_gives_the_draft_back_untouched(project: Path) -> None:
    remember(project, *SENT)
    async with at_desk(project) as desk:
        await desk.type("half a\nthought")
        await desk.press("up", "ctrl+r", "a", "u", "backspace", "down", "escape")
        box = desk.main.request
        assert (box.text, box.cursor_location) == ("half a\nthought", (0, 6))
        assert not desk.main.query_one(CompletionMenu).is_open
        await desk.sees("─ request ─")


async def test_ctrl_c_ends_the_search_and_nothing_else(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("kept")
        await desk.press("ctrl+r", "x", "ctrl+c")
        assert desk.main.request.text == "kept"
        assert not desk.main.searching.is_open


async def test_where_nothing_is_found_enter_leaves_the_box_as_it_was(project: Path) -> None:
    remember(project, *SENT)
    async with at_desk(project) as desk:
        await desk.type("kept")
        await desk.press("ctrl+r")
        await desk.type("zebra")
        await desk.sees("nothing found")
        await desk.press("enter")
        assert desk.main.request.text == "kept"


async def test_requests_of_another_window_are_found(project: Path) -> None:
    async with at_desk(project) as desk:
        remember(project, "from another window")
        await desk.press("ctrl+r")
        await desk.until(lambda: marked(desk) == "from another window")


async def test_requests_older_than_those_of_the_up_key_are_found(project: Path) -> None:
    remember(project, "the very first one", *(f"request {n}" for n in range(600)))
    async with at_desk(project) as desk:
        await desk.press("ctrl+r")
        await desk.type("very first")
        await desk.until(lambda: marked(desk) == "the very first one")


async def test_a_panel_that_is_open_gets_no_key_of_the_search(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("ctrl+r")
        await desk.type("1a?")
        assert desk.main.searching.title.startswith("earlier requests: 1a?")
        await desk.press("escape")
        assert desk.main.panels.match.is_open
        assert desk.main.request.text == ""


async def test_a_question_of_a_run_does_not_take_the_keys_of_a_search(
    project: Path, serve: Callable[..., ScriptedServer]
) -> None:
    gate = threading.Event()
    call = tool_use("Bash", {"command": "echo asked"})
    asks = wait_for(gate, answer(text("The first half, the second half.", chunk=16), call))
    serve(routing(("release-scribe", 92)), asks, answer(text("All is well.")))
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("enter")
        await desk.sees("The first half")
        await desk.press("ctrl+r")
        gate.set()
        await desk.sees("wants to use Bash")
        await desk.until(lambda: desk.main.panels.open)
        await desk.type("yan")
        assert desk.main.searching.title.startswith("earlier requests: yan")
        assert desk.main.panels.open is not None


@given(st.lists(st.text("ab \n", min_size=1), max_size=30), st.text("abA ", max_size=6))
def test_typing_letter_by_letter_finds_what_the_whole_query_finds(
    requests: list[str], query: str
) -> None:
    slowly = EarlierRequests(requests)
    for end in range(len(query) + 1):
        found = slowly.find(query[:end])
    assert found == EarlierRequests(requests).find(query)
    assert all(word in request.casefold() for request in found for word in query.lower().split())
    assert len(set(found)) == len(found)
    assert slowly.find(query[:1]) == EarlierRequests(requests).find(query[:1])
