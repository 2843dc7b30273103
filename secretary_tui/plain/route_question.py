"""Who shall do it: the ranking as numbered lines, and the words that answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

from secretary_tui.people import (
    AgentMatch,
    Recommendation,
    RouteAction,
    RouteChoice,
)
from secretary_tui.plain.keyboard import Keyboard, never
from secretary_tui.plain.line_writer import LineWriter
from secretary_tui.registry.agent_index import AgentNotFoundError
from secretary_tui.registry.mentions import resolve_reference
from secretary_tui.registry.workflow_agent import remarks
from secretary_tui.routing.recommend.advice import advice_for
from secretary_tui.sanitize import clean, clean_line
from secretary_tui.secretary import Secretary
from secretary_tui.verbs.output import amount
from secretary_tui.verbs.running.people_at_hand import powers
from secretary_tui.verbs.running.terminal_people import chosen

_WHY_WIDTH = 10_000
"""The terminal wraps the explanation itself."""
_CANCEL = ("no", "cancel", "c")


class RouteQuestion:
    """Asks about one recommendation; nothing is delegated without its answer."""

    def __init__(
        self, found: Recommendation, secretary: Secretary, paper: LineWriter, keyboard: Keyboard
    ) -> None:
        self._found = found
        self._secretary = secretary
        self._paper = paper
        self._keyboard = keyboard
        self._task = found.intent
        self._engine = ""
        self._own_tree: bool | None = None

    async def ask(self) -> RouteChoice:
        """Say who fits, and wait until the user chose or cancelled."""
        for line in self._lines():
            self._paper.line(line)
        while True:
            answer = await self._keyboard.answer(self._prompt(), self._names_it)
            choice = RouteChoice(RouteAction.CANCEL) if answer is None else self._choice(answer)
            if choice is None and answer:
                choice = await self._aside(answer)
            if choice is not None and choice.agent is not None:
                return replace(
                    choice, task=self._task, engine=self._engine, own_tree=self._own_tree
                )
            if choice is not None:
                self._paper.line("Cancelled. Nothing was run.")
                return choice

    @staticmethod
    def _names_it(line: str) -> bool:
        """A line that names the agent, or nobody, means the same whatever was shown before."""
        word, _, name = line.lower().partition(" ")
        return line.lower() in _CANCEL or (word == "other" and bool(name.strip()))

    def _choice(self, answer: str) -> RouteChoice | None:
        found, workflow = self._found, self._found.workflow
        word, _, name = answer.partition(" ")
        word = word.lower()
        if answer.lower() in _CANCEL:
            return RouteChoice(RouteAction.CANCEL)
        if answer.lower() in ("a", "accept") and found.recommended is not None:
            return RouteChoice(RouteAction.ACCEPT, found.recommended)
        if answer.lower() == "w" and workflow is not None and workflow.runnable:
            return RouteChoice(RouteAction.WORKFLOW, workflow.reference)
        if answer.isdecimal() and 1 <= int(answer) <= len(found.matches):
            return chosen(found.matches[int(answer) - 1].agent, found)
        if word in ("o", "other") and name.strip():
            return self._other(name.strip())
        return None

    def _other(self, name: str) -> RouteChoice | None:
        try:
            return RouteChoice(RouteAction.OTHER, resolve_reference(self._secretary.index, name))
        except AgentNotFoundError as error:
            self._paper.line(f"{error}.")
            return None

    async def _aside(self, answer: str) -> RouteChoice | None:
        """What is said or set before the choice; a choice only where a name was asked for."""
        word, _, rest = answer.partition(" ")
        match word.lower():
            case "o" | "other":
                name = await self._keyboard.answer("The name of the agent: ", never)
                return self._other(name) if name else None
            case "why":
                for line in self._why():
                    self._paper.line(line)
            case "task":
                task = rest or await self._keyboard.answer("The task, as it shall be sent: ", never)
                self._task = task or self._task
                self._paper.line(f"The task is: {clean_line(self._task)}")
            case "engine":
                self._take_engine(rest.strip())
            case "tree":
                await self._toggle_tree()
            case _:
                self._paper.line(f"{clean_line(answer)} is none of the answers.")
        return None

    async def _toggle_tree(self) -> None:
        from secretary_tui.delegation.worktree.worktree import can_have_own_tree

        if not await asyncio.to_thread(can_have_own_tree, self._secretary.project):
            self._paper.line("The folder is in no git repository, so there is no tree to be had.")
            return
        self._own_tree = not self._own_tree
        where = "in a git worktree of its own" if self._own_tree else "in the folder itself"
        self._paper.line(f"The run works {where}.")

    def _take_engine(self, name: str) -> None:
        offers = {offer.name: offer for offer in self._secretary.engines.offers()}
        if name in offers and not offers[name].problem:
            self._engine = name
            limits = ", ".join(offers[name].limits)
            self._paper.line(f"This run goes to {offers[name].label}." + (limits and f" {limits}."))
            return
        for offer in offers.values():
            self._paper.line(f"{offer.name}: {offer.problem or offer.label}")
        self._paper.line("Say engine and one of these names.")

    def _why(self) -> list[str]:
        from secretary_tui.routing.match.explanation import explain_route
        from secretary_tui.routing.match.explanation_text import explanation_lines

        secretary = self._secretary
        explained = explain_route(self._found, secretary.library.matcher, secretary.config)
        if explained is None:
            return ["There is no more to say about this ranking."]
        shown = tuple(each for each in explained.ranking if not each.hidden)
        heard = replace(explained, ranking=shown or explained.ranking[:1])
        return [line.strip() for line in explanation_lines(heard, _WHY_WIDTH) if line.strip()]

    def _prompt(self) -> str:
        found, workflow = self._found, self._found.workflow
        words = []
        if found.recommended is not None:
            words.append(f"a to accept {clean_line(found.recommended)}")
        if found.matches:
            words.append("a number")
        if workflow is not None and workflow.runnable:
            words.append(f"w for {clean_line(workflow.reference)}")
        return f"Answer {', '.join((*words, 'other and a name'))}, why, or cancel: "

    def _lines(self) -> Iterator[str]:
        found = self._found
        if found.notice:
            yield clean_line(found.notice)
        if found.intent:
            yield f"Understood: {clean_line(found.intent)}"
        advice = advice_for(found, len(self._secretary.index.active))
        if advice is not None:
            yield from (advice.message, *(f"{clean(line)}." for line in advice.suggestions))
        if found.matches:
            fit = "agent fits" if len(found.matches) == 1 else "agents fit"
            yield f"{len(found.matches)} {fit}:"
        for number, match in enumerate(found.matches, 1):
            yield self._match(number, match)
        if found.close:
            yield clean_line(found.close)
        workflow = found.workflow
        if workflow is not None and workflow.runnable:
            reason = clean_line(workflow.reason)
            yield f"w: {clean_line(workflow.reference)}, {workflow.confidence} percent. {reason}"
            yield from self._workflow_powers(workflow.reference)

    def _match(self, number: int, match: AgentMatch) -> str:
        said = f"{number}: {clean_line(match.agent)}, {match.confidence} percent"
        if match.agent == self._found.recommended:
            said += ", recommended"
        parts = [said, f"Why: {clean_line(match.reason).rstrip('.')}"]
        entry = self._secretary.index.get(match.agent)
        if entry is not None:
            said = clean_line(powers(entry.spec, self._secretary.config.permission_mode))
            parts.append(said[:1].upper() + said[1:])
            parts.append(f"From {clean_line(entry.spec.source.label)}")
        if match.copies:
            parts.append(f"{amount(len(match.copies), 'copy', 'copies')} elsewhere")
        return ". ".join(filter(None, parts)) + "."

    def _workflow_powers(self, reference: str) -> Iterator[str]:
        try:
            spec = self._secretary.library.definition(reference)
        except AgentNotFoundError as error:
            yield f"{error}."
            return
        yield clean_line(powers(spec, self._secretary.config.permission_mode))
        yield from map(clean_line, remarks(spec))
