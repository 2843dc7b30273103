"""The statistics screen: three views by keys, and one key that forgets."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from textual.widgets import OptionList

from secretary_tui.screens.past import stats_screen
from secretary_tui.screens.past.stats_screen import AGENTS, DECISIONS, OVERVIEW, StatsScreen
from secretary_tui.sessions.decisions import DecisionLog
from tests.screens.desk import Desk, at_desk
from tests.sessions.stored_decisions import decision, store, three_weeks
from tests.snapshots.stored_runs import store_runs


def ids(project: Path) -> set[str]:
    return {decision.id for decision in DecisionLog.of(project).load()}


def view(desk: Desk) -> int:
    screen = desk.app.screen
    assert isinstance(screen, StatsScreen)
    return screen._view


async def opened(desk: Desk, *keys: str) -> None:
    await desk.press("f10")
    await desk.until(lambda: isinstance(desk.app.screen, StatsScreen))
    await desk.until(lambda: getattr(desk.app.screen, "_found", None) is not None)
    await desk.press(*keys)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_overview_shows_what_the_choices_add_up_to(
    project: Path, size: tuple[int, int]
) -> None:
    store(project)
    store_runs(project)
    async with at_desk(project, size=size) as desk:
        await opened(desk)
        await desk.sees("21 requests · 19 answered · 1 cancelled · 4 runs", "74 % of 19")
        await desk.press("end")
        await desk.sees("talk-0")
        await desk.press("k", "k", "home")
        await desk.sees("21 requests")


async def test_a_slash_command_opens_it_and_escape_closes_it(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.send("/stats")
        await desk.sees("No data yet.")
        await desk.press("escape")
        assert desk.app.screen is desk.main


@pytest.mark.parametrize("key", ["1", "2", "3"])
async def test_an_empty_project_is_calm_in_every_view(project: Path, key: str) -> None:
    async with at_desk(project, size=(80, 24)) as desk:
        await opened(desk, key)
        await desk.sees("No data yet.")
        await desk.press("d", "u", "s", "t", "j", "k", "enter", "p")
        await desk.sees("all projects")


async def test_keys_tab_and_shift_tab_change_the_view(project: Path) -> None:
    store(project)
    async with at_desk(project) as desk:
        await opened(desk)
        seen = []
        for key in ("tab", "tab", "tab", "shift+tab", "2", "1"):
            await desk.press(key)
            seen.append(view(desk))
        assert seen == [AGENTS, DECISIONS, OVERVIEW, DECISIONS, AGENTS, OVERVIEW]


async def test_agents_are_sorted_as_wished(project: Path) -> None:
    store(project)
    store_runs(project)
    async with at_desk(project) as desk:
        await opened(desk, "2")
        assert agents(desk)[0] == "security-auditor"
        await desk.press("s")
        await desk.sees("sorted by name")
        assert agents(desk) == sorted(agents(desk))
        while "sorted by time" not in desk.text:
            await desk.press("s")
        assert agents(desk)[-1] == "code-critic"


def agents(desk: Desk) -> list[str]:
    options = desk.app.screen.query_one(OptionList)
    return [str(option.id) for option in options.options]


async def test_enter_on_an_agent_shows_its_decisions_and_on_a_decision_all_of_it(
    project: Path,
) -> None:
    store(project)
    async with at_desk(project) as desk:
        await opened(desk, "2")
        while (
            agents(desk)[desk.app.screen.query_one(OptionList).highlighted or 0] != "schema-smith"
        ):
            await desk.press("j")
        await desk.press("enter")
        await desk.sees("1 of 21", "named schema-smith", "add an index")
        await desk.press("enter")
        await desk.sees("Intent", "delegate, 0.90", "It audits authentication code.")
        await desk.press("escape", "escape")
        await desk.sees("21 of 21")


async def test_d_forgets_the_decision_under_the_cursor(project: Path) -> None:
    store(project)
    newest = [one.id for one in reversed(three_weeks())]
    async with at_desk(project) as desk:
        await opened(desk, "3", "j", "d")
        await desk.sees("20 of 20", "u undo")
        await desk.until(lambda: newest[1] not in ids(project))
        assert newest[0] in ids(project)
        assert desk.app.screen.query_one(OptionList).highlighted == 1
        await desk.press("1")
        await desk.sees("20 requests")


async def test_u_takes_back_what_was_forgotten_one_by_one(project: Path) -> None:
    store(project)
    before = DecisionLog.of(project).load()
    newest = [one.id for one in reversed(before)]
    async with at_desk(project) as desk:
        await opened(desk, "3", "d", "d")
        await desk.sees("19 of 19")
        await desk.until(lambda: len(ids(project)) == 19)
        await desk.press("u")
        await desk.sees("20 of 20")
        assert newest[1] in ids(project)
        await desk.press("u", "u")
        await desk.sees("21 of 21")
        assert "undo" not in desk.text
    assert set(DecisionLog.of(project).load()) == set(before)


async def test_closing_the_screen_at_once_still_forgets(project: Path) -> None:
    store(project, decision(1))
    async with at_desk(project) as desk:
        await opened(desk, "3", "d", "escape")
        await desk.until(lambda: ids(project) == set())


async def test_keys_typed_into_the_filter_forget_nothing(project: Path) -> None:
    store(project)
    async with at_desk(project) as desk:
        await opened(desk, "3", "slash")
        await desk.type("index dup")
        await desk.sees("0 of 21")
        assert len(ids(project)) == 21


async def test_d_forgets_nothing_in_the_other_views(project: Path) -> None:
    store(project)
    async with at_desk(project) as desk:
        await opened(desk, "d", "2", "d", "3")
        await desk.sees("21 of 21")
        assert len(ids(project)) == 21


async def test_t_shows_the_last_days_only(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stats_screen, "today", lambda: date(2026, 1, 22))
    store(project)
    async with at_desk(project) as desk:
        await opened(desk, "t", "t", "t")
        await desk.sees("7 days", "6 requests")
        await desk.press("3")
        await desk.sees("6 of 6")


async def test_p_shows_all_projects(project: Path, tmp_path: Path) -> None:
    store(project, decision(1))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    store(elsewhere, decision(2, request="from somewhere else"))
    async with at_desk(project) as desk:
        await opened(desk, "3", "p")
        await desk.sees("all projects", "from somewhere else")
        await desk.press("d", "p", "u")
        await desk.until(lambda: ids(elsewhere) == {decision(2).id})
        assert ids(project) == {decision(1).id}


async def test_no_key_and_no_markup_reaches_the_screen(project: Path) -> None:
    key = "sk-ant-api03-aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"
    store(project, decision(request=f"[bold]use[/] {key}", agent=key, engine=key, reasoning=key))
    async with at_desk(project, size=(120, 40)) as desk:
        await opened(desk)
        for press in ("1", "2", "3", "enter"):
            await desk.press(press)
            await desk.sees("[redacted]")
            assert key[:20] not in desk.text
        assert "[bold]use[/] [redacted]" in desk.text
