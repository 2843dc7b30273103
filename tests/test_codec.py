"""The codec of stored values: what goes in comes out, what is damaged is refused by name, and the
files of earlier versions are read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.codec import UnknownTypeError, Variants, from_json, stored, to_json
from secretary_tui.people import Intent, Recommendation, RouteAction, RouteChoice
from secretary_tui.sessions.decisions import DecisionLog
from secretary_tui.sessions.run_log import project_runs_dir
from secretary_tui.sessions.store import RunOutcome, load_run


class Color(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: float = 0.0


@dataclass(frozen=True, slots=True)
class Shape:
    name: str
    color: Color = Color.RED
    points: tuple[Point, ...] = ()
    corner: tuple[int, int] = (0, 0)
    center: Point | None = None
    notes: Mapping[str, object] = field(default_factory=dict)
    raw: Any = None
    locked: bool = field(default=False, metadata=stored(key="is_locked", absent=True))


numbers = st.integers(-(2**40), 2**40)
points = st.builds(Point, numbers, st.floats(allow_nan=False))
plain = st.none() | st.booleans() | numbers | st.text()
shapes = st.builds(
    Shape,
    name=st.text(),
    color=st.sampled_from(Color),
    points=st.lists(points).map(tuple),
    corner=st.tuples(numbers, numbers),
    center=st.none() | points,
    notes=st.dictionaries(st.text(), plain),
    raw=st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)),
    locked=st.booleans(),
)


@given(shapes)
def test_a_value_survives_json(shape: Shape) -> None:
    line = json.dumps(to_json(shape))
    assert from_json(Shape, json.loads(line)) == shape
    assert from_json(Shape, json.loads(line), exact=True) == shape


def test_the_json_form_has_the_stored_names_and_json_types_alone() -> None:
    shape = Shape("a", Color.BLUE, (Point(1, 2.5),), locked=True)
    assert to_json(shape) == {
        "name": "a",
        "color": "blue",
        "points": [{"x": 1, "y": 2.5}],
        "corner": [0, 0],
        "center": None,
        "notes": {},
        "raw": None,
        "is_locked": True,
    }
    assert type(to_json(shape)["color"]) is str


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"name": 3},
        {"name": "a", "color": "green"},
        {"name": "a", "color": ["red"]},
        {"name": "a", "points": "x"},
        {"name": "a", "points": [{"y": 1.0}]},
        {"name": "a", "points": [{"x": True}]},
        {"name": "a", "points": [{"x": 1.5}]},
        {"name": "a", "corner": [1, 2, 3]},
        {"name": "a", "center": []},
        {"name": "a", "notes": []},
        {"name": "a", "is_locked": 1},
    ],
)
def test_what_does_not_fit_is_refused(data: object) -> None:
    with pytest.raises(ValueError, match=r"expected|incomplete|an object|valid Color"):
        from_json(Shape, data)


def test_what_is_missing_reads_as_the_default_or_as_what_absence_means() -> None:
    found = from_json(Shape, {"name": "a", "of_a_newer_version": 1})
    assert found == Shape("a", locked=True)
    assert from_json(Shape, {"name": "a", "locked": False}).locked, "that is not its stored name"


def test_an_exact_value_has_all_fields_and_no_others() -> None:
    whole = to_json(Shape("a", locked=False))
    assert from_json(Shape, {k: v for k, v in whole.items() if k != "is_locked"}, exact=True).locked
    for odd in ({**whole, "more": 1}, {k: v for k, v in whole.items() if k != "raw"}):
        with pytest.raises(ValueError, match=r"more|raw"):
            from_json(Shape, odd, exact=True)


@dataclass(frozen=True, slots=True)
class Sound:
    type: ClassVar[str]


@dataclass(frozen=True, slots=True)
class Beep(Sound):
    type: ClassVar[str] = "beep"
    times: int = 1


def test_a_variant_is_told_by_its_type() -> None:
    sounds: Variants[Sound] = Variants((Beep,))
    assert sounds.to_json(Beep(2)) == {"type": "beep", "times": 2}
    assert sounds.from_json({"type": "beep", "times": 2}) == Beep(2)
    for data in (None, {}, {"type": "moo"}, {"type": ["beep"]}):
        with pytest.raises(UnknownTypeError):
            sounds.from_json(data)


OLD_RUN = r"""
{"type": "run_started", "run_id": "20260901-101500-ab12", "agent": "code-critic", "agent_path": "/a/code-critic.md", "agent_hash": "ff", "request": "review auth", "task": "Task: review auth", "system": "You are.", "engine": "anthropic", "model": "m", "tools": ["Read", "Edit"], "permission_mode": "ask", "project": "/p", "started_at": "2026-09-01T10:15:00+00:00", "confidence": 88, "resumed": false, "at": "2026-09-01T10:15:00.001+00:00"}
{"type": "message_added", "role": "user", "content": "Task: review auth", "at": "x"}
{"type": "todos_changed", "todos": [{"content": "Read it", "status": "pending", "active_form": "Reading"}], "at": "x"}
{"type": "usage_added", "usage": {"input_tokens": 10, "output_tokens": 2, "cache_read_tokens": 0, "cache_write_tokens": 0, "web_searches": 0}, "cost_usd": 1, "at": "x"}
{"type": "usage_added", "usage": {"input_tokens": 1}, "cost_usd": null, "at": "x"}
{"type": "run_finished", "outcome": "partial", "stop_reason": "max_turns", "text": "So far.", "usage": {"input_tokens": 11, "output_tokens": 2, "cache_read_tokens": 0, "cache_write_tokens": 0}, "cost_usd": null, "turns": 1, "elapsed_s": 2, "at": "x"}
"""  # noqa: E501


def test_a_run_that_an_earlier_version_logged_is_read(tmp_path: Path) -> None:
    log = project_runs_dir(tmp_path) / "20260901-101500-ab12.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text(OLD_RUN.lstrip())
    record = load_run("20260901")
    assert (record.problem, record.outcome, len(record.events)) == ("", RunOutcome.PARTIAL, 6)
    assert (record.started.agent, record.started.tools) == ("code-critic", ("Read", "Edit"))
    assert (record.usage.total, record.cost_usd) == (13, None)


OLD_DECISIONS = """
{"decision": {"id": "ab", "conversation": "c", "at": 1767258000.5, "request": "review auth", "kind": "compare", "kind_confidence": 1, "reasoning": "", "engine": "local", "latency_ms": 3.5, "tokens": 0, "cost_usd": 0.0, "shown": [{"agent": "a", "path": "/a.md", "confidence": 91}], "recommended": "a", "action": null, "agent": null, "run_id": ""}}
{"chosen": {"id": "ab", "action": "alternative", "agent": "b", "run_id": "r"}}
{"chosen": {"id": "ab", "action": "conquer", "agent": "b", "run_id": "r"}}
"""  # noqa: E501


def test_decisions_that_an_earlier_version_wrote_are_read(tmp_path: Path) -> None:
    log = DecisionLog.of(tmp_path)
    log.path.parent.mkdir(parents=True)
    log.path.write_text(OLD_DECISIONS.lstrip())
    (decision,) = log.load()
    assert (decision.intent, decision.intent_confidence) == ("compare", 1)
    assert (decision.action, decision.agent) == (RouteAction.ALTERNATIVE, "b")


def test_a_panel_that_an_earlier_version_left_open_is_read() -> None:
    found = from_json(
        Recommendation,
        {"request": "r", "intent": "the task", "matches": [], "recommended": None,
         "kind": "search", "kind_confidence": 0.8},
    )  # fmt: skip
    assert to_json(found)["kind"] == Intent.SEARCH
    assert to_json(found)["intent"] == "the task"
    choice = {"action": "accept", "agent": "a", "task": "t", "engine": "", "own_tree": None}
    assert from_json(RouteChoice, choice) == RouteChoice(RouteAction.ACCEPT, "a", "t")
