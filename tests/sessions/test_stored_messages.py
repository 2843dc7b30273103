"""Conversations cut off anywhere, made fit for the API."""

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.sessions.stored_messages import Message, repair, with_user_text


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def said(text: str) -> Message:
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def called(*ids: str) -> Message:
    calls = [{"type": "tool_use", "id": i, "name": "Read", "input": {}} for i in ids]
    return {"role": "assistant", "content": [{"type": "text", "text": "Looking."}, *calls]}


def results(*ids: str) -> Message:
    blocks = [{"type": "tool_result", "tool_use_id": i, "content": "ok"} for i in ids]
    return {"role": "user", "content": blocks}


def test_a_whole_conversation_stays_as_it_is() -> None:
    whole = (user("go"), called("t1", "t2"), results("t1", "t2"), said("Done."))
    assert repair(whole) == whole


def test_a_trailing_call_without_results_goes() -> None:
    assert repair((user("go"), called("t1"))) == (user("go"),)


def test_a_call_with_only_some_results_goes_with_them() -> None:
    found = repair((user("go"), called("t1", "t2"), results("t1")))
    assert found == (user("go"),)


def test_what_the_user_said_twice_in_a_row_becomes_one_message() -> None:
    found = repair((user("go"), called("t1"), user("and now?"), said("Well.")))
    assert [m["role"] for m in found] == ["user", "assistant"]
    assert [block["text"] for block in found[0]["content"]] == ["go", "and now?"]


def test_a_follow_up_joins_results_that_wait_for_an_answer() -> None:
    found = with_user_text((user("go"), called("t1"), results("t1")), "stop there")
    assert [m["role"] for m in found] == ["user", "assistant", "user"]
    assert [block["type"] for block in found[2]["content"]] == ["tool_result", "text"]


def test_a_follow_up_after_an_answer_is_a_message_of_its_own() -> None:
    found = with_user_text((user("go"), said("Done.")), "thanks, and?")
    assert found[2] == user("thanks, and?")


def test_an_answer_without_a_question_goes() -> None:
    assert repair((said("Hello."), user("go"))) == (user("go"),)


def acceptable(messages: Sequence[Message]) -> bool:
    if messages and messages[0]["role"] != "user":
        return False
    calls: set[str] = set()
    for number, message in enumerate(messages):
        if number and messages[number - 1]["role"] == message["role"]:
            return False
        blocks: Any = message["content"] if isinstance(message["content"], list) else []
        answered = {b["tool_use_id"] for b in blocks if b["type"] == "tool_result"}
        if answered != calls:
            return False
        calls = {b["id"] for b in blocks if b["type"] == "tool_use"}
    return not calls


IDS = st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True)
MESSAGES = st.one_of(
    st.builds(user, st.sampled_from(["go", " ", "and?"])),
    st.builds(said, st.sampled_from(["yes", "no"])),
    IDS.map(lambda ids: called(*ids)),
    IDS.map(lambda ids: results(*ids)),
    st.just({"role": "system", "content": "x"}),
    st.just({"role": "user", "content": None}),
)


@given(st.lists(MESSAGES, max_size=10))
def test_whatever_is_left_behind_the_rest_is_acceptable(messages: list[Message]) -> None:
    fit = repair(messages)
    assert acceptable(fit)
    assert acceptable(with_user_text(fit, "go on"))
