"""Which descriptions no request can tell apart."""

from pathlib import Path

import pytest

from secretary_tui.registry.check.overlap import description_words, find_overlaps
from secretary_tui.registry.check.validate import validate_files
from secretary_tui.registry.definition.parse import read_agent
from secretary_tui.registry.definition.spec import AgentSpec, Source, SourceKind
from secretary_tui.registry.sources.scan import scan

NOWHERE = Source(SourceKind.PROJECT, Path("/"))


def agent(name: str, description: str, prompt: str = "") -> AgentSpec:
    return AgentSpec(name, description, prompt or name, NOWHERE, Path(f"/{name}.md"))


def pairs(*agents: AgentSpec) -> list[tuple[str, str]]:
    return [(found.spec.name, found.other.name) for found in find_overlaps(agents)]


def test_the_same_words_in_another_form_and_order_are_an_overlap() -> None:
    assert pairs(
        agent("planner", "Generates implementation plans for features"),
        agent("other", "Reviews kubernetes manifests"),
        agent("planning", "Expert that plans the implementation of a feature: generating"),
    ) == [("planning", "planner")]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Plans AWS infrastructure in Terraform", "Plans Azure infrastructure in Terraform"),
        ("Builds MCP servers in C#", "Builds MCP servers in C++"),
        ("Builds MCP servers in C", "Builds MCP servers in Rust"),
    ],
)
def test_a_word_of_its_own_on_each_side_tells_two_apart(one: str, two: str) -> None:
    assert pairs(agent("one", one), agent("two", two)) == []


def test_a_description_within_another_counts_when_little_is_added() -> None:
    narrow = "Reviews pull requests for style, naming, structure, tests and documentation"
    assert pairs(agent("wide", f"{narrow} of code"), agent("narrow", narrow)) == [
        ("narrow", "wide")
    ]
    much = (
        f"{narrow}; deploys kubernetes clusters, tunes databases, migrates schemas, trains models"
    )
    assert pairs(agent("wide", much), agent("narrow", narrow)) == []


def test_copies_of_one_agent_are_no_overlap() -> None:
    text = "Reviews pull requests for style"
    assert pairs(agent("a", text, "Do it."), agent("a", text, "Else.")) == []
    assert pairs(agent("a", text, "Do  it."), agent("b", text, "Do it.")) == []


def test_each_of_many_that_say_the_same_is_named_once() -> None:
    same = [agent(f"a{number}", "Reviews pull requests for style") for number in range(4)]
    assert pairs(*same) == [("a1", "a0"), ("a2", "a0"), ("a3", "a0")]


def test_praise_and_little_words_say_nothing() -> None:
    assert description_words("Expert agent: specialized in comprehensive, modern C++") == {"c++"}


def test_the_finding_names_the_pair(tmp_path: Path) -> None:
    for name, prompt in (("first", "One."), ("second", "Two.")):
        (tmp_path / f"{name}.md").write_text(
            f"---\nname: {name}\ndescription: Generates implementation plans\n---\n{prompt}\n"
        )
    (finding,) = validate_files([tmp_path]).findings
    assert (finding.path, finding.line) == (tmp_path / "second.md", 3)
    assert f'"first" ({tmp_path / "first.md"})' in finding.message


def test_real_collections_have_few_and_right_pairs(corpora: Path) -> None:
    found = set()
    for collection in sorted(corpora.iterdir()):
        source = Source(SourceKind.AGENTS_DIR, collection)
        results = (read_agent(Path(path), source) for path in scan(collection).files)
        specs = [result.spec for result in results if result.spec]
        found |= {(overlap.spec.name, overlap.other.name) for overlap in find_overlaps(specs)}
    assert found == {
        ("planner", "implementation-plan"),
        ("market-research-analyst", "competitive-intelligence-analyst"),
        ("csharp-dotnet-janitor", "dotnet-upgrade"),
        (".NET Upgrade", "C#-.NET Janitor"),
        ("Planning mode instructions", "Implementation Plan Generation Mode"),
        ("cloud-infrastructure-deployment-engineer", "cicd-automation-deployment-engineer"),
        ("python-development-django-pro", "api-scaffolding-django-pro"),
    }
