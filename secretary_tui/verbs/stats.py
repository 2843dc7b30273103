"""`stats`: how good the recommendations were, how the agents fared, and what it all cost."""

from __future__ import annotations

import argparse
import dataclasses
import shutil
import sys
import textwrap
from datetime import date, datetime, timedelta

from secretary_tui.lines.output import note, say, say_json
from secretary_tui.number_format import glyphs_for
from secretary_tui.sessions.past import Past, read_past
from secretary_tui.sessions.statistics.report import (
    AGENT_LEGEND,
    ReportSection,
    agent_header,
    agent_line,
    headline,
    sections,
)
from secretary_tui.sessions.statistics.statistics import Share, Statistics, summarize
from secretary_tui.spend import Spend, cost_json
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options

_MOST_AGENTS = 25
_INDENT = "  "
_WIDEST = 100
"""Wider plots are no clearer."""


def run(args: argparse.Namespace, options: Options) -> int:
    """Print the statistics of this project, or of all."""
    past = read_past(None if args.all_projects else options.project)
    today = None if args.days is None else datetime.now().date()
    since = today and today - timedelta(days=args.days - 1)
    found = summarize(past.decisions, past.runs, agent=args.agent, since=since, today=today)
    if args.json:
        say_json(as_json(found, since), indent=2)
    elif not (found.requests or found.runs):
        note(_nothing(past, args.agent, args.days, everywhere=args.all_projects))
    else:
        _show(found)
    return ExitCode.DONE


def _show(found: Statistics) -> None:
    width = min(_WIDEST, shutil.get_terminal_size().columns) - len(_INDENT)
    agents = [agent_line(use, width) for use in found.agents[:_MOST_AGENTS]]
    more = len(found.agents) - len(agents)
    if more:
        agents.append(f"and {more:,} more: --json has them all, --agent ID one")
    agents += textwrap.wrap(AGENT_LEGEND, width)
    table = ReportSection("Agents", (agent_header(width), *agents))
    say(headline(found))
    for section in (*sections(found, width, glyphs=glyphs_for(sys.stdout.encoding)), table):
        say(f"\n{section.title}")
        for line in section.lines:
            say(f"{_INDENT}{line}")


def _nothing(past: Past, agent: str | None, days: int | None, *, everywhere: bool) -> str:
    if agent is not None and agent not in past.agents:
        from rapidfuzz.process import extract

        near = ", ".join(name for name, *_ in extract(agent, past.agents, limit=3, score_cutoff=60))
        hint = f" Did you mean {near}?" if near else ""
        return f"No statistics for an agent {agent} here yet.{hint}"
    if days is not None and (past.decisions or past.runs):
        return f"Nothing happened in the last {days} days. Leave out --days to count everything."
    if everywhere:
        return "No statistics yet: they begin with your first request."
    return (
        "No statistics for this project yet: they begin with your first request. "
        "--all-projects counts the others."
    )


def as_json(found: Statistics, since: date | None) -> dict[str, object]:
    """The statistics as JSON types; shares and costs get what people would compute from them."""
    return {"since": since.isoformat() if since else None, **_fields(found)}


def _fields(value: object) -> dict[str, object]:
    if not dataclasses.is_dataclass(value):
        raise TypeError(f"{value!r} has no fields")
    plain = {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Share):
        plain["share"] = value.value
    return plain


def _plain(value: object) -> object:
    if isinstance(value, Spend):
        return cost_json(value)
    if dataclasses.is_dataclass(value):
        return _fields(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, tuple):
        if value and all(_is_pair(item) for item in value):
            return dict(value)
        return [_plain(item) for item in value]
    return value


def _is_pair(item: object) -> bool:
    return isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)
