"""What is put to the user, and what comes back: the one protocol of questions.

The screen answers it with dialogs, the command line with flags and prompts, a test with a
script; nothing below the faces knows which. A question never has a default that acts: the answer
to silence is always the safe one (skip, cancel, deny).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from secretary_tui.codec import stored
from secretary_tui.tool_table import (
    NOT_OFFERED,
    AnswerScope,
    answer_scope,
    edits_files,
    runs_commands,
)

MAX_QUESTIONS = 3
"""Questions asked about one request (seed 000 §2.2)."""


@dataclass(frozen=True, slots=True)
class Option:
    """One answer a question offers: a label of a few words and one sentence of explanation."""

    label: str
    description: str = ""


class QuestionAbout(StrEnum):
    """What the answer to a question of the secretary decides."""

    OBJECT = "object"
    """Which file, login, table … is meant."""
    GOAL = "goal"
    """What shall be done with it: explain, change, test, review."""
    SCOPE = "scope"
    """How far it goes."""


@dataclass(frozen=True, slots=True)
class Question:
    """One clarifying question in AskUserQuestion's shape; faces always add *Other* (free text)."""

    question: str
    header: str
    """A tag of at most 12 characters, such as `Scope`."""
    options: tuple[Option, ...]
    """2 to 4 options."""
    multi_select: bool = False
    asker: str = ""
    """Id of the agent that asks during its run; empty for the secretary's own questions."""
    about: QuestionAbout | None = None
    """What its answer decides; None for an agent's question."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was chosen for one question: labels, free text, or both. Neither means skipped."""

    question: str
    labels: tuple[str, ...] = ()
    other: str = ""
    about: QuestionAbout | None = field(default=None, metadata=stored(absent=None))
    """What its question decides; who answers need not know."""

    @property
    def skipped(self) -> bool:
        """Whether the user left this question open."""
        return not self.labels and not self.other.strip()

    @property
    def text(self) -> str:
        """The answer as one line of prose, empty when skipped."""
        return ", ".join((*self.labels, *filter(None, (self.other.strip(),))))


@dataclass(frozen=True, slots=True)
class AgentMatch:
    """One agent that may fit a request."""

    agent: str
    """Qualified id, `plugin:name` or a bare name."""
    path: str
    """The definition file, absolute."""
    confidence: int
    """0–100, calibrated: above 70 recommend, 50–70 alternative, below 50 hidden."""
    reason: str
    """One line a user can check, such as the words that earned it."""
    copies: tuple[str, ...] = ()
    """Paths of the same agent (same file name and body) elsewhere."""
    fallback: bool = False
    """Whether it is a generalist, offered because no specialist fits; never recommended."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """The run that a message goes on with, when it reads so."""

    run: str
    """Id of the run."""
    agent: str
    """Id of its agent."""
    confidence: int
    """0–100: the probability that the message is meant for that agent; shown from 50."""
    reason: str
    """One line a user can check: which signals say so."""


@dataclass(frozen=True, slots=True)
class WorkflowMatch:
    """A command or skill that fits a request, or the bare name of a workflow nobody installed."""

    id: str
    """`plugin:name` or a bare name, without the slash."""
    path: str = ""
    """Its file, absolute; empty for a name that the library has nothing for: it can't be run."""
    confidence: int = 0
    """0–100, as for an agent; 100 when the user named it."""
    reason: str = ""
    description: str = ""
    """What its file says it is for."""
    arguments: str | None = None
    """What the user typed behind its name; None when it was not named."""

    @property
    def runnable(self) -> bool:
        """Whether the library has it."""
        return bool(self.path)

    @property
    def named(self) -> bool:
        """Whether the user asked for it by name."""
        return self.arguments is not None

    @property
    def reference(self) -> str:
        """What a choice calls it: `/id`."""
        return f"/{self.id}"


class Intent(StrEnum):
    """What a message asks for (seed 001, the coordinator's intents, and `DELEGATE`)."""

    SEARCH = "search"
    ANALYZE = "analyze"
    COMPARE = "compare"
    CHAT = "chat"
    CLARIFY = "clarify"
    DELEGATE = "delegate"
    """Work that a specialist should do: everything that is none of the others."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A routed request: what was understood, who fits, what is still unclear."""

    request: str
    """As typed."""
    task: str = field(metadata=stored(key="intent"))
    """The request as understood, with the answers folded in: what is sent to the agent."""
    matches: tuple[AgentMatch, ...]
    """What the panel shows, best first: at most 4, none below the lower threshold."""
    recommended: str | None
    """Id of the first match when its confidence is above the upper threshold, else None."""
    ranking: tuple[AgentMatch, ...] = ()
    """The ranking behind `matches`, whatever the confidence."""
    workflow: WorkflowMatch | None = None
    """The command or skill that fits or was named, or a workflow's bare name (`brainstorm`)."""
    told: str = ""
    """What was ranked: the request with the answers' words; empty when that is the request."""
    continuation: Continuation | None = field(default=None, metadata=stored(key="continue"))
    """The run that the message goes on with; the panel's first row. None for a new topic."""
    close: str = ""
    """When the first two are within 15 points: that they are, and what tells them apart."""
    workflows: tuple[WorkflowMatch, ...] = ()
    """The nearest commands and skills behind `workflow`, whatever the confidence."""
    questions: tuple[Question, ...] = ()
    """At most 3, empty when the request is clear."""
    engine: str = "local"
    """Who ranked: `local`, or the engine and model that refined the local ranking."""
    notice: str = ""
    """One calm sentence when something fell back (time-out, invalid answer, skipped questions)."""
    elapsed_ms: float = 0.0
    intent: Intent = field(default=Intent.DELEGATE, metadata=stored(key="kind"))
    """What the message asks for."""
    intent_confidence: float = field(default=1.0, metadata=stored(key="kind_confidence"))
    """0–1."""
    reasoning: str = ""
    """One sentence of the model: why it judged so; why none fits when there is no match."""
    tokens: int = 0
    """Tokens that routing cost, cached ones included."""
    cost_usd: float | None = 0.0
    """What they cost; None when the price is unknown."""


class RouteAction(StrEnum):
    """What the user decided about a recommendation."""

    ACCEPT = "accept"
    ALTERNATIVE = "alternative"
    OTHER = "other"
    WORKFLOW = "workflow"
    """A command or skill; the choice names it as `/id`."""
    CONTINUE = "continue"
    """The run before goes on with the message; the choice names its agent."""
    CANCEL = "cancel"


@dataclass(frozen=True, slots=True)
class RouteChoice:
    """The user's decision: the agent, or `/command`, to delegate to, and the task to send.

    None of either when cancelled.
    """

    action: RouteAction
    agent: str | None = None
    task: str = ""
    engine: str = ""
    """Name of the engine that shall answer; empty for the session's."""
    own_tree: bool | None = None
    """Whether the run gets a working tree of its own; None for what the agent's file asks for."""
    looks_up: bool = True
    """Whether what the task names is looked up and goes along with it."""


class ToolDecision(StrEnum):
    """How far an allowance goes. `ALWAYS` is stored as an exact match in the local settings."""

    ONCE = "once"
    RUN = "run"
    ALWAYS = "always"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A risky tool call that waits for an answer."""

    tool_use_id: str
    agent: str
    """Id of the agent that asks."""
    tool: str
    """Canonical name of the tool, or of what is asked about like one (`tool_table`)."""
    summary: str
    """One line: the path, or the first line of the command."""
    detail: str
    """All of it: the unified diff, or the whole command."""
    cwd: str
    sandboxed: bool = False
    """Whether a Bash command would run confined; False shows the *unsandboxed* badge."""
    warnings: tuple[str, ...] = ()
    """What the eye may miss: runs of blanks, hidden characters, a protected path."""
    reasons: tuple[str, ...] = ()
    """Why it is asked although rules allow something: the rule, or the parts not covered."""
    marks: tuple[tuple[int, int], ...] = ()
    """Where in `detail` the parts are that no rule covers: start and end, in order."""
    confinement: str = ""
    """What the walls around a Bash command leave open, in a few words; empty for nothing."""
    input: Mapping[str, object] = field(default_factory=dict)
    once_only: bool = field(default=False, metadata=stored(absent=True))
    """Whether it is asked about each time, whatever is answered: then only *once* is offered."""

    @property
    def reach(self) -> AnswerScope:
        """What an answer for the run and for always covers; empty where there is none."""
        return NOT_OFFERED if self.once_only else answer_scope(self.tool)

    @property
    def is_command(self) -> bool:
        """Whether `detail` is a command; of other tools it is a diff or a text."""
        return runs_commands(self.tool)

    @property
    def is_edit(self) -> bool:
        """Whether `detail` is the diff of one file of the project."""
        return edits_files(self.tool)


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The answer to a `ToolRequest`; `reason` is read by the model when denied."""

    decision: ToolDecision
    reason: str = ""
    from_user: bool = True
    """False where nobody could be asked, or nobody answered: then `reason` says so, whole."""


SAFE = "escape"
"""The key of the choice that changes nothing; what silence means."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One named way to go on; a set of choices always has one whose key is `SAFE`."""

    key: str
    label: str


class People(Protocol):
    """Whoever can be asked. Cancelling the awaiting task withdraws the question."""

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Ask up to 3 clarifying questions; an empty tuple means that all were skipped."""
        ...

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        """Ask who shall do it. Nothing is delegated without this."""
        ...

    async def allow_tool(self, request: ToolRequest) -> ToolAnswer:
        """Ask about one risky tool call."""
        ...

    async def choose(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        """Ask which way to go on; gives the key of the choice taken."""
        ...
