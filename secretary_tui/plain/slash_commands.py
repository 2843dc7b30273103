"""The `/` commands of the plain face: what each is called, takes and does.

Those that only show or change something stored are the verbs of the command line, called here.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

STOP, QUIT = "/stop", "/quit"


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """One command."""

    name: str
    """Without the slash."""
    help: str
    takes: str = ""
    """What may follow it, as the help says it."""
    verb: tuple[str, ...] = ()
    """The words of the command line that it stands for; empty for one of our own."""
    reloads: bool = False
    """Whether settings or agents may be others afterwards."""


COMMANDS: tuple[SlashCommand, ...] = (
    SlashCommand("help", "List these commands."),
    SlashCommand("agents", "List the agents, or those with these words.", "[WORDS]"),
    SlashCommand("agent", "Show an agent in full.", "NAME", ("agents", "show")),
    SlashCommand(
        "problems", "Files with problems, and what is wrong.", verb=("agents", "validate")
    ),
    SlashCommand(
        "create", "Create an agent from a template.", "NAME", ("agents", "new"), reloads=True
    ),
    SlashCommand("reload", "Reload settings and agents."),
    SlashCommand(
        "reply", "Reply to the agent that answered last; without text: until /new.", "[TEXT]"
    ),
    SlashCommand(
        "hand-on", "Send the last answer with this request, or with the next.", "[REQUEST]"
    ),
    SlashCommand("new", "Put the run aside: the next request starts a new conversation."),
    SlashCommand("clear", "The same as /new."),
    SlashCommand("history", "List earlier runs, or those with these words.", "[WORDS]"),
    SlashCommand("show", "Show a run.", "[NUMBER or ID]"),
    SlashCommand("resume", "Continue a run; the text goes to its agent.", "[NUMBER or ID] [TEXT]"),
    SlashCommand(
        "undo", "Show what a run changed, and undo it.", "[NUMBER or ID] [--diff] [--redo]"
    ),
    SlashCommand("export", "Export a run, here or to a file.", "[NUMBER or ID] [-o FILE]"),
    SlashCommand("fork", "Start a new run from a run's conversation.", "[NUMBER or ID] [--turn N]"),
    SlashCommand("delete", "Move a run to the trash.", "[NUMBER or ID] [--yes]"),
    SlashCommand(
        "mode", "Show or set the mode.", "[manual|aware|proactive]", ("mode",), reloads=True
    ),
    SlashCommand("settings", "List the settings, or those with these words.", "[WORDS]"),
    SlashCommand(
        "set", "Change a setting, for you or for this project.", "[--in-project] KEY VALUE"
    ),
    SlashCommand("model", "List, download and choose local models.", "[VERB]", ("model",), True),
    SlashCommand("stats", "Show routing quality and cost; `all`: of every project.", "[all]"),
    SlashCommand("log", "Show every decision, or forget some.", "[OPTIONS]", ("log",)),
    SlashCommand("doctor", "Check settings, agents, engine and sandbox.", verb=("doctor",)),
    SlashCommand("stop", "While an agent runs: stop it, as Ctrl+C does."),
    SlashCommand("quit", "Quit; runs are kept. Also Ctrl+D, or Ctrl+C twice."),
)
BY_NAME = {command.name: command for command in COMMANDS}
TYPING = (
    "Type a request and press Enter. The agents that fit are listed, and you choose.",
    "@name and a request asks that agent. A backslash at the end of a line continues it.",
    "Up and down recall earlier requests, Tab completes names and commands.",
    "While an agent runs, a line goes to it at its next turn; Enter alone shows its progress.",
    "Ctrl+C stops the agent, or cancels the question.",
)


def help_lines() -> list[str]:
    """What /help says."""
    return [*TYPING, *(_usage(command) for command in COMMANDS)]


def words_of(text: str) -> list[str]:
    """Cut what follows a command into words, quotes kept together where they are whole."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _usage(command: SlashCommand) -> str:
    takes = f" {command.takes}" if command.takes else ""
    return f"/{command.name}{takes}: {command.help}"
