"""What an agent is told of the conversation: little, and only where the request goes back to it."""

from secretary_tui.coordinator.dispatch_values import Message
from secretary_tui.coordinator.summary import MOST_LINES, summarise

ASKED = Message("user", "audit the login code")
ANSWERED = Message("secretary", "Two holes:\n1. **session.py** keeps tokens\n2. no rate limit")


def test_what_goes_on_from_an_answer_gets_what_was_asked_and_answered() -> None:
    assert summarise("what about the signup?", (ASKED, ANSWERED)) == (
        "Asked before: audit the login code",
        "Answered: Two holes: 1. **session.py** keeps tokens 2. no rate limit",
    )


def test_a_new_topic_gets_nothing_and_a_shared_name_its_messages() -> None:
    assert summarise("write the release notes", (ASKED, ANSWERED)) == ()
    assert summarise("add tests for the login", (ASKED, ANSWERED)) == (
        "Asked before: audit the login code",
    )


def test_it_is_short_and_leaves_the_request_itself_out() -> None:
    long = Message("secretary", "word " * 500)
    said = (*(ASKED, long) * 5, Message("user", "tell me more"))
    told = summarise("tell me more", said)
    assert len(told) == MOST_LINES
    assert all(len(line) < 250 for line in told)
    assert not any("tell me more" in line for line in told)
