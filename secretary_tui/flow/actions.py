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
    Action("cycle_mode", "Mode", "Cycle through manual, aware and proactive", "shift+tab", "mode"),
    Action("settings", "Settings", "All settings and where each comes from", "f2", "settings"),
    Action("history", "History", "Earlier runs: search, read and continue them", "f3", "history"),
    Action("resume", "Resume", "Show the last run of this project and continue it", "", "resume"),
    Action("stats", "Statistics", "Routing quality and cost; forget decisions", "f10", "stats"),
    Action("undo", "Undo", "Review and undo what the shown run changed", "", "undo"),
    Action("export", "Export", "Export the shown run to a file", "", "export"),
    Action("setup", "Model", "Choose where models answer", "f4", "model"),
    Action("library", "Agents", "Go to the list of agents", "f5", "agents"),
    Action("problems", "Problems", "Files with problems, and what is wrong", "f7", "problems"),
    Action("new_agent", "New agent", "Write an agent, preview what it matches", "f9", "create"),
    Action("reload", "Reload", "Reload all agents", "f6", "reload"),
    Action("toggle_tools", "Fold", "Fold or unfold tool calls and thinking", "ctrl+o", "fold"),
    Action("toggle_reply", "Reply", "Reply to this agent, or route anew", "ctrl+t"),
    Action("new", "New", "New request; during a run, in a new tab", "ctrl+n", "new"),
    Action("next_run", "Next run", "Switch to the next run", "ctrl+pagedown,f12"),
    Action("previous_run", "Previous run", "Switch to the previous run", "ctrl+pageup"),
    Action(
        *("hand_on", "Hand on", "Pass the last answer to another agent"),
        *("ctrl+s", "hand-on"),
    ),
    Action("copy_answer", "Copy", "Copy the last answer", "f8", "copy"),
    Action("search_requests", "Search requests", "Search earlier requests", "ctrl+r"),
    Action("editor", "Editor", "Edit the request in $EDITOR", "ctrl+g", "editor"),
    Action("change_theme", "Theme", "Change the colours", "", "theme"),
    Action("app.command_palette", "Palette", "Search all commands", "ctrl+p"),
    Action("app.suspend_process", "Suspend", "Back to the shell; `fg` returns", "ctrl+z"),
    Action("redraw", "Redraw", "Redraw the screen", "ctrl+l"),
    Action("quit", "Quit", "Quit; drafts and runs are kept", "ctrl+q", "quit"),
)


SLASH = re.compile(r"/[a-z-]*(?: [a-z-]+)?")
"""A text that can only be meant as a command: paths and sentences are not."""


def by_slash(text: str) -> Action | None:
    """The action of a slash command, None when the text is not exactly one."""
    name = text.strip().removeprefix("/")
    if not text.strip().startswith("/"):
        return None
    name = "new" if name == "clear" else name  # As elsewhere.
    return next((action for action in ACTIONS if action.slash and action.slash == name), None)


FIXED_KEYS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "Request",
        (
            ("Enter", "send"),
            ("Ctrl+J", "new line (also Shift+Enter, or \\ before Enter)"),
            ("↑ ↓", "request history, on the first and last line"),
            ("Ctrl+_ Alt+Z", "undo, redo"),
            ("Ctrl+K U W Y", "delete to the line's end, its start, a word; put it back (readline)"),
            ("Alt+Y", "right after Ctrl+Y: put back what was deleted before that"),
            ("Alt+T U L C", "swap two words; upper case, lower case, capitalize a word"),
            ("Esc i v", "normal, insert and visual mode, if the setting `editing` is vi"),
            ("!line", "run a shell command: your shell, your rights, no sandbox; Esc stops it"),
            ("paste", "long text is folded, and sent whole; paste it again to unfold"),
            ("@name …", "ask an agent by name; the menu lists agents and files"),
            ("/word", "a command, such as /settings, or one of the library"),
            ("?", "this help, while the box is empty"),
            ("Tab", "next pane: agents, details, transcript"),
            ("PgUp PgDn", "scroll the transcript"),
            ("Esc", "interrupt the run, twice all runs; otherwise go back"),
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
            ("x", "disable or enable the agent, or all below a heading, in this project"),
            ("e", "open its file in $EDITOR"),
            ("c", "copy the path of its file"),
            ("w", "jump to the agent that shadows it, or that it shadows"),
            ("a", "list the folder's unlisted agent files, where that is offered"),
        ),
    ),
    (
        "Undo",
        (
            ("Enter u", "undo the change to the file; again: redo it"),
            ("U", "undo all files that nobody changed since"),
            ("b", "write the original next to a file that was changed since"),
            ("v", "show the diff full screen"),
            ("Tab", "switch between files and diff"),
        ),
    ),
    (
        "Choosing an agent",
        (
            ("Enter a", "accept the recommended one"),
            ("1 2 3", "take another row; 1 goes on with the run before where that is offered"),
            ("Space", "show the next three of the ranking, or hide them"),
            ("w", "run the command or skill of the last row"),
            ("?", "explain the ranking; ? or Esc goes back"),
            ("↑ ↓", "move, then Enter"),
            ("o", "another agent by name, or /command; Tab completes"),
            ("e", "edit the task first"),
            ("m", "another engine for this run; its limits are shown"),
            ("c", "leave out what was looked up for the task, or put it back"),
            ("t", "run in its own git worktree; review its changes at the end"),
            ("Esc", "cancel; right after accepting: take the choice back"),
        ),
    ),
    (
        "Allowing a tool",
        (
            ("y", "once"),
            ("r", "for this run: this command, or all its edits"),
            ("a", "always, exactly this"),
            ("n", "deny, with a reason the agent reads"),
            ("v", "show the whole command or diff full screen"),
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
            ("Enter", "an agent's decisions; a decision in full"),
            ("d", "forget the decision, and what was learnt from it"),
            ("u", "undo that"),
        ),
    ),
    (
        "History",
        (
            ("/", "filter: words, agent:x outcome:failed cost>0.1 since:7d project:all"),
            ("o t c", "cycle the outcome, time and cost filters"),
            ("a p", "only the agent under the cursor; this project, or all"),
            ("Enter", "open the run; what you send then continues it"),
            ("f", "fork: a new run that keeps the conversation up to an answer"),
            ("e", "export to markdown, HTML or JSON"),
            ("d z", "delete, after confirming; restore"),
        ),
    ),
    (
        "Transcript",
        (
            ("↑ ↓ PgUp PgDn", "scroll"),
            ("End", "jump to the end and follow it"),
            ("/ n N", "search; next, previous match; Esc ends the search"),
            ("{ }", "previous, next request"),
            ("( )", "previous, next block"),
            ("[ ]", "previous, next tool call"),
            ("Space", "fold or unfold it"),
            ("y", "copy the selection, else this block"),
            ("c", "copy its code block; again: the one before"),
            ("v e", "open it, or all, in $PAGER; a copy of it in $EDITOR"),
            ("o", "open a visible link: its host is shown first"),
            ("z", "zoom the transcript in and out"),
            ("u", "review and undo the run's changes (also in the history)"),
            ("h", "pass its answer to another agent (also in the history)"),
        ),
    ),
)
