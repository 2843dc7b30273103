"""Changes files for a task, one step a file; a grammar binds what the model writes for each.

The result is applied by Edit and Write, so permissions, sandbox and undo hold as for any call.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from secretary_tui.delegation.lookup.looked_up import Excerpt, ExcerptOrigin, LookedUp
from secretary_tui.delegation.lookup.lookup import ProjectLookup
from secretary_tui.delegation.loop.messages import Messages
from secretary_tui.delegation.small.answering import with_excerpt
from secretary_tui.delegation.small.change_steps import (
    MAX_STEPS,
    ChangeStep,
    StepKind,
    is_named,
    plan_steps,
)
from secretary_tui.delegation.small.doc_comments import comment_grammar
from secretary_tui.delegation.small.edit_blocks import (
    code_grammar,
    edit_grammar,
    plan_in,
)
from secretary_tui.delegation.small.needs import MOST_FILES, need_grammar, read_need
from secretary_tui.delegation.small.renaming import Rename, renames_in
from secretary_tui.delegation.small.small_model import SmallModel
from secretary_tui.delegation.small.step_edits import (
    StepEdit,
    UnusableBlockError,
    edit_for,
    replacing,
)
from secretary_tui.delegation.tools.sdk import ToolError
from secretary_tui.delegation.tools.tool_calls import ToolCall
from secretary_tui.delegation.tools.toolbox import Toolbox
from secretary_tui.tool_table import EDIT

MAX_BLOCK = 700
"""Tokens of one block."""
MAX_RENAMED = 40
"""Files that one rename changes."""
_WHOLE = 10**6
"""Tokens: more than a file has that is edited."""
_TRIES = 2
_UNCLEAR = "It is not clear which file to change. Name it, or a function in it."


class Changing:
    """Changes files for one run."""

    def __init__(
        self,
        model: SmallModel,
        lookup: ProjectLookup,
        toolbox: Toolbox,
        messages: Messages,
        *,
        budget: int,
        code_prompt: str,
    ) -> None:
        """`budget`: tokens that may be shown of one file; `code_prompt`: for new code."""
        self._code = code_prompt
        self._model = model
        self._lookup = lookup
        self._toolbox = toolbox
        self._messages = messages
        self._budget = budget
        self._numbers = itertools.count(1)
        self._written = ""
        """The new lines of the last step."""

    async def change(self, task: str, asked: Sequence[Mapping[str, str]], shown: LookedUp) -> str:
        """Carry out the change that a task describes, and tell what became of it.

        Args:
            task: In the user's words.
            asked: The conversation; its last message holds what was looked up, and the task.
            shown: What was looked up.

        Raises:
            RunFault: the model can't answer.
        """
        files = self._lookup.files()
        renames = renames_in(task, files)
        for rename in renames:
            if renamed := await self._rename(rename, task, files):
                return renamed
        if renames and not renames[0].is_plain:
            return f"{renames[0].old} was not found in the project."
        steps = await self._plan(task, shown, files)
        if not steps:  # What the conversation shows already was not looked up again.
            paths = [path for path in files if is_named(path, task)][:MAX_STEPS]
            named = [await self._lookup.file(path, self._budget, task) for path in paths]
            shown = LookedUp(tuple(filter(None, named)))
            for one in shown.excerpts:
                asked = with_excerpt(asked, one)
            steps = await self._plan(task, shown, files)
        told = []
        for step in steps:
            told.append(await self._take(step, asked))
            if not self._written:  # What follows builds on it.
                break
            if step.kind is not StepKind.EDIT:
                done = Excerpt(step.path, self._written.rstrip(), step.path, is_whole=False)
                asked = with_excerpt(asked, done)
        return "\n\n".join(told) if told else await self._change_chosen(asked, files)

    async def _plan(
        self, task: str, shown: LookedUp, files: Sequence[str]
    ) -> tuple[ChangeStep, ...]:
        found = (one.path for one in shown.excerpts if one.origin is ExcerptOrigin.FILE)
        texts = {path: await self._text(path) for path in set(found) if path}
        return plan_steps(task, shown, texts, files)

    async def _change_chosen(self, asked: Sequence[Mapping[str, str]], files: Sequence[str]) -> str:
        """Have the model choose the file, where the task leads to none."""
        *before, last = asked
        names = "\n".join(files[:MOST_FILES])
        content = f"Files:\n{names}\n\n{last['content']}\n\nWhich file must be changed?"
        question = [*before, {**last, "content": content}]
        reply = await self._model.ask(
            question, 60, need_grammar(files, must=True), visible=lambda _: ""
        )
        need = read_need(reply.text)
        found = await self._lookup.file(need.name, self._budget, content) if need else None
        if found is None or not found.path:
            return _UNCLEAR
        shown = [*before, {**last, "content": f"{found.block}\n\n{last['content']}"}]
        return await self._take(ChangeStep(StepKind.EDIT, found.path, found), shown)

    async def _take(self, step: ChangeStep, asked: Sequence[Mapping[str, str]]) -> str:
        """Have one step written and apply it; what can't be applied is written once more."""
        is_there = step.kind is StepKind.CREATE and await self._lookup.is_there(step.path)
        if is_there and not await self._text(step.path):  # Not even as an empty file.
            return f"{step.path} was not changed: it can't be read here."
        *before, last = asked
        shown = step.shown.text if step.shown else ""
        is_edit = step.kind is StepKind.EDIT
        match step.kind:
            case StepKind.EDIT:
                grammar = edit_grammar(shown.split("\n"))
            case StepKind.COMMENT:
                grammar = comment_grammar(step.path)
            case _:
                grammar = code_grammar(step.path)
        now, why, self._written = last["content"] + _instruction(step), "", ""
        for _ in range(_TRIES):
            question = [*before, {**last, "content": now}]
            reply = await self._model.ask(
                question, MAX_BLOCK, grammar, visible=plan_in, system="" if is_edit else self._code
            )
            try:
                # A large file takes seconds to be parsed.
                text = await self._text(step.path)
                edit = await asyncio.to_thread(edit_for, step, reply.text, text)
            except UnusableBlockError as error:
                why = str(error)
                self._model.take_back(why)
                now += f"\n\nThis was refused:\n{reply.text.strip()}\n{why} Write it again, right."
                continue
            result, why = await self._call(edit.tool, edit.input)
            if not why:
                self._written = str(edit.input.get("new_string") or edit.input.get("content"))
                return result
            break
        return f"{step.path} was not changed: {why}"

    async def _rename(self, rename: Rename, task: str, files: Sequence[str]) -> str:
        """Rename in the files that the task names, else in all that hold the name.

        Gives what became of it; empty where no file holds the name.
        """
        named = [path for path in files if path in task or path.rpartition("/")[2] in task]
        told: list[str] = []
        places = 0
        for path in named or files:
            text = await self._lookup.source(path)
            count = len(rename.pattern().findall(text))
            if not count:
                continue
            if len(told) == MAX_RENAMED:
                told.append(f"More files contain {rename.old}; they were not changed.")
                break
            lines = text.removesuffix("\n").split("\n")
            held = [at for at, line in enumerate(lines) if rename.pattern().search(line)]
            first, last = held[0], held[-1]
            new = [rename.apply(line) for line in lines[first : last + 1]]
            edit = replacing(path, lines, first, len(new), new)
            if text.count(rename.old) == count:  # Shorter to look at.
                edit = StepEdit(EDIT, _edit(path, rename.old, rename.new))
            _, why = await self._call(edit.tool, edit.input)
            told.append(f"{path} was not changed: {why}" if why else f"{path}: {count} renamed")
            places += 0 if why else count
        if not told:
            return ""
        head = f"Renamed {rename.old} to {rename.new}, {places} times, in code and in text:"
        return "\n- ".join([head, *told])

    async def _text(self, path: str) -> str:
        """Give all of a file, as far as the run may read it; empty where it may not."""
        found = await self._lookup.file(path, _WHOLE)
        return f"{found.text}\n" if found and found.path == path and found.is_whole else ""

    async def _call(self, tool: str, given: Mapping[str, Any]) -> tuple[str, str]:
        """Call a tool as a model would; returns its result and why it was refused, one empty."""
        call = ToolCall(f"change-{next(self._numbers)}", tool, dict(given))
        block = {"type": "tool_use", "id": call.id, "name": tool, "input": call.input}
        self._messages.add("assistant", [block])
        self._toolbox.expect([call])
        result, why = "", ""
        try:
            result = str(await self._toolbox.run(tool, call.input))
        except ToolError as error:
            why = str(error)
        told = {"type": "tool_result", "tool_use_id": call.id, "content": why or result}
        self._messages.add("user", [{**told, "is_error": bool(why)}])
        return result, why


def _instruction(step: ChangeStep) -> str:
    """Say which step is to be written, behind the task."""
    match step.kind:
        case StepKind.EDIT if step.shown and not step.shown.is_whole:
            return f"\n\n(Change {step.shown.title}.)"
        case StepKind.EDIT:
            return ""
        case StepKind.COMMENT:
            return (
                f"\n\nNow write only the doc comment of {step.shown.title if step.shown else ''}."
            )
        case StepKind.ADD:
            return f"\n\nNow write {step.name} alone, as it is added to {step.path}."
        case StepKind.CREATE:
            short = " Three cases are enough." if "test" in step.path.lower() else ""
            return f"\n\nNow write the whole new file {step.path}.{short}"


def _edit(path: str, old: str, new: str) -> dict[str, Any]:
    return {"file_path": path, "old_string": old, "new_string": new, "replace_all": True}
