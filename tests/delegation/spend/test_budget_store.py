"""A budget file that several processes draw on: real processes, real kills, real damage."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secretary_tui import paths
from secretary_tui.delegation.spend.budget import (
    Budget,
    BudgetSpentError,
    BudgetStoreError,
)
from secretary_tui.delegation.spend.budget_store import BudgetFile
from secretary_tui.delegation.spend.ledger import most_tokens
from secretary_tui.events import Notice, Outcome, RunFailed, RunFinished
from secretary_tui.spend import Spend
from tests.delegation.conftest import Runner, ServerEngine, only
from tests.delegation.spend.test_budget import TURN, looks
from tests.servers.anthropic_server import ScriptedServer, answer, error, text

SETUP = """
import json, sys
from pathlib import Path
from secretary_tui.delegation.spend.budget import BudgetSpentError, BudgetStoreError
from secretary_tui.delegation.spend.budget_store import BudgetFile
file = BudgetFile(Path(sys.argv[1]))
"""


def start(path: Path, code: str) -> subprocess.Popen[str]:
    """Run code in a process of its own that has the file as `file`."""
    command = [sys.executable, "-c", SETUP + code, str(path)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ.copy()
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "plan" / "budget.json"


@pytest.fixture
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has set 0.75 dollars of 1 aside, and waits."""
    BudgetFile.create(path, 1.0)
    process = start(path, "held = file.reserve(0.75); print('held', flush=True); input()")
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_eight_processes_never_spend_more_than_the_limit(path: Path) -> None:
    budget = BudgetFile.create(path, 4.0)
    # Each is refused at last, and takes back a half of what it set aside: what was given back
    # is spent by others, and all that was granted and settled is what the file says.
    code = (
        "spent = 0.0\n"
        "while True:\n"
        "    try:\n"
        "        held = file.reserve(0.125)\n"
        "    except BudgetSpentError:\n"
        "        break\n"
        "    account = json.loads(Path(sys.argv[1]).read_text())\n"
        "    held_usd = sum(one['usd'] for one in account['reservations'].values())\n"
        "    together = account['spent_usd'] + held_usd\n"
        "    assert together <= 4.0, together\n"
        "    held.settle(0.0625)\n"
        "    spent += 0.0625\n"
        "print(spent)\n"
    )
    processes = [start(path, code) for _ in range(8)]
    told = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 8
    total = sum(map(float, told))
    assert budget.spent == Spend(total)
    assert 4.0 - 8 * 0.125 < total <= 4.0
    assert budget.left_usd == 4.0 - total


def test_what_another_process_set_aside_can_not_be_had(
    path: Path, holder: subprocess.Popen[str]
) -> None:
    budget = BudgetFile(path)
    assert budget.left_usd == 0.25
    with pytest.raises(BudgetSpentError, match=r"\$0\.25 of \$1\.00 are left.*\$0\.50"):
        budget.reserve(0.5)
    budget.reserve(0.25).settle(0.25)
    assert (budget.spent, budget.left_usd) == (Spend(0.25), 0.0)


def test_what_a_killed_process_had_set_aside_is_spent_in_full(
    path: Path, holder: subprocess.Popen[str]
) -> None:
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    budget = BudgetFile(path)
    assert budget.left_usd == 0.25
    budget.reserve(0.125).settle(0.0)
    assert (budget.spent, budget.left_usd) == (Spend(0.75), 0.25)
    assert json.loads(path.read_text("utf-8"))["reservations"] == {}


def test_a_process_id_that_was_given_again_is_another_process(path: Path) -> None:
    budget = BudgetFile.create(path, 1.0)
    budget.reserve(0.5)
    account = json.loads(path.read_text("utf-8"))
    (held,) = account["reservations"].values()
    held["started"] = "before"
    path.write_text(json.dumps(account), "utf-8")
    budget.pay(0.0)
    assert budget.spent == Spend(0.5)


def test_who_was_taken_for_gone_is_not_counted_twice(path: Path) -> None:
    budget = BudgetFile.create(path, 1.0)
    reserved = budget.reserve(0.5)
    account = json.loads(path.read_text("utf-8"))
    next(iter(account["reservations"].values()))["started"] = "before"
    path.write_text(json.dumps(account), "utf-8")
    reserved.settle(0.25)
    assert budget.spent == Spend(0.5)


def test_a_killed_writer_leaves_a_whole_file(path: Path) -> None:
    budget = BudgetFile.create(path, 1e9)
    process = start(path, "print(flush=True)\nwhile True: file.reserve(1.0).settle(1.0)")
    assert process.stdout is not None
    process.stdout.readline()
    for _ in range(20):
        assert budget.spent.is_exact
    process.kill()
    process.communicate()
    before = budget.spent.usd
    budget.reserve(1.0).settle(1.0)
    assert budget.spent.usd in (before + 1, before + 2)


@pytest.mark.parametrize("cost", [None, float("nan"), float("inf"), -1.0])
def test_an_unknown_price_costs_all_that_was_set_aside_and_is_said(
    cost: float | None, path: Path
) -> None:
    budget = BudgetFile.create(path, 1.0)
    budget.reserve(0.5).settle(cost)
    assert budget.spent == Spend(0.5, unpriced=1)
    budget.pay(cost)
    assert budget.spent == Spend(0.5, unpriced=2)


def test_an_answer_that_cost_more_is_counted_as_it_was(path: Path) -> None:
    budget = BudgetFile.create(path, 1.0)
    budget.reserve(0.5).settle(1.5)
    assert (budget.spent, budget.left_usd) == (Spend(1.5), 0.0)
    with pytest.raises(BudgetSpentError):
        budget.reserve(0.001)


WHOLE = '{"limit_usd": 1.0, "spent_usd": 0.25, "unpriced": 0, "reservations": {}}'


@pytest.mark.parametrize(
    "content",
    [
        *("", WHOLE[:-1], WHOLE[: len(WHOLE) // 2], "null", "[]", "{}", '{"spent_usd": 0}'),
        WHOLE.replace("0.25", "NaN"),
        WHOLE.replace("0.25", "-0.25"),
        WHOLE.replace("1.0", "1e999"),
        WHOLE.replace("0.25", '"0.25"'),
        WHOLE.replace("0.25", "true"),
        WHOLE.replace("{}", '{"a": {"usd": 1}}'),
        WHOLE.replace("{}", '{"a": {"usd": -1, "pid": 1, "started": ""}}'),
        WHOLE.replace("{}", '{}, "more": 1'),
        WHOLE + WHOLE,
        "\0" * 100,
    ],
)
def test_a_damaged_file_refuses_and_stays_as_it_is(content: str, path: Path) -> None:
    path.parent.mkdir()
    path.write_text(content, "utf-8")
    budget = BudgetFile(path)
    for spend in (lambda: budget.reserve(0.0), lambda: budget.pay(0.0), lambda: budget.spent):
        with pytest.raises(BudgetStoreError, match=r"budget\.json is damaged\."):
            spend()
    assert path.read_text("utf-8") == content


def test_a_whole_file_written_by_hand_is_read(path: Path) -> None:
    path.parent.mkdir()
    path.write_text(WHOLE.replace("1.0", "1"), "utf-8")
    assert BudgetFile(path).left_usd == 0.75


@given(st.integers(0, len(WHOLE) - 1))
@settings(max_examples=20)
def test_no_torn_file_is_an_empty_budget(length: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "budget.json"
        path.write_text(WHOLE[:length], "utf-8")
        with pytest.raises(BudgetStoreError):
            BudgetFile(path).reserve(0.1)


def test_a_missing_file_refuses(path: Path) -> None:
    with pytest.raises(BudgetStoreError, match="can't be read: No such file"):
        BudgetFile(path).reserve(0.0)


def test_a_budget_is_made_once(path: Path) -> None:
    BudgetFile.create(path, 1.0).pay(0.5)
    with pytest.raises(BudgetStoreError, match="is there already"):
        BudgetFile.create(path, 1.0)
    assert BudgetFile(path).spent == Spend(0.5)


@pytest.mark.parametrize("usd", [float("nan"), float("inf"), -1.0])
def test_no_amount_that_is_none(usd: float, path: Path) -> None:
    with pytest.raises(ValueError, match="usd"):
        BudgetFile.create(path, usd)
    budget = BudgetFile.create(path, 1.0)
    with pytest.raises(ValueError, match="usd"):
        budget.reserve(usd)


def test_in_a_folder_that_can_not_be_written_nothing_is_spent() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "budget.json"
        BudgetFile.create(path, 1.0)
        path.chmod(0o644)
        path.with_name("budget.json.lock").chmod(0o666)
        Path(folder).chmod(0o555)
        # Root writes everywhere, so the process becomes nobody's once all is imported.
        code = (
            "import os\n"
            "if os.geteuid() == 0:\n"
            "    file.reserve(0.0).settle(0.0)\n"
            "    os.setuid(65534)\n"
            "print(file.left_usd)\n"
            "for spend in (lambda: file.reserve(0.5), lambda: file.pay(0.5)):\n"
            "    try: spend()\n"
            "    except BudgetStoreError as error: print(error)\n"
        )
        told = start(path, code).communicate()[0].splitlines()
        Path(folder).chmod(0o755)
        assert told == ["1.0", *2 * [f"The budget {path} can't be written: Permission denied."]]
        assert BudgetFile(path).spent == Spend()


# ------------------------------------------------------------- a run that draws on it


async def test_a_run_sets_aside_before_it_asks_and_counts_what_it_cost(
    runner: Runner, path: Path
) -> None:
    file = BudgetFile.create(path, 1.0)
    set_aside: list[float] = []

    class Watched:
        """The file, and what was set aside in it."""

        left_usd = property(lambda self: file.left_usd)
        pay = staticmethod(file.pay)

        def reserve(self, most_usd: float) -> object:
            set_aside.append(most_usd)
            return file.reserve(most_usd)

    with ScriptedServer(*looks(2), answer(text("Done"))) as server:
        events = await runner.run(server, budget=Budget(store=Watched()))  # type: ignore[arg-type]
    assert isinstance(events[-1], RunFinished)
    assert events[-1].outcome is Outcome.DONE
    assert len(set_aside) == 3
    # 512 tokens of answer at most, and a prompt that the second time is known from the first.
    assert set_aside[0] > 512e-6 + TURN
    assert 512e-6 < set_aside[1] < set_aside[0]
    assert file.spent.usd == pytest.approx(3 * TURN)
    assert file.left_usd == pytest.approx(1.0 - 3 * TURN)


async def test_a_run_stops_at_the_cap_before_an_answer_that_could_cost_more(
    runner: Runner, path: Path
) -> None:
    file = BudgetFile.create(path, 500e-6)
    with ScriptedServer(*looks(3)) as server:
        events = await runner.run(server, budget=Budget(store=file))
        assert server.requests == []
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert (last.outcome, last.stop_reason, last.cost_usd) == (Outcome.PARTIAL, "max_cost", 0.0)
    assert file.spent == Spend()


async def test_a_damaged_budget_fails_the_run_in_words(runner: Runner, path: Path) -> None:
    file = BudgetFile.create(path, 1.0)
    paths.write_atomic(path, "{")
    with ScriptedServer(*looks(3)) as server:
        events = await runner.run(server, budget=Budget(store=file))
        assert server.requests == []
    last = events[-1]
    assert isinstance(last, RunFailed)
    assert "budget.json is damaged" in last.error


async def test_an_unknown_price_is_told_and_counted_as_unknown(
    runner: Runner, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ServerEngine, "price", lambda self, model, usage: None)
    file = BudgetFile.create(path, 1.0)
    with ScriptedServer(answer(text("Done"))) as server:
        events = await runner.run(server, budget=Budget(store=file))
    assert any("a cost cap can't hold" in notice.text for notice in only(events, Notice))
    assert file.spent == Spend(unpriced=1)


async def test_a_call_that_failed_gives_back_what_was_set_aside(runner: Runner, path: Path) -> None:
    file = BudgetFile.create(path, 1.0)
    overloaded = error(529, "overloaded_error", "Overloaded")
    with ScriptedServer(overloaded, answer(text("Done"))) as server:
        await runner.run(server, budget=Budget(store=file))
        assert len(server.requests) == 2
    assert file.spent.usd == pytest.approx(TURN)
    assert file.left_usd == pytest.approx(1.0 - TURN)


def test_a_part_draws_on_the_store_of_its_whole(path: Path) -> None:
    file = BudgetFile.create(path, 1.0)
    whole = Budget(store=file)
    part = Budget(0.75, whole=whole).share(0.5, "The agent")
    assert part.is_shared
    assert part.is_capped
    part.pay(0.25, part.reserve(0.3))
    whole.pay(0.125)
    assert part.left_usd == 0.125
    assert whole.left_usd == 0.625
    assert file.spent == whole.spent == Spend(0.375)
    with pytest.raises(ValueError, match="its whole"):
        Budget(whole=whole, store=file)


def test_an_image_counts_by_another_rule_than_its_letters() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "A" * 4_000}
    assert most_tokens([{"type": "image", "source": source}]) < 5_100
    assert most_tokens("é" * 100) >= 200
