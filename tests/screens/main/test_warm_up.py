"""What the first request waits for is built once, ahead of it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from secretary_tui.config import Config
from secretary_tui.library_service import LibraryService
from secretary_tui.routing.index.routing_index import build_index
from tests.screens.desk import at_desk


def test_a_request_during_the_warm_up_waits_for_it_and_builds_nothing_twice(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[int] = []

    def counted(documents: object, kept: object) -> object:
        built.append(1)
        return build_index(documents, kept)  # type: ignore[arg-type]

    monkeypatch.setattr("secretary_tui.routing.match.matcher.build_index", counted)
    library = LibraryService(project, Config())
    library.load()
    with ThreadPoolExecutor(4) as threads:
        found = [threads.submit(library.route_local, "review the code") for _ in range(4)]
        assert len({each.result().ranking for each in found}) == 1
    assert len(built) == 1


async def test_the_index_is_there_from_the_first_key_on_and_again_after_a_change(
    project: Path,
) -> None:
    def indexed(agents: int) -> bool:
        known = desk.main.secretary.library._matcher
        return known is not None and len(known[1]) == agents and "index" in vars(known[1])

    async with at_desk(project, offline=True) as desk:
        await desk.press("r")
        await desk.until(lambda: indexed(14))
        (project / ".claude" / "agents" / "security-auditor.md").unlink()
        await desk.until(lambda: indexed(13))
