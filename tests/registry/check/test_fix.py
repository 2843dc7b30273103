"""Mending definition files without changing what they say."""

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secretary_tui.registry.check.fix import Repair, plan_repair
from secretary_tui.registry.definition.claude_code import why_skipped
from secretary_tui.registry.definition.parse import read_agent
from secretary_tui.registry.definition.quoting import NotQuotableError, quote_frontmatter
from secretary_tui.registry.definition.spec import AgentSpec, Finding, Source, SourceKind


def agent(path: Path) -> AgentSpec:
    spec = read_agent(path, Source(SourceKind.PROJECT, path.parent)).spec
    assert spec is not None
    return dataclasses.replace(spec, findings=(), content_hash="")


def mend(path: Path, text: str | bytes) -> str:
    """Repair a file with this content, hold that its meaning stays, give the new content."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = agent(path)
    repair = plan_repair(path)
    assert isinstance(repair, Repair), repair
    assert repair.write() is None
    assert agent(path) == before
    assert why_skipped(path.read_text()) is None
    assert plan_repair(path) is None
    return path.read_bytes().decode()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.md"


@pytest.mark.parametrize(
    ("written", "quoted"),
    [
        ("Use when: it's late", '"Use when: it\'s late"'),
        ('Use when: "x" fails', "'Use when: \"x\" fails'"),
        ('It\'s for: "x"', "'It''s for: \"x\"'"),
        ("Ends:\\n\\n<example>: x", "'Ends:\\n\\n<example>: x'"),
        ("@team: helps", '"@team: helps"'),
    ],
)
def test_a_broken_description_is_quoted_and_all_else_stays(
    path: Path, written: str, quoted: str
) -> None:
    frame = "---\nname:   a   # spaced\ndescription: {}\n\ntools: [ Read,Grep ]\n---\n\n  Body \t\n"
    assert mend(path, frame.format(written)) == frame.format(quoted)


def test_examples_at_the_margin_become_a_block(path: Path) -> None:
    head = "---\nname: a\ndescription: Use it for sprints. Examples:\n"
    rest = "color: red\n---\nBody.\n"
    text = mend(path, f'{head}<example>\n  user: "go": now\n\n</example>\n{rest}')
    assert text == (
        "---\nname: a\ndescription: |-\n  Use it for sprints. Examples:\n  <example>\n"
        f'  user: "go": now\n\n  </example>\n{rest}'
    )


def test_a_star_that_means_all_tools_keeps_its_meaning(path: Path) -> None:
    text = mend(path, "---\nname: a\ndescription: Repairs tests\ntools: *\n---\nx\n")
    assert 'tools: "*"\n' in text
    assert agent(path).tools is None


def test_line_ends_a_mark_and_the_last_line_are_mended_with_the_rest(path: Path) -> None:
    text = "---\nname: a\ndescription: Use when: late\n---\nOne.\nTwo."
    for ends in ("\r\n", "\r"):
        changed = text.replace("\n", ends)
        mended = text.replace("Use when: late", '"Use when: late"') + "\n"
        assert mend(path, b"\xef\xbb\xbf" + changed.encode()) == mended


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_a_file_that_claude_code_reads_keeps_its_line_ends(
    path: Path, ends: str, mark: str
) -> None:
    text = f"{mark}---\nname: a\ndescription: Repairs failing tests\n---\nOne.\nTwo."
    path.write_bytes(text.replace("\n", ends).encode())
    assert plan_repair(path) is None


@pytest.mark.parametrize(
    "text",
    [
        "    ---\n    name: a\n    description: Use it\n    ---\n    Body.\n",
        "\n  ---\n  name: a\n  description: Use when: late\n  ---\nBody.\n",
        "\n\n---\nname: a\ndescription: Use it\n---\nBody.\n",
    ],
)
def test_frontmatter_that_stands_elsewhere_goes_to_the_top_left(path: Path, text: str) -> None:
    mended = mend(path, text)
    assert mended.startswith("---\nname: a\n")
    assert mended.endswith("---\nBody.\n")


def test_a_repair_says_what_changes(path: Path) -> None:
    path.write_bytes(b"---\r\nname: a\r\ndescription: Use when: late\r\n---\r\nx")
    repair = plan_repair(path)
    assert isinstance(repair, Repair)
    assert repair.changes == (
        "CR LF becomes LF on 4 lines",
        "the last line is ended",
        "description is put in quotes",
    )
    assert repair.diff.startswith(f"--- {path}\n+++ {path} (CR LF becomes LF on 4 lines; ")
    assert '\n-description: Use when: late\n+description: "Use when: late"\n' in repair.diff
    assert repair.diff.count("\n-") == 1, "line ends are said once, not shown on every line"


@pytest.mark.parametrize(
    "text",
    [
        "---\nname: a\ndescription: Repairs tests\n---\nx\n",
        "# Notes\r\n",
        "---\nname: half\r\n",
        "---\ntitle: neither\r\n---\r\n",
    ],
)
def test_a_sound_file_and_one_that_is_no_agent_are_not_touched(path: Path, text: str) -> None:
    path.write_bytes(text.encode())
    assert plan_repair(path) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("---\nname: a\n\tdescription: b\n---\nx\n", "no single value"),
        ("---\nname: a\n\tdescription: b: c\n---\nx\n", "indented by a tab"),
        ("---\nname: a\ndescription: b\nhooks:\n  - x: y: z\n  - q\n---\nx\n", "several lines"),
        ("---\nname: a\ndescription: a: b\ndescription: c: d\n---\nx\n", "given twice"),
        ("---\nstray words\nname: a\ndescription: a: b\n---\nx\n", "read differently"),
        ("---\nname: a\ndescription: \xe9: b\n---\nx\n", "not UTF-8"),
    ],
)
def test_what_quotes_can_not_mend_is_left_alone_with_a_sentence(
    path: Path, text: str, why: str
) -> None:
    data = text.encode("latin-1")
    path.write_bytes(data)
    finding = plan_repair(path)
    assert isinstance(finding, Finding)
    assert "left as it is, because" in finding.message and why in finding.message
    assert path.read_bytes() == data


def test_a_file_that_changed_meanwhile_is_not_overwritten(path: Path) -> None:
    path.write_text("---\nname: a\ndescription: Use when: late\n---\nx\n")
    repair = plan_repair(path)
    assert isinstance(repair, Repair)
    path.write_text("mine now\n")
    finding = repair.write()
    assert finding is not None and "changed meanwhile" in finding.message
    assert path.read_text() == "mine now\n"


def test_a_link_is_followed_and_permissions_stay(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "b.md"
    target.parent.mkdir()
    path.symlink_to(target)
    target.write_text("")
    target.chmod(0o600)
    mend(path, "---\nname: a\ndescription: Use when: late\n---\nx\n")
    assert path.is_symlink() and target.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in target.parent.iterdir()] == ["b.md"]


@settings(max_examples=60)
@given(description=st.text(min_size=1, max_size=60), tail=st.text(max_size=20))
def test_quoting_never_changes_a_byte_outside_the_frontmatter(description: str, tail: str) -> None:
    text = f"---\nname: a\ndescription: {description}\n---\n{tail}"
    try:
        mended, keys = quote_frontmatter(text)
    except NotQuotableError:
        return
    assert keys and mended.startswith("---\n")
    assert mended.partition("\n---\n")[2].endswith(tail)


def test_every_yaml_fault_of_the_collections_is_mended(corpora: Path) -> None:
    broken = quoted = 0
    for file in sorted(corpora.rglob("*.md")):
        result = read_agent(file, Source(SourceKind.AGENTS_DIR, corpora))
        if not result.rescued:
            continue
        broken += 1
        repair = plan_repair(file)
        if isinstance(repair, Repair):
            quoted += 1
            assert why_skipped(repair.after) is None
    assert (broken, quoted) == (44, 44)


def test_a_link_out_of_its_repository_is_not_mended(tmp_path: Path) -> None:
    target = tmp_path / "notes.md"
    target.write_text("---\nname: a\ndescription: Use when: late\n---\nx\n")
    before = target.read_bytes()
    link = tmp_path / "project" / ".claude" / "agents" / "a.md"
    link.parent.mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir()
    link.symlink_to(target)
    finding = plan_repair(link)
    assert isinstance(finding, Finding)
    assert "leads elsewhere" in finding.message
    assert target.read_bytes() == before
    assert isinstance(plan_repair(target), Repair)
