"""What a delegate reads: the task, its skills, the project's instructions, the environment."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from secretary_tui.delegation.brief.environment import environment_facts
from secretary_tui.delegation.brief.prompt import delegation_prompt, system_prompt, task_in
from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.sandbox.sandbox import sandbox_status
from secretary_tui.delegation.workspace.instructions import project_instructions
from secretary_tui.registry.definition.spec import Source, SourceKind
from tests.delegation.conftest import make_agent


def delegation(workspace: Path, agent: dict[str, Any] | None = None, **fields: Any) -> Delegation:
    values: dict[str, Any] = {"request": "check auth", "task": "check auth"}
    made = make_agent(workspace, **(agent or {}))
    return Delegation("r", made, workspace=workspace, **{**values, **fields})


def skill(folder: Path, name: str, body: str) -> None:
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(f"---\nname: {name}\ndescription: d\n---\n{body}\n")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True)


def test_what_is_empty_is_left_out_of_the_task(workspace: Path) -> None:
    task = "check auth\nIt is about app/auth.py."
    prompt = delegation_prompt(delegation(workspace, task=task))
    assert prompt == f"Task: {task}\n\nReturn your findings in structured format."
    assert task_in(prompt) == task


@pytest.mark.parametrize("fields", [{"context": ("one",)}, {"requirements": ("one",)}])
def test_the_task_is_found_again_in_its_prompt(workspace: Path, fields: dict[str, Any]) -> None:
    assert task_in(delegation_prompt(delegation(workspace, **fields))) == "check auth"


def test_the_task_has_the_form_of_the_contract(workspace: Path) -> None:
    made = delegation(
        workspace,
        task="Review src/auth",
        context=("Focus: sessions",),
        requirements=("Rate severity", "- Suggest fixes"),
    )
    assert delegation_prompt(made) == (
        "Task: Review src/auth\n\n"
        "Context:\nThe user's words: check auth\nFocus: sessions\n\n"
        "Requirements:\n- Rate severity\n- Suggest fixes\n\n"
        "Return your findings in structured format."
    )


async def test_skills_are_found_near_first_and_a_missing_one_is_a_warning(
    workspace: Path, home: Path
) -> None:
    inner = workspace / "inner"
    (inner / ".git").mkdir(parents=True)
    deep = inner / "deep"
    deep.mkdir()
    skill(inner / ".claude" / "skills", "tdd", "Project TDD")
    skill(home / ".claude" / "skills", "tdd", "User TDD")
    skill(home / ".claude" / "skills", "notes", "User notes")
    skill(workspace / ".claude" / "skills", "outer", "Above the repository")
    agent = {"skills": ("tdd", "notes", "outer", "../x")}
    prompt = await system_prompt(delegation(deep, agent), OfferedTools(("Read",)), local=False)
    assert "# Skill: tdd\n\nProject TDD\n" in prompt.text
    assert "User notes" in prompt.text
    assert "description: d" not in prompt.text
    assert "Above the repository" not in prompt.text
    assert [notice.severity for notice in prompt.notices] == ["warning"] * 2
    assert "'outer' was not found" in prompt.notices[0].text


async def test_a_plugin_agent_finds_the_skills_of_its_plugin(
    workspace: Path, tmp_path: Path
) -> None:
    root = tmp_path / "plugins" / "audit"
    (root / "agents").mkdir(parents=True)
    skill(root / "skills", "owasp", "Top ten")
    skill(tmp_path / "plugins" / "other" / "skills", "css", "Cascade")
    agent = {
        "source": Source(SourceKind.PLUGIN, root / "agents", "audit"),
        "path": root / "agents" / "a.md",
        "skills": ("audit:owasp", "owasp", "other:css"),
    }
    prompt = await system_prompt(delegation(workspace, agent), OfferedTools(()), local=False)
    assert prompt.text.count("Top ten") == 2
    assert "Cascade" in prompt.text
    assert prompt.notices == ()


@pytest.mark.parametrize("where", ["environ", "passwd", "outside", "git", "fifo", "large", "loop"])
async def test_a_skill_that_is_no_file_of_its_collection_is_not_read(
    workspace: Path, tmp_path: Path, where: str
) -> None:
    folder = workspace / ".claude" / "skills" / "notes"
    folder.mkdir(parents=True)
    (workspace / ".git").mkdir()
    (workspace / ".git" / "config").write_text("SECRET")
    (tmp_path / "key").write_text("SECRET")
    file = folder / "SKILL.md"
    links: dict[str, str | Path] = {
        "environ": "/proc/self/environ",
        "passwd": "/etc/passwd",
        "outside": tmp_path / "key",
        "git": workspace / ".git" / "config",
        "loop": file,
    }
    if where == "fifo":
        os.mkfifo(file)
    elif where == "large":
        file.write_text("SECRET" * 50_000)
    else:
        file.symlink_to(links[where])
    agent = {"skills": ("notes",)}
    prompt = await system_prompt(delegation(workspace, agent), OfferedTools(()), local=False)
    assert not any(word in prompt.text for word in ("SECRET", "root:x", "PATH="))
    assert "# Skill" not in prompt.text
    assert "'notes' was not read" in prompt.notices[0].text


async def test_skills_may_be_links_inside_the_repository_and_inside_the_home_folder(
    workspace: Path, home: Path
) -> None:
    (workspace / "shared.md").write_text("Ours")
    (home / "dotfiles").mkdir()
    (home / "dotfiles" / "mine.md").write_text("Mine")
    for base, name, target in (
        (workspace, "ours", workspace / "shared.md"),
        (home, "mine", home / "dotfiles" / "mine.md"),
    ):
        folder = base / ".claude" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").symlink_to(target)
    agent = {"skills": ("ours", "mine")}
    prompt = await system_prompt(delegation(workspace, agent), OfferedTools(()), local=False)
    assert "# Skill: ours\n\nOurs" in prompt.text
    assert "# Skill: mine\n\nMine" in prompt.text


async def test_the_skill_of_a_plugin_stays_in_its_collection(
    workspace: Path, tmp_path: Path
) -> None:
    root = tmp_path / "plugins" / "audit"
    (root / "agents").mkdir(parents=True)
    (root / "skills" / "x").mkdir(parents=True)
    (tmp_path / "secret").write_text("SECRET")
    (root / "skills" / "x" / "SKILL.md").symlink_to(tmp_path / "secret")
    (tmp_path / "evil" / "skills" / "y").mkdir(parents=True)
    (tmp_path / "evil" / "skills" / "y" / "SKILL.md").write_text("SECRET")
    (root.parent / "other").symlink_to(tmp_path / "evil")
    agent = {
        "source": Source(SourceKind.PLUGIN, root / "agents", "audit"),
        "path": root / "agents" / "a.md",
        "skills": ("x", "other:y"),
    }
    prompt = await system_prompt(delegation(workspace, agent), OfferedTools(()), local=False)
    assert "SECRET" not in prompt.text
    assert len(prompt.notices) == 2


def test_instructions_go_from_wide_to_near_and_are_bounded(workspace: Path, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "CLAUDE.md").write_text("mine")
    (workspace / ".git").mkdir()
    (workspace / "CLAUDE.md").write_text("ours " * 10)
    sub = workspace / "sub"
    sub.mkdir()
    (sub / "CLAUDE.md").write_text("here")
    found = project_instructions(sub)
    assert found.index("mine") < found.index("ours") < found.index("here")
    short = project_instructions(sub, 10)
    assert "[cut: the file is longer]" in short
    assert "here" not in short


def test_an_instruction_file_that_links_out_of_the_repository_is_not_read(
    workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "id_rsa").write_text("PRIVATE KEY")
    (workspace / "CLAUDE.md").symlink_to(tmp_path / "id_rsa")
    assert project_instructions(workspace) == ""


def test_a_document_that_instructions_name_is_put_in_after_them_once(workspace: Path) -> None:
    (workspace / ".git").mkdir()
    (workspace / "docs").mkdir()
    (workspace / "CLAUDE.md").write_text("First.\n@AGENTS.md\n- see @docs/rules.md.\n@CLAUDE.md")
    (workspace / "AGENTS.md").write_text("Use tabs. @./docs/rules.md @CLAUDE.md")
    (workspace / "docs" / "rules.md").write_text("No dashes. @more.txt")
    (workspace / "docs" / "more.txt").write_text("Be brief.")
    found = project_instructions(workspace)
    order = [found.index(text) for text in ("First.", "Use tabs.", "No dashes.", "Be brief.")]
    assert order == sorted(order)
    assert found.count("No dashes.") == found.count("Use tabs.") == found.count("First.") == 1


def test_what_is_no_document_or_lies_elsewhere_is_not_put_into_instructions(
    workspace: Path, tmp_path: Path, home: Path
) -> None:
    (workspace / ".git").mkdir()
    for path in (
        workspace / ".env",
        workspace / "code.md",
        workspace / ".git" / "notes.md",
        tmp_path / "outside.md",
        home / "private.md",
    ):
        path.write_text("SECRET")
    (workspace / "linked.md").symlink_to(tmp_path / "outside.md")
    (workspace / "CLAUDE.md").write_text(
        "Mail me@code.md. `@code.md`\n```\n@code.md\n```\n"
        f"@.env @../outside.md @{tmp_path}/outside.md @~/private.md @linked.md @.git/notes.md"
    )
    assert "SECRET" not in project_instructions(workspace)


def test_documents_put_in_others_up_to_five_deep(workspace: Path) -> None:
    (workspace / "CLAUDE.md").write_text("@1.md")
    for number in range(1, 8):
        (workspace / f"{number}.md").write_text(f"depth {number} @{number + 1}.md")
    found = project_instructions(workspace)
    assert "depth 5" in found
    assert "depth 6" not in found


@pytest.mark.parametrize("where", ["session", "agent"])
async def test_an_agent_that_may_only_read_is_told_so(where: str, workspace: Path) -> None:
    agent = {"permission_mode": "plan"} if where == "agent" else {}
    mode = PermissionMode.PLAN if where == "session" else PermissionMode.ACCEPT_EDITS
    run = delegation(workspace, agent, permission_mode=mode)
    reads = "This run only reads"
    assert reads in (await system_prompt(run, OfferedTools(()), local=False)).text
    assert (
        reads
        not in (await system_prompt(delegation(workspace), OfferedTools(()), local=False)).text
    )


async def test_an_agent_can_do_without_the_instructions(workspace: Path) -> None:
    (workspace / "CLAUDE.md").write_text("Use tabs.")
    agent = {"metadata": {"omitClaudeMd": True}}
    without = await system_prompt(delegation(workspace, agent), OfferedTools(()), local=False)
    assert "Use tabs." not in without.text
    with_them = await system_prompt(delegation(workspace), OfferedTools(()), local=False)
    assert "Use tabs." in with_them.text


async def test_the_environment_names_branch_and_changes(workspace: Path) -> None:
    git(workspace, "init", "-q", "-b", "feature/x")
    (workspace / "new.txt").write_text("x")
    facts = await environment_facts(workspace)
    assert f"Working directory: {workspace}" in facts
    assert "Git branch: " in facts
    assert "feature/x" in facts
    if sandbox_status()[0] == "bubblewrap":
        assert "?? new.txt" in facts


async def test_asking_git_starts_no_program_that_the_repository_names(
    workspace: Path, tmp_path: Path
) -> None:
    git(workspace, "init", "-q")
    mark = tmp_path / "ran"
    hook = workspace / "evil.sh"
    hook.write_text(f"#!/bin/sh\ntouch {mark} {workspace}/ran\n")
    hook.chmod(0o755)
    git(workspace, "config", "core.fsmonitor", str(hook))
    git(workspace, "config", "filter.x.clean", str(hook))
    (workspace / ".gitattributes").write_text("* filter=x\n")
    await environment_facts(workspace)
    assert not mark.exists()
    assert not (workspace / "ran").exists()


@pytest.mark.parametrize("local", [True, False])
async def test_a_local_model_gets_short_instructions(workspace: Path, local: bool) -> None:
    (workspace / "CLAUDE.md").write_text("y" * 30_000)
    prompt = await system_prompt(delegation(workspace), OfferedTools(()), local=local)
    assert ("y" * 5_000 in prompt.text) is not local
