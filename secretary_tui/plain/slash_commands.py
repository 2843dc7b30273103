"""The `/` commands of the plain face: what each is called, takes and does.

Those that only show or change something stored are the verbs of the command line, called here.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass


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
    SlashCommand("help", "These commands."),
    SlashCommand("agents", "The agents, or those with these words.", "[WORDS]"),
    SlashCommand("agent", "All that is known of one agent.", "NAME", ("agents", "show")),
    SlashCommand("problems", "What is wrong with which file.", verb=("agents", "validate")),
    SlashCommand("create", "A new agent from a template.", "NAME", ("agents", "new"), reloads=True),
    SlashCommand("reload", "Read settings and agents again."),
    SlashCommand(
        "reply", "Send to the agent that answered last; alone: do so until /clear.", "[TEXT]"
    ),
    SlashCommand(
        "hand-on", "Give its answer along with the next request, or this one.", "[REQUEST]"
    ),
    SlashCommand("clear", "Put the run aside: the next request is a new one."),
    SlashCommand("history", "Earlier runs, numbered, or those with these words.", "[WORDS]"),
    SlashCommand("show", "All that was said in a run.", "[NUMBER or ID]"),
    SlashCommand(
        "resume", "Go on with a run; the text goes to its agent.", "[NUMBER or ID] [TEXT]"
    ),
    SlashCommand("undo", "What a run changed, and undo it.", "[NUMBER or ID] [--diff] [--redo]"),
    SlashCommand("export", "A run as a document, here or in a file.", "[NUMBER or ID] [-o FILE]"),
    SlashCommand("fork", "A new run that begins like one.", "[NUMBER or ID] [--turn N]"),
    SlashCommand("delete", "Move a run to the trash.", "[NUMBER or ID] [--yes]"),
    SlashCommand("mode", "manual, aware or proactive.", "[MODE]", ("mode",), reloads=True),
    SlashCommand("settings", "The settings, or those with these words.", "[WORDS]"),
    SlashCommand(
        "set", "Change a setting, for you or for this project.", "[--in-project] KEY VALUE"
    ),
    SlashCommand("model", "Where models answer, and the local ones.", "[VERB]", ("model",), True),
    SlashCommand(
        "stats", "How good the choices were, and what they cost; `all`: everywhere.", "[all]"
    ),
    SlashCommand("log", "Every decision, and forgetting some.", "[OPTIONS]", ("log",)),
    SlashCommand("doctor", "What the program sees on this machine.", verb=("doctor",)),
    SlashCommand("stop", "While an agent works: stop it, as Ctrl+C does."),
    SlashCommand("quit", "Leave; runs are kept. Also Ctrl+D, or Ctrl+C twice."),
)
BY_NAME = {command.name: command for command in COMMANDS}
TYPING = (
    "A request is a line: type it and press Enter. The agents that fit are named, and you choose.",
    "@name and a request asks that agent. A line that ends with a backslash goes on.",
    "Up and down give earlier requests, Tab completes names and commands.",
    "While an agent works, a line goes to it at its next turn; Enter alone says how far it is.",
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
