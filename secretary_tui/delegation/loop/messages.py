"""What was said in a run, as the model reads it: each change of it is told as an event.

From those events a later session builds the same messages (`sessions.conversation`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from secretary_tui.delegation.brief.prompt import delegation_prompt
from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.loop.compaction import Summarise, shorten
from secretary_tui.delegation.loop.resuming import results_of
from secretary_tui.delegation.loop.unicode import well_formed
from secretary_tui.events import MessageAdded, MessagesReplaced, Notice, RunEvent, UserMessage
from secretary_tui.people import People
from secretary_tui.sanitize import clean
from secretary_tui.sessions.stored_messages import Message, repair, with_user_text

if TYPE_CHECKING:
    from secretary_tui.delegation.tools.tool_calls import ToolCall

_CONTINUE = "Go on."
_STOPPED = ("The user stopped the run before this was done.", True)


class Messages:
    """The messages of one run."""

    def __init__(self, emit: Callable[[RunEvent], None]) -> None:
        self._emit = emit
        self._items: list[Message] = []

    @property
    def items(self) -> Sequence[Message]:
        """All of them in their order, in API form."""
        return self._items

    async def open(self, delegation: Delegation, people: People) -> None:
        """Begin with the task, or with what a stored run left, its unanswered calls settled."""
        said = clean(delegation.follow_up).strip()
        if delegation.messages:
            messages = well_formed([dict(m) for m in delegation.messages])
            if delegation.open_calls:
                results = well_formed(await results_of(delegation.open_calls, people))
                self._emit(MessageAdded("user", results))
                messages.append({"role": "user", "content": results})
            self._items = list(repair(messages))
        else:
            self.add("user", delegation_prompt(delegation))
            if not said:
                return
        if said:
            self._emit(UserMessage(said))
            self._say(said)
        elif not self._items or self._items[-1]["role"] != "user":
            self.go_on()

    def add(self, role: str, content: Any) -> None:
        """Add a message."""
        self._items.append({"role": role, "content": content})
        self._emit(MessageAdded(role, content))

    def hear(self, texts: Iterable[str]) -> None:
        """Add what the user said since the last turn, behind the results of its tools."""
        for text in texts:
            said = clean(text).strip()
            self._emit(UserMessage(said))
            self._say(said)

    def go_on(self) -> None:
        """Have the model go on where it was."""
        self._say(_CONTINUE)

    def answer_calls(
        self, calls: Sequence[ToolCall], results: Mapping[str, tuple[str, bool]]
    ) -> None:
        """Answer calls of a run that was stopped: with their results, or that they were not run."""
        self.add(
            "user",
            [
                {
                    "type": "tool_result",
                    "tool_use_id": call.id,
                    "content": well_formed(results.get(call.id, _STOPPED)[0]),
                    "is_error": results.get(call.id, _STOPPED)[1],
                }
                for call in calls
            ],
        )

    async def shorten(self, attempt: int, summarise: Summarise, most_characters: int) -> bool:
        """Make room (`compaction.shorten`); whether something could be left out."""
        shorter = await shorten(self._items, attempt, summarise, most_characters=most_characters)
        if shorter is None:
            return False
        self._items = list(shorter.messages)
        self._emit(MessagesReplaced([dict(message) for message in self._items]))
        self._emit(Notice(shorter.sentence, "warning"))
        return True

    def _say(self, text: str) -> None:
        """Add words of the user, joined to a message of theirs that still waits for an answer."""
        self._emit(MessageAdded("user", text))
        self._items = list(with_user_text(self._items, text))
