"""`agents`: which agents there are; its sub-verbs are in the modules beside this one."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from secretary_tui.lines.output import note, say_json, say_table
from secretary_tui.registry.agent_index import AgentIndex
from secretary_tui.registry.check.validate import validate_index
from secretary_tui.registry.definition.spec import Finding, IndexEntry, Severity
from secretary_tui.registry.unlisted import find_unlisted
from secretary_tui.routing.recommend.advice import NO_AGENTS
from secretary_tui.verbs.agents.agent_rows import entry_as_json, finding_as_json, load_secretary
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.library_notes import explain_unlisted, in_a_line, unlisted_as_json
from secretary_tui.verbs.options import Options


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
                "problems": [finding_as_json(problem) for problem in index.problems],
                "unlisted": unlisted_as_json(unlisted),
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
        note(in_a_line(NO_AGENTS))
    for problem in index.problems:
        note(str(problem))
    if unlisted is not None:
        note(explain_unlisted(unlisted))
    return ExitCode.DONE


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
