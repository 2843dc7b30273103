"""The embedded model changes files: through Edit and Write, with permission, walls and undo."""

from __future__ import annotations

from pathlib import Path

import pytest

from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.undo.restoring import Undo
from secretary_tui.events import MessageAdded, TextDelta, ToolFinished, TurnDiscarded
from secretary_tui.people import ToolDecision
from tests.delegation.conftest import ScriptedPerson, only
from tests.delegation.lookup.conftest import write
from tests.delegation.permissions.test_permissions import settings
from tests.delegation.small.conftest import Small, called, finished
from tests.servers.llama_server import Said

CART = "def total(items):\n    return sum(items)\n\n\ndef mean(items):\n    return total(items)\n"
FIX = """\
Plan: Divide by the number of items.
<<<<<<< SEARCH
    return total(items)
=======
    return total(items) / len(items)
>>>>>>> REPLACE"""
FIXED = CART.replace("return total(items)", "return total(items) / len(items)")
TASK = "fix mean() in cart.py"
ONCE = ToolDecision.ONCE


@pytest.fixture
def workspace(workspace: Path) -> Path:
    write(workspace, "cart.py", CART)
    write(workspace, "shop.py", "from cart import mean, total\n\nprint(mean([1]), total([2]))\n")
    return workspace


async def test_a_change_is_shown_asked_about_and_made(small: Small) -> None:
    small.person = ScriptedPerson(ONCE)
    small.server.add(Said(FIX))
    events = await small.run(TASK)
    (request,) = small.person.requests
    assert (request.tool, request.summary) == ("Edit", "cart.py")
    assert "+    return total(items) / len(items)" in request.detail
    assert small.text("cart.py") == FIXED
    assert called(events) == [("Edit", "cart.py")]
    shown = "".join(piece.text for piece in only(events, TextDelta))
    assert shown.startswith("Divide by the number of items.")
    assert "SEARCH" not in shown
    assert finished(events).text == shown.strip()


async def test_what_the_run_did_can_be_taken_back(small: Small) -> None:
    small.server.add(Said(FIX))
    await small.run(TASK, permission_mode=PermissionMode.ACCEPT_EDITS)
    assert small.text("cart.py") == FIXED
    undo = Undo.of("r1")
    assert [file.path for file in undo.files()] == ["cart.py"]
    undo.restore("cart.py")
    assert small.text("cart.py") == CART


async def test_what_the_user_refuses_is_not_made(small: Small) -> None:
    small.person = ScriptedPerson(ToolDecision.DENY)
    small.server.add(Said(FIX))
    events = await small.run(TASK)
    assert small.text("cart.py") == CART
    assert "cart.py was not changed" in finished(events).text
    assert [done.is_error for done in only(events, ToolFinished)] == [True]


async def test_so_is_what_a_rule_denies(small: Small) -> None:
    settings(small.runner.workspace, deny=["Edit(cart.py)"])
    small.server.add(Said(FIX))
    events = await small.run(TASK, permission_mode=PermissionMode.ACCEPT_EDITS)
    assert small.text("cart.py") == CART
    assert small.person.requests == []
    assert "cart.py was not changed" in finished(events).text


async def test_plan_mode_answers_and_changes_nothing(small: Small) -> None:
    small.server.add(Said("cart.py must divide by len(items)."))
    events = await small.run(TASK, permission_mode=PermissionMode.PLAN)
    assert "grammar" not in small.server.asked[0]
    assert small.text("cart.py") == CART
    assert finished(events).text == "cart.py must divide by len(items)."


async def test_a_block_that_breaks_the_file_is_written_once_more(small: Small) -> None:
    small.person = ScriptedPerson(ONCE)
    small.server.add(Said(FIX.replace(" / len(items)", " / len(items")), Said(FIX))
    events = await small.run(TASK)
    assert len(only(events, TurnDiscarded)) == 1
    assert "not valid Python" in small.told()
    assert small.text("cart.py") == FIXED
    assert len(small.person.requests) == 1


async def test_and_not_a_third_time(small: Small) -> None:
    broken = FIX.replace(" / len(items)", " / len(items")
    small.server.add(Said(broken), Said(broken))
    events = await small.run(TASK)
    assert small.text("cart.py") == CART
    assert "cart.py was not changed" in finished(events).text


async def test_a_rename_that_is_spelled_out_needs_no_model(small: Small) -> None:
    task = "Rename total to sum_of"
    events = await small.run(task, permission_mode=PermissionMode.ACCEPT_EDITS)
    assert small.server.asked == []
    assert small.text("cart.py") == CART.replace("total", "sum_of")
    assert "print(mean([1]), sum_of([2]))" in small.text("shop.py")
    assert "4 times" in finished(events).text


async def test_only_in_the_file_that_is_named(small: Small) -> None:
    task = "Rename total to sum_of in cart.py"
    await small.run(task, permission_mode=PermissionMode.ACCEPT_EDITS)
    assert "sum_of" in small.text("cart.py")
    assert "sum_of" not in small.text("shop.py")


async def test_a_file_whose_reading_is_denied_is_not_renamed_in(small: Small) -> None:
    settings(small.runner.workspace, deny=["Read(shop.py)"])
    await small.run("Rename total to sum_of", permission_mode=PermissionMode.ACCEPT_EDITS)
    assert "sum_of" in small.text("cart.py")
    assert "sum_of" not in small.text("shop.py")


async def test_what_holds_the_name_in_longer_ones_is_left_alone(small: Small) -> None:
    write(small.runner.workspace, "cart.py", "subtotal = 1\r\ntotal = subtotal\r\n")
    await small.run("Rename total to sum in cart.py", permission_mode=PermissionMode.ACCEPT_EDITS)
    written = (small.runner.workspace / "cart.py").read_bytes()
    assert written == b"subtotal = 1\r\nsum = subtotal\r\n"


async def test_a_name_that_is_nowhere_is_said_so(small: Small) -> None:
    events = await small.run("Rename nothing_such to something")
    assert "nothing_such was not found" in finished(events).text


async def test_a_new_file_is_written(small: Small) -> None:
    small.person = ScriptedPerson(ONCE)
    small.server.add(Said("```python\nimport cart\n\nprint(cart.mean([1]))\n```"))
    events = await small.run("Create show.py that prints a mean")
    assert small.text("show.py") == "import cart\n\nprint(cart.mean([1]))\n"
    assert called(events) == [("Write", "show.py")]


async def test_a_function_and_its_test_are_added_one_after_the_other(small: Small) -> None:
    code = "def median(items):\n    return sorted(items)[len(items) // 2]"
    test = "from cart import median\n\n\ndef test_median():\n    assert median([1]) == 1"
    small.server.add(Said(f"```python\n{code}\n```"), Said(f"```python\n{test}\n```"))
    await small.run(
        "Add a function median to cart.py, with a test in test_cart.py",
        permission_mode=PermissionMode.ACCEPT_EDITS,
    )
    assert small.text("cart.py") == f"{CART}\n\n{code}\n"
    assert small.text("test_cart.py") == f"{test}\n"
    assert code in small.told()


async def test_where_a_task_leads_to_no_file_the_model_chooses_one(small: Small) -> None:
    write(small.runner.workspace, "notes.md", "Nothing of note happened on this day.\n" * 400)
    small.server.add(Said("NEED FILE cart.py"), Said(FIX))
    await small.run(
        "make the average right", looks_up=False, permission_mode=PermissionMode.ACCEPT_EDITS
    )
    assert "notes.md" in small.told(0)
    assert small.text("cart.py") == FIXED


@pytest.mark.parametrize("end", ["\n", "", "\r\n"])
async def test_the_ends_of_lines_stay_as_they_are(small: Small, end: str) -> None:
    before = CART.removesuffix("\n").replace("\n", end or "\n") + end
    path = small.runner.workspace / "cart.py"
    path.write_bytes(before.encode())
    small.server.add(Said(FIX))
    await small.run(TASK, permission_mode=PermissionMode.ACCEPT_EDITS)
    after = before.replace("return total(items)", "return total(items) / len(items)")
    assert path.read_bytes().decode() == after


async def test_the_conversation_keeps_what_was_done_in_a_form_that_goes_on(small: Small) -> None:
    small.server.add(Said(FIX), Said("Because a mean is a quotient."))
    events = await small.run(TASK, permission_mode=PermissionMode.ACCEPT_EDITS)
    stored = [{"role": one.role, "content": one.content} for one in only(events, MessageAdded)]
    assert [one["role"] for one in stored] == ["user", "assistant", "user", "assistant"]
    call, result = stored[1]["content"][0], stored[2]["content"][0]
    assert (call["type"], call["name"]) == ("tool_use", "Edit")
    assert (result["tool_use_id"], result["is_error"]) == (call["id"], False)
    events = await small.run(TASK, messages=tuple(stored), follow_up="Why was that wrong?")
    assert finished(events).text == "Because a mean is a quotient."
    assert "Divide by the number of items." in small.server.asked[1]["messages"][2]["content"]


async def test_a_question_is_followed_by_an_order(small: Small) -> None:
    small.server.add(Said("It doesn't divide."), Said(FIX))
    small.control.say("Then fix it in cart.py.")
    small.person = ScriptedPerson(ONCE)
    events = await small.run("what is wrong with mean() in cart.py?")
    assert small.text("cart.py") == FIXED
    assert finished(events).text.startswith("Divide by")
