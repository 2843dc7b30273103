"""Nothing that only looks is led out of the project by a link that comes meanwhile (row 37)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from anthropic.lib.tools import ToolError

from secretary_tui.delegation.sandbox.landlock import MIN_ABI, landlock_abi
from secretary_tui.delegation.tools.file_reading import FileReader
from secretary_tui.delegation.tools.file_search import FileSearch
from secretary_tui.delegation.tools.ripgrep import MAX_OUTPUT_BYTES, seeing_only
from secretary_tui.delegation.workspace.workspace import Workspace, WorkspaceError

SWAP = """
import os, sys
os.chdir(sys.argv[1])
print("ready", flush=True)
while True:
    os.rename("d", "t")
    os.rename("l", "d")
    os.rename("d", "l")
    os.rename("t", "d")
"""


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "f").write_text("SECRET")
    return folder


@pytest.fixture
def swapped(workspace: Path, outside: Path) -> Iterator[Path]:
    """A project in which another program puts a link to outside in the place of a folder."""
    (workspace / "d").mkdir()
    (workspace / "d" / "f").write_text("inside")
    (workspace / "l").symlink_to(outside)
    argv = [sys.executable, "-S", "-c", SWAP, str(workspace)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield workspace
        process.kill()


async def test_row_37_a_folder_swapped_for_a_link_is_not_read_through(swapped: Path) -> None:
    space = Workspace.at(swapped)
    reader, found = FileReader(space), []
    for _ in range(6_000):
        try:
            found.append(await reader.read(space.resolve("d/f"), None, None))
        except (WorkspaceError, ToolError):
            continue
    assert set(found) == {"inside"}


@pytest.mark.skipif(landlock_abi() < MIN_ABI, reason="no Landlock here")
def test_row_37_what_searches_sees_the_project_alone(workspace: Path, outside: Path) -> None:
    (workspace / "f").write_text("inside")
    (workspace / "l").symlink_to(outside)
    said = ""
    for path in (workspace / "f", outside / "f", workspace / "l" / "f", Path("/etc/passwd")):
        with seeing_only(workspace, ["/bin/cat", str(path)], [Path("/bin/cat")]) as argv:
            done = subprocess.run(argv, capture_output=True, text=True, check=False)
        said += done.stdout
    with seeing_only(workspace, ["/bin/sh", "-c", "echo x > f"], []) as argv:
        subprocess.run(argv, capture_output=True, check=False)
    assert said == "inside"
    assert (workspace / "f").read_text() == "inside"


@pytest.mark.parametrize("without", [False, True])
async def test_a_search_finds_and_ends_when_it_says_too_much(
    without: bool, workspace: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if without:
        monkeypatch.setenv("PATH", str(outside))
    (workspace / "one.txt").write_text("a\nneedle\n")
    (workspace / "many.txt").write_text("hay\n" * 100_000)
    search = FileSearch(Workspace.at(workspace))
    assert await search.grep("needle", None, lambda _: False) == "one.txt:2:needle"
    much = await search.grep("hay", None, lambda _: False)
    assert f"[output truncated at {MAX_OUTPUT_BYTES} bytes]" in much
    assert len(much) <= MAX_OUTPUT_BYTES + 100
    if not without:  # The other way starts a Python for each.
        assert await search.grep("nothing", None, lambda _: False) == "no matches"
        with pytest.raises(ToolError, match="regex"):
            await search.grep("(", None, lambda _: False)


@pytest.mark.parametrize(
    ("offset", "limit", "expected"),
    [(None, None, "a\nb\nc\n"), (2, None, "b\nc\n"), (2, 1, "b"), (None, 2, "a\nb"), (9, 1, "")],
)
async def test_lines_are_counted_from_one(
    offset: int | None, limit: int | None, expected: str, workspace: Path
) -> None:
    (workspace / "f").write_text("a\nb\nc\n")
    reader = FileReader(Workspace.at(workspace))
    assert await reader.read(workspace / "f", offset, limit) == expected


async def test_of_a_large_file_lines_are_named(workspace: Path) -> None:
    path = workspace / "large.txt"
    path.write_text("".join(f"{number}\n" for number in range(1, 100_001)))
    (workspace / "long.txt").write_text("x" * 600_000)
    reader = FileReader(Workspace.at(workspace))
    assert await reader.read(path, 99_999, 5) == "99999\n100000\n"
    with pytest.raises(ToolError, match="offset and limit"):
        await reader.read(path, None, None)
    with pytest.raises(ToolError, match="take fewer"):
        await reader.read(workspace / "long.txt", 1, 1)
