"""Reading one definition file."""

import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secretary_tui.registry.definition.parse import ParseResult, read_agent
from secretary_tui.registry.definition.spec import AgentSpec, Severity, Source, SourceKind
from secretary_tui.strict_yaml import StrictYamlError, load_mapping
from tests.registry.definitions import read
from tests.registry.hostile import HOSTILE


def frontmatter(*lines: str, body: str = "Do it.") -> str:
    return "---\n" + "\n".join(lines) + f"\n---\n{body}\n"


def spec_of(result: ParseResult) -> AgentSpec:
    assert result.spec is not None, result.findings
    return result.spec


def messages(result: ParseResult) -> str:
    return " | ".join(str(finding) for finding in result.findings)


def test_a_complete_definition_is_read_field_by_field(tmp_path: Path) -> None:
    text = frontmatter(
        "name: code-reviewer",
        "description: Reviews code. Use it after a change.",
        "tools: Read, Grep",
        "disallowedTools: [Bash]",
        "model: Sonnet",
        "skills: style, security",
        "color: green",
        "maxTurns: 12",
        "permissionMode: plan",
        "effort: high",
        "category: quality",
        "tags: [a, b]",
        body="# Reviewer\n\nRead it.",
    )
    result = read(tmp_path, text)
    spec = spec_of(result)
    assert (spec.name, spec.description) == (
        "code-reviewer",
        "Reviews code. Use it after a change.",
    )
    assert (spec.tools, spec.disallowed_tools) == (("Read", "Grep"), ("Bash",))
    assert (spec.model, spec.skills, spec.color) == ("sonnet", ("style", "security"), "green")
    assert (spec.max_turns, spec.permission_mode, spec.effort) == (12, "plan", "high")
    assert spec.metadata == {"category": "quality", "tags": ["a", "b"]}
    assert spec.prompt == "# Reviewer\n\nRead it."
    assert spec.content_hash == hashlib.sha256(text.encode()).hexdigest()
    assert result.findings == () and not result.rescued


@pytest.mark.parametrize(
    ("written", "tools"),
    [
        ("tools: Read, Bash(git diff:*), Agent(a, b), mcp__x__*",
         ("Read", "Bash(git diff:*)", "Agent(a, b)", "mcp__x__*")),
        ("tools: [Read, Write]", ("Read", "Write")),
        ("tools:\n  - Read\n  - Write", ("Read", "Write")),
        ("tools:\n- Read\n- Write", ("Read", "Write")),
        ("tools: Read Write", ("Read", "Write")),
        ("tools: Read, Read", ("Read",)),
        ("tools: {read: true, bash: false}", ("read",)),
        ("tools: [no, on]", ("no", "on")),
        ('tools: "*"', None),
        ("tools: *", None),
        ("tools: ['*']", None),
        ("tools: []", ()),
        ("color: red", None),
    ],
)  # fmt: skip
def test_tools_are_read_in_every_form_that_occurs(
    tmp_path: Path, written: str, tools: tuple[str, ...] | None
) -> None:
    assert spec_of(read(tmp_path, frontmatter("name: a", "description: b", written))).tools == tools


def test_empty_tools_give_none_and_say_so(tmp_path: Path) -> None:
    result = read(tmp_path, frontmatter("name: a", "description: b", "tools:"))
    assert spec_of(result).tools == ()
    assert "agent.md:4: warning: tools is empty" in messages(result)


@pytest.mark.parametrize(
    ("written", "model", "warned"),
    [
        ("inherit", None, False),
        ("opus", "opus", False),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250929", False),
        ("Claude Sonnet 4.5 (copilot)", None, True),
        ("[a, b]", None, True),
    ],
)
def test_a_model_that_names_none_is_inherited_with_a_warning(
    tmp_path: Path, written: str, model: str | None, warned: bool
) -> None:
    result = read(tmp_path, frontmatter("name: a", "description: b", f"model: {written}"))
    assert spec_of(result).model == model
    assert ("agent.md:4: warning: " in messages(result)) == warned


@pytest.mark.parametrize("line", ["maxTurns: many", "permissionMode: yolo", "effort: huge"])
def test_a_field_that_does_not_fit_is_ignored_with_its_line(tmp_path: Path, line: str) -> None:
    result = read(tmp_path, frontmatter("name: a", "description: b", line))
    spec = spec_of(result)
    assert (spec.max_turns, spec.permission_mode, spec.effort) == (None, None, None)
    assert "agent.md:4: warning: " in messages(result)


def test_an_unquoted_colon_in_the_description_is_rescued(tmp_path: Path) -> None:
    text = frontmatter(
        "name: hunter",
        'description: Use when: a test "fails" # often',
        "  and goes on: here",
        "tools: Read",
        "model: haiku",
    )
    result = read(tmp_path, text)
    spec = spec_of(result)
    assert spec.description == 'Use when: a test "fails" # often\nand goes on: here'
    assert (spec.tools, spec.model) == (("Read",), "haiku")
    assert result.rescued
    assert "agent.md:3: warning: description is not valid YAML" in messages(result)


def test_examples_at_the_margin_continue_the_description(tmp_path: Path) -> None:
    text = frontmatter(
        "name: sprinter",
        "description: Use this for sprints. Examples:",
        "<example>",
        'Context: "a plan": half done',
        'user: "go"',
        "</example>",
        "color: purple",
        "tools: Read, Write",
        "category: 7",
    )
    result = read(tmp_path, text)
    spec = spec_of(result)
    assert spec.description.endswith('user: "go"\n</example>')
    assert (spec.color, spec.tools) == ("purple", ("Read", "Write"))
    assert spec.metadata == {"category": 7}
    assert result.rescued and result.findings[0].line == 3


def test_indented_frontmatter_is_rescued(tmp_path: Path) -> None:
    text = "\n    ---\n    name: a\n    description: b\n    ---\n\n    Body\n"
    result = read(tmp_path, text)
    assert (spec_of(result).name, spec_of(result).prompt) == ("a", "Body")
    assert "agent.md:2: warning: the frontmatter is indented" in messages(result)


def test_a_file_without_frontmatter_is_documentation(tmp_path: Path) -> None:
    for text in ("# Read me\n", "", "---\nA rule above.\n", "---\n\nText.\n\n---\n\nMore.\n"):
        assert read(tmp_path, text).is_documentation


def test_a_half_written_file_is_refused_with_a_sentence(tmp_path: Path) -> None:
    result = read(tmp_path, "---\nname: a\ndescription: half")
    assert result.spec is None
    assert "agent.md:1: error: the frontmatter that starts here has no end" in messages(result)


def test_a_missing_name_is_taken_from_the_file(tmp_path: Path) -> None:
    result = read(tmp_path, frontmatter("description: b"), "api-guide.md")
    assert spec_of(result).name == "api-guide"
    assert result.findings[0].severity is Severity.WARNING
    other = read(tmp_path, frontmatter("description: b"), "api-guide.agent.md")
    assert spec_of(other).name == "api-guide"
    assert other.findings == (), "Copilot's names are optional"


def test_a_missing_description_is_taken_from_the_text(tmp_path: Path) -> None:
    result = read(tmp_path, frontmatter("name: a", body="# The **Guide**. Second.\n\nText."))
    assert spec_of(result).description == "The **Guide**."
    assert "there is no description" in messages(result)


def test_frontmatter_with_neither_name_nor_description_is_refused(tmp_path: Path) -> None:
    result = read(tmp_path, frontmatter("title: Notes"))
    assert result.spec is None and "neither name nor description" in messages(result)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd", "etc-passwd"),
        ("a/b", "a-b"),
        ("x\x1b[2J\u202ey", "xy"),
        ("plugin:fake", "plugin-fake"),
        ('"a\\u200bb"', "ab"),
        ("..", "agent"),
    ],
)
def test_names_can_not_carry_paths_or_hidden_characters(
    tmp_path: Path, name: str, shown: str
) -> None:
    result = read(tmp_path, frontmatter(f"name: {name}", "description: b"))
    assert spec_of(result).id == shown
    assert "agent.md:2: warning: " in messages(result)


def test_a_name_against_the_convention_is_kept_with_a_warning(tmp_path: Path) -> None:
    result = read(tmp_path, frontmatter("name: ZK Steward", "description: b"))
    assert spec_of(result).name == "ZK Steward" and not result.rescued
    assert "not in lower case" in messages(result)


def test_escape_sequences_are_gone_from_every_text(tmp_path: Path) -> None:
    attack = "\x1b]52;c;AAAA\x07[@click=app.quit]\x9b2J\u202e"
    text = frontmatter(
        f"name: a{attack}",
        f"description: b{attack}",
        f"vibe: c{attack}",
        f"tools: Read{attack}",
        'emoji: "\\x1b[2J\\e]0;x\\a"',
        body=f"d{attack}",
    )
    spec = spec_of(read(tmp_path, text))
    everything = repr((spec.name, spec.description, spec.prompt, spec.tools, spec.metadata))
    assert not any(f"\\x{code}" in everything for code in ("1b", "07", "9b"))
    assert "\\u202e" not in everything and "52;c" not in everything
    assert "[@click=app.quit]" in spec.description


def test_a_duplicate_key_is_reported_and_the_last_counts(tmp_path: Path) -> None:
    result = read(tmp_path, frontmatter("name: a", "description: b", "name: c"))
    assert spec_of(result).name == "c"
    assert 'agent.md:4: warning: "name" is given twice' in messages(result)


BOMB = "".join(f"k{n}: &k{n} [{', '.join([f'*k{n - 1}'] * 9) if n else 'lol'}]\n" for n in range(9))


@pytest.mark.parametrize(
    "extra",
    [
        BOMB,
        "x: !!python/object/apply:os.mkdir [made]\n",
        "x: " + "[" * 5000 + "\n",
        "x: " + "{a: " * 70_000 + "\n",
        "x:\n  " + "- " * 5000 + "\n",
        "x:\n  " + "- " * 200_000 + "\n",
        "x: &x [*x]\n",
        "".join(f"k{n}: v\n" for n in range(3000)) + "y: [\n",
    ],
    ids=["bomb", "python", "brackets", "braces", "dashes", "many dashes", "cycle", "keys"],
)
def test_hostile_yaml_is_neither_run_nor_unfolded(
    tmp_path: Path, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = read(tmp_path, f"---\nname: a\ndescription: b\n{extra}---\nBody\n")
    assert result.findings
    if result.spec:
        assert (result.spec.name, result.spec.prompt) == ("a", "Body")
        assert len(repr(result.spec.metadata)) < 2 * len(extra) + 100
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_file_is_read_without_harm_or_refused_with_its_line(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = HOSTILE[kind]
    result = read(tmp_path, text)
    assert not (tmp_path / "made").exists()
    assert all(finding.path == tmp_path / "agent.md" for finding in result.findings)
    assert all(finding.line for finding in result.findings if finding.action != "skip")
    spec = result.spec
    if spec:
        assert not set(spec.id) & set("/\\:\x1b\u202e\u200b\n")
        assert len(spec.summary) <= 160
        told = spec.name + spec.description + spec.prompt + repr(spec.metadata)
        assert "\x1b" not in told and "\u202e" not in told and "\x07" not in told
        assert len(told) <= 2 * len(text) + 1000, "nothing was multiplied"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("alias bomb", "agent.md:5: warning: k1 is not valid YAML (found undefined alias"),
        ("python tag", "agent.md:4: warning: x is not valid YAML (the tag"),
        ("5000 brackets", "agent.md:4: warning: x is not valid YAML (nested too deeply)"),
        ("unquoted colon", "agent.md:3: warning: description is not valid YAML"),
        ("duplicate keys", 'agent.md:4: warning: "name" is given twice'),
        ("cycle", "agent.md:4: warning: x is not valid YAML (aliases"),
        ("path as name", 'agent.md:2: warning: the name "../x" can\'t be an id'),
        ("a flood of values", "agent.md:4: warning: x is not valid YAML (more than 5,000 values)"),
        ("escapes in the body", "agent.md:6: warning: control characters"),
    ],
)
def test_what_is_hostile_is_named_with_its_line(tmp_path: Path, kind: str, words: str) -> None:
    assert words in messages(read(tmp_path, HOSTILE[kind]))


def test_words_that_yaml_takes_for_switches_stay_tools(tmp_path: Path) -> None:
    assert spec_of(read(tmp_path, HOSTILE["tools that are no words"])).tools == ("no", "on")


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("yes", "yes"),
        ("True", True),
        ("tRUE", "tRUE"),
        ("~", None),
        ("12", 12),
        ("1e3", 1000.0),
        ("2024-01-31", "2024-01-31"),
        ("0x1f", "0x1f"),
        ("'12'", "12"),
        ("!!str 12", "12"),
        ("!!int 12", 12),
    ],
)
def test_plain_words_mean_what_yaml_1_2_says(written: str, read_as: object) -> None:
    values = load_mapping(f"x: {written}", on_duplicate=lambda *_: None)
    assert values == {"x": read_as} and type(values["x"]) is type(read_as)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x: {" + "a," * 5000 + "}", "more than 5,000 values"),
        ("x: " + "[" * 300, "nested too deeply"),
        ("x:\n  " + "- " * 9 + "y", "nested too deeply"),
        ("".join(" " * depth + "a:\n" for depth in range(40)), "nested too deeply"),
        ("x: " + "y" * 40_000, "longer than"),
        ("x: &x [*x]", "aliases"),
        ("x: !!set {a}", "tag"),
    ],
    ids=["values", "brackets", "dashes", "indents", "length", "cycle", "set"],
)
def test_yaml_out_of_bounds_never_reaches_a_value(text: str, why: str) -> None:
    with pytest.raises(StrictYamlError, match=why):
        load_mapping(text, on_duplicate=lambda *_: None)


def test_a_byte_order_mark_and_foreign_line_ends_are_no_obstacle(tmp_path: Path) -> None:
    text = frontmatter("name: a", "description: b", body="one\ntwo")
    for data in (
        b"\xef\xbb\xbf" + text.encode(),
        text.replace("\n", "\r\n").encode(),
        text.replace("\n", "\r").encode(),
    ):
        result = read(tmp_path, data)
        assert spec_of(result).prompt == "one\ntwo" and result.findings == ()


def test_other_encodings_are_repaired_with_the_line(tmp_path: Path) -> None:
    result = read(tmp_path, b"---\nname: a\ndescription: caf\xe9\n---\nBody")
    assert spec_of(result).description == "caf\ufffd"
    assert "agent.md:3: warning: not valid UTF-8" in messages(result)
    utf16 = read(tmp_path, frontmatter("name: a", "description: é").encode("utf-16"))
    assert spec_of(utf16).description == "é" and "UTF-16" in messages(utf16)


def test_binary_and_huge_files_are_refused(tmp_path: Path) -> None:
    assert "binary" in messages(read(tmp_path, b"---\nname: a\0\n---\n"))
    assert "binary" in messages(read(tmp_path, b"\x1b\x01" * 1000))
    assert "1 MB" in messages(read(tmp_path, b"a" * (1 << 20) + b"bc"))


def test_what_is_no_readable_file_is_a_problem_with_a_sentence(tmp_path: Path) -> None:
    source = Source(SourceKind.PROJECT, tmp_path)
    (tmp_path / "a.md").symlink_to("b.md")
    (tmp_path / "b.md").symlink_to("a.md")
    (tmp_path / "lost.md").symlink_to("nowhere")
    (tmp_path / "folder.md").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    for name, words in {
        "a.md": "leads back to itself",
        "lost.md": "points at a file that is not there",
        "folder.md": "folder",
        "pipe.md": "not a regular file",
        "gone.md": "not there",
    }.items():
        result = read_agent(tmp_path / name, source)
        assert result.spec is None
        assert words in messages(result), name


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.touch(mode=0)
    result = read_agent(path, Source(SourceKind.PROJECT, tmp_path))
    assert "may not be read" in messages(result)


MARKS = ["---", "- ", "[", "]", "{", "}", "*", "&a ", "'", '"', "|", ">", ": ", "#", "!!python/x "]
WORDS = ["name: a", "description: ", "tools: ", "<<: ", "x", "é", " ", "\n", "\t", "\r"]
PIECES = st.sampled_from([*MARKS, *WORDS, "\x1b", "\u202e"])


@settings(max_examples=300)
@given(data=st.binary(max_size=400) | st.lists(PIECES, max_size=60).map("".join))
def test_any_bytes_give_an_agent_or_findings_or_documentation(
    tmp_path_factory: pytest.TempPathFactory, data: bytes | str
) -> None:
    content = data if isinstance(data, bytes) else "---\n" + data
    result = read(tmp_path_factory.getbasetemp(), content)
    assert result.spec or result.findings or result.is_documentation
    if result.spec:
        assert result.spec.id and result.spec.description
        assert "\x1b" not in repr(result.spec.metadata).encode().decode("unicode_escape")
        assert not set(result.spec.id) & set("/\\:\x1b\u202e\n")


YAML_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@settings(max_examples=150)
@given(
    values=st.dictionaries(
        st.sampled_from(["name", "description", "tools", "model", "maxTurns", "skills", "color"]),
        YAML_VALUES,
    )
)
def test_any_value_of_any_field_is_read_or_reported(
    tmp_path_factory: pytest.TempPathFactory, values: dict[str, object]
) -> None:
    import yaml

    text = f"---\n{yaml.safe_dump(values, allow_unicode=True)}---\nBody."
    result = read(tmp_path_factory.getbasetemp(), text)
    assert result.spec or result.findings or result.is_documentation
    if result.spec:
        assert all(isinstance(tool, str) and tool for tool in result.spec.tools or ())
        assert result.spec.max_turns is None or result.spec.max_turns > 0


def test_a_field_that_a_tab_indents_is_a_field_and_no_part_of_the_name(tmp_path: Path) -> None:
    spec = read(tmp_path, "---\nname: tabs\n\tdescription: Tidies up\n\ttools: Read\n---\nx\n").spec
    assert spec is not None
    assert (spec.id, spec.description, spec.tools) == ("tabs", "Tidies up", ("Read",))


def test_a_tab_inside_a_description_of_several_lines_stays_in_it(tmp_path: Path) -> None:
    text = "---\nname: a\ndescription: It helps: so\n\tmodel: any\n---\nx\n"
    spec = read(tmp_path, text).spec
    assert spec is not None
    assert (spec.description, spec.model) == ("It helps: so\nmodel: any", None)


@pytest.mark.parametrize("text", ["name: bare\n\nYou help.\n", "\ndescription: It helps\n---\n"])
def test_fields_without_the_lines_around_them_are_an_error(tmp_path: Path, text: str) -> None:
    (finding,) = read(tmp_path, text).findings
    assert finding.severity == "error"
    assert "without a line ---" in finding.message
