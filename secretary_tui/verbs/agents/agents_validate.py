"""`agents validate`: what is wrong with definition files, for people, scripts and CI."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from secretary_tui import config, paths
from secretary_tui.lines.output import amount, note, say, say_json
from secretary_tui.lines.terminal_lines import is_confirmed, somebody_is_there
from secretary_tui.registry.check.fix import OURS_TO_MEND, Repair, plan_repair
from secretary_tui.registry.check.validate import (
    Validation,
    agent_files,
    validate_files,
    validate_index,
)
from secretary_tui.registry.definition.spec import Finding, Severity
from secretary_tui.registry.unlisted import find_unlisted
from secretary_tui.sanitize import clean_line, reveal
from secretary_tui.verbs.agents.agent_rows import load_secretary
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.library_notes import explain_unlisted
from secretary_tui.verbs.options import Options, UsageError

_MAX_NAMED = 8
"""Passed over files that are named; the JSON has all."""


def run(args: argparse.Namespace, options: Options) -> int:
    """Check the files named, or the whole library; mend them first with `--fix`.

    Raises:
        UsageError: options that don't go together, or nothing where `--fix` shall mend.
    """
    if (args.yes or args.dry_run) and not args.fix:
        raise UsageError("--yes and --dry-run go with --fix")
    if args.yes and args.dry_run:
        raise UsageError("--yes writes and --dry-run doesn't: give one of them")
    given = [Path(name) for name in args.paths]
    left: list[Finding] = []
    if args.fix:
        files = _files(given) if given else _own_files(options)
        repairs, left = _plan(files)
        status = _mend(repairs, left, ask=not args.yes, only_show=args.dry_run)
        if args.dry_run or status is not ExitCode.DONE:
            return status
    aliases = tuple(config.load(options.project).model_aliases)
    if given:
        found = validate_files(given, aliases)
    else:
        index = load_secretary(options).load()
        found = validate_index(index, aliases)
        if unlisted := find_unlisted(options.project, index):
            note(explain_unlisted(unlisted))
    _FORMATS[args.format](found, left)
    return ExitCode.FAILED if found.count(Severity.ERROR) else ExitCode.DONE


def _as_text(found: Validation, left: Iterable[Finding]) -> None:
    for finding in (*found.findings, *left):
        say(str(finding))
    errors, warnings = found.count(Severity.ERROR), found.count(Severity.WARNING)
    parts = [amount(found.agents, "agent"), amount(errors, "error"), amount(warnings, "warning")]
    if notes := found.count(Severity.NOTE):
        parts.append(amount(notes, "note"))
    if found.silent:
        parts.append(f"{amount(found.silent, 'file')} that Claude Code skips without a word")
    if found.passed:
        listed = ", ".join(_short(path) for path in found.passed[:_MAX_NAMED])
        more = f" and {len(found.passed) - _MAX_NAMED} more" * (len(found.passed) > _MAX_NAMED)
        passed = amount(len(found.passed), "other document")
        parts.append(f"{passed} without frontmatter passed over ({clean_line(listed)}{more})")
    note(f"{', '.join(parts)}.")


def _as_json(found: Validation, left: Iterable[Finding]) -> None:
    say_json(
        {
            "agents": found.agents,
            "errors": found.count(Severity.ERROR),
            "warnings": found.count(Severity.WARNING),
            "notes": found.count(Severity.NOTE),
            "skipped_by_claude_code": found.silent,
            "documents": len(found.passed),
            "passed_over": [str(path) for path in found.passed],
            "findings": [
                {
                    "path": str(finding.path),
                    "line": finding.line,
                    "severity": str(finding.severity),
                    "kind": finding.kind,
                    "message": finding.message,
                    "action": finding.action,
                    "skipped_by_claude_code": finding.silent,
                }
                for finding in (*found.findings, *left)
            ],
        },
        indent=2,
    )


def _as_github(found: Validation, left: Iterable[Finding]) -> None:
    """Workflow commands of GitHub Actions, paths as the checkout has them."""
    for finding in (*found.findings, *left):
        path = _short(finding.path)
        properties = [f"file={_property(path)}"]
        if finding.line:
            properties.append(f"line={finding.line}")
        properties.append(f"title={_property(finding.kind)}")
        command = "notice" if finding.severity is Severity.NOTE else finding.severity
        say(f"::{command} {','.join(properties)}::{_data(finding.message)}")


_FORMATS: dict[str, Callable[[Validation, Iterable[Finding]], None]] = {
    "text": _as_text,
    "json": _as_json,
    "github": _as_github,
}


def _short(path: Path) -> str:
    """A path as the checkout has it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _data(text: str) -> str:
    """Escape a workflow command's message."""
    return clean_line(text).replace("%", "%25")


def _property(text: str) -> str:
    """Escape a workflow command's property, where `:` and `,` end a value too."""
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return escaped.replace(":", "%3A").replace(",", "%2C")


def _files(given: Iterable[Path]) -> list[Path]:
    """The files named, and those below folders named.

    Raises:
        UsageError: one of them isn't there.
    """
    files: list[Path] = []
    for path in given:
        place = paths.with_home(path).absolute()
        if not place.exists():
            raise UsageError(f"there is no file or folder {path} to fix")
        files += agent_files(place)[0] if place.is_dir() else [place]
    return files


def _own_files(options: Options) -> list[Path]:
    entries = load_secretary(options).load().entries
    return [entry.spec.path for entry in entries if entry.spec.source.kind in OURS_TO_MEND]


def _plan(files: Iterable[Path]) -> tuple[list[Repair], list[Finding]]:
    """What can be mended, and why the rest can't; a file with two paths is planned once."""
    repairs: list[Repair] = []
    left: list[Finding] = []
    for path in {file.resolve(): file for file in files}.values():
        planned = plan_repair(path)
        if isinstance(planned, Repair):
            repairs.append(planned)
        elif planned is not None:
            left.append(planned)
    return repairs, left


def _mend(repairs: list[Repair], left: list[Finding], *, ask: bool, only_show: bool) -> ExitCode:
    """Show every diff, ask, write. A dry run's diffs are its result, otherwise they are remarks."""
    show = say if only_show else note
    for repair in repairs:
        show(reveal(repair.diff))
    if only_show:
        for finding in left:
            note(str(finding))
        note(f"{amount(len(repairs), 'file')} would be fixed; nothing was written.")
        return ExitCode.DONE
    if not repairs:
        note("Nothing to fix.")
        return ExitCode.DONE
    if ask and not _may_write(len(repairs)):
        return ExitCode.CANCELLED
    mended = 0
    for repair in repairs:
        try:
            problem = repair.write()
        except OSError as error:
            message = f"the file can't be written ({error.strerror}); check its permissions"
            left.append(Finding(repair.path, None, message, Severity.WARNING, "keep", "not-fixed"))
            continue
        if problem is None:
            mended += 1
        else:
            left.append(problem)
    note(f"{amount(mended, 'file')} fixed.")
    return ExitCode.DONE


def _may_write(count: int) -> bool:
    if not somebody_is_there():
        note("Nothing was written: there is no terminal to ask. Use --yes or --dry-run.")
        return False
    if is_confirmed(f"Write {amount(count, 'file')}? [y/N] "):
        return True
    note("Nothing was written.")
    return False
