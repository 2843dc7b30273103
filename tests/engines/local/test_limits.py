"""What the small local model should not try is said before the run, and nothing else is."""

from __future__ import annotations

import pytest

from secretary_tui.engines.local.limits import beyond_small_model

TOOLS = ("Read", "Grep", "Glob")


@pytest.mark.parametrize(
    "task",
    [
        "add type hints to all files",
        "add a licence header to every file in src",
        "review the whole codebase for security problems",
        "rename User to Account across the project",
        "translate all of the Python modules into TypeScript",
        "find dead code throughout the repository",
        "replace print with logging everywhere",
        "summarise the entire repo",
        "write docstrings for each of our public modules and every package",
        "merge a.py, b.py, c.py and lib/d.py into one file",
    ],
)
def test_many_files_are_too_much(task: str) -> None:
    assert beyond_small_model(task, TOOLS).startswith("Many files")


@pytest.mark.parametrize(
    "task",
    [
        "build me a web app for invoices with login and payments",
        "migrate the project from Flask to FastAPI",
        "write a roadmap for the next release",
        "rewrite our backend in Rust",
        "create a chess game from scratch",
        "1. read the config\n2. add a flag\n3. test it\n4. write the docs\n5. commit",
    ],
)
def test_long_plans_are_too_much(task: str) -> None:
    assert beyond_small_model(task, TOOLS).startswith("Long plans")


@pytest.mark.parametrize(
    "task",
    [
        "summarise https://docs.python.org/3/library/asyncio.html",
        "what is the latest version of Django?",
        "search the web for how others solve this",
        "look up the error message on Stack Overflow",
    ],
)
def test_the_web_is_out_of_reach(task: str) -> None:
    assert "can't use the web" in beyond_small_model(task, TOOLS)


def test_an_agent_with_nothing_but_the_web_can_do_nothing_without_it() -> None:
    task = "compare the two libraries"
    assert "can't use the web" in beyond_small_model(task, ("WebSearch", "WebFetch"))
    assert not beyond_small_model(task, ("Read", "WebFetch"))


@pytest.mark.parametrize(
    "task",
    [
        "what does the function in text.py do?",
        "explain all functions in parser.py",
        "write a docstring for load_config",
        "find the bug in src/app.ts",
        "write a commit message for my change",
        "review my last commit",
        "list all files in src",
        "count the files in this folder",
        "what is this project about?",
        "how do I run the tests?",
        "write a regex that matches https://example.com/users/1",
        "why does http://localhost:8000/login give a 500?",
        "fix `fetch('https://api.acme.dev/v1')` in client.js so that it retries",
        "add a test for the latest change in store.go",
        "rename the variable x in main.rs to width",
        "what is in the latest version of this file?",
        "convert this function to async",
        "create a function that validates an api key",
        "where is the retry limit set?",
        "translate the first sentence of README.md into German",
        "make the error in load() name the file",
        "explain this traceback: File app.py, line 3, in load",
        "write a test for the api call in client.py",
        "the full name is cut off in the header: fix profile.html",
        "move helper() from a.py to b.py",
        "is every branch of this function tested?",
    ],
)
def test_small_tasks_are_not_warned_of(task: str) -> None:
    assert beyond_small_model(task, TOOLS) == ""
