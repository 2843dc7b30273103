"""Read gives the model pictures and PDFs: as what they are, in bounds, kept beside the log."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.delegation.tools.media import (
    MAX_MEDIA,
    MAX_PDF_BYTES,
    MAX_PICTURE_BYTES,
    ImageHeader,
    count_pages,
    read_picture,
)
from secretary_tui.events import MessageAdded, ToolFinished
from secretary_tui.sessions.attachments import folder_of
from secretary_tui.sessions.run_log import RunLog
from secretary_tui.sessions.store import load_run
from tests.delegation import pictures
from tests.delegation.conftest import Runner, only
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use

WEBPS = ("VP8X", "VP8L", "VP8")


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (pictures.png(640, 480), "image/png"),
        (pictures.gif(640, 480), "image/gif"),
        (pictures.jpeg(640, 480), "image/jpeg"),
        *((pictures.webp(kind, 640, 480), "image/webp") for kind in WEBPS),
    ],
)
def test_a_picture_says_what_it_is_and_how_large(data: bytes, media_type: str) -> None:
    assert read_picture(data) == ImageHeader(media_type, 640, 480)


@given(
    st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF", b"GIF89a"]), st.binary()
)
def test_no_bytes_upset_the_reader(head: bytes, rest: bytes) -> None:
    read_picture(head + rest)
    assert count_pages(head + rest) >= 1


def test_pages_are_counted_by_the_tree_or_one_by_one() -> None:
    assert count_pages(pictures.pdf(7)) == 7
    assert count_pages(b"%PDF-1.4 << /Type/Page >> <</Type /Page/X>> << /Type /Pages >>") == 2


async def read(runner: Runner, **files: bytes) -> tuple[list[ToolFinished], list[object]]:
    """Read files named `kind_n`, and give the ends and what the model was sent."""
    calls = []
    for name, data in files.items():
        path = name.replace("_", ".")
        (runner.workspace / path).write_bytes(data)
        calls.append(tool_use("Read", {"file_path": path}))
    with ScriptedServer(answer(*calls), answer(text("ok"))) as server:
        events = await runner.run(server, agent={"tools": ("Read",)})
        sent = [block["content"] for block in server.requests[1].body["messages"][-1]["content"]]
    return only(events, ToolFinished), sent


async def test_pictures_and_pdfs_reach_the_model_as_blocks(runner: Runner) -> None:
    ends, sent = await read(runner, a_png=pictures.png(), b_pdf=pictures.pdf())
    assert [end.is_error for end in ends] == [False, False]
    assert ends[0].output.startswith("[image/png, ")
    kinds = [blocks[0]["type"] for blocks in sent if isinstance(blocks, list)]
    assert kinds == ["image", "document"]


async def test_a_picture_under_a_wrong_name_is_sent_as_what_it_is(runner: Runner) -> None:
    _, sent = await read(runner, a_png=pictures.jpeg())
    assert isinstance(sent[0], list)
    assert sent[0][0]["source"]["media_type"] == "image/jpeg"


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a_png", b"\x89PNG123", "is not a PNG"),
        ("a_png", b"<script>", "is not a PNG"),
        ("a_png", pictures.png(8_001, 1), "8001 x 1 pixels"),
        ("a_png", pictures.png(0, 5), "0 x 5 pixels"),
        ("a_png", pictures.png(2, 2, MAX_PICTURE_BYTES), "exceeds"),
        ("a_pdf", b"hello", "is not a PDF"),
        ("a_pdf", pictures.pdf(101), "101 pages"),
        ("a_pdf", pictures.pdf() + b" " * MAX_PDF_BYTES, "exceeds"),
    ],
)
async def test_what_is_broken_or_too_large_is_a_sentence(
    runner: Runner, name: str, data: bytes, sentence: str
) -> None:
    (end,), _ = await read(runner, **{name: data})
    assert end.is_error
    assert sentence in end.output


async def test_a_run_reads_only_so_many_pictures(runner: Runner) -> None:
    files = {f"p{n}_png": pictures.png() for n in range(MAX_MEDIA + 1)}
    ends, _ = await read(runner, **files)
    assert [end.is_error for end in ends] == [False] * MAX_MEDIA + [True]


@pytest.mark.parametrize("name", ["link.png", "../p.png"])
async def test_a_picture_outside_of_the_project_is_not_read(
    runner: Runner, tmp_path: Path, name: str
) -> None:
    (tmp_path / "p.png").write_bytes(pictures.png())
    (runner.workspace / "link.png").symlink_to(tmp_path / "p.png")
    with ScriptedServer(
        answer(tool_use("Read", {"file_path": name})), answer(text("ok"))
    ) as server:
        events = await runner.run(server, agent={"tools": ("Read",)})
    assert only(events, ToolFinished)[0].is_error


async def test_a_model_that_reads_text_only_is_told_so(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.delegation.conftest import ServerEngine

    monkeypatch.setattr(ServerEngine, "takes_media", False)
    ends, _ = await read(runner, a_png=pictures.png())
    assert "reads text only" in ends[0].output


def logged(project: Path, data: bytes) -> tuple[RunLog, MessageAdded]:
    encoded = base64.b64encode(data).decode()
    source = {"type": "base64", "media_type": "image/png", "data": encoded}
    result = {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": [{"type": "image", "source": source}],
    }
    return RunLog.create(project, "r1"), MessageAdded("user", [result])


def test_the_log_holds_a_reference_and_reading_it_gives_the_picture(
    home: Path, workspace: Path
) -> None:
    log, event = logged(workspace, pictures.png(9, 9, 100_000))
    with log:
        log.append(event)
        log.append(event)
    assert log.path.stat().st_size < 2_000
    (stored,) = folder_of(log.path).iterdir()
    assert stored.stat().st_mode & 0o777 == 0o600
    assert [e for e in load_run("r1").events if isinstance(e, MessageAdded)] == [event, event]


def test_a_small_picture_stays_in_its_line(home: Path, workspace: Path) -> None:
    log, event = logged(workspace, pictures.png())
    with log:
        log.append(event)
    assert not folder_of(log.path).exists()
    assert load_run("r1").events == (event,)


@pytest.mark.parametrize("damage", ["gone", "changed", "path"])
def test_a_stored_picture_that_is_gone_or_changed_leaves_a_sentence(
    home: Path, workspace: Path, damage: str
) -> None:
    log, event = logged(workspace, pictures.png(9, 9, 100_000))
    with log:
        log.append(event)
    (stored,) = folder_of(log.path).iterdir()
    if damage == "gone":
        stored.unlink()
    elif damage == "changed":
        stored.write_text("AAAA")
    else:
        line = log.path.read_text().replace(stored.name, "../../../../../etc/passwd")
        log.path.write_text(line)
    (read_back,) = load_run("r1").events
    assert isinstance(read_back, MessageAdded)
    (block,) = read_back.content[0]["content"]
    assert block["type"] == "text"
    assert "no longer stored" in block["text"]
    assert "root:" not in json.dumps(read_back.content)
