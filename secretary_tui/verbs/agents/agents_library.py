"""`agents new`, `show`, `path`, `shadows`, `disable`, `enable`: single agents of the library."""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

from secretary_tui import config, paths
from secretary_tui.lines.output import note, say, say_json, say_table
from secretary_tui.registry.agent_index import AgentIndex, AgentNotFoundError
from secretary_tui.registry.check.validate import validate_files
from secretary_tui.registry.create import DEFAULT_TOOLS, create_agent, plan_agent
from secretary_tui.registry.definition.fields import split_names
from secretary_tui.registry.definition.spec import AgentStatus, IndexEntry
from secretary_tui.registry.switches import disabled_in, switch_agent
from secretary_tui.sanitize import clean_line
from secretary_tui.verbs.agents import agents_sources
from secretary_tui.verbs.agents.agent_rows import entry_as_json, load_secretary
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options, UsageError


def run(args: argparse.Namespace, options: Options) -> int:
    """Do what the sub-verb says; raises what `agents` does."""
    verbs = {
        "new": _new,
        "show": _show,
        "path": _path,
        "shadows": _shadows,
        "disable": _disable,
        "enable": _enable,
    }
    return verbs[args.agents_verb](args, options)


def _new(args: argparse.Namespace, options: Options) -> int:
    tools = DEFAULT_TOOLS if args.tools is None else split_names(args.tools)
    if args.edit and not sys.stdin.isatty():
        raise UsageError("--edit needs a terminal; without it the file is only written")
    aliases = tuple(config.load(options.project).model_aliases)
    agent = plan_agent(args.name, args.description or "", tools, args.model or "", aliases)
    folder = paths.user_agents_dir() if args.user else options.project / ".claude" / "agents"
    path = create_agent(agent, folder)
    say(str(path))
    if not args.description and not args.edit:
        note("Its description is a placeholder: requests are matched with it, so write your own.")
    if args.edit:
        _edit(path)
        for finding in validate_files([path], aliases).findings:
            note(str(finding))
    entry = load_secretary(options).load().get(agent.name)
    if entry is not None and entry.spec.path != path:
        note(f"It is hidden by {entry.spec.path}, which has the same name.")
    return ExitCode.DONE


def _edit(path: Path) -> None:
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    try:
        subprocess.run([*command, str(path)], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        note(f"The editor failed: {error}. Set EDITOR, or open the file yourself.")


def _show(args: argparse.Namespace, options: Options) -> int:
    entry = load_secretary(options).load().find(args.id)
    if args.json:
        say_json({**entry_as_json(entry), "prompt": entry.spec.prompt}, indent=2)
        return ExitCode.DONE
    spec = entry.spec
    status = f"{entry.status} by {entry.disabled_by}" if entry.disabled_by else str(entry.status)
    tools = "all" if spec.tools is None else ", ".join(spec.tools) or "none"
    rows = [
        ("id", entry.id),
        ("status", status),
        ("source", spec.source.label),
        ("file", str(spec.path) if spec.path.is_absolute() else "none: given on the command line"),
        ("model", spec.model or "the session's"),
        ("tools", tools),
    ]
    if spec.disallowed_tools:
        rows.append(("not", ", ".join(spec.disallowed_tools)))
    if spec.skills:
        rows.append(("skills", ", ".join(spec.skills)))
    for name, value in rows:
        say(f"{name:<8}{clean_line(value)}")
    say(f"\n{spec.description.strip()}\n\n{spec.prompt.strip()}")
    for finding in spec.findings:
        note(str(finding))
    return ExitCode.DONE


def _path(args: argparse.Namespace, options: Options) -> int:
    path = load_secretary(options).load().find(args.id).spec.path
    if not path.is_absolute():
        note(f"{args.id} has no file: it was given on the command line.")
        return ExitCode.FAILED
    say(str(path))
    return ExitCode.DONE


def _shadows(args: argparse.Namespace, options: Options) -> int:
    index = load_secretary(options).load()
    if args.id is None:
        ids = {e.id for e in index.entries if e.status is AgentStatus.SHADOWED}
        rivals = [entry for entry in index.entries if entry.id in ids]
        if not rivals:
            note("No agent hides another.")
    else:
        agent_id = index.find(args.id).id
        rivals = [entry for entry in index.entries if entry.id == agent_id]
        if len(rivals) == 1:
            note(f"{agent_id} hides no agent, and none hides it.")
            rivals = []
    rows = [
        (entry.status, entry.id, entry.spec.source.label, str(entry.spec.path), _hidden_by(entry))
        for entry in sorted(rivals, key=lambda entry: (entry.id, entry.status != "active"))
    ]
    if rows:
        say_table(("status", "id", "source", "path", "hidden by"), rows)
    return ExitCode.DONE


def _hidden_by(entry: IndexEntry) -> str:
    return str(entry.shadowed_by) if entry.shadowed_by else ""


def _settings_file(args: argparse.Namespace, options: Options) -> Path:
    return paths.user_config() if args.user else options.project / paths.PROJECT_CONFIG


def _names_a_source(args: argparse.Namespace) -> bool:
    if (not args.ids) == (args.source is None):
        both = ", not both" if args.ids else ""
        verb = f"agents {args.agents_verb}"
        raise UsageError(f"name an agent's ID or a --source NAME{both}: {verb} ID")
    return args.source is not None


def _disable(args: argparse.Namespace, options: Options) -> int:
    if _names_a_source(args):
        return agents_sources.switch(args, options, on=False)
    index = load_secretary(options).load()
    path = _settings_file(args, options)
    # All are found before one is switched off.
    for agent_id in [_listed_id(reference, index) for reference in args.ids]:
        changed = switch_agent(agent_id, path, on=False)
        again = "" if changed else " as before"
        say(f"{agent_id} is disabled{again} in {paths.shown(path)}.")
    return ExitCode.DONE


def _listed_id(reference: str, index: AgentIndex) -> str:
    try:
        return index.find(reference).id
    except AgentNotFoundError as error:
        if any(reference in report.source.names for report in index.sources):
            message = f"{error}. For all agents of that source: agents disable --source {reference}"
            raise UsageError(message) from None
        raise


def _enable(args: argparse.Namespace, options: Options) -> int:
    if _names_a_source(args):
        return agents_sources.switch(args, options, on=True)
    statuses = [
        _enable_one(agent_id, args, options)
        for agent_id in [_disabled_id(reference, options) for reference in args.ids]
    ]
    return max(statuses)


def _enable_one(agent_id: str, args: argparse.Namespace, options: Options) -> int:
    path = _settings_file(args, options)
    changed = switch_agent(agent_id, path, on=True)
    settings = config.load(options.project)
    if agent_id not in settings.disabled_agents:
        say(f"{agent_id} is {'enabled' if changed else 'enabled as before'}.")
        return ExitCode.DONE
    if not args.user and agent_id in disabled_in(paths.user_config()):
        where, how = paths.shown(paths.user_config()), f"`agents enable {agent_id} --user`"
        note(f"{agent_id} is still disabled for all projects in {where}: {how} enables it.")
    elif args.user and agent_id in disabled_in(options.project / paths.PROJECT_CONFIG):
        note(f"{agent_id} is still disabled in this project: `agents enable {agent_id}`.")
    else:
        note(f"{agent_id} is still disabled by SECRETARY_TUI_DISABLED_AGENTS.")
    return ExitCode.FAILED


def _disabled_id(reference: str, options: Options) -> str:
    """The agent's id; one that is gone can still be taken off the list by its id."""
    try:
        return load_secretary(options).load().find(reference).id
    except AgentNotFoundError:
        if reference in config.load(options.project).disabled_agents:
            return reference
        raise
