"""The index follows the files while it is watched."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import watchfiles

from secretary_tui.registry import watch
from secretary_tui.registry.index import AgentIndex, LiveIndex
from tests.registry.definitions import write_agent

PATIENCE_S = 10


class Watched:
    """A live index with its watcher running."""

    def __init__(self, live: LiveIndex, changed: asyncio.Condition) -> None:
        self.live = live
        self._changed = changed

    async def until(self, holds: Callable[[AgentIndex], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S), self._changed:
            await self._changed.wait_for(lambda: holds(self.live.snapshot))

    async def has(self, *ids: str) -> None:
        await self.until(lambda index: {e.id for e in index.entries} == {*ids, "probe"})


@asynccontextmanager
async def watching(project: Path, *agents_dirs: Path) -> AsyncIterator[Watched]:
    """Watch until the block ends; the watcher has to end by itself then."""
    probes = project.parent / "probes"
    probes.mkdir()
    live = LiveIndex(project, [*agents_dirs, probes], bundled=False)
    live.refresh()
    write_agent(probes, "probe")  # Seen by the first look, which comes after the watch stands.
    stop, changed, stands = asyncio.Event(), asyncio.Condition(), asyncio.Event()

    async def follow() -> None:
        async for _ in watch.watch_index(live, stop):
            stands.set()
            async with changed:
                changed.notify_all()

    task = asyncio.create_task(follow())
    async with asyncio.timeout(PATIENCE_S):
        await stands.wait()
    try:
        yield Watched(live, changed)
    finally:
        stop.set()
        async with asyncio.timeout(PATIENCE_S):
            await task


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def agents(project: Path) -> Path:
    return project / ".claude" / "agents"


async def test_saved_renamed_new_and_deleted_files_are_followed(agents: Path) -> None:
    path = write_agent(agents, "one")
    async with watching(agents.parents[1]) as watched:
        await watched.has("one")
        write_agent(agents, "two")
        await watched.has("one", "two")
        path.write_text(path.read_text().replace("Do it.", "Do it well."))
        await watched.until(lambda index: index.find("one").spec.prompt == "Do it well.")
        path.rename(agents / "renamed.md")
        await watched.until(lambda index: index.find("one").spec.path == agents / "renamed.md")
        (agents / "two.md").unlink()
        await watched.has("one")


async def test_a_folder_that_did_not_exist_at_start_is_noticed(project: Path) -> None:
    async with watching(project) as watched:
        write_agent(project / ".claude" / "agents" / "team", "late")
        await watched.has("late")
        shutil.rmtree(project / ".claude")
        await watched.has()
        write_agent(project / ".claude" / "agents", "again")
        await watched.has("again")


async def test_the_users_folder_is_noticed_when_it_comes(project: Path, home: Path) -> None:
    async with watching(project) as watched:
        write_agent(home / ".claude" / "agents", "mine")
        await watched.has("mine")


async def test_a_folder_that_is_replaced_stays_watched(agents: Path) -> None:
    write_agent(agents, "one")
    async with watching(agents.parents[1]) as watched:
        await watched.has("one")
        shutil.rmtree(agents)
        write_agent(agents, "two")
        await watched.has("two")
        write_agent(agents, "three")
        await watched.has("two", "three")


async def test_a_marketplace_that_is_edited_changes_the_plugins(project: Path) -> None:
    write_agent(project / "a" / "agents", "one")
    write_agent(project / "b" / "agents", "two")
    market = project / ".claude-plugin" / "marketplace.json"
    market.parent.mkdir()
    market.write_text('{"plugins": [{"name": "a", "source": "./a"}]}')
    async with watching(project) as watched:
        await watched.has("a:one")
        market.write_text('{"plugins": [{"name": "b", "source": "./b"}]}')
        await watched.has("b:two")
        write_agent(project / "b" / "agents" / "sub", "three")
        await watched.has("b:two", "b:sub:three")


async def test_an_edit_behind_a_link_is_noticed(project: Path, tmp_path: Path) -> None:
    target = write_agent(tmp_path / "dotfiles", "linked")
    link = project / ".claude" / "agents" / "linked.md"
    link.parent.mkdir(parents=True)
    link.symlink_to(target)
    async with watching(project) as watched:
        await watched.has("linked")
        target.write_text(target.read_text().replace("Do it.", "Done."))
        await watched.until(lambda index: index.find("linked").spec.prompt == "Done.")


async def test_files_are_polled_when_the_system_can_not_notify(
    agents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_inotify(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(watch, "awatch", no_inotify)
    async with watching(agents.parents[1]) as watched:
        write_agent(agents, "one")
        await watched.has("one")
        (agents / "one.md").unlink()
        await watched.has()


async def test_only_folders_that_hold_agents_are_watched(
    project: Path, agents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_agent(agents, "one")
    (project / "src" / "deep").mkdir(parents=True)
    seen: list[tuple[set[Path], object]] = []
    real = watchfiles.awatch

    def recording(*paths: Path, **options: object) -> object:
        seen.append((set(paths), options["recursive"]))
        return real(*paths, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(watch, "awatch", recording)
    async with watching(project) as watched:
        await watched.has("one")
        write_agent(agents, "two")
        await watched.has("one", "two")
    folders, recursive = seen[-1]
    assert recursive is False
    assert agents in folders
    assert not any(folder.is_relative_to(project / "src") for folder in folders)


async def test_a_cancelled_watch_ends_and_leaves_the_callers_event_alone(project: Path) -> None:
    stop = asyncio.Event()
    began = asyncio.Event()
    live = LiveIndex(project, bundled=False)
    write_agent(project / ".claude" / "agents", "one")

    async def follow() -> None:
        async for _ in watch.watch_index(live, stop):
            began.set()

    task = asyncio.create_task(follow())
    async with asyncio.timeout(PATIENCE_S):
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert not stop.is_set()
