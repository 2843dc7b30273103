"""Prompts that were read are kept in files: named by all they depend on, bounded, and private."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from secretary_tui.engines.base import EngineError
from secretary_tui.engines.local import prompt_store
from secretary_tui.engines.local.prompt_store import PromptStore


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"weights")
    return path


@pytest.fixture(autouse=True)
def runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda _: "1.0")


async def keep(store: PromptStore, name: str, size: int, used: int) -> None:
    """Keep so many bytes under a name; `used` says when, in seconds."""

    async def write(part: str) -> None:
        (store.folder / part).write_bytes(b"x" * size)
        os.utime(store.folder / part, (used, used))

    await store.keep(name, write)


def test_a_name_depends_on_the_prompt_the_model_the_runtime_and_its_settings(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = PromptStore(model, "8192").name("You are.")
    assert PromptStore(model, "8192").name("You are.") == name
    others = {PromptStore(model, "8192").name("You were.")}
    others.add(PromptStore(model, "4096").name("You are."))
    monkeypatch.setattr("importlib.metadata.version", lambda _: "2.0")
    others.add(PromptStore(model, "8192").name("You are."))
    monkeypatch.setattr("importlib.metadata.version", lambda _: "1.0")
    model.write_bytes(b"other weights")
    others.add(PromptStore(model, "8192").name("You are."))
    assert name not in others
    assert len(others) == 4


async def test_what_is_kept_is_found(model: Path) -> None:
    store = PromptStore(model, "")
    name = store.name("x")
    assert not store.has(name)
    await keep(store, name, 10, 1)
    assert store.has(name)
    assert [path.name for path in store.folder.iterdir()] == [name]


async def test_the_longest_unused_make_room(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_store, "MAX_BYTES", 250)
    store = PromptStore(model, "")
    for used, name in enumerate(("a.state", "b.state"), 1):
        await keep(store, name, 100, used)
    assert store.has("a.state")  # Used just now.
    await keep(store, "c.state", 100, 3)
    assert sorted(path.name for path in store.folder.iterdir()) == ["a.state", "c.state"]


@pytest.mark.parametrize("error", [EngineError("full"), OSError("full")])
async def test_what_can_not_be_written_leaves_nothing_half(model: Path, error: Exception) -> None:
    store = PromptStore(model, "")

    async def write(part: str) -> None:
        raise error

    await store.keep("a.state", write)
    assert not store.has("a.state")


def test_nobody_else_reads_what_was_told_to_the_model(model: Path) -> None:
    assert PromptStore(model, "").folder.stat().st_mode & 0o077 == 0
