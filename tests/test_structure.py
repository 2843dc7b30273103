"""What `lint-imports` does not hold of the structure: no circle of files, small folders, one name
for one thing."""

from __future__ import annotations

import ast
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

import secretary_tui

ROOT = Path(secretary_tui.__file__).parent
MOST_FILES = 25
MOST_METHODS = 30


def test_no_file_imports_itself_by_a_detour() -> None:
    graph = grimp.build_graph("secretary_tui")
    modules = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(modules).prepare()  # Raises CycleError, which names the circle.


def test_no_folder_is_a_hall() -> None:
    files = Counter(path.parent for path in ROOT.rglob("*.py"))
    assert {folder: n for folder, n in files.items() if n > MOST_FILES} == {}


def test_a_name_stands_once() -> None:
    paths = [path for path in ROOT.rglob("*.py") if path.name != "__init__.py"]
    classes = Counter(
        node.name
        for path in paths
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef)
    )
    stems = Counter(path.stem for path in paths)
    assert [name for name, n in (classes + stems).items() if n > 1] == []


def test_no_class_has_two_jobs() -> None:
    classes = {
        node.name: node
        for path in ROOT.rglob("*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef)
    }

    def methods(name: str) -> int:
        node = classes.get(name)
        if node is None:
            return 0  # A library's.
        own = sum(isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) for part in node.body)
        bases = (base.value if isinstance(base, ast.Subscript) else base for base in node.bases)
        return own + sum(methods(base.id) for base in bases if isinstance(base, ast.Name))

    assert {name: methods(name) for name in classes if methods(name) > MOST_METHODS} == {}
