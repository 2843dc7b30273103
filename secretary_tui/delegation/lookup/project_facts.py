"""Facts about a whole project: its tree, languages and manifest, and how its tests are run."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from secretary_tui.delegation.lookup.project_sight import ProjectSight
from secretary_tui.sanitize import clean_line

_LANGUAGES: Mapping[str, str] = {
    **{"py": "Python", "ts": "TypeScript", "tsx": "TypeScript", "js": "JavaScript", "go": "Go"},
    **{"jsx": "JavaScript", "mjs": "JavaScript", "rs": "Rust", "java": "Java", "cs": "C#"},
    **{"kt": "Kotlin", "c": "C", "h": "C", "cpp": "C++", "cc": "C++", "hpp": "C++", "rb": "Ruby"},
    **{"php": "PHP", "sh": "shell", "sql": "SQL", "swift": "Swift", "md": "Markdown"},
    **{"yml": "YAML", "yaml": "YAML", "toml": "TOML", "json": "JSON", "html": "HTML", "css": "CSS"},
}
_TEST_FILE = re.compile(
    r"(?:.*/)?(?:test_[^/]*\.py|[^/]*_test\.(?:py|go|rb|dart)|[^/]*\.(?:test|spec)\.[cm]?[jt]sx?"
    r"|[^/]*Tests?\.(?:java|cs|kt|php|swift)|[^/]*_spec\.rb)|tests/[^/]*\.(?:rs|sh|bats)"
)
_TARGET = re.compile(r"^([A-Za-z][\w.-]*)\s*:(?!=)", re.M)
_MAX_ENTRIES, _MAX_NAMES, _README_LINES, _MAX_VALUE = 24, 12, 12, 160
_MAX_REQUIREMENTS = 5


def folder_lines(sight: ProjectSight, folder: str = "") -> list[str]:
    """List a folder: files with their sizes, folders with the number of files below."""
    top = f"{folder}/" if folder else ""
    below = [path.removeprefix(top) for path in sight.listed if path.startswith(top)]
    folders = Counter(path.split("/")[0] for path in below if "/" in path)
    first = {path.split("/")[0]: path for path in reversed(below) if "/" in path}
    lines = [
        f"{name}/  {count} file{'s' if count > 1 else ''}"
        for name, count in folders.items()
        if sight.may_show(top + first[name])
    ]
    for name in (path for path in below if "/" not in path):
        size = _size(sight, top + name)
        lines += [f"{name}  {size}"] if size else []
    more = len(lines) - _MAX_ENTRIES
    return lines[:_MAX_ENTRIES] + ([f"and {more} more"] if more > 0 else [])


def overview(sight: ProjectSight) -> str:
    """Describe the project: its files, languages, manifest and how it is started."""
    counts = Counter(_LANGUAGES.get(path.rpartition(".")[2], "") for path in sight.listed)
    languages = ", ".join(f"{name} {count}" for name, count in counts.most_common(7) if name)
    lines = [
        f"Folder {clean_line(sight.workspace.root.name)}:",
        *(f"  {line}" for line in folder_lines(sight)),
        f"Files by language: {languages or 'none'}",
        *manifest_lines(sight),
    ]
    return "\n".join(lines)


def readme(sight: ProjectSight) -> str:
    """Name the README nearest to the top; empty where there is none."""
    pattern = re.compile(r"readme(?:\.\w+)?", re.I)
    return next((path for path in sight.listed if pattern.fullmatch(path)), "")


def readme_head(lines: Sequence[str]) -> int:
    """Count the lines of a README's head: up to the first blank line or heading after line 12."""
    for number, line in enumerate(lines):
        if number >= _README_LINES and (line.startswith("#") or not line.strip()):
            return number
    return len(lines)


def manifest_lines(sight: ProjectSight) -> list[str]:
    """Say what the manifests at the top tell: name, version, scripts, targets."""
    found = []
    package = _package_json(sight)
    if package:
        found.append(f"package.json: {_facts(package, ('name', 'description', 'main', 'engines'))}")
        found.append(f"npm scripts: {_scripts(package)}")
    project = _toml(sight, "pyproject.toml")
    if table := _table(project, "project") or _table(_table(project, "tool"), "poetry"):
        wanted = ("name", "description", "requires-python", "scripts", "dependencies")
        found.append(f"pyproject.toml: {_facts(table, wanted)}")
    if cargo := _table(_toml(sight, "Cargo.toml"), "package"):
        found.append(f"Cargo.toml: {_facts(cargo, ('name', 'description', 'edition'))}")
    if module := re.findall(r"^(module .+|go \d.+)$", _text(sight, "go.mod"), re.M):
        found.append(f"go.mod: {', '.join(module)}")
    if targets := _TARGET.findall(_text(sight, "Makefile")):
        found.append(f"Makefile targets: {', '.join(dict.fromkeys(targets[:_MAX_NAMES]))}")
    return [line for line in found if not line.endswith(": ")]


def test_files(sight: ProjectSight) -> list[str]:
    """Name the files that hold tests, nearest to the top first."""
    return [path for path in sight.listed if _TEST_FILE.fullmatch(path)]


def tests_facts(sight: ProjectSight) -> str:
    """Say how the tests are run here and where they lie; empty where there are none."""
    files = test_files(sight)
    commands = list(dict.fromkeys(_test_commands(sight, files)))
    if not commands and not files:
        return ""
    folders = Counter(path.rpartition("/")[0] or "." for path in files)
    where = ", ".join(f"{folder} ({count})" for folder, count in folders.most_common(5))
    lines = [f"Tests are run with: {', '.join(f'`{one}`' for one in commands) or 'not stated'}"]
    lines += [f"Test files by folder: {where}"] if where else []
    shown = [path for path in files[:5] if sight.may_show(path)]
    lines += [f"Such as: {', '.join(shown)}"] if shown else []
    return "\n".join(lines)


def _test_commands(sight: ProjectSight, files: Iterable[str]) -> Iterator[str]:
    if scripts := _table(_package_json(sight), "scripts"):
        manager = "pnpm" if "pnpm-lock.yaml" in sight.listed else "npm"
        manager = "yarn" if "yarn.lock" in sight.listed else manager
        names = [str(name) for name in scripts if str(name).split(":")[0] == "test"]
        yield from (f"{manager} {'' if name == 'test' else 'run '}{name}" for name in names)
    for name in ("Makefile", "justfile"):
        for target in _TARGET.findall(_text(sight, name)):
            if target in ("test", "tests", "check"):
                yield f"{'make' if name == 'Makefile' else 'just'} {target}"
    for name in ("tox.ini", "noxfile.py"):
        if name in sight.listed:
            yield name.partition(".")[0].removesuffix("file")
    python = [path for path in files if path.endswith(".py")]
    if python:
        settings = "".join(_text(sight, n) for n in ("pyproject.toml", "setup.cfg", "tox.ini"))
        required = [path for path in sight.listed if "requirements" in path][:_MAX_REQUIREMENTS]
        listed = settings + "".join(_text(sight, path) for path in required)
        first = _text(sight, python[0])
        uses_pytest = "pytest" in listed + first or {"pytest.ini", "conftest.py"} & set(
            sight.listed
        )
        yield "pytest" if uses_pytest else "python -m unittest"
    if "go.mod" in sight.listed:
        yield "go test ./..."
    if "Cargo.toml" in sight.listed:
        yield "cargo test"
    for name, command in (("pom.xml", "mvn test"), ("build.gradle", "gradle test")):
        if name in sight.listed:
            yield command


def _facts(table: Mapping[str, Any], keys: Iterable[str]) -> str:
    said = []
    for key in keys:
        value = table.get(key)
        if isinstance(value, dict):
            value = ", ".join(f"{name}={of}" for name, of in list(value.items())[:_MAX_NAMES])
        elif isinstance(value, list):
            value = ", ".join(str(one) for one in value[:_MAX_NAMES])
        if value:
            said.append(f"{key} {clean_line(str(value))[:_MAX_VALUE]}")
    return "; ".join(said)


def _scripts(package: Mapping[str, Any]) -> str:
    pairs = list(_table(package, "scripts").items())[:_MAX_NAMES]
    return "; ".join(f"{name}: {clean_line(str(of))[:80]}" for name, of in pairs)


def _package_json(sight: ProjectSight) -> Mapping[str, Any]:
    try:
        found = json.loads(_text(sight, "package.json") or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _toml(sight: ProjectSight, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(sight, name))
    except (ValueError, RecursionError):
        return {}


def _table(around: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = around.get(name)
    return found if isinstance(found, dict) else {}


def _text(sight: ProjectSight, path: str) -> str:
    return (sight.text(path) or "") if path in sight.listed else ""


def _size(sight: ProjectSight, path: str) -> str:
    """Say how large a file is; empty where it may not be seen."""
    if not sight.may_show(path):
        return ""
    try:
        size = (sight.workspace.root / path).stat().st_size
    except OSError:
        return ""
    return f"{size} B" if size < 1000 else f"{size / 1000:.1f} kB"
