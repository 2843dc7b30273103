"""The user at a plain terminal: every question as text, every answer as a line.

No answer acts by default: an empty line asks again, the end of input cancels or denies.
"""

from __future__ import annotations

from collections.abc import Callable

from secretary_tui.people import (
    MAX_QUESTIONS,
    SAFE,
    AgentMatch,
    Answer,
    Choice,
    Question,
    Recommendation,
    RouteAction,
    RouteChoice,
    ToolAnswer,
    ToolDecision,
    ToolRequest,
)
from secretary_tui.registry.agent_index import AgentIndex, AgentNotFoundError
from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.registry.workflow_agent import find_workflow, remarks, workflow_agent
from secretary_tui.sanitize import clean_line, reveal
from secretary_tui.verbs.output import note
from secretary_tui.verbs.terminal import ask_line

NO_ANSWER = "Nobody answered: the input has ended. Go on without it."
"""What the agent reads about a call that was asked about in vain."""
_DECISIONS = {
    "y": ToolDecision.ONCE,
    "r": ToolDecision.RUN,
    "a": ToolDecision.ALWAYS,
    "n": ToolDecision.DENY,
}


class TerminalPeople:
    """Asks at the terminal (`people.People`).

    *Other* accepts what `index` finds; `describe` says in a line what powers an agent will get.
    """

    def __init__(self, index: AgentIndex, describe: Callable[[AgentSpec], str]) -> None:
        self._index = index
        self._describe = describe

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Ask one after the other; an empty line skips one, the end of input all that are left."""
        answers: list[Answer] = []
        for question in questions[:MAX_QUESTIONS]:
            answer = await _ask(question)
            if answer is None:
                break
            answers.append(answer)
        return tuple(answers) if any(not answer.skipped for answer in answers) else ()

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        """Show who fits and ask who shall do it."""
        prompt = self._show_route(recommendation)
        matches, accept = recommendation.matches, recommendation.recommended
        workflow = recommendation.workflow
        while True:
            answer = await ask_line(prompt)
            word = "c" if answer is None else answer.lower()
            if word in ("c", "cancel", "q"):
                return RouteChoice(RouteAction.CANCEL)
            if word in ("a", "accept", "y", "yes") and accept is not None:
                return RouteChoice(RouteAction.ACCEPT, accept, recommendation.intent)
            if word == "w" and workflow is not None and workflow.runnable:
                return RouteChoice(RouteAction.WORKFLOW, workflow.reference, recommendation.intent)
            if word.isdecimal() and 1 <= int(word) <= len(matches):
                return chosen(matches[int(word) - 1].agent, recommendation)
            if word in ("o", "other") or word.startswith("o "):
                agent = await self._other(word[2:].strip())
                if agent is not None:
                    return RouteChoice(RouteAction.OTHER, agent, recommendation.intent)

    async def allow_tool(self, request: ToolRequest) -> ToolAnswer:
        """Show the whole of what would happen, hidden characters made visible, and ask."""
        badge = " (unsandboxed)" if request.is_command and not request.sandboxed else ""
        badge = f" (sandboxed, but for {request.confinement})" if request.confinement else badge
        note("")
        note(f"{clean_line(request.agent)} wants to use {request.tool}{badge} in {request.cwd}:")
        note("")
        for line in reveal(request.detail or request.summary).split("\n"):
            note(f"  {line}")
        note("")
        for warning in request.warnings:
            note(f"  ! {warning}")
        for reason in request.reasons:
            note(f"  ? {reason}")
        while True:
            answer = await ask_line(_answers(request))
            if answer is None:
                return ToolAnswer(ToolDecision.DENY, NO_ANSWER, from_user=False)
            word, _, reason = answer.partition(" ")
            decision = _DECISIONS.get(word.lower())
            if decision is ToolDecision.DENY:
                reason = (
                    reason or await ask_line("Why? The agent reads it (Enter: no reason): ") or ""
                )
                return ToolAnswer(decision, reason)
            run, always = request.reach
            offered = {ToolDecision.RUN: run, ToolDecision.ALWAYS: always}
            if decision is not None and not offered.get(decision, "once"):
                continue
            if decision is not None and not reason:
                return ToolAnswer(decision)

    async def choose(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        """Show the choices with their keys; the end of input takes the safe one."""
        keys = {("q" if choice.key == SAFE else choice.key): choice for choice in choices}
        note("")
        note(reveal(title))
        if text:
            note(reveal(text))
        prompt = " · ".join(f"{key} {choice.label.lower()}" for key, choice in keys.items()) + ": "
        while True:
            answer = await ask_line(prompt)
            if answer is None:
                return SAFE
            if answer.lower() in keys:
                return keys[answer.lower()].key

    def _show(self, number: int, match: AgentMatch, recommended: bool) -> None:
        mark = ", recommended" if recommended else ""
        note(f"  {number}  {clean_line(match.agent)}  {match.confidence} %{mark}")
        note(f"     {clean_line(match.reason)}")
        entry = self._index.get(match.agent)
        if entry is not None:
            note(f"     {clean_line(self._describe(entry.spec))}")

    def _show_route(self, recommendation: Recommendation) -> str:
        """Show who fits; gives the prompt that asks."""
        matches = recommendation.matches
        note("")
        if recommendation.intent:
            note(f"Understood: {recommendation.intent}")
        for number, match in enumerate(matches, 1):
            self._show(number, match, match.agent == recommendation.recommended)
        if recommendation.close:
            note(clean_line(recommendation.close))
        workflow = recommendation.workflow
        if workflow is not None and workflow.runnable:
            note(f"  w  {clean_line(workflow.reference)}  {workflow.confidence} %")
            note(f"     {clean_line(workflow.reason)}")
            self._describe_workflow(workflow.reference)
        keys = [f"1-{len(matches)} choose" if len(matches) > 1 else "1 choose"] if matches else []
        accept = recommendation.recommended
        if accept is not None:
            keys.insert(0, f"a accept {accept}")
        if workflow is not None and workflow.runnable:
            keys.append(f"w run {clean_line(workflow.reference)}")
        return " · ".join((*keys, "o other agent", "c cancel")) + ": "

    def _describe_workflow(self, reference: str) -> None:
        try:
            spec = workflow_agent(find_workflow(self._index, reference), "")
        except AgentNotFoundError as error:
            note(f"     {error}.")
            return
        note(f"     {clean_line(self._describe(spec))}")
        for remark in remarks(spec):
            note(f"     {clean_line(remark)}")

    async def _other(self, typed: str) -> str | None:
        wanted = typed or await ask_line("Which agent? ")
        if not wanted:
            return None
        try:
            if wanted.startswith("/"):
                return f"/{find_workflow(self._index, wanted).id}"
            return self._index.find(wanted).id
        except AgentNotFoundError as error:
            note(f"{error}.")
            return None


def _answers(request: ToolRequest) -> str:
    """Say how far each answer reaches: it differs for commands and edits."""
    run, always = request.reach
    parts = ("y once", run and f"r {run}", always and f"a {always}", "n deny: ")
    return " · ".join(filter(None, parts))


def chosen(agent: str, recommendation: Recommendation) -> RouteChoice:
    """The choice of an agent that was shown: of the recommended one, or of an alternative."""
    accepted = agent == recommendation.recommended
    action = RouteAction.ACCEPT if accepted else RouteAction.ALTERNATIVE
    return RouteChoice(action, agent, recommendation.intent)


async def _ask(question: Question) -> Answer | None:
    note("")
    asker = f"{clean_line(question.asker)} asks: " if question.asker else ""
    note(asker + clean_line(question.question))
    for number, option in enumerate(question.options, 1):
        about = f": {option.description}" if option.description else ""
        note(f"  {number}  {clean_line(option.label + about)}")
    many = " (several, with commas)" if question.multi_select else ""
    while True:
        typed = await ask_line(f"Number{many}, your own words, or Enter to skip: ")
        if typed is None:
            return None
        answer = understand(question, typed)
        if answer is not None:
            return answer


def understand(question: Question, typed: str) -> Answer | None:
    """Give what a typed line answers; None for a number that is not offered.

    Numbers are options, words are *Other*.
    """
    parts = [part.strip() for part in typed.split(",") if part.strip()]
    if not parts or not all(part.isdecimal() for part in parts):
        return Answer(question.question, other=typed)
    numbers = [int(part) for part in parts]
    fitting = all(1 <= number <= len(question.options) for number in numbers)
    if not fitting or (len(numbers) > 1 and not question.multi_select):
        return None
    labels = tuple(question.options[number - 1].label for number in dict.fromkeys(numbers))
    return Answer(question.question, labels=labels)


class NobodyThere:
    """No terminal to ask at (`people.People`): skips, cancels and denies."""

    def __init__(self) -> None:
        self.denied = False
        """Whether something was denied, in a called agent too."""

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Skip them all."""
        return ()

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        """Cancel."""
        return RouteChoice(RouteAction.CANCEL)

    async def allow_tool(self, request: ToolRequest) -> ToolAnswer:
        """Deny, and say so to the model and on the error output."""
        self.denied = True
        # What is warned of, such as a protected path, asks in that mode, too.
        edits = request.is_edit and not request.warnings
        hint = "; --permission-mode accept-edits allows edits" if edits else ""
        what = f"{request.tool} {clean_line(request.summary)}"
        note(f"Denied: {what} (nobody can be asked here{hint})")
        return ToolAnswer(
            ToolDecision.DENY,
            "Nobody can be asked in this non-interactive run. Go on without it, or say what you "
            "would have done.",
            from_user=False,
        )

    async def choose(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        """Take the safe way, and say on the error output what was asked."""
        note(f"Nobody can be asked here: {clean_line(title)}")
        return SAFE
