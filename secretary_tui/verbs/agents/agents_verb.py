"""`agents`: which agents there are; its sub-verbs are in the modules beside this one."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from secretary_tui import config
from secretary_tui.registry.agent_index import AgentIndex
from secretary_tui.registry.check.validate import validate_index
from secretary_tui.registry.definition.spec import Finding, IndexEntry, Severity
from secretary_tui.registry.unlisted import find_unlisted
from secretary_tui.secretary import Secretary
from secretary_tui.verbs.agents.unlisted_notes import as_json, explain_unlisted
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options
from secretary_tui.verbs.output import note, say_json, say_table
from secretary_tui.verbs.running.no_match import NO_AGENTS


def run(args: argparse.Namespace, options: Options) -> int:
    """List the library, or do what the sub-verb says.

    Raises:
        UsageError: options that don't go together.
        AgentNotFoundError: the library has no such agent.
        SourceNotFoundError: there is no such source of agents.
        NewAgentError: an agent can't be created as asked.
        ConfigError: the settings can't be changed.
    """
    if args.agents_verb == "validate":
        from secretary_tui.verbs.agents import agents_validate

        return agents_validate.run(args, options)
    if args.agents_verb == "sources":
        from secretary_tui.verbs.agents import agents_sources

        return agents_sources.run(args, options)
    if args.agents_verb not in (None, "list"):
        from secretary_tui.verbs.agents import agents_library

        return agents_library.run(args, options)
    secretary = load_secretary(options)
    index = secretary.load()
    warnings = _warnings(index, tuple(secretary.config.model_aliases))
    unlisted = find_unlisted(options.project, index)
    if args.json:
        say_json(
            {
                "agents": [
                    entry_as_json(entry, warnings.get(entry.spec.path, ()))
                    for entry in index.entries
                ],
                "problems": [_finding(problem) for problem in index.problems],
                "unlisted": as_json(unlisted),
            },
            indent=2,
        )
        return ExitCode.DONE
    if index.entries:
        say_table(
            ("status", "id", "source", "model", "tools", "warnings"),
            [_row(entry, len(warnings.get(entry.spec.path, ()))) for entry in index.entries],
        )
    else:
        note(NO_AGENTS)
    for problem in index.problems:
        note(str(problem))
    if unlisted is not None:
        note(explain_unlisted(unlisted))
    return ExitCode.DONE


def load_secretary(options: Options) -> Secretary:
    """The service over the library that the command line names."""
    return Secretary(
        options.project,
        config.load(options.project),
        agents_dirs=options.agents_dirs,
        agents=options.agents,
    )


def _warnings(index: AgentIndex, aliases: Collection[str]) -> Mapping[Path, Sequence[Finding]]:
    """What `agents validate` warns of, by file."""
    found: dict[Path, list[Finding]] = {}
    for finding in validate_index(index, aliases).findings:
        if finding.severity is Severity.WARNING:
            found.setdefault(finding.path, []).append(finding)
    return found


def _row(entry: IndexEntry, warnings: int) -> tuple[str, ...]:
    spec = entry.spec
    tools = "all" if spec.tools is None else ",".join(spec.tools) or "none"
    return (
        entry.status,
        entry.id,
        spec.source.label,
        spec.model or "inherit",
        tools,
        str(warnings),
    )


def entry_as_json(
    entry: IndexEntry, warnings: Sequence[Finding] | None = None
) -> dict[str, object]:
    """An agent in the shape of `agents --json`, by default with what reading it found."""
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
        "dialect": str(spec.dialect),
        "path": str(spec.path),
        "status": str(entry.status),
        "shadowed_by": str(entry.shadowed_by) if entry.shadowed_by else None,
        "warnings": [
            _finding(finding) for finding in (spec.findings if warnings is None else warnings)
        ],
    }


def _finding(finding: Finding) -> dict[str, object]:
    return {
        "path": str(finding.path),
        "line": finding.line,
        "message": finding.message,
        "action": finding.action,
    }
