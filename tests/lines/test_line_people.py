"""Questions at a plain terminal, asked on a real pseudo-terminal."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Coroutine, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from secretary_tui import config
from secretary_tui.flow.run_people import NOBODY, PeopleUntilHangup
from secretary_tui.lines.line_face import TextFace
from secretary_tui.lines.line_people import NO_ANSWER, LinePeople, NobodyThere
from secretary_tui.lines.output import note
from secretary_tui.lines.terminal_lines import TerminalLines
from secretary_tui.people import (
    AgentMatch,
    Answer,
    Continuation,
    Option,
    Question,
    Recommendation,
    RouteAction,
    RouteChoice,
    ToolAnswer,
    ToolDecision,
    ToolRequest,
    WorkflowMatch,
)
from secretary_tui.secretary import Secretary

END_OF_INPUT = "\x04"
T = TypeVar("T")


class Typist:
    """A person at the other end of a pty: types the next line whenever a prompt waits."""

    def __init__(self, slave: int, master: int, patch: pytest.MonkeyPatch) -> None:
        self._master, self._patch = master, patch
        self._stdin = os.fdopen(os.dup(slave))
        self._stderr = os.fdopen(os.dup(slave), "w")
        self.seen = ""
        self._fresh = ""

    def sit_down(self) -> None:
        """Make the pty the terminal of this process (pytest puts its own streams in between)."""
        self._patch.setattr(sys, "stdin", self._stdin)
        self._patch.setattr(sys, "stderr", self._stderr)

    def close(self) -> None:
        self._stdin.close()
        self._stderr.close()

    def type_ahead(self, text: str) -> None:
        os.write(self._master, text.encode())

    async def answer(self, question: Coroutine[Any, Any, T], *lines: str) -> T:
        """Await a question, typing one line for each prompt (they end with a colon or `? `)."""
        self.sit_down()
        loop = asyncio.get_running_loop()
        waiting = list(lines)

        def read() -> None:
            text = os.read(self._master, 65536).decode()
            self.seen += text
            self._fresh += text
            if waiting and self._fresh.endswith((": ", "? ")):
                self._fresh = ""
                line = waiting.pop(0)
                end = "" if line == END_OF_INPUT else "\n"
                os.write(self._master, (line + end).encode())

        loop.add_reader(self._master, read)
        try:
            async with asyncio.timeout(20):
                return await question
        finally:
            loop.remove_reader(self._master)
            assert not waiting, f"never asked for {waiting}; seen:\n{self.seen}"


@pytest.fixture
def typist(monkeypatch: pytest.MonkeyPatch) -> Iterator[Typist]:
    master, slave = os.openpty()
    typist = Typist(slave, master, monkeypatch)
    yield typist
    typist.close()
    os.close(slave)
    os.close(master)


@pytest.fixture
def people(project: Path) -> LinePeople:
    secretary = Secretary(project, config.load(project), offline=True)
    return people_of(secretary)


def people_of(secretary: Secretary, *, spoken: bool = False) -> LinePeople:
    secretary.load()
    face = TextFace(note, TerminalLines(), spoken=spoken)
    return LinePeople(face, secretary, permission_mode="ask")


def match(agent: str, confidence: int) -> AgentMatch:
    return AgentMatch(agent, f"/{agent}.md", confidence, "name mentions: security")


FOUND = Recommendation(
    request="review it",
    task="Review the login",
    matches=(match("security-reviewer", 91), match("docs-writer", 60)),
    recommended="security-reviewer",
)
UNSURE = Recommendation("review it", "Review the login", (match("docs-writer", 60),), None)
TOOL = ToolRequest(
    "t1",
    "plugin:agent",
    "Bash",
    "rm -rf build",
    "rm -rf build\necho \u202edone \x1b[2J",
    "/p",
    False,
    ("contains invisible characters",),
)


async def test_accepting_takes_the_recommended_agent(people: LinePeople, typist: Typist) -> None:
    choice = await typist.answer(people.confirm_route(FOUND), "a")
    assert choice == RouteChoice(RouteAction.ACCEPT, "security-reviewer", "Review the login")
    assert "Understood: Review the login" in typist.seen
    assert "91 %, recommended" in typist.seen
    assert "asks before Write" in typist.seen


async def test_a_number_takes_that_agent(people: LinePeople, typist: Typist) -> None:
    choice = await typist.answer(people.confirm_route(FOUND), "2")
    assert choice == RouteChoice(RouteAction.ALTERNATIVE, "docs-writer", "Review the login")


@pytest.mark.parametrize("line", ["c", "cancel", END_OF_INPUT])
async def test_cancelling_chooses_nobody(people: LinePeople, typist: Typist, line: str) -> None:
    choice = await typist.answer(people.confirm_route(FOUND), line)
    assert choice == RouteChoice(RouteAction.CANCEL)


async def test_an_empty_line_or_nonsense_asks_again(people: LinePeople, typist: Typist) -> None:
    choice = await typist.answer(people.confirm_route(FOUND), "", "7", "0", "what", "1")
    assert choice.agent == "security-reviewer"
    assert choice.action is RouteAction.ACCEPT


async def test_nothing_recommended_can_not_be_accepted(people: LinePeople, typist: Typist) -> None:
    choice = await typist.answer(people.confirm_route(UNSURE), "a", "1")
    assert choice.action is RouteAction.ALTERNATIVE
    assert "a to accept" not in typist.seen


async def test_other_takes_any_agent_and_names_the_nearest(
    people: LinePeople, typist: Typist
) -> None:
    choice = await typist.answer(
        people.confirm_route(FOUND), "o", "kubernetes-operater", "o Kubernetes-Operator"
    )
    assert choice == RouteChoice(RouteAction.OTHER, "kubernetes-operator", "Review the login")
    assert "nearest: kubernetes-operator" in typist.seen


def with_command(project: Path, **fields: Any) -> tuple[LinePeople, Recommendation]:
    path = project / ".claude" / "commands" / "deploy.md"
    path.parent.mkdir()
    path.write_text("---\nallowed-tools: Read, Bash\nargument-hint: <where>\n---\nGo !`date`.\n")
    secretary = Secretary(project, config.load(project), offline=True)
    people = people_of(secretary)
    workflow = WorkflowMatch("deploy", str(path), 80, "name mentions: deploy")
    return people, replace(FOUND, workflow=replace(workflow, **fields))


async def test_w_takes_the_command_whose_powers_were_shown(project: Path, typist: Typist) -> None:
    people, found = with_command(project)
    choice = await typist.answer(people.confirm_route(found), "w")
    assert choice == RouteChoice(RouteAction.WORKFLOW, "/deploy", "Review the login")
    assert "w  /deploy  80 %" in typist.seen
    assert "asks before Bash" in typist.seen
    assert "its arguments: <where>" in typist.seen
    assert "not run beforehand" in typist.seen


async def test_a_workflow_that_is_only_a_name_can_not_be_taken(
    project: Path, typist: Typist
) -> None:
    people, found = with_command(project, path="")
    choice = await typist.answer(people.confirm_route(found), "w", "c")
    assert choice.action is RouteAction.CANCEL
    assert "w for /deploy" not in typist.seen


async def test_other_takes_a_command_behind_a_slash(project: Path, typist: Typist) -> None:
    people, _ = with_command(project)
    choice = await typist.answer(people.confirm_route(FOUND), "o /deplyo", "o /deploy")
    assert choice == RouteChoice(RouteAction.OTHER, "/deploy", "Review the login")
    assert "nearest: /deploy" in typist.seen


async def test_a_choice_is_explained_and_its_task_changed_before_it_is_made(
    people: LinePeople, typist: Typist
) -> None:
    choice = await typist.answer(
        people.confirm_route(FOUND), "why", "task Review the logout", "tree", "a"
    )
    assert choice == RouteChoice(RouteAction.ACCEPT, "security-reviewer", "Review the logout")
    assert "Task: Review the logout" in typist.seen
    assert "not in a git repository" in typist.seen


async def test_what_was_looked_up_is_said_and_a_word_leaves_it_out(
    project: Path, typist: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    (project / "door.py").write_text("def door():\n    return 1\n")
    people = people_of(Secretary(project, config.load(project)))
    found = replace(FOUND, task="Review door.py")
    choice = await typist.answer(people.confirm_route(found), "context", "a")
    assert "With: door.py (the word context leaves it out)." in typist.seen
    assert "Without: door.py (the word context puts it back)." in typist.seen
    assert choice == RouteChoice(
        RouteAction.ACCEPT, "security-reviewer", "Review door.py", looks_up=False
    )


async def test_what_is_spoken_is_one_line_a_match_and_takes_no_letter_for_a_permission(
    project: Path, typist: Typist
) -> None:
    people = people_of(Secretary(project, config.load(project), offline=True), spoken=True)
    await typist.answer(people.confirm_route(FOUND), "c")
    assert "1: security-reviewer, 91 percent, recommended. Why: name mentions: security" in (
        typist.seen
    )
    assert await typist.answer(people.allow_tool(TOOL), "y", "yes") == ToolAnswer(ToolDecision.ONCE)


async def test_a_close_call_is_said_before_it_is_asked(people: LinePeople, typist: Typist) -> None:
    close = "Close: 3 points between the first two."
    await typist.answer(people.confirm_route(replace(FOUND, close=close)), "c")
    assert close in typist.seen


GOING_ON = replace(
    FOUND, continuation=Continuation("20261101-090000-aaaa", "docs-writer", 92, "“them” is meant")
)


async def test_the_run_that_goes_on_is_the_first_row_and_what_a_accepts(
    people: LinePeople, typist: Typist
) -> None:
    choice = await typist.answer(people.confirm_route(GOING_ON), "1")
    assert choice == RouteChoice(RouteAction.CONTINUE, "docs-writer", "Review the login")
    assert "1  go on with docs-writer  92 %" in typist.seen
    assert "“them” is meant" in typist.seen
    assert "a to go on with docs-writer" in typist.seen
    assert "3  docs-writer in a new run  60 %" in typist.seen
    assert "recommended" not in typist.seen
    choice = await typist.answer(people.confirm_route(GOING_ON), "a")
    assert choice.action is RouteAction.CONTINUE
    choice = await typist.answer(people.confirm_route(GOING_ON), "2")
    assert choice.action is RouteAction.ACCEPT


async def test_a_run_that_goes_on_needs_no_other_agent_that_fits(
    people: LinePeople, typist: Typist
) -> None:
    alone = replace(GOING_ON, matches=(), recommended=None)
    assert (await typist.answer(people.confirm_route(alone), "1")).agent == "docs-writer"
    assert "No suitable agent" not in typist.seen


async def test_a_generalist_is_offered_without_a_number_and_never_recommended(
    people: LinePeople, typist: Typist
) -> None:
    reader = replace(match("security-reviewer", 40), fallback=True)
    writer = replace(match("docs-writer", 40), fallback=True)
    found = replace(FOUND, matches=(reader, writer), recommended=None)
    choice = await typist.answer(people.confirm_route(found), "a", "1")
    assert choice.action is RouteAction.ALTERNATIVE
    said = typist.seen
    assert "1  no specialist fits; a generalist can: security-reviewer (read only)\r\n" in said
    assert "2  no specialist fits; a generalist can: docs-writer\r\n" in said
    assert "40" not in said
    beside = replace(FOUND, matches=(match("docs-writer", 60), reader), recommended=None)
    await typist.answer(people.confirm_route(beside), "c")
    assert "a generalist can, too: security-reviewer" in typist.seen


async def test_more_lists_the_next_three_with_their_numbers(
    people: LinePeople, typist: Typist
) -> None:
    below = tuple(match(name, 49 - n) for n, name in enumerate(("three", "four", "five", "six")))
    found = replace(FOUND, ranking=(*FOUND.matches, *below, match("none", 0)))
    choice = await typist.answer(people.confirm_route(found), "3", "more", "more", "5")
    assert choice == RouteChoice(RouteAction.ALTERNATIVE, "five", "Review the login")
    shown = [typist.seen.index(row) for row in ("3  three  49 %", "5  five  47 %", "6  six  46 %")]
    assert shown == sorted(shown)
    assert typist.seen.count("other and a name, more,") == 3
    assert "7  none  0 %" in typist.seen


@pytest.mark.parametrize(
    ("line", "decision"),
    [("y", ToolDecision.ONCE), ("r", ToolDecision.RUN), ("A", ToolDecision.ALWAYS)],
)
async def test_a_tool_is_allowed_as_far_as_was_said(
    people: LinePeople, typist: Typist, line: str, decision: ToolDecision
) -> None:
    answer = await typist.answer(people.allow_tool(TOOL), "", "yes!", line)
    assert answer == ToolAnswer(decision)


async def test_a_tool_prompt_shows_everything_and_hides_nothing(
    people: LinePeople, typist: Typist
) -> None:
    await typist.answer(people.allow_tool(TOOL), "n no")
    for part in (
        "plugin:agent wants to use Bash, unsandboxed, in /p. All of it, 2 lines:",
        "1: rm -rf build",
        "2: echo \\u202edone \\x1b[2J",
        "Warning: contains invisible characters.",
    ):
        assert part in typist.seen
    assert "\u202e" not in typist.seen
    assert "\x1b" not in typist.seen


async def test_a_tool_prompt_says_how_far_each_answer_reaches(
    people: LinePeople, typist: Typist
) -> None:
    await typist.answer(people.allow_tool(TOOL), "n no")
    assert "r this command, this run · a this command, always" in typist.seen
    await typist.answer(people.allow_tool(replace(TOOL, tool="Write")), "n no")
    assert "r all edits of this run · a this file, always" in typist.seen


async def test_an_answer_that_is_not_offered_is_none(people: LinePeople, typist: Typist) -> None:
    asking = people.allow_tool(replace(TOOL, tool="Memory"))
    assert await typist.answer(asking, "r", "a", "y") == ToolAnswer(ToolDecision.ONCE)
    assert "y once · n deny" in typist.seen


async def test_a_denial_carries_its_reason(people: LinePeople, typist: Typist) -> None:
    denied = ToolAnswer(ToolDecision.DENY, "use make clean")
    assert await typist.answer(people.allow_tool(TOOL), "n use make clean") == denied
    assert await typist.answer(people.allow_tool(TOOL), "n", "use make clean") == denied
    assert await typist.answer(people.allow_tool(TOOL), "n", "") == ToolAnswer(ToolDecision.DENY)


async def test_the_end_of_input_denies(people: LinePeople, typist: Typist) -> None:
    answer = await typist.answer(people.allow_tool(TOOL), END_OF_INPUT)
    assert answer == ToolAnswer(ToolDecision.DENY, NO_ANSWER, from_user=False)


async def test_what_was_typed_before_the_prompt_answers_nothing(
    people: LinePeople, typist: Typist
) -> None:
    typist.type_ahead("y\ny\ny\n")
    answer = await typist.answer(people.allow_tool(TOOL), "n not that")
    assert answer == ToolAnswer(ToolDecision.DENY, "not that")


async def test_a_withdrawn_question_lets_go_of_the_terminal(
    people: LinePeople, typist: Typist
) -> None:
    typist.sit_down()
    asking = asyncio.create_task(people.allow_tool(TOOL))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    answer = await typist.answer(people.allow_tool(TOOL), "y")
    assert answer == ToolAnswer(ToolDecision.ONCE)


ONE = Question("Which part?", "Part", (Option("Login", "who you are"), Option("Payment")))
MANY = Question("Which files?", "Files", (Option("a"), Option("b"), Option("c")), True)


async def test_questions_take_numbers_words_and_skips(people: LinePeople, typist: Typist) -> None:
    answers = await typist.answer(
        people.ask_questions((ONE, MANY, ONE)), "2", "1, 3", "the whole, with tests"
    )
    assert answers == (
        Answer("Which part?", ("Payment",)),
        Answer("Which files?", ("a", "c")),
        Answer("Which part?", (), "the whole, with tests"),
    )


async def test_a_number_that_is_not_offered_is_asked_again(
    people: LinePeople, typist: Typist
) -> None:
    answers = await typist.answer(people.ask_questions((ONE,)), "3", "1,2", "1")
    assert answers == (Answer("Which part?", ("Login",)),)


async def test_skipping_all_questions_gives_none(people: LinePeople, typist: Typist) -> None:
    assert await typist.answer(people.ask_questions((ONE, MANY)), "", "") == ()
    assert await typist.answer(people.ask_questions((ONE, MANY)), END_OF_INPUT) == ()
    assert await typist.answer(people.ask_questions((ONE, MANY)), "skip", "skip") == ()


async def test_cancel_is_no_answer_but_turns_away_from_all_questions(
    people: LinePeople, typist: Typist
) -> None:
    assert await typist.answer(people.ask_questions((ONE, MANY)), "Cancel") == ()
    answers = await typist.answer(people.ask_questions((ONE, MANY)), "1", "cancel")
    assert answers == (Answer("Which part?", ("Login",)),)


async def test_nobody_skips_cancels_and_denies() -> None:
    nobody = NobodyThere()
    assert await nobody.ask_questions((ONE,)) == ()
    assert (await nobody.confirm_route(FOUND)).action is RouteAction.CANCEL
    answer = await nobody.allow_tool(TOOL)
    assert answer.decision is ToolDecision.DENY
    assert not answer.from_user
    assert answer.reason.startswith("Nobody can be asked")


async def test_who_has_hung_up_refused_nothing(people: LinePeople) -> None:
    gone = asyncio.Event()
    gone.set()
    answer = await PeopleUntilHangup(people, gone).allow_tool(TOOL)
    assert answer == ToolAnswer(ToolDecision.DENY, NOBODY, from_user=False)


async def test_nobody_points_to_a_mode_only_where_it_helps(
    capsys: pytest.CaptureFixture[str],
) -> None:
    edit = replace(TOOL, tool="Edit", warnings=())
    await NobodyThere().allow_tool(edit)
    assert "accept-edits" in capsys.readouterr().err
    await NobodyThere().allow_tool(replace(edit, warnings=("a protected path",)))
    assert "accept-edits" not in capsys.readouterr().err


async def test_what_is_asked_about_each_time_offers_no_more_than_once(
    people: LinePeople, typist: Typist
) -> None:
    request = replace(TOOL, tool="Write", once_only=True)
    answer = await typist.answer(people.allow_tool(request), "a", "r", "y")
    assert answer == ToolAnswer(ToolDecision.ONCE)
