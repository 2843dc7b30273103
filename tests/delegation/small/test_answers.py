"""The embedded model answers from what was looked up; what it misses is fetched for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from secretary_tui.delegation.small.answering import MAX_NEEDS
from secretary_tui.events import (
    MessageAdded,
    ModelStarting,
    Notice,
    PromptRead,
    RunStarted,
    TextDelta,
    ToolFinished,
    TurnDiscarded,
    TurnStarted,
    UserMessage,
)
from tests.delegation.conftest import only
from tests.delegation.lookup.conftest import commit_all, write
from tests.delegation.permissions.test_permissions import settings
from tests.delegation.small.conftest import READER, Small, called, finished
from tests.servers.llama_server import CACHED, PROMPT, Said

GREET = "def greet(name):\n    return f'hello {name}'\n"
LIMITS = "# Limits\n\nRETRY_LIMIT = 7\n"


@pytest.fixture
def workspace(workspace: Path) -> Path:
    write(workspace, "greet.py", GREET)
    write(workspace, "net/limits.py", LIMITS)
    for number in range(30):  # Too much to be shown whole.
        write(workspace, f"notes/day_{number}.md", "Nothing of note happened on this day.\n" * 30)
    return workspace


async def test_what_is_named_is_answered_at_once_without_tools(small: Small) -> None:
    small.server.add(Said("greet.py greets somebody."))
    events = await small.run("what does greet.py do?")
    (asked,) = small.server.asked
    assert f'<file path="greet.py">\n{GREET.strip()}\n</file>' in small.told()
    assert "grammar" not in asked
    assert "tools" not in asked
    assert finished(events).text == "greet.py greets somebody."
    assert (finished(events).turns, finished(events).stop_reason) == (1, "end_turn")
    assert called(events) == []


async def test_the_answer_is_told_as_it_comes_and_its_tokens_counted(small: Small) -> None:
    small.server.add(Said("greet.py greets somebody."))
    events = await small.run("what does greet.py do?")
    assert [piece.text for piece in only(events, TextDelta)][:2] == ["gree", "t.py"]
    usage = finished(events).usage
    assert (usage.input_tokens, usage.cache_read_tokens) == (PROMPT - CACHED, CACHED)
    assert usage.output_tokens == 7
    assert finished(events).cost_usd == 0.0


async def test_signs_of_life_come_before_the_answer(small: Small) -> None:
    small.server.add(Said("greet.py greets."))
    events = await small.run("what does greet.py do?")
    kinds = [type(event) for event in events]
    order = [kinds.index(kind) for kind in (RunStarted, ModelStarting, PromptRead, TextDelta)]
    assert order == sorted(order)
    assert {read.total for read in only(events, PromptRead)} == {PROMPT}


async def test_the_system_prompt_is_the_agents_and_the_same_for_every_task(small: Small) -> None:
    small.server.add(Said("One."), Said("Two."))
    await small.run("what does greet.py do?", agent={"prompt": "You are a gardener."})
    await small.run("explain net/limits.py", agent={"prompt": "You are a gardener."})
    first, second = (asked["messages"][0]["content"] for asked in small.server.asked)
    assert first == second
    assert first.startswith("You are a gardener.")
    assert small.server.read == [first]


async def test_what_is_missing_is_fetched_and_asked_again(small: Small) -> None:
    small.server.add(Said("NEED FILE net/limits.py"), Said("In greet.py it is 7."))
    events = await small.run("is it a good number?", looks_up=False)
    assert called(events) == [("Read", "net/limits.py")]
    assert "RETRY_LIMIT = 7" not in small.told(0)
    assert "net/limits.py" in small.told(0)
    assert "RETRY_LIMIT = 7" in small.told(1)
    assert finished(events).text == "In greet.py it is 7."
    assert "NEED" not in "".join(piece.text for piece in only(events, TextDelta))


@pytest.mark.parametrize("need", ["NEED SYMBOL RETRY_LIMIT", "NEED SEARCH retry_limit"])
async def test_so_is_a_definition_and_what_a_search_finds(small: Small, need: str) -> None:
    small.server.add(Said(need), Said("In greet.py it is 7."))
    events = await small.run("is it a good number?", looks_up=False)
    assert [name for name, _ in called(events)] == ["Grep"]
    assert "RETRY_LIMIT = 7" in small.told(1)


async def test_it_is_fetched_so_often_and_then_it_must_answer(small: Small) -> None:
    needs = [f"NEED FILE notes/day_{number}.md" for number in range(MAX_NEEDS)]
    small.server.add(*map(Said, needs), Said("I don't know."))
    events = await small.run("is it a good number?", looks_up=False)
    assert len(called(events)) == MAX_NEEDS == 3
    assert "grammar" in small.server.asked[-2]
    assert "grammar" not in small.server.asked[-1]
    assert finished(events).text == "I don't know."


async def test_what_there_is_not_ends_the_asking(small: Small) -> None:
    small.server.add(Said("NEED SYMBOL nowhere_at_all"), Said("I don't know."))
    events = await small.run("is it a good number?", looks_up=False)
    assert [done.is_error for done in only(events, ToolFinished)] == [True]
    assert finished(events).text == "I don't know."


async def test_a_file_that_is_denied_is_neither_named_nor_fetched(small: Small) -> None:
    settings(small.runner.workspace, deny=["Read(net/**)"])
    small.server.add(Said("NEED SEARCH RETRY_LIMIT"), Said("I don't know."))
    events = await small.run("is it a good number?", looks_up=False)
    assert "greet.py" in small.told(0)
    assert "net/limits.py" not in str(small.server.asked)
    assert "RETRY_LIMIT = 7" not in str(small.server.asked)
    assert finished(events).text == "I don't know."


async def test_an_answer_that_says_that_something_is_missing_is_taken_back(small: Small) -> None:
    small.server.add(
        Said("The value of the limit is not shown, so I can't say."),
        Said("NEED FILE net/limits.py"),
        Said("In greet.py it is 7."),
    )
    events = await small.run("what does greet.py do with the limit?")
    assert len(only(events, TurnDiscarded)) == 1
    assert finished(events).text == "In greet.py it is 7."
    assert [turn.turn for turn in only(events, TurnStarted)] == [1, 2, 3]


async def test_what_stands_in_the_request_needs_nothing_of_the_project(small: Small) -> None:
    small.server.add(Said("`^\\d{4}$`"))
    await small.run("write a regex for four digits")
    assert "grammar" not in small.server.asked[0]


async def test_a_long_change_is_gone_through_file_by_file(small: Small) -> None:
    folder = small.runner.workspace
    for number in range(10):
        write(folder, f"src/part{number}.py", "".join(f"a{n} = {n}\n" for n in range(60)))
    commit_all(folder, "begin")
    for number in range(10):
        write(folder, f"src/part{number}.py", "".join(f"a{n} = {n + 1}\n" for n in range(60)))
    small.server.add(*(Said(f"Part {n} counts on.") for n in range(8)), Said("All count on."))
    events = await small.run("review my change", agent={"tools": READER})
    notices = [notice.text for notice in only(events, Notice)]
    assert notices[0].startswith("Part 1 of 8: ")
    assert notices[7].startswith("Part 8 of 8: ")
    assert notices[0].endswith("src/part0.py")
    assert "src/part8.py, src/part9.py" in notices[8]
    assert "src/part0.py: Part 0 counts on." in small.told()
    assert "src/part7.py: Part 7 counts on." in small.told()
    assert finished(events).text == "All count on."
    assert finished(events).turns == 9


async def test_a_long_file_is_gone_through_where_all_of_it_is_meant(small: Small) -> None:
    body = "".join(f"def step_{n}():\n    return {n}\n\n\n" for n in range(200))
    write(small.runner.workspace, "long.py", body)
    small.server.add(*[Said("It holds steps.")] * 9)
    events = await small.run("summarise long.py")
    count = len(small.server.asked) - 1
    notices = [notice.text.partition(":")[0] for notice in only(events, Notice)]
    assert notices == [f"Part {number} of {count}" for number in range(1, count + 1)]
    assert count > 1
    assert finished(events).text == "It holds steps."
    small.server.forget()


async def test_of_a_long_file_only_what_is_asked_about_is_shown(small: Small) -> None:
    body = "".join(f"def step_{n}():\n    return {n}\n\n\n" for n in range(200))
    write(small.runner.workspace, "long.py", body)
    small.server.add(Said("It gives 7."))
    await small.run("what does step_7 in long.py return?")
    assert "return 7" in small.told()
    assert "return 180" not in small.told()


async def test_a_follow_up_goes_on_with_the_conversation(small: Small) -> None:
    small.server.add(Said("greet.py greets."), Said("With a name of net/limits.py."))
    events = await small.run("what does greet.py do?")
    stored = [{"role": one.role, "content": one.content} for one in only(events, MessageAdded)]
    events = await small.run(
        "what does greet.py do?", messages=tuple(stored), follow_up="How, in net/limits.py?"
    )
    _, task, answer, more = small.server.asked[1]["messages"]
    assert task == small.server.asked[0]["messages"][1]
    assert answer == {"role": "assistant", "content": "greet.py greets."}
    assert more["content"].startswith("How, in net/limits.py?")
    assert "RETRY_LIMIT = 7" in more["content"]
    assert [said.text for said in only(events, UserMessage)] == ["How, in net/limits.py?"]
    assert finished(events).text == "With a name of net/limits.py."


async def test_what_is_said_meanwhile_is_answered_next(small: Small) -> None:
    small.server.add(Said("greet.py greets."), Said("The limit in net/limits.py is 7."))
    small.control.say("And what does net/limits.py say?")
    events = await small.run("what does greet.py do?")
    assert small.server.asked[1]["messages"][2]["content"] == "greet.py greets."
    assert small.told().endswith("And what does net/limits.py say?")
    assert "RETRY_LIMIT = 7" in small.told()
    assert [said.text for said in only(events, UserMessage)] == ["And what does net/limits.py say?"]
    assert finished(events).text == "The limit in net/limits.py is 7."


async def test_an_answer_that_goes_in_circles_is_stopped_and_said_to_be_cut(small: Small) -> None:
    small.server.add(Said("Sure.\n" + "- item\n" * 200, "held"))
    events = await small.run("what does greet.py do?")
    assert finished(events).stop_reason == "max_tokens"
    assert finished(events).text.count("item") < 20


async def test_an_answer_that_is_cut_off_is_said_to_be(small: Small) -> None:
    small.server.add(Said("It greets some", "length"))
    events = await small.run("what does greet.py do?")
    assert finished(events).stop_reason == "max_tokens"
    assert only(events, Notice)


async def test_an_answer_that_names_no_file_says_which_were_read(small: Small) -> None:
    small.server.add(Said("It says hello."))
    events = await small.run("What does greet.py do?")
    assert finished(events).text == "It says hello.\n\nRead: greet.py"
