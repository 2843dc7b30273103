"""An agent that is written reads back as the same agent."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secretary_tui.registry.definition.given import read_given
from secretary_tui.registry.definition.parse import read_agent
from secretary_tui.registry.definition.render import render_agent
from secretary_tui.registry.definition.spec import AgentSpec, Source, SourceKind

TEXTS = st.text(max_size=40)
NAMES = st.lists(st.sampled_from(["Read", "Bash(git diff:*)", "Agent(a, b)", "no"]) | TEXTS)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.fixed_dictionaries(
    {"description": TEXTS.filter(str.strip), "prompt": TEXTS},
    optional={
        "tools": NAMES,
        "disallowedTools": NAMES,
        "model": st.sampled_from(["opus", "claude-x-1", "inherit"]),
        "skills": NAMES,
        "color": TEXTS,
        "maxTurns": st.integers(1, 99),
        "permissionMode": st.just("plan"),
        "effort": st.just("high"),
        "category": VALUES,
        "on": VALUES,
        "a key: of #its own": VALUES,
    },
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def read_back(folder: Path, spec: AgentSpec) -> AgentSpec:
    """Write and read; what depends on the place is taken over."""
    path = folder / "written.md"
    path.write_bytes(render_agent(spec).encode())
    result = read_agent(path, spec.source)
    assert result.spec is not None, result.findings
    assert not result.rescued, result.findings
    return replace(
        result.spec, path=spec.path, findings=spec.findings, content_hash=spec.content_hash
    )


@settings(max_examples=300)
@given(name=st.from_regex(r"[a-z]{1,8}(-[a-z]{1,5})?", fullmatch=True) | TEXTS, fields=FIELDS)
def test_any_agent_reads_back_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, name: str, fields: dict[str, object]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    given = read_given(name, fields, Source(SourceKind.GIVEN, folder), folder / "x.md")
    if given.spec is None:
        assert given.findings
    else:
        assert read_back(folder, given.spec) == given.spec


def test_ordinary_fields_are_written_as_people_write_them(folder: Path) -> None:
    fields = {
        "description": "Reviews code. Use it after a change.",
        "tools": ["Read", "Bash(git diff)"],
        "model": "opus",
        "prompt": "# Reviewer",
    }
    spec = read_given("reviewer", fields, Source(SourceKind.GIVEN, folder), folder / "x.md").spec
    assert spec is not None
    assert render_agent(spec) == (
        "---\nname: reviewer\ndescription: Reviews code. Use it after a change.\n"
        "tools: Read, Bash(git diff)\nmodel: opus\n---\n\n# Reviewer\n"
    )


def test_the_agents_of_public_collections_read_back(corpora: Path, folder: Path) -> None:
    source = Source(SourceKind.AGENTS_DIR, corpora)
    checked = 0
    for path in sorted((corpora / "wshobson__agents").rglob("*.md")):
        spec = read_agent(path, source).spec
        if spec is not None:
            checked += 1
            again = read_back(folder, replace(spec, source=source))
            assert replace(again, dialect=spec.dialect) == spec
    assert checked > 100
