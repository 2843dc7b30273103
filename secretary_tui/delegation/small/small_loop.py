"""Carries out a run on the embedded model: it is fed, asked one thing at a time, and never loops.

What the task needs was looked up before; the first question can so be answered at once. Where the
model says that something is missing, it is fetched by the rules of Read and Grep; what it changes
goes through the same tools, permissions and undo as any other model's. A task that runs commands
takes turns of tool calls, as with other models.
"""

from __future__ import annotations

import asyncio
import importlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from secretary_tui.delegation.brief.prompt import SystemPrompt
from secretary_tui.delegation.brief.small_prompt import (
    of_use,
    small_code_prompt,
    small_system_prompt,
    small_task,
)
from secretary_tui.delegation.brief.way import Way, is_text, way_for
from secretary_tui.delegation.carrier.carrier import RunContext
from secretary_tui.delegation.carrier.endings import RunFault, ending, plain_fault
from secretary_tui.delegation.carrier.looking_up import look_up_for
from secretary_tui.delegation.carrier.run_course import RunCourse
from secretary_tui.delegation.carrier.run_opening import RunBrief, RunOpening
from secretary_tui.delegation.lookup.looked_up import Excerpt, ExcerptOrigin, LookedUp
from secretary_tui.delegation.lookup.lookup import ProjectLookup
from secretary_tui.delegation.lookup.project_changes import Change
from secretary_tui.delegation.lookup.request_names import content_words
from secretary_tui.delegation.loop.agent_loop import AgentLoop
from secretary_tui.delegation.loop.messages import Messages
from secretary_tui.delegation.loop.retry_policy import RetryPolicy
from secretary_tui.delegation.spend.budget import BudgetSpentError, BudgetStoreError
from secretary_tui.delegation.spend.ledger import Ledger
from secretary_tui.delegation.undo.snapshots import Snapshots

if TYPE_CHECKING:
    from secretary_tui.delegation.small.small_model import SmallModel
    from secretary_tui.engines.local.local_engine import LocalEngine

MOST_REMEMBERED = 9_000
"""Characters of earlier turns that are told again, the newest."""
_FEW_WORDS = 2
"""A task with no more words than this beside the name of a long file is about all of it."""


class SmallLoop:
    """One run on the embedded model."""

    def __init__(self, run: RunContext, retry: RetryPolicy, engine: LocalEngine) -> None:
        self._run = run
        self._retry = retry
        self._engine = engine
        self._way = way_for(run.delegation)
        self._turns = AgentLoop(run, retry) if self._way is Way.TOOLS else None
        self._opening = RunOpening(run)
        self._ledger = Ledger(engine, self._opening.model.id, run.delegation.budget, run.emit)
        self._course = RunCourse(run, lambda: (self._ledger.usage, self._ledger.cost_usd))
        self._messages = Messages(run.emit)
        self._snapshots: Snapshots | None = None
        self._model: SmallModel | None = None

    async def run(self) -> None:
        """Run to the end; cancelling leaves it to `interrupt` to close the run."""
        if self._turns is not None:
            await self._turns.run()
            return
        try:
            await self._carry_out()
        except RunFault as stop:
            self._course.fail(stop.fault)
        except BudgetSpentError:
            self._course.end_at_cap()
        except BudgetStoreError as error:
            self._course.fail(plain_fault(str(error), error.suggestion))

    def interrupt(self) -> None:
        """Close a run that was cancelled: what was shown is kept."""
        if self._turns is not None:
            self._turns.interrupt()
            return
        self._opening.tell_start()
        self._keep_answer()
        self._course.interrupt()

    def say(self, text: str) -> None:
        """Have the agent told when its answer is finished."""
        self._run.inbox.say(text)

    async def close(self) -> None:
        """Put away what the run needed only while it went on."""
        if self._turns is not None:
            await self._turns.close()
        if self._snapshots is not None:
            self._snapshots.close()

    async def _carry_out(self) -> None:
        brief = await self._opening.open()
        delegation = brief.delegation
        if delegation.messages:
            await self._messages.open(delegation, self._run.people)
        else:
            shown = of_use(brief.looked_up, delegation.task, self._way)
            brief = replace(brief, looked_up=shown)
            self._messages.add("user", small_task(self._run.delegation, shown))
        from secretary_tui.delegation.small.small_model import SmallModel

        while await self._course.may_go_on():
            self._model = SmallModel(
                self._run, self._engine, brief.prompt.text, self._course, self._ledger, self._retry
            )
            is_whole = await self._do(brief)
            self._keep_answer()
            heard = self._run.inbox.take()
            if not heard:
                stop_reason = "end_turn" if is_whole else "max_tokens"
                self._course.end(stop_reason, ending(stop_reason, {}))
                return
            brief = await self._hear(brief, heard)

    async def _hear(self, brief: RunBrief, heard: Sequence[str]) -> RunBrief:
        """Take what was said meanwhile for the next task, with what it names."""
        messages = tuple(self._messages.items)
        said = replace(brief.delegation, messages=messages, follow_up="\n".join(heard))
        self._messages.hear(heard)
        # Who takes turns of tool calls hears it in one of them.
        self._way = Way.CHANGE if way_for(said) is Way.CHANGE else Way.ANSWER
        return replace(
            brief,
            delegation=said,
            prompt=SystemPrompt(small_system_prompt(said.agent, self._way)),
            looked_up=await look_up_for(
                said, brief.workspace, brief.access, self._engine.lookup_tokens
            ),
        )

    async def _do(self, brief: RunBrief) -> bool:
        """Answer, or change, what was said last; whether the answer is whole."""
        from secretary_tui.delegation.small.answering import Answering, with_excerpt

        assert self._model is not None
        delegation, emit = brief.delegation, self._run.emit
        task = delegation.follow_up or delegation.task
        lookup = ProjectLookup(brief.sight)
        asked: Sequence[Mapping[str, str]] = chat_of(self._messages.items)
        for one in brief.looked_up.excerpts:
            if one.block not in asked[-1]["content"]:
                asked = with_excerpt(asked, one)
        budget = self._engine.lookup_tokens
        if self._way is Way.CHANGE:
            # The SDK's import, on which the tools stand, takes a second.
            await asyncio.to_thread(
                importlib.import_module, "secretary_tui.delegation.small.changing"
            )
            from secretary_tui.delegation.small.changing import Changing
            from secretary_tui.delegation.tools.toolbox import Toolbox

            self._snapshots = self._snapshots or Snapshots(brief.workspace, delegation.run_id)
            toolbox = Toolbox(brief.tool_context(self._run), {}, self._snapshots)
            code = small_code_prompt(delegation.agent)
            changing = Changing(
                self._model,
                lookup,
                toolbox,
                self._messages,
                budget=budget,
                code_prompt=code,
            )
            told = await changing.change(task, asked, brief.looked_up)
            self._model.say(f"\n\n{told}" if self._model.said else told)
            return True
        answering = Answering(self._model, lookup, emit, budget=budget)
        pieces = await _pieces(task, brief.looked_up.excerpts, lookup, budget)
        if len(pieces) > 1:
            return (await answering.answer_in_pieces(task, pieces, asked[:-1])).is_whole
        reply = await answering.answer(asked, brief.looked_up)
        if read := source_line(task, reply.text, brief.looked_up):
            self._model.say(f"\n\n{read}")
        return reply.is_whole

    def _keep_answer(self) -> None:
        """Add what was shown to the conversation."""
        if self._model is None or not self._model.said.strip():
            return
        self._course.text = self._model.said.strip()
        self._messages.add("assistant", [{"type": "text", "text": self._course.text}])
        self._model.said = ""


def chat_of(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Give a conversation as plain turns: texts only, the oldest left out where it is long."""
    turns: list[dict[str, str]] = []
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        text = "\n".join(str(one["text"]) for one in blocks if one.get("type") == "text").strip()
        if not text:
            continue
        if turns and turns[-1]["role"] == message["role"]:
            turns[-1]["content"] += f"\n\n{text}"
        else:
            turns.append({"role": str(message["role"]), "content": text})
    while len(turns) > 2 and sum(len(one["content"]) for one in turns) > MOST_REMEMBERED:
        del turns[:2]
    return turns


def source_line(task: str, answer: str, shown: LookedUp) -> str:
    """Name the files that an answer rests on; empty where it names one itself.

    An answer that is a text to be used (a commit message, a translation) needs none.
    """
    paths = dict.fromkeys(one.path for one in shown.excerpts if one.path)
    is_named = any(path.rpartition("/")[2] in answer for path in paths)
    if not paths or is_named or not answer.strip() or is_text(task):
        return ""
    return f"Read: {', '.join(one.title for one in shown.excerpts if one.path)}"


async def _pieces(
    task: str, excerpts: Sequence[Excerpt], lookup: ProjectLookup, budget: int
) -> tuple[Excerpt, ...]:
    """Give the pieces of what is too long to be shown at once; none where a part is enough."""
    cut = [one for one in excerpts if not one.is_whole]
    if len(cut) != 1:
        return ()
    (long,) = cut
    if long.origin is ExcerptOrigin.GIT:
        return await lookup.change(Change(long.title))
    names = re.split(r"\W+", long.path.lower())
    words = [word for word in content_words(task) if word not in names]
    about_part = len(words) > _FEW_WORDS or any(word in long.text.lower() for word in words)
    about_all = not about_part and long.path.rpartition("/")[2].lower() in task.lower()
    return await lookup.parts(long.path, budget) if about_all else ()
