"""Commands and skills found for a request, by name, by phrase and by their words."""

from pathlib import Path

import pytest

from secretary_tui.config import Config
from secretary_tui.people import Answer
from secretary_tui.registry.agent_index import LiveIndex
from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.recommend.recommender import route_local
from secretary_tui.routing.recommend.workflows import WorkflowMatcher
from tests.routing.library import LIBRARY

PAGES = {
    "commands/fix-issue.md": "---\ndescription: Fix a numbered issue, with a test\n---\nFix $1.\n",
    "commands/ops/deploy.md": (
        "---\ndescription: Deploy the service to a staging or production environment\n---\nGo.\n"
    ),
    "commands/team/implement.md": "---\ndescription: Build what a plan says\n---\nBuild.\n",
    "skills/release-notes/SKILL.md": (
        "---\ndescription: Write release notes from the commits since the last tag\n---\nWrite.\n"
    ),
    "skills/house-style/SKILL.md": (
        "---\ndescription: How release notes are worded here\nuser-invocable: false\n---\nShort.\n"
    ),
}
CONFIG = Config()


@pytest.fixture
def project(project: Path) -> Path:
    for name, text in PAGES.items():
        path = project / ".claude" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return project


@pytest.fixture
def workflows(project: Path) -> WorkflowMatcher:
    return WorkflowMatcher(LiveIndex(project, bundled=False).snapshot)


def route(workflows, request, answers=(), agents=LIBRARY):
    return route_local(LocalMatcher(agents), request, CONFIG, answers, workflows)


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        ("fix issue 12", "fix-issue"),
        ("deploy to staging", "ops:deploy"),
        ("deploy the service to production please", "ops:deploy"),
        ("write the release notes", "release-notes"),
        ("implement the export", "team:implement"),
        ("orchestrate build login", "team:implement"),
    ],
)
def test_a_request_finds_the_command_or_skill_it_asks_for(workflows, request_, found):
    workflow = route(workflows, request_).workflow
    assert workflow is not None
    assert (workflow.id, workflow.runnable, workflow.named) == (found, True, False)
    assert workflow.confidence >= CONFIG.show_above


@pytest.mark.parametrize(
    "request_",
    [
        "review auth for security",
        "why is the query slow",
        "translate this to French",
        "vegan lasagna recipe",
        "should i break up with him",
        "write a readme",
        "is there an issue with the kubernetes cluster memory",
        "what does a service worker cost",
    ],
)
def test_other_requests_find_none(workflows, request_):
    assert route(workflows, request_).workflow is None


def test_a_typed_name_is_for_that_command_and_no_agent(workflows):
    found = route(workflows, "/fix-issue 12  high")
    assert found.workflow is not None
    assert (found.workflow.id, found.workflow.arguments) == ("fix-issue", "12  high")
    assert (found.workflow.confidence, found.task) == (100, "12  high")
    assert (found.matches, found.ranking, found.questions) == ((), (), ())
    assert route(workflows, "/deploy").workflow.arguments == ""


@pytest.mark.parametrize("request_", ["/tmp/x is broken", "/nothing here", "and/or", "/", "// a"])
def test_paths_and_unknown_names_are_ordinary_requests(workflows, request_):
    found = route(workflows, request_)
    assert found.workflow is None
    assert found.ranking or not found.matches


def test_a_phrase_without_a_command_of_that_name_is_a_name_only(workflows):
    workflow = route(workflows, "new feature: dark mode").workflow
    assert workflow is not None
    assert (workflow.id, workflow.path, workflow.runnable) == ("brainstorm", "", False)


def test_background_knowledge_is_never_offered(workflows):
    assert "house-style" not in {found.id for found in workflows.nearest("release notes worded")}


def test_nothing_is_asked_when_a_command_clearly_fits(workflows):
    assert route(workflows, "deploy to staging").questions == ()


def test_a_command_picked_as_an_answer_is_named(workflows):
    found = route(workflows, "ship it", (Answer("Which workflow?", ("/ops:deploy",)),))
    assert found.workflow is not None
    assert (found.workflow.id, found.workflow.arguments) == ("ops:deploy", "ship it")


def test_the_nearest_come_along_for_the_model_to_choose_from(workflows):
    found = route(workflows, "is the release ready")
    assert {"release-notes", "ops:deploy"} <= {near.id for near in found.workflows}
    assert all(near.description for near in found.workflows)


def test_a_changed_library_is_noticed(project, workflows):
    live = LiveIndex(project, bundled=False)
    assert workflows.is_for(live.snapshot)
    (project / ".claude/commands/new.md").write_text("---\ndescription: Paint it blue\n---\nGo.\n")
    index = live.refresh().index
    assert not workflows.is_for(index)
    renewed = WorkflowMatcher(index, workflows)
    assert renewed.match("paint it blue")[0].id == "new"


def test_without_commands_and_skills_nothing_is_found(tmp_path):
    empty = WorkflowMatcher(LiveIndex(tmp_path, bundled=False).snapshot)
    assert empty.match("deploy to staging") == (None, ())


def test_what_shall_be_orchestrated_is_asked_when_no_command_stands_out(tmp_path):
    for name, about in (("ship", "Ship a release"), ("audit", "Audit the release process")):
        path = tmp_path / ".claude" / "commands" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\ndescription: {about} step by step with all checks\n---\nGo.\n")
    workflows = WorkflowMatcher(LiveIndex(tmp_path, bundled=False).snapshot)
    request = "orchestrate everything around our next big release party"
    found = route(workflows, request)
    (question,) = found.questions
    assert {option.label for option in question.options} == {"/ship", "/audit"}
    answered = route(workflows, request, (Answer(question.question, ("/ship",)),))
    assert answered.workflow is not None
    assert (answered.workflow.id, answered.workflow.runnable) == ("ship", True)
    assert route(workflows, "everything around our next big release party").questions == ()
