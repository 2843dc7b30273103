"""From what a small model wrote to a call of Edit or Write: what can't be right is refused."""

from __future__ import annotations

import pytest

from secretary_tui.delegation.lookup.looked_up import Excerpt
from secretary_tui.delegation.small.change_steps import ChangeStep, StepKind
from secretary_tui.delegation.small.step_edits import UnusableBlockError, edit_for
from secretary_tui.delegation.small.syntax import syntax_fault

CART = "import math\n\n\ndef total(items):\n    return sum(items)\n"


def edited(
    answer: str,
    text: str = CART,
    kind: StepKind = StepKind.EDIT,
    path: str = "cart.py",
    name: str = "",
) -> str:
    """The text of a file after what was written for a step was done."""
    step = ChangeStep(kind, path, Excerpt(path, text.removesuffix("\n"), path), name)
    edit = edit_for(step, answer, text)
    assert edit.input["file_path"] == path
    if edit.tool == "Write":
        return str(edit.input["content"])
    assert text.count(edit.input["old_string"]) == 1
    return text.replace(edit.input["old_string"], edit.input["new_string"])


def block(old: str, new: str) -> str:
    return f"Plan: x\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE"


def test_lines_are_replaced() -> None:
    answer = block("    return sum(items)\n", "    return math.fsum(items)\n")
    assert edited(answer) == CART.replace("sum(", "math.fsum(")


def test_the_last_line_can_be_taken_away() -> None:
    assert edited(block("b\n", ""), "a\nb\n", path="x.txt") == "a\n"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (block("import math\n", "import math\n"), "changes nothing"),
        (block("def total(items):\n", "def total(items)\n"), "line 4 is not valid Python"),
        ("Plan: x\n<<<<<<< SEARCH\nimport", "too long"),
        (block("import maths\n", "import cmath\n"), "no such lines"),
    ],
)
def test_what_breaks_or_misses_the_file_is_refused_with_a_reason(answer: str, why: str) -> None:
    with pytest.raises(UnusableBlockError, match=why):
        edited(answer)


def test_a_file_is_never_left_empty() -> None:
    with pytest.raises(UnusableBlockError, match="empty"):
        edited(block("one\n", ""), "one\n", path="x.txt")
    with pytest.raises(UnusableBlockError, match="empty"):
        edited("```\n\n```", "", StepKind.CREATE, "x.txt")


def test_a_file_that_was_broken_before_may_be_mended_in_steps() -> None:
    broken = "def f(:\n    return 1\n\n\ndef g(:\n    return 2\n"
    after = edited(block("def f(:\n", "def f():\n"), broken)
    assert after == broken.replace("f(:", "f():")


def test_new_code_goes_behind_what_there_is() -> None:
    answer = "```python\ndef mean(items):\n    return total(items) / len(items)\n```"
    after = edited(answer, kind=StepKind.ADD, name="mean")
    assert after == f"{CART}\n\ndef mean(items):\n    return total(items) / len(items)\n"


def test_new_code_goes_ahead_of_what_only_runs_it() -> None:
    text = f'{CART}\n\nif __name__ == "__main__":\n    print(total([1]))\n'
    after = edited("```python\ndef f():\n    pass\n```", text, StepKind.ADD, name="f")
    assert after.index("def f():") < after.index("if __name__")
    assert after.index("def total") < after.index("def f():")


def test_what_the_file_has_is_not_added_again() -> None:
    answer = f"```python\n{CART}\n\ndef mean(items):\n    return 1\n```"
    after = edited(answer, kind=StepKind.ADD, name="mean")
    assert after.count("def total") == after.count("import math") == after.count("def mean") == 1


def test_code_without_what_was_asked_for_is_refused() -> None:
    with pytest.raises(UnusableBlockError, match="no definition of mean"):
        edited(f"```python\n{CART}```", kind=StepKind.ADD, name="mean")


def test_blank_lines_at_the_end_and_the_same_closing_lines_do_not_matter() -> None:
    text = "func a() {\n\tb()\n}\n\nfunc b() {\n\tif x {\n\t\tb()\n\t}\n}\n\n\n"
    after = edited("```go\nfunc c() {\n}\n```", text, StepKind.ADD, "x.go", "c")
    assert after == text.rstrip() + "\n\n\nfunc c() {\n}\n"


def test_a_new_file_ends_with_a_line_end() -> None:
    assert edited("```python\nx = 1\n\n\n```", "", StepKind.CREATE) == "x = 1\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "def f(:\n"),
        ("a.JSON", "{'a': 1}"),
        ("a.toml", "a = \n"),
        ("a.yaml", "a: [1\n"),
        ("a.yml", "a: b: c\n"),
        ("a.json", "[" * 100_000),
    ],
)
def test_a_broken_file_is_said_to_be_so(path: str, text: str) -> None:
    assert "not valid" in syntax_fault(path, text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "x = 1\n"),
        ("a.json", "{}"),
        ("a.toml", "a = 1"),
        ("a.yaml", "---\na: 1\n---\nb: 2\n"),
        ("a.txt", "def f(:"),
        ("Makefile", "all:"),
    ],
)
def test_a_sound_or_unknown_one_is_left_alone(path: str, text: str) -> None:
    assert syntax_fault(path, text) == ""
