"""Carries out the `/` commands of the plain face, between runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from secretary_tui import config
from secretary_tui.config_file import ConfigError
from secretary_tui.plain.listing import (
    agent_lines,
    fitting_runs,
    run_lines,
    setting_lines,
    statistics_lines,
)
from secretary_tui.plain.plain_session import PlainSession
from secretary_tui.plain.slash_commands import SlashCommand, help_lines, words_of
from secretary_tui.plain.writer import Writer
from secretary_tui.sanitize import clean_line
from secretary_tui.sessions.errors import SessionError
from secretary_tui.sessions.past import read_past
from secretary_tui.sessions.statistics.spend_file import with_whole_costs
from secretary_tui.sessions.statistics.statistics import summarize
from secretary_tui.sessions.store import RunSummary, find_run, list_runs, load_run
from secretary_tui.setting_changes import save_typed
from secretary_tui.verbs.options import Options, UsageError

Send = Callable[[str], None]
"""Sends a text through `PlainSession`, and waits until nothing goes on."""


class CommandRunner:
    """Runs one command at a time.

    Args:
        options: Those of the command line, for the verbs that commands call.
        session: The conversation that commands change.
        writer: Where they say what they found.
        send: Sends a text that a command leads to, and waits for the end of what follows.
    """

    def __init__(self, options: Options, session: PlainSession, writer: Writer, send: Send) -> None:
        self._options = options
        self._session = session
        self._writer = writer
        self._send = send
        self._runs: list[RunSummary] = []
        """The runs of the last list, which numbers mean."""
        self._handlers: dict[str, Callable[[str], None]] = {
            "help": lambda _: self._say(help_lines()),
            "agents": self._agents,
            "reload": lambda _: self.reload(),
            "reply": self._reply,
            "hand-on": self._hand_on,
            "new": self._new,
            "clear": self._new,
            "history": self._history,
            "show": lambda rest: self._of_run("show", rest),
            "resume": self._resume,
            "undo": lambda rest: self._of_run("undo", rest),
            "export": lambda rest: self._of_run("export", rest),
            "fork": lambda rest: self._of_run("fork", rest),
            "delete": lambda rest: self._of_run("delete", rest),
            "stats": self._stats,
            "settings": self._settings,
            "set": self._set,
            "stop": lambda _: writer.line("No agent is running."),
        }

    def run(self, command: SlashCommand, rest: str) -> None:
        """Carry a command out; what goes wrong is said."""
        try:
            if command.verb:
                self._verb(*command.verb, *words_of(rest))
                if command.reloads:
                    self.reload(quiet=True)
            else:
                self._handlers[command.name](rest.strip())
        except (SessionError, UsageError, ConfigError) as error:
            self._writer.line(f"{str(error).rstrip('.')}.")

    def reload(self, *, quiet: bool = False) -> None:
        """Reload settings and agents."""
        secretary = self._session.secretary
        secretary.take_config(config.load(self._options.project))
        secretary.reload()
        if not quiet:
            self._writer.line(f"{len(secretary.index.active)} agents loaded.")

    def _verb(self, *words: str) -> None:
        """Call a verb of the command line here."""
        from secretary_tui.fault_log import explain
        from secretary_tui.verbs.grammar.arguments import build_parser, load_verb

        try:
            with self._writer.printing():
                args = build_parser().parse_args(words)
                load_verb(args.verb).run(args, self._options)
        except SystemExit:
            pass  # The parser has said what it does not take.
        except KeyboardInterrupt:
            self._writer.line("Stopped.")
        except UsageError:
            raise
        except Exception as error:
            self._writer.line(f"{explain(error, words[0])}.")
        sys.stdout.flush()

    def _say(self, lines: Sequence[str]) -> None:
        for line in lines:
            self._writer.line(line)

    # ---------------------------------------------------------------- agents, runs

    def _agents(self, rest: str) -> None:
        self._say([*agent_lines(self._session.secretary.index, rest.split())])

    def _history(self, rest: str) -> None:
        runs = with_whole_costs(list_runs(self._options.project))
        self._runs = fitting_runs(runs, rest.split())
        if not self._runs:
            self._writer.line("No matching run." if runs else "No runs yet.")
        self._say([*run_lines(self._runs)])

    def _stats(self, rest: str) -> None:
        past = read_past(None if rest == "all" else self._options.project)
        self._say([*statistics_lines(summarize(past.decisions, past.runs))])

    def _of_run(self, verb: str, rest: str) -> None:
        """Call a verb of `sessions` for the run that is meant."""
        run_id, more = self._run_and_rest(rest)
        if run_id:
            self._verb("sessions", verb, run_id, *words_of(more))

    def _resume(self, rest: str) -> None:
        run_id, text = self._run_and_rest(rest)
        if not run_id:
            return
        record = load_run(run_id)
        self._session.reopen(record)
        agent = clean_line(record.started.agent)
        self._writer.line(f"Run {record.id}, by {agent}: {clean_line(record.started.request)}")
        if record.problem:
            self._writer.line(record.problem)
        if text:
            self._send(text)
        else:
            self._writer.line(f"What you type goes to {agent}, until /new.")

    def _run_and_rest(self, rest: str) -> tuple[str, str]:
        """The run that is meant, by number, id or as the last one, and what follows it."""
        first, _, more = rest.partition(" ")
        if first.isdecimal() and 1 <= int(first) <= len(self._runs):
            return self._runs[int(first) - 1].id, more.strip()
        if first and not first.startswith("-"):
            return find_run(first).stem, more.strip()
        run_id = self._session.run_id
        if not run_id:
            self._writer.line("There is no run yet. /history has earlier ones.")
        return run_id, rest

    # -------------------------------------------------------------------- the session

    def _reply(self, text: str) -> None:
        if not self._session.run_id:
            self._writer.line("There is no run to reply to yet. /history has earlier ones.")
            return
        before, self._session.replying = self._session.replying, True
        if text:
            self._send(text)
            self._session.replying = before
        else:
            self._writer.line(f"What you type goes to {self._session.run_agent}, until /new.")

    def _hand_on(self, text: str) -> None:
        agent = self._session.hand_on()
        if not agent:
            self._writer.line("There is no answer to hand on yet.")
        elif text:
            self._send(text)
        else:
            self._writer.line(
                f"The answer of {agent} is sent with the next request; /new drops it."
            )

    def _new(self, rest: str) -> None:
        del rest
        self._session.forget()
        self._writer.line("The next request starts a new conversation.")

    # -------------------------------------------------------------------- settings

    def _settings(self, rest: str) -> None:
        settings = self._session.secretary.config
        self._say([*setting_lines(settings, rest.split())] or ["No matching setting."])
        for problem in settings.problems:
            self._writer.line(f"{problem.path}: {problem.message}")

    def _set(self, rest: str) -> None:
        in_project = rest.startswith("--in-project ")
        key, _, value = rest.removeprefix("--in-project ").strip().partition(" ")
        if not value:
            self._writer.line("Type a setting and its value: /set engine local")
            return
        said = save_typed(self._options.project, key, value, in_project=in_project)
        self.reload(quiet=True)
        self._session.renew_engine(key)
        self._writer.line(f"{clean_line(said)}.")
        for problem in self._session.secretary.config.problems:
            if problem.key == key:
                self._writer.line(f"{problem.path}: {problem.message}.")
