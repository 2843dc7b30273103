"""`doctor [--json] [--online]`: what the program sees on this machine, to read or to send along."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Sequence

from secretary_tui import config
from secretary_tui.lines.output import say, say_json
from secretary_tui.registry.unlisted import find_unlisted
from secretary_tui.verbs import doctor_sections as sections
from secretary_tui.verbs.doctor_sections import DoctorSection
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options


def run(args: argparse.Namespace, options: Options) -> int:
    """Print the report; 1 only when `--online` finds that the model does not answer."""
    report = asyncio.run(_examine(options, online=args.online))
    if args.json:
        say_json({section.name: section.data for section in report}, indent=2)
    else:
        _print(report)
    return ExitCode.DONE if all(section.ok for section in report) else ExitCode.FAILED


async def _examine(options: Options, *, online: bool) -> Sequence[DoctorSection]:
    settings = config.load(options.project)
    secretary = options.secretary(settings)
    try:
        started = time.perf_counter()
        index = secretary.load()
        scan_ms = (time.perf_counter() - started) * 1000
        return [
            sections.program(),
            sections.python(),
            sections.terminal(),
            sections.settings(options.project, settings),
            sections.agents(index, scan_ms, find_unlisted(options.project, index)),
            sections.engine_in_use(secretary),
            sections.semantic(settings),
            *([await sections.online(secretary)] if online else []),
            sections.sandbox(),
            sections.folders(),
        ]
    finally:
        await secretary.aclose()


def _print(report: Sequence[DoctorSection]) -> None:
    for section in report:
        first, *rest = section.lines
        say(f"{section.name:<10}{first}")
        for line in rest:
            say(f"{'':<10}{line}")
