"""Who shall do it: the ranking as numbered lines, and the words that answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

from secretary_tui.lines.line_face import LineFace
from secretary_tui.lines.line_query import LineQuery, QueryType
from secretary_tui.lines.output import amount
from secretary_tui.lines.route_rows import RouteRows, offered_names
from secretary_tui.people import Recommendation, RouteAction, RouteChoice
from secretary_tui.registry.agent_index import AgentNotFoundError
from secretary_tui.registry.mentions import resolve_reference
from secretary_tui.routing.recommend.advice import advice_for
from secretary_tui.sanitize import clean, clean_line
from secretary_tui.secretary import Secretary

_WHY_WIDTH = 10_000
"""The terminal wraps the explanation itself."""
_ACCEPT = ("a", "accept", "y", "yes")
_CANCEL = ("no", "cancel", "c", "q")


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
        face: Where it is asked.
        permission_mode: The mode of the run that is chosen; empty for that of the settings.
    """

    def __init__(
        self,
        found: Recommendation,
        secretary: Secretary,
        face: LineFace,
        *,
        permission_mode: str = "",
    ) -> None:
        self._found = found
        self._secretary = secretary
        self._face = face
        self._rows = RouteRows(
            found, secretary, spoken=face.spoken, permission_mode=permission_mode
        )
        self._task = found.task
        self._engine = ""
        self._own_tree: bool | None = None
        self._looked_up = ""
        self._looks_up = True

    async def ask(self) -> RouteChoice:
        """Say who fits, and wait until the user chose or cancelled."""
        await self._look_up()
        self._face.show(self._query())
        while True:
            answer = await self._face.answer(self._query())
            choice = RouteChoice(RouteAction.CANCEL) if answer is None else self._choice(answer)
            if choice is None and answer:
                choice = await self._answer_in_words(answer)
            if choice is not None and choice.agent is not None:
                return replace(
                    choice,
                    task=self._task,
                    engine=self._engine,
                    own_tree=self._own_tree,
                    looks_up=self._looks_up,
                )
            if choice is not None:
                self._face.say("Cancelled. Nothing was run.")
                return choice

    # ------------------------------------------------------------------ answers

    @staticmethod
    def _names_it(line: str) -> bool:
        """A line that names the agent, or nobody, means the same whatever was shown before."""
        word, _, name = line.lower().partition(" ")
        return line.lower() in _CANCEL or (word == "other" and bool(name.strip()))

    def _may_come_early(self, line: str) -> bool:
        """A program that has written another request before this was asked meant no answer."""
        return self._names_it(line) or self._choice(line) is not None

    def _choice(self, answer: str) -> RouteChoice | None:
        if answer.lower() in _CANCEL:
            return RouteChoice(RouteAction.CANCEL)
        accepted = self._rows.accepted
        if answer.lower() in _ACCEPT and accepted is not None:
            return accepted.choice
        return self._rows.by_key(answer.lower())

    def _other(self, name: str) -> RouteChoice | None:
        try:
            return RouteChoice(RouteAction.OTHER, resolve_reference(self._secretary.index, name))
        except AgentNotFoundError as error:
            self._face.say(f"{error}.")
            return None

    async def _answer_in_words(self, answer: str) -> RouteChoice | None:
        """An agent by name, or what is said or set before the choice."""
        word, _, rest = answer.partition(" ")
        match word.lower():
            case "o" | "other":
                name = rest.strip() or await self._typed("Agent name: ")
                return self._other(name) if name else None
            case "more" if self._rows.has_more:
                self._face.show_options(self._rows.unfold())
            case "why":
                for line in self._why():
                    self._face.say(line)
            case "task":
                await self._take_task(rest or await self._typed("Task to send: "))
            case "engine":
                self._take_engine(rest.strip())
            case "context" if self._looked_up:
                self._looks_up = not self._looks_up
                self._face.say(self._context)
            case "tree":
                await self._toggle_tree()
            case _:
                self._face.say(f"{clean_line(answer)} is not one of the answers.")
        return None

    async def _look_up(self) -> None:
        """Look up what the task names, and let a model on this machine be ready."""
        if agent := self._rows.first:
            runs = self._secretary.runs
            request = self._found.request if self._task == self._found.task else ""
            run = runs.possible(agent, self._task, request=request, engine=self._engine)
            found = await runs.look_up(run)
            runs.load_ahead(run, found)
            self._looked_up = found.summary

    async def _take_task(self, task: str) -> None:
        self._task = task or self._task
        await self._look_up()
        self._face.say(f"Task: {clean_line(self._task)}")
        for line in filter(None, (self._context, self._too_much)):
            self._face.say(line)

    async def _typed(self, prompt: str) -> str:
        query = LineQuery(QueryType.QUESTION, (prompt.rstrip(": "),), prompt)
        return await self._face.answer(query) or ""

    async def _toggle_tree(self) -> None:
        from secretary_tui.delegation.worktree.worktree import can_have_own_tree

        if not await asyncio.to_thread(can_have_own_tree, self._secretary.project):
            self._face.say("The folder is not in a git repository, so there can be no worktree.")
            return
        self._own_tree = not self._own_tree
        where = "in its own git worktree" if self._own_tree else "in the project folder"
        self._face.say(f"The run works {where}.")

    def _take_engine(self, name: str) -> None:
        offers = {offer.name: offer for offer in self._secretary.engines.offers()}
        if name in offers and not offers[name].problem:
            self._engine = name
            limits = ", ".join(offers[name].limits)
            self._face.say(f"This run goes to {offers[name].label}." + (limits and f" {limits}."))
            return
        for offer in offers.values():
            self._face.say(f"{offer.name}: {offer.problem or offer.label}")
        self._face.say("Type engine and one of these names.")

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

    # -------------------------------------------------------------------- query

    def _query(self) -> LineQuery:
        return LineQuery(
            QueryType.OFFER,
            tuple(self._text()),
            self._prompt(),
            self._rows.options,
            after=(clean_line(self._found.close),) if self._found.close else (),
            names_it=self._names_it,
            may_come_early=self._may_come_early,
        )

    @property
    def _context(self) -> str:
        """What goes along with the task, or is left out; empty for nothing."""
        if not self._looked_up:
            return ""
        word, does = ("With", "leaves it out") if self._looks_up else ("Without", "puts it back")
        return f"{word}: {clean_line(self._looked_up)} (the word context {does})."

    @property
    def _too_much(self) -> str:
        agent = self._rows.first
        tools = offered_names(agent) if agent is not None else ()
        return self._secretary.engines.too_much(self._task, tools, self._engine)

    def _prompt(self) -> str:
        accepted, command = self._rows.accepted, self._rows.command
        words = []
        if accepted is not None:
            name = clean_line(accepted.choice.agent or "")
            is_new = accepted.choice.action is RouteAction.ACCEPT
            words.append(f"a to {'accept' if is_new else 'go on with'} {name}")
        if self._rows.are_numbered:
            words.append("a number")
        if command is not None:
            words.append(f"{command.option.key} for {clean_line(command.choice.agent or '')}")
        words.append("other and a name")
        if self._rows.has_more:
            words.append("more")
        return f"Answer {', '.join(words)}, why, or cancel: "

    def _text(self) -> Iterator[str]:
        found = self._found
        if found.notice:
            yield clean_line(found.notice)
        if self._task:
            yield f"Understood: {clean_line(self._task)}"
        yield from filter(None, (self._context, self._too_much))
        advice = advice_for(found, len(self._secretary.index.active))
        if advice is not None and found.continuation is None:
            yield from (advice.message, *(f"{clean(line)}." for line in advice.suggestions))
        fitting = sum(not match.fallback for match in found.matches)
        if fitting and self._face.spoken:
            yield f"{amount(fitting, 'agent fits', 'agents fit')}:"
