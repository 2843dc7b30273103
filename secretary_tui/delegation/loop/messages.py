"""The messages of a run, as the model reads them; each change is an event.

From those events a later session builds the same messages (`sessions.conversation`). A tool call
that a killed program left without a result gets one before the run goes on: one that ended has its
own, one that may have had its effect is asked about and never repeated blindly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from secretary_tui.delegation.brief.prompt import delegation_prompt, follow_up_prompt
from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.loop.compaction import Summarise, shorten
from secretary_tui.delegation.loop.unicode import well_formed
from secretary_tui.events import MessageAdded, MessagesReplaced, Notice, RunEvent, UserMessage
from secretary_tui.people import SAFE, Choice, People
from secretary_tui.sanitize import clean, clean_line
from secretary_tui.sessions.recovery import CallState, OpenCall
from secretary_tui.sessions.stored_messages import Message, repair, with_user_text

if TYPE_CHECKING:
    from secretary_tui.delegation.tools.tool_calls import ToolCall

_CONTINUE = "Go on."
_STOPPED = ("The user stopped the run before this was done.", True)
_DONE, _NOT_DONE = "d", "n"
_CHOICES = (
    Choice(_DONE, "It was done"),
    Choice(_NOT_DONE, "It was not done"),
    Choice(SAFE, "Not known: let the agent look first"),
)
NOT_BEGUN = "The program was stopped before this began, so it had no effect. Call it again."
UNKNOWN = (
    "The program was stopped while this ran, so its outcome is unknown: it may have been done "
    "wholly, in part or not at all. Find out what is there before you repeat it."
)
_SAID = {
    _DONE: ("The program was stopped while this ran. The user says that it was done.", False),
    _NOT_DONE: (
        "The program was stopped while this ran. The user says that it was not done.",
        True,
    ),
}


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
                results = await results_of(delegation.open_calls, people)
                self._emit(MessageAdded("user", results))
                messages.append({"role": "user", "content": results})
            self._items = list(repair(messages))
        else:
            self.add("user", delegation_prompt(delegation))
            if not said:
                return
        if said:
            self._emit(UserMessage(said))
            self._say(follow_up_prompt(delegation))
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
        told = [_result(call.id, *results.get(call.id, _STOPPED)) for call in calls]
        self.add("user", told)

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


async def results_of(calls: Sequence[OpenCall], people: People) -> list[dict[str, Any]]:
    """Make a result, in API form, for each call that a killed program left open."""
    return [_result(call.id, *(await _outcome(call, people))) for call in calls]


async def _outcome(call: OpenCall, people: People) -> tuple[str, bool]:
    if call.state is CallState.FINISHED:
        return call.output or "[no output]", call.is_error
    if call.state is CallState.NOT_BEGUN:
        return NOT_BEGUN, True
    what = clean_line(f"{call.name} {call.summary}")[:120]
    key = await people.choose(
        f"The program was stopped while this ran: {what}",
        "Whether it was done is not known. The agent is told what you say.",
        _CHOICES,
    )
    return _SAID.get(key, (UNKNOWN, True))


def _result(call_id: str, text: str, is_error: bool) -> dict[str, Any]:
    return {
        "type": "tool_result",
        "tool_use_id": well_formed(call_id),
        "content": well_formed(text),
        "is_error": is_error,
    }
