"""The menu of completions while a command, an agent or a file is being typed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from secretary_tui.sessions import drafts
from secretary_tui.widgets.request.completion_menu import CompletionMenu
from tests.library import agent_file
from tests.screens.desk import Desk, at_desk
from tests.servers.anthropic_server import ScriptedServer

Serve = Callable[..., ScriptedServer]


def marked(desk: Desk) -> str:
    chosen = desk.main.query_one(CompletionMenu).marked
    return chosen.text if chosen else ""


async def test_a_slash_lists_our_commands_and_then_the_librarys(project: Path) -> None:
    folder = project / ".claude" / "commands"
    folder.mkdir()
    (folder / "history-of-art.md").write_text("---\ndescription: Tell of art\n---\nTell.\n")
    async with at_desk(project) as desk:
        await desk.press("/")
        await desk.sees("/help", "All keys and commands")
        await desk.type("his")
        await desk.sees("› /history ", "Earlier runs", "/history-of-art", "Tell of art")
        await desk.press("down", "tab")
        assert desk.main.request.text == "/history-of-art "
        assert not desk.main.completer.is_open


async def test_long_names_keep_the_end_that_tells_them_apart(project: Path) -> None:
    folder = project / ".claude" / "agents"
    for end in ("first", "second"):
        name = f"a-name-that-is-so-long-that-no-menu-has-room-for-it-{end}"
        (folder / f"{end}.md").write_text(agent_file(name, "Does things.", "Read"))
    async with at_desk(project, size=(80, 24)) as desk:
        await desk.type("@a-name")
        await desk.sees("room-for-it-first", "room-for-it-second", "choose, 2 found")


async def test_enter_carries_the_marked_command_out(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("/sett")
        await desk.press("enter")
        await desk.until(lambda: type(desk.app.screen).__name__ == "SettingsScreen")


async def test_agents_are_found_by_parts_initials_and_letters(project: Path) -> None:
    async with at_desk(project) as desk:
        for typed in ("smi", "ss", "schsm", "schema-"):
            await desk.type(f"@{typed}")
            await desk.until(lambda: marked(desk) == "@schema-smith")
            desk.main.request.clear()
            await desk.until(lambda: not desk.main.completer.is_open)


async def test_an_agent_of_a_plugin_is_found_by_its_bare_name(project: Path) -> None:
    plugin = project / "plugins" / "shipping" / "agents"
    plugin.mkdir(parents=True)
    (plugin / "packer.md").write_text(agent_file("packer", "Packs parcels.", "Read"))
    async with at_desk(project) as desk:
        await desk.type("@pack")
        assert marked(desk) == "@shipping:packer"
        await desk.press("tab")
        assert desk.main.request.text == "@shipping:packer "


async def test_a_name_with_blanks_is_taken_in_quotes_and_found_while_it_is_typed(
    project: Path,
) -> None:
    folder = project / ".claude" / "agents"
    (folder / "cake.md").write_text(agent_file("Cake Baker", "Bakes cakes.", "Read"))
    async with at_desk(project) as desk:
        await desk.type("@cake ba")
        assert marked(desk) == '@"Cake Baker"'
        await desk.press("enter")
        assert desk.main.request.text == '@"Cake Baker" '
        await desk.type("bake one")
        assert not desk.main.completer.is_open


async def test_files_follow_the_agents_and_stand_alone_within_a_request(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("look at @logi")
        await desk.until(lambda: marked(desk) == "@login.py")
        await desk.press("tab")
        assert desk.main.request.text == "look at @login.py "


async def test_esc_closes_the_menu_and_nothing_else(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("@sch")
        await desk.press("escape")
        assert not desk.main.completer.is_open
        assert desk.main.request.text == "@sch"
        await desk.type("e")
        assert not desk.main.completer.is_open
        await desk.press("tab")
        assert marked(desk) == "@schema-smith"


async def test_tab_stays_in_the_box_while_a_name_is_unfinished(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("@nobody-of-that-name-zzz")
        await desk.press("tab")
        assert desk.main.focused is desk.main.request


async def test_an_earlier_request_opens_no_menu(project: Path) -> None:
    drafts.add_to_history(project, "older")
    drafts.add_to_history(project, "review @login.py")
    async with at_desk(project) as desk:
        await desk.press("up")
        assert not desk.main.completer.is_open
        await desk.press("up")
        assert desk.main.request.text == "older"


async def test_the_keys_below_say_what_the_menu_does(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("@s")
        await desk.sees("Enter accept", "Tab complete", "Esc close")
        desk.main.request.clear()
        await desk.sees("Enter find agent")
