"""The choice of an agent: the match panel, its keys, and the moment to take it back."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from secretary_tui.flow.choice_hold import ChoiceHold
from secretary_tui.sessions.store import list_runs
from secretary_tui.widgets.panels.panel import Panel
from tests.screens.desk import REQUEST, ROUTED, Desk, at_desk, routing
from tests.servers.anthropic_server import (
    ScriptedServer,
    answer,
    error,
    json_answer,
    text,
    wait_for,
)

Serve = Callable[..., ScriptedServer]
DONE = answer(text("All is well."))


def sent_task(server: ScriptedServer) -> str:
    """The messages of the second request: what the agent was told."""
    return json.dumps(server.requests[1].body["messages"])


def chosen_agent(server: ScriptedServer) -> str:
    system = json.dumps(server.requests[1].body["system"])
    return system.partition("You are ")[2].partition(".")[0]


async def answered(desk: Desk) -> None:
    await desk.sees("All is well.")
    await desk.finished()


async def test_the_panel_shows_who_why_and_with_which_tools(project: Path, serve: Serve) -> None:
    serve(ROUTED)
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.sees(
            f"task  {REQUEST}",
            "made for security-auditor",
            "Read Glob Grep · claude-sonnet-5-5 · project",
            "Enter accept  1-2 choose  Space more  o other  e edit  Esc cancel  ? why",
        )
        lines = desk.match_text.splitlines()
        assert lines[1].strip() == "with: login.py  c leaves it out"
        assert lines[2].split()[:4] == ["Enter", "•", "security-auditor", "92"]
        assert [line.split()[0] for line in lines if "━" in line] == ["Enter", "1", "2"]


@pytest.mark.parametrize("key", ["enter", "a"])
async def test_enter_and_a_accept_the_recommended_agent(
    key: str, project: Path, serve: Serve
) -> None:
    server = serve(ROUTED, DONE)
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press(key)
        await answered(desk)
        assert chosen_agent(server) == "security-auditor"
        assert REQUEST in sent_task(server)


@pytest.mark.parametrize(("key", "agent"), [("1", "code-critic"), ("2", "schema-smith")])
async def test_a_number_takes_that_alternative_without_a_second_question(
    key: str, agent: str, project: Path, serve: Serve
) -> None:
    server = serve(ROUTED, DONE)
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press(key)
        await answered(desk)
        assert chosen_agent(server) == agent


async def test_a_number_without_an_alternative_does_nothing(project: Path, serve: Serve) -> None:
    serve(ROUTED)
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("3")
        assert desk.main.panels.match.is_open


async def test_arrows_move_and_enter_takes_the_row_it_stands_on(
    project: Path, serve: Serve
) -> None:
    server = serve(ROUTED, DONE)
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("down")
        assert "1 Enter • code-critic" in desk.match_text
        assert "Read Glob Grep · asks: Bash" in desk.match_text
        await desk.press("up", "up")
        assert "2 Enter • schema-smith" in desk.match_text
        await desk.press("enter")
        await answered(desk)
        assert chosen_agent(server) == "schema-smith"


async def test_a_long_list_of_tools_is_never_cut_at_what_asks(project: Path, serve: Serve) -> None:
    serve(DONE)
    agent = project / ".claude" / "agents" / "everything.md"
    agent.write_text("---\nname: everything\ndescription: All of it\n---\nDo all.\n")
    async with at_desk(project, size=(80, 24)) as desk:
        await desk.type("@everything do it")
        await desk.press("enter")
        await desk.until(lambda: desk.main.panels.match.is_open)
        await desk.sees("asks: Write Edit Bash GitCommit WebFetch")


async def test_keys_typed_before_the_panel_was_visible_are_ignored(
    project: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(ROUTED, DONE)
    monkeypatch.setattr(Panel, "GRACE_S", 3600.0)
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.sees("keys active in a moment")
        await desk.press("enter", "down", "escape", "enter")
        assert desk.main.panels.match.is_open
        assert desk.main.request.text == ""
        await desk.type("a12oe")
        assert desk.main.panels.match.is_open
        assert desk.main.request.text == "a12oe"
        assert len(server.requests) == 1
        desk.main.request.clear()
        monkeypatch.setattr(Panel, "GRACE_S", 0.0)
        await desk.press("enter")
        await answered(desk)


async def test_the_grace_is_half_a_second_and_typing_starts_it_again(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    assert Panel.GRACE_S == 0.5
    assert 0.5 <= ChoiceHold.HOLD_S <= 1.0


async def test_somebody_who_types_on_is_not_answered_for(
    project: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(ROUTED)
    async with at_desk(project) as desk:
        await desk.send()
        await desk.type("z")
        await desk.panel_settled()
        await desk.type("aoe1")
        assert desk.main.panels.match.is_open
        assert desk.main.request.text == "zaoe1"


async def test_the_panel_never_takes_the_focus_from_the_request_box(
    project: Path, serve: Serve
) -> None:
    serve(ROUTED)
    async with at_desk(project) as desk:
        await desk.matched()
        assert desk.main.focused is desk.main.request


async def test_other_completes_over_all_agents_and_takes_the_marked_one(
    project: Path, serve: Serve
) -> None:
    server = serve(ROUTED, DONE)
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("o")
        await desk.type("re")
        assert "refactorer" in desk.match_text
        assert "release-scribe" in desk.match_text
        await desk.press("down", "tab")
        assert desk.main.query_one("#match-other").value == "release-scribe"  # type: ignore[attr-defined]
        await desk.press("enter")
        await answered(desk)
        assert chosen_agent(server) == "release-scribe"


async def test_an_unknown_name_in_other_is_answered_with_the_nearest(
    project: Path, serve: Serve
) -> None:
    serve(ROUTED)
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("o")
        await desk.type("secruity-audtior")
        await desk.press("enter")
        await desk.sees("there is no agent", "security-auditor")
        await desk.press("escape")
        assert desk.main.panels.match.is_open
        assert desk.main.focused is desk.main.request
        assert "1       • code-critic" in desk.match_text


async def test_e_edits_the_task_that_is_then_sent(project: Path, serve: Serve) -> None:
    server = serve(ROUTED, DONE)
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("e")
        assert desk.main.request.text == REQUEST
        await desk.type(" and name the line")
        await desk.press("enter")
        await desk.sees(f"task  {REQUEST} and name the line")
        assert len(server.requests) == 1
        await desk.press("enter")
        await answered(desk)
        assert f"{REQUEST} and name the line" in sent_task(server)


async def test_esc_while_editing_leaves_the_task_as_it_was(project: Path, serve: Serve) -> None:
    server = serve(ROUTED, DONE)
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("e")
        await desk.type(" nonsense")
        await desk.press("escape")
        assert desk.main.panels.match.is_open
        assert desk.main.request.text == ""
        await desk.press("enter")
        await answered(desk)
        assert "nonsense" not in sent_task(server)


async def test_esc_cancels_and_gives_the_request_back(project: Path, serve: Serve) -> None:
    server = serve(ROUTED)
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("escape")
        await desk.finished()
        assert desk.main.request.text == REQUEST
        assert not desk.main.panels.match.display
        assert len(server.requests) == 1
    assert list_runs(project) == ()


async def test_the_local_ranking_is_there_at_once_and_refined_in_place(
    project: Path, serve: Serve
) -> None:
    gate = threading.Event()
    serve(wait_for(gate, routing(("code-critic", 88), ("security-auditor", 60))))
    async with at_desk(project) as desk:
        await desk.send()
        await desk.sees("the model is ranking too")
        assert desk.match_text.splitlines()[2].startswith("Enter   • security-auditor")
        gate.set()
        await desk.panel_settled()
        assert desk.match_text.splitlines()[2].startswith("Enter   • code-critic")
        assert "the model is ranking too" not in desk.match_text


async def test_a_row_the_user_moved_to_stays_chosen_when_the_model_answers(
    project: Path, serve: Serve
) -> None:
    gate = threading.Event()
    refined = routing(("code-critic", 90), ("schema-smith", 80), ("security-reviewer", 60))
    server = serve(wait_for(gate, refined), DONE)
    async with at_desk(project, overrides={"show_above": 1}) as desk:
        await desk.send()
        await desk.sees("the model is ranking too")
        await desk.press("down")
        assert "1 Enter • security-reviewer" in desk.match_text
        gate.set()
        await desk.panel_settled()
        assert "Enter • security-reviewer" in desk.match_text
        await desk.press("enter")
        await answered(desk)
        assert chosen_agent(server) == "a security reviewer"


async def test_a_row_that_the_model_drops_leaves_nobody_under_enter(
    project: Path, serve: Serve
) -> None:
    gate = threading.Event()
    serve(wait_for(gate, routing(("code-critic", 90), ("schema-smith", 80))))
    async with at_desk(project) as desk:
        await desk.send()
        await desk.sees("the model is ranking too")
        await desk.press("down")
        gate.set()
        await desk.panel_settled()
        assert "Enter" not in desk.match_text
        await desk.press("enter")
        assert desk.main.panels.match.is_open
        assert "Enter   • code-critic" in desk.match_text


async def test_choosing_before_the_model_answers_does_not_wait_for_it(
    project: Path, serve: Serve
) -> None:
    gate = threading.Event()
    server = serve(wait_for(gate, ROUTED), DONE)
    async with at_desk(project) as desk:
        await desk.send()
        await desk.sees("the model is ranking too")
        await desk.until(lambda: server.requests)
        await desk.press("enter")
        await answered(desk)
        assert len(server.requests) == 2
        gate.set()


async def test_a_model_that_fails_leaves_the_local_ranking_and_says_so(
    project: Path, serve: Serve
) -> None:
    serve(answer(text("no json at all")))
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.sees("The local ranking stands", "security-reviewer")


async def test_without_a_match_a_generalist_is_offered_and_other_still_works(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.matched("bake a chocolate cake for grandmother")
        assert "no specialist fits; a generalist can:" in desk.match_text
        assert "recommended" not in desk.match_text
        await desk.press("enter")
        assert desk.main.panels.match.is_open
        await desk.press("o")
        await desk.type("schema")
        assert "schema-smith" in desk.match_text


async def test_without_any_agent_the_panel_says_how_to_get_some(home: Path) -> None:
    project = home / "empty"
    (project / ".claude").mkdir(parents=True)
    (project / ".claude" / "secretary.local.md").write_text("---\nbundled_agents: false\n---\n")
    async with at_desk(project, offline=True) as desk:
        await desk.matched()
        await desk.sees("No agents found.", "Put agent files into .claude/agents/")


async def test_esc_in_the_hold_takes_the_choice_back_before_anything_is_sent(
    project: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(ROUTED, DONE)
    monkeypatch.setattr(ChoiceHold, "HOLD_S", 3600.0)
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("enter")
        await desk.sees("→ security-auditor", "Esc undo choice")
        assert len(server.requests) == 1
        await desk.press("escape")
        await desk.panel_settled()
        assert "Enter   • security-auditor" in desk.match_text
        assert len(server.requests) == 1
        monkeypatch.setattr(ChoiceHold, "HOLD_S", 0.01)
        await desk.press("1")
        await answered(desk)
        assert chosen_agent(server) == "code-critic"


async def test_an_agent_named_with_an_at_sign_is_the_one_proposed(
    project: Path, serve: Serve
) -> None:
    server = serve(DONE)
    async with at_desk(project) as desk:
        await desk.matched("@schema-smith add a table")
        assert desk.match_text.splitlines()[0] == "task  add a table"
        assert desk.match_text.splitlines()[2].startswith("Enter   • schema-smith")
        await desk.press("enter")
        await answered(desk)
        assert "You are schema-smith" in json.dumps(server.requests[0].body["system"])


async def test_an_agent_that_goes_away_while_the_panel_is_open_is_said_and_not_replaced(
    project: Path, serve: Serve
) -> None:
    server = serve(ROUTED, ROUTED)
    async with at_desk(project) as desk:
        await desk.matched()
        (project / ".claude" / "agents" / "security-auditor.md").unlink()
        await desk.sees("13 agents")
        await desk.press("enter")
        await desk.sees("there is no agent")
        assert len(server.requests) <= 2
        assert list_runs(project) == ()


async def test_a_new_request_replaces_the_one_whose_panel_is_open(
    project: Path, serve: Serve
) -> None:
    serve(ROUTED, routing(("schema-smith", 90), intent="add a table"))
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.send("add a table")
        await desk.until(lambda: "task  add a table" in desk.match_text)
        await desk.panel_settled()
        assert "schema-smith" in desk.match_text
        assert desk.main.request.text == ""


async def test_a_key_that_is_held_down_never_answers(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    clock = SimpleNamespace(monotonic=lambda: now)
    monkeypatch.setattr("secretary_tui.widgets.panels.key_guard.time", clock)
    monkeypatch.setattr(Panel, "GRACE_S", 0.5)
    async with at_desk(project) as desk:
        await desk.send()
        await desk.until(lambda: desk.main.panels.match.is_open)
        for _ in range(40):
            now += 0.03
            await desk.press("enter")
        assert desk.main.panels.match.is_open
        now += 0.5
        await desk.press("enter")
        await desk.until(lambda: not desk.main.panels.match.is_open)


async def test_a_sentence_that_begins_with_a_is_no_choice(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ChoiceHold, "HOLD_S", 3600.0)
    async with at_desk(project) as desk:
        await desk.send()
        await desk.until(lambda: desk.main.panels.match.guard.armed)
        await desk.press("a")
        await desk.until(lambda: desk.main.tabs.holding)
        await desk.type("lso check the tests")
        await desk.until(lambda: desk.main.request.text == "also check the tests")
        await desk.until(lambda: desk.main.panels.match.is_open)
        assert not desk.main.tabs.holding


async def test_an_agent_named_like_markup_labels_the_box_literally(project: Path) -> None:
    from tests.library import agent_file

    evil = 'login [@click=app.quit"'
    folder = project / ".claude" / "agents"
    (folder / "evil.md").write_text(agent_file(f"'{evil}'", "Bakes cakes and tarts.", "Read"))
    async with at_desk(project) as desk:
        await desk.press("shift+tab")
        await desk.type("bake cakes and tarts")
        await desk.sees("best match: login")


async def test_an_edited_task_goes_without_the_words_that_were_taken_out(
    project: Path, serve: Serve
) -> None:
    server = serve(ROUTED, DONE)
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("e")
        desk.main.request.replace_text("praise the login code")
        await desk.press("enter", "enter")
        await answered(desk)
        sent = str(server.requests[-1].body["messages"])
        assert "praise the login code" in sent
        assert "security holes" not in sent


async def test_an_agent_with_a_blank_in_its_name_can_be_asked(project: Path, serve: Serve) -> None:
    from tests.library import agent_file

    server = serve(DONE)
    folder = project / ".claude" / "agents"
    (folder / "cake.md").write_text(agent_file("Cake Baker", "Bakes cakes.", "Read"))
    async with at_desk(project) as desk:
        await desk.press("f5", "enter")
        await desk.until(lambda: desk.main.request.text.startswith("@"))
        assert desk.main.request.text == '@"Cake Baker" '
        await desk.type("bake one")
        await desk.press("enter")
        await desk.until(lambda: desk.main.panels.match.guard.armed)
        await desk.press("enter")
        await answered(desk)
        assert len(server.requests) == 1


async def test_a_command_that_is_none_goes_to_nobody(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.send("/moode")
        await desk.says("Unknown command /moode.")
        assert desk.main.request.text == "/moode"
        assert not desk.main.tabs.busy
        desk.main.request.clear()
        await desk.send("/mode aware")
        await desk.says("Mode aware: ")


async def test_esc_in_the_list_goes_back_and_does_not_end_the_run(
    project: Path, serve: Serve
) -> None:
    gate = threading.Event()
    serve(ROUTED, wait_for(gate, DONE))
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("enter")
        await desk.until(lambda: desk.main.tabs.running)
        await desk.press("f5", "escape")
        await desk.until(lambda: desk.main.focused is desk.main.request)
        assert desk.main.tabs.running
        gate.set()
        await answered(desk)


async def test_what_the_routing_call_cost_is_in_the_status_line(
    project: Path, serve: Serve
) -> None:
    serve(routing(("security-auditor", 93)))
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.until(lambda: desk.main.status.tokens > 0)


async def test_small_talk_is_answered_in_the_transcript_and_nobody_is_asked(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.send("hello")
        await desk.sees("hello", "nothing runs before you agree", "For example")
        await desk.finished()
        assert not desk.main.panels.match.is_open
        assert desk.main.request.text == ""


async def test_a_panel_that_was_open_at_the_end_is_open_at_the_next_start(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.matched()
    async with at_desk(project) as desk:
        await desk.until(lambda: desk.main.panels.match.is_open)
        await desk.sees(f"task  {REQUEST}")
        assert desk.main.request.text == ""
        await desk.press("escape")
        await desk.until(lambda: desk.main.request.text == REQUEST)
    async with at_desk(project) as desk:
        await desk.sees(REQUEST)
        assert not desk.main.panels.match.is_open


async def test_a_name_that_nobody_has_stops_and_gives_the_request_back(
    project: Path, serve: Serve
) -> None:
    server = serve()
    async with at_desk(project) as desk:
        await desk.send("@schema-smit add a table")
        await desk.says("nearest: schema-smith")
        await desk.finished()
        assert not desk.main.panels.match.is_open
        assert desk.main.request.text == "@schema-smit add a table"
        assert server.requests == []


async def test_a_letter_that_another_one_follows_at_once_is_text(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Panel, "WORD_S", 3600.0)
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.type("optimize my view")
        assert desk.main.request.text == "optimize my view"
        assert desk.main.panels.match.is_open
        assert not desk.main.panels.match.typing


async def test_a_letter_alone_answers_after_a_moment(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Panel, "WORD_S", 0.01)
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("o")
        await desk.until(lambda: desk.main.panels.match.typing)
        assert desk.main.request.text == ""


async def test_the_keys_below_follow_what_the_box_holds(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.sees("Enter accept")
        await desk.type("xhello")
        await desk.sees("Enter send this instead", "Ctrl+U clear to answer")
        await desk.press("ctrl+u")
        await desk.sees("Enter accept")


async def test_typing_after_enter_does_not_take_the_choice_back(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ChoiceHold, "HOLD_S", 3600.0)
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("enter")
        await desk.until(lambda: desk.main.tabs.holding)
        await desk.type("z")
        assert desk.main.tabs.holding
        assert desk.main.request.text == "z"


async def test_a_panel_of_the_last_session_takes_keys_as_soon_as_it_is_there(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_desk(project) as desk:
        await desk.matched()
    monkeypatch.setattr(Panel, "GRACE_S", 3600.0)
    async with at_desk(project) as desk:
        await desk.until(lambda: desk.main.panels.match.is_open)
        await desk.sees("Enter accept")
        await desk.press("escape")
        await desk.until(lambda: not desk.main.panels.match.is_open)
        await desk.until(lambda: desk.main.request.text == REQUEST)


async def test_a_lone_weak_match_says_why_and_enter_looks_at_it_before_it_takes_it(
    project: Path, serve: Serve
) -> None:
    server = serve(
        json_answer(
            {
                "clear": True,
                "intent": REQUEST,
                "questions": [],
                "matches": [{"agent": "code-critic", "confidence": 55, "reason": "It reads code."}],
                "recommendation": None,
                "workflow": None,
            }
        ),
        DONE,
    )
    async with at_desk(project) as desk:
        await desk.matched()
        assert "It reads code." in desk.match_text
        assert "or a generalist:" in desk.match_text
        assert "No strong match: choose by number" in desk.match_text
        await desk.sees("Enter select the first")
        await desk.press("enter")
        assert desk.main.panels.match.is_open
        await desk.sees("Enter accept", "Read Glob Grep")
        await desk.press("enter")
        await answered(desk)
        assert chosen_agent(server) == "code-critic"


async def test_without_a_model_enter_marks_a_way_to_go_on_and_takes_it_next(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("enter")
        await desk.sees("there is no model to run it")
        await desk.press("enter")
        await desk.sees("› m      Choose a model", "Enter Choose a model")
        await desk.press("down", "down", "enter")
        await desk.finished()
        assert desk.main.request.text == REQUEST


async def test_a_long_reason_and_why_the_model_is_no_help_are_read_whole_at_80_columns(
    project: Path, serve: Serve
) -> None:
    reason = (
        "It audits authentication code for holes such as injection, which is what the login is, "
        "and reports each with its severity."
    )
    route = {
        "clear": True,
        "intent": REQUEST,
        "questions": [],
        "matches": [{"agent": "security-auditor", "confidence": 95, "reason": reason}],
        "recommendation": "security-auditor",
        "workflow": None,
    }
    serve(json_answer(route), error(401, "authentication_error", "invalid x-api-key"))
    async with at_desk(project, (80, 24)) as desk:
        await desk.matched()
        await desk.until(lambda: reason in " ".join(desk.match_text.split()))
        await desk.sees("its severity.")
        await desk.press("escape")
        await desk.matched()
        notice = "The local ranking stands: "
        await desk.until(lambda: notice in desk.match_text)
        ranked = desk.match_text[desk.match_text.index(notice) :]
        assert "\n" in ranked
        assert "…" not in ranked
        await desk.sees(ranked.splitlines()[-1])
