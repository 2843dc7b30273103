"""`agents` and `agents validate`: which agents there are, and what is wrong with their files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from secretary_tui import config
from secretary_tui.registry.spec import Finding, IndexEntry, Severity
from secretary_tui.secretary import Secretary
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.no_match import NO_AGENTS
from secretary_tui.verbs.options import Options
from secretary_tui.verbs.output import amount, note, say, say_json, say_table


def run(args: argparse.Namespace, options: Options) -> int:
    """List the library, or check files."""
    if args.agents_verb == "validate":
        return _validate([Path(name) for name in args.paths])
    secretary = Secretary(
        options.project, config.load(options.project), agents_dirs=options.agents_dirs
    )
    index = secretary.load()
    if args.json:
        say_json(
            {
                "agents": [_as_json(entry) for entry in index.entries],
                "problems": [_finding(problem) for problem in index.problems],
            },
            indent=2,
        )
        return ExitCode.DONE
    if index.entries:
        say_table(
            ("status", "id", "source", "model", "tools", "warnings"),
            [_row(entry) for entry in index.entries],
        )
    else:
        note(NO_AGENTS)
    for problem in index.problems:
        note(str(problem))
    return ExitCode.DONE


def _row(entry: IndexEntry) -> tuple[str, ...]:
    spec = entry.spec
    tools = "all" if spec.tools is None else ",".join(spec.tools) or "none"
    warnings = sum(finding.severity is Severity.WARNING for finding in spec.findings)
    return (
        entry.status,
        entry.id,
        spec.source.label,
        spec.model or "inherit",
        tools,
        str(warnings),
    )


def _as_json(entry: IndexEntry) -> dict[str, object]:
    spec = entry.spec
    return {
        "id": spec.id,
        "plugin": spec.source.plugin,
        "name": spec.name,
        "description": spec.description,
        "tools": None if spec.tools is None else list(spec.tools),
        "disallowed_tools": list(spec.disallowed_tools),
        "model": spec.model,
        "skills": list(spec.skills),
        "source": spec.source.label,
        "path": str(spec.path),
        "status": str(entry.status),
        "shadowed_by": str(entry.shadowed_by) if entry.shadowed_by else None,
        "warnings": [_finding(finding) for finding in spec.findings],
    }


def _finding(finding: Finding) -> dict[str, object]:
    return {
        "path": str(finding.path),
        "line": finding.line,
        "message": finding.message,
        "action": finding.action,
    }


def _validate(given: list[Path]) -> int:
    from secretary_tui.registry.parse import read_agent
    from secretary_tui.registry.spec import Source, SourceKind

    agents = documents = errors = warnings = 0
    for path in _agent_files(given):
        source = Source(SourceKind.AGENTS_DIR, path.parent)
        result = read_agent(path, source)
        findings = result.findings if result.spec is None else result.spec.findings
        if result.is_documentation and path in given:
            findings = (_no_frontmatter(path),)
        elif result.is_documentation:
            documents += 1
        for finding in findings:
            say(str(finding))
        agents += result.spec is not None
        errors += sum(finding.severity is Severity.ERROR for finding in findings)
        warnings += sum(finding.severity is Severity.WARNING for finding in findings)
    passed_over = f", {amount(documents, 'other document')} passed over" if documents else ""
    note(
        f"{amount(agents, 'agent')}, {amount(errors, 'error')}, {amount(warnings, 'warning')}"
        f"{passed_over}."
    )
    return ExitCode.FAILED if errors else ExitCode.DONE


def _agent_files(given: list[Path]) -> Iterator[Path]:
    """The files themselves, and every markdown file below a folder."""
    for path in given:
        if path.is_dir():
            yield from sorted(found for found in path.rglob("*.md") if not found.is_dir())
        else:
            yield path


def _no_frontmatter(path: Path) -> Finding:
    message = "there is no frontmatter, so this is no agent. Begin with --- and a description"
    return Finding(path, 1, message, Severity.ERROR, "skip")
