"""A rename that is spelled out in a task."""

from __future__ import annotations

import pytest

from secretary_tui.delegation.small.renaming import Rename, renames_in

FILES = ("src/app.py", "docs/setup.md")


@pytest.mark.parametrize(
    ("task", "old", "new"),
    [
        ("Rename load to load_config", "load", "load_config"),
        ("please rename the function `fetch_all` to `fetch_every` everywhere.", "fetch_all",
         "fetch_every"),
        ("rename class Parser to Reader in app.py", "Parser", "Reader"),
        ("rename getUser() to findUser()", "getUser", "findUser"),
        ("Rename Cart.total to Cart.sum", "total", "sum"),
        ("rename all uses of max-retries to retry-limit", "max-retries", "retry-limit"),
        ("Rename the key 'db_host' into 'database_host'", "db_host", "database_host"),
        ("rename foo -> bar", "foo", "bar"),
        ("rename $total to $sum", "$total", "$sum"),
        ("Rename the class Foo (in models.py) to Bar everywhere", "Foo", "Bar"),
        ('rename the "Getting started" section to "First steps"', "Getting started",
         "First steps"),
        ("change the name of parseLine to parse_line", "parseLine", "parse_line"),
        ("The method fetchAll should be called fetch_all", "fetchAll", "fetch_all"),
    ],
)  # fmt: skip
def test_it_is_read(task: str, old: str, new: str) -> None:
    assert renames_in(task, FILES)[0] == Rename(old, new)


@pytest.mark.parametrize(
    "task",
    [
        "rename app.py to main.py",
        "Rename src/app.py to src/main.py",
        "rename setup.md to install.md",
        "Rename x to x",
        "Find a better name for load",
        "rename the function that loads the settings",
    ],
)
def test_a_file_or_an_unclear_wish_is_something_else(task: str) -> None:
    assert not renames_in(task, FILES)


def test_only_whole_words_are_renamed() -> None:
    text = "load(reload, load_all, x.load, 'load', pre-load) # load."
    assert Rename("load", "read").apply(text) == (
        "read(reload, load_all, x.read, 'read', pre-load) # read."
    )


def test_the_new_name_is_taken_as_it_is() -> None:
    assert Rename("a", r"\1$b").apply("a = a + 1") == r"\1$b = \1$b + 1"
