"""Answers a task from what was looked up; what the model says is missing is fetched, up to 3 times.

What is too long is read in pieces, a change file by file, a file function by function, and the
answers about the pieces are then summed up.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from secretary_tui.delegation.lookup.looked_up import Excerpt, ExcerptOrigin, LookedUp, tokens_of
from secretary_tui.delegation.lookup.lookup import ProjectLookup
from secretary_tui.delegation.small.needs import (
    MOST_FILES,
    NEED_FORM,
    Need,
    NeedOf,
    but_needs,
    need_grammar,
    read_need,
    says_missing,
)
from secretary_tui.delegation.small.small_model import SmallModel, SmallReply
from secretary_tui.events import Notice, RunEvent, ToolFinished, ToolStarted
from secretary_tui.tool_table import GREP, READ

MAX_NEEDS = 3
MAX_ANSWER = 500
"""Tokens of one answer."""
MAX_PIECES = 8
MAX_ABOUT_PIECE = 160
"""Tokens of what is said about one piece."""
_PIECE_END = 'Here is one part of it. Say only what matters in this part for the task, in one to \
three sentences with names and lines; "Nothing." if there is nothing.'
_SUM_UP = "Here is what was found in each part. Do the task from it: begin with what matters most, \
name files, repeat nothing, add nothing."
_SELF_CONTAINED = re.compile(
    r"\b(?:regex(?:p|es)?|regular expression|one-liner|shell command|cron (?:line|expression))\b",
    re.I,
)
_BLOCK_END = re.compile(r"^</(?:file|git|project)>$", re.M)
ChatMessages: TypeAlias = list[Mapping[str, str]]


class Answering:
    """Answers one task of one run."""

    def __init__(
        self,
        model: SmallModel,
        lookup: ProjectLookup,
        emit: Callable[[RunEvent], None],
        *,
        budget: int,
    ) -> None:
        """`budget`: tokens that may be shown of the project in one question."""
        self._model = model
        self._lookup = lookup
        self._emit = emit
        self._budget = budget
        self._calls = itertools.count(1)

    async def answer(self, messages: Sequence[Mapping[str, str]], shown: LookedUp) -> SmallReply:
        """Answer the last of `messages`, in which `shown` stands.

        Raises:
            RunFault: the model can't answer.
        """
        asked = list(messages)
        if shown.excerpts or not _may_need(asked[-1]["content"]):
            reply = await self._model.ask(asked, MAX_ANSWER)
            if not (shown.excerpts and says_missing(reply.text)):
                return reply
            self._model.take_back("The answer needs more of the project.")
        left = max(self._budget - sum(tokens_of(one.text) for one in shown.excerpts), 200)
        for _ in range(MAX_NEEDS):
            files = self._lookup.files()[:MOST_FILES]
            question = _with_needs(asked, files)
            reply = await self._model.ask(
                question, MAX_ANSWER, need_grammar(files), visible=but_needs
            )
            need = read_need(reply.text)
            if need is None:
                return reply
            found = await self._fetch(need, left, asked[-1]["content"])
            if found is None:
                break
            left = max(left - tokens_of(found.text), 100)
            shown = LookedUp((*shown.excerpts, found))
            asked = with_excerpt(asked, found)
        return await self._model.ask(asked, MAX_ANSWER)

    async def answer_in_pieces(
        self, task: str, pieces: Sequence[Excerpt], before: Sequence[Mapping[str, str]]
    ) -> SmallReply:
        """Ask about each piece, and then for one answer from what was said about them.

        Raises:
            RunFault: the model can't answer.
        """
        said = []
        for number, piece in enumerate(pieces[:MAX_PIECES], 1):
            self._emit(Notice(f"Part {number} of {min(len(pieces), MAX_PIECES)}: {_name(piece)}"))
            asked = f"{piece.block}\n\nTask: {task}\n\n{_PIECE_END}"
            reply = await self._model.ask(
                [*before, {"role": "user", "content": asked}], MAX_ABOUT_PIECE, visible=lambda _: ""
            )
            said.append(f"{_name(piece)}: {reply.text.strip()}")
        if len(pieces) > MAX_PIECES:
            rest = ", ".join(map(_name, pieces[MAX_PIECES:]))
            self._emit(Notice(f"Not looked at, too long for this model: {rest}", "warning"))
        asked = "\n\n".join((*said, f"Task: {task}", _SUM_UP))
        return await self._model.ask([*before, {"role": "user", "content": asked}], MAX_ANSWER)

    async def _fetch(self, need: Need, budget: int, about: str) -> Excerpt | None:
        """Fetch what is missing, as Read and Grep would, and show it as a tool call."""
        tool = READ if need.kind is NeedOf.FILE else GREP
        call = f"need-{next(self._calls)}"
        field = "file_path" if tool == READ else "pattern"
        self._emit(ToolStarted(call, tool, need.name, {field: need.name}))
        match need.kind:
            case NeedOf.FILE:
                found = await self._lookup.file(need.name, budget, about)
            case NeedOf.SYMBOL:
                found = await self._lookup.symbol(need.name, budget)
            case NeedOf.SEARCH:
                found = None
        if found is None and need.kind is not NeedOf.FILE:
            found = await self._lookup.search(need.name, budget)
        text = found.text if found else "no matches"
        self._emit(ToolFinished(call, tool, text, found is None, 0.0))
        return found


def _name(piece: Excerpt) -> str:
    """Name a piece: of a change by its file, all are titled by the change."""
    return piece.path if piece.origin is ExcerptOrigin.GIT and piece.path else piece.title


def _may_need(task: str) -> bool:
    """Whether a task may need files of the project; one for a regular expression doesn't."""
    return not _SELF_CONTAINED.search(task)


def _with_needs(messages: Sequence[Mapping[str, str]], files: Sequence[str]) -> ChatMessages:
    """Tell the model, behind the last message, what it may ask for."""
    *before, last = messages
    content = f"Files: {', '.join(files)}\n\n{last['content']}\n\n{NEED_FORM}"
    return [*before, {**last, "content": content}]


def with_excerpt(messages: Sequence[Mapping[str, str]], found: Excerpt) -> ChatMessages:
    """Show one more piece of the project in the last message, behind what was shown before."""
    *before, last = messages
    content = last["content"]
    # No line in a block can be the end of one; `Task:` can stand in any file.
    ends = [end.end() for end in _BLOCK_END.finditer(content)]
    at = ends[-1] if ends else 0
    head, rest = content[:at], content[at:].lstrip("\n")
    return [*before, {**last, "content": "\n\n".join(filter(None, (head, found.block, rest)))}]
