"""Drafts, requests and what the screen remembers: private, and never in the way of a start."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from secretary_tui import paths
from secretary_tui.events import TextDelta
from secretary_tui.sessions import drafts, ui_state
from secretary_tui.sessions.run_log import RunLog
from secretary_tui.sessions.store import find_run


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others() -> list[str]:
    places = (paths.state_dir(), *paths.state_dir().rglob("*"))
    return [str(place) for place in places if place.stat().st_mode & 0o077]


def leave_a_draft(project: Path) -> None:
    drafts.save_draft(project, "half a request")


def send_a_request(project: Path) -> None:
    drafts.add_to_history(project, "a whole request")


def pick_a_theme(project: Path) -> None:
    ui_state.remember(theme="dark")


def log_a_run(project: Path) -> None:
    with RunLog.create(project, "20261120-093112-a1b2") as log:
        log.append(TextDelta("hello"))


WRITERS = (leave_a_draft, send_a_request, pick_a_theme, log_a_run)


@pytest.mark.parametrize("first", WRITERS)
def test_whatever_comes_first_everything_is_its_users_alone(tmp_path: Path, first) -> None:
    for write in (first, *WRITERS[:3]):
        write(tmp_path)
        assert open_to_others() == []
    assert drafts.load_history(tmp_path)[-1] == "a whole request"


def test_what_an_earlier_version_left_open_is_closed(tmp_path: Path) -> None:
    for write in WRITERS:
        write(tmp_path)
    for place in (paths.state_dir(), *paths.state_dir().rglob("*")):
        place.chmod(0o755 if place.is_dir() else 0o644)
    drafts.save_draft(tmp_path, "another")
    drafts.add_to_history(tmp_path, "another")
    ui_state.remember(theme="light")
    with RunLog.open(find_run("20261120-093112-a1b2")):
        pass
    assert open_to_others() in ([], [str(paths.runs_dir()), *map(str, paths.runs_dir().iterdir())])


@pytest.mark.parametrize("content", ["[]", "null", "7", '"x"', "{", "", "[" * 100_000, "\xff"])
def test_a_damaged_state_of_the_screen_is_the_default(content: str) -> None:
    path = paths.state_dir() / "ui.json"
    path.parent.mkdir(parents=True)
    path.write_text(content, encoding="latin-1")
    assert ui_state.load() == ui_state.UiState()
    assert ui_state.remember(theme="dark").theme == "dark"
    assert ui_state.load().theme == "dark"


def test_damaged_requests_are_left_out(tmp_path: Path) -> None:
    drafts.add_to_history(tmp_path, "one")
    (path,) = paths.state_dir().rglob("requests.jsonl")
    path.write_bytes(path.read_bytes() + b"[" * 100_000 + b'\n7\n"two"\n')
    assert drafts.load_history(tmp_path) == ["one", "two"]
