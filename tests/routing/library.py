"""A small library of agents, written for these tests."""

from __future__ import annotations

from pathlib import Path

from secretary_tui.registry.definition.spec import AgentSpec, Source, SourceKind


def make_agent(
    name: str,
    description: str,
    prompt: str = "",
    *,
    plugin: str = "",
    kind: SourceKind = SourceKind.PLUGIN,
    file_name: str = "",
) -> AgentSpec:
    """An agent as the registry would have read it."""
    root = Path("/library") / (plugin or str(kind))
    return AgentSpec(
        name=name,
        description=description,
        prompt=prompt or f"You are {name}.",
        source=Source(kind, root, plugin or None),
        path=root / f"{file_name or name}.md",
        namespace=plugin,
    )


LIBRARY = (
    make_agent(
        "security-reviewer",
        "Reviews code for security vulnerabilities: authentication, injection, secrets.",
        "Check against the OWASP top ten. Look at session handling and password storage.",
        plugin="quality",
    ),
    make_agent(
        "code-reviewer",
        "Reviews code for quality, readability and best practices before a merge.",
        "Read the diff of the pull request first. Name the file and line of each finding.",
        plugin="quality",
    ),
    make_agent(
        "database-optimizer",
        "Makes slow SQL queries fast: indexes, query plans, schema design.",
        "Ask for the output of EXPLAIN ANALYZE. Postgres and MySQL.",
        plugin="data",
    ),
    make_agent(
        "kubernetes-architect",
        "Designs Kubernetes clusters, namespaces and deployments.",
        "Pods, ingress, autoscaling, helm charts.",
        plugin="cloud",
    ),
    make_agent(
        "frontend-developer",
        "Builds React components and responsive layouts in TypeScript.",
        "State, hooks, accessibility, CSS.",
        plugin="web",
    ),
    make_agent(
        "performance-engineer",
        "Profiles applications and removes bottlenecks that make them slow.",
        "Latency, memory, flame graphs.",
        plugin="quality",
    ),
    make_agent(
        "docs-writer",
        "Writes README files, tutorials and reference documentation.",
        "Short sentences. One example for each option.",
        plugin="words",
    ),
    make_agent(
        "c-pro",
        "Writes portable C: pointers, memory, valgrind.",
        "Own every allocation.",
        plugin="languages",
    ),
)
