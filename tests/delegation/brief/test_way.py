"""Which way the embedded model takes: it answers, changes files, or calls tools."""

from __future__ import annotations

import pytest

from secretary_tui.delegation.brief.way import Way, way_for, way_of
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.routing.words.languages import in_english
from tests.delegation.conftest import Runner

READER = ("Read", "Glob", "Grep")
WRITER = ("Read", "Write", "Edit", "Glob", "Grep")
CODER = (*WRITER, "Bash")

ANSWERED = """
What does the scheduler do with a job that fails twice?
why is the cache cleared in shutdown()?
Where do we read the proxy settings?
how does retry.go compute its delay
Which functions call normalize_name?
Is there a race between push and drain in queue.py?
Does the parser accept empty lines?
ok, and who closes the socket then?
Explain ring_buffer.c to someone new to the project.
explain how the token refresh works
Summarise docs/setup.md in three sentences.
tl;dr of the readme please? What is it about?
Review my uncommitted changes.
review auth/session.ts for security problems
Check whether the limits in nginx.conf make sense
Find the place where invoices are rounded.
Show me all feature flags.
List the public functions of billing/tax.py with one sentence each
Describe the folder layout.
Compare client_v1.py and client_v2.py
Suggest a better name for the class Thing.
Tell me what could go wrong in migrate.sql
Write a commit message for the diff.
write me a commit message for what I changed
I need a regex for ISO dates with an optional time
Give me a regular expression that matches a German postcode.
Translate the first paragraph of GUIDE.md into Spanish.
Draft release notes for the last commit
Can the loader handle two files with the same name?
Should we use a set instead of a list in dedupe()?
""".strip().splitlines()

CHANGED = """
Add a parameter `timeout` to fetch_page in net/http.py, default 10.
add a test for parse_range
Fix the off-by-one in paginate().
fix the bug in cart.ts
Rename load to load_config in settings.py
Change the default port from 8080 to 9000 in compose.yml
Please remove the unused import in main.go
Can you add a docstring to Matrix.invert?
could you please make the parser accept tabs?
Write a function slugify in text/slug.py that lower-cases and joins words with dashes
write a unit test for the Stack class
Create a file tools/clean.sh that deletes build/.
Replace print by logging in worker.py.
Convert the callbacks in api.js to async/await
Set max_connections to 50 in db.toml
Make the error in open_store say which path is missing.
Why is the total wrong? Fix it.
What happens with an empty list in mean()? Make it return 0.0.
The banner says "Welcom": correct the spelling.
Update the version in package.json to 2.1.0
In handlers.py the status code for a missing user is 500. It should be 404.
Bump the base image in the Dockerfile to 3.13
Extract the validation in signup() into a function of its own
Translate the strings in messages.json into French, in place
""".strip().splitlines()

RUN = """
Run the tests.
run the linter and tell me what it says
Please build the project
Build the docs, then tell me about warnings.
install the dependencies
Commit what is staged.
Start the dev server
Could you run `make check`?
Format all files with the project's formatter, please: run it.
Execute scripts/seed.py
""".strip().splitlines()


@pytest.mark.parametrize("task", ANSWERED)
def test_what_asks_for_a_text_is_answered(task: str) -> None:
    assert way_of(task, WRITER) is Way.ANSWER
    assert way_of(task, CODER) is Way.ANSWER
    assert way_of(task, READER) is Way.ANSWER


@pytest.mark.parametrize("task", CHANGED)
def test_what_asks_for_a_change_is_written_into_the_file(task: str) -> None:
    assert way_of(task, WRITER) is Way.CHANGE
    assert way_of(task, CODER) is Way.CHANGE


@pytest.mark.parametrize("task", CHANGED)
def test_who_may_change_nothing_answers(task: str) -> None:
    assert way_of(task, READER) is Way.ANSWER


@pytest.mark.parametrize("task", RUN)
def test_what_runs_a_command_is_done_with_tools(task: str) -> None:
    assert way_of(task, CODER) is Way.TOOLS
    assert way_of(task, READER) is Way.ANSWER


@pytest.mark.parametrize(
    ("task", "way"),
    [
        ("Erkläre die Funktion parse", Way.ANSWER),
        ("Was ist falsch in app.py?", Way.ANSWER),
        ("explique ce que fait app.py", Way.ANSWER),
        ("Explica qué hace main.go", Way.ANSWER),
        ("Schreibe eine Commit-Nachricht", Way.ANSWER),
        ("corrige le bug dans app.py", Way.CHANGE),
        ("Benenne load in load_config um", Way.CHANGE),
        ("añade una función suma a math.py", Way.CHANGE),
        ("Ajoute un paramètre timeout à fetch", Way.CHANGE),
        ("修复 app.py 中的错误", Way.CHANGE),
    ],
)
def test_a_foreign_request_goes_by_its_words_in_english(task: str, way: Way) -> None:
    assert way_of(in_english(task), CODER) is way


def test_only_the_beginning_of_a_long_request_says_what_is_to_be_done() -> None:
    log = "Running migrations\nfix applied\nadd column\n" * 200
    assert way_of(f"What does this log mean?\n{log}", CODER) is Way.ANSWER


def test_the_last_message_decides(runner: Runner) -> None:
    agent = {"tools": CODER}
    told = runner.delegation(agent, task="Fix mean().", follow_up="Why did it fail?")
    assert way_for(told) is Way.ANSWER
    told = runner.delegation(agent, task="Why does mean() fail?", follow_up="Fix it.")
    assert way_for(told) is Way.CHANGE


def test_nothing_is_changed_in_plan_mode(runner: Runner) -> None:
    mode = PermissionMode.PLAN
    told = runner.delegation({"tools": CODER}, task="Fix mean().", permission_mode=mode)
    assert way_for(told) is Way.ANSWER
