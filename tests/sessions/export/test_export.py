"""Exports: nothing secret, nothing a viewer obeys, nothing lost, nothing overwritten."""

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from secretary_tui.events import (
    Notice,
    PermissionAnswered,
    RunEvent,
    RunFailed,
    SubagentEvent,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolStarted,
    TurnDiscarded,
    TurnStarted,
    Usage,
    to_json,
)
from secretary_tui.sessions.errors import ExportExistsError, SessionError
from secretary_tui.sessions.export.export import ExportFormat, export, write_export
from secretary_tui.sessions.export.export_entries import EntryKind, entries_of
from secretary_tui.sessions.export.export_markdown import fenced, harmless
from secretary_tui.sessions.store import load_run
from tests.sessions.run_logs import answered, write

RUN = "20261120-093112-a1b2"
HOSTILE = (
    "<script>alert(1)</script> <img src=https://evil.example/x.png onerror=alert(2)> "
    "![p](https://evil.example/y.png) [go](javascript:alert(3)) \x1b]0;title\x07 \u202egnp.exe"
)


def exported(project: Path, form: str, *events: RunEvent, request: str = "add a table") -> str:
    write(project, RUN, request, [*events, *answered("All **done**.")])
    return export(load_run(RUN), ExportFormat(form))


class Tags(HTMLParser):
    """Counts the tags and keeps their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs


TOOLS: tuple[RunEvent, ...] = (
    TurnStarted(1),
    ThinkingDelta("I look first."),
    ToolStarted("t1", "Bash", "ls", {"command": "ls"}),
    ToolFinished("t1", "Bash", "a.py\n```\nb.py", False, 0.2),
    ToolStarted("t2", "Edit", "a.py", {"file_path": "a.py", "old": "x", "new": "y"}),
    PermissionAnswered("t2", "deny", "user", "not now"),
    ToolFinished("t2", "Edit", "denied: not now", True, 0.0),
    Notice("Careful."),
)


@pytest.mark.parametrize("form", list(ExportFormat))
def test_every_format_tells_all_that_happened(tmp_path: Path, form: str) -> None:
    text = exported(tmp_path, form, *TOOLS)
    for part in ("add a table", "I look first.", "a.py", "not now", "Careful.", "done", RUN):
        assert part in text, part
    assert "SYSTEMONLY" not in text


@pytest.mark.parametrize("form", list(ExportFormat))
def test_secrets_are_masked_whoever_said_them(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", "hunter2hunter2")
    key = "sk-ant-" + "abcdefghijklmnop"
    inner = to_json(TextDelta(f"inside: {key}"))
    text = exported(
        tmp_path,
        form,
        TextDelta(f"said {key[:9]}"),
        TextDelta(f"{key[9:]} in two pieces"),
        ToolStarted("t1", "Bash", f"curl {key}", {"headers": [f"x-api-key: {key}"]}),
        SubagentEvent("t1", "critic", inner),
        ToolFinished("t1", "Bash", "hunter2hunter2", False, 0.1),
        request=f"use {key}",
    )
    assert "abcdefghijklmnop" not in text
    assert "hunter2" not in text
    assert "[redacted]" in text.replace("\\", "")


def test_passwords_are_masked_and_talk_about_passwords_is_not(tmp_path: Path) -> None:
    talk = "verify(password, stored_hash(name)) takes every password: `login` returns it"
    leaks = "DB_PASSWORD=correcthorse\npassword: hunter2hunter\nx-api-key: 12345678abc"
    text = exported(tmp_path, "markdown", TextDelta(talk), ToolStarted("t", "Read", ".env"), (
        ToolFinished("t", "Read", leaks, False, 0.1)
    ))  # fmt: skip
    assert talk in text
    for leak in ("correcthorse", "hunter2", "12345678abc"):
        assert leak not in text


@pytest.mark.parametrize("form", list(ExportFormat))
def test_nothing_that_a_terminal_obeys_is_left(tmp_path: Path, form: str) -> None:
    text = exported(tmp_path, form, TextDelta(HOSTILE), request=HOSTILE)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert "\\u001b" not in text


def test_html_has_no_script_fetches_nothing_and_escapes_what_it_was_told(tmp_path: Path) -> None:
    call = ToolStarted("t1", HOSTILE, HOSTILE, {HOSTILE: HOSTILE})
    output = ToolFinished("t1", "x", HOSTILE, False, 0.1)
    failed = RunFailed(HOSTILE, HOSTILE, False, Usage(), None, 0.1)
    spoken = (TextDelta(HOSTILE), ThinkingDelta(HOSTILE), Notice(HOSTILE))
    page = exported(tmp_path, "html", *spoken, call, output, failed, request=HOSTILE)
    tags = Tags(page)
    assert not {"script", "img", "iframe", "link", "object", "embed"} & set(tags.names)
    names = {name for name, _ in tags.attributes}
    assert "src" not in names
    assert not any(name.startswith("on") for name in names)
    hrefs = [value or "" for name, value in tags.attributes if name == "href"]
    assert not any(value.startswith(("javascript:", "data:")) for value in hrefs)
    assert "default-src &#x27;none&#x27;" in page or "default-src 'none'" in page
    assert "url(" not in page


def test_html_shows_markdown_as_such(tmp_path: Path) -> None:
    answer = TextDelta("| a | b |\n|---|---|\n| 1 | `x<y>` |\n")
    page = exported(tmp_path, "html", answer)
    assert "<table>" in page
    assert "<code>x&lt;y&gt;</code>" in page


def test_markdown_of_a_model_shows_no_tag_and_no_picture_anywhere(tmp_path: Path) -> None:
    text = exported(tmp_path, "markdown", TextDelta(HOSTILE), request=HOSTILE)
    tokens = MarkdownIt("commonmark").parse(text)
    kinds = {child.type for token in tokens for child in (token, *(token.children or ()))}
    assert not kinds & {"html_block", "html_inline", "image"}


@pytest.mark.parametrize(
    "answer",
    [
        "\\`<img src=x onerror=alert(1)>\\`",
        "```a`b\n<img src=x onerror=alert(1)>\n```",
        "- a\n\n  ```\n  code\n<img src=x onerror=alert(1)>",
        "| a |\n|---|\n| `b | <img src=x onerror=alert(1)> ` |",
        "\\<img src=x onerror=alert(1)>",
        "[x](vscode://evil/run)",
        "[x](&#106;avascript:alert(1))",
        "[x](//evil.example/share)",
        "[r]: javascript:alert(1)",
        "<search-ms:evil>",
    ],
)
@pytest.mark.parametrize("form", ["markdown", "html"])
def test_nothing_that_a_reader_finds_armed_is_left(tmp_path: Path, form: str, answer: str) -> None:
    text = exported(tmp_path, form, TextDelta(f"{answer}\n\n[a][r]"))
    if form == "markdown":
        reader = MarkdownIt("commonmark").enable("table")
        reader.validateLink = lambda url: True  # type: ignore[method-assign]
        text = str(reader.render(text))
    assert "<img" not in text
    assert "href" not in text


def test_a_backslash_before_a_picture_does_not_bring_it_back() -> None:
    kinds = {
        child.type
        for token in MarkdownIt("commonmark").parse(harmless("\\![x](https://evil.example/p.png)"))
        for child in token.children or ()
    }
    assert "image" not in kinds


def test_links_to_the_web_and_to_files_stay(tmp_path: Path) -> None:
    links = "[a](https://example.org) [b](src/login.py) [c](login.py:12) [d](mailto:a@b.example)"
    assert harmless(links) == links
    assert exported(tmp_path, "html", TextDelta(links)).count("<a href=") == 4


def test_code_stays_as_it_was_written(tmp_path: Path) -> None:
    code = "Use `<div>` and `![x]`:\n\n```html\n<b>![p](q)</b>\n```"
    assert harmless(code) == code
    assert harmless("see <https://example.org> now") == "see <https://example.org> now"


@given(st.text(alphabet="`~ab\n <!["))
def test_no_answer_swallows_what_follows_it(answer: str) -> None:
    document = f"{harmless(answer)}\n\n## After\n"
    headings = [t for t in MarkdownIt("commonmark").parse(document) if t.type == "heading_open"]
    assert headings
    assert headings[-1].map is not None
    assert document.split("\n")[headings[-1].map[0]] == "## After"


@given(st.text(alphabet="`ab\n"))
def test_a_fence_is_longer_than_any_inside(text: str) -> None:
    (token,) = MarkdownIt("commonmark").parse(fenced(text))
    assert token.type == "fence"
    assert token.content.rstrip("\n") == text.rstrip("\n")


def test_json_is_what_the_documentation_says(tmp_path: Path) -> None:
    data = json.loads(exported(tmp_path, "json", *TOOLS))
    assert (data["format"], data["version"]) == ("secretary-tui/run", 1)
    assert data["usage"]["input_tokens"] == 100
    assert data["cost_usd"] == 0.02
    assert [entry["kind"] for entry in data["entries"]] == [
        *("user", "thinking", "tool", "tool", "notice", "answer"),
    ]
    denied = data["entries"][3]
    assert (denied["tool"], denied["denied"], denied["is_error"]) == ("Edit", True, True)
    assert denied["input"] == {"file_path": "a.py", "old": "x", "new": "y"}


def test_what_an_agent_that_was_called_did_stands_inside_its_call() -> None:
    said = SubagentEvent("t1", "critic", to_json(TextDelta("It is fine.")))
    (entry,) = entries_of([ToolStarted("t1", "Agent", "critic"), said])
    assert (entry.agent, entry.inner[0].text) == ("critic", "It is fine.")


def test_a_turn_that_was_discarded_is_not_told() -> None:
    events = [TurnStarted(1), TextDelta("wrong"), TurnDiscarded("cut"), TextDelta("right")]
    assert [e.text for e in entries_of(events) if e.kind is EntryKind.ANSWER] == ["right"]


def test_a_damaged_log_is_exported_and_says_so(tmp_path: Path) -> None:
    path = write(tmp_path, RUN, "x", answered("Fine."))
    path.write_text(path.read_text() + '{"type": "run_finished", "cost_usd": NaN\n')
    for form in ExportFormat:
        assert "1 damaged line" in export(load_run(RUN), form)


def test_a_file_that_is_there_stays_unless_told(tmp_path: Path) -> None:
    path = tmp_path / "run.md"
    write_export(path, "one")
    assert path.stat().st_mode & 0o077 == 0
    with pytest.raises(ExportExistsError, match="left as it is"):
        write_export(path, "two")
    assert path.read_text() == "one"
    write_export(path, "two", overwrite=True)
    assert path.read_text() == "two"


def test_what_is_overwritten_is_replaced_and_no_pipe_or_link_is_written_to(tmp_path: Path) -> None:
    path, other = tmp_path / "run.md", tmp_path / "other.md"
    path.write_text("one")
    path.chmod(0o666)
    other.hardlink_to(path)
    write_export(path, "two", overwrite=True)
    assert (path.read_text(), other.read_text()) == ("two", "one")
    assert path.stat().st_mode & 0o077 == 0
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(other)
    for name in ("pipe", "link"):
        with pytest.raises(SessionError, match="not a regular file"):
            write_export(tmp_path / name, "x", overwrite=True)
    assert other.read_text() == "one"


def test_a_missing_folder_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="There is no such folder"):
        write_export(tmp_path / "none" / "run.md", "x")
