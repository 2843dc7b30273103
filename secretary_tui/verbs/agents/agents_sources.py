"""`agents sources`, and `agents disable|enable --source`: whole sources of agents."""

from __future__ import annotations

import argparse
from collections import Counter

from secretary_tui import config, paths
from secretary_tui.lines.output import amount, note, say, say_json, say_table
from secretary_tui.registry.agent_index import AgentIndex
from secretary_tui.registry.definition.spec import AgentStatus, Source
from secretary_tui.registry.switches import (
    disabled_sources_in,
    find_source,
    source_labels,
    switch_source,
)
from secretary_tui.verbs.agents.agent_rows import load_secretary
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options


def run(args: argparse.Namespace, options: Options) -> int:
    """List the sources that hold agents."""
    index = load_secretary(options).load()
    rows = _rows(index)
    called = source_labels(source for source, *_ in rows)
    if args.names:
        for name in dict.fromkeys(called.values()):
            say(name)
    elif args.json:
        said = [
            {
                "source": called[source],
                "kind": str(source.kind),
                "path": str(source.root),
                "agents": agents,
                "disabled_by": disabled_by or None,
            }
            for source, agents, disabled_by in rows
        ]
        say_json({"sources": said, "not_installed": _offered(index)}, indent=2)
    elif args.offered:
        _list_offered(index)
    else:
        say_table(
            ("status", "source", "agents", "path"),
            [
                ("disabled" if by else "active", called[source], str(agents), str(source.root))
                for source, agents, by in rows
            ],
        )
        if index.not_installed:
            count = amount(len(index.not_installed), "plugin")
            note(f"Marketplaces offer {count} besides: `agents sources --offered` lists them.")
    return ExitCode.DONE


def _list_offered(index: AgentIndex) -> None:
    if not index.not_installed:
        note("Marketplaces offer no plugin that is not installed.")
        return
    rows = [(plugin.id, plugin.origin, plugin.install) for plugin in index.not_installed]
    say_table(("plugin", "from", "install in Claude Code with"), rows)


def _offered(index: AgentIndex) -> list[dict[str, str]]:
    return [
        {
            "plugin": plugin.id,
            "from": plugin.origin,
            "install": plugin.install,
            "description": plugin.description,
        }
        for plugin in index.not_installed
    ]


def switch(args: argparse.Namespace, options: Options, *, on: bool) -> int:
    """Switch the source on or off that `--source` names.

    Raises:
        SourceNotFoundError: there is no such source.
        ConfigError: the settings can't be changed.
    """
    settings = config.load(options.project)
    index = load_secretary(options).load()
    sources = [report.source for report in index.sources]
    project = options.project / paths.PROJECT_CONFIG
    path, other = (paths.user_config(), project) if args.user else (project, paths.user_config())
    if on and args.source in settings.disabled_sources:
        name, names = args.source, frozenset({args.source})  # Also one that is gone by now.
        if any(args.source in source.names for source in sources):
            name, names = find_source(args.source, sources)
    else:
        name, names = find_source(args.source, sources)
    changed = switch_source(name, names, path, on=on)
    again = "" if changed else " as before"
    if not on:
        count = sum(1 for e in index.entries if names & set(e.spec.source.names))
        say(f"{name} is disabled{again} in {paths.shown(path)}: {amount(count, 'agent')}.")
        return ExitCode.DONE
    left = sorted(
        _still_off(name, names, sources) & set(config.load(options.project).disabled_sources)
    )
    if not left:
        say(f"{name} is enabled{again}.")
        return ExitCode.DONE
    if set(left) & set(disabled_sources_in(other)):
        how = f"agents enable --source {left[0]}" + ("" if args.user else " --user")
        note(f"{name} is still disabled by {left[0]} in {paths.shown(other)}: `{how}` enables it.")
    elif set(left) & set(disabled_sources_in(path)):
        note(
            f"{name} is still disabled by {left[0]} in {paths.shown(path)}: "
            f"`agents enable --source {left[0]}` enables all of it."
        )
    else:
        note(f"{name} is still disabled by SECRETARY_TUI_DISABLED_SOURCES.")
    return ExitCode.FAILED


def _still_off(name: str, names: frozenset[str], sources: list[Source]) -> set[str]:
    """All the names that would keep it switched off, such as `plugin` for one of the plugins."""
    meant = [source for source in sources if names & set(source.names)]
    return {name, *names, *(every for source in meant for every in source.names)}


def _rows(index: AgentIndex) -> list[tuple[Source, int, str]]:
    """Each source with its agents and what switches it off; empty ones are left out."""
    off = {
        entry.spec.source: entry.disabled_by
        for entry in index.entries
        if entry.status is AgentStatus.DISABLED
        and entry.disabled_by != "the setting disabled_agents"
    }
    agents = Counter(entry.spec.source for entry in index.entries)
    return [
        (report.source, agents[report.source], off.get(report.source, ""))
        for report in index.sources
        if agents[report.source] or report.problems
    ]
