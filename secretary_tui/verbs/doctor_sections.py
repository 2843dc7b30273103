"""The sections of the doctor's report, each as JSON for programs and as lines for people."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from secretary_tui import __version__, paths
from secretary_tui.config import Config
from secretary_tui.lines.output import amount, file_size
from secretary_tui.registry.agent_index import AgentIndex, SourceReport
from secretary_tui.registry.unlisted import Unlisted
from secretary_tui.screens.keymap import with_key_problems
from secretary_tui.secretary import Secretary
from secretary_tui.verbs.library_notes import explain_unlisted, unlisted_as_json


@dataclass(frozen=True, slots=True)
class DoctorSection:
    """One subject of the report."""

    name: str
    data: object
    """JSON types only."""
    lines: tuple[str, ...]
    ok: bool = True
    """False when the subject was asked about and does not work."""


def program() -> DoctorSection:
    """The version of the program."""
    return DoctorSection("version", __version__, (f"secretary-tui {__version__}",))


def python() -> DoctorSection:
    """The interpreter and the system."""
    version, system = platform.python_version(), platform.platform()
    data = {"version": version, "path": sys.executable, "platform": system}
    return DoctorSection("python", data, (f"{version} ({sys.executable})", system))


def terminal() -> DoctorSection:
    """What kind of terminal this is, if it is one."""
    size = shutil.get_terminal_size()
    interactive = sys.stdin.isatty() and sys.stdout.isatty()
    data = {
        "term": os.environ.get("TERM", ""),
        "colorterm": os.environ.get("COLORTERM", ""),
        "no_color": bool(os.environ.get("NO_COLOR")),
        "columns": size.columns,
        "rows": size.lines,
        "interactive": interactive,
        "encoding": sys.stdout.encoding,
    }
    kind = "interactive" if interactive else "not interactive"
    name = data["term"] or "TERM is not set"
    line = f"{name}, {size.columns}×{size.lines}, {sys.stdout.encoding}, {kind}"
    return DoctorSection("terminal", data, (line,))


def settings(project: Path, config: Config) -> DoctorSection:
    """The settings files that were read, and what was wrong in them."""
    config = with_key_problems(config)
    data = {
        "project": str(project),
        "mode": str(config.activation_mode),
        "files": [str(path) for path in config.files],
        "problems": [
            {"path": problem.path, "key": problem.key, "message": problem.message}
            for problem in config.problems
        ],
    }
    files = [str(path) for path in config.files] or ["no settings file; defaults"]
    problems = [f"{problem.path}: {problem.message}" for problem in config.problems]
    return DoctorSection("config", data, (f"mode {config.activation_mode}", *files, *problems))


def agents(index: AgentIndex, scan_ms: float, unlisted: Unlisted | None = None) -> DoctorSection:
    """Every source with its counts, what could not be read and what no source leads to."""
    data = {
        "active": len(index.active),
        "total": len(index.entries),
        "scan_ms": round(scan_ms, 1),
        "sources": [
            {
                "source": report.source.label,
                "kind": str(report.source.kind),
                "path": str(report.source.root),
                "loaded": report.loaded,
                "rescued": report.rescued,
                "problems": report.problems,
            }
            for report in index.sources
        ],
        "problems": [str(problem) for problem in index.problems],
        "unlisted": unlisted_as_json(unlisted),
    }
    counts = f"{len(index.active)} active of {len(index.entries)}, read in {scan_ms:.0f} ms"
    sources = map(_source_line, index.sources)
    more = (explain_unlisted(unlisted),) if unlisted else ()
    return DoctorSection("agents", data, (counts, *sources, *map(str, index.problems), *more))


def engine_in_use(secretary: Secretary) -> DoctorSection:
    """The engine in use and why it is this one."""
    choice = secretary.engines.choice
    label = choice.engine.label if choice.engine is not None else ""
    offers = secretary.engines.offers()
    data = {
        "kind": str(choice.kind),
        "why": choice.why,
        "label": label,
        "engines": [
            {"name": o.name, "label": o.label, "limits": list(o.limits), "problem": o.problem}
            for o in offers
        ],
    }
    others = [
        f"{o.name}: {o.problem or ', '.join(('can be used', *o.limits))}"
        for o in offers
        if o.name != choice.kind
    ]
    return DoctorSection("engine", data, (f"{label or choice.kind}: {choice.why}", *others))


def semantic(config: Config) -> DoctorSection:
    """Whether agents are found by the meaning of sentences, and from which files."""
    from secretary_tui.routing.sentences.sentence_model import (
        SentenceModelError,
        find_sentence_model,
    )

    files = find_sentence_model()
    data: dict[str, object] = {
        "setting": config.semantic,
        "path": None,
        "model": None,
        "problem": None,
    }
    if files is None:
        line = "no: words alone; `secretary-tui model get semantic` fetches what it takes (91 MB)"
        return DoctorSection("semantic", {**data, "in_use": False}, (line,))
    data |= {"path": str(files.weights), "model": files.model.weights.id}
    try:
        files.verify()
        files.load()
    except SentenceModelError as error:
        return DoctorSection(
            "semantic", {**data, "in_use": False, "problem": str(error)}, (str(error),)
        )
    in_use = config.semantic != "off"
    said = "yes: agents are found by the meaning of sentences too" if in_use else "off by setting"
    which = f"{files.model.weights.id}: {files.weights}"
    return DoctorSection("semantic", {**data, "in_use": in_use}, (said, which))


async def online(secretary: Secretary) -> DoctorSection:
    """Have the default model say one token: only that shows that key, address and model fit."""
    engine = secretary.engine
    if engine is None:
        return _answer(False, secretary.engines.choice.why)
    from secretary_tui.engines.choose import probe

    result = await probe(engine)
    return _answer(result.ok, result.sentence)


def sandbox() -> DoctorSection:
    """How Bash is confined."""
    from secretary_tui.delegation.sandbox.sandbox import sandbox_status

    kind, sentence = sandbox_status()
    return DoctorSection("sandbox", {"kind": kind, "message": sentence}, (sentence,))


def folders() -> DoctorSection:
    """Where data lives and how much there is."""
    rows = [(name, path, path.is_dir(), _size(path)) for name, path in _folders()]
    data = [
        {"name": name, "path": str(path), "exists": exists, "bytes": size}
        for name, path, exists, size in rows
    ]
    lines = (
        f"{name}: {path}, {file_size(size) if exists else 'not there yet'}"
        for name, path, exists, size in rows
    )
    return DoctorSection("folders", data, tuple(lines))


def _answer(ok: bool, message: str) -> DoctorSection:
    line = f"{'yes' if ok else 'no'}: {message}"
    return DoctorSection("online", {"ok": ok, "message": message}, (line,), ok)


def _source_line(report: SourceReport) -> str:
    parts = [amount(report.loaded, "agent")]
    if report.rescued:
        parts.append(f"{report.rescued} rescued")
    if report.problems:
        parts.append(amount(report.problems, "problem"))
    return f"{report.source.label}: {', '.join(parts)} in {report.source.root}"


def _folders() -> Iterable[tuple[str, Path]]:
    yield "config", paths.config_dir()
    yield "models", paths.models_dir()
    yield "runs", paths.runs_dir()
    yield "state", paths.state_dir()
    yield "cache", paths.cache_dir()


def _size(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(parent) / name).lstat().st_size
            except OSError:
                continue  # Deleted while we looked.
    return total
