"""Every action once: its key, its slash command, its place in the palette and in the help.

Bindings, palette, slash commands and the help screen are derived from this table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Action:
    """Something the user can do from anywhere on the main screen."""

    name: str
    """What the main screen calls it; `app.<name>` is an action of Textual's app."""
    title: str
    """A few words, for the palette."""
    help: str
    key: str = ""
    """Textual key names, comma separated; empty for palette and slash only."""
    slash: str = ""
    """The slash command, without the slash."""

    @property
    def id(self) -> str:
        """What the setting `keys` calls it."""
        return self.name.rpartition(".")[2]

    @property
    def label(self) -> str:
        """The keys that it has unless the settings say otherwise, as people read them."""
        return key_label(self.key)


_READ_AS = {"pageup": "PgUp", "pagedown": "PgDn", "underscore": "_", "slash": "/"}


def key_label(keys: str) -> str:
    """Textual's names of keys, comma separated, as people read them: `Ctrl+PgDn F12`."""
    return " ".join(
        "+".join(_READ_AS.get(part, part.capitalize()) for part in key.split("+"))
        for key in keys.split(",")
    )


ACTIONS: tuple[Action, ...] = (
    Action("help", "Help", "All keys and commands", "f1", "help"),
    Action("cycle_mode", "Mode", "manual, aware, proactive in turn", "shift+tab", "mode"),
    Action("settings", "Settings", "All settings and where each comes from", "f2", "settings"),
    Action("history", "History", "Earlier runs: read them again, go on", "f3", "history"),
    Action("resume", "Resume", "Show the last run of this project and go on", "", "resume"),
    Action("stats", "Statistics", "How good the choices were; forget some", "f10", "stats"),
    Action("undo", "Undo", "What the run on the screen changed, and back again", "", "undo"),
    Action("export", "Export", "Write the run on the screen to a file", "", "export"),
    Action("setup", "Model", "Choose where models answer", "f4", "model"),
    Action("library", "Agents", "Go to the list of agents", "f5", "agents"),
    Action("problems", "Problems", "What is wrong with which file", "f7", "problems"),
    Action("new_agent", "New agent", "Write a definition, see when it would match", "f9", "create"),
    Action("reload", "Reload", "Read all agents again", "f6", "reload"),
    Action("toggle_tools", "Fold", "Fold or unfold tool calls and thinking", "ctrl+o", "fold"),
    Action("toggle_reply", "Reply", "Send to the agent of this run, or route anew", "ctrl+t"),
    Action("new", "New", "Put the run aside, or open a tab beside it", "ctrl+n", "clear"),
    Action("next_run", "Next run", "Show the next of several runs", "ctrl+pagedown,f12"),
    Action("previous_run", "Run before", "Show the run before of several", "ctrl+pageup"),
    Action(
        *("hand_on", "Hand on", "Hand the last answer on to another agent"),
        *("ctrl+s", "hand-on"),
    ),
    Action("copy_answer", "Copy", "Copy the last answer", "f8", "copy"),
    Action("search_requests", "Search requests", "Find a request that was sent before", "ctrl+r"),
    Action("editor", "Editor", "Write the request in $EDITOR", "ctrl+g", "editor"),
    Action("change_theme", "Theme", "Change the colours", "", "theme"),
    Action("app.command_palette", "Palette", "Find any command", "ctrl+p"),
    Action("app.suspend_process", "Suspend", "Back to the shell; `fg` returns", "ctrl+z"),
    Action("redraw", "Redraw", "Paint the screen again", "ctrl+l"),
    Action("quit", "Quit", "Leave; drafts and runs are kept", "ctrl+q", "quit"),
)


SLASH = re.compile(r"/[a-z-]*(?: [a-z-]+)?")
"""A text that can only be meant as a command: paths and sentences are not."""


def by_slash(text: str) -> Action | None:
    """The action of a slash command, None when the text is not exactly one."""
    name = text.strip().removeprefix("/")
    if not text.strip().startswith("/"):
        return None
    return next((action for action in ACTIONS if action.slash and action.slash == name), None)


FIXED_KEYS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "Request",
        (
            ("Enter", "send"),
            ("Ctrl+J", "new line (also Shift+Enter, or \\ before Enter)"),
            ("↑ ↓", "earlier requests, on the first and last line"),
            ("Ctrl+_ Alt+Z", "undo, redo"),
            ("Ctrl+K U W Y", "delete to the line's end, its start, a word; put it back (readline)"),
            ("Alt+Y", "right after Ctrl+Y: put back what was deleted before that"),
            ("Alt+T U L C", "swap two words; a word in capitals, small letters, with a capital"),
            ("Esc i v", "normal, insert and visual mode, where the setting `editing` is vi"),
            ("!line", "a shell line of your own: your shell, your rights, no walls; Esc stops it"),
            ("paste", "a long one is folded and sent whole; the same again unfolds it"),
            ("@name …", "ask an agent by name; a menu has agents and files: ↑↓, Tab or Enter, Esc"),
            ("/word", "a command, such as /settings, or one of the library; with the same menu"),
            ("?", "this help, while the box is empty"),
            ("Tab", "to the agents, the details, the transcript and back"),
            ("PgUp PgDn", "scroll the transcript"),
            ("Esc", "interrupt a run, twice all runs; otherwise one step back"),
            ("Ctrl+C", "interrupt, then clear, then (twice) quit"),
            ("Ctrl+D", "quit, while the box is empty"),
        ),
    ),
    (
        "Agents",
        (
            ("↑ ↓ j k", "move"),
            ("/", "filter; Esc clears"),
            ("Enter", "ask this agent"),
            ("← → Space", "fold and unfold a group"),
            ("PgUp PgDn g G", "page, first, last"),
            ("x", "switch the agent, or on a heading all of it, off or on for this project"),
            ("e", "open its file in $EDITOR"),
            ("c", "copy the path of its file"),
            ("w", "to the agent that shadows it, or that it shadows"),
            ("a", "list the agent files of this folder that no source leads to, where it says so"),
        ),
    ),
    (
        "Undo",
        (
            ("Enter u", "put the file back as before the run; again: as the run left it"),
            ("U", "put back all that nobody changed since"),
            ("b", "write the original beside a file that was changed since"),
            ("v", "the whole diff on the full screen"),
            ("Tab", "to the diff and back"),
        ),
    ),
    (
        "Choosing an agent",
        (
            ("Enter a", "accept the recommended one"),
            ("1 2 3", "take an alternative"),
            ("w", "run the command or skill of the last row"),
            ("?", "why: where the ranking comes from; ? or Esc goes back"),
            ("↑ ↓", "move, then Enter"),
            ("o", "another agent by name, or /command; Tab completes"),
            ("e", "edit the task first"),
            ("m", "another engine for this run, where there is one; what it can't do is said"),
            ("t", "in a git worktree of its own; its changes are offered at the end"),
            ("Esc", "cancel; right after accepting: take it back"),
        ),
    ),
    (
        "Allowing a tool",
        (
            ("y", "once"),
            ("r", "for this run: this command, or all its edits"),
            ("a", "always, exactly this"),
            ("n", "deny, with a reason the agent reads"),
            ("v", "the whole command or diff on the full screen"),
            ("Esc", "deny"),
        ),
    ),
    (
        "Statistics",
        (
            ("1 2 3 Tab", "overview, agents, decisions"),
            ("t", "all time, or the last 90, 30, 7 days"),
            ("p", "this project, or all"),
            ("s", "sort the agents"),
            ("Enter", "an agent's decisions; all of a decision"),
            ("d", "forget the decision, and what was learnt from it"),
            ("u", "take that back"),
        ),
    ),
    (
        "History",
        (
            ("/", "filter: words, agent:x outcome:failed cost>0.1 since:7d project:all"),
            ("o t c", "the next usual outcome, time and cost"),
            ("a p", "the agent under the cursor alone; this project, or all"),
            ("Enter", "show the run again; what you send then continues it"),
            ("f", "fork: a new run that keeps the conversation up to an answer"),
            ("e", "export to markdown, HTML or JSON"),
            ("d z", "delete, after a question; bring it back"),
        ),
    ),
    (
        "Transcript",
        (
            ("↑ ↓ PgUp PgDn", "scroll"),
            ("End", "follow the newest again"),
            ("/ n N", "search and count; next, previous place; Esc: back, or once found, end it"),
            ("{ }", "to your request before, after"),
            ("( )", "to the block before, after"),
            ("[ ]", "to the tool call before, after"),
            ("Space", "fold or unfold it"),
            ("y", "copy what is selected, else this block"),
            ("c", "copy the code in it; again: the code before that"),
            ("v e", "read it, or all, in $PAGER; open a copy in $EDITOR"),
            ("o", "open a link that is on the screen: its host is shown first"),
            ("z", "the transcript alone on the screen, and back"),
            ("u", "what the run changed, and undo it (also in the history)"),
            ("h", "hand its answer on to another agent (also in the history)"),
        ),
    ),
)
