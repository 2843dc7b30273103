"""`model get|list|use|status`: models for this machine, without the screen."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import signal
import sys
from pathlib import Path

from secretary_tui import config
from secretary_tui.engines.local.progress import Phase, Progress
from secretary_tui.engines.local.weights import (
    ModelState,
    find_model,
    list_models,
    model_status,
    named_model,
    partial_bytes,
    resolve_local_model,
    use_model,
)
from secretary_tui.lines.description_reading import learn_sentences
from secretary_tui.lines.output import file_size, note, say, say_json, say_table, shorten
from secretary_tui.lines.plain_mode import prefers_lines
from secretary_tui.sanitize import clean_line
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options, UsageError

_BAR = 24
_STEP = 10
"""Per cent between two lines of a log."""


def run(args: argparse.Namespace, options: Options) -> int:
    """Do what the verb says.

    Raises:
        EngineError: there is no such model, or it can't be downloaded, verified or used.
        UsageError: a model to find agents with is to run them.
    """
    if args.model_verb == "get":
        return asyncio.run(_get(args.name, options))
    if args.model_verb == "use":
        finders = {weights.id for weights in list_models() if weights.finds_agents}
        if args.path in finders and not Path(args.path).exists():
            raise UsageError(
                f"{args.path} can't run agents, it helps to find them, as soon as "
                f"`secretary-tui model get {args.path}` has downloaded it"
            )
        path = use_model(named_model(args.path))
        say(f"The local engine now uses {path}.")
        _note_where_models_answer(options)
        return ExitCode.DONE
    if args.model_verb in (None, "list"):
        return _list(as_json=args.json)
    return _status(config.load(options.project), as_json=args.json)


def _note_where_models_answer(options: Options) -> None:
    """Say so when the settings keep the local engine from being used."""
    engine = config.load(options.project).engine
    if engine not in ("auto", "local"):
        note(
            f"The settings say `engine: {engine}`, so it is not used: `run --engine local` "
            "uses it for one run, F4 on the screen for all."
        )


async def _get(name: str | None, options: Options) -> int:
    from secretary_tui.engines.local.download import download

    weights = find_model(name) if name else list_models()[0]
    here = partial_bytes(weights)
    resumed = f", {file_size(here)} already downloaded" if here else ""
    note(f"{weights.title}, {file_size(weights.size)}, {weights.licence}{resumed}.")
    cancel = asyncio.Event()
    loop = asyncio.get_running_loop()
    before = signal.getsignal(signal.SIGINT)
    loop.add_signal_handler(signal.SIGINT, cancel.set)
    line = ProgressLine()
    try:
        path = await download(weights, line.show, cancel)
    finally:
        line.close()
        loop.remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, before)
    if path is None:
        kept = file_size(partial_bytes(weights))
        note(f"Stopped; {kept} kept. `secretary-tui model get {weights.id}` resumes.")
        return ExitCode.INTERRUPTED
    if weights.finds_agents:
        await asyncio.to_thread(_read_library, options)
        say(f"Agents are now also found by the meaning of sentences. {weights.note}")
    else:
        say(f"The local engine now uses {path}. {weights.note}")
        _note_where_models_answer(options)
    return ExitCode.DONE


def _read_library(options: Options) -> None:
    """Read the library's descriptions now, so that no request has to wait for it."""
    secretary = options.secretary(config.load(options.project))
    secretary.load()
    learn_sentences(secretary.library)
    if problem := secretary.library.sentences.problem:
        note(problem)


def _list(*, as_json: bool) -> int:
    models = list_models()
    if as_json:
        say_json(
            {
                "models": [
                    {
                        "id": weights.id,
                        "title": weights.title,
                        "bytes": weights.size,
                        "sha256": weights.sha256,
                        "licence": weights.licence,
                        "url": weights.url,
                        "note": weights.note,
                    }
                    for weights in models
                ]
            },
            indent=2,
        )
        return ExitCode.DONE
    say_table(
        ("id", "size", "licence", "note"),
        [
            (weights.id, file_size(weights.size), weights.licence, weights.note)
            for weights in models
        ],
    )
    return ExitCode.DONE


def _status(settings: config.Config, *, as_json: bool) -> int:
    statuses = model_status(settings)
    used = resolve_local_model(settings)
    if as_json:
        say_json(
            {
                "local_model": str(used) if used else None,
                "configured": settings.local_model or None,
                "models": [
                    {
                        "id": status.weights.id,
                        "state": str(status.state),
                        "path": str(status.path),
                        "bytes_here": status.bytes_here,
                        "bytes": status.weights.size,
                        "in_use": status.in_use,
                    }
                    for status in statuses
                ],
            },
            indent=2,
        )
        return ExitCode.DONE
    say_table(
        ("id", "state", "here", "of", "path"),
        [
            (
                status.weights.id,
                "in use" if status.in_use else str(status.state),
                file_size(status.bytes_here),
                file_size(status.weights.size),
                "" if status.state is ModelState.MISSING else str(status.path),
            )
            for status in statuses
        ],
    )
    note(_in_use(settings, used))
    return ExitCode.DONE


def _in_use(settings: config.Config, used: Path | None) -> str:
    if used is not None:
        return f"The local engine uses {used}."
    if settings.local_model:
        return f"The configured file {settings.local_model} is missing: `model use` sets another."
    return "There is no local model yet. `secretary-tui model get` downloads one."


class ProgressLine:
    """A download on the error output: a line that renews itself, a few lines in a log."""

    def __init__(self) -> None:
        self._on_terminal = sys.stderr.isatty() and not prefers_lines()
        self._line_is_open = False
        self._told: tuple[Phase, int] | None = None

    def show(self, progress: Progress) -> None:
        """Take the next look at the download."""
        if progress.note:
            self.close()
            note(clean_line(progress.note))
        percent = progress.percent
        if self._on_terminal:
            width = shutil.get_terminal_size().columns - 1
            line = shorten(f"{_bar(percent)} {_facts(progress, percent)}", width)
            sys.stderr.write(f"\r{line.ljust(width)}")
            sys.stderr.flush()
            self._line_is_open = True
            return
        step = (progress.phase, percent // _STEP)
        if step != self._told:
            self._told = step
            note(_facts(progress, percent))

    def close(self) -> None:
        """End the line, so that what follows begins on one of its own."""
        if self._line_is_open:
            sys.stderr.write("\n")
            sys.stderr.flush()
            self._line_is_open = False


def _bar(percent: int) -> str:
    full = _BAR * percent // 100
    return "[" + "#" * full + "-" * (_BAR - full) + "]"


def _facts(progress: Progress, percent: int) -> str:
    parts = [f"{progress.phase} {percent} %"]
    if progress.phase is Phase.DOWNLOADING:
        parts.append(f"{file_size(progress.done)} of {file_size(progress.total)}")
        if progress.eta_s is not None:
            parts.append(f"{file_size(progress.bytes_per_s)}/s, {_duration(progress.eta_s)} left")
        if progress.source:
            parts.append(f"from {clean_line(progress.source)}")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
