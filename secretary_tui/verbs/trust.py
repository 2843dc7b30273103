"""`trust [PATH]`: say that a folder is trusted, take it back, or list what is."""

from __future__ import annotations

import argparse

from secretary_tui import paths
from secretary_tui.delegation.permissions.folder_trust import (
    forget,
    is_trusted,
    trust,
    trust_root,
    trusted_folders,
)
from secretary_tui.lines.output import note, say, say_json, say_table
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options, UsageError


def run(args: argparse.Namespace, options: Options) -> int:
    """Trust a folder, by default the project's.

    Raises:
        UsageError: there is no such folder, or options don't go together.
    """
    if args.json and not args.list:
        raise UsageError("--json goes with --list: trust --list --json")
    if args.list:
        return _list(as_json=args.json)
    folder = options.project if args.path is None else paths.with_home(args.path).absolute()
    if args.remove:
        if forget(folder):
            say(f"{paths.shown(trust_root(folder))} is no longer trusted.")
        else:
            say(f"{paths.shown(trust_root(folder))} was not trusted.")
        return ExitCode.DONE
    if not folder.is_dir():
        raise UsageError(f"there is no folder {args.path}")
    shown = paths.shown(trust_root(folder))
    if is_trusted(folder):
        say(f"{shown} is already trusted.")
        return ExitCode.DONE
    trust(folder)
    say(f"{shown} is trusted: agents may run there. `secretary-tui trust --remove` revokes it.")
    return ExitCode.DONE


def _list(*, as_json: bool) -> int:
    folders = trusted_folders()
    if as_json:
        rows = [
            {"path": str(one.path), "since": one.since, "trusted": one.stands} for one in folders
        ]
        say_json({"folders": rows}, indent=2)
        return ExitCode.DONE
    if not folders:
        note("No folder is trusted yet. The first run in a folder asks, or use `trust PATH`.")
        return ExitCode.DONE
    say_table(
        ("folder", "since", "state"),
        [
            (paths.shown(one.path), one.since, "trusted" if one.stands else "changed: asks again")
            for one in folders
        ],
    )
    return ExitCode.DONE
