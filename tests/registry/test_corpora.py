"""Public collections of agent files, as they are."""

import re
from pathlib import Path

import pytest

from secretary_tui.registry.agent_index import LiveIndex
from secretary_tui.registry.definition.parse import read_agent
from secretary_tui.registry.definition.spec import Source, SourceKind

LOOKS_LIKE_AN_AGENT = re.compile(r"\s*---\s*\n(?:.*\n)*?\s*name:", re.M)
MARKETPLACES = {
    "SuperClaude-Org__SuperClaude_Framework": 20,
    "VoltAgent__awesome-claude-code-subagents": 157,
    "affaan-m__everything-claude-code": 60,
    "anthropics__claude-plugins-official": 31,
    "davepoon__buildwithclaude": 253,
    "laywill__awesome-claude-code-subagents": 203,
    "trailofbits__skills": 31,
    "wshobson__agents": 202,
}
"""How many agents the marketplace of each names that lie in it."""


def test_every_file_with_frontmatter_loads_and_each_rescue_is_a_warning(corpora: Path) -> None:
    loaded = rescued = 0
    for path in sorted(corpora.rglob("*.md")):
        result = read_agent(path, Source(SourceKind.AGENTS_DIR, corpora))
        if result.spec is None:
            assert result.is_documentation, result.findings
            text = path.read_text(encoding="utf-8")
            assert not LOOKS_LIKE_AN_AGENT.match(text), f"{path} was taken for documentation"
            continue
        loaded += 1
        if result.rescued:
            rescued += 1
            repairs = [finding for finding in result.findings if finding.action == "repair"]
            assert repairs and all(finding.line for finding in repairs)
            assert result.spec.name and len(result.spec.description) > 40
    assert (loaded, rescued) == (2427, 44)


@pytest.mark.parametrize("collection", MARKETPLACES)
def test_a_marketplace_works_as_the_project(corpora: Path, collection: str) -> None:
    index = LiveIndex(corpora / collection, bundled=False).snapshot
    assert len(index.active) == MARKETPLACES[collection]
    assert all(spec.id.startswith(f"{spec.source.plugin}:") for spec in index.active)
    assert not [finding for finding in index.problems if finding.severity == "error"]


@pytest.mark.parametrize(
    ("collection", "count"),
    [
        ("anthropics__claude-plugins-official", 233),
        ("davepoon__buildwithclaude", 10),
        ("wshobson__agents", 1),
        ("trailofbits__skills", 0),
    ],
)
def test_what_a_marketplace_offers_from_elsewhere_is_listed(
    corpora: Path, collection: str, count: int
) -> None:
    offered = LiveIndex(corpora / collection, bundled=False).snapshot.not_installed
    assert len(offered) == count
    assert all(
        plugin.install.startswith(f"/plugin install {plugin.name}@") and plugin.origin
        for plugin in offered
    )


def test_a_whole_collection_loads_as_an_agents_dir(corpora: Path, tmp_path: Path) -> None:
    folder = corpora / "davila7__claude-code-templates"
    index = LiveIndex(tmp_path, [folder], bundled=False).snapshot
    assert (index.sources[0].loaded, index.sources[0].documents) == (417, 6)
