"""Who shall do it: the ranking as numbered lines, and the words that answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from secretary_tui.lines.line_source import LineSource, never
from secretary_tui.lines.output import amount
from secretary_tui.people import (
    AgentMatch,
    Recommendation,
    RouteAction,
    RouteChoice,
    WorkflowMatch,
)
from secretary_tui.registry.agent_index import AgentNotFoundError
from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.registry.mentions import resolve_reference
from secretary_tui.registry.workflow_agent import remarks
from secretary_tui.routing.recommend.advice import advice_for
from secretary_tui.sanitize import clean, clean_line
from secretary_tui.secretary import Secretary

_WHY_WIDTH = 10_000
"""The terminal wraps the explanation itself."""
_ACCEPT = ("a", "accept", "y", "yes")
_CANCEL = ("no", "cancel", "c", "q")
_INDENT = " " * 5


class FinalRanking:
    """The ranking that is asked about: in lines it is said once, when no model will change it."""

    def __init__(self) -> None:
        self._found: asyncio.Future[Recommendation] | None = None

    def present(self, recommendation: Recommendation, *, refining: bool) -> None:
        """Take a ranking; `refining` is whether a model still looks at it."""
        self._found = asyncio.get_running_loop().create_future()
        if not refining:
            self._found.set_result(recommendation)

    def refine(self, recommendation: Recommendation) -> None:
        """Take the model's ranking."""
        if self._found is not None and not self._found.done():
            self._found.set_result(recommendation)

    async def wait(self, presented: Recommendation) -> Recommendation:
        """Wait for the last ranking of the one that was presented."""
        return presented if self._found is None else await self._found


class RouteQuestion:
    """Asks about one recommendation; nothing is delegated without its answer.

    Args:
        found: What is asked about.
        secretary: Knows the agents in it, and the engines.
        say: Writes a line.
        source: Where answers come from.
        spoken: Whether the lines are for ears: one a match, and words for signs.
        permission_mode: The mode of the run that is chosen; empty for that of the settings.
    """

    def __init__(
        self,
        found: Recommendation,
        secretary: Secretary,
        say: Callable[[str], None],
        source: LineSource,
        *,
        spoken: bool,
        permission_mode: str = "",
    ) -> None:
        self._found = found
        self._secretary = secretary
        self._say = say
        self._source = source
        self._spoken = spoken
        self._permission_mode = permission_mode
        self._task = found.task
        self._engine = ""
        self._own_tree: bool | None = None

    async def ask(self) -> RouteChoice:
        """Say who fits, and wait until the user chose or cancelled."""
        for line in self._lines():
            self._say(line)
        while True:
            answer = await self._source.answer(self._prompt(), self._names_it)
            choice = RouteChoice(RouteAction.CANCEL) if answer is None else self._choice(answer)
            if choice is None and answer:
                choice = await self._answer_in_words(answer)
            if choice is not None and choice.agent is not None:
                return replace(
                    choice, task=self._task, engine=self._engine, own_tree=self._own_tree
                )
            if choice is not None:
                self._say("Cancelled. Nothing was run.")
                return choice

    # ------------------------------------------------------------------ answers

    @staticmethod
    def _names_it(line: str) -> bool:
        """A line that names the agent, or nobody, means the same whatever was shown before."""
        word, _, name = line.lower().partition(" ")
        return line.lower() in _CANCEL or (word == "other" and bool(name.strip()))

    @property
    def _workflow(self) -> WorkflowMatch | None:
        """The command or skill that can be run."""
        workflow = self._found.workflow
        return workflow if workflow is not None and workflow.runnable else None

    def _choice(self, answer: str) -> RouteChoice | None:
        found, workflow = self._found, self._workflow
        if answer.lower() in _CANCEL:
            return RouteChoice(RouteAction.CANCEL)
        if answer.lower() in _ACCEPT and found.recommended is not None:
            return RouteChoice(RouteAction.ACCEPT, found.recommended)
        if answer.lower() == "w" and workflow is not None:
            return RouteChoice(RouteAction.WORKFLOW, workflow.reference)
        if answer.isdecimal() and 1 <= int(answer) <= len(found.matches):
            agent = found.matches[int(answer) - 1].agent
            accepted = agent == found.recommended
            return RouteChoice(RouteAction.ACCEPT if accepted else RouteAction.ALTERNATIVE, agent)
        return None

    def _other(self, name: str) -> RouteChoice | None:
        try:
            return RouteChoice(RouteAction.OTHER, resolve_reference(self._secretary.index, name))
        except AgentNotFoundError as error:
            self._say(f"{error}.")
            return None

    async def _answer_in_words(self, answer: str) -> RouteChoice | None:
        """An agent by name, or what is said or set before the choice."""
        word, _, rest = answer.partition(" ")
        match word.lower():
            case "o" | "other":
                name = rest.strip() or await self._source.answer("Agent name: ", never)
                return self._other(name) if name else None
            case "why":
                for line in self._why():
                    self._say(line)
            case "task":
                task = rest or await self._source.answer("Task to send: ", never)
                self._task = task or self._task
                self._say(f"Task: {clean_line(self._task)}")
            case "engine":
                self._take_engine(rest.strip())
            case "tree":
                await self._toggle_tree()
            case _:
                self._say(f"{clean_line(answer)} is not one of the answers.")
        return None

    async def _toggle_tree(self) -> None:
        from secretary_tui.delegation.worktree.worktree import can_have_own_tree

        if not await asyncio.to_thread(can_have_own_tree, self._secretary.project):
            self._say("The folder is not in a git repository, so there can be no worktree.")
            return
        self._own_tree = not self._own_tree
        where = "in its own git worktree" if self._own_tree else "in the project folder"
        self._say(f"The run works {where}.")

    def _take_engine(self, name: str) -> None:
        offers = {offer.name: offer for offer in self._secretary.engines.offers()}
        if name in offers and not offers[name].problem:
            self._engine = name
            limits = ", ".join(offers[name].limits)
            self._say(f"This run goes to {offers[name].label}." + (limits and f" {limits}."))
            return
        for offer in offers.values():
            self._say(f"{offer.name}: {offer.problem or offer.label}")
        self._say("Type engine and one of these names.")

    def _why(self) -> list[str]:
        from secretary_tui.routing.match.explanation import explain_route
        from secretary_tui.routing.match.explanation_text import explanation_lines

        explained = explain_route(
            self._found, self._secretary.library.matcher, self._secretary.config
        )
        if explained is None:
            return ["There is no explanation for this ranking."]
        shown = tuple(each for each in explained.ranking if not each.hidden)
        heard = replace(explained, ranking=shown or explained.ranking[:1])
        return [line.strip() for line in explanation_lines(heard, _WHY_WIDTH) if line.strip()]

    # -------------------------------------------------------------------- lines

    def _prompt(self) -> str:
        found, workflow = self._found, self._workflow
        words = ["other and a name"]
        if workflow is not None:
            words.insert(0, f"w for {clean_line(workflow.reference)}")
        if found.matches:
            words.insert(0, "a number")
        if found.recommended is not None:
            words.insert(0, f"a to accept {clean_line(found.recommended)}")
        return f"Answer {', '.join(words)}, why, or cancel: "

    def _lines(self) -> Iterator[str]:
        found, workflow = self._found, self._workflow
        if found.notice:
            yield clean_line(found.notice)
        if found.task:
            yield f"Understood: {clean_line(found.task)}"
        advice = advice_for(found, len(self._secretary.index.active))
        if advice is not None:
            yield from (advice.message, *(f"{clean(line)}." for line in advice.suggestions))
        if found.matches and self._spoken:
            fit = "agent fits" if len(found.matches) == 1 else "agents fit"
            yield f"{len(found.matches)} {fit}:"
        for number, match in enumerate(found.matches, 1):
            yield from self._match(str(number), match)
        if found.close:
            yield clean_line(found.close)
        if workflow is not None:
            facts = [clean_line(workflow.reason), *self._workflow_facts(workflow.reference)]
            yield from self._offered("w", workflow.reference, workflow.confidence, facts)

    def _match(self, key: str, match: AgentMatch) -> Iterator[str]:
        recommended = match.agent == self._found.recommended
        reason = clean_line(match.reason).rstrip(".")
        facts = [f"Why: {reason}" if self._spoken else reason]
        entry = self._secretary.index.get(match.agent)
        if entry is not None:
            facts += [self._powers(entry.spec), f"from {clean_line(entry.spec.source.label)}"]
        if match.copies:
            facts.append(f"{amount(len(match.copies), 'copy', 'copies')} elsewhere")
        yield from self._offered(key, match.agent, match.confidence, facts, recommended)

    def _offered(
        self,
        key: str,
        name: str,
        confidence: int,
        facts: Sequence[str],
        recommended: bool = False,
    ) -> Iterator[str]:
        """One that can be chosen: a line for ears, a block for eyes."""
        mark = ", recommended" if recommended else ""
        facts = [fact.rstrip(".") for fact in facts if fact]
        if self._spoken:
            said = [f"{key}: {clean_line(name)}, {confidence} percent{mark}"]
            yield ". ".join([*said, *(fact[:1].upper() + fact[1:] for fact in facts)]) + "."
            return
        yield f"  {key}  {clean_line(name)}  {confidence} %{mark}"
        yield from (_INDENT + fact for fact in facts)

    def _workflow_facts(self, reference: str) -> Iterator[str]:
        try:
            spec = self._secretary.library.definition(reference)
        except AgentNotFoundError as error:
            yield str(error)
            return
        yield self._powers(spec)
        yield from map(clean_line, remarks(spec))

    def _powers(self, spec: AgentSpec) -> str:
        mode = self._permission_mode or self._secretary.config.permission_mode
        return clean_line(powers(spec, mode))


def powers(spec: AgentSpec, permission_mode: str) -> str:
    """Say in a line which tools an agent will get and what happens to the risky ones."""
    from secretary_tui.delegation.permissions.offered_tools import offered_tools
    from secretary_tui.tool_table import ASKING_TOOLS

    names = offered_tools(spec).names
    risky = [name for name in names if name in ASKING_TOOLS]
    parts = [", ".join(name for name in names if name not in ASKING_TOOLS)]
    if risky:
        verb = {
            "ask": "asks before",
            "accept-edits": "asks before (edits in the project are allowed)",
        }.get(permission_mode, "refused:")
        parts.append(f"{verb} {', '.join(risky)}")
    return "tools: " + ("; ".join(filter(None, parts)) or "none")
