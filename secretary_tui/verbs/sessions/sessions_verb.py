"""`sessions`: show a stored run or go on with one; the other verbs have files of their own."""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import sys
from contextlib import aclosing
from pathlib import Path

from secretary_tui import config
from secretary_tui.events import MessageAdded, RunEvent, RunStarted, TextDelta, UserMessage, to_json
from secretary_tui.lines.output import note, say, say_json
from secretary_tui.lines.run_lines import sentence_about
from secretary_tui.sessions.errors import SessionError
from secretary_tui.sessions.follow import follow
from secretary_tui.sessions.store import RunRecord, load_run
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options
from secretary_tui.verbs.request import read_request
from secretary_tui.verbs.running.running import (
    carry_out,
    people_for,
    permission_mode,
    require_engine,
    with_engine,
)


def run(args: argparse.Namespace, options: Options) -> int:
    """List the runs, show one, or go on with one.

    Raises:
        SessionError: there is no such run, or it can't be read.
    """
    if args.sessions_verb in (None, "list", "search"):
        from secretary_tui.verbs.sessions.sessions_list import list_sessions

        return list_sessions(args, options)
    if args.sessions_verb == "undo":
        from secretary_tui.verbs.sessions.sessions_undo import undo

        return undo(args)
    if args.sessions_verb in ("export", "fork", "delete", "restore"):
        from secretary_tui.verbs.sessions import sessions_keep as keep

        act = {
            "export": keep.export_session,
            "fork": keep.fork_session,
            "delete": keep.delete_sessions,
            "restore": keep.restore_session,
        }
        return act[args.sessions_verb](args)
    if args.sessions_verb == "show":
        if args.follow:
            return asyncio.run(_follow(args.id, as_json=args.json))
        return _show(load_run(args.id), as_json=args.json)
    return asyncio.run(_resume(args, options))


def _show(record: RunRecord, *, as_json: bool) -> int:
    if as_json:
        say_json(
            {
                "id": record.id,
                "path": str(record.path),
                "outcome": str(record.outcome),
                "usage": dataclasses.asdict(record.usage),
                "cost_usd": record.cost_usd,
                "events": [to_json(event) for event in record.events],
                "problem": record.problem,
            },
            indent=2,
        )
        return ExitCode.DONE
    told = _Retelling()
    for event in record.events:
        told.show(event)
    told.end(record)
    return ExitCode.DONE


async def _follow(wanted: str, *, as_json: bool) -> int:
    """Show a run while another process goes on with it, until it ends."""
    told = _Retelling()
    async with aclosing(follow(wanted)) as events:
        async for event in events:
            if as_json:
                say_json(to_json(event))
            else:
                told.show(event)
                sys.stdout.flush()
    if not as_json:
        told.end(load_run(wanted))
    return ExitCode.DONE


class _Retelling:
    """Says the events of a stored run in lines."""

    def __init__(self) -> None:
        self._line_is_open = False

    def show(self, event: RunEvent) -> None:
        """Take the next event."""
        if isinstance(event, TextDelta):
            say(event.text, end="")
            self._line_is_open = not event.text.endswith("\n")
            return
        if isinstance(event, MessageAdded):
            return  # What was said stands in the deltas already.
        self._close_line()
        if isinstance(event, RunStarted) and not event.resumed:
            say(f"> {event.request}\n")
        if isinstance(event, UserMessage):
            say(f"\n> {event.text}\n")
        sentence = sentence_about(event)
        if sentence:
            say(f"[{sentence}]")

    def end(self, record: RunRecord) -> None:
        """Say how the run stands."""
        self._close_line()
        say(f"[{record.id}: {record.outcome}]")
        if record.problem:
            note(record.problem)

    def _close_line(self) -> None:
        if self._line_is_open:
            say()
            self._line_is_open = False


async def _resume(args: argparse.Namespace, options: Options) -> int:
    follow_up = read_request(args.follow_up, "follow-up")
    project = _project(load_run(args.id), options)
    secretary = options.secretary(with_engine(config.load(project), args.engine), project)
    try:
        secretary.load()
        require_engine(secretary)
        delegation = secretary.resume(
            args.id, follow_up, permission_mode=permission_mode(args.permission_mode)
        )
        if args.engine is not None:
            delegation = dataclasses.replace(delegation, engine="")
        people = people_for(secretary, args.permission_mode)
        return await carry_out(
            secretary, delegation, people, args.output_format, max_cost=args.max_cost
        )
    finally:
        await secretary.aclose()


def _project(record: RunRecord, options: Options) -> Path:
    """The folder the run worked in: its tools are confined there again."""
    started = record.started
    if not started.agent:
        raise SessionError(f"the beginning of {record.path} is damaged, so it can't go on")
    folder = Path(started.project) if started.project else options.project
    if not folder.is_dir():
        raise SessionError(f"the run worked in {folder}, which is gone. Restore it to go on")
    return folder
