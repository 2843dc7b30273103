"""Commands and skills as agents that can be run."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.registry.agent_index import AgentNotFoundError, LiveIndex
from secretary_tui.registry.check.validate import validate_index
from secretary_tui.registry.workflow_agent import (
    WorkflowError,
    complete_workflow,
    fill,
    find_workflow,
    left_undone,
    not_done,
    remarks,
    workflow_agent,
)

FIX = """---
description: Fix a numbered issue
argument-hint: [number] [priority]
allowed-tools: Read, Bash(git log:*)
model: haiku
---
Fix issue $1 with priority $2.
"""


@pytest.fixture
def claude(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / ".claude"
    folder.mkdir(parents=True)
    return folder


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def made(claude: Path, reference: str, arguments: str = ""):
    index = LiveIndex(claude.parent, bundled=False).snapshot
    return workflow_agent(find_workflow(index, reference), arguments)


def test_a_command_gets_exactly_the_tools_it_lists_its_model_and_its_arguments(claude):
    path = write(claude / "commands/fix-issue.md", FIX)
    agent = made(claude, "/fix-issue", "12 high")
    assert agent.id == "/fix-issue"
    assert agent.path == path
    assert agent.tools == ("Read", "Bash(git log:*)")
    assert agent.model == "haiku"
    assert agent.prompt.startswith("Fix issue 12 with priority high.")
    assert remarks(agent) == ("its arguments: [number] [priority]",)


def test_a_hint_of_one_argument_stays_as_it_was_written(claude):
    write(claude / "commands/one.md", "---\nargument-hint: [number]\n---\nTake $1.\n")
    assert remarks(made(claude, "/one")) == ("its arguments: [number]",)


@pytest.mark.parametrize(
    "key",
    ["allowed_tools", "allowedTools", "Allowed-Tools", "tools", "Tools", "alowed-tools", "tool"],
)
def test_a_list_under_a_misspelt_key_limits_a_command_and_is_named(claude, key):
    path = write(claude / "commands/free.md", f"---\ndescription: x\n{key}: Read\n---\nDo it.\n")
    agent = made(claude, "/free")
    assert agent.tools == ("Read",)
    said = f'there is no field "{key}" here; it is read as allowed-tools: write allowed-tools'
    assert [finding.message for finding in agent.findings] == [said]
    (page,) = LiveIndex(claude.parent, bundled=False).snapshot.commands
    assert [str(finding) for finding in page.findings] == [f"{path}:3: warning: {said}"]
    assert (
        page.findings[0]
        in validate_index(LiveIndex(claude.parent, bundled=False).snapshot).findings
    )


def test_of_two_lists_of_a_command_the_rightly_spelled_one_counts(claude):
    head = "tools: Bash\nallowed-tools: Read\ndisallowedTools: Edit\ndisallowed-tools: Write"
    write(claude / "commands/two.md", f"---\n{head}\n---\nDo it.\n")
    agent = made(claude, "/two")
    assert (agent.tools, agent.disallowed_tools) == (("Read",), ("Write",))
    assert "no effect beside allowed-tools" in agent.findings[0].message
    assert "no effect beside disallowed-tools" in agent.findings[1].message


def test_a_command_without_allowed_tools_gets_the_sessions(claude):
    write(claude / "commands/free.md", "---\ndescription: x\n---\nDo $ARGUMENTS.\n")
    agent = made(claude, "/free", "this and that")
    assert agent.tools is None
    assert agent.prompt.startswith("Do this and that.")


def test_a_command_without_frontmatter_is_its_text(claude):
    write(claude / "commands/plain.md", "Say hello.\n")
    assert made(claude, "/plain").prompt == "Say hello."


def test_a_skill_gives_its_body_and_says_where_its_folder_is(claude):
    path = write(claude / "skills/notes/SKILL.md", "---\ndescription: Notes\n---\nRead a.md.\n")
    agent = made(claude, "/notes")
    assert agent.id == "/notes"
    assert agent.prompt.startswith("Read a.md.")
    assert str(path.parent) in agent.prompt


def test_what_would_run_or_be_read_beforehand_is_left_and_said(claude):
    write(claude / "commands/look.md", "State: !`git status`\nRules: @docs/rules.md, me@here.org\n")
    agent = made(claude, "/look")
    assert "!`git status`" in agent.prompt
    assert "@docs/rules.md" in agent.prompt
    assert len(left_undone(agent)) == 2
    assert "nothing was run or read for you" in agent.prompt
    assert not_done("Write to me@here.org about !important things") == ()


def test_a_skill_hides_a_command_of_its_name(claude):
    write(claude / "commands/same.md", "The command.\n")
    write(claude / "skills/same/SKILL.md", "The skill.\n")
    assert made(claude, "/same").prompt.startswith("The skill.")


def test_a_bare_name_is_enough_when_only_one_has_it(claude):
    write(claude / "commands/ops/deploy.md", "Deploy.\n")
    assert made(claude, "/deploy").id == "/ops:deploy"
    write(claude / "commands/web/deploy.md", "Deploy.\n")
    with pytest.raises(WorkflowError, match="/ops:deploy, /web:deploy"):
        made(claude, "/deploy")


def test_an_unknown_name_names_the_nearest(claude):
    write(claude / "commands/deploy.md", "Deploy.\n")
    with pytest.raises(AgentNotFoundError, match="nearest: /deploy") as found:
        made(claude, "/deplyo")
    assert found.value.nearest == ("/deploy",)


def test_a_file_that_went_away_or_is_empty_is_said_in_a_sentence(claude):
    path = write(claude / "commands/gone.md", "Text.\n")
    index = LiveIndex(claude.parent, bundled=False).snapshot
    page = find_workflow(index, "/gone")
    path.unlink()
    with pytest.raises(WorkflowError, match="/gone can't be run"):
        workflow_agent(page, "")
    write(path, "---\ndescription: Nothing\n---\n")
    with pytest.raises(WorkflowError, match="no instructions"):
        workflow_agent(page, "")


def test_completion_puts_what_starts_so_first(claude):
    for name in ("ops/deploy", "deploy-all", "undeploy"):
        write(claude / "commands" / f"{name}.md", "Text.\n")
    index = LiveIndex(claude.parent, bundled=False).snapshot
    assert complete_workflow(index, "/dep", 5) == ("/deploy-all", "/ops:deploy", "/undeploy")
    assert complete_workflow(index, "/dep", 1) == ("/deploy-all",)


@pytest.mark.parametrize(
    ("body", "arguments", "filled"),
    [
        ("$ARGUMENTS!", "a b", "a b!"),
        ("$1-$2-$3", "a b", "a-b-"),
        ("$0-$1", "a b", "a-b"),
        ("$ARGUMENTS[1]", "a b", "b"),
        ("$1 $2", "'two words' b", "two words b"),
        ("$1", "don't", "don't"),
        ("costs $5", "a", "costs $5"),
        ("$1 costs $12.50", "a", "a costs $12.50"),
        ("$issue on $branch of $HOME", "12 main", "12 on main of $HOME"),
        ("$1", "$2 $1", "[argument 1: see the task]"),
        ("$1 $2", "$2 x", "$2 x"),
        ("fix $1", "please fix the issue", "fix [argument 1: see the task]"),
        ("${CLAUDE_SKILL_DIR}/a ${OTHER}", "", "/skill/a ${OTHER}"),
    ],
)
def test_arguments_go_into_their_places(body, arguments, filled):
    names = ("issue", "branch") if "$issue" in body else ()
    assert fill(body, arguments, names, {"CLAUDE_SKILL_DIR": "/skill"}) == filled


@given(st.text(), st.text())
def test_any_text_can_be_filled_and_a_text_without_places_stays(body, arguments):
    filled = fill(body, arguments)
    before, place, _ = body.partition("$")
    assert filled.startswith(before)
    assert place or filled == body
