"""What an agent is told of the conversation: little, and only where the request goes back to it."""

from secretary_tui.coordinator.summary import MOST_LINES, summarise

AUDIT = ("audit the login code", "Two holes:\n1. **session.py** keeps tokens\n2. no rate limit")


def test_what_goes_on_from_an_answer_gets_what_was_asked_and_answered() -> None:
    assert summarise("what about the signup?", (AUDIT,), goes_back=True) == (
        "Asked before: audit the login code",
        "Answered: Two holes: 1. **session.py** keeps tokens 2. no rate limit",
    )


def test_a_new_topic_gets_nothing_and_a_shared_name_what_was_said_of_it() -> None:
    assert summarise("write the release notes", (AUDIT,), goes_back=False) == ()
    assert summarise("add tests for the login", (AUDIT,), goes_back=False) == (
        "Asked before: audit the login code",
    )


def test_it_is_short_and_of_the_end() -> None:
    told = summarise("go on", (("first", ""), *(AUDIT,) * 5, ("last", "x " * 900)), goes_back=True)
    assert len(told) == MOST_LINES
    assert told[-1].startswith("Answered: x x") and told[-2] == "Asked before: last"
    assert all(len(line) < 250 for line in told)
