"""The index follows the files while it is watched."""

import asyncio
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import watchfiles

from secretary_tui.registry import watch
from secretary_tui.registry.agent_index import AgentIndex, IndexChange, LiveIndex
from secretary_tui.registry.sources import collect
from secretary_tui.registry.sources.library_options import LibraryOptions
from tests.registry.definitions import write_agent

PATIENCE_S = 10


class Watched:
    """A live index with its watcher running."""

    def __init__(self, live: LiveIndex, changed: asyncio.Condition) -> None:
        self.live = live
        self.changes: list[IndexChange] = []
        self._changed = changed

    async def until(self, holds: Callable[[AgentIndex], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S), self._changed:
            await self._changed.wait_for(lambda: holds(self.live.snapshot))

    async def has(self, *ids: str) -> None:
        await self.until(lambda index: {e.id for e in index.entries} == {*ids, "probe"})


@asynccontextmanager
async def watching(project: Path, *agents_dirs: Path, mode: str = "auto") -> AsyncIterator[Watched]:
    """Watch until the block ends; the watcher has to end by itself then."""
    probes = project.parent / "probes"
    probes.mkdir()
    folders = (*agents_dirs, probes)
    options = LibraryOptions(agents_dirs=folders, bundled=False, watch=mode)
    live = LiveIndex(project, options=options)
    live.refresh()
    write_agent(probes, "probe")  # Seen by the first look, which comes after the watch stands.
    stop, changed, stands = asyncio.Event(), asyncio.Condition(), asyncio.Event()
    watched = Watched(live, changed)

    async def follow() -> None:
        async for change in watch.watch_index(live, stop):
            watched.changes.append(change)
            stands.set()
            async with changed:
                changed.notify_all()

    task = asyncio.create_task(follow())
    async with asyncio.timeout(PATIENCE_S):
        await stands.wait()
    try:
        yield watched
    finally:
        stop.set()
        async with asyncio.timeout(PATIENCE_S):
            await task


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


async def test_a_checkout_of_500_files_is_one_change(project: Path, agents: Path) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *who, *words], cwd=project, check=True, capture_output=True)

    shutil.rmtree(project / ".git")
    git("init", "-q", "-b", "old")
    for number in range(500):
        write_agent(agents / f"team-{number % 10}", f"agent-{number}", body="Old.")
    git("add", "-A")
    git("commit", "-q", "-m", "old")
    git("checkout", "-q", "-b", "new")
    for number in range(500):
        write_agent(agents / f"team-{number % 10}", f"agent-{number}", body="New text.")
    git("commit", "-q", "-a", "-m", "new")
    async with watching(project) as watched:
        await watched.until(lambda index: len(index.active) == 501)
        before = len(watched.changes)
        await asyncio.to_thread(git, "checkout", "-q", "old")
        await watched.until(lambda index: index.find("agent-499").spec.prompt == "Old.")
        write_agent(agents, "last")
        await watched.until(lambda index: index.get("last") is not None)
    sizes = [len(change.updated) for change in watched.changes[before:]]
    assert sizes[0] == 500 and sum(sizes) == 500


async def test_an_editor_that_saves_by_rename_changes_one_row(agents: Path) -> None:
    path = write_agent(agents, "one")
    write_agent(agents, "two")
    async with watching(agents.parents[1]) as watched:
        await watched.has("one", "two")
        for text in ("Better.", "Best."):
            backup, new = path.with_name("one.md~"), path.with_name(".one.md.swp")
            new.write_text(path.read_text().replace("Do it.", text).replace("Better.", text))
            path.rename(backup)
            new.rename(path)
            await watched.until(lambda index, text=text: index.find("one").spec.prompt == text)
            backup.unlink()
    assert {path for change in watched.changes for path in change.updated} == {path}


async def test_a_linked_folder_is_followed_and_so_is_what_comes_into_it(
    project: Path, agents: Path
) -> None:
    target = project / "shared"
    path = write_agent(target, "one")
    link = agents / "mine"
    link.parent.mkdir(parents=True)
    link.symlink_to(target)
    async with watching(project) as watched:
        await watched.has("one")
        path.write_text(path.read_text().replace("Do it.", "Done."))
        await watched.until(lambda index: index.find("one").spec.prompt == "Done.")
        assert watched.live.snapshot.find("one").spec.path == agents / "mine" / "one.md"
        write_agent(target / "team", "two")
        await watched.has("one", "two")
        write_agent(target / "team", "three")
        await watched.has("one", "two", "three")


async def test_one_saved_file_is_read_alone(agents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_agent(agents, "one")
    async with watching(agents.parents[1]) as watched:
        await watched.has("one")

        def no_whole_look(*_: object, **__: object) -> None:
            raise AssertionError("every source was looked at again")

        monkeypatch.setattr(collect.SourceMemory, "find", no_whole_look)
        write_agent(agents, "two")
        await watched.has("one", "two")
        path.unlink()
        await watched.has("two")


async def test_a_file_broken_in_mid_edit_is_stale_until_it_is_mended(agents: Path) -> None:
    path = write_agent(agents, "one")
    good = path.read_text()
    async with watching(agents.parents[1]) as watched:
        await watched.has("one")
        path.write_text("---\nname: one\n")
        await watched.until(lambda index: index.find("one").stale is not None)
        assert watched.live.snapshot.problems[0].path == path
        path.write_text(good)
        await watched.until(lambda index: index.find("one").stale is None)
        assert watched.live.snapshot.problems == ()


async def test_an_installed_plugin_and_its_switch_are_noticed(project: Path, home: Path) -> None:
    async with watching(project) as watched:
        folder = home / ".claude" / "plugins" / "cache" / "m" / "kit"
        write_agent(folder / "1.0.0" / "agents", "one")
        await watched.has("kit:one")
        write_agent(folder / "1.1.0" / "agents", "two")
        await watched.has("kit:two")
        settings = home / ".claude" / "settings.json"
        settings.write_text('{"enabledPlugins": {"kit@m": false}}')
        await watched.until(lambda index: index.find("kit:two").disabled_by != "")
        settings.unlink()
        await watched.until(lambda index: index.find("kit:two").disabled_by == "")


async def test_a_skill_that_comes_is_noticed(project: Path, agents: Path) -> None:
    write_agent(agents, "one", skills="late")
    async with watching(project) as watched:
        await watched.until(lambda index: bool(index.find("one").spec.findings))
        skill = project / ".claude" / "skills" / "late" / "SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text("Do it.")
        await watched.until(lambda index: not index.find("one").spec.findings)


async def test_settings_choose_polling(agents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_notifications(*_: object, **__: object) -> None:
        raise AssertionError("the system was asked for notifications")

    monkeypatch.setattr(watch, "awatch", no_notifications)
    async with watching(agents.parents[1], mode="poll") as watched:
        write_agent(agents, "one")
        await watched.has("one")


async def test_settings_switch_watching_off(project: Path) -> None:
    options = LibraryOptions(bundled=False, watch="off")
    stop = asyncio.Event()
    live = LiveIndex(project, options=options)
    write_agent(project / ".claude" / "agents", "one")
    asyncio.get_running_loop().call_soon(stop.set)
    async with asyncio.timeout(PATIENCE_S):
        assert [change async for change in watch.watch_index(live, stop)] == []
