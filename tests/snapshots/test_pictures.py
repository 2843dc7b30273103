"""A picture of every screen at 80×24 and 120×40.

After a wanted change: `pytest tests/snapshots --snapshot-update`, look at the SVGs, commit them.
Clocks are the test's own, and no port, time or temporary folder is on any picture.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input, TextArea
from textual.widgets._toast import Toast

from secretary_tui import paths
from secretary_tui.app import AppOptions, SecretaryApp
from secretary_tui.delegation.permissions.folder_trust import trust
from secretary_tui.engines.anthropic_api import AnthropicEngine
from secretary_tui.engines.prompt_reading import ReadingProgress
from secretary_tui.flow.tab_controller import TabController
from secretary_tui.screens.main.links import LinksScreen
from secretary_tui.sessions import drafts
from tests.library import agent_file
from tests.screens.desk import Desk, routing
from tests.servers.anthropic_server import ScriptedServer, answer, hang, text, tool_use
from tests.sessions.run_logs import answered, reply, write
from tests.sessions.stored_decisions import store
from tests.snapshots.stored_runs import store_changes, store_runs

Serve = Callable[..., ScriptedServer]
Act = Callable[[Desk], Awaitable[None]]
Picture = Callable[[Act], bool]

SIZES = [(80, 24), (120, 40)]


async def come_to_rest(desk: Desk) -> None:
    """Let nothing blink, and no port of a test's server be on the picture."""
    for area in (*desk.app.screen.query(TextArea), *desk.main.query(TextArea)):
        area.cursor_blink = False
    for line in (*desk.app.screen.query(Input), *desk.main.query(Input)):
        line.cursor_blink = False
    if desk.main.secretary.engine is not None:
        desk.main.status.engine = "Claude API"
    await desk.pilot.pause()


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def picture(
    request: pytest.FixtureRequest,
    project: Path,
    snap_compare: Callable[..., bool],
    monkeypatch: pytest.MonkeyPatch,
    steady_time: None,
) -> Picture:
    """Compare a picture of the app, after something was done with it, with the stored one."""
    monkeypatch.setattr(TabController, "elapsed_s", property(lambda self: 3.0))

    def compare(act: Act) -> bool:
        async def run_before(pilot: Pilot[None]) -> None:
            desk = Desk(pilot)
            await desk.ready()
            await act(desk)
            await come_to_rest(desk)

        app = SecretaryApp(AppOptions(project))
        return snap_compare(app, terminal_size=request.param, run_before=run_before)

    return compare


def test_library(project: Path, home: Path, picture: Picture) -> None:
    plugin = project / "plugins" / "shipping" / "agents"
    plugin.mkdir(parents=True)
    (plugin / "packer.md").write_text(agent_file("packer", "Packs parcels.", "Read", "pink"))
    user = home / ".claude" / "agents"
    user.mkdir(parents=True)
    (user / "code-critic.md").write_text(agent_file("code-critic", "Mine.", "Read"))
    agents = project / ".claude" / "agents"
    (agents / "odd.md").write_text("---\nname: odd\ndescription: Use it: always\n---\nHi.\n")
    (agents / "binary.md").write_bytes(b"\x00\x01" * 50)

    async def look(desk: Desk) -> None:
        await desk.press("f5", "down", "down")

    assert picture(look)


def test_filter(picture: Picture) -> None:
    async def look(desk: Desk) -> None:
        await desk.press("f5", "slash")
        await desk.type("code")

    assert picture(look)


MATCHES = routing(
    ("release-scribe", 94),
    ("code-critic", 63),
    ("schema-smith", 52),
    intent="Write the release notes for the coming version.",
)


def test_match_panel(serve: Serve, picture: Picture) -> None:
    serve(MATCHES)

    async def look(desk: Desk) -> None:
        await desk.matched("write release notes")

    assert picture(look)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_changes_of_a_run_in_a_tree_of_its_own(
    project: Path, serve: Serve, picture: Picture, monkeypatch: pytest.MonkeyPatch
) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@localhost")
    for words in (("init", "-q"), ("add", "-A"), (*who, "commit", "-q", "-m", "first")):
        subprocess.run(("git", *words), cwd=project, check=True)
    trust(project)
    for module in ("run_view", "transcript_layout"):
        monkeypatch.setattr(
            f"secretary_tui.widgets.transcript.{module}.elapsed", lambda seconds: "2 s"
        )
    change = {"file_path": "login.py", "old_string": "return True", "new_string": "return check()"}
    edited = answer(tool_use("Edit", change))
    serve(routing(("schema-smith", 92)), edited, answer(text("It checks the password now.")))

    async def look(desk: Desk) -> None:
        await desk.matched("make the login look at the password")
        await desk.sees("own tree")
        await desk.press("t", "enter")
        await desk.sees("wants to use")
        await desk.press("y")
        await desk.sees("Apply to the project")

    assert picture(look)


def test_a_prompt_that_is_being_read(
    serve: Serve, picture: Picture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def follow_reading(
        _: AnthropicEngine, request: object, tell: Callable[[ReadingProgress], None]
    ) -> None:
        tell(ReadingProgress(860, 2000, 12.0, 16.0))

    monkeypatch.setattr(AnthropicEngine, "follow_reading", follow_reading, raising=False)
    serve(routing(("schema-smith", 92)), hang())

    async def look(desk: Desk) -> None:
        await desk.matched("draw the tables of a shop")
        await desk.press("enter")
        await desk.sees("reading the prompt 43 %")

    assert picture(look)


def test_completions_of_a_command(picture: Picture) -> None:
    async def look(desk: Desk) -> None:
        await desk.type("/s")
        await desk.press("down")

    assert picture(look)


def test_earlier_requests(project: Path, picture: Picture) -> None:
    for request in ("audit the login", "draw a schema of the shop", "audit the cart"):
        drafts.add_to_history(project, request)

    async def look(desk: Desk) -> None:
        await desk.type("what was being typed")
        await desk.press("ctrl+r", "a", "u", "d", "down")
        await desk.sees("2 found")

    assert picture(look)


def test_a_shell_line_and_a_folded_paste_with_the_keys_of_vi(
    picture: Picture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRETARY_TUI_EDITING", "vi")
    monkeypatch.setenv("SHELL", "/bin/sh")
    clock = SimpleNamespace(monotonic=lambda: 0.0)
    monkeypatch.setattr("secretary_tui.screens.main.shell_line.time", clock)

    async def look(desk: Desk) -> None:
        await desk.send("!echo one; echo two >&2; exit 3")
        await desk.sees("[exit code 3]")
        await desk.type("explain ")
        desk.app.post_message(Paste("a line of a log\n" * 60).set_sender(desk.app))
        await desk.press("escape", "2", "d")
        await desk.sees("NORMAL 2d")

    assert picture(look)


def test_a_selection_with_the_keys_of_vi(picture: Picture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRETARY_TUI_EDITING", "vi")

    async def look(desk: Desk) -> None:
        await desk.type("audit the login code for security holes")
        await desk.press("escape", "0", "w", "v", "2", "e", "2", "f")
        await desk.sees("VISUAL 2f")

    assert picture(look)


def test_a_notice(project: Path, picture: Picture) -> None:
    store_runs(project)

    async def look(desk: Desk) -> None:
        await _finished_run(desk)
        desk.app.notify("The run is still in progress. Undo it when it has ended.", timeout=600)
        await desk.sees("The run is still in progress.")

    assert picture(look)


def test_completions_beside_the_match_panel(serve: Serve, picture: Picture) -> None:
    serve(MATCHES)

    async def look(desk: Desk) -> None:
        await desk.matched("write release notes")
        await desk.type("@s")
        await desk.sees("@schema-smith")

    assert picture(look)


def test_match_panel_other(serve: Serve, picture: Picture) -> None:
    serve(MATCHES)

    async def look(desk: Desk) -> None:
        await desk.matched("write release notes")
        await desk.press("o")
        await desk.type("se")

    assert picture(look)


def test_match_panel_with_a_command(project: Path, serve: Serve, picture: Picture) -> None:
    serve(MATCHES)
    folder = project / ".claude" / "commands"
    folder.mkdir()
    (folder / "notes.md").write_text(
        "---\ndescription: Write release notes\nargument-hint: <tag>\n---\nSee !`git log`.\n"
    )

    async def look(desk: Desk) -> None:
        await desk.matched("/notes v2")

    assert picture(look)


def test_match_panel_explained(serve: Serve, picture: Picture) -> None:
    serve(MATCHES)

    async def look(desk: Desk) -> None:
        await desk.matched("write release notes")
        await desk.press("?")

    assert picture(look)


def test_match_panel_without_a_match(project: Path, picture: Picture) -> None:
    (project / paths.PROJECT_CONFIG).write_text("---\nbundled_agents: false\n---\n")

    async def look(desk: Desk) -> None:
        await desk.matched("bake a chocolate cake for grandmother")

    assert picture(look)


def test_question_panel(serve: Serve, picture: Picture) -> None:
    options = [
        {"label": "Login", "description": "The form, the session and the cookie that keeps it."},
        {
            "label": "Payment",
            "description": "Everything that touches money: the cart, the invoice and the provider.",
        },
        {"label": "All of it", "description": "Takes longer."},
    ]
    asked = {
        "question": "Which part shall be audited first?",
        "header": "Scope",
        "options": options,
        "multi_select": False,
    }
    serve(routing(("security-auditor", 60), questions=[asked]))

    async def look(desk: Desk) -> None:
        await desk.send("make it safe")
        await desk.sees("Which part shall be audited first?")
        await desk.press("down", "space")

    assert picture(look)


def test_permission_panel(project: Path, serve: Serve, picture: Picture) -> None:
    change = {
        "file_path": "login.py",
        "old_string": "    return True\n",
        "new_string": "    return verify(name, password)\n",
    }
    serve(
        routing(("schema-smith", 92)),
        answer(text("The login has to look at the password."), tool_use("Edit", change)),
    )

    async def look(desk: Desk) -> None:
        await desk.matched("make the login look at the password")
        await desk.press("enter")
        await desk.sees("wants to use Edit")

    assert picture(look)


def test_finished_run(project: Path, picture: Picture) -> None:
    store_runs(project)

    async def look(desk: Desk) -> None:
        await desk.press("f3")
        await desk.sees("4 of 4")
        await desk.press("enter")
        await desk.sees("done · 2 turns")

    assert picture(look)


async def _finished_run(desk: Desk) -> None:
    """Reopen the newest run and go to its transcript."""
    await desk.press("f3")
    await desk.sees("4 of 4")
    await desk.press("enter")
    await desk.sees("done · 2 turns")
    desk.transcript.focus()
    await desk.until(lambda: desk.transcript.content.index.settled)


def test_search_in_the_transcript(project: Path, picture: Picture) -> None:
    store_runs(project)

    async def look(desk: Desk) -> None:
        await _finished_run(desk)
        await desk.press("slash", *"login", "enter", "n")
        await desk.sees("login: ", " of ", "n N · Esc")

    assert picture(look)


def test_zoomed_transcript_with_a_diff(project: Path, picture: Picture) -> None:
    store_runs(project)

    async def look(desk: Desk) -> None:
        await _finished_run(desk)
        await desk.press("z")
        desk.app.clear_notifications()
        await desk.until(lambda: not desk.app.screen.query(Toast))
        await desk.press("slash", *"only report", "enter", "space", "space")
        await desk.sees("login.py")

    assert picture(look)


def test_links_of_the_transcript(project: Path, picture: Picture) -> None:
    async def look(desk: Desk) -> None:
        desk.main.panes.show_library(False)
        desk.main.tabs.shown.view.show_reply(
            "where is it written?",
            "In [the guide](https://docs.example.org/guide/login?from=here#top), and on "
            "https://аpple.example/, which is not what it looks like.",
        )
        desk.transcript.flush()
        await desk.sees("which is not what it looks like")
        desk.transcript.focus()
        await desk.press("o")
        await desk.until(lambda: isinstance(desk.app.screen, LinksScreen))
        await desk.press("enter")
        await desk.sees("in the browser?")

    assert picture(look)


def test_history(project: Path, picture: Picture) -> None:
    store_runs(project)

    async def look(desk: Desk) -> None:
        await desk.press("f3")
        await desk.sees("4 of 4")

    assert picture(look)


def test_history_of_found_words(project: Path, picture: Picture) -> None:
    store_runs(project)

    async def look(desk: Desk) -> None:
        await desk.press("f3")
        await desk.sees("4 of 4")
        desk.app.screen.query_one(Input).value = "salted outcome:done"
        await desk.sees("1 of 4", "answer:")

    assert picture(look)


def test_history_with_a_term_that_does_not_fit(project: Path, picture: Picture) -> None:
    store_runs(project)

    async def look(desk: Desk) -> None:
        await desk.press("f3")
        await desk.sees("4 of 4")
        desk.app.screen.query_one(Input).value = "since:soon"
        await desk.sees("since:soon is no day")

    assert picture(look)


def test_history_without_any(picture: Picture) -> None:
    async def look(desk: Desk) -> None:
        await desk.press("f3")
        await desk.sees("No runs in this project yet")

    assert picture(look)


def test_deleting_a_run(project: Path, picture: Picture) -> None:
    store_runs(project)

    async def look(desk: Desk) -> None:
        await desk.press("f3")
        await desk.sees("4 of 4")
        await desk.press("d")
        await desk.sees("Delete this run of security-auditor?")

    assert picture(look)


def test_exporting_a_run(project: Path, picture: Picture) -> None:
    store_runs(project)
    (project / "run-20260113-124500-dddd.md").write_text("mine")

    async def look(desk: Desk) -> None:
        await desk.press("f3")
        await desk.sees("4 of 4")
        await desk.press("e")
        await desk.sees("run-20260113-124500-dddd.md")
        await desk.press("enter")
        await desk.sees("Enter again overwrites it.")

    assert picture(look)


def test_forking_a_run(project: Path, picture: Picture) -> None:
    write(project, "20260113-124500-dddd", "add a table for invoices", answered("Added."))
    reply(project, "20260113-124500-dddd", "and an index on the customer?", "Added that, too.")

    async def look(desk: Desk) -> None:
        await desk.press("f3")
        await desk.sees("1 of 1")
        await desk.press("f")
        await desk.sees("and an index on the customer?")

    assert picture(look)


def test_statistics(project: Path, picture: Picture) -> None:
    store(project)
    store_runs(project)

    async def look(desk: Desk) -> None:
        await desk.press("f10")
        await desk.sees("21 requests")

    assert picture(look)


def test_statistics_of_agents(project: Path, picture: Picture) -> None:
    store(project)
    store_runs(project)

    async def look(desk: Desk) -> None:
        await desk.press("f10")
        await desk.sees("21 requests")
        await desk.press("2", "s", "j")

    assert picture(look)


def test_decisions(project: Path, picture: Picture) -> None:
    store(project)

    async def look(desk: Desk) -> None:
        await desk.press("f10")
        await desk.sees("21 requests")
        await desk.press("3", "j", "j", "d")
        await desk.sees("20 of 20")

    assert picture(look)


def test_statistics_without_any(picture: Picture) -> None:
    async def look(desk: Desk) -> None:
        await desk.press("f10")
        await desk.sees("No data yet.")

    assert picture(look)


def test_undo(project: Path, picture: Picture) -> None:
    store_runs(project)
    store_changes(project)

    async def look(desk: Desk) -> None:
        await desk.press("f3")
        await desk.sees("4 of 4")
        await desk.press("u")
        await desk.sees("login.py")
        await desk.press("down", "down")
        await desk.sees("What changed since:")

    assert picture(look)


def test_settings(project: Path, picture: Picture) -> None:
    (project / paths.PROJECT_CONFIG).write_text("---\nactivation_mode: aware\n---\n")

    async def look(desk: Desk) -> None:
        await desk.press("f2")
        await desk.sees("activation_mode")

    assert picture(look)


def test_settings_of_three_layers(
    project: Path, picture: Picture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRETARY_TUI_SHOW_ABOVE", "60")
    paths.user_config().parent.mkdir(parents=True, exist_ok=True)
    paths.user_config().write_text("---\nrecommend_above: 75\n---\n")
    (project / paths.PROJECT_CONFIG).write_text("---\nrecommend_above: 80\n---\n")

    async def look(desk: Desk) -> None:
        await desk.press("f2", "slash")
        desk.app.screen.query_one("#settings-filter", Input).value = "above"
        await desk.press("enter", "enter")
        desk.app.screen.query_one("#settings-input", Input).value = "many"
        await desk.press("enter")
        await desk.sees("recommend_above must be a number.", "default 70 · user 75 · project 80")

    assert picture(look)


def test_settings_that_none_fits(picture: Picture) -> None:
    async def look(desk: Desk) -> None:
        await desk.press("f2", "slash")
        desk.app.screen.query_one("#settings-filter", Input).value = "zzz"
        await desk.sees("No setting matches")

    assert picture(look)


def test_a_new_agent_with_a_fault(picture: Picture) -> None:
    async def look(desk: Desk) -> None:
        await desk.press("f9")
        await desk.sees("New agent")
        desk.app.screen.query_one("#new-name", Input).value = "Query Doctor"
        await desk.press("ctrl+s")
        await desk.sees('"query-doctor" would do.')

    assert picture(look)


def test_problems_without_any(picture: Picture) -> None:
    async def look(desk: Desk) -> None:
        await desk.press("f7")
        await desk.sees("no problems")

    assert picture(look)


def test_help(picture: Picture) -> None:
    async def look(desk: Desk) -> None:
        await desk.press("f1")
        await desk.sees("Keys and commands")

    assert picture(look)


def test_setup(picture: Picture) -> None:
    async def look(desk: Desk) -> None:
        await desk.press("f4")
        await desk.sees("Routing only")

    assert picture(look)


def test_palette(picture: Picture) -> None:
    async def look(desk: Desk) -> None:
        await desk.press("ctrl+p")
        await desk.sees("Agents (F5)")

    assert picture(look)
