"""Kills a run anywhere and goes on with it: what must hold afterwards, whatever the point was.

The agent appends one line after the other to a file, by Edit and (where commands are confined) by
Bash. However often the run is killed, each line must stand there once at the end.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from secretary_tui.delegation.loop.messages import NOT_BEGUN, UNKNOWN
from secretary_tui.delegation.sandbox.sandbox import sandbox_status
from tests.servers.anthropic_server import (
    Request,
    ScriptedServer,
    Step,
    answer,
    text,
    thinking,
    tool_use,
)

ROOT = Path(__file__).resolve().parents[2]
LOG = "lines.txt"
AGENT = """---
name: appender
description: Appends lines to a file.
tools: Read, Edit, Write, Bash
---
You append lines.
"""
Outcome = tuple[int, str]


@dataclass(frozen=True)
class Kill:
    """A point of a run: around the n-th thing that reaches the disk, or after some seconds."""

    at: int = 0
    when: str = "after"
    seconds: float = 0.0


@dataclass(frozen=True)
class Report:
    """What became of one killed run."""

    killed: bool
    """False when the run had ended before its point came."""
    recorded: bool
    """Whether anything was logged before the kill."""
    unknown: int
    """Calls whose outcome nobody knew."""


class Model(ScriptedServer):
    """Answers like an agent with a plan, from nothing but the conversation it is sent."""

    def __init__(self, turns: Sequence[Sequence[str]]) -> None:
        super().__init__()
        # Killed clients are what this is about: no traceback for each.
        self._http.handle_error = lambda *_: None  # type: ignore[method-assign]
        self._turns = turns
        self._number = 0
        self.problems: list[str] = []
        """What was wrong with the conversations it was sent."""
        self.unknown = 0

    def take(self, request: Request) -> Step:
        super().take(request)
        messages = request.body["messages"]
        self.problems += _faults_of(messages)
        calls, results = _calls(messages), _results(messages)
        self.unknown = sum(UNKNOWN in str(said) for said in results.values())
        done = {_line_of(calls[i]) for i, said in results.items() if _is_done(calls[i], said)}
        for call_id, said in results.items():
            # Whose outcome is unknown, a careful agent looks at before it repeats it.
            line = _line_of(calls[call_id])
            if UNKNOWN in str(said) and line not in done:
                looked = _looked_after(messages, call_id, calls)
                if looked is None:
                    return answer(text("I look first."), self._call("Read", {"file_path": LOG}))
                if f"line {line}" in looked:
                    done.add(line)
        for turn in self._turns:
            left = [line for line in turn if line not in done]
            if left:
                blocks = [self._append(line) for line in left]
                return answer(thinking("What is next?"), text(f"Now {', '.join(left)}."), *blocks)
        return answer(text("All lines stand there.", chunk=3))

    def _append(self, line: str) -> Any:
        if line.startswith("b"):
            return self._call("Bash", {"command": f"echo line {line} >> {LOG}"})
        given = {"file_path": LOG, "old_string": "end", "new_string": f"line {line}\nend"}
        return self._call("Edit", given)

    def _call(self, name: str, given: Mapping[str, str]) -> Any:
        self._number += 1
        return tool_use(name, dict(given), id=f"toolu_{os.getpid()}_{id(self)}_{self._number}")


class Lab:
    """A home, a project, a warm process, and the experiment."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.project = folder / "project"
        self._out = folder / "shown.jsonl"
        confined = sandbox_status()[0] == "bubblewrap"
        self.turns = [["e1"], ["b2"] if confined else ["e2"], ["e3", "e4"], ["e5"]]
        agents = self.project / ".claude" / "agents"
        agents.mkdir(parents=True)
        (agents / "appender.md").write_text(AGENT)
        allowed = [f"Bash(echo line b2 >> {LOG})", f"Edit({LOG})"]
        settings = folder / ".claude" / "settings.json"
        settings.parent.mkdir(parents=True)
        settings.write_text(json.dumps({"permissions": {"allow": allowed}}))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.kills.fork_server"],
            cwd=ROOT,
            env={**os.environ, **self._environment(""), "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.cli("trust", str(self.project))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(20)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def cli(self, *args: str, url: str = "", kill: Kill | None = None) -> Outcome:
        """Run the command line in a process of its own; gives its status and its output."""
        assert self._process.stdin is not None
        order = {
            "args": args,
            "cwd": str(self.project),
            "env": self._environment(url),
            "out": str(self._out),
            "kill": {"at": kill.at, "when": kill.when} if kill and kill.at else None,
        }
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        child = self._answer()["pid"]
        timer = None
        if kill and kill.seconds:
            timer = threading.Timer(kill.seconds, _kill, (child,))
            timer.start()
        status = self._answer()["status"]
        if timer is not None:
            timer.cancel()
        return status, self._out.read_text("utf-8", "replace")

    def try_point(self, kill: Kill, again: Kill | None = None) -> Report:
        """Kill a run at a point (and its continuation at another), go on, and check everything."""
        lines = self.project / LOG
        lines.write_text("end\n")
        with Model(self.turns) as model:
            run = ("run", "append the lines", "--agent", "appender", "--output-format")
            mode = ("--permission-mode", "accept-edits")
            status, shown = self.cli(*run, "stream-json", *mode, url=model.url, kill=kill)
            before = set(self._runs())
            run_id = self._newest()
            if run_id is None:
                assert not shown.strip(), "something was shown that no log tells of"
                assert lines.read_text() == "end\n", "something was done that no log tells of"
                return Report(status == -signal.SIGKILL, False, 0)
            self._check_shown(run_id, shown)
            finished = self._finished(run_id)
            resume = ("sessions", "resume", run_id, "go on", "--output-format", "stream-json")
            if status == -signal.SIGKILL:
                if not self._can_go_on(run_id):
                    assert lines.read_text() == "end\n"
                    self._forget(run_id)
                    return Report(True, False, 0)
                if again is not None:
                    self.cli(*resume, *mode, url=model.url, kill=again)
                final, out = self.cli(*resume, *mode, url=model.url)
                assert final == 0, out + Path(f"{self._out}.err").read_text()
            assert set(self._runs()) == before
            assert model.problems == []
            wanted = sorted(f"line {line}" for turn in self.turns for line in turn)
            assert sorted(lines.read_text().split("\n")[:-1]) == sorted([*wanted, "end"])
            for call_id, output in finished.items():
                assert self._finished(run_id)[call_id] == output
            self._check_undo(run_id)
            self._forget(run_id)
            return Report(status == -signal.SIGKILL, True, model.unknown)

    def count_points(self) -> int:
        """Run once without a kill, and count what reached the disk."""
        at = 4
        while self.try_point(Kill(at, "before")).killed:
            at *= 2
        low = at // 2
        while at - low > 1:
            middle = (low + at) // 2
            if self.try_point(Kill(middle, "before")).killed:
                low = middle
            else:
                at = middle
        return low

    def random_point(self, random_: random.Random, points: int) -> tuple[Kill, Kill | None]:
        """Draw a point; every fifth run is killed a second time while it goes on."""
        if random_.random() < 0.3:
            kill = Kill(seconds=random_.uniform(0.02, 1.2))
        else:
            kill = Kill(random_.randint(1, points), random_.choice(("before", "half", "after")))
        second = Kill(random_.randint(1, points), random_.choice(("before", "half", "after")))
        return kill, second if random_.random() < 0.2 else None

    def _check_shown(self, run_id: str, shown: str) -> None:
        """All that was shown stands in the log, in its order."""
        status, told = self.cli("sessions", "show", run_id, "--json")
        assert status == 0, told
        logged = json.loads(told)["events"]
        seen = [json.loads(line) for line in shown.split("\n")[:-1]]
        assert _plain(logged)[: len(_plain(seen))] == _plain(seen)
        for kind in ("text_delta", "thinking_delta"):
            assert _text(logged, kind).startswith(_text(seen, kind))

    def _check_undo(self, run_id: str) -> None:
        """The whole run, killed or not, is undone at once: the file is as it was."""
        status, out = self.cli("sessions", "undo", run_id, "--yes")
        assert status == 0, out + Path(f"{self._out}.err").read_text()
        assert (self.project / LOG).read_text() == "end\n"

    def _finished(self, run_id: str) -> dict[str, str]:
        events = json.loads(self.cli("sessions", "show", run_id, "--json")[1])["events"]
        done = [e for e in events if e["type"] == "tool_finished" and not e["is_error"]]
        assert len({e["tool_use_id"] for e in done}) == len(done), "a finished tool ran again"
        return {e["tool_use_id"]: e["output"] for e in done}

    def _can_go_on(self, run_id: str) -> bool:
        events = json.loads(self.cli("sessions", "show", run_id, "--json")[1])["events"]
        return any(event["type"] == "run_started" for event in events)

    def _runs(self) -> list[str]:
        return [path.stem for path in (self.home / "state").rglob("runs/*/*.jsonl")]

    def _newest(self) -> str | None:
        status, out = self.cli("sessions", "list", "--json")
        assert status == 0
        listed = [run["id"] for run in json.loads(out)["sessions"]]
        assert sorted(listed) == sorted(self._runs())
        return listed[0] if listed else None

    def _forget(self, run_id: str) -> None:
        for path in (self.home / "state").rglob(f"runs/*/{run_id}.jsonl"):
            path.unlink()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def _environment(self, url: str) -> dict[str, str]:
        folders = {name: str(self.home / name.lower()) for name in ("STATE", "CONFIG", "CACHE")}
        return {
            "HOME": str(self.home),
            **{f"XDG_{name}_HOME": folder for name, folder in folders.items()},
            "XDG_DATA_HOME": str(self.home / "data"),
            "ANTHROPIC_API_KEY": "sk-ant-test-key",
            "ANTHROPIC_BASE_URL": url,
            "SECRETARY_TUI_BUNDLED_AGENTS": "false",
            "PYTHONPATH": str(ROOT),
        }


def _kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return


def _plain(events: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Events that are shown whole: not text, which is joined, and no times."""
    kinds = ("text_delta", "thinking_delta")
    return [{**e, "elapsed_s": 0} for e in events if e["type"] not in kinds]


def _text(events: Sequence[Mapping[str, Any]], kind: str) -> str:
    return "".join(event["text"] for event in events if event["type"] == kind)


def _blocks(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _calls(messages: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {b["id"]: b for m in messages for b in _blocks(m) if b["type"] == "tool_use"}


def _results(messages: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    return {
        b["tool_use_id"]: json.dumps(b["content"])
        for m in messages
        for b in _blocks(m)
        if b["type"] == "tool_result"
    }


def _line_of(call: Mapping[str, Any]) -> str:
    """Which line a call appends: `e1`, `b2`; empty for a look."""
    given = call["input"]
    words = str(given.get("command") or given.get("new_string") or "").split()
    return next((word for word in words if word[0] in "eb" and word[1:].isdecimal()), "")


def _is_done(call: Mapping[str, Any], said: str) -> bool:
    """Whether the conversation says that a call did what it was for."""
    good = said.startswith(('"Edited', '"[no output, exit code 0]', '[{"'))
    return bool(_line_of(call)) and good and NOT_BEGUN not in said and UNKNOWN not in said


def _looked_after(
    messages: Sequence[Mapping[str, Any]], call_id: str, calls: Mapping[str, Mapping[str, Any]]
) -> str | None:
    """What a Read showed after the result of a call; None when nobody looked."""
    seen = False
    for message in messages:
        for block in _blocks(message):
            if block["type"] != "tool_result":
                continue
            if block["tool_use_id"] == call_id:
                seen = True
            elif seen and calls[block["tool_use_id"]]["name"] == "Read":
                return json.dumps(block["content"])
    return None


def _faults_of(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the API would refuse in a conversation."""
    faults = []
    roles = [message["role"] for message in messages]
    if roles[0] != "user" or any(a == b for a, b in pairwise(roles)):
        faults.append(f"roles: {roles}")
    for number, message in enumerate(messages):
        called = {b["id"] for b in _blocks(message) if b["type"] == "tool_use"}
        after = messages[number + 1] if number + 1 < len(messages) else {"content": []}
        given = [b["tool_use_id"] for b in _blocks(after) if b["type"] == "tool_result"]
        if called and (called != set(given) or len(given) != len(set(given))):
            faults.append(f"calls {called} have the results {given}")
    return faults
