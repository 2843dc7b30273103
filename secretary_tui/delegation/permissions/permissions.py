"""May this call happen: rules first, then the mode, then the user, and silence means no."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from secretary_tui.delegation.permissions.command_coverage import Gap, gaps, with_gaps
from secretary_tui.delegation.permissions.named_commands import is_opaque, named_words
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.permissions.plain_commands import is_known
from secretary_tui.delegation.permissions.rules import (
    Rule,
    Subject,
    allowing_rule,
    answered_rules,
    exact_rule,
    restricting_rule,
)
from secretary_tui.delegation.permissions.settings_rules import (
    RuleBook,
    RuleStoreError,
    store_allow,
)
from secretary_tui.delegation.permissions.shell_grammar import read_script
from secretary_tui.delegation.permissions.written_files import written_files
from secretary_tui.delegation.sandbox.sandbox import confinement_gaps
from secretary_tui.delegation.workspace.protected import is_program_state
from secretary_tui.delegation.workspace.workspace import Workspace, WorkspaceError
from secretary_tui.events import Notice, PermissionAnswered, PermissionAsked, RunEvent
from secretary_tui.people import People, ToolAnswer, ToolDecision, ToolRequest
from secretary_tui.registry.definition.spec import AgentSpec, SourceKind
from secretary_tui.sanitize import clean_line
from secretary_tui.tool_table import BASH, CHANGING_TOOLS, READ, WRITE

_FROM_LOOSE_TO_TIGHT = (
    PermissionMode.ACCEPT_EDITS,
    PermissionMode.ASK,
    PermissionMode.DENY,
    PermissionMode.PLAN,
)
_MAX_WORDS = 50
_SINKS = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr"))
_AGENT_MODES = {
    "default": PermissionMode.ASK,
    "manual": PermissionMode.ASK,
    "ask": PermissionMode.ASK,
    "dontask": PermissionMode.DENY,
    "deny": PermissionMode.DENY,
    "plan": PermissionMode.PLAN,
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a call may happen, who said so, and why not."""

    allowed: bool
    by: str
    """`user`, `rule` or `mode`; `nobody` where no user could be asked."""
    decision: ToolDecision
    reason: str = ""
    """What the model reads when it is refused."""


def effective_mode(session: PermissionMode, agent: AgentSpec) -> PermissionMode:
    """Give the mode of a run: the agent's `permissionMode` may tighten the session's, no more.

    A plugin's agent has no say (Claude Code's rule).
    """
    if agent.source.kind is SourceKind.PLUGIN or not agent.permission_mode:
        return session
    own = _AGENT_MODES.get(agent.permission_mode.replace("-", "").lower(), session)
    return max(session, own, key=_FROM_LOOSE_TO_TIGHT.index)


def tighter_mode(logged: str, configured: str) -> PermissionMode:
    """Give the tighter of the mode a run had, as its log says, and the configured one.

    What a log says that is no mode counts as the tightest: it was written by someone else.
    """
    try:
        had = PermissionMode(logged) if logged else PermissionMode(configured)
    except ValueError:
        had = PermissionMode.PLAN
    return max(had, PermissionMode(configured), key=_FROM_LOOSE_TO_TIGHT.index)


def refused_reading(deny: Sequence[Rule], root: Path, tool: str, path: Path) -> str:
    """Say why deny rules keep a tool from looking at a file; empty when they don't."""
    rule = restricting_rule(deny, Subject(tool, path=path), root)
    if rule is None and tool != READ:
        # What may not be read may not be searched or listed either.
        patterns = (rule for rule in deny if rule.pattern is not None)
        rule = restricting_rule(patterns, Subject(READ, path=path), root)
    return _rule_reason(rule) if rule else ""


class Permissions:
    """The permissions of one run, with the answers given in it."""

    def __init__(
        self,
        workspace: Path,
        mode: PermissionMode,
        rules: RuleBook,
        people: People,
        emit: Callable[[RunEvent], None],
    ) -> None:
        self._root = workspace
        self._mode = mode
        self._rules = rules
        self._people = people
        self._emit = emit
        self._commands: set[str] = set()
        self._topics: set[tuple[str, str]] = set()
        self._edits_allowed = False
        self._waited: dict[str, float] = {}

    def take_wait_s(self, tool_use_id: str) -> float:
        """For how long the user was waited for: no part of the time that the call took."""
        return self._waited.pop(tool_use_id, 0.0)

    def refused_reading(self, tool: str, path: Path) -> str:
        """Say why a file may not be looked at; empty when it may."""
        return refused_reading(self._rules.deny, self._root, tool, path)

    async def check(self, request: ToolRequest, subject: Subject, *, protected: bool) -> Verdict:
        """Decide about a risky call, asking the user when nothing else decides.

        Cancelling withdraws the question.
        """
        verdict = self.without_asking(subject, protected=protected, sandboxed=request.sandboxed)
        if verdict is None:
            verdict = await self._ask(request, subject, protected)
        self.report(request.tool_use_id, verdict)
        return verdict

    async def check_by_rules(self, request: ToolRequest, subject: Subject) -> Verdict:
        """Decide about a call that is allowed unless a rule says otherwise."""
        if restricting_rule((*self._rules.deny, *self._rules.ask), subject, self._root):
            return await self.check(request, subject, protected=False)
        return Verdict(True, "mode", ToolDecision.ONCE)

    def report(self, tool_use_id: str, verdict: Verdict) -> None:
        """Tell what was decided about a call."""
        self._emit(PermissionAnswered(tool_use_id, verdict.decision, verdict.by, verdict.reason))

    def without_asking(
        self, subject: Subject, *, protected: bool, sandboxed: bool = False
    ) -> Verdict | None:
        """Decide by rules, mode and earlier answers; None when the user must be asked."""
        if rule := self._touching(self._rules.deny, subject):
            return _denied("rule", _rule_reason(rule))
        if self._mode is PermissionMode.PLAN and subject.tool in CHANGING_TOOLS:
            return _denied(
                "mode",
                "This run is read-only (plan mode). Describe what you would do instead.",
            )
        if not protected:
            verdict = self._allowed_before(subject, sandboxed)
            if verdict is not None:
                return verdict
        if self._mode is PermissionMode.DENY:
            return _denied("mode", "This run asks nobody (mode deny). Go on without it.")
        return None

    def _allowed_before(self, subject: Subject, sandboxed: bool) -> Verdict | None:
        if subject.is_command and subject.command in self._commands:
            return Verdict(True, "user", ToolDecision.RUN)
        if (subject.tool, subject.topic) in self._topics:
            return Verdict(True, "user", ToolDecision.RUN)
        if self._touching(self._rules.ask, subject):
            return None
        if subject.is_edit and self._edits_allowed:
            return Verdict(True, "user", ToolDecision.RUN)
        if self._is_allowed_by_rules(subject, sandboxed):
            return Verdict(True, "rule", ToolDecision.ALWAYS)
        if self._mode is PermissionMode.ACCEPT_EDITS and subject.is_edit:
            return Verdict(True, "mode", ToolDecision.ONCE)
        return None

    def _is_allowed_by_rules(self, subject: Subject, sandboxed: bool) -> bool:
        if not subject.is_command:
            return allowing_rule(self._rules.allow, subject, self._root) is not None
        # Where nothing confines a command, no rule of another day speaks for it.
        return sandboxed and not self._may_hide(subject) and not self._gaps(subject)

    def _touching(self, rules: Iterable[Rule], subject: Subject) -> Rule | None:
        """Give the first rule that touches a call, or a file that its command writes to."""
        rules = tuple(rules)
        if rule := restricting_rule(rules, subject, self._root):
            return rule
        for target in written_files(subject.command) if subject.is_command else ():
            # Where a file outside of the project is meant, the walls stand.
            with contextlib.suppress(WorkspaceError):
                path = Workspace(self._root).resolve(target)
                if rule := restricting_rule(rules, Subject(WRITE, path=path), self._root):
                    return rule
        return None

    def _gaps(self, subject: Subject) -> tuple[Gap, ...]:
        return gaps(subject.command, self._rules.allow, self._why_not_file)

    def _why_not_file(self, target: str, writes: bool) -> str:
        """Say why a command may not read or write a file unasked; empty when it may."""
        if target in _SINKS:
            return ""
        workspace = Workspace(self._root)
        shown = clean_line(target)[:60]
        try:
            path = workspace.resolve(target)
        except WorkspaceError:
            # Reading is held by the walls.
            return f"it writes outside of the project: {shown}" if writes else ""
        if not writes:
            rule = restricting_rule(self._rules.deny, Subject(READ, path=path), self._root)
            return f"{clean_line(rule.text)[:60]} forbids to read {shown}" if rule else ""
        if workspace.is_protected(path, target) or is_program_state(path):
            return f"it writes to a protected path: {shown}"
        subject = Subject(WRITE, path=path)
        if restricting_rule(self._rules.ask, subject, self._root):
            return f"a rule asks before {shown} is written"
        accepted = self._edits_allowed or self._mode is PermissionMode.ACCEPT_EDITS
        if accepted or allowing_rule(self._rules.allow, subject, self._root):
            return ""
        return f"it writes {shown}"

    def _explained(self, request: ToolRequest, subject: Subject) -> ToolRequest:
        """Say in a request why it is asked although rules may allow something."""
        if rule := self._touching(self._rules.ask, subject):
            return replace(request, reasons=(f"The rule {clean_line(rule.text)[:80]} asks.",))
        if not subject.is_command or not any(rule.tool == BASH for rule in self._rules.allow):
            return request
        if not request.sandboxed:
            return replace(request, reasons=("Without a sandbox no stored rule counts.",))
        return with_gaps(request, subject.command, self._gaps(subject))

    def _may_hide(self, subject: Subject) -> bool:
        """Whether a command could run what a deny or ask rule names without its name in it."""
        tight = (*self._rules.deny, *self._rules.ask)
        if not any(rule.tool == BASH for rule in tight):
            return False
        if read_script(subject.command).unclear and is_opaque(subject.command):
            return True
        programs = {rule.pattern.split()[0].partition(":")[0] for rule in tight if rule.pattern}
        # A program that nobody here knows may start the one that a word of its names.
        return any(
            restricting_rule(tight, Subject(BASH, command=shlex.join(words[start:])), self._root)
            for words in named_words(subject.command)
            if not is_known(words[0].rsplit("/", 1)[-1])
            for start, word in enumerate(words[:_MAX_WORDS])
            if start > 0 and word.rsplit("/", 1)[-1] in programs
        )

    async def _ask(self, request: ToolRequest, subject: Subject, protected: bool) -> Verdict:
        self._emit(
            PermissionAsked(request.tool_use_id, request.tool, request.summary, request.detail)
        )
        if request.sandboxed:
            request = replace(request, confinement=confinement_gaps())
        request = replace(request, once_only=protected)
        explained = await asyncio.to_thread(self._explained, request, subject)
        began = time.monotonic()
        answer = await self._people.allow_tool(explained)
        waited = self._waited.get(request.tool_use_id, 0.0)
        self._waited[request.tool_use_id] = waited + time.monotonic() - began
        if answer.decision is ToolDecision.DENY:
            reason = clean_line(answer.reason)
            if not answer.from_user:
                return _denied("nobody", reason)
            said = f"The user refused this: {reason}" if reason else "The user refused this."
            return _denied("user", said)
        return Verdict(True, "user", self._remember(answer, subject, protected))

    def _remember(self, answer: ToolAnswer, subject: Subject, protected: bool) -> ToolDecision:
        """Keep an answer that reaches further than once, and give how far it really reaches."""
        decision = answer.decision
        if decision is ToolDecision.ONCE or protected:
            return ToolDecision.ONCE
        if decision is ToolDecision.ALWAYS:
            problem = self._store(subject)
            if not problem:
                if subject.is_command:
                    self._commands.add(subject.command)
                elif subject.topic:
                    self._topics.add((subject.tool, subject.topic))
                return ToolDecision.ALWAYS
            self._emit(Notice(f"{problem}; allowed for this run only.", "warning"))
        if subject.is_command:
            self._commands.add(subject.command)
        elif not subject.is_edit:
            self._topics.add((subject.tool, subject.topic))
        elif decision is ToolDecision.RUN:
            self._edits_allowed = True
        else:
            return ToolDecision.ONCE
        return ToolDecision.RUN

    def _store(self, subject: Subject) -> str:
        """Store an *always* answer; give what went wrong, empty when nothing did."""
        rule = exact_rule(subject, self._root)
        if rule is None:
            return "No rule can name exactly this call"
        try:
            store_allow(self._root, rule)
        except RuleStoreError as error:
            return str(error)
        self._rules = replace(self._rules, allow=(*self._rules.allow, *answered_rules(rule)))
        return ""


def _denied(by: str, reason: str) -> Verdict:
    return Verdict(False, by, ToolDecision.DENY, reason)


def _rule_reason(rule: Rule) -> str:
    return f"The rule {clean_line(rule.text)[:200]!r} forbids this."
