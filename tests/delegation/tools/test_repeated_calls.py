"""A call that fails again and again: the model is told, then the run ends in words."""

from __future__ import annotations

from pathlib import Path

from secretary_tui.events import Notice, Outcome, RunFinished, ToolFinished
from tests.delegation.conftest import Runner, only
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use


def read(name: str) -> object:
    return answer(tool_use("Read", {"file_path": name}))


async def test_the_third_same_failure_is_told_and_the_fifth_ends_the_run(runner: Runner) -> None:
    with ScriptedServer(*[read("gone.txt") for _ in range(9)]) as server:
        events = await runner.run(server)
    said = [event.output for event in only(events, ToolFinished)]
    assert len(said) == 5
    assert ["This very call failed" in output for output in said] == [False] * 2 + [True] * 3
    assert "failed 3 times" in said[2]
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert (last.outcome, last.stop_reason) == (Outcome.PARTIAL, "same_call")
    assert any("same failing call five times" in notice.text for notice in only(events, Notice))


async def test_a_call_that_works_in_between_is_progress(runner: Runner, workspace: Path) -> None:
    (workspace / "there.txt").write_text("here I am")
    steps = [read(name) for _ in range(6) for name in ("gone.txt", "there.txt")]
    with ScriptedServer(*steps, answer(text("Done."))) as server:
        events = await runner.run(server)
    assert isinstance(events[-1], RunFinished)
    assert events[-1].outcome is Outcome.DONE
    assert not any("This very call" in event.output for event in only(events, ToolFinished))


async def test_other_failing_calls_are_counted_apart(runner: Runner) -> None:
    steps = [read(f"gone-{number}.txt") for number in range(6)]
    with ScriptedServer(*steps, answer(text("Done."))) as server:
        events = await runner.run(server)
    assert events[-1].type == "run_finished"
    assert not any("This very call" in event.output for event in only(events, ToolFinished))
