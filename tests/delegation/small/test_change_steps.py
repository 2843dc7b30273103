"""What a change consists of: which files, in which order, and what is done to each."""

from __future__ import annotations

import pytest

from secretary_tui.delegation.lookup.looked_up import Excerpt, ExcerptOrigin, LookedUp
from secretary_tui.delegation.small.change_steps import (
    MAX_STEPS,
    ChangeStep,
    StepKind,
    plan_steps,
)

CART = (
    "import math\n\n\n"
    "def total(items):\n    return sum(items)\n\n\n"
    "def rounded(items):\n    return math.floor(total(items))\n"
)
TESTS = "from cart import total\n\n\ndef test_total():\n    assert total([1]) == 1\n"
TEXTS = {"shop/cart.py": CART, "tests/test_cart.py": TESTS, "shop/tax.py": "RATE = 0.2\n"}


def plan(task: str, *paths: str, **texts: str) -> tuple[ChangeStep, ...]:
    """Plan for a task of which these files are shown whole."""
    shown = LookedUp(tuple(Excerpt(path, TEXTS[path].rstrip(), path) for path in paths))
    return plan_steps(task, shown, TEXTS, tuple(TEXTS))


def said(steps: tuple[ChangeStep, ...]) -> list[tuple[str, str, str]]:
    return [(step.kind.value, step.path, step.name) for step in steps]


@pytest.mark.parametrize(
    ("task", "paths", "steps"),
    [
        ("Round up in cart.py", ["shop/cart.py"], [("edit", "shop/cart.py", "")]),
        (
            "Add a function discount to shop/cart.py",
            ["shop/cart.py"],
            [("add", "shop/cart.py", "discount")],
        ),
        (
            "add the function total to cart.py with rounding",
            ["shop/cart.py"],
            [("edit", "shop/cart.py", "")],
        ),
        (
            "Create shop/money.py with a class Money",
            [],
            [("create", "shop/money.py", "")],
        ),
        (
            "Write a test for rounded() in tests/test_rounded.py",
            ["shop/cart.py"],
            [("create", "tests/test_rounded.py", "")],
        ),
        (
            "In test_cart.py and cart.py, use a list",
            ["tests/test_cart.py", "shop/cart.py"],
            [("edit", "shop/cart.py", ""), ("edit", "tests/test_cart.py", "")],
        ),
        (
            "Make the tax 25 %",
            ["shop/tax.py", "shop/cart.py"],
            [("edit", "shop/tax.py", "")],
        ),
        (
            "Make it round up",
            ["shop/cart.py"],
            [("edit", "shop/cart.py", "")],
        ),
        ("Write it to ../outside.py", [], []),
        ("See example.com and version 1.2.x", [], []),
        ("Make it better", [], []),
    ],
)
def test_a_task_leads_to_its_files(
    task: str, paths: list[str], steps: list[tuple[str, str, str]]
) -> None:
    assert said(plan(task, *paths)) == steps


def test_only_the_function_that_is_named_may_be_changed() -> None:
    (step,) = plan("In cart.py, rounded() must round up", "shop/cart.py")
    assert step.shown is not None
    assert step.shown.text == "def rounded(items):\n    return math.floor(total(items))"
    assert (step.shown.first_line, step.shown.is_whole) == (8, False)
    (step,) = plan("In cart.py, use a generator everywhere", "shop/cart.py")
    assert step.shown is not None
    assert step.shown.text == CART.rstrip()


def test_a_method_goes_into_its_class_by_an_edit() -> None:
    (step,) = plan("Add a method reset to the class in cart.py", "shop/cart.py")
    assert step.kind is StepKind.EDIT


def test_an_empty_file_is_written_whole() -> None:
    shown = LookedUp((Excerpt("shop/__init__.py", "", "shop/__init__.py"),))
    texts = {"shop/__init__.py": "\n"}
    (step,) = plan_steps("Export total in shop/__init__.py", shown, texts, tuple(texts))
    assert step.kind is StepKind.CREATE


def test_what_git_and_the_project_say_is_not_changed() -> None:
    git = Excerpt("last commit", "+x", origin=ExcerptOrigin.GIT)
    assert plan_steps("Fix my change", LookedUp((git,)), {}, ()) == ()


def test_there_are_only_so_many_steps() -> None:
    task = "Create " + ", ".join(f"part{number}.py" for number in range(MAX_STEPS + 3))
    assert len(plan_steps(task, LookedUp(), {}, ())) == MAX_STEPS
