"""What a request implies, and that most imply nothing."""

import pytest

from secretary_tui.routing.recommend.requirements import (
    CHECKED_BY_TESTS,
    NEW_TESTS_RUN,
    READ_ONLY,
    SAME_BEHAVIOUR,
    SAME_LANGUAGE,
    implied_requirements,
)


@pytest.mark.parametrize(
    ("task", "requirements"),
    [
        ("explain the auth middleware", (READ_ONLY,)),
        ("why is the build broken", (READ_ONLY,)),
        ("review my changes", (READ_ONLY,)),
        ("review my changes and fix what you find", (CHECKED_BY_TESTS,)),
        ("improve the login\nExplain it.", ()),
        ("the login\nExplain it.", (READ_ONLY,)),
        ("refactor the auth module", (SAME_BEHAVIOUR,)),
        ("fix the crash in the worker", (CHECKED_BY_TESTS,)),
        ("upgrade django to 5", (CHECKED_BY_TESTS,)),
        ("write tests for src/parser.py", (NEW_TESTS_RUN,)),
        ("fix the typo in the readme", ()),
        ("commit my changes", ()),
        ("write a press release", ()),
        ("erkläre mir die Anmeldung", (READ_ONLY, SAME_LANGUAGE)),
        ("", ()),
    ],
)
def test_a_task_requires_what_it_implies(task: str, requirements: tuple[str, ...]) -> None:
    assert implied_requirements(task) == requirements
