"""Requests that open with a workflow."""

import pytest

from secretary_tui.routing.recommend.workflow_names import workflow_match


@pytest.mark.parametrize(
    ("request_", "workflow"),
    [
        ("I want to add a notification feature", "brainstorm"),
        ("new feature: dark mode", "brainstorm"),
        ("please create a new feature for exports", "brainstorm"),
        ("add capability to undo", "brainstorm"),
        ("brainstorm names", "brainstorm"),
        ("implement the export command", "implement"),
        ("Build an api in Go", "implement"),
        ("build a settings page with a dark mode", "implement"),
        ("code this", "implement"),
        ("create a plan for the migration", "create-plan"),
        ("implementation plan for exports", "create-plan"),
        ("help me plan the rollout", "create-plan"),
    ],
)
def test_a_request_that_opens_with_it_names_the_workflow(request_, workflow):
    assert workflow_match(request_) == workflow


@pytest.mark.parametrize(
    "request_",
    [
        "",
        "review the new feature",
        "plan wants to destroy half of it",
        "build fails on every machine",
        "builder pattern in Java",
        "our planning is bad",
        "why does the terraform plan differ",
        "reimplement it",
        "add a feature flag for the new checkout",
        "create a feature branch from main",
        "build the docker image and push it",
        "build it again without the cache",
    ],
)
def test_a_word_elsewhere_or_with_another_meaning_names_none(request_):
    assert workflow_match(request_) is None
