"""Skill: the library's skills, loaded when asked for; and what else goes into the prompt."""

from __future__ import annotations

from pathlib import Path

from secretary_tui.delegation.call_limits import CallableLibrary
from secretary_tui.events import RunStarted, ToolFinished
from secretary_tui.registry.agent_index import LiveIndex
from tests.delegation.conftest import Runner, ScriptedPerson, only
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use


def write_skill(folder: Path, name: str, body: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "SKILL.md").write_text(f"---\ndescription: How to {name}.\n---\n{body}\n")


def library(workspace: Path) -> CallableLibrary:
    index = LiveIndex(workspace).refresh().index
    return CallableLibrary((), index.skills)


async def load(runner: Runner, *names: str, tools: tuple[str, ...] = ("Skill",)) -> list[str]:
    calls = [tool_use("Skill", {"skill": name, "args": "now"}) for name in names]
    with ScriptedServer(answer(*calls), answer(text("ok"))) as server:
        events = await runner.run(
            server,
            ScriptedPerson(),
            agent={"tools": tools},
            library=library(runner.workspace),
        )
        listing = server.requests[0].body["tools"][0]["description"]
    return [listing, *(end.output for end in only(events, ToolFinished))]


async def test_a_skill_is_listed_and_loaded_whole(runner: Runner) -> None:
    skills = runner.workspace / ".claude" / "skills"
    write_skill(skills, "deploy", "Push the button.")
    listing, loaded, missing = await load(runner, "deploy", "../deploy")
    assert "- deploy: How to deploy." in listing
    assert loaded == "# Skill: deploy\n\nPush the button.\n\nApply it to: now"
    assert "no skill" in missing


async def test_a_skill_that_is_a_link_to_elsewhere_is_not_read(
    runner: Runner, tmp_path: Path
) -> None:
    skills = runner.workspace / ".claude" / "skills"
    write_skill(skills, "deploy", "x")
    (tmp_path / "secret").write_text("SECRET")
    (skills / "deploy" / "SKILL.md").unlink()
    given = library(runner.workspace)
    write_skill(skills, "other", "x")
    given = library(runner.workspace)
    (skills / "other" / "SKILL.md").unlink()
    (skills / "other" / "SKILL.md").symlink_to(tmp_path / "secret")
    call = tool_use("Skill", {"skill": "other"})
    with ScriptedServer(answer(call), answer(text("ok"))) as server:
        events = await runner.run(server, agent={"tools": ("Skill",)}, library=given)
    (end,) = only(events, ToolFinished)
    assert end.is_error
    assert "SECRET" not in end.output


async def test_a_pattern_and_a_deny_rule_limit_the_skills(runner: Runner, home: Path) -> None:
    skills = runner.workspace / ".claude" / "skills"
    write_skill(skills, "deploy", "x")
    write_skill(skills, "review", "y")
    listing, refused = await load(runner, "deploy", tools=("Skill(review)",))
    assert "deploy" not in listing.replace("Skill(review)", "")
    assert "no skill" in refused
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{"permissions": {"deny": ["Skill(review)"]}}')
    _, denied = await load(runner, "review")
    assert "Skill(review)" in denied


async def test_without_skills_the_tool_is_not_there(runner: Runner) -> None:
    with ScriptedServer(answer(text("ok"))) as server:
        events = await runner.run(server, agent={"tools": ("Skill", "Read")})
    assert only(events, RunStarted)[0].tools == ("Read",)


async def test_the_projects_instructions_can_be_left_out(runner: Runner) -> None:
    (runner.workspace / "CLAUDE.md").write_text("Use tabs.")
    with ScriptedServer(answer(text("ok")), repeat_last=True) as server:
        await runner.run(server)
        await runner.run(server, claude_md=False)
        with_them, without = (one.body["system"][0]["text"] for one in server.requests)
    assert "Use tabs." in with_them
    assert "Use tabs." not in without
