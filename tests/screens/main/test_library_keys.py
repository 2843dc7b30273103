"""What one can do with the library from the screen: switch, mend, copy, find twins, write anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Static

from secretary_tui import paths
from secretary_tui.registry.definition.spec import AgentStatus
from secretary_tui.screens.new_agent import NewAgentScreen
from secretary_tui.screens.problems import ProblemsScreen
from tests.library import agent_file
from tests.screens.desk import at_desk


async def test_x_switches_an_agent_off_for_the_project_and_on_again(project: Path) -> None:
    settings = project / paths.PROJECT_CONFIG
    async with at_desk(project) as desk:
        index = desk.main.secretary
        await desk.press("f5", "x")
        await desk.says("code-critic is off (~/shop/.claude/secretary.local.md).")
        await desk.sees("code-critic")
        assert "disabled_agents:" in settings.read_text()
        await desk.until(lambda: index.index.get("code-critic").status is AgentStatus.DISABLED)
        assert "code-critic" not in {spec.id for spec in index.index.active}
        await desk.press("x")
        await desk.says("code-critic is on (~/shop/.claude/secretary.local.md).")
        await desk.until(lambda: index.index.get("code-critic").status is AgentStatus.ACTIVE)


async def test_w_leads_to_the_agent_that_shadows_and_back(project: Path) -> None:
    twin = paths.user_agents_dir() / "code-critic.md"
    twin.parent.mkdir(parents=True)
    twin.write_text(agent_file("code-critic", "The user's own critic.", "Read"))
    async with at_desk(project) as desk:
        await desk.press("f5", "w")
        await desk.until(lambda: desk.main.library.index.highlighted.entry.spec.path == twin)
        await desk.press("w")
        await desk.until(lambda: desk.main.library.index.highlighted.entry.spec.path != twin)
        assert desk.main.library.index.highlighted.entry.id == "code-critic"


async def test_e_opens_the_file_in_the_editor(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "no-such-editor-here")
    monkeypatch.delenv("VISUAL", raising=False)
    async with at_desk(project) as desk:
        await desk.press("f5", "e")
        await desk.until(lambda: desk.app._notifications)


async def test_the_problems_name_file_line_and_what_claude_code_does(project: Path) -> None:
    odd = project / ".claude" / "agents" / "odd.md"
    odd.write_text(
        "---\nname: odd\ndescription: Use it: always when odd things come up\n---\nHi.\n"
    )
    async with at_desk(project) as desk:
        await desk.press("f7")
        await desk.sees("✗ .claude/agents/odd.md:3  loaded", "Claude Code skips 1 file silently")
        assert isinstance(desk.app.screen, ProblemsScreen)
        await desk.press("escape")
        assert desk.app.screen is desk.main


async def test_the_problems_follow_the_files_and_keep_the_cursor(project: Path) -> None:
    agents = project / ".claude" / "agents"
    odd, worse = agents / "odd.md", agents / "a-worse.md"
    odd.write_text("---\nname: odd\ndescription: Use it: always for odd things\n---\nHi.\n")
    async with at_desk(project) as desk:
        await desk.press("f7")
        await desk.sees(".claude/agents/odd.md:3")
        await desk.press("end")
        finding = desk.app.screen._under_cursor()
        worse.write_text("---\nname: a-worse\n")
        await desk.sees("2 errors, 1 warning; Claude Code skips 1 file", "agents/a-worse.md:1")
        assert desk.app.screen._under_cursor() == finding
        worse.unlink()
        odd.unlink()
        await desk.sees("Problems   no problems")
        await desk.press("r")
        await desk.sees("Problems   no problems")


async def test_a_new_agent_is_previewed_then_written_and_listed(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.press("f9")
        await desk.until(lambda: isinstance(desk.app.screen, NewAgentScreen))
        await desk.type("Query Doctor")
        await desk.sees('"query-doctor" would do')
        desk.app.screen.query_one("#new-name").value = "query-doctor"
        desk.app.screen.query_one(
            "#new-description"
        ).text = "Finds out why a database query is slow and proposes indexes."
        desk.app.screen.query_one("#new-try").value = "my database query is slow"
        await desk.sees("1 ", "query-doctor", "“Finds out why a database query is slow")
        await desk.press("ctrl+s")
        await desk.says("Wrote ~/shop/.claude/agents/query-doctor.md.")
        await desk.sees("• query-doctor")
        await desk.until(lambda: desk.main.library.index.highlighted.label == "query-doctor")
    written = (project / ".claude" / "agents" / "query-doctor.md").read_text()
    assert written.startswith("---\nname: query-doctor\ndescription: Finds out why")


async def test_a_half_typed_tool_or_model_does_not_take_the_preview_away(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.press("f9")
        await desk.until(lambda: isinstance(desk.app.screen, NewAgentScreen))
        form = desk.app.screen
        form.query_one("#new-name").value = "query-doctor"
        form.query_one("#new-description").text = "Finds out why a database query is slow."
        form.query_one("#new-try").value = "my database query is slow"
        for field, half, fault in (
            ("#new-tools", "Read, Bas", 'There is no tool "Bas"; did you mean Bash?'),
            ("#new-model", "sonn", 'There is no model "sonn"'),
        ):
            whole = form.query_one(field).value
            form.query_one(field).value = half
            await desk.sees(fault, "1 ", "query-doctor", "“Finds out why a database query is slow")
            form.query_one(field).value = whole
            await desk.until(lambda fault=fault: fault not in desk.text)


async def test_a_form_that_was_closed_opens_as_it_was_until_it_is_written(project: Path) -> None:
    typed = {"#new-name": "query-doctor", "#new-tools": "none", "#new-model": "haiku"}
    text = "Finds out why a database query is slow and proposes indexes."
    async with at_desk(project) as desk:
        await desk.press("f9")
        await desk.until(lambda: isinstance(desk.app.screen, NewAgentScreen))
        await desk.sees("Esc keeps a draft")
        for field, value in typed.items():
            desk.app.screen.query_one(field).value = value
        desk.app.screen.query_one("#new-description").text = text
        await desk.press("escape")
        assert desk.app.screen is desk.main
    async with at_desk(project) as desk:
        await desk.press("f9")
        await desk.until(lambda: isinstance(desk.app.screen, NewAgentScreen))
        form = desk.app.screen
        assert {field: form.query_one(field).value for field in typed} == typed
        assert form.query_one("#new-description").text == text
        await desk.press("ctrl+s")
        await desk.says("Wrote ~/shop/.claude/agents/query-doctor.md.")
        await desk.press("f9")
        await desk.until(lambda: isinstance(desk.app.screen, NewAgentScreen))
        assert desk.app.screen.query_one("#new-name").value == ""


async def test_ctrl_n_empties_the_form_and_forgets_the_draft(project: Path) -> None:
    async with at_desk(project) as desk:
        for name in ("query-doctor", ""):
            await desk.press("f9")
            await desk.until(lambda: isinstance(desk.app.screen, NewAgentScreen))
            field = desk.app.screen.query_one("#new-name")
            if name:
                field.value = name
                await desk.press("escape", "f9")
                await desk.until(lambda: isinstance(desk.app.screen, NewAgentScreen))
                assert desk.app.screen.query_one("#new-name").value == name
                await desk.press("ctrl+n", "escape")
            else:
                assert field.value == name


async def test_what_does_not_fit_is_said_below_its_field_and_not_in_a_corner(project: Path) -> None:
    async with at_desk(project, size=(80, 24)) as desk:
        await desk.press("f9")
        await desk.until(lambda: isinstance(desk.app.screen, NewAgentScreen))
        form = desk.app.screen
        form.query_one("#new-name").value = "query-doctor"
        form.query_one("#new-tools").value = "Reed"
        await desk.press("ctrl+s")
        await desk.sees('There is no tool "Reed"; did you mean Read?')
        assert desk.app.focused is form.query_one("#new-tools")
        assert not desk.app._notifications
        form.query_one("#new-tools").value = "Read"
        await desk.until(lambda: "There is no tool" not in desk.text)


async def test_a_new_agent_never_overwrites(project: Path) -> None:
    path = project / ".claude" / "agents" / "code-critic.md"
    before = path.read_text()
    async with at_desk(project) as desk:
        await desk.press("f9")
        await desk.until(lambda: isinstance(desk.app.screen, NewAgentScreen))
        desk.app.screen.query_one("#new-name").value = "code-critic"
        await desk.sees("That file exists already")
        await desk.press("f2")
        await desk.sees("it will be hidden by the project agent code-critic")
        await desk.press("f2", "tab", "ctrl+s")
        fault = desk.app.screen.query_one("#new-name-fault", Static)
        await desk.until(lambda: "is there already and was left as it is" in str(fault.content))
        assert fault.display
        assert desk.app.focused is desk.app.screen.query_one("#new-name"), (
            "where it is to be changed"
        )
    assert path.read_text() == before


async def test_x_on_a_heading_switches_the_whole_source(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.press("f5", "home", "x")
        await desk.says("project is off (~/shop/.claude/secretary.local.md).")
        secretary = desk.main.secretary
        await desk.until(lambda: all(s.source.label != "project" for s in secretary.index.active))
        await desk.press("x")
        await desk.says("project is on (~/shop/.claude/secretary.local.md).")
        await desk.until(lambda: secretary.index.get("code-critic").status is AgentStatus.ACTIVE)


async def test_x_on_a_heading_enables_what_the_users_settings_disable(project: Path) -> None:
    settings = paths.user_config()
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text("---\ndisabled_sources: [project]\n---\n")
    async with at_desk(project) as desk:
        await desk.press("f5", "home", "x")
        await desk.says("project is on (")
        assert not settings.exists()
        assert not (project / paths.PROJECT_CONFIG).exists()


async def test_skills_commands_and_plugins_to_install_wait_folded_at_the_end(project: Path) -> None:
    skill = project / ".claude" / "skills" / "tidy" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\ndescription: Tidies up.\n---\nTidy.\n")
    command = project / ".claude" / "commands" / "brainstorm.md"
    command.parent.mkdir(parents=True)
    command.write_text("---\ndescription: Explores ideas.\n---\n$ARGUMENTS\n")
    async with at_desk(project) as desk:
        await desk.sees("▸ skills 1", "▸ commands 1")
        await desk.press("f5", "end", "space", "down")
        await desk.sees("◦ brainstorm", "Explores ideas.")
        assert (
            desk.main.secretary.library.route_local("add a new feature").workflow.id == "brainstorm"
        )


async def test_the_last_line_names_what_the_keys_do_with_the_row_under_the_cursor(
    project: Path,
) -> None:
    async with at_desk(project, (80, 24)) as desk:
        await desk.press("f5")
        await desk.sees("Enter ask this agent", "x on/off  e edit")
        await desk.press("left")
        await desk.sees("Enter unfold  / filter  x on/off  Esc back")
        assert "ask this agent" not in desk.text
        await desk.press("enter")
        await desk.sees("Enter fold  / filter")
